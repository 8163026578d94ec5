//! Congestion control of a `config.txt`: marking at switches, and DCQCN's reaction point.
//!
//! Invariant: marks, rates and timers are that simulator's. Each packet's mark comes back on its acknowledgement, and
//! the source cuts by a timer of its own (`rdma-hw.cc`).

use std::collections::BTreeSet;

use cc_policies::dcqcn::timed::spec::TimedResponseSpec;
use topology::hpcc::HpccFabric;
use units::{Rate, Span};

use super::config::Config;
use interop::import::KeyFate;
use scenario::Diagnostic;

/// Most intervals of cuts within an interval of alpha, and highest F, of `DcqcnTimed`.
const MOST_CUTS: u64 = 250;
const MOST_RECOVERIES: u32 = 253;

/// Returns the congestion control as text; `memory` is the least that no queue can exceed.
pub(super) fn control(
    config: &mut Config<'_>,
    fabric: &HpccFabric,
    memory: u64,
) -> Result<String, Diagnostic> {
    let enabled = config.flag("ENABLE_QCN", true)?;
    let mode = config.whole("CC_MODE", 1)?;
    let what = if enabled { "switches mark" } else { "switches do not mark" };
    config.note("ENABLE_QCN", KeyFate::Used, what);
    let other = match mode {
        3 => Some("HPCC"),
        7 => Some("TIMELY"),
        8 if enabled => Some("DCTCP"),
        10 => Some("HPCC-PINT"),
        0 | 1 | 8 => None,
        _ => Some("this scheme, which HPCC's own simulator does not have,"),
    };
    if let Some(other) = other {
        let what = format!("{other} is not modelled: the scenario has no congestion control");
        config.note("CC_MODE", KeyFate::Changed, what);
        return Ok("Off".to_owned());
    }
    if mode != 1 || !enabled {
        config.note("CC_MODE", KeyFate::Used, "`congestion_control: Off`: no source slows down there either");
        return Ok("Off".to_owned());
    }
    config.note("CC_MODE", KeyFate::Used, "`Red` and `DcqcnTimed`, with marks on acknowledgements");
    let Some(marking) = marking(config, fabric, memory)? else { return Ok("Off".to_owned()) };
    let response = response(config)?;
    Ok(format!("Mixed(marking: Red({marking}), echo: Acknowledgement, response: {response})"))
}

fn response(config: &mut Config<'_>) -> Result<String, Diagnostic> {
    let bound = config.flag("RATE_BOUND", true)?;
    let what = if bound { "rates bound a source" } else { "`response: Off`: rates do not bound a source" };
    config.note("RATE_BOUND", KeyFate::Used, what);
    if !bound {
        return Ok("Off".to_owned());
    }
    let cut_timer = config.microseconds("RATE_DECREASE_INTERVAL", 4.0)?;
    used(config, "RATE_DECREASE_INTERVAL", "cut_timer");
    let clamp_target = config.flag("CLAMP_TARGET_RATE", false)?;
    used(config, "CLAMP_TARGET_RATE", "clamp_target");
    config.required("RP_TIMER", "300")?;
    let timer = config.microseconds("RP_TIMER", 0.0)?;
    used(config, "RP_TIMER", "timer");
    let spec = TimedResponseSpec {
        g: gain(config)?,
        alpha_timer: alpha_timer(config, cut_timer)?,
        cut_timer,
        clamp_target,
        timer,
        fast_recovery: recoveries(config)?,
        additive_increase: rate(config, "RATE_AI", "additive_increase", None)?,
        hyper_increase: rate(config, "RATE_HAI", "hyper_increase", None)?,
        min_rate: rate(config, "MIN_RATE", "min_rate", Some("100Mb/s"))?,
    };
    let TimedResponseSpec {
        g, alpha_timer, fast_recovery, additive_increase, hyper_increase, min_rate, ..
    } = spec;
    Ok(format!(
        "DcqcnTimed(g: {g:?}, alpha_timer: \"{alpha_timer}\", cut_timer: \"{cut_timer}\", clamp_target: {clamp_target}, \
         timer: \"{timer}\", fast_recovery: {fast_recovery}, additive_increase: \"{additive_increase}\", \
         hyper_increase: \"{hyper_increase}\", min_rate: \"{min_rate}\")"
    ))
}

fn used(config: &mut Config<'_>, key: &str, field: &str) {
    config.note(key, KeyFate::Used, format!("`response.{field}`"));
}

/// Returns g. Without the key it is 0: that simulator divides 1 by 16 in whole numbers.
fn gain(config: &mut Config<'_>) -> Result<f64, Diagnostic> {
    let g = config.number("EWMA_GAIN", 0.0)?;
    if g > 1.0 {
        let message = format!("{g} cannot be the weight of a new value");
        return Err(config.wrong("EWMA_GAIN", message, "write a number from 0 to 1"));
    }
    used(config, "EWMA_GAIN", "g");
    Ok(g)
}

fn alpha_timer(config: &mut Config<'_>, cut_timer: Span) -> Result<Span, Diagnostic> {
    let given = config.microseconds("ALPHA_RESUME_INTERVAL", 55.0)?;
    let most = cut_timer * MOST_CUTS;
    if given > most {
        let what = format!("`response.alpha_timer` of {most}, the longest beside cuts each {cut_timer}");
        config.note("ALPHA_RESUME_INTERVAL", KeyFate::Changed, what);
        return Ok(most);
    }
    used(config, "ALPHA_RESUME_INTERVAL", "alpha_timer");
    Ok(given)
}

fn recoveries(config: &mut Config<'_>) -> Result<u8, Diagnostic> {
    let given = config.whole("FAST_RECOVERY_TIMES", 5)?;
    if given > MOST_RECOVERIES {
        let what = format!("`response.fast_recovery` of {MOST_RECOVERIES}, the most");
        config.note("FAST_RECOVERY_TIMES", KeyFate::Changed, what);
    } else {
        used(config, "FAST_RECOVERY_TIMES", "fast_recovery");
    }
    Ok(given.min(MOST_RECOVERIES) as u8)
}

/// Returns a rate that fits into 32 bits of kb/s; the lowest rate is at least 1 kb/s.
fn rate(config: &mut Config<'_>, key: &str, field: &str, default: Option<&str>) -> Result<Rate, Diagnostic> {
    let given = match (config.key(key), default) {
        (Some(key), _) => key.given,
        (None, Some(default)) => default,
        (None, None) => config.required(key, "50Mb/s")?.given,
    };
    let (rate, exact) = config.rate(key, given)?;
    let least = if field == "min_rate" { Rate::bps(1_000) } else { Rate::bps(0) };
    let most = Rate::bps(u64::from(u32::MAX) * 1_000);
    if rate < least {
        let message = format!("{given} stops a source for good");
        return Err(config.wrong(key, message, "write 1 kb/s or more"));
    }
    let (fate, remark) = if exact { (KeyFate::Used, "") } else { (KeyFate::Approximated, ", in whole kb/s") };
    config.note(key, fate, format!("`response.{field}`{remark}"));
    Ok(rate.min(most))
}

/// Thresholds of a link rate, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ramp {
    kmin: u64,
    kmax: u64,
    pmax: f64,
}

/// Returns Kmin, Kmax and Pmax by the rate of the links of switches; `None` if no queue can exceed any Kmin.
fn marking(config: &mut Config<'_>, fabric: &HpccFabric, memory: u64) -> Result<Option<String>, Diagnostic> {
    let rates: BTreeSet<u64> = fabric.cables.iter().map(|(_, rate, _)| rate.get()).collect();
    let mut behind = false;
    let mut of = |key: &str, example: &str| -> Result<Vec<f64>, Diagnostic> {
        let (pairs, more) = config.pairs(config.required(key, example)?)?;
        behind |= more > 0;
        let value = |rate: &u64| pairs.iter().rev().find(|(at, _)| at == rate).map(|(_, value)| *value);
        let missing = |rate: &u64| {
            let message = format!("there is no entry for links of {}", Rate::bps(*rate));
            config.wrong(key, message, &format!("add one for {rate}: that simulator demands it too"))
        };
        rates.iter().map(|rate| value(rate).ok_or_else(|| missing(rate))).collect()
    };
    let kmins = of("KMIN_MAP", "1 25000000000 100")?;
    let kmaxs = of("KMAX_MAP", "1 25000000000 400")?;
    let pmaxs = of("PMAX_MAP", "1 25000000000 0.2")?;
    let ramps =
        kmins.iter().zip(&kmaxs).zip(&pmaxs).map(|((kmin, kmax), pmax)| Ramp::new(*kmin, *kmax, *pmax));
    let ramps: Vec<_> = rates.iter().copied().zip(ramps).collect();
    let behind =
        if behind { "; without the pairs behind its count, which that simulator does not read" } else { "" };
    for key in ["KMIN_MAP", "KMAX_MAP", "PMAX_MAP"] {
        let what = format!("`congestion_control.marking`, by the rate of each link{behind}");
        config.note(key, KeyFate::Used, what);
    }
    if ramps.iter().all(|(_, ramp)| ramp.marks_nothing(memory)) {
        let what = "`congestion_control: Off`: no queue can be that long, so nothing is ever marked";
        config.note("KMIN_MAP", KeyFate::Used, what);
        return Ok(None);
    }
    if let [(_, ramp), others @ ..] = &ramps[..]
        && others.iter().all(|(_, other)| other == ramp)
    {
        return Ok(Some(ramp.fields()));
    }
    let entry = |(rate, ramp): &(u64, Ramp)| format!("(rate: \"{}\", {})", Rate::bps(*rate), ramp.fields());
    Ok(Some(format!("by_rate: [{}]", ramps.iter().map(entry).collect::<Vec<_>>().join(", "))))
}

impl Ramp {
    /// Returns true if no queue of a switch with this memory is ever marked.
    pub(super) const fn marks_nothing(&self, memory: u64) -> bool {
        self.kmin >= memory
    }

    /// Returns the thresholds as fields of a scenario.
    pub(super) fn fields(&self) -> String {
        let Self { kmin, kmax, pmax } = self;
        format!("kmin: \"{kmin} B\", kmax: \"{kmax} B\", pmax: {pmax:?}")
    }

    /// The ramp with these thresholds in KB, which marks the same packets. That simulator marks all packets above Kmax,
    /// and above Kmin by a chance that it does not hold at 1.
    pub(super) fn new(kmin: f64, kmax: f64, pmax: f64) -> Self {
        let [kmin, kmax] = [kmin, kmax].map(|kilobytes| (kilobytes * 1000.0).round().min(1e12) as u64);
        let step = |at: u64| Self { kmin: at.max(1), kmax: at.max(1), pmax: 1.0 };
        if pmax == 0.0 || kmax <= kmin {
            return step(kmax);
        }
        let certain = if pmax > 1.0 { kmin + ((kmax - kmin) as f64 / pmax).round() as u64 } else { kmax };
        if certain <= kmin.max(1) {
            return step(kmin);
        }
        // A queue of 0 bytes is marked by none, so that a Kmin of 1 byte stands for 0.
        Self { kmin: kmin.max(1), kmax: certain, pmax: pmax.min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of `ShouldSendCN`, with the queue in bytes and thresholds in KB.
    fn chance(queue: f64, kmin: f64, kmax: f64, pmax: f64) -> f64 {
        let (kmin, kmax) = (kmin * 1000.0, kmax * 1000.0);
        if queue > kmax {
            1.0
        } else if queue > kmin {
            (pmax * (queue - kmin) / (kmax - kmin)).min(1.0)
        } else {
            0.0
        }
    }

    /// Every combination of thresholds, also those that `Red` refuses as written, marks as in that simulator. The
    /// shortest queue is a packet of 49 bytes. Thresholds are rounded to bytes, of 400 at least.
    #[test]
    fn ramps_mark_the_same_packets() {
        let values = [0.0, 1.0, 40.0, 100.0, 400.0];
        for (kmin, kmax) in values.iter().flat_map(|kmin| values.map(|kmax| (*kmin, kmax))) {
            for pmax in [0.0, 0.01, 0.2, 1.0, 2.5] {
                let ramp = Ramp::new(kmin, kmax, pmax);
                assert!(ramp.kmin >= 1 && ramp.kmax >= ramp.kmin && ramp.pmax > 0.0 && ramp.pmax <= 1.0);
                assert!(ramp.kmax > ramp.kmin || ramp.pmax == 1.0);
                for queue in
                    [0.0, 49.0, 60.0, 999.0, 1048.0, 40_000.0, 41_000.0, 150_000.0, 300_000.0, 400_001.0]
                {
                    let [low, high] = [ramp.kmin, ramp.kmax].map(|bytes| bytes as f64 / 1000.0);
                    let (ours, theirs) =
                        (chance(queue, low, high, ramp.pmax), chance(queue, kmin, kmax, pmax));
                    assert!(
                        (ours - theirs).abs() < 1.0 / 400.0,
                        "{queue} with {kmin} {kmax} {pmax}: {ours} {theirs}"
                    );
                }
            }
        }
    }
}
