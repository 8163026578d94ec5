//! Times that a run can count: no sum of a scenario's times wraps.
//!
//! Invariant: simulated time has 64 bits of picoseconds, 213 days. Every time of a scenario, given or that of a cable, is at most a
//! hundredth of that, and the time of a message a tenth, so that the sum along a path of fifty switches stays below.

use units::{Bytes, Length, Rate, Span};

use crate::text::Faults;

/// Longest time of a scenario.
const LONGEST: Span = Span::from_us(100_000_000_000);
/// Longest time of a message at the least rate of a scenario.
const LONGEST_MESSAGE: Span = Span::from_us(1_000_000_000_000);

/// Checks every time, length and rate that the text has, wherever it stands. Returns true if none is too long.
pub(super) fn check(faults: &mut Faults<'_>) -> bool {
    let source = faults.source;
    let Ok(outline) = source.outline() else { return true };
    let values: Vec<_> = outline.texts(source.text());
    let largest = values.iter().filter_map(|(path, text)| {
        let names = path.to_string();
        let is_message = names.contains("message") || names.contains("size");
        text.parse::<Bytes>().ok().filter(|_| is_message)
    });
    let largest = largest.max().unwrap_or_default();
    let before = faults.found.len();
    for (path, text) in &values {
        let too_long = |time: &str| format!("{time} is more than a run can count");
        let help = format!("write at most \"{LONGEST}\"");
        if text.parse::<Span>().is_ok_and(|time| time > LONGEST) {
            faults.add(path, too_long(text), help);
        } else if let Ok(length) = text.parse::<Length>()
            && length > Length::from_mm(LONGEST.ps() / 5)
        {
            let most = Length::from_mm(LONGEST.ps() / 5);
            faults.add(
                path,
                format!("light takes longer for {length} than a run can count"),
                format!("write at most \"{most}\""),
            );
        } else if let Ok(rate) = text.parse::<Rate>()
            && rate > Rate::bps(0)
        {
            let bits = u128::from(largest.get()) * 8;
            let least = (bits * 1_000_000).div_ceil(u128::from(LONGEST_MESSAGE.ps() / 1_000_000));
            if u128::from(rate.get()) < least {
                let message = format!("at {rate} a message of {largest} takes longer than a run can count");
                let least = Rate::bps(u64::try_from(least).unwrap_or(u64::MAX));
                faults.add(path, message, format!("write at least \"{least}\", or smaller messages"));
            }
        }
    }
    faults.found.len() == before
}

#[cfg(test)]
mod tests {
    use crate::{Scenario, ScenarioText};

    fn message(set: &[&str]) -> String {
        let mut source = ScenarioText::find("gran2011-scenario2").expect("it ships");
        set.iter().for_each(|one| source.set(one).expect("it can be set"));
        let checked = Scenario::read(&source).and_then(|scenario| scenario.check(&source));
        checked.map_or_else(|faults| faults.to_string(), |_| "right".to_owned())
    }

    #[test]
    fn times_that_could_wrap_are_refused_and_no_others() {
        let long = "is more than a run can count";
        for path in ["switch.latency", "duration"] {
            assert!(message(&[&format!("{path}=18446744 s")]).contains(long), "{path}");
            assert!(message(&[&format!("{path}=100001 s")]).contains(long), "{path}");
        }
        assert!(message(&["cables.host.propagation=Delay(\"10000000 s\")"]).contains(long));
        assert!(
            message(&["cables.host.propagation=Cable(\"30000000000000 m\")"]).contains("light takes longer")
        );
        assert!(
            message(&["adapter.injection_limit=500 b/s", "flows.F1.message=2 GiB"]).contains("takes longer")
        );
        assert_eq!(message(&["switch.latency=10 s", "adapter.injection_limit=500 Mb/s"]), "right");
    }
}
