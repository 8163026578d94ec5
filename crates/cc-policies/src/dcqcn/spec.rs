//! What a scenario writes down about DCQCN, with the symbols of its papers.
//!
//! Invariant: what is left out has the value of the preset, so that what is read is always complete, and is written
//! back complete.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

/// Parameters that have a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// What the paper deploys (CoNEXT 2016, its scripts and captions).
    #[default]
    Recommended,
    /// Those of QCN, against which the paper argues: the defaults of its authors' simulator. That its Kmin and Kmax are
    /// 40 KB, with Pmax 1, is hearsay.
    Strawman,
}

const fn mbps(n: u64) -> Rate {
    Rate::bps(n * 1_000_000)
}

/// A struct as it is known, and one as it is written: every field may be left out, and a preset stands in for it; some
/// may go by the name that vendors give them.
macro_rules! settings {
    (
        $(#[$about:meta])* $name:ident, $written:ident as $from:literal,
        $($(#[$field_about:meta])* $field:ident $(or $alias:literal)?: $kind:ty = $recommended:expr $(, strawman $strawman:expr)?;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(from = $from)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $kind,)*
        }

        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
        #[serde(rename = $from, deny_unknown_fields, default)]
        struct $written {
            /// The parameters that fields left out here take.
            preset: Option<Preset>,
            $($(#[$field_about])* $(#[serde(alias = $alias)])? $field: Option<$kind>,)*
        }

        impl $name {
            /// The parameters that go by this name.
            #[must_use]
            pub const fn preset(preset: Preset) -> Self {
                match preset {
                    Preset::Recommended => Self { $($field: $recommended,)* },
                    Preset::Strawman => Self {
                        $($field: settings!(@last $recommended $(, $strawman)?),)*
                    },
                }
            }
        }

        impl $written {
            fn resolve(self, whole: Preset) -> $name {
                let preset = $name::preset(self.preset.unwrap_or(whole));
                $name { $($field: self.$field.unwrap_or(preset.$field),)* }
            }
        }

        impl From<$written> for $name {
            fn from(written: $written) -> Self {
                written.resolve(Preset::default())
            }
        }
    };
    (@last $only:expr) => { $only };
    (@last $first:expr, $last:expr) => { $last };
}

/// DCQCN, place by place. Besides the fields here a scenario may write `preset`, here or in any of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenScheme")]
pub struct DcqcnScheme {
    /// At every switch: the congestion point.
    pub marking: RedMarkingSpec,
    /// At the destination: the notification point.
    pub echo: CnpEcho,
    /// At the source: the reaction point.
    pub response: DcqcnResponseSpec,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename = "Dcqcn", deny_unknown_fields, default)]
struct WrittenScheme {
    /// The parameters that fields left out here and below take.
    preset: Preset,
    /// At every switch: the congestion point.
    marking: WrittenMarking,
    /// At the destination: the notification point.
    echo: WrittenEcho,
    /// At the source: the reaction point.
    response: WrittenResponse,
}

impl From<WrittenScheme> for DcqcnScheme {
    fn from(written: WrittenScheme) -> Self {
        Self {
            marking: written.marking.resolve(written.preset),
            echo: written.echo.resolve(written.preset),
            response: written.response.resolve(written.preset),
        }
    }
}

impl DcqcnScheme {
    /// The parameters that go by this name.
    #[must_use]
    pub const fn preset(preset: Preset) -> Self {
        Self {
            marking: RedMarkingSpec::preset(preset),
            echo: CnpEcho::preset(preset),
            response: DcqcnResponseSpec::preset(preset),
        }
    }
}

settings! {
    /// Random early detection (RED) on what waits for an output and lane, as it is at the instant of the decision.
    /// DCTCP's marking is `kmin` equal to `kmax`, and `pmax` 1.
    RedMarkingSpec, WrittenMarking as "WrittenMarking",
    /// Kmin: up to it nothing is marked; above 0.
    kmin: Bytes = Bytes::new(5_000), strawman Bytes::new(40_000);
    /// Kmax, at least `kmin`: above it everything is marked.
    kmax: Bytes = Bytes::new(200_000), strawman Bytes::new(40_000);
    /// Pmax, above 0 and up to 1: the probability of a mark at Kmax, to which it rises linearly from 0 at Kmin.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pmax: f64 = 0.01, strawman 1.0;
    /// When it is decided.
    at: MarkedAt = MarkedAt::Departure;
}

/// When it is decided whether a packet is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MarkedAt {
    /// As it starts to leave, by what waits behind it (the papers, after their switch).
    Departure,
    /// As it joins the queue, by what waits before it.
    Arrival,
}

settings! {
    /// When a mark is answered by a CNP.
    CnpEcho, WrittenEcho as "WrittenEcho",
    /// N, above 0: a flow gets at most one CNP in it.
    interval or "min_time_between_cnps": Span = Span::from_us(50);
    /// When in the interval the CNP is sent.
    window: CnpWindow = CnpWindow::FromCnp;
    /// The service level of CNPs, 0 to 15; that of the flow if left out. The lane that it is mapped to may have
    /// priority (`link.vl_arbitration`); at its adapter a CNP goes before all data anyway.
    #[schemars(range(min = 0, max = 15))]
    service_level: Option<u8> = None;
}

/// When in an interval a CNP is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CnpWindow {
    /// At once for a mark, if none was sent for an interval: the paper.
    FromCnp,
    /// At the end of an interval in which there was a mark. The intervals run from the flow's first packet: the authors'
    /// simulator.
    FreeRunning,
}

settings! {
    /// How a source answers CNPs.
    DcqcnResponseSpec, WrittenResponse as "WrittenResponse",
    /// g, above 0 and below 1, held in steps of 2^-30: how fast alpha follows.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    g: f64 = 1.0 / 256.0, strawman 1.0 / 16.0;
    /// alpha before the first CNP, above 0 and up to 1, held in steps of 2^-30. The authors' simulator has 0.5.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    initial_alpha: f64 = 1.0;
    /// K, above 0: after so long without a CNP, and again after each more, alpha falls.
    alpha_timer or "dce_tcp_rtt": Span = Span::from_us(55);
    /// What a CNP does first.
    order: CnpOrder = CnpOrder::CutFirst;
    /// Whether each CNP makes the present rate the target. Else only one that comes after an increase by the byte
    /// counter does (the authors' simulator with `CLAMP_TARGET_RATE` 0).
    clamp_target or "clamp_tgt_rate": bool = true;
    /// Without `clamp_target`: whether one that comes after an increase by the timer does so too (the vendor's default;
    /// HPCC's simulator, which has no byte counter).
    clamp_after_timer or "clamp_tgt_rate_after_time_inc": bool = false;
    /// B, 1 byte to 4 GB: bytes on the wire from increase to increase.
    byte_counter or "rpg_byte_reset": Bytes = Bytes::new(10_000_000), strawman Bytes::new(150_000);
    /// T, above 0: time from increase to increase.
    timer or "rpg_time_reset": Span = Span::from_us(55), strawman Span::from_us(1500);
    /// F, 1 to 254: so many increases by a counter only recover the target. The authors' simulator, whose F is 5,
    /// makes 4.
    #[schemars(range(min = 1, max = 254))]
    fast_recovery or "rpg_threshold": u8 = 5;
    /// `R_AI`, at least 1 kb/s: what an additive increase adds to the target.
    additive_increase or "rpg_ai_rate": Rate = mbps(40), strawman mbps(5);
    /// `R_HAI`, at least 1 kb/s: what the first hyper increase adds to it; the second adds twice as much, and so on.
    hyper_increase or "rpg_hai_rate": Rate = mbps(200), strawman mbps(50);
    /// The lowest rate, at least 1 kb/s, below that of the hosts' links. The authors' simulator has 100 Mb/s.
    min_rate or "rpg_min_rate": Rate = mbps(100);
}

/// What a CNP does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CnpOrder {
    /// It cuts the rate, by the alpha of before (the paper).
    CutFirst,
    /// It raises alpha, and then cuts the rate by that (the authors' simulator).
    AlphaFirst,
}
