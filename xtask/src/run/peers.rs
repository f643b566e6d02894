//! PyTorch and CuPy, measured on the same machine in the same run.

use std::path::Path;
use std::time::Duration;

use super::process::End;
use super::script::Script;
use crate::contract::bandwidth::Peers;
use crate::error::Result;
use crate::home::Home;
use crate::python::Python;
use crate::say;

/// Measures the peers, or says in one line why not.
pub fn measure(home: &Home, out: &Path) -> Result<std::result::Result<Peers, String>> {
    let script = Script {
        path: home.peers_script("bandwidth.py"),
        what: "PyTorch and CuPy",
        duration: "about 150 s",
        limit: Duration::from_secs(600),
        log: out.join("logs/peers.txt"),
    };
    let file = out.join("peers.json");
    let (end, took) = match script.run(home, lacks, &["--out".as_ref(), file.as_ref()])? {
        Ok(ended) => ended,
        Err(reason) => return Ok(Err(reason)),
    };
    let peers = match end {
        End::Exit(0) => Peers::read(&file).map_err(|e| e.to_string()),
        other => Err(script.why_failed(other)),
    };
    if peers.is_ok() {
        say::line(format_args!("PyTorch and CuPy were measured in {:.1} s", took.as_secs_f64()));
    }
    Ok(peers)
}

fn lacks(python: &Python) -> Option<&'static str> {
    (!python.has("torch") && !python.has("cupy")).then_some("python3 has neither torch nor cupy")
}
