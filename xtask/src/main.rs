//! Everything a person runs.
fn main() {}
