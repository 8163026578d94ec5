//! `cargo xtask dist`: an archive with the program, for a release.
//!
//! Invariant: the archive holds one folder of its own name, with the program, README.md, CHANGELOG.md and both
//! licences; a file beside it holds its SHA-256. `tar` and a checksum tool are those of the system. The program is optimised
//! by a profile where the toolchain can, and the output says if it is not.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cargo::{output, root};
use crate::profile_guided::{self, Profiled};
use crate::{help, simulate};

/// Files of the repository that go with the program.
const PAPERS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Releases write Parquet: who takes a binary cannot build it in.
const FEATURES: &[&str] = &["parquet"];

/// Builds, packs, and prints the archive's path.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(refused) = help::refused("dist", arguments) {
        return refused;
    }
    let program = match profile_guided::build(FEATURES) {
        Ok(Profiled::Program(program)) => program,
        Ok(Profiled::NoTools(missing)) => {
            eprintln!("dist: without a profile, about a tenth slower: {missing}");
            match simulate::build_with(FEATURES) {
                Ok(program) => program,
                Err(failed) => return failed,
            }
        }
        Err(failed) => return failed,
    };
    match pack(&program) {
        Ok(archive) => {
            println!("{}", archive.display());
            ExitCode::SUCCESS
        }
        Err(cause) => {
            eprintln!("error: the archive is not made: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn pack(program: &Path) -> io::Result<PathBuf> {
    let name = format!(
        "backwater-{}-{}-{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS
    );
    let dist = root().join("target").join("dist");
    let folder = dist.join(&name);
    fs::create_dir_all(&folder)?;
    fs::copy(program, folder.join("backwater"))?;
    for paper in PAPERS {
        fs::copy(root().join(paper), folder.join(paper))?;
    }
    let archive = format!("{name}.tar.gz");
    output(Command::new("tar").current_dir(&dist).args(["-czf", &archive, &name]))?;
    let sum = checksum(&dist, &archive)?;
    fs::write(dist.join(format!("{archive}.sha256")), sum)?;
    Ok(dist.join(archive))
}

/// Returns the line `SUM  NAME`, by the tool that the system has: `sha256sum` on Linux, `shasum` on macOS.
fn checksum(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    output(Command::new("sha256sum").current_dir(folder).arg(name))
        .or_else(|_| output(Command::new("shasum").current_dir(folder).args(["-a", "256", name])))
}
