//! `samples`: runs each sample as a smoke test, measures the bandwidth, writes a report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Args;

use crate::contract::cvcuda::Speed;
use crate::contract::device::Device;
use crate::contract::probe::Found;
use crate::contract::report::{Report, SampleResult, Status};
use crate::contract::timeline::Timeline;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::lines::{LONGEST, shortened};
use crate::progress::Progress;
use crate::run::bandwidth::{self, SWEEP, Sweep};
use crate::run::cvcuda::{self, SPEED};
use crate::run::lock::Lock;
use crate::run::plan::{PROBE, Programs, choose};
use crate::run::process::{self, Output};
use crate::run::timeline::TIMELINE;
use crate::run::{bless, judge};
use crate::{date, device, files, lines, plot, report, say};

/// Run the samples, measure the bandwidth, write a report
///
/// Each sample runs as a process of its own and ends as pass, fail, waived (it
/// cannot run here and says why), timeout or error (it crashed). Exits with 0
/// if at least one passed and none failed.
#[derive(Debug, Args)]
pub struct Options {
    /// Only these samples [default: all]
    names: Vec<String>,
    /// List the samples and run nothing
    #[arg(long)]
    list: bool,
    /// Write the results as JSON to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Seconds for each sample [default: 120, bandwidth 600]
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Fail if there is no GPU, in place of simulating one
    #[arg(long)]
    require_gpu: bool,
    /// Use the simulated driver even if there is a GPU
    #[arg(long, conflicts_with = "require_gpu")]
    simulate: bool,
    /// Record each passing sample's output for the book
    #[arg(long)]
    bless: bool,
    /// Measure no Python library (PyTorch, CuPy, CV-CUDA)
    #[arg(long)]
    no_peers: bool,
    /// Folder for results [default: target/interop]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take the programs from this folder and build nothing
    #[arg(long, hide = true, value_name = "DIR")]
    bin_dir: Option<PathBuf>,
}

/// Keeps a sample from taking the simulated device.
const REQUIRE_GPU: &str = "INTEROP_REQUIRE_GPU";

/// A run that is planned: what it uses and where it writes.
struct Run<'a> {
    home: &'a Home,
    options: &'a Options,
    out: PathBuf,
    programs: BTreeMap<String, PathBuf>,
    settings: Vec<(&'static str, String)>,
}

/// Runs the command.
pub fn run(home: &Home, options: &Options) -> Result<ExitCode> {
    let programs = Programs::of(home, options.bin_dir.as_deref())?;
    let all = programs.names(home)?;
    let chosen = choose(&all, &options.names)?;
    if options.list {
        chosen.iter().for_each(say::line);
        return Ok(ExitCode::SUCCESS);
    }
    let out = files::absolute(&options.out.clone().unwrap_or_else(|| home.default_out()))?;
    options.json.iter().chain(&options.junit).try_for_each(|file| files::vacate(file))?;
    let _lock = Lock::take(&out)?;
    clear(&out)?;
    let commit = home.commit();
    let settings = settings(options, &out, &commit);
    let run = Run { home, options, out, programs: programs.ready(home)?, settings };
    let Found { device, host, .. } = run.device()?;
    banner(&device);
    let time = date::now();
    let mut report = Report::new(device, host, commit, date::text(&time));
    report.samples = run.all(&chosen, &report)?;
    let measured = run.gather(&mut report)?;
    run.write(&report, &measured, time)?;
    run.conclude(&report)
}

/// What the samples of a run measured.
struct Measurements {
    sweep: Sweep,
    timeline: Option<Timeline>,
    cvcuda: Option<Speed>,
}

impl Run<'_> {
    fn device(&self) -> Result<Found> {
        let probe = self.programs.get(PROBE).map(PathBuf::as_path);
        // That a GPU is required is judged here, in our words; the probe only says what there is.
        let settings: Vec<_> =
            self.settings.iter().filter(|(name, _)| *name != REQUIRE_GPU).cloned().collect();
        let found = device::find(probe, &self.out.join("logs"), &settings);
        let doctor = self.home.own_command("doctor");
        match found {
            Ok(Found { device, .. }) if self.options.require_gpu && device.simulated => {
                Err(Error::new("--require-gpu")
                    .expected("a GPU")
                    .got(format!("only the simulated device {}", device.name))
                    .remedy(format!("see `{doctor}`")))
            }
            Err(error) if self.options.require_gpu && error.exit_code() == 1 => {
                Err(Error::new("--require-gpu")
                    .expected("a GPU")
                    .got(format!("none: {error}"))
                    .remedy(format!("see `{doctor}`")))
            }
            Err(error) if error.exit_code() == 1 => {
                let other = if self.options.simulate { "" } else { ", or use --simulate" };
                Err(error.also(format!("see `{doctor}`{other}")))
            }
            other => other,
        }
    }

    fn all(&self, names: &[String], report: &Report) -> Result<Vec<SampleResult>> {
        let progress = Progress::new(names.len());
        let width = names.iter().map(String::len).max().unwrap_or(0);
        let mut results = Vec::new();
        for name in names {
            progress.step(&step(name, &report.device));
            let (result, output) = self.one(name, &report.device)?;
            progress.line(&line(&result, width));
            if result.status.is_failure() {
                progress.line(&self.details(&result, &output));
            }
            if self.options.bless && result.status == Status::Pass {
                let file = bless::file(self.home, &self.out, name);
                let output = files::read_text(&self.log(name))?;
                bless::record(&file, &report.device, &report.date, &output)?;
            }
            results.push(result);
            progress.done();
        }
        Ok(results)
    }

    /// Runs one sample: its result and the end of its output.
    fn one(&self, name: &str, device: &Device) -> Result<(SampleResult, String)> {
        let default = if name == bandwidth::SAMPLE { 600 } else { 120 };
        let limit = self.options.timeout.unwrap_or(Duration::from_secs(default));
        let log = self.log(name);
        files::remove(&log)?;
        let mut result = SampleResult {
            name: name.to_owned(),
            status: Status::Error,
            seconds: 0.0,
            reason: None,
            repeat: self.repeat(name),
        };
        let Some(program) = self.programs.get(name) else {
            result.reason = Some("cargo built no program of this name".to_owned());
            return Ok((result, String::new()));
        };
        let mut command = Command::new(program);
        command.current_dir(self.home.root());
        command.envs(self.settings.iter().map(|(name, value)| (*name, value.as_str())));
        match process::run(command, &Output::Together(&log), limit) {
            Ok((end, took)) => {
                let output = files::read_end(&log)?;
                (result.status, result.reason) = judge::judge(end, &output, limit);
                result.seconds = (took.as_secs_f64() * 1e3).round() / 1e3;
                SWEEP.check(&mut result, device.simulated, &self.out);
                TIMELINE.check(&mut result, device.simulated, &self.out);
                SPEED.check(&mut result, device.simulated, &self.out);
                Ok((result, output))
            }
            Err(error) if error.exit_code() != 1 => Err(error),
            Err(error) => {
                result.reason = Some(error.to_string());
                Ok((result, String::new()))
            }
        }
    }

    fn log(&self, name: &str) -> PathBuf {
        self.out.join("logs").join(format!("{name}.txt"))
    }

    /// The command that repeats a sample on the same device.
    fn repeat(&self, name: &str) -> String {
        let command = self.home.repeat_command(name);
        if self.options.simulate { format!("INTEROP_SIMULATE=1 {command}") } else { command }
    }

    /// What a person needs in order to look into a failure.
    fn details(&self, result: &SampleResult, output: &str) -> String {
        const SHOWN: usize = 100;
        let lines: Vec<&str> = output.lines().collect();
        let mut text = String::new();
        if lines.len() > SHOWN {
            text += "    ... more above\n";
        }
        for line in &lines[lines.len().saturating_sub(SHOWN)..] {
            text += &format!("    {}\n", shortened(line, LONGEST));
        }
        text + &format!("    output: {}\n    repeat: {}", self.log(&result.name).display(), result.repeat)
    }

    /// What was measured, completed by other libraries. A comparison with them may fail a sample that passed.
    fn gather(&self, report: &mut Report) -> Result<Measurements> {
        let with_peers = !self.options.no_peers;
        let cvcuda = cvcuda::gather(self.home, report, &self.out, with_peers)?;
        if let Some(failed) = cvcuda.as_ref().and_then(|gathered| cvcuda::judge(report, gathered)) {
            say::line(line(failed, failed.name.len()));
        }
        let sweep = bandwidth::gather(self.home, report, &self.out, with_peers)?;
        let timeline = TIMELINE.gather(report, &self.out)?;
        Ok(Measurements { sweep, timeline, cvcuda: cvcuda.map(|gathered| gathered.speed) })
    }

    fn write(
        &self,
        report: &Report,
        measured: &Measurements,
        time: chrono::DateTime<chrono::FixedOffset>,
    ) -> Result<()> {
        files::write_json(&self.out.join("samples.json"), report)?;
        if let Some(file) = &self.options.json {
            files::write_json(file, report)?;
        }
        if let Some(file) = &self.options.junit {
            files::write(file, report::junit::render(report, time, &self.out.join("logs"))?)?;
        }
        let Measurements { sweep, timeline, cvcuda } = measured;
        let parts = report::html::Parts {
            report,
            sweep,
            plots: report::plots::draw(sweep, &self.out)?,
            overlap: timeline.as_ref().map(|t| plot::write_timeline(t, &self.out)).transpose()?,
            cvcuda: cvcuda.as_ref().map(|speed| report::cvcuda::Section::of(speed, &self.out)),
        };
        files::write(&self.out.join("report.html"), report::html::render(&parts))
    }

    fn conclude(&self, report: &Report) -> Result<ExitCode> {
        let on = if report.device.simulated { " on a simulated device" } else { "" };
        say::line(format_args!("report: {}", self.out.join("report.html").display()));
        let count = report.samples.len();
        let noun = if count == 1 { "sample" } else { "samples" };
        say::line(format_args!("{count} {noun}{on}: {}", report.summary()));
        if report.succeeded() {
            return Ok(ExitCode::SUCCESS);
        }
        let failed: Vec<&SampleResult> = report.samples.iter().filter(|s| s.status.is_failure()).collect();
        match failed.as_slice() {
            [] => say::aside("error: no sample passed"),
            _ => failed.iter().for_each(|s| {
                say::aside(format_args!("{}: {}; repeat: {}", s.status.word(), s.name, s.repeat));
            }),
        }
        Ok(ExitCode::FAILURE)
    }
}

/// What the samples read from their environment.
fn settings(options: &Options, out: &Path, commit: &str) -> Vec<(&'static str, String)> {
    let mut settings =
        vec![("INTEROP_OUT", out.display().to_string()), ("INTEROP_COMMIT", commit.to_owned())];
    if options.simulate {
        settings.push(("INTEROP_SIMULATE", "1".to_owned()));
    }
    if options.require_gpu {
        settings.push((REQUIRE_GPU, "1".to_owned()));
    }
    settings
}

/// Removes what an earlier run left, so that nobody takes it for this one's.
fn clear(out: &Path) -> Result<()> {
    files::create_folder(&out.join("logs"))?;
    let own = ["samples.json", "report.html", "peers.json", SWEEP.file, TIMELINE.file];
    let own = own.iter().chain(&plot::FILES).chain(&plot::TIMELINE_FILES).map(|name| out.join(name));
    own.chain(cvcuda::files_of(out)).try_for_each(|file| files::remove(&file))?;
    // Only once it is empty: given `--out target`, CV-CUDA's libraries are in the folder of this name.
    let _ = std::fs::remove_dir(out.join(cvcuda::FOLDER));
    Ok(())
}

fn banner(device: &Device) {
    let head = if device.simulated { "SIMULATED device: " } else { "device: " };
    say::line(lines::fitted(head, &device.in_words(), lines::columns(std::io::stdout())));
    if device.simulated {
        say::line("There is no GPU behind it, and no bandwidth is measured.");
    }
}

/// The step as progress names it.
fn step(sample: &str, device: &Device) -> String {
    let durations = [(bandwidth::SAMPLE, bandwidth::DURATION), (SPEED.sample, cvcuda::DURATION)];
    match durations.into_iter().find(|(name, _)| *name == sample && !device.simulated) {
        Some((_, duration)) => format!("{sample}, {duration}"),
        None => sample.to_owned(),
    }
}

/// How a sample ended; `width` is that of the longest name.
fn line(result: &SampleResult, width: usize) -> String {
    let SampleResult { name, status, seconds, .. } = result;
    let head = format!("{:8}{name:width$} {seconds:7.2} s", status.word());
    match &result.reason {
        Some(reason) => lines::fitted(&(head + "  "), reason, lines::columns(std::io::stdout())),
        None => head,
    }
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let parsed = text.parse::<f64>().ok().filter(|s| *s > 0.0);
    parsed
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .filter(|limit| *limit <= Duration::from_secs(1_000_000))
        .ok_or_else(|| "expected a positive number of seconds".to_owned())
}
