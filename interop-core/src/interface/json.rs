//! The CUDA Array Interface as JSON, for looking at it and for passing it between processes' logs.

use serde_json::{Map, Value, json};

use super::{CudaArrayInterface, RawInterface};
use crate::{Error, Result};

impl CudaArrayInterface {
    /// The dictionary as a JSON object, with the keys of the specification.
    ///
    /// ```
    /// use interop_core::{CudaArrayInterface, RawInterface};
    ///
    /// let empty = CudaArrayInterface::try_from(RawInterface::default())?;
    /// assert_eq!(
    ///     empty.to_json(),
    ///     r#"{"shape":[0],"typestr":"|u1","data":[0,false],"version":3,"strides":null,"stream":null}"#
    /// );
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        let raw = RawInterface::from(self);
        // Written key by key, since a JSON object of serde_json sorts its keys.
        let fields = [
            ("shape", json!(raw.shape)),
            ("typestr", json!(raw.typestr)),
            ("data", json!(raw.data)),
            ("version", json!(raw.version)),
            ("strides", json!(raw.strides)),
            ("stream", json!(raw.stream)),
        ];
        let fields: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", fields.join(","))
    }

    /// Reads and checks a JSON object with the keys of the specification. `strides`, `mask`, `stream` and
    /// `descr` may be missing or null.
    ///
    /// # Errors
    /// [`Error::InvalidInterface`] naming the field that is missing or of another type, and those of
    /// `CudaArrayInterface::try_from`.
    pub fn from_json(text: &str) -> Result<Self> {
        let object: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| Error::InvalidInterface {
                operation: "CudaArrayInterface::from_json",
                field: "the interface",
                expected: "a JSON object",
                found: error.to_string(),
            })?;
        Self::try_from(read_raw(&object)?)
    }
}

fn read_raw(object: &Map<String, Value>) -> Result<RawInterface> {
    let shape = Field::of(object, "shape", "a list of integers");
    let typestr = Field::of(object, "typestr", "a text");
    let data = Field::of(object, "data", "an address and a boolean");
    let version = Field::of(object, "version", "an integer");
    let strides = Field::of(object, "strides", "a list of integers");
    let stream = Field::of(object, "stream", "an integer");
    Ok(RawInterface {
        shape: shape.required(integers)?,
        typestr: typestr.required(|value| value.as_str().map(str::to_owned))?,
        data: data.required(address_and_flag)?,
        version: version.required(Value::as_i64)?,
        strides: strides.optional(integers)?,
        has_mask: object.get("mask").is_some_and(|mask| !mask.is_null()),
        stream: stream.optional(Value::as_i64)?,
    })
}

/// One key of the object, and what its value must be.
struct Field<'a> {
    name: &'static str,
    expected: &'static str,
    value: Option<&'a Value>,
}

impl<'a> Field<'a> {
    fn of(object: &'a Map<String, Value>, name: &'static str, expected: &'static str) -> Self {
        Self { name, expected, value: object.get(name).filter(|value| !value.is_null()) }
    }

    fn required<T>(&self, read: impl Fn(&Value) -> Option<T>) -> Result<T> {
        self.value.and_then(read).ok_or_else(|| Error::InvalidInterface {
            operation: "CudaArrayInterface::from_json",
            field: self.name,
            expected: self.expected,
            found: self.value.map_or_else(|| "nothing".to_owned(), Value::to_string),
        })
    }

    fn optional<T>(&self, read: impl Fn(&Value) -> Option<T>) -> Result<Option<T>> {
        if self.value.is_none() { Ok(None) } else { self.required(read).map(Some) }
    }
}

fn integers(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

fn address_and_flag(value: &Value) -> Option<(u64, bool)> {
    match value.as_array()?.as_slice() {
        [address, read_only] => Some((address.as_u64()?, read_only.as_bool()?)),
        _ => None,
    }
}
