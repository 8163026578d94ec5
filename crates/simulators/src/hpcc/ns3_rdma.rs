//! Congestion control of ns3-rdma: DCQCN as its authors have it, with CNPs and a byte counter.
//!
//! Invariant: marks are those of that simulator's switch (`broadcom-node.cc`), CNPs and rates those of its adapter
//! (`qbb-net-device.cc`).

use units::Rate;

use super::config::Config;
use super::control::Ramp;
use interop::import::KeyFate;
use scenario::Diagnostic;

/// Length in KB of the packets in which thresholds are counted.
const PACKET: f64 = 1.03;
const HALVED: &str = "; that simulator halves it for hyper increases";

/// Returns the congestion control as text; `memory` is the least that no queue can exceed.
pub(super) fn control(config: &mut Config<'_>, memory: u64) -> Result<String, Diagnostic> {
    if !config.flag("ENABLE_QCN", true)? {
        config.note("ENABLE_QCN", KeyFate::Used, "`congestion_control: Off`");
        return Ok("Off".to_owned());
    }
    config.note("ENABLE_QCN", KeyFate::Used, "DCQCN: `Red`, CNPs, and a response with a byte counter");
    let [kmin, kmax] = [config.number("KMIN", 60.0)?, config.number("KMAX", 60.0)?];
    let ramp = Ramp::new(kmin * PACKET, kmax * PACKET, config.number("PMAX", 1.0)?);
    if ramp.marks_nothing(memory) {
        let what = "`congestion_control: Off`: no queue can be that long, so nothing is ever marked";
        config.note("KMIN", KeyFate::Used, what);
        return Ok("Off".to_owned());
    }
    for key in ["KMIN", "KMAX", "PMAX"] {
        config.note(key, KeyFate::Used, "`congestion_control.marking`, in packets of 1,030 bytes");
    }
    let interval = config.microseconds("CNP_INTERVAL", 50.0)?;
    let what = "`echo.interval`; at switches CNPs take their flow's lane, there one that precedes all";
    config.note("CNP_INTERVAL", KeyFate::Approximated, what);
    let all_marks = !config.flag("NP_SAMPLING_INTERVAL", false)?;
    let fate = if all_marks { KeyFate::Used } else { KeyFate::Changed };
    config.note("NP_SAMPLING_INTERVAL", fate, "every mark counts");
    Ok(format!(
        "Mixed(marking: Red({}), echo: Dcqcn(interval: \"{interval}\", window: FreeRunning), response: {})",
        ramp.fields(),
        response(config)?
    ))
}

fn response(config: &mut Config<'_>) -> Result<String, Diagnostic> {
    let alpha_timer = config.microseconds("ALPHA_RESUME_INTERVAL", 55.0)?;
    config.required("RP_TIMER", "55")?;
    let timer = config.microseconds("RP_TIMER", 0.0)?;
    let clamp = config.flag("CLAMP_TARGET_RATE", false)?;
    let after_timer = config.flag("CLAMP_TARGET_RATE_AFTER_TIMER", false)?;
    let (counter, stages) = (counter(config)?, stages(config)?);
    let g = config.number("DCTCP_GAIN", 0.0)?;
    if !(g > 0.0 && g < 1.0) {
        let message = format!("{g} cannot be the weight of a new value");
        return Err(config.wrong("DCTCP_GAIN", message, "write a number above 0 and below 1"));
    }
    let [additive, hyper] = [increase(config, "RATE_AI")?, increase(config, "RATE_HAI")?];
    for (key, field) in [
        ("ALPHA_RESUME_INTERVAL", "alpha_timer"),
        ("CLAMP_TARGET_RATE", "clamp_target"),
        ("CLAMP_TARGET_RATE_AFTER_TIMER", "clamp_after_timer"),
        ("DCTCP_GAIN", "g"),
        ("RATE_AI", "additive_increase"),
        ("RATE_HAI", "hyper_increase"),
    ] {
        config.note(key, KeyFate::Used, format!("`response.{field}`"));
    }
    config.note("RP_TIMER", KeyFate::Approximated, format!("`response.timer`{HALVED}"));
    config.note("BYTE_COUNTER", KeyFate::Approximated, format!("`response.byte_counter`{HALVED}"));
    Ok(format!(
        "Dcqcn(g: {g:?}, alpha_timer: \"{alpha_timer}\", timer: \"{timer}\", byte_counter: \"{counter} B\", clamp_target: {clamp}, \
         clamp_after_timer: {after_timer}, fast_recovery: {stages}, additive_increase: \"{additive}\", hyper_increase: \"{hyper}\", \
         min_rate: \"100 Mb/s\", initial_alpha: 0.5, order: AlphaFirst)"
    ))
}

/// Returns the bytes from increase to increase.
fn counter(config: &mut Config<'_>) -> Result<u32, Diagnostic> {
    config.required("BYTE_COUNTER", "10000000")?;
    match config.whole("BYTE_COUNTER", 0)? {
        0 => Err(config.wrong("BYTE_COUNTER", "0 bytes make no counter".to_owned(), "write 1 or more")),
        bytes => Ok(bytes),
    }
}

/// Returns the increases that only recover the target: one fewer than the key says (`rpr_fast_byte`, `rpr_fast_time`).
fn stages(config: &mut Config<'_>) -> Result<u32, Diagnostic> {
    let stages = config.whole("FAST_RECOVERY_TIMES", 5)?;
    if !(2..=255).contains(&stages) {
        let message = format!("{stages} cannot be a number of stages");
        return Err(config.wrong("FAST_RECOVERY_TIMES", message, "write 2 to 255"));
    }
    let what = format!("`response.fast_recovery` of {}: that simulator recovers one time fewer", stages - 1);
    config.note("FAST_RECOVERY_TIMES", KeyFate::Used, what);
    Ok(stages - 1)
}

fn increase(config: &Config<'_>, key: &str) -> Result<Rate, Diagnostic> {
    let (rate, _) = config.rate(key, config.required(key, "40Mb/s")?.given)?;
    if rate < Rate::bps(1_000) {
        let message = "an increase below 1 kb/s is none".to_owned();
        return Err(config.wrong(key, message, "write 1kb/s or more"));
    }
    Ok(rate)
}
