//! A made-up sweep: a latency and a rate a line. Its numbers look like a GPU's and were measured on none.

use serde_json::{Value, json};

/// Implementation, direction, host memory, GB/s of large copies, microseconds of small ones.
type Line = (&'static str, &'static str, &'static str, f64, f64);

const LINES: [Line; 17] = [
    ("interop-core", "h2d", "pinned", 52.2, 6.0),
    ("interop-core", "h2d", "pageable", 49.3, 30.0),
    ("interop-core", "h2d", "strided", 47.4, 34.0),
    ("driver", "h2d", "pinned", 52.2, 5.9),
    ("driver", "h2d", "pageable", 6.1, 6.5),
    ("pytorch", "h2d", "pinned", 52.2, 9.0),
    ("pytorch", "h2d", "pageable", 5.2, 9.5),
    ("cupy", "h2d", "pageable", 5.7, 7.2),
    ("interop-core", "d2h", "pinned", 54.2, 8.0),
    ("interop-core", "d2h", "pageable", 50.4, 32.0),
    ("interop-core", "d2h", "fresh", 21.9, 60.0),
    ("driver", "d2h", "pageable", 9.9, 9.0),
    ("driver", "d2h", "fresh", 1.1, 12.0),
    ("pytorch", "d2h", "fresh", 1.2, 15.0),
    ("cupy", "d2h", "fresh", 2.6, 14.0),
    ("interop-core", "d2d", "none", 2150.0, 3.0),
    ("pytorch", "d2d", "none", 2140.0, 5.0),
];

/// The sweep as a `bandwidth.json`.
pub fn made_up() -> Value {
    let mut device: Value = serde_json::from_str(super::REAL).expect("a device");
    let host = device.as_object_mut().and_then(|facts| facts.remove("host"));
    json!({
        "schema": 1,
        "device": device,
        "host": host,
        "commit": "0123456789ab",
        "date": "2026-01-01T00:00:00Z",
        "series": LINES.map(series),
    })
}

fn series((implementation, direction, host_memory, rate, latency): Line) -> Value {
    let points: Vec<Value> = (12..=30).map(|power| point(1u64 << power, rate, latency)).collect();
    json!({"implementation": implementation, "direction": direction, "host_memory": host_memory, "points": points})
}

fn point(bytes: u64, rate: f64, latency: f64) -> Value {
    let median = latency * 1e-6 + bytes as f64 / (rate * 1e9);
    let seconds = [0.95, 0.98, 1.0, 1.03, 1.08].map(|factor| factor * median);
    let gbps = |seconds: f64| bytes as f64 / seconds / 1e9;
    json!({
        "bytes": bytes, "gbps_median": gbps(seconds[2]), "gbps_p10": gbps(seconds[4]), "gbps_p90": gbps(seconds[0]),
        "seconds": seconds,
    })
}
