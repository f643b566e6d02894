//! The timeline of a run.

use super::measured::Measured;
use crate::contract::timeline::Timeline;

/// What the sample `overlap` writes.
pub const TIMELINE: Measured<Timeline> =
    Measured { sample: "overlap", file: "timeline.json", optional: true, read: Timeline::read };
