//! [`Context`]: a device's primary context, and making it current for a call.

use std::ffi::{c_char, c_int};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::driver::sys;

use super::Driver;
use crate::{Error, Result};

/// The primary context of one device, which the CUDA runtime and so every other framework uses, too.
pub(crate) struct Context {
    driver: Arc<Driver>,
    device: c_int,
    raw: sys::CUcontext,
    /// Bytes of host memory that are pinned through this handle.
    pinned: AtomicUsize,
}

// SAFETY: a CUcontext may be used from every thread (CUDA driver API 12.0, context management).
unsafe impl Send for Context {}
// SAFETY: as above; the driver locks internally.
unsafe impl Sync for Context {}

/// While it lives, the context is current on this thread; then the one before is again.
pub(crate) struct Entered<'a> {
    /// None where the context was current before.
    pushed_by: Option<&'a Driver>,
    /// What is current belongs to a thread.
    not_send: PhantomData<*const ()>,
}

impl Context {
    pub fn open(driver: Arc<Driver>, ordinal: usize) -> Result<Self> {
        const OPEN: &str = "Gpu::open";
        let available = Self::count(OPEN, &driver)?;
        let missing = Error::NoDevice { ordinal, available };
        let index = c_int::try_from(ordinal).map_err(|_| missing.clone())?;
        if ordinal >= available {
            return Err(missing);
        }
        let mut device: c_int = 0;
        // SAFETY: the pointer is valid for the write; the ordinal is below the count.
        unsafe { driver.cuDeviceGet(OPEN, &mut device, index) }?;
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the write; the device exists.
        unsafe { driver.cuDevicePrimaryCtxRetain(OPEN, &mut raw, device) }?;
        Ok(Self { driver, device, raw, pinned: AtomicUsize::new(0) })
    }

    /// How many devices there are.
    pub fn count(operation: &'static str, driver: &Driver) -> Result<usize> {
        let mut count: c_int = 0;
        // SAFETY: the pointer is valid for the write.
        unsafe { driver.cuDeviceGetCount(operation, &mut count) }?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    pub fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The device's handle.
    pub fn device(&self) -> c_int {
        self.device
    }

    /// Host memory that was pinned; whoever pins some counts it here, and discounts it when it is given back.
    pub fn count_pinned(&self, bytes: usize) {
        self.pinned.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn discount_pinned(&self, bytes: usize) {
        self.pinned.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes of host memory that are pinned now.
    pub fn pinned_bytes(&self) -> usize {
        self.pinned.load(Ordering::Relaxed)
    }

    /// Makes the context current on this thread until the guard drops.
    pub fn enter(&self, operation: &'static str) -> Result<Entered<'_>> {
        let mut current = ptr::null_mut();
        // SAFETY: the pointer is valid for the write.
        unsafe { self.driver.cuCtxGetCurrent(operation, &mut current) }?;
        // Asking costs a fifth of pushing and popping, and one call of this crate often enters several times.
        if current == self.raw {
            return Ok(Entered { pushed_by: None, not_send: PhantomData });
        }
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { self.driver.cuCtxPushCurrent_v2(operation, self.raw) }?;
        Ok(Entered { pushed_by: Some(&self.driver), not_send: PhantomData })
    }

    /// Free and total memory of the device, in bytes.
    pub fn memory_info(&self, operation: &'static str) -> Result<(usize, usize)> {
        let _current = self.enter(operation)?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are valid for the write; a context is current.
        unsafe { self.driver.cuMemGetInfo_v2(operation, &mut free, &mut total) }?;
        Ok((free, total))
    }

    pub fn attribute(&self, attribute: sys::CUdevice_attribute) -> Result<i32> {
        let mut value: c_int = 0;
        // SAFETY: the pointer is valid for the write; the device exists.
        unsafe {
            self.driver.cuDeviceGetAttribute("Gpu::open", &mut value, attribute as c_int, self.device)
        }?;
        Ok(value)
    }

    pub fn total_memory(&self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: the pointer is valid for the write; the device exists.
        unsafe { self.driver.cuDeviceTotalMem_v2("Gpu::open", &mut bytes, self.device) }?;
        Ok(bytes)
    }

    pub fn name(&self) -> Result<String> {
        let mut name = [0u8; 256];
        let start: *mut c_char = name.as_mut_ptr().cast();
        // SAFETY: the pointer is valid for writes of the length passed; the device exists.
        unsafe { self.driver.cuDeviceGetName("Gpu::open", start, name.len() as c_int, self.device) }?;
        Ok(until_zero(&name))
    }

    pub fn pci_bus_id(&self) -> Result<String> {
        let mut id = [0u8; 32];
        let start: *mut c_char = id.as_mut_ptr().cast();
        // SAFETY: the pointer is valid for writes of the length passed; the device exists.
        unsafe { self.driver.cuDeviceGetPCIBusId("Gpu::open", start, id.len() as c_int, self.device) }?;
        Ok(until_zero(&id))
    }
}

fn until_zero(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `open`, released once here.
        // The device may be lost by now, and nobody is left to tell.
        let _ = unsafe { self.driver.cuDevicePrimaryCtxRelease_v2("drop of Gpu", self.device) };
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let Some(driver) = self.pushed_by else { return };
        let mut previous = ptr::null_mut();
        // SAFETY: the pointer is valid for the write; this thread pushed a context and has not popped it.
        let _ = unsafe { driver.cuCtxPopCurrent_v2("leave context", &mut previous) };
    }
}
