//! The results as JUnit XML, for a CI system to show.

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use crate::contract::report::{Report, SampleResult, Status};
use crate::error::{Error, Result};
use crate::files;

/// The XML text. The output of failures is taken from `logs`.
pub fn render(report: &Report, time: DateTime<FixedOffset>, logs: &Path) -> Result<String> {
    let mut suite = TestSuite::new("samples");
    suite.set_timestamp(time);
    for (name, value) in properties(report) {
        suite.add_property((name, value.as_str()));
    }
    suite.add_test_cases(report.samples.iter().map(|result| case(result, logs)));
    let mut junit = Junit::new("interop");
    junit.set_timestamp(time).add_test_suite(suite);
    junit.to_string().map_err(|e| Error::new("writing JUnit XML").got(e))
}

fn properties(report: &Report) -> [(&'static str, String); 3] {
    [
        ("device", report.device.in_words()),
        ("simulated", report.device.simulated.to_string()),
        ("commit", report.commit.clone()),
    ]
}

fn case(result: &SampleResult, logs: &Path) -> TestCase {
    let mut status = match result.status {
        Status::Pass => TestCaseStatus::success(),
        Status::Waived => TestCaseStatus::skipped(),
        Status::Fail | Status::Timeout => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    if let Some(reason) = &result.reason {
        status.set_message(reason.as_str());
    }
    if result.status.is_failure() {
        status.set_type(result.status.word());
        status.set_description(format!(
            "{}\nrepeat: {}",
            result.reason.as_deref().unwrap_or(""),
            result.repeat
        ));
    }
    let mut case = TestCase::new(result.name.as_str(), status);
    case.set_classname("samples").set_time(Duration::from_secs_f64(result.seconds));
    if result.status.is_failure() {
        case.set_system_out(files::read_end(&logs.join(format!("{}.txt", result.name))).unwrap_or_default());
    }
    case
}
