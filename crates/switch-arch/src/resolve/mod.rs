//! Resolution of a switch: from its settings to its plan.
//!
//! Invariant: a [`SwitchPlan`] has memory for a packet or more at each port and lane, and no setting without effect.
//! The faults in settings stand in `error`, the tables of service levels in `sl_to_vl`, the
//! selector in `selection`.

mod arbitration;
mod error;
mod selection;
mod sl_to_vl;

use std::sync::Arc;

use link_layer::flow_control::credits::BLOCK;
use link_layer::resolve::{
    CablePlan, Intake, LaneNotConfigured, LinkPlan, MemoryEnv, MemorySize, ReceiverPlan, Reserve,
    SharedMemoryEnv, SharingPlan, check_memory,
};
use link_layer::spec::{Discipline, LinkSpec, VlArbitrationSpec};
use link_layer::{LaneSet, Share};
use packet::Lane;
use settings::FieldPath;
use units::Bytes;

pub use self::error::{ShareError, SwitchError};
pub use self::selection::{SelectedPackets, SelectionPlan};
use crate::spec::{ArbiterSpec, BufferingSpec, Forwarding, Provision, ShareOverride, Sharing, SwitchSpec};
use crate::tables::SlToVl;

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
    /// Buffer of a port and lane without an override; of a memory that is stated as a total, an equal part.
    pub buffer: Bytes,
    /// The longest queue of an output and lane; packets beyond it are dropped. `None` for no limit.
    pub egress_limit: Option<Bytes>,
    /// Pool of the queues at the outputs, of lanes without PFC.
    pub egress_pool: Option<EgressPoolPlan>,
    /// Queue of each output and lane, if the organisation has such queues.
    pub output_buffer: Bytes,
    /// Lane of the next link by input, output and service level; `None` if no switch of the fabric changes lanes.
    pub sl_to_vl: Option<Arc<SlToVl>>,
    /// Lane arbitration tables by port; `None` if all ports have the link's tables.
    pub vl_arbitration: Option<Vec<VlArbitrationSpec>>,
    /// Selector of a port among several; `None` if the hash of a flow chooses.
    pub selection: Option<SelectionPlan>,
    /// Read rate of an input's buffer over the rate of its link, in thousandths.
    pub speedup_thousandths: u64,
}

/// Pool of the queues at the outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressPoolPlan {
    /// Memory that is not guaranteed.
    pub shared: Bytes,
    /// Share of each output and lane, output by output; nothing is guaranteed to a lane with PFC.
    pub shares: Vec<Share>,
    /// Lanes without PFC, which the pool counts.
    pub lossy: LaneSet,
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
    /// Number of each port, by which settings name it.
    pub numbers: &'a [u16],
    /// Lanes of the pairs that no entry of [`SwitchSpec::sl_to_vl`] names; `None` if no switch of the fabric changes
    /// lanes.
    pub sl_to_vl: Option<&'a SlToVl>,
}

impl SwitchSpec {
    /// Returns every buffer that the settings state, with its field; the guaranteed parts of shared memory are some.
    #[must_use]
    pub fn stated_buffers(&self) -> Vec<(FieldPath, Bytes)> {
        let buffer = self.buffer.map(|size| ("buffer".into(), size));
        let guaranteed = self.division().guaranteed().map(|size| ("sharing.guaranteed".into(), size));
        let own = self.buffers.iter().enumerate();
        let own = own.map(|(i, own)| (FieldPath::from("buffers").index(i).name("size"), own.size));
        let shares = self.shares.iter().enumerate();
        let shares = shares.filter_map(|(i, own)| {
            own.guaranteed.map(|size| (FieldPath::from("shares").index(i).name("guaranteed"), size))
        });
        buffer.into_iter().chain(guaranteed).chain(own).chain(shares).collect()
    }

    /// Checks the settings that do not depend on the ports of a switch.
    #[must_use]
    pub fn errors(&self, link: &LinkSpec) -> Vec<SwitchError> {
        let mut errors = Vec::new();
        for (field, size) in self.stated_buffers() {
            errors.extend(link.check_buffer(size).err().map(|error| SwitchError::Buffer { field, error }));
        }
        errors.extend(self.lane_errors(link));
        errors.extend(self.table_errors(link));
        errors.extend(self.arbitration_errors(link));
        errors.extend(self.output_queue_error(link));
        errors.extend(self.sharing_error());
        errors.extend(self.size_errors());
        errors.extend(self.shares_errors());
        errors.extend(self.egress_limit_error(link));
        errors.extend(self.egress_pool_errors(link));
        errors
    }

    /// Checks that each override names a lane that is configured.
    fn lane_errors(&self, link: &LinkSpec) -> Vec<SwitchError> {
        let buffers = (0..).zip(self.buffers.iter().map(|own| own.lane));
        let buffers = buffers.map(|(i, lane)| (FieldPath::from("buffers").index(i), lane));
        let of_shares = |list: &'static str, shares: &[ShareOverride]| -> Vec<_> {
            let lanes = (0..).zip(shares.iter().map(|own| own.lane));
            lanes.map(|(i, lane)| (FieldPath::from(list).index(i), lane)).collect()
        };
        let pool = self.egress_pool.as_ref().map_or(&[][..], |pool| &pool.shares);
        let shares =
            of_shares("shares", &self.shares).into_iter().chain(of_shares("egress_pool.shares", pool));
        let named = buffers.chain(shares).filter_map(|(entry, lane)| Some((entry.name("lane"), lane?)));
        let wrong = named.filter_map(|(field, lane)| {
            let lane = LaneNotConfigured::check(lane, link.data_lanes).err()?;
            Some(SwitchError::Lane { field, lane })
        });
        wrong.collect()
    }

    /// Checks that the size of the memory is stated once.
    fn size_errors(&self) -> Vec<SwitchError> {
        let Some(memory) = self.memory else {
            let size = self.buffer.is_none().then_some(SwitchError::NoSize);
            let provisioned = self.provisioned.map(|_| SwitchError::NothingToProvision);
            return size.into_iter().chain(provisioned).collect();
        };
        let field = FieldPath::from("memory");
        let size = check_memory(memory).err().map(|error| SwitchError::Buffer { field, error });
        let buffer = self.buffer.map(|_| SwitchError::BesideMemory("buffer"));
        let buffers = (!self.buffers.is_empty()).then_some(SwitchError::BesideMemory("buffers"));
        let shared = self.division().guaranteed().is_none().then_some(SwitchError::MemoryNotShared);
        [size, buffer, buffers, shared].into_iter().flatten().collect()
    }

    /// Checks that shares that differ are of a shared memory.
    fn shares_errors(&self) -> Vec<SwitchError> {
        if !self.shares.is_empty() && self.division().guaranteed().is_none() {
            return vec![SwitchError::SharesOfNothing];
        }
        share_errors(&FieldPath::from("shares"), &self.division(), &self.shares)
    }

    /// Checks the pool of the queues at the outputs.
    fn egress_pool_errors(&self, link: &LinkSpec) -> Vec<SwitchError> {
        let Some(pool) = &self.egress_pool else { return Vec::new() };
        let has_pfc = |lane| link.flow_control.pauses(Lane(lane));
        if matches!(link.flow_control, Discipline::Credits(_)) {
            return vec![SwitchError::UnderCredits("egress_pool")];
        }
        if (0..link.data_lanes).all(has_pfc) {
            return vec![SwitchError::PoolOfNoLane];
        }
        if self.division().guaranteed().is_none() {
            return vec![SwitchError::PoolOfOwnMemory];
        }
        if pool.sharing.guaranteed().is_none() {
            return vec![SwitchError::PoolNotShared];
        }
        let field = FieldPath::from("egress_pool.size");
        let size = check_memory(pool.size).err().map(|error| SwitchError::Buffer { field, error });
        let shares = share_errors(&FieldPath::from("egress_pool.shares"), &pool.sharing, &pool.shares);
        size.into_iter().chain(shares).collect()
    }

    fn output_queue_error(&self, link: &LinkSpec) -> Option<SwitchError> {
        let (size, longest) = (self.output_buffer?, link.longest_packet());
        if !self.buffering.has_output_queues() {
            return Some(SwitchError::NoOutputQueue(self.buffering));
        }
        (size < longest).then_some(SwitchError::OutputQueueBelowPacket { size, mtu: link.mtu, longest })
    }

    fn sharing_error(&self) -> Option<SwitchError> {
        let sharing = match self.division() {
            Sharing::Static => return None,
            Sharing::Complete { .. } => "Complete",
            Sharing::Dynamic { .. } => "Dynamic",
        };
        (!self.buffering.shares_memory()).then_some(SwitchError::NothingToShare(sharing))
    }

    fn egress_limit_error(&self, link: &LinkSpec) -> Option<SwitchError> {
        let (limit, longest) = (self.egress_limit?, link.longest_packet());
        if matches!(link.flow_control, Discipline::Credits(_)) {
            return Some(SwitchError::UnderCredits("egress_limit"));
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
    /// If the memory is too small for the ports, or a lane has no turn at a port.
    pub fn resolve(&self, env: SwitchEnv<'_>) -> Result<(SwitchPlan, Vec<ReceiverPlan>), SwitchError> {
        let (sharing, receivers) = self.plan_memory(env)?;
        let buffer = self.buffer.unwrap_or_else(|| {
            let receivers = env.cables.len() as u64 * u64::from(env.link.data_lanes);
            Bytes::new(self.memory.unwrap_or_default().get() / receivers.max(1))
        });
        let sl_to_vl = env.sl_to_vl.map(|others| Arc::new(self.tables(others.clone(), env.numbers)));
        let vl_arbitration = self.arbitration(env, sl_to_vl.as_deref())?;
        let plan = SwitchPlan {
            buffering: self.buffering,
            arbiter: self.arbiter,
            sharing,
            intake: self.intake(),
            buffer,
            egress_limit: self.egress_limit,
            egress_pool: self.plan_egress(env)?,
            output_buffer: self.output_buffer.unwrap_or(buffer),
            sl_to_vl,
            vl_arbitration,
            selection: self.plan_selection(),
            speedup_thousandths: (self.speedup * 1000.0).round() as u64,
        };
        Ok((plan, receivers))
    }

    fn plan_memory(&self, env: SwitchEnv<'_>) -> Result<(SharingPlan, Vec<ReceiverPlan>), SwitchError> {
        let SwitchEnv { name: node, link, cables, numbers, .. } = env;
        let intake = self.intake();
        let headroom: Vec<_> = cables.iter().map(|cable| link.headroom(cable, intake)).collect();
        let ports = || numbers.iter().copied().zip(cables);
        let lanes = || (0..link.data_lanes).map(Lane);
        let of_port = |port| lanes().map(|lane| self.buffer_of(port, lane).unwrap_or_default()).collect();
        let buffers: Vec<Vec<Bytes>> = ports().map(|(port, _)| of_port(port)).collect();
        let share_of = |(port, cable): (u16, &CablePlan)| {
            lanes().map(|lane| self.share_of(port, lane, cable.rate)).collect::<Option<Vec<_>>>()
        };
        let Some(shares) = ports().map(share_of).collect::<Option<Vec<_>>>() else {
            let memory = MemoryEnv { node, numbers, buffers: &buffers, headroom: &headroom };
            let receivers = link.own_memory(&memory).map_err(SwitchError::Memory)?;
            return Ok((SharingPlan::Own, receivers));
        };
        let memory = self.memory.map_or_else(
            || MemorySize::SumOfBuffers(buffers.iter().flatten().map(|size| counted(*size, link)).sum()),
            MemorySize::Total,
        );
        let absent = self.absent(env, &headroom)?;
        let env = SharedMemoryEnv { node, memory, headroom: &headroom, shares: &shares, absent };
        link.shared_memory(&env).map_err(SwitchError::Memory)
    }

    /// Plans the pool of the queues at the outputs.
    fn plan_egress(&self, env: SwitchEnv<'_>) -> Result<Option<EgressPoolPlan>, SwitchError> {
        let Some(spec) = &self.egress_pool else { return Ok(None) };
        let SwitchEnv { name, link, cables, numbers, .. } = env;
        let mut lossy = LaneSet::default();
        (0..link.data_lanes)
            .map(Lane)
            .filter(|lane| link.is_lossy(*lane))
            .for_each(|lane| lossy.insert(lane));
        let ports = numbers.iter().copied().zip(cables);
        let shares: Vec<Share> = ports
            .flat_map(|(port, cable)| (0..link.data_lanes).map(move |lane| (port, Lane(lane), cable.rate)))
            .filter_map(|(port, lane, rate)| {
                let share = spec.share_of(port, lane, rate)?;
                Some(if lossy.contains(lane) { share } else { Share { guaranteed: Bytes::ZERO, ..share } })
            })
            .collect();
        let guaranteed: Bytes = shares.iter().map(|share| share.guaranteed).sum();
        let (size, least) = (spec.size, guaranteed + link.longest_packet());
        if size < least {
            return Err(SwitchError::PoolTooSmall { node: name.to_owned(), size, guaranteed, least });
        }
        Ok(Some(EgressPoolPlan { shared: size - guaranteed, shares, lossy }))
    }

    /// Returns the reserve of the ports and lanes that are provisioned but absent from the scenario. Each has the
    /// largest headroom of all lanes, and the guarantee of `sharing`.
    fn absent(&self, env: SwitchEnv<'_>, headroom: &[Vec<Bytes>]) -> Result<Reserve, SwitchError> {
        let Some(Provision { ports, lanes }) = self.provisioned else { return Ok(Reserve::default()) };
        let (present_ports, present_lanes) = (env.cables.len(), usize::from(env.link.data_lanes));
        let present = [("ports", present_ports, usize::from(ports)), ("lanes", present_lanes, lanes.into())];
        if let Some((noun, present, given)) = present.into_iter().find(|(_, present, given)| present > given)
        {
            return Err(SwitchError::ProvisionTooSmall { node: env.name.to_owned(), noun, present, given });
        }
        let receivers = u64::from(ports) * u64::from(lanes) - (present_ports * present_lanes) as u64;
        let headroom = headroom.iter().flatten().max().copied().unwrap_or_default();
        let guaranteed = counted(self.division().guaranteed().unwrap_or_default(), env.link);
        Ok(Reserve { receivers, headroom: headroom * receivers, guaranteed: guaranteed * receivers })
    }
}

/// Checks that each entry of `shares` has an effect.
fn share_errors(list: &FieldPath, sharing: &Sharing, shares: &[ShareOverride]) -> Vec<SwitchError> {
    let dynamic = matches!(sharing, Sharing::Dynamic { .. });
    let faults = shares.iter().enumerate().filter_map(|(index, own)| {
        let field = list.index(index);
        if own.port.is_none() && own.rate.is_none() && own.lane.is_none() {
            Some(SwitchError::Share { field, error: ShareError::OfAll })
        } else if own.alpha.is_none() && own.guaranteed.is_none() {
            Some(SwitchError::Share { field, error: ShareError::NoChange })
        } else if own.alpha.is_some() && !dynamic {
            Some(SwitchError::Share { field: field.name("alpha"), error: ShareError::NoThreshold })
        } else {
            None
        }
    });
    faults.collect()
}

/// Returns the part of a buffer that counts: whole blocks under credits.
const fn counted(buffer: Bytes, link: &LinkPlan) -> Bytes {
    if link.has_credits() { Bytes::new(buffer.get() / BLOCK * BLOCK) } else { buffer }
}
