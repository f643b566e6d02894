//! A made-up `cvcuda.json`, and what Python adds to it. The numbers were measured on no GPU.

use serde_json::{Value, json};

/// A call, and its microseconds from Rust and from Python.
const CALLS: [(&str, f64, f64); 4] =
    [("as_tensor", 0.41, 2.1), ("cuda", 0.05, 0.8), ("resize_into", 5.5, 12.0), ("flip_into", 4.5, 9.0)];

/// The same of those that are recorded, from Rust.
const RECORDED: [(&str, f64); 2] = [("resize_into", 1.6), ("flip_into", 1.5)];

fn call(call: &str, implementation: &str, us: f64) -> Value {
    let seconds = [1.1, 0.9, 1.0].map(|factor| factor * us * 1e-6);
    json!({"call": call, "implementation": implementation, "us_median": us, "seconds": seconds})
}

fn pipeline(implementation: &str, seconds: f64) -> Value {
    json!({
        "implementation": implementation, "images": 32, "height": 1080, "width": 1920,
        "images_per_second_median": 32.0 / seconds, "seconds": [seconds * 1.2, seconds, seconds * 0.9],
    })
}

/// What the sample writes.
pub fn made_up() -> Value {
    let mut device: Value = serde_json::from_str(super::REAL).expect("a device");
    let host = device.as_object_mut().and_then(|facts| facts.remove("host"));
    let called = CALLS.map(|(name, own, _)| call(name, "interop-core", own));
    let calls = [&called[..], &RECORDED.map(|(name, us)| call(name, "interop-core, recorded", us))].concat();
    json!({
        "schema": 1, "device": device, "host": host, "commit": "0123456789ab", "date": "2026-01-01T00:00:00Z",
        "library": "0.19.0",
        "calls": calls,
        "pipelines": [pipeline("interop-core", 0.02)],
    })
}

/// What the script writes where so many of the 9 calls of `rotate` are equal.
pub fn python(equal: u64) -> Value {
    let difference = if equal < 9 { json!({"degrees": 30, "dtype": "<u8>"}) } else { Value::Null };
    json!({
        "calls": CALLS.map(|(name, _, python)| call(name, "python", python)),
        "pipelines": [pipeline("python", 0.05)],
        "operators": [
            {"operator": "resize", "calls": 40, "equal": 40, "first_difference": null},
            {"operator": "rotate", "calls": 9, "equal": equal, "first_difference": difference},
        ],
        "peers": {"cvcuda": "0.19.0", "cupy": "14.2.0", "python": "3.12.3"},
    })
}

/// The list of calls that Python makes again, without what this program does not read.
pub fn recorded() -> Value {
    let calls =
        [("resize", 40), ("rotate", 9)].map(|(operator, calls)| vec![json!({"operator": operator}); calls]);
    json!({"schema": 1, "arrays": [], "calls": calls.concat()})
}
