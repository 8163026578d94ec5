//! Memory sharing and PAUSE thresholds of switches in HPCC's simulator, which its code fixes.
//!
//! Invariant: the settings of a switch depend on the rates of its links alone.
//!
//! | in that simulator | in a scenario |
//! |---|---|
//! | a port and priority holds up to (free shared memory) / 2^3; 2^2, 2^1, 2^0 where its link is more than once, twice, four times as fast as those of hosts | `alpha` 1/8 to 1 |
//! | and 4 KiB of its own | `guaranteed` |
//! | it sends RESUME at 3 KiB below its threshold | `resume_offset` |
//! | a PAUSE takes effect on arrival | `reaction` of 0 |
//!
//! Source: descriptions of that simulator, not runs of it.

use std::collections::BTreeSet;

use topology::hpcc::HpccFabric;
use units::Rate;

/// Flow control of the links.
pub(super) const LOSSLESS: &str = "flow_control: Pause(resume_offset: \"3 KiB\", reaction: \"0 s\"),";

/// Alpha of a port whose link is no faster than those of hosts.
const ALPHA: f64 = 0.125;

/// Returns the rate of the first host's link.
pub(super) fn rate_of_hosts(fabric: &HpccFabric) -> Option<Rate> {
    let hosts = &fabric.custom.hosts;
    let link =
        fabric.custom.links.iter().find(|link| hosts.contains(&link.from) || hosts.contains(&link.to))?;
    rate_of(fabric, &link.cable)
}

/// Returns the alpha of a switch by its slowest link, and true if all its links have that alpha.
pub(super) fn alpha(fabric: &HpccFabric, switch: &str) -> (f64, bool) {
    let links = fabric.custom.links.iter().filter(|link| link.from == switch || link.to == switch);
    let rates: BTreeSet<u64> = links.filter_map(|link| rate_of(fabric, &link.cable)).map(Rate::get).collect();
    let hosts = rate_of_hosts(fabric).map_or(u64::MAX, Rate::get);
    let of = |mut rate: u64| {
        let mut alpha = ALPHA;
        while rate > hosts && alpha < 1.0 {
            (rate, alpha) = (rate / 2, alpha * 2.0);
        }
        alpha
    };
    let slowest = rates.first().map_or(ALPHA, |rate| of(*rate));
    (slowest, rates.iter().all(|rate| of(*rate) == slowest))
}

fn rate_of(fabric: &HpccFabric, cable: &str) -> Option<Rate> {
    fabric.cables.iter().find(|(name, ..)| name == cable).map(|(_, rate, _)| *rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_links_have_a_larger_alpha() {
        let text = "6 4 5\n2 3 4 5\n0 2 25Gbps 1us 0\n2 3 100Gbps 1us 0\n3 4 100Gbps 1us 0\n4 5 400Gbps 1us 0\n5 1 25Gbps 1us 0\n";
        let fabric = topology::hpcc::read(text).expect("it is right");
        let alphas = ["s2", "s3", "s4", "s5"].map(|switch| alpha(&fabric, switch));
        assert_eq!(alphas, [(0.125, false), (0.5, true), (0.5, false), (0.125, false)]);
        assert_eq!(rate_of_hosts(&fabric), Some(Rate::gbps(25)));
    }
}
