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
    let values = outline.texts(source.text());
    let of_unit = |unit: &'static str| values.iter().filter(move |(_, text)| text.trim_end().ends_with(unit));
    let before = faults.found.len();
    for (place, text) in of_unit("s").filter(|(_, text)| !text.contains("/s")) {
        if text.parse::<Span>().is_ok_and(|time| time > LONGEST) {
            let path = outline.path_at(*place);
            faults.add(
                &path,
                format!("{text} is more than a run can count"),
                format!("write at most \"{LONGEST}\""),
            );
        }
    }
    let furthest = Length::from_mm(LONGEST.ps() / 5);
    for (place, text) in of_unit("m") {
        if let Some(length) = text.parse::<Length>().ok().filter(|length| *length > furthest) {
            let message = format!("light takes longer for {length} than a run can count");
            faults.add(&outline.path_at(*place), message, format!("write at most \"{furthest}\""));
        }
    }
    let is_message = |place| {
        let names = outline.path_at(place).to_string();
        names.contains("message") || names.contains("size")
    };
    let lengths = of_unit("B").filter_map(|(place, text)| Some((*place, text.parse::<Bytes>().ok()?)));
    // The path is asked of what would count: the longest so far.
    let largest =
        lengths.fold(
            Bytes::default(),
            |largest, (place, length)| {
                if length > largest && is_message(place) { length } else { largest }
            },
        );
    let bits = u128::from(largest.get()) * 8;
    let least = (bits * 1_000_000).div_ceil(u128::from(LONGEST_MESSAGE.ps() / 1_000_000));
    for (place, text) in of_unit("/s") {
        let Ok(rate) = text.parse::<Rate>() else { continue };
        if rate > Rate::bps(0) && u128::from(rate.get()) < least {
            let message = format!("at {rate} a message of {largest} takes longer than a run can count");
            let least = Rate::bps(u64::try_from(least).unwrap_or(u64::MAX));
            let help = format!("write at least \"{least}\", or smaller messages");
            faults.add(&outline.path_at(*place), message, help);
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
