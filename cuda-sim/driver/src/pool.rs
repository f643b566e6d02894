//! Memory pools. They count what is allocated from them and keep no freed memory back.

use std::sync::{Mutex, MutexGuard};

use crate::code::{Code, Result};
use crate::sync::lock;

/// What C calls `CUmemoryPool`.
#[derive(Debug)]
pub struct Pool {
    /// Its handle.
    pub handle: usize,
    /// The ordinal of its device.
    pub device: i32,
    /// Whether it is the device's default pool, which cannot be destroyed.
    pub default: bool,
    limit: u64,
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    used: u64,
    high: u64,
    threshold: u64,
    reuse: [i32; 3],
}

/// What `cuMemPoolGetAttribute` answers: the C type depends on the attribute.
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    /// A C `int`.
    Int(i32),
    /// A `cuuint64_t`.
    Wide(u64),
}

const RELEASE_THRESHOLD: u32 = 4;
const RESERVED_HIGH: u32 = 6;
const USED_HIGH: u32 = 8;

impl Pool {
    /// A pool of at most `limit` bytes.
    pub fn new(handle: usize, device: i32, default: bool, limit: u64) -> Self {
        let counts = Counts { used: 0, high: 0, threshold: 0, reuse: [1; 3] };
        Self { handle, device, default, limit, counts: Mutex::new(counts) }
    }

    /// Bytes that can still be allocated from it.
    pub fn room(&self) -> u64 {
        self.limit.saturating_sub(self.counts().used)
    }

    /// Counts an allocation.
    pub fn charge(&self, bytes: u64) {
        let mut counts = self.counts();
        counts.used += bytes;
        counts.high = counts.high.max(counts.used);
    }

    /// Counts a free.
    pub fn refund(&self, bytes: u64) {
        self.counts().used -= bytes;
    }

    /// `cuMemPoolGetAttribute`. Reserved memory is used memory, since nothing is kept back.
    pub fn get(&self, attribute: u32) -> Result<Value> {
        let counts = self.counts();
        match attribute {
            1..=3 => Ok(Value::Int(counts.reuse[attribute as usize - 1])),
            RELEASE_THRESHOLD => Ok(Value::Wide(counts.threshold)),
            5 | 7 => Ok(Value::Wide(counts.used)),
            RESERVED_HIGH | USED_HIGH => Ok(Value::Wide(counts.high)),
            _ => Err(Code::InvalidValue),
        }
    }

    /// `cuMemPoolSetAttribute` for the attributes that are a C `int`.
    pub fn set_int(&self, attribute: u32, value: i32) -> Result<()> {
        let mut counts = self.counts();
        let index = (attribute as usize).wrapping_sub(1);
        *counts.reuse.get_mut(index).ok_or(Code::InvalidValue)? = value;
        Ok(())
    }

    /// `cuMemPoolSetAttribute` for the attributes that are 64 bits wide. A high-water mark can only be reset.
    pub fn set_wide(&self, attribute: u32, value: u64) -> Result<()> {
        let mut counts = self.counts();
        match (attribute, value) {
            (RELEASE_THRESHOLD, _) => counts.threshold = value,
            (RESERVED_HIGH | USED_HIGH, 0) => counts.high = counts.used,
            _ => return Err(Code::InvalidValue),
        }
        Ok(())
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        lock(&self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_bytes_and_the_mark_are_counted() {
        let pool = Pool::new(1, 0, false, 100);
        pool.charge(60);
        pool.refund(20);
        assert_eq!(pool.room(), 60);
        assert_eq!(pool.get(7), Ok(Value::Wide(40)));
        assert_eq!(pool.get(USED_HIGH), Ok(Value::Wide(60)));
        assert_eq!(pool.set_wide(USED_HIGH, 0), Ok(()));
        assert_eq!(pool.get(USED_HIGH), Ok(Value::Wide(40)));
    }

    #[test]
    fn unknown_attributes_are_refused() {
        let pool = Pool::new(1, 0, false, 100);
        assert_eq!(pool.get(0), Err(Code::InvalidValue));
        assert_eq!(pool.set_int(0, 1), Err(Code::InvalidValue));
        assert_eq!(pool.set_wide(7, 0), Err(Code::InvalidValue));
    }
}
