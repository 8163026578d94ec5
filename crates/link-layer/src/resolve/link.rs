//! Resolution of the settings that all links of a fabric share.
//!
//! Invariant: a [`LinkPlan`] has 1 to 15 data lanes, a lane for each service level, and turns for each such lane.

use packet::{Framing, Lane, Mtu};
use settings::FieldPath;
use units::{Bytes, Rate, Span};

use super::lane::LaneNotConfigured;
use super::link_error::LinkError;
use crate::flow_control::credits::{BLOCK, MAX_BLOCKS};
use crate::flow_control::pause::PAUSE_FRAME;
use crate::spec::{CreditSpec, Discipline, LinkSpec, PauseSpec, VlArbitrationSpec};

/// The most data lanes (IBA 7.5.1).
const MOST_LANES: u8 = 15;
/// Priorities of a tag (IEEE 802.1Q).
const MOST_PRIORITIES: u8 = 8;

/// The properties that all links of a plan share.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPlan {
    /// Protocol that carries the transport headers.
    pub framing: Framing,
    /// The largest payload of a packet.
    pub mtu: Mtu,
    /// Number of data lanes.
    pub data_lanes: u8,
    /// Lane of each service level.
    pub lanes: [Lane; 16],
    /// Arbitration of the lanes of a port.
    pub vl_arbitration: VlArbitrationSpec,
    /// Flow control.
    pub flow_control: Discipline,
}

/// The fabric around a link, as far as its settings depend on it.
#[derive(Clone, Debug)]
pub struct LinkEnv {
    /// Path and size of the smallest buffer.
    pub smallest_buffer: (String, Bytes),
    /// Data rates of the cables.
    pub rates: Vec<Rate>,
}

impl LinkPlan {
    /// Length of the longest packet in a buffer.
    #[must_use]
    pub const fn longest_packet(&self) -> Bytes {
        self.framing.longest_packet(self.mtu)
    }

    /// Length of the longest packet on the wire, with preamble and gap.
    #[must_use]
    pub fn longest_on_wire(&self) -> Bytes {
        self.longest_packet() + self.framing.around()
    }

    /// Returns true if a receiver of this lane requests pauses, and has headroom for them.
    #[must_use]
    pub fn pauses(&self, lane: Lane) -> bool {
        self.flow_control.pauses(lane)
    }

    /// Returns true if packets of this lane are dropped where they find no room, rather than held back.
    #[must_use]
    pub fn is_lossy(&self, lane: Lane) -> bool {
        !self.has_credits() && !self.pauses(lane)
    }

    /// Returns true if credits control the flow.
    #[must_use]
    pub const fn has_credits(&self) -> bool {
        matches!(self.flow_control, Discipline::Credits(_))
    }
}

impl LinkSpec {
    /// Resolves the settings of the links.
    ///
    /// # Errors
    /// Every fault in them that does not follow from another.
    pub fn resolve(&self, env: &LinkEnv) -> Result<LinkPlan, Vec<LinkError>> {
        let mut errors = Vec::new();
        if self.framing == Framing::InfiniBand && Mtu::OF_ETHERNET.contains(&self.mtu) {
            errors.push(LinkError::MtuOfEthernet(self.mtu));
        }
        match &self.flow_control {
            Discipline::Credits(credits) => errors.extend(credits.errors(env)),
            Discipline::Pause(pause) => {
                errors.extend(pause.reaction_error(env));
                errors.extend(self.refresh_error(pause, env));
                errors.extend(self.pfc_enable_errors(pause));
            }
            Discipline::Lossy => {}
        }
        // Lanes are priorities of a tag wherever frames have a tag, and of PAUSE frames.
        let has_priorities =
            self.framing == Framing::RoCEv2 || !matches!(self.flow_control, Discipline::Credits(_));
        if has_priorities && self.data_lanes > MOST_PRIORITIES {
            errors.push(LinkError::TooManyPriorities(MOST_PRIORITIES));
        }
        if !(1..=MOST_LANES).contains(&self.data_lanes) {
            let (value, most) = (u64::from(self.data_lanes), u64::from(MOST_LANES));
            errors.push(LinkError::OutOfRange { field: "data_lanes", value, most });
            return Err(errors);
        }
        errors.extend(self.lane_errors());
        if !errors.is_empty() {
            return Err(errors);
        }
        let Self { framing, mtu, data_lanes, .. } = *self;
        let (vl_arbitration, flow_control) = (self.vl_arbitration.clone(), self.flow_control.clone());
        Ok(LinkPlan { framing, mtu, data_lanes, lanes: self.lanes(), vl_arbitration, flow_control })
    }

    /// Returns the lane of each service level.
    fn lanes(&self) -> [Lane; 16] {
        core::array::from_fn(|level| {
            let level = level as u8;
            Lane(self.sl_to_vl.get(&level).copied().unwrap_or(level % self.data_lanes))
        })
    }

    fn lane_errors(&self) -> Vec<LinkError> {
        let mut errors = Vec::new();
        for (level, lane) in &self.sl_to_vl {
            let field = FieldPath::from("sl_to_vl").name(&level.to_string());
            errors.extend((*level > 15).then_some(LinkError::NoServiceLevel(*level)));
            errors.extend(self.lane_error(field, *lane));
        }
        let used = if errors.is_empty() { self.lanes().to_vec() } else { Vec::new() };
        let tables = self.vl_arbitration.errors(self.data_lanes, used);
        errors.extend(tables.into_iter().map(LinkError::Arbitration));
        errors
    }

    fn lane_error(&self, field: FieldPath, lane: u8) -> Option<LinkError> {
        let lane = LaneNotConfigured::check(lane, self.data_lanes).err()?;
        Some(LinkError::Lane { field, lane })
    }

    /// Checks the lanes with PFC.
    fn pfc_enable_errors(&self, pause: &PauseSpec) -> Vec<LinkError> {
        let Some(lanes) = &pause.pfc_enable else { return Vec::new() };
        let field = FieldPath::from("flow_control.pfc_enable");
        let unknown = |(index, lane): (usize, &u8)| self.lane_error(field.index(index), *lane);
        let mut errors: Vec<_> = lanes.iter().enumerate().filter_map(unknown).collect();
        errors.extend(lanes.is_empty().then_some(LinkError::NoLaneWithPfc));
        errors
    }

    /// Checks that a PAUSE is repeated before the pause runs out, even if its frame has to wait for the wire.
    fn refresh_error(&self, pause: &PauseSpec, env: &LinkEnv) -> Option<LinkError> {
        if pause.quanta == 0 {
            let most = u64::from(u16::MAX);
            return Some(LinkError::OutOfRange { field: "flow_control.quanta", value: 0, most });
        }
        let frames = Bytes::new(PAUSE_FRAME.get() * u64::from(self.data_lanes));
        let before = self.longest_packet() + self.framing.around() + frames;
        env.rates.iter().find_map(|&rate| {
            let (lasts, again, waits) = (pause.pause(rate), pause.refresh(rate), rate.time_for(before));
            if again == Span::ZERO {
                return Some(LinkError::NoRefresh);
            }
            let given = pause.refresh.is_some();
            (again + waits > lasts).then_some(LinkError::RefreshTooLate { rate, lasts, again, waits, given })
        })
    }
}

impl PauseSpec {
    /// Checks that the reaction of a sender is known at the rate of every cable.
    fn reaction_error(&self, env: &LinkEnv) -> Option<LinkError> {
        let unknown = env.rates.iter().find(|rate| self.reaction(**rate).is_none());
        unknown.map(|rate| LinkError::UnknownReaction(*rate))
    }
}

impl CreditSpec {
    fn errors(&self, env: &LinkEnv) -> Vec<LinkError> {
        let (blocks, (buffer, size)) = (self.update_blocks, &env.smallest_buffer);
        let holds = size.get() / BLOCK;
        let mut errors = Vec::new();
        if !(1..=MAX_BLOCKS).contains(&blocks) {
            let (value, most) = (u64::from(blocks), u64::from(MAX_BLOCKS));
            errors.push(LinkError::OutOfRange { field: "flow_control.update_blocks", value, most });
        } else if u64::from(blocks) > holds.max(1) {
            errors.push(LinkError::UpdateBlocks { blocks, holds, buffer: buffer.clone() });
        }
        if self.update_interval == Span::ZERO {
            errors.push(LinkError::NoUpdateInterval);
        }
        errors
    }
}
