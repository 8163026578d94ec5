//! Jobs that cannot be as they are: whose ranks all wait, or take messages of other sizes; and a command that shows the
//! program, or a transport that loses none.
//!
//! Invariant: a job is told as stuck only in a run that ended for that reason.

use telemetry::{JobRecord, MOST_WAITING, RunEnding, RunRecord, StuckCause, UnequalSizes, WaitingRank};

use super::command::{Advice, Command};
use crate::format::counted;

/// Verb that writes the program of a job.
const EXPORT: &str = "export goal";

/// Returns the operations at which ranks of a job wait, in words; `None` unless the job is stuck.
pub(super) fn waits(record: &RunRecord, job: &JobRecord) -> Option<String> {
    let first = job.waiting.first().filter(|_| is_stuck(record, job))?;
    // The record names the first few.
    let others = match job.waiting.len() {
        1 => String::new(),
        all if all < MOST_WAITING => format!(", and {}", counted(all - 1, "further wait")),
        all => format!(", and {} further waits at least", all - 1),
    };
    Some(format!("rank {} {}{others}", first.rank, waits_at(first)))
}

/// Returns what a rank waits for, without the rank: `waits at operation 7 for a message from rank 3 with any tag`.
#[must_use]
pub fn waits_at(WaitingRank { rank: _, operation, from, to, tag }: &WaitingRank) -> String {
    let one = |noun: &str, number: Option<u32>| {
        number.map_or_else(|| format!("any {noun}"), |number| format!("{noun} {number}"))
    };
    let tag = one("tag", *tag);
    match to {
        Some(to) => format!("waits at operation {operation} until rank {to} takes its message with {tag}"),
        None => {
            format!("waits at operation {operation} for a message from {} with {tag}", one("rank", *from))
        }
    }
}

/// Returns what a receiver took, without its rank: `has taken 800 B that rank 1 sent at operation 2 by a receive of
/// 8 B, operation 5`.
#[must_use]
pub fn took(
    UnequalSizes { send: (from, send), sent, receive: (_, receive), received }: &UnequalSizes,
) -> String {
    format!(
        "has taken {} B that rank {from} sent at operation {send} by a receive of {} B, operation {receive}",
        sent.get(),
        received.get()
    )
}

/// Returns the reason for which nothing ends the waits; `None` unless a job is stuck.
pub(super) fn cause(record: &RunRecord) -> Option<String> {
    first(record).map(|job| {
        format!(
            "No rank of {} computes, and no message of it is under way, so that nothing ends its waits.",
            job.name
        )
    })
}

/// Returns the first receive of a job that took a message of another size, in words.
pub(super) fn unequal(job: &JobRecord) -> Option<String> {
    let sizes = job.unequal?;
    let wrong = "the program is wrong, or its messages need tags";
    Some(format!("But rank {} {}: {wrong}.", sizes.receive.0, took(&sizes)))
}

/// Returns the command that shows the program of the first job that is stuck or has taken a message of another size, or
/// that gives it a transport which sends lost packets again.
pub(super) fn question(record: &RunRecord) -> Option<Advice> {
    let job = first(record).or_else(|| record.unequal().map(|(job, _)| job))?;
    if matches!(job.stuck, Some(StuckCause::Lost)) {
        let reason = "A transport that sends lost packets again".to_owned();
        return Some(Advice::new(reason, Command::With(format!("jobs.{}.transport=Rc", job.name))));
    }
    let several = record.jobs.len() > 1;
    let words = ["--job".to_owned(), job.name.clone()].into_iter().filter(|_| several).collect();
    let waits = job.waiting.first().filter(|_| is_stuck(record, job));
    let wrong = waits.map(|WaitingRank { rank, operation, .. }| (*rank, *operation));
    let at = wrong.or_else(|| job.unequal.map(|sizes| sizes.receive)).map_or_else(
        String::new,
        |(rank, operation)| {
            format!(", in which operation {operation} of rank {rank} has the label l{}", operation + 1)
        },
    );
    let reason = format!("The program of {}{at}", job.name);
    Some(Advice::new(reason, Command::Verb(EXPORT, words)))
}

fn first(record: &RunRecord) -> Option<&JobRecord> {
    record.jobs.iter().find(|job| is_stuck(record, job))
}

fn is_stuck(record: &RunRecord, job: &JobRecord) -> bool {
    record.ended == RunEnding::Stuck && job.end.is_none()
}

#[cfg(test)]
mod tests {
    use telemetry::RunRecord;

    use super::*;
    use crate::verdict::command::AskedScenario;

    #[test]
    fn a_stuck_job_is_told_with_its_waits() {
        let receive = WaitingRank { rank: 3, operation: 7, from: None, to: None, tag: Some(5) };
        let send = WaitingRank { rank: 4, operation: 0, from: None, to: Some(3), tag: None };
        let job = |name: &str, waiting: &[WaitingRank]| JobRecord {
            name: name.to_owned(),
            waiting: waiting.to_vec(),
            ..JobRecord::default()
        };
        let mut record = RunRecord {
            jobs: vec![job("J", &[receive, send]), job("K", &[send])],
            ended: RunEnding::Stuck,
            ..RunRecord::default()
        };
        let waits_of = |record: &RunRecord, job: usize| waits(record, &record.jobs[job]);
        assert_eq!(
            waits_of(&record, 0).as_deref(),
            Some("rank 3 waits at operation 7 for a message from any rank with tag 5, and 1 further wait")
        );
        assert_eq!(
            waits_of(&record, 1).as_deref(),
            Some("rank 4 waits at operation 0 until rank 3 takes its message with any tag")
        );
        let asked = AskedScenario::default();
        assert_eq!(
            question(&record).expect("it is stuck").sentence(&asked),
            "The program of J, in which operation 7 of rank 3 has the label l8: `backwater export goal plan.ron --job J`"
        );
        record.jobs.truncate(1);
        assert!(
            question(&record)
                .expect("it is stuck")
                .sentence(&asked)
                .ends_with("`backwater export goal plan.ron`")
        );
        record.jobs[0].stuck = Some(StuckCause::Lost);
        let transport = question(&record).expect("it is stuck").sentence(&asked);
        assert!(transport.contains("jobs.J.transport=Rc"), "{transport}");
        // A run that ended otherwise, and a job that did.
        record.ended = RunEnding::NotDone;
        assert_eq!((waits_of(&record, 0), question(&record)), (None, None));
        record.ended = RunEnding::Stuck;
        record.jobs[0].end = Some(units::Time::from_ps(1));
        assert_eq!((waits_of(&record, 0), cause(&record)), (None, None));
        let [sent, received] = [800, 8].map(units::Bytes::new);
        record.jobs[0].stuck = None;
        record.jobs[0].unequal = Some(UnequalSizes { send: (1, 2), sent, receive: (0, 5), received });
        assert!(
            unequal(&record.jobs[0]).is_some_and(|sizes| sizes.contains("800 B") && sizes.contains("8 B"))
        );
        let program = question(&record).expect("sizes differ").sentence(&asked);
        assert!(program.contains("operation 5 of rank 0"), "{program}");
    }
}
