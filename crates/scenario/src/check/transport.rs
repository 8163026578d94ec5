//! Transport services of flows: their limits, and the reach of congestion control.

use std::collections::BTreeSet;

use cc_policies::{ResponseSpec, TrafficKind};
use packet::TransportService;
use settings::FieldPath;
use topology::Graph;
use units::Bytes;
use workload::{Carriage, FlowSpec, Operation, Workload};

use super::entries::settings_of;
use crate::format::Scenario;
use crate::text::Faults;

/// The use of a transport service by a flow, or by all flows of a pattern.
struct TransportUse<'a> {
    path: FieldPath,
    /// The flow or pattern, as a message names it.
    whose: String,
    /// Hosts that post RDMA READs over RC, in the order of their names.
    requesters: BTreeSet<&'a str>,
    carriage: Carriage,
    /// Payload of the longest message, and its field.
    longest: (Bytes, &'static str),
}

/// Checks every flow of `flows` against its adapters and the congestion control.
pub(super) fn check_flows(scenario: &Scenario, response: &ResponseSpec, faults: &mut Faults<'_>) {
    let flows = scenario.flows.iter().enumerate();
    let asked = flows.map(|(i, flow)| {
        let FlowSpec { service_level, transport, operation, .. } = *flow;
        let carriage = Carriage { service_level, transport, operation };
        let requester = if operation == Operation::RdmaRead { &flow.to } else { &flow.from };
        TransportUse {
            path: FieldPath::from("flows").index(i),
            whose: format!("flow `{}`", flow.name),
            requesters: reads(carriage).then_some(requester.as_str()).into_iter().collect(),
            carriage,
            longest: (flow.message, "message"),
        }
    });
    for one in asked {
        check(scenario, response, &one, faults);
    }
}

/// Checks the flows of every pattern in the same way.
pub(super) fn check_patterns(
    scenario: &Scenario,
    response: &ResponseSpec,
    (graph, workload): (&Graph, &Workload),
    faults: &mut Faults<'_>,
) {
    let mut requesters = vec![BTreeSet::new(); workload.patterns.len()];
    for flow in &workload.flows {
        if let Some(pattern) = flow.pattern
            && reads(workload.patterns[pattern as usize].carriage)
        {
            requesters[pattern as usize].insert(graph.name(flow.requester()));
        }
    }
    let patterns = workload.patterns.iter().zip(&scenario.traffic).zip(requesters).enumerate();
    let asked = patterns.map(|(i, ((pattern, spec), requesters))| TransportUse {
        path: FieldPath::from("traffic").index(i),
        whose: pattern
            .name
            .as_ref()
            .map_or_else(|| format!("`traffic[{i}]`"), |name| format!("pattern `{name}`")),
        requesters,
        carriage: pattern.carriage,
        longest: (pattern.longest, spec.size_field()),
    });
    for one in asked {
        check(scenario, response, &one, faults);
    }
}

/// Returns true if these are RDMA READs over RC.
fn reads(carriage: Carriage) -> bool {
    carriage.operation == Operation::RdmaRead && carriage.transport == TransportService::Rc
}

fn check(scenario: &Scenario, response: &ResponseSpec, asked: &TransportUse<'_>, faults: &mut Faults<'_>) {
    check_reads(scenario, asked, faults);
    let mtu = Bytes::from(scenario.link.mtu);
    let (longest, field) = asked.longest;
    if asked.carriage.transport == TransportService::Ud && longest > mtu {
        let message = format!(
            "a message of {longest} is more than one packet, the longest message of UD; the MTU is {mtu}"
        );
        faults.add(&asked.path.name(field), message, format!("write at most \"{mtu}\""));
    }
    check_control(response, asked, faults);
}

/// Checks that adapters that ask for RDMA READs over RC have a limit for them: there is no usual one.
fn check_reads(scenario: &Scenario, asked: &TransportUse<'_>, faults: &mut Faults<'_>) {
    for host in &asked.requesters {
        let own = ("adapters", &scenario.adapters);
        let (path, spec) = settings_of(own, ("adapter", &scenario.adapter), host);
        let place = path.to_string();
        if spec.max_reads.is_none() && !faults.found.iter().any(|fault| fault.path == place) {
            let whose = &asked.whose;
            let message = format!("{whose} reads, and `{host}` has no limit of RDMA READs in progress");
            let help = format!("write `max_reads: 16`, or another number from 1 to 255, in `{path}`");
            faults.add(&path, message, help);
        }
    }
}

/// Checks that a response with a window alone controls acknowledged flows only: a window does not limit others.
fn check_control(response: &ResponseSpec, asked: &TransportUse<'_>, faults: &mut Faults<'_>) {
    let Carriage { transport, operation, .. } = asked.carriage;
    let ResponseSpec::Hp(response) = response else { return };
    let sends =
        if operation == Operation::RdmaRead { TrafficKind::ReadResponses } else { TrafficKind::Requests };
    if sends.is_acknowledged(transport) || response.rate.is_some() || response.window.is_none() {
        return;
    }
    let what = if operation == Operation::RdmaRead { "RDMA READ" } else { transport.word() };
    let field = if operation == Operation::RdmaRead { "operation" } else { "transport" };
    let message = format!(
        "an HP response without control of the rate cannot control {what} {}: its data is not acknowledged, \
         so a window does not limit it",
        asked.whose
    );
    let help = "write `rate` in `congestion_control.response`, or make it a SEND or RDMA WRITE over RC or RD";
    faults.add(&asked.path.name(field), message, help);
}
