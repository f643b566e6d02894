//! The picture of a timeline: a bar for each step, by lane over time; one panel for each run.

use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBColor};

use super::canvas::{Canvas, Lettering, Place};
use super::encode::Picture;
use super::header::source;
use super::panel::WIDTH;
use super::scale::{Growth, Scale, from_zero, three_digits, time_in_words};
use super::style::{AXIS, GRID, HAIR, QUIET, SMALL, TEXT, colour};
use crate::contract::bandwidth::HostMemory;
use crate::contract::timeline::{Kind, Run, Span, Timeline};
use crate::error::Result;

const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 30.0;
const LEGEND: f64 = 32.0;
const ABOVE: f64 = 40.0;
const BELOW: f64 = 40.0;
const BAR: f64 = 11.0;
const LANE: f64 = 3.0 * BAR + 12.0;
const KINDS: [Kind; 3] = [Kind::Upload, Kind::Compute, Kind::Download];

impl Picture for Timeline {
    fn name(&self) -> &'static str {
        "timeline"
    }

    fn title(&self) -> &str {
        "Upload, compute and download: one lane, and several"
    }

    fn subtitles(&self) -> Vec<String> {
        let reading = "a bar begins when its lane comes to the step, and includes waiting for other lanes";
        vec![source(&self.device, None, &self.date, &self.commit), reading.to_owned()]
    }

    fn height(&self) -> f64 {
        LEGEND + panels(self).iter().map(Panel::height).sum::<f64>()
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>, top: f64) -> Result<()> {
        legend(canvas, top)?;
        let (mut top, end) = (top + LEGEND, self.end_us(Run::Serial).max(self.end_us(Run::Overlapped)));
        for panel in panels(self) {
            panel.draw(canvas, top, end)?;
            top += panel.height();
        }
        Ok(())
    }
}

/// One run.
struct Panel<'a> {
    title: String,
    lanes: Vec<u32>,
    spans: Vec<&'a Span>,
}

/// The runs that the timeline has, serial first.
fn panels(timeline: &Timeline) -> Vec<Panel<'_>> {
    let (serial, overlapped) = (timeline.end_us(Run::Serial), timeline.end_us(Run::Overlapped));
    let of = |run, words: &dyn Fn(usize) -> String| {
        let spans: Vec<&Span> = timeline.of(run).collect();
        let used = |lane: &u32| spans.iter().any(|span| span.lane == *lane);
        let lanes: Vec<u32> = timeline.lanes.iter().copied().filter(used).collect();
        Panel { title: words(lanes.len()), lanes, spans }
    };
    let first =
        of(Run::Serial, &|_| format!("one lane, each step after the other: {}", time_in_words(serial / 1e6)));
    let second = of(Run::Overlapped, &|lanes| {
        let faster = match serial > 0.0 && overlapped > 0.0 {
            true => format!(", {} times as fast", three_digits(serial / overlapped)),
            false => String::new(),
        };
        format!("{lanes} lanes: {}{faster}", time_in_words(overlapped / 1e6))
    });
    [first, second].into_iter().filter(|panel| !panel.spans.is_empty()).collect()
}

impl Panel<'_> {
    fn height(&self) -> f64 {
        ABOVE + self.lanes.len() as f64 * LANE + BELOW
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>, top: f64, end_us: f64) -> Result<()> {
        let bold = Lettering { bold: true, ..Lettering::plain(15.0, TEXT) };
        canvas.text(&self.title, (LEFT, top + 20.0), bold)?;
        let (first, last) = (top + ABOVE, top + ABOVE + self.lanes.len() as f64 * LANE);
        // A run of no time at all still needs an axis.
        let high = (end_us / 1e3).max(1e-6);
        let time = Scale { growth: Growth::Linear, low: 0.0, high, start: LEFT, end: RIGHT };
        for tick in from_zero(high) {
            let x = time.pixel(tick);
            canvas.line(&[(x, first), (x, last)], GRID, HAIR)?;
            let style = Lettering { side: HPos::Center, ..Lettering::plain(SMALL - 1.0, QUIET) };
            canvas.text(&format!("{} ms", three_digits(tick)), (x, last + 14.0), style)?;
        }
        canvas.line(&[(LEFT, last), (RIGHT, last)], AXIS, HAIR)?;
        for (row, lane) in self.lanes.iter().enumerate() {
            let y = first + row as f64 * LANE;
            let style = Lettering { side: HPos::Right, ..Lettering::plain(SMALL, QUIET) };
            canvas.text(&format!("lane {}", u64::from(*lane) + 1), (LEFT - 8.0, y + LANE / 2.0), style)?;
            let of_lane = self.spans.iter().filter(|span| span.lane == *lane);
            of_lane.into_iter().try_for_each(|span| bar(canvas, span, y, &time))?;
        }
        Ok(())
    }
}

/// A bar in the third of its kind, so that the kinds are told apart by their place, too.
fn bar<B: DrawingBackend>(canvas: &Canvas<B>, span: &Span, lane: f64, time: &Scale) -> Result<()> {
    let (left, right) = (time.pixel(span.start_us / 1e3), time.pixel(span.end_us / 1e3));
    // Half a pixel lies between neighbours, and the shortest step is to be seen where the picture is small.
    let right = (right - 0.5).max(left + 2.0);
    let place = KINDS.iter().position(|kind| *kind == span.kind).unwrap_or(0) as f64;
    fill(canvas, (left, lane + 6.0 + place * BAR), (right, lane + 5.0 + (place + 1.0) * BAR), span.kind)
}

fn fill<B: DrawingBackend>(canvas: &Canvas<B>, from: Place, to: Place, kind: Kind) -> Result<()> {
    canvas.fill(&[from, (to.0, from.1), to, (from.0, to.1)], shade(kind).mix(1.0))
}

fn legend<B: DrawingBackend>(canvas: &Canvas<B>, top: f64) -> Result<()> {
    const EACH: f64 = 230.0;
    let words = ["upload (top of a lane)", "compute (middle)", "download (bottom)"];
    KINDS.iter().zip(words).enumerate().try_for_each(|(place, (kind, words))| {
        let x = LEFT + EACH * place as f64;
        fill(canvas, (x, top + 9.0), (x + 24.0, top + 9.0 + BAR), *kind)?;
        canvas.text(words, (x + 32.0, top + 15.0), Lettering::plain(SMALL, TEXT))
    })
}

/// From the palette of the other plots.
fn shade(kind: Kind) -> RGBColor {
    colour(match kind {
        Kind::Upload => HostMemory::Pinned,
        Kind::Compute => HostMemory::Fresh,
        Kind::Download => HostMemory::Pageable,
    })
}
