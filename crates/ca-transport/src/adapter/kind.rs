//! What never changes of an adapter, and is the same for most of a fabric.
//!
//! Invariant: nothing here changes once an adapter is made, so that adapters of a kind can share it.

use std::sync::Arc;

use cc_policies::{AnyEcho, AnyResponse};
use packet::{Framing, Lane};
use units::Rate;

use super::{Adapter, AdapterSetup};
use crate::transport::Rule;

/// What never changes of an adapter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kind {
    pub(super) rule: Rule,
    pub(super) response: AnyResponse,
    pub(super) echo: AnyEcho,
    pub(super) sl_to_vl: [Lane; 16],
    pub(super) injection_limit: Option<Rate>,
    pub(super) framing: Framing,
}

/// Kinds of adapters met so far.
#[derive(Clone, Debug, Default)]
pub struct AdapterConfigs(Vec<Arc<Kind>>);

impl Kind {
    pub(super) fn new(setup: &AdapterSetup<'_>) -> Self {
        let spec = setup.spec;
        Self {
            rule: Rule {
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

impl Adapter {
    /// Makes adapters of a kind keep what never changes in one place, which then stays in the cache. `kinds` are those
    /// met so far, and this adapter's is added where it is new.
    pub fn intern(&mut self, kinds: &mut AdapterConfigs) {
        if let Some(kind) = kinds.0.iter().find(|kind| **kind == self.kind) {
            self.kind = Arc::clone(kind);
        } else {
            kinds.0.push(Arc::clone(&self.kind));
        }
    }
}
