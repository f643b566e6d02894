//! Signals that ask this program to end: while it waits for a process it ends that one first, else it ends at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

use crate::error::{Error, Result};

/// The exit code after such a signal.
const CODE: i32 = 130;

struct Flags {
    /// Somebody asked to end.
    stop: Arc<AtomicBool>,
    /// Nothing is waited for: a signal ends the program.
    idle: Arc<AtomicBool>,
}

static FLAGS: OnceLock<Flags> = OnceLock::new();

/// Holds signals back until it is dropped.
pub struct Held(&'static Flags);

impl Held {
    /// From here on a signal only makes `asked` true.
    pub fn begin() -> Result<Self> {
        let flags = match FLAGS.get() {
            Some(flags) => flags,
            None => watch()?,
        };
        flags.idle.store(false, Ordering::SeqCst);
        Ok(Self(flags))
    }

    /// True once somebody asked to end.
    pub fn asked(&self) -> bool {
        self.0.stop.load(Ordering::SeqCst)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.idle.store(true, Ordering::SeqCst);
    }
}

/// True if somebody asked to end while a process was waited for.
pub fn asked() -> bool {
    FLAGS.get().is_some_and(|flags| flags.stop.load(Ordering::SeqCst))
}

fn watch() -> Result<&'static Flags> {
    let flags = FLAGS.get_or_init(|| Flags { stop: Arc::default(), idle: Arc::new(AtomicBool::new(true)) });
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        register_conditional_shutdown(signal, CODE, Arc::clone(&flags.idle))
            .and_then(|_| register(signal, Arc::clone(&flags.stop)))
            .map_err(|e| Error::new("watching for signals").got(e))?;
    }
    Ok(flags)
}
