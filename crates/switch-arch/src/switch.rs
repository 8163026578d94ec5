//! A switch: the pipeline for its number of ports and its number of stages.
//!
//! Invariant: the capacity of port sets changes the speed of a switch, and nothing else.

use link_layer::{NodeContext, Signal};
use packet::{Lane, Packet, PacketId, PacketPool, PortId, VoqId};
use prefetch::prefetch_all;

use crate::buffering::{Central, CombinedInputOutput, InputFifo, InputVoq, Output, SingleStage};
use crate::pipeline::{Pipeline, SwitchView, bandwidth_limits};
use crate::setup::{SwitchSetup, SwitchTimer};
use crate::spec::BufferingSpec;
use crate::tables::PortSet;

/// A switch.
#[derive(Debug)]
pub struct Switch {
    pipeline: AnyPipeline,
}

state_codec::state!(Switch { pipeline: part });

/// The pipeline of a switch. Nearly all switches have a single stage and at most 64 ports. The event loop recognises
/// them by a single comparison, and reaches them by a load less.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "the large variant is the one of nearly all switches")]
enum AnyPipeline {
    Narrow(Pipeline<SingleStage, 1>),
    Other(Box<OtherPipeline>),
}

state_codec::state!(enum AnyPipeline { 0 = Narrow(pipeline: part), 1 = Other(pipeline: part) });

/// Pipelines of switches with more than 64 ports or with two stages.
#[derive(Debug)]
enum OtherPipeline {
    Wide(Pipeline<SingleStage, 4>),
    NarrowOutput(Pipeline<Output, 1>),
    WideOutput(Pipeline<Output, 4>),
    NarrowCombined(Pipeline<CombinedInputOutput, 1>),
    WideCombined(Pipeline<CombinedInputOutput, 4>),
}

state_codec::state!(enum OtherPipeline {
    0 = Wide(pipeline: part),
    1 = NarrowOutput(pipeline: part),
    2 = WideOutput(pipeline: part),
    3 = NarrowCombined(pipeline: part),
    4 = WideCombined(pipeline: part),
});

/// Calls a pipeline that is not narrow or has two stages.
macro_rules! dispatch_other {
    ($other:expr, $pipeline:ident => $call:expr) => {
        match $other {
            OtherPipeline::Wide($pipeline) => $call,
            OtherPipeline::NarrowOutput($pipeline) => $call,
            OtherPipeline::WideOutput($pipeline) => $call,
            OtherPipeline::NarrowCombined($pipeline) => $call,
            OtherPipeline::WideCombined($pipeline) => $call,
        }
    };
}

/// Calls the pipeline to ask it a question.
macro_rules! dispatch {
    ($switch:expr, $pipeline:ident => $call:expr) => {
        match $switch {
            AnyPipeline::Narrow($pipeline) => $call,
            AnyPipeline::Other(other) => dispatch_other!(&**other, $pipeline => $call),
        }
    };
}

/// Calls the pipeline from the event loop, into which only the most common pipeline is inlined.
macro_rules! dispatch_hot {
    ($switch:expr, $pipeline:ident => $call:expr) => {
        match $switch {
            AnyPipeline::Narrow($pipeline) => $call,
            AnyPipeline::Other(other) => out_of_line(move || dispatch_other!(&mut **other, $pipeline => $call)),
        }
    };
}

#[inline(never)]
fn out_of_line<R>(call: impl FnOnce() -> R) -> R {
    call()
}

impl Switch {
    /// Creates a switch at rest.
    ///
    /// # Panics
    /// If it has more than 254 external ports.
    #[must_use]
    pub fn new(setup: SwitchSetup) -> Self {
        let (ports, lanes) = (setup.ports.len(), setup.data_lanes);
        assert!(ports < PortSet::<4>::CAPACITY, "a switch has at most 254 external ports");
        let single_stage = match setup.buffering {
            BufferingSpec::InputFifo => SingleStage::InputFifo(InputFifo::new(ports, lanes)),
            BufferingSpec::InputVoq => SingleStage::InputVoq(InputVoq::new(ports, lanes)),
            BufferingSpec::Central => SingleStage::Central(Central::new(ports, lanes)),
            BufferingSpec::Output => {
                let buffering = Output::new(ports, lanes, setup.output_buffer);
                return Self::other(if is_narrow(ports) {
                    OtherPipeline::NarrowOutput(Pipeline::new(setup, buffering))
                } else {
                    OtherPipeline::WideOutput(Pipeline::new(setup, buffering))
                });
            }
            BufferingSpec::CombinedInputOutput => {
                let limits = bandwidth_limits(&setup);
                let buffering = CombinedInputOutput::new(lanes, setup.output_buffer, &limits);
                return Self::other(if is_narrow(ports) {
                    OtherPipeline::NarrowCombined(Pipeline::new(setup, buffering))
                } else {
                    OtherPipeline::WideCombined(Pipeline::new(setup, buffering))
                });
            }
        };
        if is_narrow(ports) {
            Self { pipeline: AnyPipeline::Narrow(Pipeline::new(setup, single_stage)) }
        } else {
            Self::other(OtherPipeline::Wide(Pipeline::new(setup, single_stage)))
        }
    }

    fn other(pipeline: OtherPipeline) -> Self {
        Self { pipeline: AnyPipeline::Other(Box::new(pipeline)) }
    }

    /// Starts the timers of all ports. Call once, at the start.
    pub fn bring_up(&mut self, context: &mut impl NodeContext<SwitchTimer>) {
        dispatch_hot!(&mut self.pipeline, pipeline => pipeline.bring_up(context));
    }

    /// Handles the arrival of a packet by `input`.
    pub fn arrive(&mut self, input: PortId, id: PacketId, context: &mut impl NodeContext<SwitchTimer>) {
        dispatch_hot!(&mut self.pipeline, pipeline => pipeline.arrive(input, id, context));
    }

    /// Handles a flow-control signal from the far end of `output`.
    pub fn on_signal(&mut self, output: PortId, signal: Signal, context: &mut impl NodeContext<SwitchTimer>) {
        dispatch_hot!(&mut self.pipeline, pipeline => pipeline.on_signal(output, signal, context));
    }

    /// Handles a timer that this switch set.
    pub fn on_timer(&mut self, timer: SwitchTimer, context: &mut impl NodeContext<SwitchTimer>) {
        dispatch_hot!(&mut self.pipeline, pipeline => pipeline.on_timer(timer, context));
    }

    /// Arbitrates and starts every packet that can leave. Call once all events of an instant are handled.
    pub fn decide(&mut self, context: &mut impl NodeContext<SwitchTimer>) {
        dispatch_hot!(&mut self.pipeline, pipeline => pipeline.decide(context));
    }

    /// Returns the state of this switch as instruments see it.
    #[must_use]
    pub fn view(&self) -> &dyn SwitchView {
        dispatch!(&self.pipeline, pipeline => pipeline)
    }

    /// Returns true if the selector chooses the port of a packet, where several lead to its destination.
    #[must_use]
    pub fn selects(&self, packet: &Packet) -> bool {
        dispatch!(&self.pipeline, pipeline => pipeline.selects(packet))
    }

    /// Returns the ports by which a packet may leave, or might if it came here. There are several if the selector
    /// chooses, or a hash of packets that differ in their key, as all packets of a flow that `is_sprayed`.
    #[must_use]
    pub fn outputs_of(&self, packet: &Packet, is_sprayed: bool) -> Vec<PortId> {
        dispatch!(&self.pipeline, pipeline => pipeline.outputs_of(packet, is_sprayed).collect())
    }

    /// Returns the port by which a packet leaves, or would leave if it came here. Where a selector chooses among several,
    /// it is the port that the hash of the packet's flow would choose.
    #[must_use]
    pub fn output_of(&self, packet: &Packet) -> Option<PortId> {
        dispatch!(&self.pipeline, pipeline => pipeline.output_of(packet))
    }

    /// Returns the lane of the next link for a packet from `input` to `output`, by the tables of service levels to lanes;
    /// `None` without them. The packet need not be here.
    #[must_use]
    pub fn lane_of(&self, input: PortId, output: PortId, packet: &Packet) -> Option<Lane> {
        dispatch!(&self.pipeline, pipeline => pipeline.lane_of(input, output, packet))
    }

    /// Lets a copy of a packet pass that comes by `input`: sets its course and its lane behind this switch, and returns its
    /// output; `None` if it has yet to decide about the packet's route. The packet need not be here.
    #[must_use]
    pub fn pass(&self, input: PortId, packet: &mut Packet) -> Option<PortId> {
        dispatch!(&self.pipeline, pipeline => pipeline.pass(input, packet))
    }

    /// Prefetches the addresses of a switch's tables. This is complete for switches with a single stage and at most 64
    /// ports.
    #[inline]
    pub fn prefetch_head(&self) {
        prefetch_all(self);
    }

    /// Prefetches the entry of the forwarding table for a packet, which tells its [output](Self::output_of).
    #[inline]
    pub fn prefetch_route(&self, packet: &Packet) {
        dispatch!(&self.pipeline, pipeline => pipeline.prefetch_route(packet));
    }

    /// Prefetches the state of the packets that wait for an output and lane.
    #[inline]
    pub fn prefetch_queue(&self, output: PortId, lane: Lane) {
        dispatch!(&self.pipeline, pipeline => pipeline.prefetch_queue(output, lane));
    }

    /// Prefetches the state that the arrival of a packet needs.
    #[inline]
    pub fn prefetch_for_arrival(&self, voq: VoqId) {
        dispatch!(&self.pipeline, pipeline => pipeline.prefetch_for_arrival(voq));
    }

    /// Prefetches the state that the departure of a tail needs, and the queue that is likely to be next.
    #[inline]
    pub fn prefetch_for_departure(&self, voq: VoqId) {
        dispatch!(&self.pipeline, pipeline => pipeline.prefetch_for_departure(voq));
    }

    /// Prefetches the packet that is likely to be next after the departure of a tail.
    #[inline]
    pub fn prefetch_next(&self, voq: VoqId, pool: &PacketPool) {
        dispatch!(&self.pipeline, pipeline => pipeline.prefetch_next(voq, pool));
    }

    /// Prefetches the state that any event at an output and lane needs.
    #[inline]
    pub fn prefetch_output(&self, output: PortId, lane: Lane) {
        dispatch!(&self.pipeline, pipeline => pipeline.prefetch_output(output, lane));
    }
}

/// Returns true if the ports of a switch fit a set of a single word.
const fn is_narrow(ports: usize) -> bool {
    ports <= PortSet::<1>::CAPACITY
}
