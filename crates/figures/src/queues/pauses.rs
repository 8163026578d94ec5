//! Pauses of outputs over time, as rows of a map.
//!
//! Invariant: a row is empty where the log of pauses has been full, and what follows is not known.

use results::reader::RunFacts;
use results::rows::PauseRow;

use super::super::engine::Panel;
use super::super::gathered::by_object;
use super::super::heat::{TimeGrid, share_class, share_classes};
use super::STRIPS;

/// The pauses of an output and lane.
#[derive(Clone, Debug, PartialEq)]
struct PausedOutput {
    name: String,
    /// Beginning and end of each pause, in s; the last may have no end.
    pauses: Vec<(f64, f64)>,
    /// End of what is known, in s; infinite unless the log was full.
    known_s: f64,
}

/// Returns the map of the outputs that were paused longest; `None` if none was.
pub(super) fn panel(rows: &[PauseRow<'_>], facts: &RunFacts, notes: &mut Vec<String>) -> Option<Panel> {
    let mut outputs = paused_outputs(rows, facts.lost_pauses() > 0);
    if outputs.is_empty() {
        return None;
    }
    let paused = |output: &PausedOutput| {
        let end = facts.end_s().min(output.known_s);
        output.pauses.iter().map(|(from, to)| (to.min(end) - from).max(0.0)).sum::<f64>()
    };
    outputs.sort_by(|one, other| paused(other).total_cmp(&paused(one)));
    if outputs.len() > STRIPS {
        notes.push(format!("{} further outputs were paused for a shorter time.", outputs.len() - STRIPS));
        outputs.truncate(STRIPS);
    }
    if outputs.iter().any(|output| output.known_s.is_finite()) {
        notes.push(
            "Pauses are not known where a row is empty: the log of that output was full (`pauses_kept`)."
                .to_owned(),
        );
    }
    let grid = TimeGrid::finest(facts);
    let row = |output: PausedOutput| {
        let shares = grid.shares(&output.pauses, output.known_s);
        (output.name, shares.into_iter().map(|share| share.map(share_class)).collect())
    };
    Some(grid.panel("Share of time paused", share_classes(), outputs.into_iter().map(row).collect()))
}

/// Returns the pauses of each output. A log may have been full if `is_lossy`, and it has as many rows as the longest.
fn paused_outputs(rows: &[PauseRow<'_>], is_lossy: bool) -> Vec<PausedOutput> {
    let outputs = by_object(rows, |row| (&*row.node, row.port, row.lane));
    let longest = outputs.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
    let output = |(_, rows): ((&str, u32, u32), Vec<&PauseRow<'_>>)| {
        let (mut open, mut pauses) = (None, Vec::new());
        for row in &rows {
            if row.is_pause() {
                open = Some(row.time_s);
            } else if let Some(from) = open.take() {
                pauses.push((from, row.time_s));
            }
        }
        pauses.extend(open.map(|from| (from, f64::INFINITY)));
        let was_full = is_lossy && rows.len() == longest;
        let known_s = rows.last().filter(|_| was_full).map_or(f64::INFINITY, |row| row.time_s);
        PausedOutput { name: rows[0].output(), pauses, known_s }
    };
    outputs.into_iter().map(output).collect()
}

#[cfg(test)]
mod tests {
    use results::RunFiles;

    use super::super::super::engine::Layer;
    use super::*;
    use crate::fixture;

    /// An output is paused for 6 of 20 ms, and another from 15 ms on.
    fn rows() -> Vec<PauseRow<'static>> {
        let row = |time_s: f64, port: u32, event: &'static str| PauseRow {
            time_s,
            node: "S1".into(),
            port,
            peer: format!("H{port}").into(),
            lane: 0,
            event: event.into(),
        };
        vec![row(0.01, 1, "pause"), row(0.016, 1, "resume"), row(0.015, 2, "pause")]
    }

    #[test]
    fn a_pause_without_end_lasts_to_the_end_and_a_full_log_is_unknown_after_its_last_row() {
        let outputs = paused_outputs(&rows(), false);
        let of = |outputs: &[PausedOutput]| {
            outputs.iter().map(|one| (one.pauses.clone(), one.known_s)).collect::<Vec<_>>()
        };
        let ever = f64::INFINITY;
        assert_eq!(of(&outputs), [(vec![(0.01, 0.016)], ever), (vec![(0.015, ever)], ever)]);
        let known: Vec<_> = paused_outputs(&rows(), true).iter().map(|one| one.known_s).collect();
        assert_eq!(known, [0.016, ever], "the log of port 2 is shorter, so it was not full");
    }

    #[test]
    fn rows_show_the_share_of_time_paused_and_nothing_where_it_is_not_known() {
        let mut facts = RunFiles::Written(&fixture::files()).summary().expect("there is a summary");
        let cells = |facts: &RunFacts, notes: &mut Vec<String>| {
            let panel = panel(&rows(), facts, notes).expect("outputs were paused");
            let Layer::Heat { rows, .. } = &panel.layers[0] else { panic!("the panel is a map") };
            rows.iter().map(|row| [row[0], row[100], row[159]]).collect::<Vec<_>>()
        };
        let mut notes = Vec::new();
        facts.pause_log = None;
        assert_eq!(cells(&facts, &mut notes), [[Some(0), Some(5), Some(0)], [Some(0), Some(0), Some(5)]]);
        assert!(notes.is_empty());
        facts.pause_log = Some(results::reader::PauseLogFacts { lost_events: 3 });
        assert!(
            cells(&facts, &mut notes).contains(&[Some(0), Some(5), None]) && notes.len() == 1,
            "{notes:?}"
        );
    }
}
