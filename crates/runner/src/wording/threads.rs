//! The threads of a run, in words.

use fabric::{Division, FewerParts, Threads};

/// Says how a run is divided: its parts, their share of the work, and the cables between them. The windows in which
/// they work side by side follow.
#[must_use]
pub fn threads(division: &Division, asked: Threads) -> String {
    let divided = match &division.cost {
        None => "threads: 1, which takes the whole fabric\n".to_owned(),
        Some((cost, expected)) => {
            let all: u64 = cost.work.iter().sum();
            let share = |work: &u64| format!("{:.0} %", *work as f64 * 100.0 / all.max(1) as f64);
            let shares = cost.work.iter().map(share).collect::<Vec<_>>().join(", ");
            let window = match cost.window {
                Some(window) => {
                    format!(
                        "windows of at most {window}, in which a part is expected to have {expected:.0} events"
                    )
                }
                None => "no window ends before the run, since no cable leads from part to part".to_owned(),
            };
            format!(
                "threads: {}, one for each part: {shares} of the expected work; {} of {} cables between parts; {window}\n",
                division.parts(),
                cost.cut,
                cost.cables
            )
        }
    };
    divided
        + &fewer_threads(division, asked).map_or_else(String::new, |remark| format!("threads: {remark}\n"))
}

/// Says why a run takes fewer threads than asked for, if it does.
#[must_use]
pub fn fewer_threads(division: &Division, asked: Threads) -> Option<String> {
    let reasons: Vec<_> = few_cores(asked).into_iter().chain(division.fewer.map(reason)).collect();
    (!reasons.is_empty()).then(|| format!("{} of those asked for: {}", division.parts(), reasons.join("; ")))
}

/// Says how many threads there are for runs of a single thread each, if the machine has fewer cores than asked for.
#[must_use]
pub fn fewer_cores(asked: Threads) -> Option<String> {
    few_cores(asked).map(|reason| format!("{} of those asked for: {reason}", asked.most()))
}

fn few_cores(asked: Threads) -> Option<String> {
    let most = asked.most();
    match asked {
        Threads::AtMost(threads) if threads.get() > most => {
            Some(format!("the machine has {}", super::counted(most, "core")))
        }
        _ => None,
    }
}

/// Says what is less than asked for in a run by `ranks` ranks, and what they do not gain.
#[must_use]
pub fn ranks(division: &Division, ranks: usize) -> Option<String> {
    let Some((cost, expected)) = &division.cost else {
        let others = super::counted(ranks - 1, "other rank");
        let reason = division.fewer.map(reason).unwrap_or_default();
        return Some(format!("rank 0 runs alone, and {others} wait: {reason}"));
    };
    let window = cost.window.filter(|_| *expected < WORTH_AN_EXCHANGE)?;
    Some(format!(
        "the ranks share memory and not time: a part is expected to have {expected:.1} events in a window of {window}, which is less \
         than the exchange of messages after it takes"
    ))
}

/// Least events of a part in a window that are worth an exchange of messages after it, of some 3 us within a machine.
const WORTH_AN_EXCHANGE: f64 = 20.0;

fn reason(fewer: FewerParts) -> String {
    match fewer {
        FewerParts::FewNodes => "the fabric has too few nodes for more".to_owned(),
        FewerParts::NoTime => "signals would take no time between more parts".to_owned(),
        FewerParts::FewEvents { expected, window } => format!(
            "with one more, a part is expected to have {expected:.1} events in a window of {window}, which is less than the meeting \
             of threads after it takes"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use topology::PartitionCost;
    use units::Span;

    use super::*;

    #[test]
    fn a_division_is_told_with_its_reasons() {
        let two = Threads::AtMost(NonZero::new(1000).expect("1000 is not 0"));
        let cost =
            PartitionCost { work: vec![480, 520], cut: 64, cables: 256, window: Some(Span::from_ns(1100)) };
        let said = |cost, fewer| {
            let division = Division { cost, fewer, ..Division::of_one() };
            threads(&division, two)
                .replace(&format!("{} core", two.most()), "N core")
                .replace("cores", "core")
        };
        let few = FewerParts::FewEvents { expected: 1.25, window: Span::from_ns(5) };
        let all = [
            said(Some((cost, 531.4)), None),
            said(None, Some(FewerParts::FewNodes)),
            said(None, Some(FewerParts::NoTime)),
            said(None, Some(few)),
        ];
        insta::assert_snapshot!(all.concat());
    }

    #[test]
    fn ranks_that_gain_no_time_are_told() {
        let of = |expected| {
            let cost = PartitionCost { work: vec![1, 1], cut: 1, cables: 3, window: Some(Span::from_ns(30)) };
            ranks(&Division { cost: Some((cost, expected)), ..Division::of_one() }, 2)
        };
        assert_eq!(of(500.0), None);
        assert!(of(3.0).is_some_and(|said| said.contains("3.0 events in a window of 30 ns")));
        let alone = Division { fewer: Some(FewerParts::FewNodes), ..Division::of_one() };
        let said = "rank 0 runs alone, and 3 other ranks wait: the fabric has too few nodes for more";
        assert_eq!(ranks(&alone, 4).as_deref(), Some(said));
    }
}
