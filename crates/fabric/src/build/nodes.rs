//! Nodes: each is built from its plan.
//!
//! Invariant: a node depends on its own plan and on properties of the whole fabric. Random streams are named after
//! their owners, so that one more node changes no other node's draws.

use std::sync::Arc;

use ca_transport::{Adapter, AdapterConfigs, AdapterSetup, AdapterSpec, Compliance};
use cc_policies::own::ResponseSetup;
use cc_policies::policy::{BufferOwner, MarkerSetup};
use cc_policies::{AnyEcho, AnyMarker, AnyResponse, Control};
use link_layer::{Port, PortConfigs, PortPlan, VlArbiter};
use packet::{NodeId, PortId};
use scenario::{NodePlan, Plan};
use switch_arch::{DetourSetup, SelectionSetup, Switch, SwitchPlan, SwitchSetup};

/// Builds nodes of a plan. Nodes that are alike share the constant part of their state.
pub(super) struct NodeBuilder<'a> {
    plan: &'a Plan,
    ports: PortConfigs,
    adapters: AdapterConfigs,
}

impl<'a> NodeBuilder<'a> {
    /// Creates a builder for the nodes of a plan.
    pub(super) fn new(plan: &'a Plan) -> Self {
        Self { plan, ports: PortConfigs::default(), adapters: AdapterConfigs::default() }
    }

    /// Builds a channel adapter.
    pub(super) fn adapter(&mut self, node: NodeId, adapter: &NodePlan<AdapterSpec>) -> Adapter {
        let (link, control) = (self.plan.link(), self.plan.control());
        let (echo, response) = match adapter.settings.congestion_control {
            Compliance::Comply => (control.echo, &control.response),
            Compliance::Ignore => (control.echo, &Control::OFF.response),
            Compliance::Silent => (AnyEcho::Off, &Control::OFF.response),
        };
        let port = self.port(node, PortId(0), &adapter.ports[0]);
        let rate = port.wire().rate();
        let stream = event_kernel::stream(self.plan.marking_seed(), "response", self.plan.graph().name(node));
        let entropy = event_kernel::stream(self.plan.seed(), "entropy", self.plan.graph().name(node));
        let mut adapter = Adapter::new(AdapterSetup {
            lid: node.lid(),
            port,
            lanes: VlArbiter::new(adapter.settings.vl_arbitration.as_ref().unwrap_or(&link.vl_arbitration)),
            data_lanes: usize::from(link.data_lanes),
            sl_to_vl: link.lanes,
            mtu: link.mtu,
            framing: link.framing,
            may_overtake: self.plan.packets_may_overtake(),
            entropy,
            spec: &adapter.settings,
            echo,
            response: AnyResponse::new(response, self.plan.own(), ResponseSetup { line: rate, stream }),
        });
        adapter.intern(&mut self.adapters);
        adapter
    }

    pub(super) fn switch(&mut self, node: NodeId, switch: &NodePlan<SwitchPlan>) -> Switch {
        let (plan, settings) = (self.plan, &switch.settings);
        let (link, radix) = (plan.link(), switch.ports.len());
        let data_lanes = usize::from(link.data_lanes);
        let ports = (0..).map(PortId).zip(&switch.ports);
        Switch::new(SwitchSetup {
            ports: ports.map(|(number, port)| self.port(node, number, port)).collect(),
            lanes: match &settings.vl_arbitration {
                None => vec![VlArbiter::new(&link.vl_arbitration); radix],
                Some(ports) => ports.iter().map(VlArbiter::new).collect(),
            },
            data_lanes,
            longest_packet: link.longest_packet(),
            forwarding: plan.routes().table(node).clone(),
            selection: settings.selection.map(|selection| SelectionSetup {
                plan: selection,
                hosts: plan.graph().hosts(),
                stream: event_kernel::stream(plan.paths_seed(), "selection", plan.graph().name(node)),
            }),
            sl_to_vl: settings.sl_to_vl.clone(),
            detours: plan.routes().detours().map(|rule| DetourSetup {
                rule: Arc::clone(rule),
                routing: plan.scenario().routing.clone(),
                switch: node.index() - plan.graph().hosts(),
                ranks: rule.ranks(plan.graph(), node),
                stream: event_kernel::stream(plan.paths_seed(), "detours", plan.graph().name(node)),
            }),
            memory: settings.sharing.build(),
            egress_limit: settings.egress_limit,
            egress_pool: settings.egress_pool.clone(),
            buffering: settings.buffering,
            arbiter: settings.arbiter,
            marker: AnyMarker::new(&plan.control().marking, plan.own(), &marker_setup(plan, node, settings)),
            output_buffer: settings.output_buffer,
            speedup_thousandths: settings.speedup_thousandths,
        })
    }

    fn port(&mut self, node: NodeId, number: PortId, plan: &PortPlan) -> Port {
        let mut port = plan.build(number);
        let pauses = &self.plan.series().pauses;
        if pauses.logs(node, number) {
            port.log_pauses(pauses.kept);
        }
        port.intern(&mut self.ports);
        port
    }
}

fn marker_setup(plan: &Plan, node: NodeId, settings: &SwitchPlan) -> MarkerSetup {
    let (graph, link) = (plan.graph(), plan.link());
    let ends = graph.ports(node);
    let buffers_of = settings.buffering.buffers_of();
    MarkerSetup {
        name: graph.name(node).to_owned(),
        radix: ends.len(),
        lanes: usize::from(link.data_lanes),
        buffers_of,
        capacity: match buffers_of {
            BufferOwner::Inputs => settings.buffer,
            BufferOwner::Outputs => settings.output_buffer,
        },
        longest_packet: link.longest_packet(),
        numbers: graph.port_numbers(node).collect(),
        faces_adapter: ends.iter().map(|end| graph.is_host(end.peer)).collect(),
        rates: ends.iter().map(|end| plan.cable(end.cable).rate).collect(),
        stream: event_kernel::stream(plan.marking_seed(), "marking", graph.name(node)),
    }
}
