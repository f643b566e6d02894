//! The table of what the sweep measured beside its lines.

use std::fmt::Write;

use super::html::escape;
use crate::contract::figure::Figure;
use crate::plot::three_digits;

/// Writes the table; nothing where there are no figures. Implementations of the same figure stand together.
pub fn write(page: &mut String, figures: &[Figure]) -> std::fmt::Result {
    if figures.is_empty() {
        return Ok(());
    }
    page.push_str("<table class=\"figures\">\n<thead><tr><th>measured</th><th>by</th>");
    page.push_str(
        "<th class=\"number\">median</th><th class=\"number\">10th to 90th percentile</th></tr></thead>",
    );
    page.push_str("\n<tbody>\n");
    let first = |figure: &&Figure| figures.iter().position(|other| other.name == figure.name);
    let mut together: Vec<&Figure> = figures.iter().collect();
    // Stable: implementations stay in the order of the file.
    together.sort_by_key(first);
    together.into_iter().try_for_each(|figure| row(page, figure))?;
    page.push_str("</tbody>\n</table>\n");
    Ok(())
}

fn row(page: &mut String, figure: &Figure) -> std::fmt::Result {
    let [median, low, high] = [figure.median, figure.p10, figure.p90].map(three_digits);
    writeln!(
        page,
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{median} {unit}</td>\
         <td class=\"number\">{low} to {high} {unit}</td></tr>",
        escape(&figure.name),
        figure.implementation.name(),
        unit = match &figure.unit[..] {
            // As the plots write it.
            "us" => "µs".into(),
            unit => escape(unit),
        },
    )
}
