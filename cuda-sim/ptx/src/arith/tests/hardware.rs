//! Single instructions of the processor in any of its rounding modes.

use std::arch::asm;

use crate::arith::rounding::Rounding;

/// MXCSR with all exceptions masked.
fn control(rounding: Rounding) -> u32 {
    let field = match rounding {
        Rounding::Nearest => 0,
        Rounding::Down => 1,
        Rounding::Up => 2,
        Rounding::Zero => 3,
    };
    0x1f80 | field << 13
}

/// A function that executes one instruction between setting MXCSR and restoring it.
macro_rules! instruction {
    ($name:ident($($operand:ident: $class:ident $type:ty),+) -> $out:ident $result:ty, $text:literal) => {
        pub fn $name($($operand: $type,)+ rounding: Rounding) -> $result {
            let (control, mut saved) = (control(rounding), 0u32);
            let result: $result;
            // SAFETY: The instruction reads and writes registers named here alone; callers check that the processor
            // has it. MXCSR is as before afterwards.
            unsafe {
                asm!(
                    "stmxcsr [{saved}]",
                    "ldmxcsr [{control}]",
                    $text,
                    "ldmxcsr [{saved}]",
                    saved = in(reg) &mut saved,
                    control = in(reg) &control,
                    $($operand = in($class) $operand,)+
                    result = out($out) result,
                    options(nostack),
                );
            }
            result
        }
    };
}

/// The same, of an instruction that overwrites its first operand.
macro_rules! accumulating {
    ($name:ident($first:ident $(, $operand:ident)*) $type:ty, $text:literal) => {
        pub fn $name($first: $type, $($operand: $type,)* rounding: Rounding) -> $type {
            let (control, mut saved) = (control(rounding), 0u32);
            let mut result = $first;
            // SAFETY: As above.
            unsafe {
                asm!(
                    "stmxcsr [{saved}]",
                    "ldmxcsr [{control}]",
                    $text,
                    "ldmxcsr [{saved}]",
                    saved = in(reg) &mut saved,
                    control = in(reg) &control,
                    $($operand = in(xmm_reg) $operand,)*
                    result = inout(xmm_reg) result,
                    options(nostack),
                );
            }
            result
        }
    };
}

accumulating!(add_f32(a, b) f32, "addss {result}, {b}");
accumulating!(sub_f32(a, b) f32, "subss {result}, {b}");
accumulating!(mul_f32(a, b) f32, "mulss {result}, {b}");
accumulating!(div_f32(a, b) f32, "divss {result}, {b}");
accumulating!(sqrt_f32(a) f32, "sqrtss {result}, {result}");
accumulating!(add_f64(a, b) f64, "addsd {result}, {b}");
accumulating!(sub_f64(a, b) f64, "subsd {result}, {b}");
accumulating!(mul_f64(a, b) f64, "mulsd {result}, {b}");
accumulating!(div_f64(a, b) f64, "divsd {result}, {b}");
accumulating!(sqrt_f64(a) f64, "sqrtsd {result}, {result}");
accumulating!(fma_f32(c, a, b) f32, "vfmadd231ss {result}, {a}, {b}");
accumulating!(fma_f64(c, a, b) f64, "vfmadd231sd {result}, {a}, {b}");

instruction!(f32_of_f64(a: xmm_reg f64) -> xmm_reg f32, "cvtsd2ss {result}, {a}");
instruction!(f32_of_i64(a: reg i64) -> xmm_reg f32, "cvtsi2ss {result}, {a}");
instruction!(f64_of_i64(a: reg i64) -> xmm_reg f64, "cvtsi2sd {result}, {a}");
instruction!(i64_of_f64(a: xmm_reg f64) -> reg i64, "cvtsd2si {result}, {a}");
instruction!(i64_of_f32(a: xmm_reg f32) -> reg i64, "cvtss2si {result}, {a}");

/// F16C takes the mode from MXCSR where bit 2 of its immediate operand is set.
pub fn f16_of_f32(a: f32, rounding: Rounding) -> u16 {
    f16_vector(a, rounding).to_bits() as u16
}

accumulating!(f16_vector(a) f32, "vcvtps2ph {result}, {result}, 4");
