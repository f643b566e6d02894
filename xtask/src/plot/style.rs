//! Colours and strokes. The colour tells the kind of host memory, the stroke tells who copied; both can be told
//! apart without seeing colours. The card is opaque, so that a plot reads the same on a light and a dark page.

use plotters::style::RGBColor;

use crate::contract::bandwidth::{HostMemory, Implementation};

/// The card that everything is drawn on.
pub const CARD: RGBColor = RGBColor(251, 250, 247);
/// Titles and labels.
pub const TEXT: RGBColor = RGBColor(31, 35, 40);
/// Numbers at the axes and secondary text.
pub const QUIET: RGBColor = RGBColor(84, 89, 97);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(224, 222, 216);
/// The line at the bottom of a panel, and the link's ceiling.
pub const AXIS: RGBColor = RGBColor(120, 124, 130);

/// The height of all letters but those of titles, in pixels.
pub const SMALL: f64 = 13.0;

/// How a line is drawn: its width, and the lengths of dash and gap where it is not solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// In pixels.
    pub width: f64,
    /// Dash and gap, in pixels.
    pub dash: Option<(f64, f64)>,
}

/// Grid lines, and what connects.
pub const HAIR: Stroke = Stroke { width: 1.0, dash: None };

/// The thin dashes of the link's ceiling.
pub const CEILING: Stroke = Stroke { width: 1.5, dash: Some((4.0, 4.0)) };

/// The colour of a kind of host memory; each has a contrast of at least 3 to 1 against the card.
pub fn colour(memory: HostMemory) -> RGBColor {
    match memory {
        HostMemory::Pinned => RGBColor(0, 101, 168),
        HostMemory::Pageable => RGBColor(200, 80, 0),
        HostMemory::Fresh => RGBColor(0, 134, 98),
        HostMemory::Strided => RGBColor(160, 60, 130),
        HostMemory::None => RGBColor(70, 74, 80),
    }
}

/// The stroke of an implementation.
pub fn stroke(implementation: Implementation) -> Stroke {
    match implementation {
        Implementation::InteropCore => Stroke { width: 3.0, dash: None },
        Implementation::Driver => Stroke { width: 1.2, dash: None },
        Implementation::Pytorch => Stroke { width: 1.8, dash: Some((8.0, 5.0)) },
        Implementation::Cupy => Stroke { width: 2.0, dash: Some((2.0, 4.0)) },
    }
}

/// True if each point gets a mark: the driver's line would else hide on ours, which is often as fast.
pub fn has_marks(implementation: Implementation) -> bool {
    implementation == Implementation::Driver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn everything_stands_out_from_the_card() {
        use HostMemory::*;
        for memory in [Pinned, Pageable, Fresh, Strided, None] {
            assert!(contrast(colour(memory), CARD) >= 3.0, "{memory:?}");
        }
        assert!(contrast(TEXT, CARD) >= 7.0);
        assert!(contrast(QUIET, CARD) >= 4.5);
    }
}
