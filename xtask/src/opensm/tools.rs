//! ibsim, OpenSM, `ibnetdiscover` and `ibdmchk`.
//!
//! Invariant: each ibsim has a socket of its own, named after its folder and this process, and ends when its [`Fabric`] is
//! dropped. Files that tools write are in the folder of their call.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use super::Fault;

/// Library by which programs talk to ibsim in the place of a kernel.
const TO_IBSIM: &str = "umad2sim/libumad2sim.so";
/// Folders in which Debian has it, by architecture.
const LIBRARIES: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"];
/// Line of ibsim once tools can ask it.
const READY: &str = "MaxMcastCap";
/// Longest time for a tool to be ready, and to end: clients of an ibsim that has ended wait for ever.
const PATIENCE: Duration = Duration::from_secs(300);
/// Largest fabric: hosts and switches, switches, and ports of all.
const SIZES: [&str; 6] = ["-N", "20000", "-S", "4000", "-P", "120000"];

/// Returns true if a program can be found. Daemons of Debian are in `/usr/sbin`, which a user's path may lack.
pub(super) fn found(program: &str) -> bool {
    place(program).is_some()
}

fn place(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into()]);
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Prepares a command whose files are in `folder`.
fn tool(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(place(program).unwrap_or_else(|| program.into()));
    command.current_dir(folder).stdin(Stdio::null());
    command.env("OSM_TMP_DIR", folder).env("OSM_CACHE_DIR", folder).env("IBUTILS_CACHE_DIR", folder);
    command
}

/// A fabric that ibsim simulates.
pub(super) struct Fabric {
    child: Child,
    socket: String,
    /// Node at which the tools are.
    at: String,
}

impl Drop for Fabric {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Fabric {
    /// Starts ibsim with a net file, and waits until tools can ask it.
    pub(super) fn start(net: &Path, folder: &Path) -> Result<Self, Fault> {
        let text = fs::read_to_string(net)?;
        let at = first_host(&text).ok_or_else(|| format!("{} has no host", net.display()))?;
        let name = folder.file_name().unwrap_or(OsStr::new("fabric")).to_string_lossy().into_owned();
        let stem = net.file_stem().unwrap_or_default().to_string_lossy();
        let socket = format!("backwater-{}-{name}-{stem}", std::process::id());
        let log = File::create(folder.join(format!("ibsim-{stem}.log")))?;
        let mut ibsim = tool("ibsim", folder);
        ibsim.args(["-s", "--no-console"]).args(SIZES).arg(net).env("IBSIM_SOCKNAME", &socket);
        let child = ibsim.stdout(log.try_clone()?).stderr(log).spawn()?;
        let mut fabric = Self { child, socket, at };
        let began = Instant::now();
        while !fs::read_to_string(folder.join(format!("ibsim-{stem}.log")))?.contains(READY) {
            if let Some(status) = fabric.child.try_wait()? {
                return Err(
                    format!("ibsim ended ({status}): ibsim-{stem}.log in {}", folder.display()).into()
                );
            }
            if began.elapsed() > PATIENCE {
                return Err("ibsim is not ready".into());
            }
            sleep(Duration::from_millis(50));
        }
        Ok(fabric)
    }

    /// Prepares a tool that talks to this fabric.
    fn client(&self, program: &str, folder: &Path) -> Result<Command, Fault> {
        let library =
            LIBRARIES.iter().map(|folder| Path::new(folder).join(TO_IBSIM)).find(|file| file.is_file());
        let library = library.ok_or("libumad2sim.so of ibsim-utils cannot be found")?;
        let mut command = tool(program, folder);
        command.env("LD_PRELOAD", library).env("SIM_HOST", &self.at).env("IBSIM_SOCKNAME", &self.socket);
        Ok(command)
    }

    /// Routes the fabric once. Returns the forwarding tables that OpenSM has put into the switches.
    ///
    /// # Errors
    /// If another engine made them: OpenSM goes on with minhop where one fails.
    pub(super) fn route(&self, engine: &str, options: &[&OsStr], folder: &Path) -> Result<String, Fault> {
        fs::create_dir_all(folder)?;
        let log = folder.join("osm.log");
        let mut opensm = self.client("opensm", folder)?;
        opensm.args(["--once", "-R", engine, "-D", "0x43", "-f"]).arg(&log).args(options);
        let output = ended(opensm)?;
        fs::write(folder.join("opensm.out"), &output.stdout)?;
        let made = format!("{engine} tables configured on all switches");
        if !output.status.success() || !fs::read_to_string(&log)?.contains(&made) {
            return Err(format!("OpenSM made no tables by {engine}").into());
        }
        Ok(fs::read_to_string(folder.join("opensm-lfts.dump"))?)
    }

    /// Returns what `ibnetdiscover` prints.
    pub(super) fn discover(&self, folder: &Path) -> Result<String, Fault> {
        said(&ended(self.client("ibnetdiscover", folder)?)?, "ibnetdiscover")
    }
}

/// Returns the name of the first host of a net file.
fn first_host(net: &str) -> Option<String> {
    let line = net.lines().find(|line| line.starts_with("Hca") || line.starts_with("Ca"))?;
    line.split('"').nth(1).map(str::to_owned)
}

/// Returns true if `ibdmchk` finds a credit loop in the tables that OpenSM has written into a folder. Its exit status says
/// nothing: it crashes once it has printed.
pub(super) fn has_credit_loop(folder: &Path) -> Result<bool, Fault> {
    fs::write(folder.join("empty.mcfdbs"), "")?;
    let mut checker = tool("ibdmchk", folder);
    checker.args(["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "empty.mcfdbs"]);
    let output = ended(checker)?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    fs::write(folder.join("ibdmchk.out"), &text)?;
    match (text.contains("no credit loops found"), text.contains("credit loops in routing")) {
        (true, false) => Ok(false),
        (false, true) => Ok(true),
        _ => Err("ibdmchk says nothing about credit loops".into()),
    }
}

/// Puts a fragment of settings through OpenSM, which needs no fabric for that. Returns its own file of settings, and what it
/// printed.
pub(super) fn read_settings(fragment: &Path, folder: &Path) -> Result<(String, String), Fault> {
    let out = folder.join("opensm.conf");
    let mut opensm = tool("opensm", folder);
    opensm.arg("-F").arg(fragment).arg("-c").arg(&out);
    let output = ended(opensm)?;
    Ok((fs::read_to_string(out)?, said(&output, "opensm -F")?))
}

/// Runs `backwater` in a folder. Returns what it printed.
pub(super) fn backwater(program: &Path, arguments: &[&OsStr], folder: &Path) -> Result<Output, Fault> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    ended(command)
}

/// Runs a command to its end.
///
/// # Errors
/// If it takes longer than [`PATIENCE`]; it is killed.
fn ended(mut command: Command) -> Result<Output, Fault> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let streams = (child.stdout.take(), child.stderr.take());
    let [stdout, stderr] = [reader(streams.0), reader(streams.1)];
    let status = within_patience(&mut child)?;
    let text = |thread: JoinHandle<Vec<u8>>| thread.join().map_err(|_| "a stream cannot be read");
    Ok(Output { status, stdout: text(stdout)?, stderr: text(stderr)? })
}

/// Reads a stream to its end, beside other work.
fn reader(stream: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    spawn(move || {
        let mut bytes = Vec::new();
        // A stream that breaks off ends there.
        let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
        bytes
    })
}

fn within_patience(child: &mut Child) -> Result<ExitStatus, Fault> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if began.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Err(format!("a tool has not ended after {PATIENCE:?}").into());
        }
        sleep(Duration::from_millis(10));
    }
}

/// Returns the standard output of a command that must succeed.
pub(super) fn said(output: &Output, name: &str) -> Result<String, Fault> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let first = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{name}` failed: {}", first.lines().next().unwrap_or_default()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_at_the_first_host_of_a_net_file() {
        let net = "Switch\t8 \"S-1\"\n[1]\t\"H-2\"[1]\n\nCa\t1 \"H-2\"\n[1]\t\"S-1\"[1]\n\nHca\t1 \"H-3\"\n";
        assert_eq!(first_host(net).as_deref(), Some("H-2"));
        assert_eq!(first_host("Switch 8 \"S-1\"\n"), None);
        assert!(!found("no-such-program"));
    }
}
