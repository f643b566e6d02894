//! Takes out of the wheel, which is a zip archive, what Rust programs use: the two C libraries and the
//! licence.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::files;
use crate::lines::{LONGEST, shortened};
use crate::run::process::{self, End, Output};

/// Seconds on most disks.
const LIMIT: Duration = Duration::from_secs(600);

/// Python is here for pip anyway. It compares checksums and leaves no path outside the folder.
const SCRIPT: &str = r"
import re, sys, zipfile
libraries = r'[^/]+\.libs/(libnvcv_types|libcvcuda)-[^/]+\.so[^/]*'
licences = r'[^/]+\.dist-info/licenses/.+'
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        if re.fullmatch(libraries + '|' + licences, name):
            wheel.extract(name, sys.argv[2])
";

/// Unpacks into a new folder; `scratch` takes the log.
pub fn unpack(wheel: &Path, folder: &Path, scratch: &Path) -> Result<()> {
    let log = scratch.join("unpack.txt");
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT]).arg(wheel).arg(folder).current_dir(scratch);
    let (end, _) = process::run(command, &Output::Together(&log), LIMIT)?;
    let failed = |got: String| {
        Error::new(format!("unpacking {}", wheel.file_name().unwrap_or_default().display()))
            .got(got)
            .remedy("make room on the disk if it is full, and run it again")
    };
    match end {
        End::Exit(0) => Ok(()),
        End::Exit(_) => {
            let text = files::read_end(&log).unwrap_or_default();
            Err(failed(shortened(text.trim().lines().last().unwrap_or("python3 failed"), LONGEST)))
        }
        End::Signal(number) => Err(failed(format!("python3 crashed with signal {number}"))),
        End::Timeout => Err(failed(format!("not done after {} s", LIMIT.as_secs()))),
    }
}
