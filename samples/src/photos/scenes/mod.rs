//! The scenes, one a file.

mod aurora;
mod balloon;
mod beach;
mod city;
mod dunes;
mod forest;
mod hills;
mod lighthouse;
mod maple;
mod moon;
mod peaks;
mod pines;
mod stars;
mod tulips;

pub use aurora::aurora;
pub use balloon::balloon;
pub use beach::beach;
pub use city::city;
pub use dunes::dunes;
pub use forest::forest;
pub use hills::hills;
pub use lighthouse::lighthouse;
pub use maple::maple;
pub use moon::moon;
pub use peaks::peaks;
pub use tulips::tulips;
