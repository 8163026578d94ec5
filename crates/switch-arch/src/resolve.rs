//! Resolution of a switch: from its settings to its plan.
//!
//! Invariant: a [`SwitchPlan`] has memory for at least one packet at each port and lane, and no setting without effect.

use link_layer::resolve::{
    BufferError, CablePlan, Intake, LaneNotConfigured, LinkPlan, MemoryEnv, MemoryError, ReceiverPlan,
    ShareRule, SharingPlan,
};
use link_layer::spec::{Discipline, LinkSpec};
use packet::{Lane, Mtu, PortId};
use settings::{FieldPath, SettingError};
use units::Bytes;

use crate::spec::{ArbiterSpec, BufferingSpec, Forwarding, Sharing, SwitchSpec};

/// A switch of a plan, without its ports.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchPlan {
    /// Organisation of the queues.
    pub buffering: BufferingSpec,
    /// Arbiter of the outputs.
    pub arbiter: ArbiterSpec,
    /// Memory that ports and lanes share.
    pub sharing: SharingPlan,
    /// Way in which packets enter.
    pub intake: Intake,
    /// Buffer of a port and lane without an override.
    pub buffer: Bytes,
    /// The longest queue of an output and lane; packets beyond it are dropped. `None` for no limit.
    pub egress_limit: Option<Bytes>,
    /// Queue of each output and lane behind the crossbar, if the organisation has such queues.
    pub output_buffer: Bytes,
    /// Read rate of an input's buffer over the rate of its link, in thousandths.
    pub speedup_thousandths: u64,
}

/// The surroundings of a switch.
#[derive(Clone, Copy, Debug)]
pub struct SwitchEnv<'a> {
    /// Name of the switch.
    pub name: &'a str,
    /// The links.
    pub link: &'a LinkPlan,
    /// Cable at each port.
    pub cables: &'a [CablePlan],
}

/// A fault in the settings of a switch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SwitchError {
    /// A buffer does not suit the link.
    #[error("{error}")]
    Buffer {
        /// The field.
        field: FieldPath,
        /// The fault.
        error: BufferError,
    },
    /// An override names a lane that is not configured.
    #[error("{lane}")]
    Lane {
        /// Position of the override.
        index: usize,
        /// The lane.
        lane: LaneNotConfigured,
    },
    /// The organisation has no queues behind a crossbar.
    #[error("`{0:?}` has no queue behind a crossbar that could have a size")]
    NoOutputQueue(BufferingSpec),
    /// A queue behind the crossbar is smaller than a packet.
    #[error(
        "an output's queue of {size} cannot hold one packet: with an MTU of {} a packet has up to {longest}",
        Bytes::from(*.mtu)
    )]
    OutputQueueBelowPacket {
        /// Size of the queue.
        size: Bytes,
        /// The link's MTU.
        mtu: Mtu,
        /// Length of the longest packet.
        longest: Bytes,
    },
    /// Sharing without a memory to share.
    #[error("`{0}` is for the memory of `Central`, and here each port and lane has its own")]
    NothingToShare(&'static str),
    /// A limit of queues under credits.
    #[error("under credits nothing is dropped")]
    LimitUnderCredits,
    /// A limit of queues below a packet.
    #[error("a limit of {limit} lets no packet wait: one has up to {longest}")]
    LimitBelowPacket {
        /// The limit.
        limit: Bytes,
        /// Length of the longest packet.
        longest: Bytes,
    },
    /// The memory is too small for the ports.
    #[error("{0}")]
    Memory(MemoryError),
}

impl SettingError for SwitchError {
    fn path(&self) -> FieldPath {
        match self {
            Self::Buffer { field, .. } => field.clone(),
            Self::Lane { index, .. } => FieldPath::from("buffers").index(*index).name("lane"),
            Self::NoOutputQueue(_) | Self::OutputQueueBelowPacket { .. } => "output_buffer".into(),
            Self::NothingToShare(_) => "sharing".into(),
            Self::LimitUnderCredits | Self::LimitBelowPacket { .. } => "egress_limit".into(),
            Self::Memory(error) if error.is_of_guarantee() => "sharing.guaranteed".into(),
            Self::Memory(_) => "buffer".into(),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Buffer { error, .. } => return error.help(),
            Self::Lane { lane, .. } => return lane.help(),
            Self::NoOutputQueue(_) => "leave it out, or write `buffering: CombinedInputOutput`".to_owned(),
            Self::OutputQueueBelowPacket { longest, .. } => {
                format!("write \"{longest}\" or more, or leave it out for as much as `buffer`")
            }
            Self::NothingToShare(_) => {
                "write `Static`, or `Central` as the `buffering` of the switch".to_owned()
            }
            Self::LimitUnderCredits => {
                "leave it out, or write `Pause` or `Lossy` as `link.flow_control`".to_owned()
            }
            Self::LimitBelowPacket { longest, .. } => format!("write \"{longest}\" or more"),
            Self::Memory(error) => return error.help(),
        })
    }
}

impl SwitchSpec {
    /// Returns every buffer that the settings state, with its field; the guaranteed part of shared memory is one.
    #[must_use]
    pub fn stated_buffers(&self) -> Vec<(FieldPath, Bytes)> {
        let guaranteed = self.sharing.guaranteed().map(|size| ("sharing.guaranteed".into(), size));
        let own = self.buffers.iter().enumerate();
        let own = own.map(|(i, own)| (FieldPath::from("buffers").index(i).name("size"), own.size));
        [("buffer".into(), self.buffer)].into_iter().chain(guaranteed).chain(own).collect()
    }

    /// Checks the settings that do not depend on the ports of a switch.
    #[must_use]
    pub fn errors(&self, link: &LinkSpec) -> Vec<SwitchError> {
        let mut errors = Vec::new();
        for (field, size) in self.stated_buffers() {
            errors.extend(link.check_buffer(size).err().map(|error| SwitchError::Buffer { field, error }));
        }
        for (index, own) in self.buffers.iter().enumerate() {
            let lane = own.lane.map_or(Ok(()), |lane| LaneNotConfigured::check(lane, link.data_lanes));
            errors.extend(lane.err().map(|lane| SwitchError::Lane { index, lane }));
        }
        errors.extend(self.output_queue_error(link));
        errors.extend(self.sharing_error());
        errors.extend(self.egress_limit_error(link));
        errors
    }

    fn output_queue_error(&self, link: &LinkSpec) -> Option<SwitchError> {
        let (size, longest) = (self.output_buffer?, link.longest_packet());
        if !self.buffering.has_output_queues() {
            return Some(SwitchError::NoOutputQueue(self.buffering));
        }
        (size < longest).then_some(SwitchError::OutputQueueBelowPacket { size, mtu: link.mtu, longest })
    }

    fn sharing_error(&self) -> Option<SwitchError> {
        let sharing = match self.sharing {
            Sharing::Static => return None,
            Sharing::Complete { .. } => "Complete",
            Sharing::Dynamic { .. } => "Dynamic",
        };
        (!self.buffering.shares_memory()).then_some(SwitchError::NothingToShare(sharing))
    }

    fn egress_limit_error(&self, link: &LinkSpec) -> Option<SwitchError> {
        let (limit, longest) = (self.egress_limit?, link.longest_packet());
        if matches!(link.flow_control, Discipline::Credits(_)) {
            return Some(SwitchError::LimitUnderCredits);
        }
        (limit < longest).then_some(SwitchError::LimitBelowPacket { limit, longest })
    }

    /// Returns the way in which packets enter a switch.
    #[must_use]
    pub fn intake(&self) -> Intake {
        Intake { latency: self.latency, cut_through: self.forwarding == Forwarding::CutThrough }
    }

    /// Plans a switch and the receive memory of its ports. The settings have no [`errors`](Self::errors).
    ///
    /// # Errors
    /// If the memory is too small for the ports.
    pub fn resolve(&self, env: SwitchEnv<'_>) -> Result<(SwitchPlan, Vec<ReceiverPlan>), SwitchError> {
        let SwitchEnv { name, link, cables } = env;
        let lanes = |port| (0..link.data_lanes).map(move |lane| (port, Lane(lane)));
        let port = |port| lanes(port).map(|(port, lane)| self.buffer_of(port, lane)).collect();
        let buffers: Vec<Vec<_>> = (0..cables.len() as u16).map(PortId).map(port).collect();
        let intake = self.intake();
        let headroom: Vec<_> = cables.iter().map(|cable| link.headroom(cable, intake)).collect();
        let memory = MemoryEnv { node: name, buffers: &buffers, headroom: &headroom };
        let planned = match self.sharing.guaranteed() {
            None => link.own_memory(&memory).map(|receivers| (SharingPlan::Own, receivers)),
            Some(guaranteed) => {
                link.shared_memory(&memory, ShareRule { guaranteed, alpha: self.sharing.alpha() })
            }
        };
        let (sharing, receivers) = planned.map_err(SwitchError::Memory)?;
        let plan = SwitchPlan {
            buffering: self.buffering,
            arbiter: self.arbiter,
            sharing,
            intake,
            buffer: self.buffer,
            egress_limit: self.egress_limit,
            output_buffer: self.output_queue(),
            speedup_thousandths: (self.speedup * 1000.0).round() as u64,
        };
        Ok((plan, receivers))
    }
}
