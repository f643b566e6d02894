//! The sweep as a table, a column a series.

use super::kinds::{LARGEST, SMALLEST};
use super::series::{Direction, Figure, Series};

/// Prints a table for each direction, and the figures.
pub fn print(series: &[Series], figures: &[Figure]) {
    println!("GB/s (1e9 bytes a second), median; device to device counts each byte once");
    for direction in [Direction::HostToDevice, Direction::DeviceToHost, Direction::DeviceToDevice] {
        let columns: Vec<&Series> = series.iter().filter(|series| series.direction == direction).collect();
        println!("\n{}", direction.name());
        heads(&columns, |series| series.implementation.name().to_owned());
        heads(&columns, |series| {
            series.pattern.map_or_else(|| series.host_memory.name().to_owned(), |p| p.name().to_owned())
        });
        (SMALLEST..=LARGEST).for_each(|exponent| row(&columns, exponent));
    }
    println!();
    for figure in figures {
        let name = format!("{}, {}", figure.name, figure.implementation.name());
        println!("{name:<52} {:>9.2} {}", figure.quantile(0.5), figure.unit);
    }
}

fn heads(columns: &[&Series], text: impl Fn(&Series) -> String) {
    print!("{:>9}", "");
    columns.iter().for_each(|series| print!("  {:>12}", text(series)));
    println!();
}

fn row(columns: &[&Series], exponent: u32) {
    print!("{:>9}", size(exponent));
    for series in columns {
        match series.points.iter().find(|point| point.bytes == 1 << exponent) {
            Some(point) => print!("  {:>12.4}", point.gbps(0.5)),
            None => print!("  {:>12}", "-"),
        }
    }
    println!();
}

fn size(exponent: u32) -> String {
    let unit = ["B", "KiB", "MiB", "GiB"][exponent as usize / 10];
    format!("{} {unit}", 1 << (exponent % 10))
}
