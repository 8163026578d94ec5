//! Transport services of flows: their limits, and the reach of congestion control.

use cc_policies::{ResponseSpec, TrafficKind};
use packet::TransportService;
use settings::FieldPath;
use units::Bytes;
use workload::{Operation, PatternSpec};

use crate::format::Scenario;
use crate::text::Faults;

/// The use of a transport service by a flow, or by all flows of a pattern.
struct TransportUse<'a> {
    path: FieldPath,
    name: &'a str,
    to: &'a str,
    transport: TransportService,
    operation: Operation,
    message: Bytes,
}

/// Checks every flow against its adapters and the congestion control.
pub(super) fn check(scenario: &Scenario, response: &ResponseSpec, faults: &mut Faults<'_>) {
    let asked = asked(scenario);
    check_reads(scenario, &asked, faults);
    let mtu = Bytes::from(scenario.link.mtu);
    for flow in &asked {
        if flow.transport == TransportService::Ud && flow.message > mtu {
            let message = format!(
                "a message of {} is more than one packet, the longest message of UD; the MTU is {mtu}",
                flow.message
            );
            faults.add(&flow.path.name("message"), message, format!("write at most \"{mtu}\""));
        }
        check_control(response, flow, faults);
    }
}

fn asked(scenario: &Scenario) -> Vec<TransportUse<'_>> {
    macro_rules! asked {
        ($path:expr, $spec:expr, $name:expr) => {
            TransportUse {
                path: $path,
                name: $name,
                to: &$spec.to,
                transport: $spec.transport,
                operation: $spec.operation,
                message: $spec.message,
            }
        };
    }
    let flows = scenario
        .flows
        .iter()
        .enumerate()
        .map(|(i, flow)| asked!(FieldPath::from("flows").index(i), flow, &flow.name));
    let patterns = scenario.traffic.iter().enumerate().filter_map(|(i, pattern)| {
        let path = FieldPath::from("traffic").index(i);
        let name = pattern.name().unwrap_or("without a name");
        match pattern {
            PatternSpec::Converge(spec) => Some(asked!(path, spec, name)),
            PatternSpec::Sessions(spec) => Some(asked!(path, spec, name)),
            _ => None,
        }
    });
    flows.chain(patterns).collect()
}

/// Checks that adapters that ask for RDMA READs over RC have a limit for them: there is no usual one.
fn check_reads(scenario: &Scenario, asked: &[TransportUse<'_>], faults: &mut Faults<'_>) {
    let reads = |flow: &&TransportUse<'_>| {
        flow.operation == Operation::RdmaRead && flow.transport == TransportService::Rc
    };
    let mut said = Vec::new();
    for flow in asked.iter().filter(reads) {
        let (own, all) = (FieldPath::from("adapters").name(flow.to), FieldPath::from("adapter"));
        let (path, spec) = match scenario.adapters.get(flow.to) {
            Some(spec) => (own, spec),
            None => (all, &scenario.adapter),
        };
        if spec.max_reads.is_none() && !said.contains(&path) {
            let message = format!(
                "flow `{}` reads, and `{}` has no limit of RDMA READs in progress",
                flow.name, flow.to
            );
            let help = format!("write `max_reads: 16`, or another number from 1 to 255, in `{path}`");
            faults.add(&path, message, help);
            said.push(path);
        }
    }
}

/// Checks that a response with a window alone controls acknowledged flows only: a window does not limit others.
fn check_control(response: &ResponseSpec, flow: &TransportUse<'_>, faults: &mut Faults<'_>) {
    let ResponseSpec::Hp(response) = response else { return };
    let sends = if flow.operation == Operation::RdmaRead {
        TrafficKind::ReadResponses
    } else {
        TrafficKind::Requests
    };
    if sends.is_acknowledged(flow.transport) || response.rate.is_some() || response.window.is_none() {
        return;
    }
    let what = if flow.operation == Operation::RdmaRead { "RDMA READ" } else { flow.transport.word() };
    let field = if flow.operation == Operation::RdmaRead { "operation" } else { "transport" };
    let message = format!(
        "an HP response without control of the rate cannot control {what} flow `{}`: its data is not acknowledged, \
         so a window does not limit it",
        flow.name
    );
    let help = "write `rate` in `congestion_control.response`, or make it a SEND or RDMA WRITE over RC or RD";
    faults.add(&flow.path.name(field), message, help);
}
