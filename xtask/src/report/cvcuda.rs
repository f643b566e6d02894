//! What the samples of CV-CUDA measured, compared and drew.

use std::fmt::Write;
use std::path::Path;

use super::html::escape;
use crate::contract::cvcuda::{Caller, Operator, Pipeline, Speed};
use crate::plot::three_digits;
use crate::run::cvcuda::{FOLDER, SHEETS, Sheet};

/// The section of a report.
pub struct Section<'a> {
    speed: &'a Speed,
    sheets: Vec<&'static Sheet>,
}

impl<'a> Section<'a> {
    /// With the contact sheets that are in the folder of the report.
    pub fn of(speed: &'a Speed, out: &Path) -> Self {
        let folder = out.join(FOLDER);
        Self { speed, sheets: SHEETS.iter().filter(|sheet| folder.join(sheet.file).is_file()).collect() }
    }

    /// Writes it.
    pub fn write(&self, page: &mut String) -> std::fmt::Result {
        page.push_str("<h2>CV-CUDA</h2>\n");
        writeln!(
            page,
            "<p>Measured in this run, with CV-CUDA {}{}.</p>",
            escape(&self.speed.library),
            versions(self.speed)
        )?;
        speed(page, self.speed)?;
        operators(page, &self.speed.operators)?;
        self.sheets.iter().try_for_each(|sheet| picture(page, sheet))
    }
}

/// What Python ran with.
fn versions(speed: &Speed) -> String {
    let each: Vec<String> = speed.peers.iter().map(|(name, version)| format!("{name} {version}")).collect();
    match each.as_slice() {
        [] => "; its Python API was not measured".to_owned(),
        each => escape(&format!(" and its Python API ({})", each.join(", "))),
    }
}

fn speed(page: &mut String, speed: &Speed) -> std::fmt::Result {
    page.push_str("<table class=\"figures\">\n<thead><tr><th>median</th>");
    for column in ["interop-core", "recorded", "Python", "interop-core is"] {
        write!(page, "<th class=\"number\">{column}</th>")?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for call in speed.call_names() {
        let of = |by| speed.us(call, by);
        let figures = Figures {
            own: of(Caller::InteropCore),
            python: of(Caller::Python),
            recorded: of(Caller::Recorded),
        };
        let by = |own: Option<f64>| own.zip(figures.python).map(|(own, python)| python / own);
        row(page, call, &figures, " µs a call", [by(figures.own), by(figures.recorded)])?;
    }
    let [own, python] = [Caller::InteropCore, Caller::Python].map(|by| speed.pipeline(by));
    if let Some(either) = own.or(python) {
        let [own, python] = [own, python].map(|p| p.map(|p| p.images_per_second_median));
        let faster = own.zip(python).map(|(own, python)| own / python);
        let figures = Figures { own, python, recorded: None };
        row(page, &pipeline_name(either), &figures, " images a second", [faster, None])?;
    }
    page.push_str("</tbody>\n</table>\n");
    Ok(())
}

fn pipeline_name(pipeline: &Pipeline) -> String {
    format!("pipeline, {} images of {} × {} at a time", pipeline.images, pipeline.width, pipeline.height)
}

/// What was measured of one thing.
struct Figures {
    own: Option<f64>,
    python: Option<f64>,
    recorded: Option<f64>,
}

/// One thing, by all of them; and how many times as fast as Python it is, when called and when recorded.
fn row(
    page: &mut String,
    name: &str,
    figures: &Figures,
    unit: &str,
    faster: [Option<f64>; 2],
) -> std::fmt::Result {
    write!(page, "<tr><th scope=\"row\">{}</th>", escape(name))?;
    let written = |value: Option<f64>| value.map(|value| three_digits(value) + unit);
    let [called, recorded] = faster.map(|ratio| ratio.map(three_digits));
    let faster = match (called, recorded) {
        (Some(called), Some(recorded)) => Some(format!("{called} times as fast, recorded {recorded}")),
        (Some(called), None) => Some(format!("{called} times as fast")),
        (None, Some(recorded)) => Some(format!("recorded {recorded} times as fast")),
        (None, None) => None,
    };
    let cells = [
        ("interop-core ", written(figures.own)),
        ("recorded ", written(figures.recorded)),
        ("Python ", written(figures.python)),
        ("", faster),
    ];
    for (head, cell) in cells {
        let text = cell.as_deref().unwrap_or("–");
        write!(page, "<td class=\"number\"><span class=\"narrow\">{head}</span>{text}</td>")?;
    }
    page.push_str("</tr>\n");
    Ok(())
}

fn operators(page: &mut String, operators: &[Operator]) -> std::fmt::Result {
    if operators.is_empty() {
        return Ok(());
    }
    page.push_str("<p>Every call of an operator was made again from Python, and the outputs compared.</p>\n");
    page.push_str("<table class=\"figures\">\n<thead><tr><th>operator</th><th class=\"number\">calls</th>");
    page.push_str("<th class=\"number\">equal bit for bit</th></tr></thead>\n<tbody>\n");
    for operator in operators {
        let class = if operator.different() == 0 { "number" } else { "number fail" };
        writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}<span class=\"narrow\"> calls</span></td>\
             <td class=\"{class}\">{}<span class=\"narrow\"> equal</span></td></tr>",
            escape(&operator.operator),
            operator.calls,
            operator.equal
        )?;
    }
    page.push_str("</tbody>\n</table>\n");
    Ok(())
}

fn picture(page: &mut String, sheet: &Sheet) -> std::fmt::Result {
    let Sheet { file, shows } = sheet;
    writeln!(
        page,
        "<figure class=\"sheet\">\n\
         <img src=\"{FOLDER}/{file}\" alt=\"Contact sheet: {shows}\" loading=\"lazy\">\n\
         <figcaption>{shows}.</figcaption>\n</figure>"
    )
}
