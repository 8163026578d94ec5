//! A marking rule of one's own, behind an indirect call.
//!
//! Invariant: the wrapper decides nothing. Such a rule gives the [`reasons`] of built-in rules, which have columns in
//! files.

use core::fmt::Debug;

use packet::{Lane, MarkCode, PortId, VoqId};
use serde::de::DeserializeOwned;
use settings::Fault;
use state_codec::{State, StateError, StateReader, StateWriter};
use units::Bytes;

use crate::dcqcn::RedMarker;
use crate::hp::HpMarker;
use crate::iba::IbaMarker;
use crate::policy::{BufferOwner, BufferView, Margin, MarkReason, Marker, MarkerSetup, QueueView};

/// Every reason that a rule of one's own may give.
pub(crate) const REASONS: &[MarkReason] =
    &[IbaMarker::ROOT, IbaMarker::VICTIM_MASK, HpMarker::PROPAGATION, HpMarker::GENERATION, RedMarker::RED];

/// Reasons for marks, by their meaning.
pub mod reasons {
    use packet::MarkCode;

    use crate::dcqcn::RedMarker;
    use crate::hp::HpMarker;
    use crate::iba::IbaMarker;

    /// Congestion that begins here: the load is over a threshold, and there is credit.
    pub const ROOT: MarkCode = IbaMarker::ROOT.code;
    /// Congestion that begins elsewhere: the load is over a threshold, and credit is missing.
    pub const VICTIM: MarkCode = IbaMarker::VICTIM_MASK.code;
    /// A full buffer behind an output that is congested elsewhere.
    pub const PROPAGATION: MarkCode = HpMarker::PROPAGATION.code;
    /// A full buffer behind an output at which congestion begins.
    pub const GENERATION: MarkCode = HpMarker::GENERATION.code;
    /// Chance, by the length of a queue.
    pub const RED: MarkCode = RedMarker::RED.code;
}

/// A marking rule of a user's program. The laws of [`Marker`] hold for it too.
///
/// Its marks have the [`reasons`] of built-in rules, each counted in a column of its own. A switch has a marker of
/// its own, with any state: [`state_codec::state!`] names its fields, so that a run can be saved and go on.
pub trait OwnMarker: Marker + State + Clone + Debug + Send + Sync + 'static {
    /// Settings, as the scenario has them: a struct with `#[derive(Deserialize)]` and
    /// `#[serde(deny_unknown_fields)]`.
    type Settings: DeserializeOwned;

    /// Checks the settings, when the scenario is checked.
    ///
    /// # Errors
    /// The first fault, with the path of the setting.
    fn check(_settings: &Self::Settings) -> Result<(), Fault> {
        Ok(())
    }

    /// Returns the marker of a switch. The settings have passed [`check`](Self::check).
    fn new(settings: Self::Settings, switch: &MarkerSetup) -> Self;
}

/// A marker of any type.
#[derive(Debug)]
pub struct BoxedMarker(Box<dyn AnyOwnMarker>);

impl BoxedMarker {
    /// Boxes a marker.
    pub(super) fn new(marker: impl OwnMarker) -> Self {
        Self(Box::new(marker))
    }
}

impl Clone for BoxedMarker {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

trait AnyOwnMarker: Marker + State + Debug + Send + Sync {
    fn boxed(&self) -> Box<dyn AnyOwnMarker>;
}

impl<M: OwnMarker> AnyOwnMarker for M {
    fn boxed(&self) -> Box<dyn AnyOwnMarker> {
        Box::new(self.clone())
    }
}

impl State for BoxedMarker {
    fn save(&self, to: &mut StateWriter) {
        self.0.save(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.0.load(from)
    }
}

// Calls stand out of line, so that the code of built-in rules around them stays small.
impl Marker for BoxedMarker {
    #[cold]
    fn queue_changed(&mut self, voq: VoqId, view: QueueView) {
        self.0.queue_changed(voq, view);
    }

    #[cold]
    fn heeds_buffers(&self, of: BufferOwner) -> bool {
        self.0.heeds_buffers(of)
    }

    #[cold]
    fn buffer_changed(&mut self, port: PortId, lane: Lane, view: BufferView) {
        self.0.buffer_changed(port, lane, view);
    }

    #[cold]
    fn stalled(&mut self, output: PortId, lane: Lane) {
        self.0.stalled(output, lane);
    }

    #[cold]
    fn left_input(&mut self, voq: VoqId) -> Option<MarkCode> {
        self.0.left_input(voq)
    }

    #[cold]
    fn departing(&mut self, voq: VoqId, length: Bytes) -> Option<MarkCode> {
        self.0.departing(voq, length)
    }

    #[cold]
    fn margins(&self, output: PortId, lane: Lane) -> [Option<Margin>; 2] {
        self.0.margins(output, lane)
    }

    #[cold]
    fn prefetch(&self, output: PortId, lane: Lane) {
        self.0.prefetch(output, lane);
    }
}
