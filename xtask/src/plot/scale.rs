//! Maps values to pixels, and chooses where the ticks go.

/// How a value grows along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// Evenly.
    Linear,
    /// By factors.
    Log,
}

/// One axis: from the values `low..high` to the pixels `start..end`.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// How the values grow.
    pub growth: Growth,
    /// The value at `start`.
    pub low: f64,
    /// The value at `end`.
    pub high: f64,
    /// The pixel of `low`.
    pub start: f64,
    /// The pixel of `high`.
    pub end: f64,
}

impl Scale {
    /// The pixel of a value.
    pub fn pixel(&self, value: f64) -> f64 {
        let share = match self.growth {
            Growth::Linear => (value - self.low) / (self.high - self.low),
            Growth::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.start + share.clamp(-1.0, 2.0) * (self.end - self.start)
    }
}

/// A value that an axis can reach: neither zero, nor infinite, nor so far off that its ticks overflow.
fn tame(value: f64) -> f64 {
    // What is no number is not above either.
    if value > 1e-60 { value.min(1e60) } else { 1e-60 }
}

/// The ticks of a linear axis from zero to `highest`.
pub fn from_zero(highest: f64) -> Vec<f64> {
    let highest = tame(highest);
    let magnitude = 10f64.powf((highest / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * magnitude);
    let step = step.into_iter().find(|step| highest / step <= 6.0).unwrap_or(step[3]);
    let count = (highest / step).floor() as usize;
    (0..=count).map(|i| i as f64 * step).collect()
}

/// A logarithmic axis of whole decades around `lowest..highest`: its ends, and its ticks.
pub fn decades(lowest: f64, highest: f64) -> (f64, f64, Vec<f64>) {
    let (from, to) = (tame(lowest).log10().floor() as i32, tame(highest).log10().ceil() as i32);
    let to = to.max(from + 1);
    (10f64.powi(from), 10f64.powi(to), (from..=to).map(|e| 10f64.powi(e)).collect())
}

/// The sizes to name on the size axis: every second power of two, or every fourth, or as few as let the labels fit.
pub fn sizes(low: u64, high: u64) -> Vec<u64> {
    const MOST: usize = 10;
    let every = |factor: u64| {
        std::iter::successors(Some(low), move |size| size.checked_mul(factor))
            .take_while(|size| *size <= high)
            .collect::<Vec<u64>>()
    };
    let steps = [4, 16, 64].map(every);
    let fitting = steps.iter().find(|sizes| sizes.len() <= MOST);
    fitting.unwrap_or(&steps[2]).clone()
}

/// A size in words, such as `4 KiB`.
pub fn size_in_words(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) if bytes.is_multiple_of(unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} B"),
    }
}

/// A time in words, to about three digits.
pub fn time_in_words(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

/// A number to about three digits, without idle zeros behind whole ones.
pub fn three_digits(value: f64) -> String {
    match value {
        v if (v - v.round()).abs() < 1e-9 => format!("{v:.0}"),
        v if v < 10.0 => format!("{v:.2}"),
        v if v < 100.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sizes_and_times() {
        assert_eq!([4096, 1 << 20, 1 << 30, 1536].map(size_in_words), ["4 KiB", "1 MiB", "1 GiB", "1.5 KiB"]);
        assert_eq!([1e-6, 20.56e-3, 2.0].map(time_in_words), ["1 µs", "20.6 ms", "2 s"]);
    }

    #[test]
    fn ticks_start_at_zero_and_stay_few() {
        for highest in [0.3, 7.0, 63.0, 4300.0] {
            let ticks = from_zero(highest);
            assert!(ticks[0] == 0.0 && (3..=7).contains(&ticks.len()), "{highest}: {ticks:?}");
        }
        assert_eq!(sizes(4096, 1 << 30).len(), 10);
        assert_eq!((sizes(4, 1 << 30).len(), sizes(4, 1 << 30)[1]), (8, 64));
        assert_eq!(decades(3e-6, 2e-1).2.len(), 7);
    }

    #[test]
    fn values_out_of_reach_make_few_finite_ticks() {
        let odd = [0.0, 5e-324, f64::MAX, f64::INFINITY, f64::NAN, -1.0];
        for (low, high) in odd.into_iter().flat_map(|low| odd.map(|high| (low, high))) {
            let (from, to, ticks) = decades(low, high);
            assert!(from > 0.0 && from < to && to.is_finite(), "{low} {high}: {from} {to}");
            assert!(ticks.len() < 200 && from_zero(high).len() < 20, "{low} {high}");
        }
    }
}
