//! A run of a sweep or a tuning: a scenario, overrides and seeds.
//!
//! Invariant: the name of a unit is made from everything that its result depends on. That is the plan with all
//! overrides, defaults and seeds, and the version of the simulator. Units with the same name have the same result.

use std::fmt::{self, Display, Formatter};

use event_kernel::Digest;
use scenario::{Diagnostic, Plan};
use serde::{Deserialize, Serialize};

use crate::simulation::{self, VERSION};

/// A scenario, its overrides and its seeds: all that is needed to repeat a run.
///
/// ```
/// use experiment::{Unit, UnitSeeds};
///
/// let unit = Unit {
///     scenario: "one-flow".to_owned(),
///     overrides: vec!["duration=1 ms".to_owned()],
///     seeds: UnitSeeds::of_run(7),
///     drain: false,
/// };
/// let identified = unit.identify()?;
/// assert!(identified.name().starts_with("one-flow-seed7-"));
/// # Ok::<(), scenario::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// A file, or the name of a shipped scenario.
    pub scenario: String,
    /// Overrides in their order, each as `PATH=VALUE`.
    #[serde(default)]
    pub overrides: Vec<String>,
    /// Seeds, applied after the overrides.
    #[serde(default)]
    pub seeds: UnitSeeds,
    /// True if everything under way is delivered after the end, as `--drain` does.
    #[serde(default, skip_serializing_if = "is_false")]
    pub drain: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Seeds of a unit; those that are `None` are the scenario's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitSeeds {
    /// Seed of all random streams (`seed`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// Seed of the traffic alone (`seeds.traffic`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<u64>,
    /// Seed of the paths alone (`seeds.ecmp`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecmp: Option<u64>,
    /// Seed of congestion control alone (`seeds.marking`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marking: Option<u64>,
}

impl UnitSeeds {
    /// Returns the single seed of all random streams.
    #[must_use]
    pub const fn of_run(seed: u64) -> Self {
        Self { run: Some(seed), traffic: None, ecmp: None, marking: None }
    }

    /// Returns the seeds that are given, with the paths of their fields in a scenario.
    pub fn given(self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            ("seed", self.run),
            ("seeds.traffic", self.traffic),
            ("seeds.ecmp", self.ecmp),
            ("seeds.marking", self.marking),
        ];
        all.into_iter().filter_map(|(path, seed)| Some((path, seed?)))
    }
}

impl Unit {
    /// Returns the checked plan of the unit.
    ///
    /// # Errors
    /// If the scenario, an override or a seed is wrong.
    pub fn plan(&self) -> Result<Plan, Diagnostic> {
        simulation::plan(&self.scenario, &self.assignments(), None)
    }

    /// Returns all overrides, including the seeds' overrides, each as `PATH=VALUE`.
    #[must_use]
    pub fn assignments(&self) -> Vec<String> {
        let seeds = self.seeds.given().map(|(path, seed)| format!("{path}={seed}"));
        self.overrides.iter().cloned().chain(seeds).collect()
    }

    /// Checks the unit and gives it its name.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn identify(&self) -> Result<IdentifiedUnit, Diagnostic> {
        Ok(IdentifiedUnit::new(self.clone(), &self.plan()?))
    }
}

/// `victim with congestion_control=Off, seed=7`.
impl Display for Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = self.assignments();
        let with = if all.is_empty() { "" } else { " with " };
        let drained = if self.drain { ", drained" } else { "" };
        write!(f, "{}{with}{}{drained}", self.scenario, all.join(", "))
    }
}

/// A checked unit with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifiedUnit {
    unit: Unit,
    name: String,
    plan_digest: String,
}

/// Hexadecimal digits of the digest in a name. Two of 10,000 units have the same name with a probability below 10^-6.
/// The result of a unit also holds the whole digest of its plan, so even then no result is taken for another unit's.
const DIGITS: usize = 12;
/// Longest name of a scenario in the name of a unit, in characters.
const LONGEST: usize = 60;

impl IdentifiedUnit {
    /// Names the unit of this plan.
    #[must_use]
    pub fn new(unit: Unit, plan: &Plan) -> Self {
        let plan_digest = plan.digest();
        let end = end_of_name(plan_digest, VERSION, unit.drain);
        let name = format!("{}-seed{}-{end}", readable(plan.name()), plan.seed());
        Self { unit, name, plan_digest: plan_digest.to_string() }
    }

    /// Takes a unit that was named before. Its plan is compared with the digest when it runs.
    pub(crate) fn named_before(unit: Unit, name: String, plan_digest: String) -> Self {
        Self { unit, name, plan_digest }
    }

    /// Returns the unit.
    #[must_use]
    pub const fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the name: the scenario's name, the seed and a digest. It is the name of a folder in every file system.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the digest of the plan, in hexadecimal.
    #[must_use]
    pub fn plan_digest(&self) -> &str {
        &self.plan_digest
    }
}

/// Returns true for a name as the unit of a plan has it. It can name a folder, and ends with the digest of this plan,
/// this version, and whether the run is drained.
pub(crate) fn is_name(name: &str, plan_digest: &str, version: &str, drain: bool) -> bool {
    let end = Digest::read(plan_digest).map(|digest| end_of_name(digest, version, drain));
    let parts = name.rsplit_once('-').and_then(|(rest, end)| Some((rest.rsplit_once("-seed")?, end)));
    parts.is_some_and(|((scenario, seed), digits)| {
        end.is_some_and(|end| end == digits)
            && seed.parse::<u64>().is_ok_and(|number| number.to_string() == seed)
            && readable(scenario) == scenario
    })
}

fn end_of_name(plan_digest: Digest, version: &str, drain: bool) -> String {
    // A drain is no part of the plan, and adds to the results.
    let drained = drain.then(|| Digest::of_text("drain"));
    let parts = [plan_digest, Digest::of_text(version)].into_iter().chain(drained);
    Digest::combine(parts).to_string()[..DIGITS].to_owned()
}

/// Returns a name with characters replaced that a path or a shell would take for something else.
fn readable(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_+".contains(c) { c } else { '_' };
    name.chars().map(plain).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(overrides: &[&str], seeds: UnitSeeds) -> Unit {
        let overrides = overrides.iter().map(|&one| one.to_owned()).collect();
        Unit { scenario: "one-flow".to_owned(), overrides, seeds, drain: false }
    }

    #[test]
    fn a_name_depends_on_the_plan_and_not_on_its_spelling() {
        let name = |overrides: &[&str], seeds| unit(overrides, seeds).identify().unwrap().name().to_owned();
        let plain = name(&[], UnitSeeds::of_run(7));
        assert_eq!(plain, name(&["seed=7"], UnitSeeds::default()));
        assert_eq!(plain, name(&["seed=3", "duration=10 ms"], UnitSeeds::of_run(7)));
        assert_ne!(plain, name(&["duration=1 ms"], UnitSeeds::of_run(7)));
        assert!(name(&[], UnitSeeds::of_run(8)).starts_with("one-flow-seed8-"));
    }

    #[test]
    fn a_readable_name_is_one_folder() {
        assert_eq!(readable("../a b/ü"), "___a_b__");
        assert_eq!(readable(&"x".repeat(100)).len(), LONGEST);
    }

    #[test]
    fn a_name_is_known_by_its_plan() {
        let named = unit(&[], UnitSeeds::of_run(7)).identify().unwrap();
        let is_name = |name: &str| is_name(name, named.plan_digest(), VERSION, false);
        assert!(is_name(named.name()));
        let end = named.name().rsplit_once('-').unwrap().1;
        for other in [
            "../../thesis",
            "/home/me",
            &format!("../one-flow-seed7-{end}"),
            &format!("a/b-seed7-{end}"),
            &format!("a\n-seed7-{end}"),
            &format!("one-flow-seed07-{end}"),
            &format!("one-flow-{end}"),
            end,
        ] {
            assert!(!is_name(other), "{other}");
        }
        assert!(!super::is_name(named.name(), named.plan_digest(), "0.0.1", false));
        assert!(!super::is_name(named.name(), "", VERSION, false));
    }

    #[test]
    fn a_unit_is_told_in_words() {
        let seeds = UnitSeeds { traffic: Some(3), ..UnitSeeds::of_run(1) };
        assert_eq!(unit(&["a=1"], seeds).to_string(), "one-flow with a=1, seed=1, seeds.traffic=3");
        assert_eq!(unit(&[], UnitSeeds::default()).to_string(), "one-flow");
    }
}
