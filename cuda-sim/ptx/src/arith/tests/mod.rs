//! Tests of arithmetic against references: the processor's own rounding modes, and exact integers.

mod halves;
#[cfg(target_arch = "x86_64")]
mod hardware;
mod random;
#[cfg(target_arch = "x86_64")]
mod rounding;
