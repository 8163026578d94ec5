//! `sweep submit`: a sweep as a job array of Slurm.
//!
//! Invariant: the script is all that Slurm needs; `--dry-run` prints it and changes nothing. Each job runs a part of
//! the sweep into the sweep's folder, so a job that is started again computes nothing twice.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};
use files::MadeFolders;
use names::rule;
use names::shell::{quoted, word as shell_word};
use units::{Bytes, Span};

use super::asked::{WorkOptions, unwritable};
use super::{estimate, folder};
use crate::arguments;
use crate::failure::Failure;
use crate::terminal::{print, print_exactly};

/// Name of the script in the sweep's folder.
const SCRIPT: &str = "slurm.sh";
/// Largest number of jobs unless it is given.
const JOBS: usize = 100;
/// Memory of a job besides its traffic, in bytes: the program and the fabric.
const OWN_MEMORY: u64 = 512 << 20;

/// System that runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Slurm: a job array by `sbatch`.
    Slurm,
}

#[derive(Args, Debug)]
pub(crate) struct SubmitOptions {
    /// Folder of a sweep that `sweep plan` has written, on a file system that all nodes see.
    dir: PathBuf,
    /// System that runs the jobs.
    #[arg(long, value_enum)]
    engine: Engine,
    /// Number of jobs [default: one for each run, at most 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    jobs: Option<u32>,
    /// Processors of each job, which are runs at a time.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    cpus: u32,
    /// Longest time of a job: `2 s`, or as Slurm has it: `1-12:00:00` [default: the partition's].
    #[arg(long, value_name = "TIME", value_parser = time)]
    time: Option<String>,
    /// Memory of a job [default: what its traffic is expected to need, and 512 MiB].
    #[arg(long, value_name = "SIZE", value_parser = arguments::memory)]
    mem: Option<Bytes>,
    /// Partition of the cluster.
    #[arg(long, value_name = "NAME", value_parser = word)]
    partition: Option<String>,
    /// Account of the cluster.
    #[arg(long, value_name = "NAME", value_parser = word)]
    account: Option<String>,
    /// Further option of `sbatch`, such as `--sbatch=--qos=low`.
    #[arg(long = "sbatch", value_name = "OPTION", value_parser = option, allow_hyphen_values = true)]
    further: Vec<String>,
    /// Print the script, and neither write nor submit it.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    work: WorkOptions,
}

/// Writes the script into the sweep's folder and submits it.
pub(crate) fn submit(options: &SubmitOptions) -> Result<(), Failure> {
    let Engine::Slurm = options.engine;
    let script = script(options)?;
    if options.dry_run {
        print_exactly(&script);
        return Ok(());
    }
    let path = options.dir.join(SCRIPT);
    let logs = MadeFolders::down_to(&options.dir.join("slurm"));
    logs.map_err(unwritable(&options.dir))?.keep();
    folder::write(&options.dir, SCRIPT, &script)?;
    let output = Command::new("sbatch").arg(&path).output();
    let output = output.map_err(|cause| Failure::NoEngine { engine: "sbatch", cause })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Failure::EngineRefused { engine: "sbatch", said });
    }
    let dir = shell_word(&options.dir.display().to_string());
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    print(&format!("{said}\nwhen its jobs are done: backwater sweep collect {dir}\n"));
    Ok(())
}

fn script(options: &SubmitOptions) -> Result<String, Failure> {
    let plan = folder::plan(&options.dir)?;
    let runs = plan.runs.len();
    let jobs = options.jobs.map_or_else(|| runs.min(JOBS), |jobs| jobs as usize).min(runs);
    let dir = std::path::absolute(&options.dir).map_err(unwritable(&options.dir))?;
    let program = std::env::current_exe().map_err(unwritable(&options.dir))?;
    let mem =
        options.mem.map_or_else(|| estimate::largest(&plan, options.cpus as usize) + OWN_MEMORY, Bytes::get);
    // The plan has passed its check, so its names are safe as names of folders.
    let name = plan.runs[0].name.split("-seed").next().unwrap_or_default();
    let mut lines = vec![
        "#!/bin/sh".to_owned(),
        format!("#SBATCH --job-name=backwater-{name}"),
        format!("#SBATCH --array=1-{jobs}"),
        "#SBATCH --ntasks=1".to_owned(),
        format!("#SBATCH --cpus-per-task={}", options.cpus),
        format!("#SBATCH --mem={}M", mem.div_ceil(1 << 20)),
        format!("#SBATCH --output={}", log(&dir)?),
    ];
    lines.extend(options.time.iter().map(|time| format!("#SBATCH --time={time}")));
    lines.extend(options.partition.iter().map(|name| format!("#SBATCH --partition={name}")));
    lines.extend(options.account.iter().map(|name| format!("#SBATCH --account={name}")));
    lines.extend(options.further.iter().map(|option| format!("#SBATCH {option}")));
    let words =
        options.work.words().into_iter().map(|word| format!(" {}", quoted(&word))).collect::<String>();
    lines.push(format!(
        "# Job I runs part I of {jobs} of the {runs} runs. A job that is started again goes on."
    ));
    lines.push(format!(
        "exec {} sweep run {} --shard \"$SLURM_ARRAY_TASK_ID/{jobs}\" --threads {}{words} --quiet",
        quoted(&program.display().to_string()),
        quoted(&dir.display().to_string()),
        options.cpus,
    ));
    Ok(lines.join("\n") + "\n")
}

/// Returns the file of a job's output; `%` begins a replacement there, and a space ends the name. A path that would end
/// the line or its quotes is refused.
fn log(dir: &Path) -> Result<String, Failure> {
    let path = dir.join("slurm").display().to_string();
    if rule::check_letters(&path).is_err() || path.contains(['"', '\\']) {
        return Err(Failure::ScriptPath(dir.to_owned()));
    }
    Ok(format!("\"{}/%a.log\"", path.replace('%', "%%")))
}

/// Reads a time, as Slurm has it or with a unit.
fn time(text: &str) -> Result<String, String> {
    let slurm = |c: char| c.is_ascii_digit() || "-:".contains(c);
    if !text.is_empty() && text.chars().all(slurm) {
        return Ok(text.to_owned());
    }
    let span: Span = arguments::span(text)?;
    let seconds = span.ps().div_ceil(1_000_000_000_000);
    Ok(format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60))
}

fn word(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,".contains(c);
    let fits = !text.is_empty() && text.chars().all(plain);
    if fits { Ok(text.to_owned()) } else { Err("write letters, digits, `-`, `_`, `.` and commas".to_owned()) }
}

fn option(text: &str) -> Result<String, String> {
    let fits = text.starts_with("--") && !text.contains(['\n', '\r']);
    if fits {
        Ok(text.to_owned())
    } else {
        Err("write an option of sbatch on one line: `--sbatch=--qos=low`".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_and_of_slurm() {
        let log = log(Path::new("/a b/100%/s"));
        assert_eq!(log.unwrap(), "\"/a b/100%%/s/slurm/%a.log\"");
        for path in ["/a\nb", "/a\"b", "/a\\b", "/a\u{1b}b", "/a\u{2028}b"] {
            assert!(super::log(Path::new(path)).is_err(), "{path}");
        }
        assert_eq!(time("1-12:00:00").as_deref(), Ok("1-12:00:00"));
        assert_eq!(time("5400 s").as_deref(), Ok("1:30:00"));
        assert!(time("soon").is_err() && word("a b").is_err() && option("-p x").is_err());
    }
}
