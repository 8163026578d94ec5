//! A response of one's own, without a change of Backwater: additive increase, multiplicative decrease of a flow's rate.
//!
//! ```text
//! cargo run --release -p backwater --example own_response
//! ```

use backwater::own::{
    Fault, FlowRate, Notification, NotificationOutcome, OwnPolicies, OwnResponse, Response, ResponseSetup,
    ServiceLevel, packed,
};
use backwater::units::{Rate, Span, Time};
use backwater::{FinishedRun, Simulation, SimulationError, compared};
use serde::Deserialize;

/// Settings, as the scenario has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AimdSettings {
    /// Share of the rate that a notification takes, in percent.
    cut: u64,
    /// Time after a cut for which further notifications count for nothing.
    quiet: Span,
    /// Increase of the rate after each `interval` since the last cut.
    step: Rate,
    interval: Span,
    /// Rate below which no flow is slowed down.
    floor: Rate,
}

/// The response of an adapter, shared by its flows.
#[derive(Debug)]
struct Aimd {
    settings: AimdSettings,
    line: Rate,
}

/// State of a flow, at most 24 bytes: its rate as of the last cut.
#[derive(Clone, Copy)]
struct AimdFlow {
    rate: Rate,
    cut_at: Time,
    quiet_until: Time,
}

packed!(AimdFlow { rate: Rate, cut_at: Time, quiet_until: Time });

impl Aimd {
    /// Returns the rate at `now`: a function of the last cut, so that no timer has to run.
    fn rate(&self, flow: &AimdFlow, now: Time) -> Rate {
        let steps = now.since(flow.cut_at).ps() / self.settings.interval.ps();
        let increase = self.settings.step.get().saturating_mul(steps);
        Rate::bps(flow.rate.get().saturating_add(increase)).min(self.line)
    }
}

impl Response for Aimd {
    type State = AimdFlow;

    fn at_rest(&self, _: ServiceLevel) -> AimdFlow {
        AimdFlow { rate: self.line, cut_at: Time::ZERO, quiet_until: Time::ZERO }
    }

    fn on_notification(&self, flow: &mut AimdFlow, _: Notification, now: Time) -> NotificationOutcome {
        if now < flow.quiet_until {
            return NotificationOutcome::default();
        }
        let kept = self.rate(flow, now).get() / 100 * (100 - self.settings.cut);
        let rate = Rate::bps(kept).max(self.settings.floor);
        *flow = AimdFlow { rate, cut_at: now, quiet_until: now + self.settings.quiet };
        NotificationOutcome { decreased: true, reached_trigger: false }
    }

    /// A packet and its gap take as long as the packet alone at the flow's rate. Times are whole numbers.
    fn gap(&self, flow: &mut AimdFlow, packet_time: Span, now: Time) -> Span {
        let (line, rate) = (self.line.get(), self.rate(flow, now).get());
        let gap = u128::from(packet_time.ps()) * u128::from(line - rate) / u128::from(rate);
        Span::from_ps(gap as u64)
    }

    fn flow_rate(&self, flow: &AimdFlow, now: Time) -> Option<FlowRate> {
        let alpha = self.settings.cut as f64 / 100.0;
        Some(FlowRate { current: self.rate(flow, now), target: self.line, alpha })
    }
}

impl OwnResponse for Aimd {
    type Settings = AimdSettings;

    fn check(settings: &AimdSettings) -> Result<(), Fault> {
        let rules = [
            ("cut", settings.cut < 100, "write less than 100 percent"),
            ("interval", settings.interval > Span::ZERO, "write a time above 0"),
            ("floor", settings.floor > Rate::bps(0), "write a rate above 0"),
        ];
        let broken = rules.into_iter().find(|(_, holds, _)| !holds);
        broken.map_or(Ok(()), |(path, _, help)| {
            let (message, help) = ("this value is out of range".to_owned(), Some(help.to_owned()));
            Err(Fault { path: path.into(), message, help })
        })
    }

    fn new(settings: AimdSettings, adapter: ResponseSetup) -> Self {
        Self { settings, line: adapter.line }
    }
}

fn main() -> Result<(), SimulationError> {
    print!("{}", report()?);
    Ok(())
}

/// Returns `victim` without control, with IBA's response, and with this one, side by side.
///
/// # Errors
/// If the scenario is wrong, or a run stops early.
pub(crate) fn report() -> Result<String, SimulationError> {
    let (off, iba, aimd) = (run("Off")?, run("Iba()")?, run(AIMD)?);
    // Over the second half of the third phase, in which all three flows send.
    let measures = ["goodput(victim, 3)", "goodput(far, 3)", "goodput(near, 3)"];
    let measures = measures.map(|measure| measure.parse().expect("docs/statistics.md lists it"));
    Ok(compared(&[("off", &off), ("iba", &iba), ("aimd", &aimd)], &measures, 100))
}

const AIMD: &str = r#"Own(name: "aimd", settings: {
    "cut": 50, "quiet": "50 us", "step": "100 Mb/s", "interval": "20 us", "floor": "100 Mb/s",
})"#;

/// Runs `victim` with IBA's marking and this response.
fn run(response: &str) -> Result<FinishedRun, SimulationError> {
    Simulation::find("victim")?
        .set("duration=30 ms")?
        .set(&format!("congestion_control=Mixed(marking: Iba(), echo: Cnp, response: {response})"))?
        .own(OwnPolicies::new().response::<Aimd>("aimd"))
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trajectory of a flow with notifications at 10, 40 and 70 us: the microseconds at which its rate changes, and
    /// the rate in Gb/s.
    #[test]
    fn the_rate_over_time() {
        let (quiet, interval) = (Span::from_us(50), Span::from_us(20));
        let (step, floor, line) = (Rate::gbps(2), Rate::gbps(1), Rate::gbps(16));
        let stream = backwater::own::stream(1, "response", "H1");
        let settings = AimdSettings { cut: 50, quiet, step, interval, floor };
        let aimd = Aimd::new(settings, ResponseSetup { line, stream });
        let mut flow = aimd.at_rest(ServiceLevel(0));
        let mut rates: Vec<(u64, u64)> = Vec::new();
        for us in 0..200 {
            let now = Span::from_us(us).after_start();
            if [10, 40, 70].contains(&us) {
                aimd.on_notification(&mut flow, Notification { psn: None, next: 0 }, now);
            }
            let rate = aimd.rate(&flow, now).get() / 1_000_000_000;
            if rates.last().is_none_or(|(_, before)| *before != rate) {
                rates.push((us, rate));
            }
            // A packet of 7 us at the line's rate takes 16 us at 7 Gb/s.
            let gap = aimd.gap(&mut flow, Span::from_us(7), now);
            assert!(rate != 7 || gap == Span::from_us(9), "{gap:?} at {us} us");
        }
        let halved = [(0, 16), (10, 8), (30, 10), (50, 12), (70, 7)];
        let recovered = [(90, 9), (110, 11), (130, 13), (150, 15), (170, 16)];
        assert_eq!(rates, [halved, recovered].concat());
    }
}
