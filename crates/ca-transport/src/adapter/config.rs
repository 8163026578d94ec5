//! The constant part of an adapter, which most adapters of a fabric have in common.
//!
//! Invariant: a configuration never changes once its adapter is built, so that equal adapters can share one.

use std::sync::Arc;

use cc_policies::{AnyEcho, AnyResponse};
use packet::{Framing, Lane};
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
    pub(super) injection_limit: Option<Rate>,
    pub(super) framing: Framing,
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
            },
            response: setup.response.clone(),
            echo: setup.echo,
            sl_to_vl: setup.sl_to_vl,
            injection_limit: spec.injection_limit,
            framing: setup.framing,
        }
    }
}

impl AdapterConfigs {
    /// Replaces a configuration by an equal one of this set, or adds the configuration if there is none.
    pub(super) fn intern(&mut self, config: &mut Arc<AdapterConfig>) {
        if let Some(known) = self.0.iter().find(|known| **known == *config) {
            *config = Arc::clone(known);
        } else {
            self.0.push(Arc::clone(config));
        }
    }
}
