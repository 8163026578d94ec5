//! Resolution of a channel adapter: from its settings to the receive memory of its port.
//!
//! Invariant: an adapter has memory for at least a packet on each lane, and its host moves data.

use link_layer::resolve::{
    ArbitrationError, BufferError, CablePlan, Intake, LinkPlan, MemoryEnv, MemoryError, ReceiverPlan,
};
use link_layer::spec::LinkSpec;
use settings::{FieldPath, SettingError};
use units::{Rate, Span};

use crate::reordering::{AnyOrderSpec, DeliverySpec, NakSpec, RecoverySpec, SelectiveRepeatSpec};
use crate::spec::AdapterSpec;

/// The surroundings of a channel adapter.
#[derive(Clone, Copy, Debug)]
pub struct AdapterEnv<'a> {
    /// Name of the host.
    pub name: &'a str,
    /// The links.
    pub link: &'a LinkPlan,
    /// Cable at the adapter's port.
    pub cable: &'a CablePlan,
}

/// A fault in the settings of a channel adapter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    /// The receive buffer does not suit the link.
    #[error("{0}")]
    Buffer(BufferError),
    /// The receive buffer is too small for its headroom.
    #[error("{0}")]
    Memory(MemoryError),
    /// The host's bus has a rate of 0.
    #[error("at a rate of 0 nothing moves")]
    NoRate(&'static str),
    /// The responder does not take packets as the requester repeats them.
    #[error("{}", match delivery {
        DeliverySpec::AnyOrder(_) => "go-back-N repeats all packets after a missing one, although a responder in any order has most of them",
        DeliverySpec::InOrder => "a responder in order drops all packets after a missing one, which selective repeat does not send again",
    })]
    Mismatch {
        /// Order of delivery.
        delivery: DeliverySpec,
    },
    /// No packet is as far ahead as one has to be.
    #[error("a packet is at most {} ahead of a missing one, so none counts as lost after {after}", reach - 1)]
    NoEvidence {
        /// Distance at which a missing packet counts as lost.
        after: u32,
        /// Most packets under way.
        reach: u32,
    },
    /// A time-out passes at once.
    #[error("at a time-out of 0 a requester gives up before any answer can come")]
    NoTimeOut(&'static str),
    /// The shorter time-out is the longer one.
    #[error("the time-out with few packets under way, {low}, is longer than the other, {high}")]
    TimeOuts {
        /// Time-out with few packets under way.
        low: Span,
        /// Time-out with more.
        high: Span,
    },
    /// The lane arbitration tables are wrong.
    #[error("{0}")]
    Arbitration(ArbitrationError),
}

impl SettingError for AdapterError {
    fn path(&self) -> FieldPath {
        match self {
            Self::Buffer(_) | Self::Memory(_) => "receive_buffer".into(),
            Self::NoRate(field) => (*field).into(),
            Self::Mismatch { .. } => "recovery".into(),
            Self::NoEvidence { .. } => FieldPath::from("delivery").name("nak"),
            Self::NoTimeOut(field) => FieldPath::from("recovery").name(field),
            Self::TimeOuts { .. } => FieldPath::from("recovery").name("low"),
            Self::Arbitration(error) => FieldPath::from("vl_arbitration").join(&error.path()),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Buffer(error) => error.help(),
            Self::Memory(error) => error.help(),
            Self::Arbitration(error) => error.help(),
            Self::Mismatch { delivery: DeliverySpec::AnyOrder(_) } => {
                Some("write `recovery: SelectiveRepeat`, or leave `delivery` out".to_owned())
            }
            Self::Mismatch { delivery: DeliverySpec::InOrder } => {
                Some("write `delivery: AnyOrder` as well, or leave `recovery` out".to_owned())
            }
            Self::NoEvidence { reach: 1, .. } => Some("leave `nak` out".to_owned()),
            Self::NoEvidence { reach, .. } => {
                Some(format!("write at most `After({})`, or leave `nak` out", reach - 1))
            }
            Self::NoTimeOut(_) => Some("write a time above 0, or leave it out".to_owned()),
            Self::TimeOuts { high, .. } => Some(format!("write at most \"{high}\"")),
            Self::NoRate(_) => Some("write a rate above 0, or leave it out for no limit".to_owned()),
        }
    }
}

impl AdapterSpec {
    /// Checks the settings that do not depend on the adapter's cable.
    #[must_use]
    pub fn errors(&self, link: &LinkSpec) -> Vec<AdapterError> {
        let buffer = link.check_buffer(self.receive_buffer).err().map(AdapterError::Buffer);
        let limits = [("injection_limit", self.injection_limit), ("drain_limit", self.drain_limit)];
        let limits = limits.into_iter().filter(|(_, limit)| *limit == Some(Rate::bps(0)));
        let limits = limits.map(|(field, _)| AdapterError::NoRate(field));
        let tables = self.vl_arbitration.iter().flat_map(|own| own.errors(link.data_lanes, []));
        let repeats = self.repeat_error();
        buffer.into_iter().chain(limits).chain(repeats).chain(tables.map(AdapterError::Arbitration)).collect()
    }

    /// Checks that delivery and recovery agree, and the time-outs with their order.
    fn repeat_error(&self) -> Option<AdapterError> {
        if self.delivery.is_usual() != self.recovery.is_usual() {
            return Some(AdapterError::Mismatch { delivery: self.delivery });
        }
        let RecoverySpec::SelectiveRepeat(SelectiveRepeatSpec { low, high, cap, .. }) = self.recovery else {
            return None;
        };
        if let DeliverySpec::AnyOrder(AnyOrderSpec { window, nak: NakSpec::After(after) }) = self.delivery {
            let reach = window.min(cap.unwrap_or(window));
            // A window of 0 is refused by its range.
            if (1..=after).contains(&reach) {
                return Some(AdapterError::NoEvidence { after, reach });
            }
        }
        let zero = [("low", low), ("high", high)].into_iter().find(|(_, time)| *time == Some(Span::ZERO));
        if let Some((field, _)) = zero {
            return Some(AdapterError::NoTimeOut(field));
        }
        let (low, high) = (low?, high.or_else(|| self.timeout())?);
        (low > high).then_some(AdapterError::TimeOuts { low, high })
    }

    /// Plans the receive memory of an adapter's port. The settings have no [`errors`](Self::errors).
    ///
    /// # Errors
    /// If the buffer is too small for its headroom and a packet, or a lane to which a service level leads has no turn.
    pub fn resolve(&self, env: AdapterEnv<'_>) -> Result<ReceiverPlan, AdapterError> {
        let AdapterEnv { name, link, cable } = env;
        let tables = self.vl_arbitration.iter().flat_map(|own| own.errors(link.data_lanes, link.lanes));
        if let Some(error) = tables.map(AdapterError::Arbitration).next() {
            return Err(error);
        }
        let buffers = [vec![self.receive_buffer; usize::from(link.data_lanes)]];
        let headroom = [link.headroom(cable, Intake::ADAPTER)];
        let memory = MemoryEnv { node: name, numbers: &[1], buffers: &buffers, headroom: &headroom };
        let [receiver] = <[_; 1]>::try_from(link.own_memory(&memory).map_err(AdapterError::Memory)?)
            .expect("an adapter has one port");
        Ok(receiver)
    }
}
