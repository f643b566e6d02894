//! `f16` and `bf16` beside exact values.
