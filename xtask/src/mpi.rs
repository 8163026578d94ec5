//! `cargo xtask test-mpi [PROGRAM]`: runs by 1, 2, 3 and 4 processes under a real MPI, compared with one process to the byte.
//!
//! Invariant: nothing is installed, and nothing is written but in `target/mpi`. Every process that the verb starts ends with it.
//!
//! | module | contents |
//! |---|---|
//! | here | the runs, and how they end |
//! | `packages` | the packages that are needed |
//! | `results` | results without the cost of the run |

mod packages;
mod results;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cargo::root;
use crate::simulate;
use results::{names, results, results_printed};

/// Longest time that a run may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// Name of the lock in a result folder.
const LOCK: &str = ".backwater.lock";

/// A run that all numbers of processes repeat, with its exit status.
struct Case {
    name: &'static str,
    arguments: &'static [&'static str],
    status: i32,
}

/// Cables are long, but in one case: a window is as long as the shortest one, and on a busy machine each takes a turn of every rank.
const CASES: [Case; 10] = [
    // Windows of 10 ns, 2,000 of them. The fabric has three nodes: four ranks are too many, and rank 0 runs it alone.
    Case {
        name: "short-cables",
        arguments: &["one-flow", "--set", "duration=20 us", "--set", "sample=10 us"],
        status: 0,
    },
    Case {
        name: "one-flow",
        arguments: &[
            "one-flow",
            "--set",
            "cables.host.propagation=Cable(\"200 m\")",
            "--set",
            "duration=1 ms",
        ],
        status: 0,
    },
    Case {
        name: "drain",
        arguments: &[
            "victim",
            "--set",
            "cables.host.propagation=Cable(\"200 m\")",
            "--set",
            "cables.trunk.propagation=Cable(\"200 m\")",
            "--set",
            "flows.far.start=100 us",
            "--set",
            "flows.near.start=200 us",
            "--set",
            "duration=2 ms",
            "--drain",
        ],
        status: 0,
    },
    Case {
        name: "roce",
        arguments: &[
            "roce-victim",
            "--set",
            "cables.host.propagation=Cable(\"200 m\")",
            "--set",
            "duration=2500 us",
        ],
        status: 0,
    },
    Case {
        name: "threads",
        arguments: &["bench-a32", "--set", "duration=1100 us", "--threads", "2"],
        status: 0,
    },
    Case {
        name: "until-done",
        arguments: &[
            "bench-a32-roce",
            "--set",
            "traffic=[Permutation(at: \"3 us\", bytes: \"256 KiB\")]",
            "--until-done",
        ],
        status: 0,
    },
    Case {
        name: "job",
        arguments: &[
            "bench-a32-roce",
            "--set",
            "traffic=[]",
            "--set",
            "jobs=[Job(name: \"A\", program: Sequence([AllReduce(bytes: \"256 KiB\"), AllToAll(bytes: \"64 KiB\", steps: 5)]), \
             iterations: 2)]",
            "--until-done",
        ],
        status: 0,
    },
    Case { name: "deadlock", arguments: &["ring.ron"], status: 4 },
    Case { name: "bad-input", arguments: &["victim", "--set", "durration=1 ms"], status: 2 },
    Case { name: "no-such-option", arguments: &["victim", "--durration"], status: 2 },
];

/// A ring of seven switches whose packets wait for each other.
const RING: &str = include_str!("mpi/ring.ron");

/// Runs every case by one process and by several, then kills a process, and goes on from its checkpoint.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let [_, extra, ..] = arguments {
        let extra = extra.to_string_lossy();
        eprintln!(
            "error: `cargo xtask test-mpi` takes one argument, a build of `backwater`, and there is `{extra}`"
        );
        return ExitCode::from(2);
    }
    let builds = arguments.is_empty();
    if let Some(message) = packages::missing(builds) {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let program = match arguments.first() {
        Some(program) => Ok(PathBuf::from(program)),
        None => simulate::build_with(&["mpi"]),
    };
    let folder = root().join("target/mpi");
    match program.map(|program| Test::new(&program, &folder).and_then(|test| test.all())) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(fault)) => {
            eprintln!("error: {fault}\nhelp: the folders of the runs are in {}", folder.display());
            ExitCode::FAILURE
        }
        Err(failed) => failed,
    }
}

/// Returns what is missing to build and to run, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    packages::missing(true)
}

type Fault = Box<dyn std::error::Error>;

/// A build of `backwater`, and the folder in which it runs.
struct Test {
    program: PathBuf,
    folder: PathBuf,
}

/// A process that ends when this is dropped.
struct Started(Child);

impl Started {
    /// Waits for the end of the process: of `what`, which must not take longer than [`PATIENCE`].
    fn wait(&mut self, what: &str) -> Result<ExitStatus, Fault> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            if began.elapsed() > PATIENCE {
                return Err(format!("{what} takes longer than {PATIENCE:?}").into());
            }
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Ok(Some(_)) = self.0.try_wait() {
            return;
        }
        // `mpirun` ends its processes when it is asked to end.
        let _ = Command::new("kill").arg(self.0.id().to_string()).stderr(Stdio::null()).status();
        let began = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && began.elapsed() < Duration::from_secs(10) {
            sleep(Duration::from_millis(50));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Test {
    fn new(program: &Path, folder: &Path) -> Result<Self, Fault> {
        // What an earlier call left may be missing.
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        fs::write(folder.join("ring.ron"), RING)?;
        Ok(Self { program: program.canonicalize()?, folder: folder.to_owned() })
    }

    fn all(&self) -> Result<(), Fault> {
        for case in &CASES {
            self.compare(case)?;
        }
        self.refuse()?;
        self.kill()
    }

    /// Returns a command that runs `sim` by so many processes; `None` for one without MPI.
    fn command(&self, processes: Option<usize>) -> Command {
        let mut command = match processes {
            None => Command::new(&self.program),
            Some(count) => {
                let mut command = Command::new("mpirun");
                // Ranks that are bound to a processor each cannot use the one that is free.
                command.args(["-n", &count.to_string(), "--oversubscribe", "--bind-to", "none"]);
                if is_root() {
                    command.arg("--allow-run-as-root");
                }
                command.arg(&self.program);
                command
            }
        };
        command.current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    fn sim(&self, processes: Option<usize>, arguments: &[&str], out: &str) -> Result<Output, Fault> {
        self.finish(processes, ("sim", arguments), out)
    }

    /// Runs a verb by so many processes, with results in this folder.
    fn finish(
        &self,
        processes: Option<usize>,
        (verb, arguments): (&str, &[&str]),
        out: &str,
    ) -> Result<Output, Fault> {
        let mut command = self.command(processes);
        command.arg(verb).args(arguments).args(["--out", out]);
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| self.folder.join(format!("{out}.{name}")));
        command.stdout(fs::File::create(&stdout)?).stderr(fs::File::create(&stderr)?);
        let status = Started(command.spawn()?).wait(&format!("`{} {}`", verb, arguments.join(" ")))?;
        Ok(Output { status, stdout: fs::read(stdout)?, stderr: fs::read(stderr)? })
    }

    /// Runs a case by one process and by 1, 2, 3 and 4 ranks.
    fn compare(&self, case: &Case) -> Result<(), Fault> {
        let alone = self.sim(None, case.arguments, &format!("{}-alone", case.name))?;
        let name = case.name;
        if alone.status.code() != Some(case.status) {
            let said = String::from_utf8_lossy(&alone.stderr);
            return Err(format!(
                "{name}: one process ends with {}, and not {}: {said}",
                alone.status, case.status
            )
            .into());
        }
        for ranks in 1..=4 {
            let folder = format!("{name}-{ranks}");
            let run = self.sim(Some(ranks), case.arguments, &folder)?;
            let (said, expected) =
                (String::from_utf8_lossy(&run.stderr), String::from_utf8_lossy(&alone.stderr));
            if run.status.code() != Some(case.status) {
                return Err(format!(
                    "{name}: {ranks} ranks end with {}, and not {}: {said}",
                    run.status, case.status
                )
                .into());
            }
            if case.status != 0 && said.matches(expected.trim()).count() != 1 {
                return Err(format!("{name}: {ranks} ranks say `{said}`, and not once `{expected}`").into());
            }
            let printed = results_printed(&run.stdout, &folder);
            let same = results_printed(&alone.stdout, &format!("{name}-alone"));
            if printed != same {
                return Err(format!("{name}: {ranks} ranks print `{printed}`, and not `{same}`").into());
            }
            self.same(&format!("{name}-alone"), &folder)?;
        }
        println!("{name}: 1, 2, 3 and 4 ranks are as one process, with status {}", case.status);
        Ok(())
    }

    /// Compares two result folders to the byte, but for the cost of the run and the command line.
    fn same(&self, one: &str, other: &str) -> Result<(), Fault> {
        let [first, second] = [one, other].map(|name| names(&self.folder.join(name)));
        if first != second {
            return Err(format!("`{one}` has the files {first:?}, and `{other}` {second:?}").into());
        }
        for name in &first {
            let [a, b] = [one, other].map(|folder| fs::read(self.folder.join(folder).join(name)));
            let (a, b) = (a?, b?);
            let is_same = if name.ends_with(".json") { results(&a) == results(&b) } else { a == b };
            if !is_same {
                return Err(format!("`{name}` differs in `{one}` and `{other}`").into());
            }
        }
        Ok(())
    }

    /// Verbs that run in one process are refused under MPI, with a message of rank 0 alone.
    fn refuse(&self) -> Result<(), Fault> {
        let output = self.finish(Some(2), ("sweep", &["one-flow", "--seeds", "1..=2"]), "sweep")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let is_refused =
            output.status.code() == Some(2) && said.matches("`sweep` runs in one process").count() == 1;
        if !is_refused || self.folder.join("sweep").exists() {
            return Err(format!("`sweep` by two processes ends with {}: {said}", output.status).into());
        }
        println!("sweep: refused by two processes, with status 2");
        Ok(())
    }

    /// Kills a rank, which must end all without results, and goes on from the checkpoint by another number of ranks.
    fn kill(&self) -> Result<(), Fault> {
        const RUN: [&str; 3] = ["bench-a32", "--set", "duration=8 ms"];
        let saving = [&RUN[..], &["--checkpoint-every", "500 us", "--quiet"]].concat();
        let alone = self.sim(None, &RUN, "killed-alone")?;
        if !alone.status.success() {
            return Err(format!("one process ends with {}", alone.status).into());
        }
        let mut command = self.command(Some(3));
        command.arg("sim").args(&saving).args(["--out", "killed"]);
        let log = fs::File::create(self.folder.join("killed.log"))?;
        command.stdout(log.try_clone()?).stderr(log);
        let mut started = Started(command.spawn()?);
        let checkpoint = self.folder.join("killed.checkpoint");
        let began = Instant::now();
        while !checkpoint.exists() {
            if began.elapsed() > PATIENCE || started.0.try_wait()?.is_some() {
                return Err("three ranks end, or take too long, before their first checkpoint".into());
            }
            sleep(Duration::from_millis(5));
        }
        let rank = rank_of(started.0.id(), 1).ok_or("rank 1 cannot be found in /proc")?;
        Command::new("kill").args(["-9", &rank.to_string()]).status()?;
        let status = started.wait("the end of the ranks other than the one that was killed")?;
        let said = fs::read_to_string(self.folder.join("killed.log"))?;
        let left = names(&self.folder.join("killed"));
        // MPI kills the other ranks: the lock of rank 0 stays, which the system has freed. That the run below takes it, and removes
        // it, shows that it is of no effect.
        let is_without_results = left.is_empty() || left == [LOCK];
        if status.success() || said.trim().is_empty() || !is_without_results {
            return Err(
                format!("a killed rank ends all with {status}, leaves {left:?} and says `{said}`").into()
            );
        }
        let resumed = [&saving[..], &["--resume", "killed.checkpoint"]].concat();
        let output = self.sim(Some(2), &resumed, "killed")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("two ranks cannot go on from the checkpoint of three: {said}").into());
        }
        self.same("killed-alone", "killed")?;
        println!(
            "killed: rank 1 of 3 ends all with {status} and no results; 2 ranks go on from the checkpoint to those of one process"
        );
        Ok(())
    }
}

/// Returns true if the user is root, whom Open MPI asks whether this is meant.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Returns the process of a rank of Open MPI, a child of `mpirun`.
fn rank_of(mpirun: u32, rank: usize) -> Option<u32> {
    let (parent, rank) = (format!("PPid:\t{mpirun}"), format!("OMPI_COMM_WORLD_RANK={rank}"));
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let status = fs::read_to_string(entry.path().join("status")).ok()?;
        let variables = fs::read(entry.path().join("environ")).ok()?;
        let is_rank = variables.split(|byte| *byte == 0).any(|variable| variable == rank.as_bytes());
        (is_rank && status.lines().any(|line| line == parent)).then_some(process)
    })
}
