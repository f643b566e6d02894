//! Where this program lives: in the workspace, or in an unpacked bundle (which has neither cargo nor git).

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::contract::manifest::Manifest;
use crate::error::{Error, Result};
use crate::run::helper::answer;

/// The place of everything else.
#[derive(Debug)]
pub enum Home {
    /// A checkout of the workspace.
    Workspace {
        /// Its top folder.
        root: PathBuf,
    },
    /// An unpacked bundle.
    Bundle {
        /// Its top folder.
        root: PathBuf,
        /// What it was made from.
        manifest: Manifest,
    },
}

impl Home {
    /// Finds it: the given bundle, the bundle around this program, or the workspace around the current folder.
    pub fn find(bundle_root: Option<&Path>) -> Result<Self> {
        if let Some(root) = bundle_root {
            return Self::bundle(root);
        }
        if let Some(root) = bundle_of_this_program() {
            return Self::bundle(&root);
        }
        let root = workspace_root().ok_or_else(|| {
            Error::new("finding the workspace")
                .expected("a folder with xtask/Cargo.toml here or above")
                .got("none")
                .remedy("change into a checkout of the workspace")
        })?;
        Ok(Self::Workspace { root })
    }

    fn bundle(root: &Path) -> Result<Self> {
        let root = crate::files::absolute(root)?;
        let manifest = Manifest::read(&root.join("manifest.json"))?;
        Ok(Self::Bundle { root, manifest })
    }

    /// The top folder.
    pub fn root(&self) -> &Path {
        match self {
            Self::Workspace { root } | Self::Bundle { root, .. } => root,
        }
    }

    /// True in an unpacked bundle.
    pub fn is_bundle(&self) -> bool {
        matches!(self, Self::Bundle { .. })
    }

    /// The commit of the programs, with `-dirty` where there were changes.
    pub fn commit(&self) -> String {
        match self {
            Self::Workspace { root } => git_commit(root).unwrap_or_else(|| "unknown".to_owned()),
            Self::Bundle { manifest, .. } => manifest.commit.clone(),
        }
    }

    /// The command that repeats one sample.
    pub fn repeat_command(&self, sample: &str) -> String {
        match self {
            Self::Workspace { .. } => format!("cargo run --release -p samples --bin {sample}"),
            Self::Bundle { .. } => format!("./bin/{sample}"),
        }
    }

    /// How a person calls a command of this program.
    pub fn own_command(&self, words: &str) -> String {
        match self {
            Self::Workspace { .. } => format!("cargo xtask {words}"),
            Self::Bundle { .. } => format!("./run {words}").replace("./run samples", "./run"),
        }
    }

    /// A script that measures other libraries from Python, by its file's name.
    pub fn peers_script(&self, name: &str) -> PathBuf {
        match self {
            Self::Workspace { root } => root.join("samples/peers").join(name),
            Self::Bundle { root, .. } => root.join("peers").join(name),
        }
    }

    /// The sweep that was recorded for the book, whether or not it is there.
    pub fn recorded_bandwidth(&self) -> PathBuf {
        self.root().join(RECORDED_BANDWIDTH)
    }

    /// Where results go unless a folder is given.
    pub fn default_out(&self) -> PathBuf {
        self.root().join("target/interop")
    }

    /// Where CV-CUDA's libraries go, whether or not they are there.
    pub fn cvcuda(&self) -> Result<PathBuf> {
        let parent = match self {
            Self::Workspace { root } => crate::cargo::target_folder(root)?,
            Self::Bundle { root, .. } => root.clone(),
        };
        Ok(parent.join("cvcuda"))
    }
}

/// The recorded sweep, from the top folder.
pub const RECORDED_BANDWIDTH: &str = "book/results/nvidia-h200/bandwidth.json";

/// The top folder of the bundle that this program was started from.
pub fn bundle_of_this_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?;
    let root = folder.parent()?;
    (folder.ends_with("bin") && root.join("manifest.json").is_file()).then(|| root.to_owned())
}

fn workspace_root() -> Option<PathBuf> {
    let is_root = |folder: &&Path| folder.join("xtask/Cargo.toml").is_file();
    let here = std::env::current_dir().ok();
    let from_cargo = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let starts = [from_cargo, here];
    starts.iter().flatten().find_map(|start| start.ancestors().find(is_root).map(Path::to_owned))
}

fn git_commit(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(root).args(arguments);
        Some(String::from_utf8_lossy(&answer(command)?).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let clean = git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if clean { commit } else { commit + "-dirty" })
}
