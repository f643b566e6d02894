//! Pointer arguments as types whose invariant is what the C caller promises.
//!
//! Only the C ABI makes these values: entry points receive them, and nothing else constructs them. So each
//! read or write through one rests on the same promise, the one that `cuda.h` asks of every caller: the
//! pointer is null or points to memory of its type for the length of the call.

use std::ffi::{CStr, c_char, c_void};

use crate::code::{Code, Result};

/// Where a result goes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Writes a result; a null pointer is an error.
    pub fn set(self, value: T) -> Result<()> {
        self.check()?;
        self.set_if_wanted(value);
        Ok(())
    }

    /// Writes a result unless the caller passed null to say that it is not wanted.
    pub fn set_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so the C caller promises memory for a T; alignment is not relied on.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// The place as a source, where the caller passes a value and gets another back.
    pub fn input(self) -> In<T> {
        In(self.0.cast_const())
    }

    /// The place behind `index` others, of an array that the caller says has more than `index` elements.
    pub fn element(self, index: usize) -> Self {
        if self.0.is_null() { self } else { Self(self.0.wrapping_add(index)) }
    }

    /// Fails on a null pointer, for calls that must not do anything then.
    pub fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Code::InvalidValue) } else { Ok(()) }
    }
}

/// Where a result goes whose type depends on another argument.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct OutAny(*mut c_void);

impl OutAny {
    /// The place as that of a T, which the other argument says it is.
    pub fn of<T: Copy>(self) -> Out<T> {
        Out(self.0.cast())
    }

    /// The place as the source of a T: `cuMemPoolSetAttribute` takes its argument this way.
    pub fn input<T: Copy>(self) -> In<T> {
        In(self.0.cast_const().cast())
    }
}

/// A value, or the first of several, that the caller passes by pointer.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Reads the value; a null pointer is an error.
    pub fn get(self) -> Result<T> {
        if self.0.is_null() {
            return Err(Code::InvalidValue);
        }
        // SAFETY: not null, so the C caller promises an initialised T there; alignment is not relied on.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The pointer to the element `index` of an array that the caller says has more than `index` elements.
    pub fn element(self, index: usize) -> Self {
        if self.0.is_null() { self } else { Self(self.0.wrapping_add(index)) }
    }
}

/// A string, up to its null byte.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Name(*const c_char);

impl Name {
    /// The string; null or not UTF-8 is an error.
    pub fn get(&self) -> Result<&str> {
        if self.0.is_null() {
            return Err(Code::InvalidValue);
        }
        // SAFETY: not null, so the C caller promises a terminated string that stays for the length of the
        // call, beyond which the borrow of this argument does not last.
        let name = unsafe { CStr::from_ptr(self.0) };
        name.to_str().map_err(|_| Code::InvalidValue)
    }
}

/// A character buffer of a length that the caller says.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct OutText(*mut c_char);

impl OutText {
    /// Writes text and a null byte, cut to the buffer.
    pub fn set(self, text: &str, capacity: i32) -> Result<()> {
        let capacity = usize::try_from(capacity).map_err(|_| Code::InvalidValue)?;
        let room = capacity.checked_sub(1).ok_or(Code::InvalidValue)?;
        let kept = text.bytes().take(room).chain([0]);
        for (index, byte) in kept.enumerate() {
            Out(self.0).check()?;
            Out(self.0.wrapping_add(index)).set(byte as c_char)?;
        }
        Ok(())
    }
}
