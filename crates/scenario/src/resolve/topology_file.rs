//! Topologies in a file beside the scenario (`topology: HpccFile(..)`).
//!
//! Invariant: the plan, and the scenario that is written beside its results, contain the nodes, links and cables of the
//! file. Lists of flows number hosts as the file does.

use link_layer::spec::{CableSpec, Propagation};
use names::file::stays_below;
use settings::FieldPath;
use topology::TopologySpec;
use topology::hpcc;
use workload::PatternSpec;

use crate::diagnostics::{Excerpt, LocatedFault};
use crate::format::Scenario;
use crate::text::Faults;

/// Replaces a topology file by its nodes, links and cables, unless the file has faults.
pub(crate) fn resolve(scenario: &mut Scenario, faults: &mut Faults<'_>) {
    let TopologySpec::HpccFile(file) = &scenario.topology else { return };
    let path = FieldPath::from("topology");
    if !stays_below(file) {
        let message = format!("`{file}` is not the name of a file in the scenario's folder, or below it");
        return faults.add(
            &path,
            message,
            "write a name such as `topology.txt` or `fabrics/topology.txt`, without `..`",
        );
    }
    let text = match faults.source.text_beside(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return faults.add(
                &path,
                format!("there is no file `{file}` beside the scenario"),
                "put it there",
            );
        }
        Err(error) => {
            return faults.add(
                &path,
                format!("`{file}` cannot be read: {error}"),
                "it is a text file in UTF-8",
            );
        }
    };
    match hpcc::read(&text) {
        Ok(fabric) => {
            for (name, rate, flight) in fabric.cables {
                let cable = CableSpec {
                    rate: Some(rate),
                    width: None,
                    speed: None,
                    propagation: Propagation::Delay(flight),
                };
                scenario.cables.entry(name).or_insert(cable);
            }
            scenario.topology = TopologySpec::Custom(fabric.custom);
            number_hosts(scenario);
        }
        Err(flaw) => {
            let (message, help) = (flaw.kind.to_string(), Some(flaw.kind.help()));
            let place = Some(Box::new(Excerpt::new(&text, flaw.at.start, flaw.at.end)));
            faults.found.push(LocatedFault {
                file: file.clone(),
                place,
                path: path.to_string(),
                message,
                help,
            });
        }
    }
}

/// Makes the numbers of hosts in lists of flows those of the topology's file, unless a list says otherwise.
fn number_hosts(scenario: &mut Scenario) {
    for pattern in &mut scenario.traffic {
        if let PatternSpec::FlowList(list) = pattern {
            list.host_prefix.get_or_insert_with(|| hpcc::HOST_PREFIX.to_owned());
        }
    }
}
