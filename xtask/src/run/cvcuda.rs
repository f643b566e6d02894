//! What a run measured of CV-CUDA, completed by its Python API, which also makes every call of an operator
//! again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::measured::Measured;
use super::process::End;
use super::script::Script;
use crate::contract::cvcuda::{Caller, Operator, Peer, Speed};
use crate::contract::recorded;
use crate::contract::report::{Report, SampleResult, Status};
use crate::error::Result;
use crate::home::Home;
use crate::lines::{LONGEST, columns, fitted, shortened};
use crate::plot::three_digits;
use crate::python::Python;
use crate::{files, say};

/// What the sample `cvcuda_speed` writes.
pub const SPEED: Measured<Speed> =
    Measured { sample: "cvcuda_speed", file: "cvcuda.json", optional: false, read: Speed::read };

/// How long it takes on a GPU.
pub const DURATION: &str = "about 10 s";

/// The sample whose calls Python makes again.
const OPERATORS: &str = "cvcuda_operators";

/// The folder of what the samples write beside `cvcuda.json`.
pub const FOLDER: &str = "cvcuda";

/// The calls that it recorded.
const RECORD: &str = "operators.json";

/// The elements of every array of every call, tens of megabytes.
const ELEMENTS: &str = "operators.bin";

const PEER: &str = "cvcuda-peers.json";

/// What was measured.
pub struct Gathered {
    /// With what Python did where it can.
    pub speed: Speed,
    /// Why the sample whose calls Python made again fails.
    objection: Option<String>,
}

/// What this run measured, completed by Python.
pub fn gather(home: &Home, report: &Report, out: &Path, with_peers: bool) -> Result<Option<Gathered>> {
    let Some(mut speed) = SPEED.gather(report, out)? else { return Ok(None) };
    let mut objection = None;
    if with_peers {
        let recorded = report.samples.iter().any(|s| s.name == OPERATORS && s.status == Status::Pass);
        let columns = columns(std::io::stdout());
        match measure(home, out, recorded)? {
            Ok(peer) => {
                speed.take_peer(peer);
                files::write_json(&out.join(SPEED.file), &speed)?;
                say::line(fitted("CV-CUDA's Python API: ", &in_words(&speed), columns));
                objection = object(&speed.operators, recorded.then(|| out.join(FOLDER).join(RECORD)));
                if objection.is_none() {
                    discard(&speed, out)?;
                }
            }
            Err(reason) => {
                say::line(fitted("CV-CUDA's Python API was not measured: ", &reason, columns));
            }
        }
    }
    Ok(Some(Gathered { speed, objection }))
}

/// Fails the sample whose outputs differ from Python's or were not all compared, and returns it.
pub fn judge<'a>(report: &'a mut Report, gathered: &Gathered) -> Option<&'a SampleResult> {
    let reason = gathered.objection.clone()?;
    let sample = report.samples.iter_mut().find(|sample| sample.name == OPERATORS)?;
    sample.status = Status::Fail;
    sample.reason = Some(reason);
    Some(sample)
}

/// Every file that a run may leave.
pub fn files_of(out: &Path) -> Vec<PathBuf> {
    let folder = out.join(FOLDER);
    let within = [RECORD, ELEMENTS].into_iter().chain(SHEETS.iter().map(|sheet| sheet.file));
    [SPEED.file, PEER].map(|name| out.join(name)).into_iter().chain(within.map(|f| folder.join(f))).collect()
}

/// A contact sheet that the sample `cvcuda_pipeline` writes into the folder.
pub struct Sheet {
    /// Its name there.
    pub file: &'static str,
    /// What it shows.
    pub shows: &'static str,
}

/// In the order of the pipeline.
pub const SHEETS: [Sheet; 3] = [
    Sheet { file: "photos.png", shows: "The photographs, each at its own size" },
    Sheet { file: "network-input.png", shows: "Resized to one size, as the network takes them" },
    Sheet { file: "letterbox.png", shows: "Scaled to fit, in frames of one size" },
];

/// Has Python do it, or says in one line why not.
fn measure(home: &Home, out: &Path, recorded: bool) -> Result<std::result::Result<Peer, String>> {
    let script = Script {
        path: home.peers_script("cvcuda.py"),
        what: "CV-CUDA's Python API",
        duration: "about 15 s",
        limit: Duration::from_secs(300),
        log: out.join("logs/cvcuda-peers.txt"),
    };
    let (file, folder) = (out.join(PEER), out.join(FOLDER));
    let mut arguments = vec!["--out".as_ref(), file.as_os_str()];
    if recorded {
        arguments.extend(["--record".as_ref(), folder.as_os_str()]);
    }
    let end = match script.run(home, lacks, &arguments)? {
        Ok((end, _)) => end,
        Err(reason) => return Ok(Err(reason)),
    };
    // The script ends with 1 where outputs differ, having written that; and where it could not work, having
    // written nothing.
    let wrote = end == End::Exit(0) || (end == End::Exit(1) && file.is_file());
    Ok(if wrote { Peer::read(&file).map_err(|e| e.to_string()) } else { Err(script.why_failed(end)) })
}

fn lacks(python: &Python) -> Option<&'static str> {
    match (python.has("cvcuda"), python.has("cupy")) {
        (true, true) => None,
        (true, false) => Some("python3 has no cupy"),
        (false, true) => Some("python3 has no cvcuda"),
        (false, false) => Some("python3 has neither cvcuda nor cupy"),
    }
}

/// Removes the elements, for they are no result once they were compared and found equal. Where nothing was
/// compared, somebody may want to do that by hand. The next run removes them.
fn discard(speed: &Speed, out: &Path) -> Result<()> {
    match speed.compared() {
        (0, _) => Ok(()),
        _ => files::remove(&out.join(FOLDER).join(ELEMENTS)),
    }
}

/// The calls that one line has room for; the report has them all.
const SHOWN: [&str; 3] = ["as_tensor", "cuda", "resize_into"];

/// Both side by side, in one line.
fn in_words(speed: &Speed) -> String {
    let compared = match speed.compared() {
        (0, _) => "no operators were compared".to_owned(),
        (calls, equal) => format!("{equal} of {calls} calls equal bit for bit"),
    };
    let calls = SHOWN.into_iter().filter_map(|call| {
        let us = |by| speed.us(call, by).map(three_digits);
        let recorded = us(Caller::Recorded).map_or(String::new(), |us| format!(", recorded {us}"));
        Some(format!("{call} {} us{recorded} (Python {})", us(Caller::InteropCore)?, us(Caller::Python)?))
    });
    let mut words = vec![compared, calls.collect::<Vec<_>>().join(", ")];
    let rate = |by| speed.pipeline(by).map(|pipeline| three_digits(pipeline.images_per_second_median));
    if let (Some(own), Some(python)) = (rate(Caller::InteropCore), rate(Caller::Python)) {
        words.push(format!("pipeline {own} images a second (Python {python})"));
    }
    words.retain(|part| !part.is_empty());
    words.join("; ")
}

/// What speaks against the sample: that not every call in its record was compared, that outputs differ.
fn object(operators: &[Operator], record: Option<PathBuf>) -> Option<String> {
    let incomplete = record.and_then(|record| match recorded::counts(&record) {
        Ok(recorded) => miscounted(operators, &recorded),
        Err(error) => Some(error.to_string()),
    });
    let reasons: Vec<String> = incomplete.into_iter().chain(difference(operators)).collect();
    Some(shortened(&reasons.join("; "), LONGEST)).filter(|reason| !reason.is_empty())
}

/// Which operators Python called more or less often than recorded.
fn miscounted(operators: &[Operator], recorded: &BTreeMap<String, u64>) -> Option<String> {
    let compared = operators.iter().map(|o| (o.operator.as_str(), (o.calls, 0)));
    let mut counts: BTreeMap<&str, (u64, u64)> = compared.collect();
    for (operator, calls) in recorded {
        counts.entry(operator).or_default().1 = *calls;
    }
    counts.retain(|_, (compared, recorded)| compared != recorded);
    let count = |(operator, (compared, recorded)): (&&str, &(u64, u64))| {
        format!("{compared} calls of {operator} where {recorded} were recorded")
    };
    let words = counts.iter().map(count).collect::<Vec<_>>().join(", ");
    (!words.is_empty()).then(|| format!("CV-CUDA's Python API made {words}"))
}

/// Which operators differ, in how many calls, and with which arguments the first of them.
fn difference(operators: &[Operator]) -> Option<String> {
    let different: Vec<&Operator> = operators.iter().filter(|operator| operator.different() > 0).collect();
    let first = different.first()?;
    let count = |o: &&Operator| format!("{} of {} calls of {}", o.different(), o.calls, o.operator);
    let counts = different.iter().map(count).collect::<Vec<_>>().join(", ");
    Some(format!(
        "outputs differ from CV-CUDA's Python API in {counts}; the first: {}",
        first.first_difference
    ))
}
