//! The time of day, as every file here writes it.

use std::time::SystemTime;

use chrono::{DateTime, FixedOffset, Utc};

/// Now, in UTC, to the second.
pub fn now() -> DateTime<FixedOffset> {
    DateTime::<Utc>::from(SystemTime::now()).fixed_offset()
}

/// A time as `2026-12-02T08:42:40Z`.
pub fn text(time: &DateTime<FixedOffset>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn writes_utc() {
        assert_eq!(super::text(&chrono::DateTime::UNIX_EPOCH.fixed_offset()), "1970-01-01T00:00:00Z");
    }
}
