//! The cause of a root, as a word in files and in words on the terminal.
//!
//! Invariant: a root without a named cause says so.

use telemetry::{Cause, RootRecord};
use units::{Bytes, Rate};

/// Returns the word for a cause in files.
pub(crate) const fn word(cause: Cause) -> &'static str {
    match cause {
        Cause::SlowReceiver { .. } => "slow_receiver",
        Cause::CreditRoundTrip { .. } => "credit_round_trip",
        Cause::HeadOfLine => "head_of_line",
        Cause::SlowerLink { .. } => "slower_link",
        Cause::MoreSenders => "more_senders",
        Cause::SlowerLinkOfSeveral { .. } => "slower_link_of_several",
    }
}

/// Returns the cause of a root in words.
pub(crate) fn words(root: &RootRecord) -> String {
    let (link, senders) = (gbps(root.rate), root.senders);
    match root.cause {
        None => "not known".to_owned(),
        Some(Cause::SlowReceiver { takes }) => {
            // A slow host may take next to nothing, which is 0 Gb/s when rounded.
            format!("host {} takes {takes} of payload, less than its link of {link} Gb/s brings", root.peer)
        }
        Some(Cause::CreditRoundTrip { buffer, needed }) => format!(
            "credits return too late: the buffer at {} has {} KB, and a link of this rate and length needs {} KB",
            root.peer,
            kilobytes(buffer),
            kilobytes(needed),
        ),
        Some(Cause::HeadOfLine) => {
            format!(
                "head-of-line blocking in the input FIFOs of {}: no output of it is fully used",
                root.node
            )
        }
        Some(Cause::SlowerLink { feeding }) => {
            format!("a link of {link} Gb/s, slower than those that feed it ({} Gb/s and more)", gbps(feeding))
        }
        Some(Cause::MoreSenders) => {
            format!("more senders than the link takes: {senders} hosts, and one link of {link} Gb/s")
        }
        Some(Cause::SlowerLinkOfSeveral { feeding }) => format!(
            "a link of {link} Gb/s, slower than each of those that feed it ({} Gb/s and more), and {senders} senders",
            gbps(feeding),
        ),
    }
}

fn gbps(rate: Rate) -> f64 {
    measures::rounded(rate.get() as f64 / 1e9, 2)
}

fn kilobytes(amount: Bytes) -> f64 {
    measures::rounded(amount.get() as f64 / 1e3, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn every_cause_in_words() {
        let root = sample::record().congestion.roots.swap_remove(0);
        let feeding = Rate::gbps(40);
        let causes = [
            None,
            Some(Cause::SlowReceiver { takes: Rate::bps(13_200_000_000) }),
            Some(Cause::CreditRoundTrip { buffer: Bytes::kib(64), needed: Bytes::new(512_345) }),
            Some(Cause::HeadOfLine),
            Some(Cause::SlowerLink { feeding }),
            Some(Cause::MoreSenders),
            Some(Cause::SlowerLinkOfSeveral { feeding }),
        ];
        let line = |cause: &Option<Cause>| {
            format!("{}: {}", cause.map_or("-", word), words(&RootRecord { cause: *cause, ..root.clone() }))
        };
        insta::assert_snapshot!(causes.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
}
