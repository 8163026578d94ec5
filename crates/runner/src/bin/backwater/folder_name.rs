//! Default names of result folders, and of files.
//!
//! Invariant: the name of a folder tells scenario, overrides and seed, and leads to no other folder.

use std::path::PathBuf;

use event_kernel::Digest;
use names::file::made_of;

/// Hexadecimal digits of the digest that stands for the rest of a longer name.
const DIGITS: usize = 8;

/// Returns `out/NAME,PATH=VALUE,...,seed=N`, with the overrides and the seed of the command line. The rest of a long
/// name is replaced by a digest.
pub(crate) fn of_run(name: &str, overrides: &[String], seed: Option<u64>) -> PathBuf {
    let seed = seed.map(|seed| format!("seed={seed}"));
    let parts = [name.to_owned()].into_iter().chain(overrides.iter().cloned()).chain(seed);
    let whole = parts.collect::<Vec<_>>().join(",");
    PathBuf::from("out").join(safe(&whole))
}

/// Returns `out/compare,RUN,RUN,...`, with the overrides and the words about seeds of all runs.
pub(crate) fn of_comparison(runs: &[String], overrides: &[String], seeds: Option<String>) -> PathBuf {
    let all: Vec<_> = runs.iter().chain(overrides).cloned().chain(seeds).collect();
    of_run("compare", &all, None)
}

/// Returns the name of the folder of a run with several seeds, beside those of its other seeds.
pub(crate) fn of_seed(label: &str, seed: u64) -> String {
    safe(&format!("{label},seed={seed}"))
}

/// Returns the name of a file in the working folder, with the scenario's name and an ending.
pub(crate) fn of_file(name: &str, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.{ending}", safe(name)))
}

/// Returns the text with characters replaced that a path or a shell would take for something else. The rest of a long
/// text is replaced by a digest.
pub(crate) fn safe(text: &str) -> String {
    made_of(text, |text| Digest::of_text(text).to_string()[..DIGITS].to_owned())
}

#[cfg(test)]
mod tests {
    use names::file::LONGEST;

    use super::*;

    fn name(name: &str, overrides: &[&str], seed: Option<u64>) -> String {
        let overrides: Vec<_> = overrides.iter().map(|&one| one.to_owned()).collect();
        let path = of_run(name, &overrides, seed);
        path.strip_prefix("out").expect("results go to `out`").to_str().expect("text").to_owned()
    }

    #[test]
    fn a_name_tells_scenario_overrides_and_seed() {
        assert_eq!(name("gran2011-scenario1", &[], None), "gran2011-scenario1");
        assert_eq!(
            name("victim", &["congestion_control=Off"], Some(7)),
            "victim,congestion_control=Off,seed=7"
        );
        assert_eq!(name("victim", &["duration=\"1 s\""], None), "victim,duration=1_s");
        let runs = ["victim", "off=victim:congestion_control=Off"].map(str::to_owned);
        let path = of_comparison(&runs, &[], Some("seed=3".to_owned()));
        assert_eq!(path, PathBuf::from("out/compare,victim,off=victim_congestion_control=Off,seed=3"));
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(name("../a b", &[], None), "_._a_b");
        assert_eq!(name("..", &[], None), "_.");
        assert_eq!(of_file("../../x\u{1b}", "pcapng"), PathBuf::from("_._.._x_.pcapng"));
        assert_eq!(name("a", &["x=/etc/../b"], None), "a,x=_etc_.._b");
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let long = |value: &str| name("victim", &[&format!("cct={}{value}", "0:1,".repeat(100))], None);
        assert_eq!(long("a").chars().count(), LONGEST);
        assert_ne!(long("a"), long("b"));
    }
}
