//! The picture of a timeline: a bar for each step, by lane over time; one panel for each run.

use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, RGBColor};

use super::canvas::{Canvas, Lettering, Place};
use super::encode::Picture;
use super::panel::WIDTH;
use super::scale::{Growth, Scale, from_zero, three_digits, time_in_words};
use super::style::{AXIS, GRID, QUIET, Stroke, TEXT, colour};
use crate::contract::bandwidth::HostMemory;
use crate::contract::timeline::{Kind, Run, Span, Timeline};
use crate::error::Result;

const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 30.0;
const HEADER: f64 = 116.0;
const ABOVE: f64 = 40.0;
const BELOW: f64 = 40.0;
const BAR: f64 = 11.0;
const LANE: f64 = 3.0 * BAR + 12.0;
const SMALL: f64 = 13.0;
const HAIR: Stroke = Stroke { width: 1.0, dash: None };
const KINDS: [Kind; 3] = [Kind::Upload, Kind::Compute, Kind::Download];

impl Picture for Timeline {
    fn title(&self) -> &str {
        "Upload, compute and download: one lane, and several"
    }

    fn height(&self) -> f64 {
        HEADER + panels(self).iter().map(Panel::height).sum::<f64>() + 8.0
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let bold = Lettering { bold: true, ..lettering(20.0, TEXT) };
        canvas.text(self.title(), (20.0, 26.0), bold)?;
        let day = self.date.split('T').next().unwrap_or_default();
        let machine =
            format!("{}, CUDA {}; {day}, commit {}", self.device.name, self.device.driver, self.commit);
        canvas.text(&machine, (20.0, 52.0), lettering(SMALL, QUIET))?;
        let reading = "a bar begins when its lane comes to the step, and includes waiting for other lanes";
        canvas.text(reading, (20.0, 70.0), lettering(SMALL, QUIET))?;
        legend(canvas)?;
        let (mut top, end) = (HEADER, self.end_us(Run::Serial).max(self.end_us(Run::Overlapped)));
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
        let bold = Lettering { bold: true, ..lettering(15.0, TEXT) };
        canvas.text(&self.title, (LEFT, top + 20.0), bold)?;
        let (first, last) = (top + ABOVE, top + ABOVE + self.lanes.len() as f64 * LANE);
        // A run of no time at all still needs an axis.
        let high = (end_us / 1e3).max(1e-6);
        let time = Scale { growth: Growth::Linear, low: 0.0, high, start: LEFT, end: RIGHT };
        for tick in from_zero(high) {
            let x = time.pixel(tick);
            canvas.line(&[(x, first), (x, last)], GRID, HAIR)?;
            let style = Lettering { side: HPos::Center, ..lettering(SMALL - 1.0, QUIET) };
            canvas.text(&format!("{} ms", three_digits(tick)), (x, last + 14.0), style)?;
        }
        canvas.line(&[(LEFT, last), (RIGHT, last)], AXIS, HAIR)?;
        for (row, lane) in self.lanes.iter().enumerate() {
            let y = first + row as f64 * LANE;
            let style = Lettering { side: HPos::Right, ..lettering(SMALL, QUIET) };
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
    // Half a pixel lies between neighbours, and the shortest step is to be seen.
    let right = (right - 0.5).max(left + 0.5);
    let place = KINDS.iter().position(|kind| *kind == span.kind).unwrap_or(0) as f64;
    fill(canvas, (left, lane + 6.0 + place * BAR), (right, lane + 5.0 + (place + 1.0) * BAR), span.kind)
}

fn fill<B: DrawingBackend>(canvas: &Canvas<B>, from: Place, to: Place, kind: Kind) -> Result<()> {
    canvas.fill(&[from, (to.0, from.1), to, (from.0, to.1)], shade(kind).mix(1.0))
}

fn legend<B: DrawingBackend>(canvas: &Canvas<B>) -> Result<()> {
    let words = ["upload (top of a lane)", "compute (middle)", "download (bottom)"];
    let places = [LEFT, LEFT + 210.0, LEFT + 380.0];
    KINDS.iter().zip(words).zip(places).try_for_each(|((kind, words), x)| {
        fill(canvas, (x, 93.0), (x + 24.0, 93.0 + BAR), *kind)?;
        canvas.text(words, (x + 32.0, 99.0), lettering(SMALL, TEXT))
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

fn lettering(size: f64, colour: RGBColor) -> Lettering {
    Lettering { size, bold: false, colour, side: HPos::Left }
}
