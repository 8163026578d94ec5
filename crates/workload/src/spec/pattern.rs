//! Traffic patterns: many flows by one rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::converge::{ConvergeSpec, SessionsSpec};
use super::flow::LoadSpec;
use super::hot_spot::HotSpotSpec;
use super::incast::{IncastSpec, RepeatSpec};
use super::shared::{Carriage, Carried, Label, Labelled};
use super::simple::{PermutationSpec, PoissonSpec};
use super::synthetic::{FlowListSpec, SizeSpec, SyntheticSpec};

/// Many flows by one rule: scenario field `traffic`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum PatternSpec {
    /// Every sender sends one message to a receiver of its own.
    Permutation(PermutationSpec),
    /// Every host sends messages to uniformly drawn others, at exponentially distributed intervals.
    Poisson(PoissonSpec),
    /// Several hosts send one message each to one host, all at the same time, once or again and again.
    Incast(IncastSpec),
    /// Every host sends, by rules for destinations, arrivals and sizes.
    Synthetic(SyntheticSpec),
    /// Flows from a file.
    FlowList(FlowListSpec),
    /// One flow from each of several hosts to one.
    Converge(ConvergeSpec),
    /// Flows from several hosts to one that join and leave at random.
    Sessions(SessionsSpec),
    /// Uniform traffic of all hosts, with hot spots that come and go.
    HotSpot(HotSpotSpec),
}

/// Evaluates an expression with the fields of a pattern, whichever it is.
macro_rules! with_fields {
    ($pattern:expr, $spec:ident => $value:expr) => {
        match $pattern {
            PatternSpec::Permutation($spec) => $value,
            PatternSpec::Poisson($spec) => $value,
            PatternSpec::Incast($spec) => $value,
            PatternSpec::Synthetic($spec) => $value,
            PatternSpec::FlowList($spec) => $value,
            PatternSpec::Converge($spec) => $value,
            PatternSpec::Sessions($spec) => $value,
            PatternSpec::HotSpot($spec) => $value,
        }
    };
}

impl PatternSpec {
    /// Name of the pattern, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.label().name
    }

    /// Returns the field that gives the payload of messages.
    #[must_use]
    pub const fn size_field(&self) -> &'static str {
        match self {
            Self::Permutation(_) | Self::Incast(_) => "bytes",
            Self::Synthetic(_) => "size",
            Self::FlowList(_) => "file",
            Self::Poisson(_) | Self::Converge(_) | Self::Sessions(_) | Self::HotSpot(_) => "message",
        }
    }

    /// Returns the name of the file that the pattern refers to, and the field that names it.
    #[must_use]
    pub fn file(&self) -> Option<(&str, &'static str)> {
        match self {
            Self::FlowList(list) => Some((&list.file, "file")),
            Self::Synthetic(SyntheticSpec { size: SizeSpec::Cdf(file), .. }) => Some((file, "size")),
            Self::Synthetic(_)
            | Self::Permutation(_)
            | Self::Poisson(_)
            | Self::Incast(_)
            | Self::Converge(_)
            | Self::Sessions(_)
            | Self::HotSpot(_) => None,
        }
    }

    /// Returns true if the pattern ends by itself: by a number of messages, a stop, or a list.
    #[must_use]
    pub const fn is_finite(&self) -> bool {
        match self {
            Self::Permutation(_)
            | Self::Poisson(_)
            | Self::HotSpot(_)
            | Self::FlowList(_)
            | Self::Sessions(_) => true,
            Self::Incast(spec) => matches!(spec.repeat, RepeatSpec::Once) || spec.repeat.until().is_some(),
            Self::Synthetic(spec) => spec.messages.is_some() || spec.stop.is_some(),
            Self::Converge(spec) => matches!(spec.load, LoadSpec::Messages(_)) || spec.stop.is_some(),
        }
    }

    /// Returns true if hosts, times or sizes are drawn at random.
    #[must_use]
    pub fn draws_at_random(&self) -> bool {
        match self {
            Self::FlowList(_) => false,
            Self::Permutation(_) | Self::Poisson(_) | Self::Sessions(_) | Self::HotSpot(_) => true,
            Self::Converge(spec) => spec.jitter > Span::ZERO || spec.from.are_drawn(),
            Self::Incast(spec) => {
                spec.senders.are_drawn()
                    || spec.to.may_be_several()
                    || matches!(spec.repeat, RepeatSpec::Poisson { .. })
            }
            Self::Synthetic(spec) => spec.draws_at_random(),
        }
    }

    /// Returns the latest time at which the pattern can begin, and the field that decides it; `None` if a file does.
    #[must_use]
    pub fn latest_start(&self) -> Option<(&'static str, Time)> {
        match self {
            Self::Converge(spec) if spec.jitter > Span::ZERO => Some(("jitter", spec.start + spec.jitter)),
            _ => self.start(),
        }
    }

    /// Returns the declared start, and its field; `None` if a file decides it.
    pub(crate) fn start(&self) -> Option<(&'static str, Time)> {
        match self {
            Self::FlowList(_) => None,
            Self::Permutation(spec) => Some(("at", spec.at)),
            Self::Incast(spec) => Some(("at", spec.at)),
            Self::Poisson(spec) => Some(("from", spec.from)),
            Self::HotSpot(spec) => Some(("from", spec.from)),
            Self::Synthetic(spec) => Some(("start", spec.start)),
            Self::Converge(spec) => Some(("start", spec.start)),
            Self::Sessions(spec) => Some(("start", spec.start)),
        }
    }

    /// Returns the field that declares the time from which no further message is posted, where there is one.
    #[must_use]
    pub const fn stop_field(&self) -> &'static str {
        match self {
            Self::Incast(_) => "repeat.until",
            Self::Poisson(_) | Self::HotSpot(_) => "until",
            Self::FlowList(_)
            | Self::Permutation(_)
            | Self::Synthetic(_)
            | Self::Converge(_)
            | Self::Sessions(_) => "stop",
        }
    }

    /// Returns the declared time from which no further message is posted; [`Time::NEVER`] if none is declared.
    #[must_use]
    pub fn stop(&self) -> Time {
        match self {
            Self::FlowList(_) | Self::Permutation(_) => Time::NEVER,
            Self::Incast(spec) => spec.repeat.until().unwrap_or(Time::NEVER),
            Self::Poisson(spec) => spec.until,
            Self::HotSpot(spec) => spec.until,
            Self::Synthetic(spec) => spec.stop.unwrap_or(Time::NEVER),
            Self::Converge(spec) => spec.stop.unwrap_or(Time::NEVER),
            Self::Sessions(spec) => spec.stop,
        }
    }
}

impl Labelled for PatternSpec {
    fn label(&self) -> Label<'_> {
        with_fields!(self, spec => spec.label())
    }
}

impl Carried for PatternSpec {
    fn carriage(&self) -> Carriage {
        with_fields!(self, spec => spec.carriage())
    }
}
