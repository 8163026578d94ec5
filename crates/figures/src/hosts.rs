//! `hosts.svg`: mean goodput by host, received and sent.
//!
//! Invariant: every host that sends or receives a flow has a bar in both panels.

use std::collections::BTreeMap;

use results::reader::RunFiles;

use super::engine::{Axis, Chart, Ink, Layer, Panel};
use super::fault::FigureFault;
use super::scales;

pub(super) fn chart(files: RunFiles<'_>) -> Result<Chart, FigureFault> {
    let (facts, flows) = (files.summary()?, files.flows()?);
    let mut by_name: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for flow in &*flows {
        for (direction, host) in [&flow.dst, &flow.src].into_iter().enumerate() {
            by_name.entry(host).or_default()[direction] += flow.delivered_bytes as f64;
        }
    }
    let mut hosts: Vec<_> = by_name.into_iter().collect();
    hosts.sort_by_cached_key(|(name, _)| parts(name));
    if hosts.is_empty() || facts.simulated_s <= 0.0 {
        return Err(FigureFault::Empty("the run has no flows"));
    }
    let names = || hosts.iter().map(|(name, _)| (*name).to_owned());
    let panel = |direction: usize, title: &str| {
        let gbps = |bytes: &[f64; 2]| bytes[direction] * 8.0 / facts.simulated_s / 1e9;
        let values: Vec<f64> = hosts.iter().map(|(_, bytes)| gbps(bytes)).collect();
        let y = Axis::from_zero("mean goodput (Gb/s)", values.iter().copied());
        let bars = Layer::Bars { name: String::new(), ink: Ink::Palette(0), values };
        Panel {
            title: title.to_owned(),
            x: Axis::of_names("host", names()),
            y,
            height: 170.0,
            layers: vec![bars],
        }
    };
    let mut panels =
        vec![panel(0, "Received by each host"), panel(1, "Sent by each host, as far as delivered")];
    scales::share(&mut panels);
    Ok(Chart {
        title: format!("{}, {}: mean goodput of each host", facts.scenario, facts.scheme()),
        description:
            "Payload delivered over the whole run, divided by its length, by destination and by source."
                .to_owned(),
        panels,
        columns: 1,
        notes: Vec::new(),
        ..Chart::default()
    })
}

/// A part of a name: letters, or a number, so that `h2` stands before `h10`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamePart {
    Number(u64, String),
    Letters(String),
}

fn parts(name: &str) -> Vec<NamePart> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_like = |letter: char| letter.is_ascii_digit() == first.is_ascii_digit();
        let (part, after) = rest.split_at(rest.find(|letter| !is_like(letter)).unwrap_or(rest.len()));
        let number = part.parse().map(|number| NamePart::Number(number, part.to_owned()));
        parts.push(number.unwrap_or_else(|_| NamePart::Letters(part.to_owned())));
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use results::OutputFile;

    use super::*;
    use crate::fixture;

    #[test]
    fn hosts_stand_in_the_order_of_their_numbers() {
        let mut names = ["h10", "h2", "a1", "h2x", "12"];
        names.sort_by_key(|name| parts(name));
        assert_eq!(names, ["12", "a1", "h2", "h2x", "h10"]);
    }

    #[test]
    fn bars_add_up_to_all_that_was_delivered() {
        let files: Vec<OutputFile> = fixture::files();
        let chart = chart(RunFiles::Written(&files)).expect("there are flows");
        let flows = RunFiles::Written(&files).flows().expect("there is a table");
        let all: f64 = flows.iter().map(|flow| flow.delivered_bytes as f64).sum();
        for panel in &chart.panels {
            let Layer::Bars { values, .. } = &panel.layers[0] else { panic!("the panel has bars") };
            assert!((values.iter().sum::<f64>() - all * 8.0 / 0.02 / 1e9).abs() < 1e-9);
        }
    }
}
