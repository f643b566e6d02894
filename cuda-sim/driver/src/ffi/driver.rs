//! The driver itself: starting it, its version, its errors, its symbols.

use std::ffi::{c_char, c_int, c_void};

use super::argument::{Name, Out};
use super::call::entry_points;
use crate::code::{self, Code};
use crate::config::{Config, config};
use crate::state;

/// `CU_GET_PROC_ADDRESS_SUCCESS`
const FOUND: c_int = 0;

/// `CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND`
const SYMBOL_NOT_FOUND: c_int = 1;

entry_points! {
    fn cuInit(flags: u32) -> any_time {
        if flags == 0 { state::initialize() } else { Err(Code::InvalidValue) }
    }

    fn cuDriverGetVersion(version: Out<c_int>) -> any_time {
        let default = Config::default().driver_version;
        version.set(config().map_or(default, |config| config.driver_version))
    }

    fn cuGetErrorName(error: c_int, name: Out<*const c_char>) -> any_time {
        let known = code::name(error);
        name.set(known.map_or(std::ptr::null(), |known| known.as_ptr()))?;
        known.map(drop).ok_or(Code::InvalidValue)
    }

    fn cuGetErrorString(error: c_int, text: Out<*const c_char>) -> any_time {
        let known = code::text(error);
        text.set(known.map_or(std::ptr::null(), |known| known.as_ptr()))?;
        known.map(drop).ok_or(Code::InvalidValue)
    }

    /// NVRTC asks for private tables and copes without them.
    fn cuGetExportTable(table: Out<*const c_void>, _id: usize) -> any_time {
        table.set(std::ptr::null())?;
        Err(Code::NotFound)
    }

    fn cuGetProcAddress(
        symbol: Name,
        function: Out<*const c_void>,
        _version: c_int,
        _flags: u64,
    ) -> any_time {
        let found = find(symbol.get()?);
        function.set(found.unwrap_or(std::ptr::null()))?;
        found.map(drop).ok_or(Code::NotFound)
    }

    fn cuGetProcAddress_v2(
        symbol: Name,
        function: Out<*const c_void>,
        _version: c_int,
        _flags: u64,
        status: Out<c_int>,
    ) -> any_time {
        let found = find(symbol.get()?);
        function.set(found.unwrap_or(std::ptr::null()))?;
        status.set_if_wanted(if found.is_some() { FOUND } else { SYMBOL_NOT_FOUND });
        found.map(drop).ok_or(Code::NotFound)
    }
}

/// Symbols are asked for without the suffix of their present version.
fn find(name: &str) -> Option<*const c_void> {
    super::lookup(&format!("{name}_v2")).or_else(|| super::lookup(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_present_version_of_a_symbol_is_found_by_its_plain_name() {
        assert_eq!(find("cuMemAlloc"), super::super::lookup("cuMemAlloc_v2"));
        assert!(find("cuMemAlloc").is_some());
        assert!(find("cuInit").is_some());
        assert!(find("cuNothing").is_none());
    }
}
