//! Processor time and memory of this process, as the operating system counts them.
//!
//! Invariant: the answer is `None`, never a guess, on systems without these counts (all but Linux).

use std::fs;
use std::time::Duration;

/// Returns the processor time of this process, all threads together.
///
/// Linux counts in nanoseconds for the main thread (`/proc/self/schedstat`), and in hundredths of a second for all
/// threads (`/proc/self/stat`). The first is returned if it accounts for the second.
#[must_use]
pub fn processor_time() -> Option<Duration> {
    let all = stat_time(&fs::read_to_string("/proc/self/stat").ok()?)?;
    let main = fs::read_to_string("/proc/self/schedstat").ok().and_then(|text| schedstat_time(&text));
    Some(main.filter(|main| all.abs_diff(*main) <= 3 * TICK).unwrap_or(all))
}

/// Returns the processor's model name.
#[must_use]
pub fn processor() -> Option<String> {
    model_name(&fs::read_to_string("/proc/cpuinfo").ok()?)
}

/// Returns the peak resident memory of this process, in bytes.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    kib_after("VmHWM:", &fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the memory that this process can still take, in bytes. It is the least of three limits. These are the memory
/// that programs can take without swapping, the rest of the process's control groups, and the rest of its address space
/// (`ulimit -v`). Containers and jobs limit a control group by `memory.max`.
#[must_use]
pub fn available_memory() -> Option<u64> {
    let text = |path: &str| fs::read_to_string(path).ok();
    let of_machine = text("/proc/meminfo").and_then(|text| kib_after("MemAvailable:", &text));
    let of_group = text("/proc/self/cgroup").and_then(|groups| left_to_groups(&groups, &text));
    let of_space = text("/proc/self/limits").zip(text("/proc/self/status"));
    let of_space = of_space.and_then(|(limits, status)| left_of_space(&limits, &status));
    [of_machine, of_group, of_space].into_iter().flatten().min()
}

/// Returns the memory that the limits of a process's control groups leave, of the group itself and of all above it.
/// `read` returns the text of a file. The first version of groups is read as the second is, at its own place.
fn left_to_groups(groups: &str, read: &impl Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |path: String| read(&path)?.trim().parse::<u64>().ok();
    let left_at = |root: &str, group: &str, [limit, usage, reclaimable]: [&str; 3]| {
        let folder = format!("{root}{group}");
        let free = number(format!("{folder}/{limit}"))?.saturating_sub(number(format!("{folder}/{usage}"))?);
        // Files in the cache count as used, and give way.
        let cached = read(&format!("{folder}/memory.stat")).and_then(|stat| {
            let line = stat.lines().find_map(|line| line.strip_prefix(reclaimable)?.strip_prefix(' '))?;
            line.trim().parse::<u64>().ok()
        });
        Some(free + cached.unwrap_or_default())
    };
    let of_line = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, files) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file"]),
            all if all.split(',').any(|one| one == "memory") => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
            ),
            _ => return None,
        };
        // A container sees its own group as the root.
        let all = core::iter::successors(Some(group.trim_end_matches('/')), |group| above(group));
        all.filter_map(|group| left_at(root, group, files)).min()
    };
    groups.lines().filter_map(of_line).min()
}

/// Returns the parent of a control group.
fn above(group: &str) -> Option<&str> {
    group.rsplit_once('/').map(|(above, _)| above)
}

/// Returns the address space that a limit leaves to a process; `None` without a limit.
fn left_of_space(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kib_after("VmSize:", status)?))
}

/// Unit of `/proc/self/stat`: hundredths of a second (`USER_HZ`) on every architecture that Rust's standard library
/// supports.
const TICK: Duration = Duration::from_millis(10);

/// Returns the sum of fields 14 and 15, counted from 1: time in user mode and in the kernel. Field 2, the program's
/// name in parentheses, may contain spaces.
fn stat_time(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    Some(TICK * (ticks()? + ticks()?))
}

fn schedstat_time(schedstat: &str) -> Option<Duration> {
    let nanoseconds = schedstat.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Returns the bytes that a file of `/proc` names in KiB on the line that begins so.
fn kib_after(name: &str, text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_proc_are_parsed() {
        let stat = "42 (a (b) c) R 1 2 3 4 5 6 7 8 9 10 123 7 0 0 20 0";
        assert_eq!(stat_time(stat), Some(Duration::from_millis(1300)));
        assert_eq!(schedstat_time("1500000 20 3\n"), Some(Duration::from_micros(1500)));
        assert_eq!(kib_after("VmHWM:", "Name:\tx\nVmHWM:\t    2100 kB\nVmRSS: 1 kB\n"), Some(2_150_400));
        assert_eq!(stat_time("gibberish"), None);
        assert_eq!(kib_after("VmHWM:", ""), None);
        assert_eq!(
            model_name("processor\t: 0\nmodel name\t: A B-1 @ 2 GHz\n"),
            Some("A B-1 @ 2 GHz".to_owned())
        );
        assert_eq!(model_name(""), None);
    }

    #[test]
    fn limits_of_control_groups_and_of_address_space_count() {
        let files = [
            ("/sys/fs/cgroup/job/step/memory.max", "max\n"),
            ("/sys/fs/cgroup/job/memory.max", "3000000\n"),
            ("/sys/fs/cgroup/job/memory.current", "2000000\n"),
            ("/sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 400000\n"),
            ("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "900000\n"),
            ("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000000\n"),
            ("/sys/fs/cgroup/memory.max", "7000000\n"),
            ("/sys/fs/cgroup/memory.current", "0\n"),
        ];
        let read = |path: &str| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        assert_eq!(left_to_groups("0::/job/step\n", &read), Some(1_400_000), "the group above has the limit");
        assert_eq!(left_to_groups("0::/\n", &read), Some(7_000_000), "in a container");
        assert_eq!(left_to_groups("4:cpu,memory:/job\n1:name=systemd:/x\n", &read), Some(0));
        assert_eq!(left_to_groups("gibberish", &read), None);
        let status = "VmPeak:\t 9 kB\nVmSize:\t    1000 kB\n";
        let space = |soft: &str| {
            format!("Limit  Soft Limit\nMax address space         {soft}     unlimited  bytes\n")
        };
        assert_eq!(left_of_space(&space("2000000"), status), Some(976_000));
        assert_eq!(left_of_space(&space("unlimited"), status), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn linux_counts_both() {
        assert!(processor_time().is_some());
        assert!(peak_memory().is_some_and(|bytes| bytes > 100_000));
        assert!(available_memory().is_some_and(|bytes| bytes > 100_000));
    }
}
