//! Flows: their start within the run, and routes between their hosts.

use std::collections::BTreeMap;
use std::io;

use link_layer::CablePlan;
use packet::NodeId;
use settings::{FieldPath, SettingError, glob};
use topology::{Graph, Routes};
use units::{Rate, Time};
use workload::error::{FileError, HostError, InFile};
use workload::{Environment, Flow, Workload, WorkloadError, WorkloadErrorKind};

use crate::diagnostics::{Excerpt, LocatedFault};
use crate::format::Scenario;
use crate::text::Faults;
use settings::nearest;

/// The workload, and the files that it was read from, by name.
pub(super) type CheckedTraffic = (Workload, BTreeMap<String, String>);

/// Makes the workload, and reads the files that it names, unless the traffic has faults.
pub(super) fn workload(
    scenario: &Scenario,
    (graph, cables): (&Graph, &[CablePlan]),
    routes: &Routes,
    faults: &mut Faults<'_>,
) -> Option<CheckedTraffic> {
    check_times(scenario, faults);
    let hosts: Vec<&str> = graph.host_names().collect();
    let host_rate = |host: NodeId| -> Rate { cables[graph.ports(host)[0].cable].rate };
    let files = files(scenario, faults)?;
    let seed = scenario.seeds.traffic.unwrap_or(scenario.seed);
    let end = scenario.duration.after_start();
    let switches: Vec<NodeId> = graph.host_ids().map(|host| graph.ports(host)[0].peer).collect();
    let environment =
        Environment::new(&hosts, &host_rate, seed).ending(end).attached_to(&switches).with_files(&files);
    let traffic = Workload::build(&scenario.flows, &scenario.traffic, &environment);
    match traffic.and_then(|workload| workload.with_jobs(&scenario.jobs, &environment)) {
        Ok(workload) => {
            check_routes(scenario, &workload.flows, graph, routes, faults);
            Some((workload, files))
        }
        Err(error) => {
            add_error(&error, &hosts, &files, faults);
            None
        }
    }
}

/// Reads the files that patterns name, as far as they exist; returns `None` if one cannot be read.
fn files(scenario: &Scenario, faults: &mut Faults<'_>) -> Option<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let named = scenario.traffic.iter().enumerate();
    let of_patterns = named.filter_map(|(i, pattern)| {
        pattern.file().map(|(name, field)| (FieldPath::from("traffic").index(i), name, field))
    });
    let of_jobs = scenario.jobs.iter().enumerate().flat_map(|(i, job)| {
        job.files().map(move |(name, field)| (FieldPath::from("jobs").index(i), name, field))
    });
    for (place, name, field) in of_patterns.chain(of_jobs) {
        match faults.source.text_beside(name) {
            Ok(text) => drop(files.insert(name.to_owned(), text)),
            // The workload reports a wrong name or a missing file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let path = field.split('.').fold(place, |path, name| path.name(name));
                faults.add(&path, format!("`{name}` cannot be read: {error}"), "write a text file in UTF-8");
                return None;
            }
        }
    }
    Some(files)
}

fn add_error(
    error: &WorkloadError,
    hosts: &[&str],
    files: &BTreeMap<String, String>,
    faults: &mut Faults<'_>,
) {
    let fault = error.fault();
    match error.kind() {
        WorkloadErrorKind::File(FileError::InFile(found)) => {
            let InFile { file, at, fault: contents, .. } = &**found;
            faults.found.push(LocatedFault {
                file: file.clone(),
                place: Some(Box::new(Excerpt::new(&files[file], at.start, at.end))),
                path: fault.path.to_string(),
                message: contents.to_string(),
                help: fault.help,
            });
        }
        WorkloadErrorKind::Hosts(HostError::Unknown { given } | HostError::NoneMatches { given })
            if given.contains('(') =>
        {
            let help = "write names of hosts, such as \"h1*\"; `OtherRacks(8)` and `Drawn(8)` are for the senders of patterns \
                        with one receiver (`Incast`, `Converge`, `Sessions`), and `destinations: OtherRacks` is one of `Synthetic`";
            faults.add(&fault.path, format!("`{given}` names no host"), help);
        }
        WorkloadErrorKind::Hosts(HostError::Unknown { given } | HostError::NoneMatches { given })
            if !glob::is_wild(given) =>
        {
            faults.add(&fault.path, fault.message, nearest::help(given, hosts, "hosts"));
        }
        _ => faults.of_setting(&FieldPath::default(), fault),
    }
}

/// Checks that traffic begins within the run. Where an override shortened the run, the override is at fault.
fn check_times(scenario: &Scenario, faults: &mut Faults<'_>) {
    let end = scenario.duration.after_start();
    let mut late: Vec<_> = starts(scenario).into_iter().filter(|(_, _, start)| *start >= end).collect();
    if end == Time::ZERO {
        return;
    }
    let duration = FieldPath::from("duration");
    if faults.overridden(&duration) && !late.iter().any(|(path, ..)| faults.overridden(path)) {
        late.sort_by_key(|(_, _, start)| *start);
        if let Some((path, whose, start)) = late.pop() {
            let message = format!("{whose} would start when the run is over");
            faults.add(&duration, message, format!("write more than {start}, or set `{path}` too"));
        }
        return;
    }
    for (path, whose, start) in late {
        let message = format!("{whose} starts at {start}, when the run is over");
        faults.add(&path, message, format!("write less than the duration, {}", scenario.duration));
    }
}

/// Returns the start of every flow and pattern: the path of the field, the name, and the time.
fn starts(scenario: &Scenario) -> Vec<(FieldPath, String, Time)> {
    let mut all = Vec::new();
    for (i, flow) in scenario.flows.iter().enumerate() {
        let path = FieldPath::from("flows").index(i).name("start");
        all.push((path, format!("flow `{}`", flow.name), flow.start));
    }
    for (i, pattern) in scenario.traffic.iter().enumerate() {
        // The workload checks the times in a file.
        let Some((field, start)) = pattern.latest_start() else { continue };
        let whose =
            pattern.name().map_or_else(|| format!("`traffic[{i}]`"), |name| format!("pattern `{name}`"));
        all.push((FieldPath::from("traffic").index(i).name(field), whose, start));
    }
    for (i, job) in scenario.jobs.iter().enumerate() {
        let path = FieldPath::from("jobs").index(i).name("start");
        all.push((path, format!("job `{}`", job.name), job.start));
    }
    all
}

/// Checks that data can reach its destination, and that acknowledgements can return.
fn check_routes(
    scenario: &Scenario,
    flows: &[Flow],
    graph: &Graph,
    routes: &Routes,
    faults: &mut Faults<'_>,
) {
    for (i, flow) in flows.iter().enumerate() {
        let directions = [(flow.source, flow.destination), (flow.destination, flow.source)];
        let Some((from, to)) = directions.into_iter().find(|(from, to)| !leads(graph, routes, *from, *to))
        else {
            continue;
        };
        // Flows with names of their own come first.
        let own = i < scenario.flows.len();
        let path = if own { FieldPath::from("flows").index(i).name("to") } else { flow.field().into() };
        let (from, to) = (graph.name(from), graph.name(to));
        let message = format!("no route leads from `{from}` to `{to}`, and flow `{}` needs one", flow.name);
        faults.add(&path, message, super::routing::unreached(scenario, from, to));
        if !own {
            break;
        }
    }
}

/// Returns true if the tables lead from one host to another. If the first switch has an output, so have all others on the
/// path.
fn leads(graph: &Graph, routes: &Routes, from: NodeId, to: NodeId) -> bool {
    let next = graph.ports(from)[0].peer;
    next == to || !graph.is_host(next) && routes.output(next, to).is_some()
}
