//! The constant part of an adapter, which most adapters of a fabric have in common.
//!
//! Invariant: a configuration never changes once its adapter is built, so that equal adapters can share it.

use std::sync::Arc;

use cc_policies::{AnyEcho, AnyResponse};
use packet::{Framing, Lane, ServiceLevel};
use units::Rate;

use super::setup::AdapterSetup;
use crate::endpoint::EndpointRule;

/// The constant part of an adapter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AdapterConfig {
    pub(super) rule: EndpointRule,
    pub(super) response: AnyResponse,
    pub(super) echo: AnyEcho,
    pub(super) sl_to_vl: [Lane; 16],
    /// Service level of acknowledgements, if it differs from their flow's.
    pub(super) ack_service_level: Option<ServiceLevel>,
    pub(super) injection_limit: Option<Rate>,
    pub(super) framing: Framing,
    /// True if packets of a flow may overtake each other in the fabric.
    pub(super) may_overtake: bool,
}

/// The configurations of the adapters that have been interned.
#[derive(Clone, Debug, Default)]
pub struct AdapterConfigs(Vec<Arc<AdapterConfig>>);

impl AdapterConfig {
    pub(super) fn new(setup: &AdapterSetup<'_>) -> Self {
        let spec = setup.spec;
        Self {
            rule: EndpointRule {
                mtu: setup.mtu,
                ack_every: spec.ack_every,
                max_outstanding: u64::from(spec.max_outstanding),
                max_reads: spec.max_reads.map_or(1, u32::from),
                timeout: spec.timeout(),
                retry_count: spec.retry_count,
                repeats: spec.repeat_rule(),
            },
            response: setup.response.clone(),
            echo: setup.echo,
            sl_to_vl: setup.sl_to_vl,
            ack_service_level: spec.ack_service_level.map(ServiceLevel),
            injection_limit: spec.injection_limit,
            framing: setup.framing,
            may_overtake: setup.may_overtake,
        }
    }
}

impl AdapterConfigs {
    /// Replaces a configuration by an equal member of this set, or adds it if there is no such member.
    pub(super) fn intern(&mut self, config: &mut Arc<AdapterConfig>) {
        if let Some(known) = self.0.iter().find(|known| **known == *config) {
            *config = Arc::clone(known);
        } else {
            self.0.push(Arc::clone(config));
        }
    }
}

#[cfg(test)]
mod tests {
    use cc_policies::ResponseSpec;
    use cc_policies::own::{OwnPolicies, ResponseSetup};
    use link_layer::flow_control::credits::UpdateRule;
    use link_layer::spec::{VlArbitrationSpec, WireTime};
    use link_layer::{FlowControlSetup, Port, PortSetup, VlArbiter, Wire};
    use packet::{Lid, Mtu, PortId};
    use units::{Bytes, Span};

    use super::*;
    use crate::adapter::Adapter;
    use crate::spec::{AdapterSpec, Compliance, ScheduleSpec};

    fn adapter(mtu: Mtu) -> Adapter {
        let room = vec![Bytes::kib(8)];
        let rule = UpdateRule { blocks: 1, interval: Span::from_us(4), refresh: Span::from_us(200) };
        let far_room = room.clone();
        let spec = AdapterSpec {
            receive_buffer: room[0],
            injection_limit: None,
            drain_limit: None,
            ack_every: 1,
            ack_service_level: None,
            max_outstanding: 16,
            delivery: crate::reordering::DeliverySpec::InOrder,
            recovery: crate::reordering::RecoverySpec::GoBackN,
            entropy: crate::entropy::EntropySpec::Flow,
            max_reads: None,
            ack_timeout: 0,
            retry_count: 7,
            vl_arbitration: None,
            schedule: ScheduleSpec::RoundRobin,
            congestion_control: Compliance::Comply,
        };
        Adapter::new(AdapterSetup {
            lid: Lid(1),
            port: Port::new(PortSetup {
                id: PortId(0),
                wire: Wire::store_and_forward(Rate::gbps(8), Span::from_ns(50)),
                flow_control: FlowControlSetup::Credits { room, far_room, rule, wire_time: WireTime::Free },
            }),
            lanes: VlArbiter::new(&VlArbitrationSpec::default()),
            data_lanes: 1,
            sl_to_vl: [Lane(0); 16],
            mtu,
            framing: Framing::InfiniBand,
            may_overtake: false,
            entropy: event_kernel::stream(1, "entropy", "any adapter"),
            spec: &spec,
            echo: AnyEcho::Cnp,
            response: AnyResponse::new(
                &ResponseSpec::Off,
                &OwnPolicies::NONE,
                ResponseSetup {
                    line: Rate::gbps(8),
                    stream: event_kernel::stream(1, "response", "any adapter"),
                },
            ),
        })
    }

    /// Equal adapters share a configuration, whatever was interned between them; others keep theirs.
    #[test]
    fn equal_adapters_share_their_configuration() {
        let mut adapters = [Mtu::K1, Mtu::K2, Mtu::K1, Mtu::K2].map(adapter);
        let mut known = AdapterConfigs::default();
        adapters.iter_mut().for_each(|adapter| adapter.intern(&mut known));
        let shared = |one: usize, other: usize| Arc::ptr_eq(&adapters[one].config, &adapters[other].config);
        assert!(shared(0, 2) && shared(1, 3) && !shared(0, 1));
        assert_eq!([0, 1].map(|one| adapters[one].config.rule.mtu), [Mtu::K1, Mtu::K2]);
    }
}
