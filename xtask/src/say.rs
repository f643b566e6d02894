//! What goes to stdout and stderr, without the panic of `println!` where nobody reads any more, as in `... | head`.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::Mutex;

use crate::error::{Error, Result};
use crate::lines::harmless;

/// The first line that did not get out.
static LOST: Mutex<Option<Error>> = Mutex::new(None);

/// Prints a line, without what a terminal takes for a command. Where that fails the work goes on: its files matter
/// more than its words.
pub fn line(text: impl Display) {
    match write(format!("{}\n", harmless(&text.to_string())).as_bytes()) {
        // A reader that has seen enough is no failure.
        Err(e) if e.kind() == ErrorKind::BrokenPipe => {}
        Err(e) => lose(failed(&e)),
        Ok(()) => {}
    }
}

/// Says a line on stderr; where nobody hears it there is nobody to tell.
pub fn aside(text: impl Display) {
    let _ = std::io::stderr().lock().write_all(format!("{}\n", harmless(&text.to_string())).as_bytes());
}

/// Prints bytes, for those who have nothing else to do once nobody reads.
pub fn print(bytes: &[u8]) -> Result<()> {
    write(bytes).map_err(|e| failed(&e))
}

/// Why a line of this program did not get out; none where all did, or where the reader went away.
pub fn lost() -> Option<Error> {
    LOST.lock().ok()?.take()
}

fn write(bytes: &[u8]) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush())
}

fn lose(error: Error) {
    if let Ok(mut lost) = LOST.lock() {
        lost.get_or_insert(error);
    }
}

fn failed(cause: &std::io::Error) -> Error {
    Error::new("writing to stdout").got(cause).remedy("send stdout to a place that can be written")
}
