//! `cargo xtask test-slurm [PROGRAM]`: a sweep as a job array of a real Slurm, compared with the same sweep here.
//!
//! Invariant: nothing is installed, and no configuration of the system is read or changed: one node, bound to loopback, with
//! a key, sockets and files of its own in `target/slurm`. Every daemon that the verb starts ends with it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cargo::root;
use crate::simulate;

/// Programs of Slurm and Munge, and the packages of Debian that hold them.
const PROGRAMS: [(&str, &str); 8] = [
    ("munged", "munge"),
    ("slurmctld", "slurmctld"),
    ("slurmd", "slurmd"),
    ("sbatch", "slurm-client"),
    ("squeue", "slurm-client"),
    ("sinfo", "slurm-client"),
    ("scontrol", "slurm-client"),
    ("hostname", "hostname"),
];
/// Longest time that a daemon may take to be ready, and that the jobs may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// A sweep of twelve short runs.
const SWEEP: [&str; 7] =
    ["one-flow", "--set", "duration=500 us", "--vary", "link.mtu=1 KiB,2 KiB", "--seeds", "1..=6"];

/// Starts Slurm, submits the sweep, waits for it, and compares the tables.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    if let [_, extra, ..] = arguments {
        let extra = extra.to_string_lossy();
        eprintln!(
            "error: `cargo xtask test-slurm` takes one argument, a build of `backwater`, and there is `{extra}`"
        );
        return ExitCode::from(2);
    }
    if let Some(message) = lacking() {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let program = match arguments.first() {
        Some(program) => Ok(PathBuf::from(program)),
        None => simulate::build(),
    };
    let folder = root().join("target/slurm");
    match program.map(|program| compared(&program, &folder)) {
        Ok(Ok(said)) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Ok(Err(fault)) => {
            eprintln!("error: {fault}\nhelp: the logs are in {}", folder.display());
            ExitCode::FAILURE
        }
        Err(failed) => failed,
    }
}

/// Returns what is missing, with the way to get it; `None` if nothing is.
pub(crate) fn lacking() -> Option<String> {
    missing(found)
}

/// Returns the programs that are missing, with the way to get them; `None` if none is.
fn missing(is_there: impl Fn(&str) -> bool) -> Option<String> {
    let lacking: Vec<_> = PROGRAMS.into_iter().filter(|(program, _)| !is_there(program)).collect();
    let programs: Vec<_> = lacking.iter().map(|(program, _)| format!("`{program}`")).collect();
    (!lacking.is_empty()).then(|| {
        format!(
            "error: {} cannot be found\nhelp: install Slurm and Munge, on Debian: apt-get install slurm-wlm munge",
            programs.join(", ")
        )
    })
}

/// Returns true if a program can be found. Daemons of Debian are in `/usr/sbin`, which a user's path may lack.
fn found(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).chain(["/usr/sbin".into()]).any(|folder| folder.join(program).is_file())
}

type Fault = Box<dyn std::error::Error>;

/// Daemons, which end when this is dropped, the last one first.
struct Daemons(Vec<Child>);

impl Drop for Daemons {
    fn drop(&mut self) {
        for child in self.0.iter_mut().rev() {
            // It may have ended by itself.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let began = Instant::now();
            while matches!(child.try_wait(), Ok(None)) && began.elapsed() < Duration::from_secs(10) {
                sleep(Duration::from_millis(50));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs the sweep by Slurm and here. Returns what to print.
fn compared(program: &Path, folder: &Path) -> Result<String, Fault> {
    // What an earlier call left may be missing.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let program = program.canonicalize()?;
    let (conf, daemons) = cluster(folder)?;
    let backwater = |arguments: &[&str]| -> Result<String, Fault> {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(folder).env("SLURM_CONF", &conf);
        said(&command.output()?, &arguments.join(" "))
    };
    backwater(&[&["sweep"], &SWEEP[..], &["--out", "here", "--quiet"]].concat())?;
    backwater(&[&["sweep", "plan"], &SWEEP[..], &["--out", "there"]].concat())?;
    let submit = [
        "sweep", "submit", "there", "--engine", "slurm", "--jobs", "4", "--time", "600 s", "--mem", "100 MiB",
    ];
    let submitted = backwater(&submit)?;
    let submitted = submitted.lines().next().unwrap_or_default().to_owned();
    let began = Instant::now();
    loop {
        let mut queue = Command::new("squeue");
        let waiting = said(&queue.args(["--noheader"]).env("SLURM_CONF", &conf).output()?, "squeue")?;
        if waiting.trim().is_empty() {
            break;
        }
        if began.elapsed() > PATIENCE {
            return Err(format!("the jobs are not done after {PATIENCE:?}: {waiting}").into());
        }
        sleep(Duration::from_millis(500));
    }
    backwater(&["sweep", "collect", "there", "--quiet"])?;
    drop(daemons);
    let [here, there] =
        ["here", "there"].map(|sweep| fs::read_to_string(folder.join(sweep).join("results.csv")));
    let (here, there) = (here?, there?);
    if here != there {
        return Err("the table of Slurm's jobs is not that of the sweep here".into());
    }
    let runs = here.lines().count() - 1;
    Ok(format!("{submitted}: {runs} runs in 4 jobs, and the table is the same as that of a sweep here"))
}

/// Returns the standard output of a command that must succeed.
fn said(output: &Output, name: &str) -> Result<String, Fault> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
}

/// Starts Munge and a cluster of one node. Returns its configuration and its daemons.
fn cluster(folder: &Path) -> Result<(PathBuf, Daemons), Fault> {
    for name in ["munge", "state", "spool", "cgroup"] {
        fs::create_dir_all(folder.join(name))?;
    }
    let mut daemons = Daemons(Vec::new());
    let munge = folder.join("munge");
    key(&munge)?;
    let file = |option: &str, name: &str| format!("--{option}={}", munge.join(name).display());
    let mut munged = daemon("munged", folder)?;
    // A checkout may lie in a folder that others can write to.
    munged.args(["--foreground", "--force", &file("key-file", "key"), &file("socket", "socket")]);
    munged.args([file("pid-file", "pid"), file("log-file", "log"), file("seed-file", "seed")]);
    daemons.0.push(munged.spawn()?);
    wait("munged is not ready", || Ok(munge.join("socket").exists()))?;
    let host = said(&Command::new("hostname").arg("-s").output()?, "hostname")?.trim().to_owned();
    let user = said(&Command::new("id").arg("-un").output()?, "id")?.trim().to_owned();
    let conf = folder.join("slurm.conf");
    fs::write(&conf, configuration(folder, &host, &user, [free_port()?, free_port()?]))?;
    // Version 1 with a mount point of its own: no group of the system is touched, whichever version it has.
    let cgroup = format!("CgroupPlugin=cgroup/v1\nCgroupMountpoint={}\n", folder.join("cgroup").display());
    fs::write(folder.join("cgroup.conf"), cgroup)?;
    let named = |program: &str| -> Result<Command, Fault> {
        let mut command = daemon(program, folder)?;
        command.arg("-D").arg("-f").arg(&conf).env("SLURM_CONF", &conf);
        Ok(command)
    };
    daemons.0.push(named("slurmctld")?.spawn()?);
    daemons.0.push(named("slurmd")?.args(["-N", &host]).spawn()?);
    wait("the node is not ready", || {
        let mut info = Command::new("sinfo");
        let states = info.args(["--noheader", "--format=%T"]).env("SLURM_CONF", &conf).output()?;
        Ok(String::from_utf8_lossy(&states.stdout).trim() == "idle")
    })?;
    Ok((conf, daemons))
}

/// Prepares a daemon whose output goes to a log.
fn daemon(program: &str, folder: &Path) -> Result<Command, Fault> {
    let in_sbin = Path::new("/usr/sbin").join(program);
    let mut command = Command::new(if in_sbin.is_file() { in_sbin } else { program.into() });
    let log = fs::File::create(folder.join(format!("{program}.out")))?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    Ok(command)
}

/// Writes a key of Munge that only this user can read.
fn key(folder: &Path) -> Result<(), Fault> {
    let mut random = fs::File::open("/dev/urandom")?;
    let path = folder.join("key");
    let mut key = fs::File::create(&path)?;
    for one in [folder, path.as_path()] {
        let mode = if one == folder { "0700" } else { "0600" };
        said(&Command::new("chmod").arg(mode).arg(one).output()?, "chmod")?;
    }
    io::copy(&mut io::Read::take(&mut random, 1024), &mut key)?;
    Ok(())
}

/// Returns a port of loopback that nothing listens at.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Returns the configuration of a cluster of one node at loopback.
fn configuration(folder: &Path, host: &str, user: &str, [controller, node]: [u16; 2]) -> String {
    let folder = folder.display();
    format!(
        "ClusterName=backwater\n\
         SlurmctldHost={host}(127.0.0.1)\n\
         SlurmctldPort={controller}\n\
         SlurmdPort={node}\n\
         CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n\
         AuthType=auth/munge\n\
         AuthInfo=socket={folder}/munge/socket\n\
         SlurmUser={user}\n\
         SlurmdUser={user}\n\
         StateSaveLocation={folder}/state\n\
         SlurmdSpoolDir={folder}/spool\n\
         SlurmctldPidFile={folder}/slurmctld.pid\n\
         SlurmdPidFile={folder}/slurmd.pid\n\
         SlurmctldLogFile={folder}/slurmctld.log\n\
         SlurmdLogFile={folder}/slurmd.log\n\
         ProctrackType=proctrack/pgid\n\
         TaskPlugin=task/none\n\
         SelectType=select/cons_tres\n\
         SelectTypeParameters=CR_Core\n\
         ReturnToService=2\n\
         MpiDefault=none\n\
         SwitchType=switch/none\n\
         JobAcctGatherType=jobacct_gather/none\n\
         PropagateResourceLimits=NONE\n\
         NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN\n\
         PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
    )
}

/// Waits until something is so.
fn wait(fault: &str, mut is_so: impl FnMut() -> Result<bool, Fault>) -> Result<(), Fault> {
    let began = Instant::now();
    while !is_so()? {
        if began.elapsed() > PATIENCE {
            return Err(fault.into());
        }
        sleep(Duration::from_millis(100));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_named_with_the_way_to_get_them() {
        assert_eq!(missing(|_| true), None);
        let message = missing(|program| program != "slurmd").expect("one is missing");
        assert!(message.starts_with("error: `slurmd` cannot be found\nhelp: install"), "{message}");
        assert!(!found("no-such-program"));
    }

    #[test]
    fn the_cluster_is_bound_to_loopback() {
        let text = configuration(Path::new("/f"), "h", "me", [1, 2]);
        assert!(text.contains("SlurmctldHost=h(127.0.0.1)\n") && text.contains("NodeAddr=127.0.0.1 "));
        assert!(text.contains("NoCtldInAddrAny,NoInAddrAny"));
    }
}
