//! Named flows that waited in congestion trees.
//!
//! Invariant: a flow's wait is that in the tree which held it back longest, since waits in several trees overlap.

use std::collections::BTreeMap;

use measures::rounded;
use results::reader::{ReadError, RunFiles};
use results::rows::VictimRow;
use results::table::TableRow;

use super::engine::axis::{number, unit_of_time};

/// Longest waits of flows in a tree, in s, by flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Victims(BTreeMap<String, f64>);

impl Victims {
    /// Reads the victims among these flows. A run without the file has none.
    pub(super) fn read<Name: AsRef<str>>(
        files: RunFiles<'_>,
        flows: impl Iterator<Item = Name>,
    ) -> Result<Self, ReadError> {
        let mut waits: BTreeMap<String, f64> = flows.map(|flow| (flow.as_ref().to_owned(), 0.0)).collect();
        if !waits.is_empty() && files.has(VictimRow::FILE) {
            for row in files.rows::<VictimRow<'_>>()? {
                if let Some(wait) = waits.get_mut(&*row.flow) {
                    *wait = wait.max(row.waited_s);
                }
            }
        }
        waits.retain(|_, wait| *wait > 0.0);
        Ok(Self(waits))
    }

    /// Returns victims with these waits.
    #[cfg(test)]
    pub(super) fn of<const COUNT: usize>(waits: [(&str, f64); COUNT]) -> Self {
        Self(waits.map(|(flow, wait)| (flow.to_owned(), wait)).into())
    }

    /// Returns the wait of a flow in s; `None` if it is no victim.
    pub(super) fn wait(&self, flow: &str) -> Option<f64> {
        self.0.get(flow).copied()
    }

    /// Returns true if the flow is a victim.
    pub(super) fn has(&self, flow: &str) -> bool {
        self.0.contains_key(flow)
    }

    /// Returns the name of a flow, with its wait if it is a victim.
    pub(super) fn named(&self, flow: &str) -> String {
        let Some(wait) = self.wait(flow) else { return flow.to_owned() };
        let what = if is_named_so(flow) { "" } else { "victim, " };
        format!("{flow} ({what}waited {})", time(wait))
    }
}

/// Returns true if the name of a flow says that it is a victim.
pub(super) fn is_named_so(flow: &str) -> bool {
    flow.to_lowercase().contains("victim")
}

/// Returns a time with three digits, in a handy unit.
fn time(seconds: f64) -> String {
    let (unit, per_second) = unit_of_time(seconds);
    let value = seconds * per_second;
    let decimals = (2 - value.max(1.0).log10().floor() as i32).max(0);
    format!("{} {unit}", number(rounded(value, decimals)))
}

#[cfg(test)]
mod tests {
    use results::OutputFile;

    use super::*;
    use crate::fixture;

    #[test]
    fn a_victim_has_its_longest_wait() {
        let mut files = fixture::files();
        let row = |flow: &str, wait: &str| format!("{flow},H1,H4,,S1,2,H3,0,0.01,0.02,2,{wait},1000\n");
        let header =
            "flow,src,dst,group,root_node,root_port,root_peer,lane,from_s,to_s,samples,waited_s,lost_bytes\n";
        let rows = [row("F1", "0.0001234"), row("F1", "0.0012345"), row("F9", "0.5")].concat();
        files.retain(|file| file.name != VictimRow::FILE);
        let victims = |files: &[OutputFile]| {
            Victims::read(RunFiles::Written(files), ["F1", "F2"].into_iter()).expect("the file is right")
        };
        assert_eq!(victims(&files).named("F1"), "F1");
        files.push(OutputFile { name: VictimRow::FILE.to_owned(), contents: header.to_owned() + &rows });
        let found = victims(&files);
        assert_eq!(["F1", "F2"].map(|flow| found.named(flow)), ["F1 (victim, waited 1.23 ms)", "F2"]);
        assert_eq!(found.wait("F9"), None, "the flow is not asked for");
        assert_eq!(Victims::of([("victim", 1e-3)]).named("victim"), "victim (waited 1 ms)");
    }

    #[test]
    fn times_have_three_digits() {
        assert_eq!([0.000_321_8, 0.012_3, 0.000_000_5].map(time), ["322 us", "12.3 ms", "0.5 us"]);
    }
}
