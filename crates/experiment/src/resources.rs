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

/// Returns the memory that programs can still take without swapping, in bytes.
#[must_use]
pub fn available_memory() -> Option<u64> {
    kib_after("MemAvailable:", &fs::read_to_string("/proc/meminfo").ok()?)
}

/// Unit of `/proc/self/stat`: hundredths of a second (`USER_HZ`) on every architecture that Rust's standard library
/// supports.
const TICK: Duration = Duration::from_millis(10);

/// Returns the sum of fields 14 and 15, counted from 1: time in user mode and in the kernel. Field 2, the program's name
/// in parentheses, may contain spaces.
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
    #[cfg(target_os = "linux")]
    fn linux_counts_both() {
        assert!(processor_time().is_some());
        assert!(peak_memory().is_some_and(|bytes| bytes > 100_000));
        assert!(available_memory().is_some_and(|bytes| bytes > 100_000));
    }
}
