//! Default names of result folders.
//!
//! Invariant: the name of a folder tells scenario, overrides and seed, and leads to no other folder.

use std::path::PathBuf;

use event_kernel::Digest;

/// Longest name of a folder, in characters; file systems allow 255 bytes.
const LONGEST: usize = 120;
/// Hexadecimal digits of the digest that stands for the rest of a longer name.
const DIGITS: usize = 8;

/// Returns `out/NAME,PATH=VALUE,...,seed=N`, with the overrides and the seed of the command line. The rest of a long name is
/// replaced by a digest.
pub(crate) fn of_run(name: &str, overrides: &[String], seed: Option<u64>) -> PathBuf {
    let seed = seed.map(|seed| format!("seed={seed}"));
    let parts = [name.to_owned()].into_iter().chain(overrides.iter().cloned()).chain(seed);
    let whole = parts.collect::<Vec<_>>().join(",");
    PathBuf::from("out").join(safe(&whole))
}

/// Returns `out/compare,RUN,RUN,...`, with the overrides and the seed of all runs.
pub(crate) fn of_comparison(runs: &[String], overrides: &[String], seed: Option<u64>) -> PathBuf {
    let all: Vec<_> = runs.iter().chain(overrides).cloned().collect();
    of_run("compare", &all, seed)
}

/// Returns the text with characters replaced that a path or a shell would take for something else.
pub(crate) fn safe(text: &str) -> String {
    let quotes = |c: &char| !"\"'".contains(*c);
    let plain = |c: char| if c.is_alphanumeric() || "-_+.,=".contains(c) { c } else { '_' };
    let name: String = text.chars().filter(quotes).map(plain).collect();
    // A name of dots alone leads to another folder, and a leading dot hides one.
    let name = name.replacen('.', "_", usize::from(name.starts_with('.')));
    if name.chars().count() <= LONGEST {
        return name;
    }
    let digest = Digest::of_text(text).to_string();
    let kept: String = name.chars().take(LONGEST - DIGITS - 1).collect();
    format!("{kept}~{}", &digest[..DIGITS])
}

#[cfg(test)]
mod tests {
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
        let path = of_comparison(&runs, &[], Some(3));
        assert_eq!(path, PathBuf::from("out/compare,victim,off=victim_congestion_control=Off,seed=3"));
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(name("../a b", &[], None), "_._a_b");
        assert_eq!(name("..", &[], None), "_.");
        assert_eq!(name("a", &["x=/etc/../b"], None), "a,x=_etc_.._b");
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let long = |value: &str| name("victim", &[&format!("cct={}{value}", "0:1,".repeat(100))], None);
        assert_eq!(long("a").chars().count(), LONGEST);
        assert_ne!(long("a"), long("b"));
    }
}
