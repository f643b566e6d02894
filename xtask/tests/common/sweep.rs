//! A made-up sweep: a latency and a rate a line. Its numbers look like a GPU's and were measured on none.

use serde_json::{Value, json};

/// Implementation, direction, host memory, pattern, GB/s of large copies, microseconds of small ones.
type Line = (&'static str, &'static str, &'static str, Option<&'static str>, f64, f64);

const PADDED: Option<&str> = Some("padded rows");
const TRANSPOSED: Option<&str> = Some("transposed");

const LINES: [Line; 38] = [
    ("interop-core", "h2d", "pinned", None, 52.2, 6.0),
    ("interop-core", "h2d", "pageable", None, 49.3, 30.0),
    ("interop-core", "h2d", "strided", PADDED, 47.4, 34.0),
    ("interop-core", "h2d", "strided", TRANSPOSED, 21.0, 40.0),
    ("driver", "h2d", "pinned", None, 52.2, 5.9),
    ("driver", "h2d", "pageable", None, 6.1, 6.5),
    ("driver", "h2d", "strided", PADDED, 4.9, 9.5),
    ("pytorch", "h2d", "pinned", None, 52.2, 9.0),
    ("pytorch", "h2d", "pageable", None, 5.2, 9.5),
    ("pytorch", "h2d", "strided", PADDED, 4.1, 13.5),
    ("pytorch", "h2d", "strided", TRANSPOSED, 2.2, 14.5),
    ("cupy", "h2d", "pinned", None, 52.0, 8.0),
    ("cupy", "h2d", "pageable", None, 5.7, 7.2),
    ("cupy", "h2d", "strided", PADDED, 1.7, 10.2),
    ("cupy", "h2d", "strided", TRANSPOSED, 0.4, 11.2),
    ("interop-core", "d2h", "pinned", None, 54.2, 8.0),
    ("interop-core", "d2h", "pageable", None, 50.4, 32.0),
    ("interop-core", "d2h", "fresh", None, 21.9, 60.0),
    ("interop-core", "d2h", "strided", PADDED, 44.0, 35.0),
    ("interop-core", "d2h", "strided", TRANSPOSED, 19.0, 42.0),
    ("driver", "d2h", "pinned", None, 54.2, 7.8),
    ("driver", "d2h", "pageable", None, 9.9, 9.0),
    ("driver", "d2h", "fresh", None, 1.1, 12.0),
    ("driver", "d2h", "strided", PADDED, 3.8, 13.0),
    ("pytorch", "d2h", "pinned", None, 54.0, 11.0),
    ("pytorch", "d2h", "pageable", None, 9.1, 12.0),
    ("pytorch", "d2h", "fresh", None, 1.2, 15.0),
    ("pytorch", "d2h", "strided", PADDED, 2.1, 16.0),
    ("pytorch", "d2h", "strided", TRANSPOSED, 1.4, 16.5),
    ("cupy", "d2h", "pinned", None, 54.1, 9.5),
    ("cupy", "d2h", "pageable", None, 9.5, 10.5),
    ("cupy", "d2h", "fresh", None, 2.6, 14.0),
    ("cupy", "d2h", "strided", PADDED, 1.2, 15.0),
    ("cupy", "d2h", "strided", TRANSPOSED, 0.3, 15.5),
    ("interop-core", "d2d", "none", None, 2150.0, 3.0),
    ("driver", "d2d", "none", None, 2150.0, 2.9),
    ("pytorch", "d2d", "none", None, 2140.0, 5.0),
    ("cupy", "d2d", "none", None, 2130.0, 4.0),
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
        "series": LINES.map(series).to_vec(),
        "figures": [
            figure("allocate and free 16 MiB", "interop-core", "us", 3.0),
            figure("full duplex, pinned", "interop-core", "GB/s", 98.5),
            figure("allocate and free 16 MiB", "pytorch", "us", 2.5),
        ],
    })
}

fn figure(name: &str, implementation: &str, unit: &str, median: f64) -> Value {
    let values = [0.98, 1.0, 1.05].map(|factor| factor * median);
    json!({
        "name": name, "implementation": implementation, "unit": unit,
        "median": values[1], "p10": values[0], "p90": values[2], "values": values,
    })
}

fn series((implementation, direction, host_memory, pattern, rate, latency): Line) -> Value {
    let smallest = if pattern.is_some() { 12 } else { 2 };
    let points: Vec<Value> = (smallest..=30).map(|power| point(1u64 << power, rate, latency)).collect();
    let mut series = json!({
        "implementation": implementation, "direction": direction, "host_memory": host_memory, "points": points,
    });
    if let Some(pattern) = pattern {
        series["pattern"] = json!(pattern);
    }
    series
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
