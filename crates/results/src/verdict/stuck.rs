//! Jobs whose ranks all wait: who waits for which message, and a command that shows the program.
//!
//! Invariant: a job is told as stuck only in a run that ended for that reason.

use telemetry::{JobRecord, MOST_WAITING, RunEnding, RunRecord, WaitingRank};

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
    Some(format!("{}{others}", wait(first)))
}

/// Returns the operation at which a rank waits, and the message that it waits for.
fn wait(one: &WaitingRank) -> String {
    let WaitingRank { rank, operation, from, to, tag } = *one;
    let tag = tag.map_or_else(|| "any tag".to_owned(), |tag| format!("tag {tag}"));
    match (to, from) {
        (Some(to), _) => {
            format!("rank {rank} waits at operation {operation} until rank {to} takes its message with {tag}")
        }
        (None, Some(from)) => {
            format!("rank {rank} waits at operation {operation} for a message from rank {from} with {tag}")
        }
        (None, None) => {
            format!("rank {rank} waits at operation {operation} for a message from any rank with {tag}")
        }
    }
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

/// Returns the command that shows the program of the first stuck job.
pub(super) fn question(record: &RunRecord) -> Option<Advice> {
    let job = first(record)?;
    let several = record.jobs.len() > 1;
    let words = ["--job".to_owned(), job.name.clone()].into_iter().filter(|_| several).collect();
    let at = job.waiting.first().map_or_else(String::new, |one| {
        let WaitingRank { rank, operation, .. } = one;
        format!(", in which operation {operation} of rank {rank} has the label l{}", operation + 1)
    });
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
        // A run that ended otherwise, and a job that did.
        record.ended = RunEnding::NotDone;
        assert_eq!((waits_of(&record, 0), question(&record)), (None, None));
        record.ended = RunEnding::Stuck;
        record.jobs[0].end = Some(units::Time::from_ps(1));
        assert_eq!((waits_of(&record, 0), cause(&record)), (None, None));
    }
}
