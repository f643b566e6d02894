//! The report as one page that needs nothing but the pictures beside it.

use std::fmt::Write;

use super::cvcuda::Section;
use super::figures;
use crate::contract::bandwidth::Bandwidth;
use crate::contract::report::{Report, SampleResult};
use crate::plot::Drawn;
use crate::run::bandwidth::Sweep;

const STYLE: &str = include_str!("style.css");

/// What a page shows.
pub struct Parts<'a> {
    /// How each sample ended, and where.
    pub report: &'a Report,
    /// The bandwidth.
    pub sweep: &'a Sweep,
    /// Its plots.
    pub plots: Vec<Drawn>,
    /// The plot of the timeline of this run.
    pub overlap: Option<Drawn>,
    /// What was measured of CV-CUDA in this run.
    pub cvcuda: Option<Section<'a>>,
}

/// The page.
pub fn render(parts: &Parts) -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut page, parts);
    page
}

fn write_page(page: &mut String, parts: &Parts) -> std::fmt::Result {
    let Parts { report, sweep, plots, overlap, cvcuda } = parts;
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
    writeln!(
        page,
        "<title>Samples: {}</title>\n<style>\n{STYLE}</style>\n</head>",
        escape(&report.summary())
    )?;
    page.push_str("<body>\n<main>\n<h1>Sharing GPU memory from Rust: samples</h1>\n");
    banner(page, report)?;
    let result = if report.succeeded() { "pass" } else { "fail" };
    writeln!(page, "<p class=\"summary {result}\">{}</p>", escape(&report.summary()))?;
    samples(page, report)?;
    bandwidth(page, sweep, plots)?;
    if let Some(plot) = overlap {
        page.push_str("<h2>Overlap</h2>\n<p>Measured in this run; every value was checked.</p>\n");
        figure(page, plot)?;
    }
    if let Some(section) = cvcuda {
        section.write(page)?;
    }
    machine(page, report)?;
    page.push_str("</main>\n</body>\n</html>\n");
    Ok(())
}

fn banner(page: &mut String, report: &Report) -> std::fmt::Result {
    if !report.device.simulated {
        return writeln!(page, "<p>On {}.</p>", escape(&report.device.in_words()));
    }
    writeln!(
        page,
        "<p class=\"banner\"><strong>Simulated device.</strong> {}. There is no GPU behind it: the samples show \
         that the code is right, and no time here says how fast a GPU is.</p>",
        escape(&report.device.in_words())
    )
}

fn samples(page: &mut String, report: &Report) -> std::fmt::Result {
    page.push_str("<h2>Samples</h2>\n<table class=\"samples\">\n<thead><tr><th>sample</th><th>status</th>");
    page.push_str(
        "<th class=\"number\">seconds</th><th>reason, and how to repeat it</th></tr></thead>\n<tbody>\n",
    );
    report.samples.iter().try_for_each(|result| sample(page, result))?;
    page.push_str("</tbody>\n</table>\n");
    Ok(())
}

fn sample(page: &mut String, result: &SampleResult) -> std::fmt::Result {
    let word = result.status.word();
    write!(page, "<tr><th scope=\"row\">{}</th>", escape(&result.name))?;
    write!(page, "<td><span class=\"status {word}\">{word}</span></td>")?;
    write!(page, "<td class=\"number\">{:.2}<span class=\"narrow\"> s</span></td><td>", result.seconds)?;
    if let Some(reason) = &result.reason {
        write!(page, "<p>{}</p>", escape(reason))?;
    }
    writeln!(page, "<code>{}</code></td></tr>", escape(&result.repeat))
}

fn bandwidth(page: &mut String, sweep: &Sweep, plots: &[Drawn]) -> std::fmt::Result {
    page.push_str("<h2>Bandwidth</h2>\n");
    match sweep {
        Sweep::Measured(_) => page.push_str("<p>Measured in this run; every copy's data was checked.</p>\n"),
        Sweep::Recorded(recorded) => recorded_label(page, recorded)?,
        Sweep::Missing(reason) => writeln!(page, "<p>{}.</p>", escape(reason))?,
    }
    if !plots.is_empty() {
        page.push_str(
            "<p class=\"swipe\">On a narrow screen, move the plots sideways to see their labels.</p>\n",
        );
    }
    plots.iter().try_for_each(|plot| figure(page, plot))?;
    match sweep {
        Sweep::Measured(bandwidth) | Sweep::Recorded(bandwidth) => figures::write(page, &bandwidth.figures),
        Sweep::Missing(_) => Ok(()),
    }
}

fn figure(page: &mut String, plot: &Drawn) -> std::fmt::Result {
    let (title, svg) = (escape(&plot.title), &plot.svg);
    writeln!(page, "<figure tabindex=\"0\" aria-label=\"{title}\">\n{svg}\n</figure>")
}

fn recorded_label(page: &mut String, recorded: &Bandwidth) -> std::fmt::Result {
    writeln!(
        page,
        "<p class=\"banner\"><strong>Recorded, not measured here.</strong> These plots are those of a run on {} \
         on {} (commit {}).</p>",
        escape(&recorded.device.name),
        escape(&recorded.date),
        escape(&recorded.commit)
    )
}

fn machine(page: &mut String, report: &Report) -> std::fmt::Result {
    let host = &report.host;
    let gpu = if report.device.simulated { "simulated device" } else { "GPU" };
    let memory = host.memory_bytes.map(|bytes| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64));
    let facts = [
        (gpu, Some(report.device.in_words())),
        ("link", report.device.link_in_words()),
        ("GPU kernel module", host.nvidia_driver.clone()),
        ("processor", host.cpu.clone()),
        ("cores", host.cores.map(|n| n.to_string())),
        ("memory", memory),
        ("kernel", host.kernel.clone()),
        ("date", Some(report.date.clone())),
        ("commit", Some(report.commit.clone())),
    ];
    page.push_str("<h2>Machine</h2>\n<dl>\n");
    for (name, value) in facts {
        if let Some(value) = value {
            writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escape(&value))?;
        }
    }
    page.push_str("</dl>\n");
    Ok(())
}

/// A text as it may stand in HTML, in an attribute too. Control characters are left out.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn escapes_what_html_would_take_for_its_own() {
        assert_eq!(super::escape("<a b='c'>\u{1b}&\"</a>"), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;&lt;/a&gt;");
    }
}
