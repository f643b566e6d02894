//! Arithmetic as PTX defines it, on single values.
