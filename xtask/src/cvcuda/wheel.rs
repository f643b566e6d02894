//! Which wheel: a package for the driver's CUDA version, and a version of CV-CUDA.

use std::fmt;

use clap::ValueEnum;

/// A package of wheels; each has the libraries for one major version of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Package {
    /// For drivers from CUDA 12 on.
    #[value(name = "cvcuda-cu12")]
    Cu12,
    /// For drivers from CUDA 13 on.
    #[value(name = "cvcuda-cu13")]
    Cu13,
}

impl Package {
    /// The one for a driver that speaks this version of CUDA, such as `13.0`; without a
    /// driver the one that most take.
    pub fn for_driver(version: Option<&str>) -> Self {
        let major = version.and_then(|v| v.split('.').next()?.parse::<u32>().ok());
        if major.is_some_and(|major| major >= 13) { Self::Cu13 } else { Self::Cu12 }
    }

    /// Its name for pip.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cu12 => "cvcuda-cu12",
            Self::Cu13 => "cvcuda-cu13",
        }
    }

    /// About how much is downloaded, for a person who waits.
    pub fn download(self) -> &'static str {
        match self {
            Self::Cu12 => "about 170 MB",
            Self::Cu13 => "about 130 MB",
        }
    }
}

/// One wheel.
#[derive(Clone, Debug)]
pub struct Wheel {
    /// The package that it is of.
    pub package: Package,
    /// Its version, such as `0.19.0`.
    pub version: String,
}

impl Wheel {
    /// As pip takes it.
    pub fn requirement(&self) -> String {
        format!("{}=={}", self.package.name(), self.version)
    }

    /// The folder inside the wheel that holds the libraries.
    pub fn libraries(&self) -> String {
        format!("{}.libs", self.stem())
    }

    /// The folder inside the wheel that holds the licence.
    pub fn licences(&self) -> String {
        format!("{}-{}.dist-info/licenses", self.stem(), self.version)
    }

    fn stem(&self) -> String {
        self.package.name().replace('-', "_")
    }
}

impl fmt::Display for Wheel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.package.name(), self.version)
    }
}

/// A version as the wheel itself spells it, so that it can be found again: pip takes `0.19` for `0.19.0`.
pub fn version(text: &str) -> Result<String, &'static str> {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    let whole = text.split('.').count() >= 3 && text.split('.').all(part);
    let begins = text.starts_with(|c: char| c.is_ascii_digit());
    if whole && begins { Ok(text.to_owned()) } else { Err("expected three numbers, such as 0.19.0") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_follows_the_driver() {
        let packages = [None, Some("12.9"), Some("?"), Some("13.0"), Some("14.1")].map(Package::for_driver);
        assert_eq!(packages, [Package::Cu12, Package::Cu12, Package::Cu12, Package::Cu13, Package::Cu13]);
    }

    #[test]
    fn pip_and_the_command_line_call_a_package_the_same() {
        for package in Package::value_variants() {
            assert_eq!(
                package.to_possible_value().map(|v| v.get_name().to_owned()),
                Some(package.name().to_owned())
            );
        }
    }

    #[test]
    fn a_version_has_three_numbers() {
        assert!(["0.19.0", "0.19.0.post1", "1.0.0b2"].iter().all(|text| version(text).is_ok()));
        assert!(
            ["", "0.19", "0.19.", "a.b.c", "0.19.*", "0.19.0 x", "../0.1"]
                .iter()
                .all(|t| version(t).is_err())
        );
    }
}
