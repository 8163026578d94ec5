//! Settings of DCQCN, with the symbols of its papers.
//!
//! Invariant: a field that is left out takes the value of the preset. Settings in memory, and settings written back,
//! are complete.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

/// Named sets of parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// The paper's deployment (CoNEXT 2016, its scripts and captions).
    #[default]
    Recommended,
    /// QCN's parameters, against which the paper argues: the defaults of its authors' simulator. Kmin and Kmax of 40
    /// KB with Pmax 1 are hearsay.
    Strawman,
}

const fn mbps(n: u64) -> Rate {
    Rate::bps(n * 1_000_000)
}

/// Defines a struct of settings, and the form in which it is written: every field may be left out, a preset replaces
/// it, and some fields have vendors' names as aliases.
macro_rules! settings {
    (
        $(#[$about:meta])* $name:ident, $written:ident as $from:literal,
        $($(#[$field_about:meta])* $field:ident $(or $alias:literal)?: $kind:ty = $recommended:expr $(, strawman $strawman:expr)?;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(from = $from)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $kind,)*
        }

        $(#[$about])*
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(rename = $from, deny_unknown_fields, default)]
        struct $written {
            /// Preset of the fields that are left out here; that of the whole scheme if left out. The defaults shown are
            /// those of `Recommended`.
            preset: Option<Preset>,
            $(
                $(#[$field_about])*
                #[schemars(extend("default" = $recommended))]
                $(#[serde(alias = $alias)] #[schemars(extend("x-alias" = $alias))])?
                $field: Option<$kind>,
            )*
        }

        impl $name {
            /// Returns the named set of parameters.
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
                self.or(preset)
            }

            /// Returns the settings, with those of `others` in place of fields that are left out.
            fn or(self, others: $name) -> $name {
                $name { $($field: self.$field.unwrap_or(others.$field),)* }
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

/// Settings of DCQCN. A scenario may also write `preset`, here or in any of the parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenScheme")]
pub struct DcqcnScheme {
    /// Marking at every switch: the congestion point.
    pub marking: RedMarkingSpec,
    /// Answer of the destination: the notification point.
    pub echo: CnpEcho,
    /// Response at the source: the reaction point.
    pub response: DcqcnResponseSpec,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename = "Dcqcn", deny_unknown_fields, default)]
struct WrittenScheme {
    /// Preset of the fields that are left out here and below.
    preset: Preset,
    /// Rate of the hosts' links, 1 to 800 Gb/s, for which the fields that are left out are scaled. Every rate and every amount of
    /// bytes of the preset `Recommended`, which is for 40 Gb/s, is multiplied by this rate over 40 Gb/s: Kmin, Kmax, B, `R_AI`,
    /// `R_HAI` and the lowest rate. Times, shares and counts stay. Not scaled if left out.
    #[schemars(extend("default" = null))]
    scaled_to: Option<Rate>,
    /// Marking at every switch: the congestion point; that of the preset if left out.
    marking: WrittenMarking,
    /// Answer of the destination: the notification point; that of the preset if left out.
    echo: WrittenEcho,
    /// Response at the source: the reaction point; that of the preset if left out.
    response: WrittenResponse,
}

/// A rate to which presets cannot be scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum ScalingError {
    /// No link has the rate.
    #[error("`scaled_to` is {0}, and links have 1 Gb/s to 800 Gb/s: write the rate of the hosts' links")]
    Rate(Rate),
    /// The preset is not the one that is scaled.
    #[error("`scaled_to` scales the preset `Recommended`: leave it out, or leave out `preset: Strawman`")]
    Strawman,
}

impl TryFrom<WrittenScheme> for DcqcnScheme {
    type Error = ScalingError;

    fn try_from(written: WrittenScheme) -> Result<Self, ScalingError> {
        let WrittenScheme { preset, scaled_to, marking, echo, response } = written;
        let Some(rate) = scaled_to else {
            return Ok(Self {
                marking: marking.resolve(preset),
                echo: echo.resolve(preset),
                response: response.resolve(preset),
            });
        };
        let own = [marking.preset, echo.preset, response.preset].into_iter().flatten();
        if [preset].into_iter().chain(own).any(|preset| preset == Preset::Strawman) {
            return Err(ScalingError::Strawman);
        }
        if !(Rate::gbps(1)..=Rate::gbps(800)).contains(&rate) {
            return Err(ScalingError::Rate(rate));
        }
        let scaled = Self::scaled_to(rate);
        Ok(Self {
            marking: marking.or(scaled.marking),
            echo: echo.or(scaled.echo),
            response: response.or(scaled.response),
        })
    }
}

impl DcqcnScheme {
    /// Returns the named set of parameters.
    #[must_use]
    pub const fn preset(preset: Preset) -> Self {
        Self {
            marking: RedMarkingSpec::preset(preset),
            echo: CnpEcho::preset(preset),
            response: DcqcnResponseSpec::preset(preset),
        }
    }

    /// Rate of the links for which the papers state the parameters of `Recommended`.
    pub const RATE_OF_PAPERS: Rate = Rate::gbps(40);

    /// Returns the preset `Recommended`, scaled to hosts' links of this rate: rates and amounts of bytes in proportion, rounded
    /// down to whole kb/s and bytes; times, shares and counts as they are.
    ///
    /// With the unit of data so much larger, and the unit of time the same, every law of the response stays: a flow takes
    /// the same time back to the rate of its link. HPCC's simulator scales alike (`KMIN_MAP` and `KMAX_MAP`, 100 KB and 400 KB at
    /// 25 Gb/s, and `RATE_AI` in proportion to the rate).
    #[must_use]
    pub fn scaled_to(rate: Rate) -> Self {
        let Self { marking, echo, response } = Self::preset(Preset::Recommended);
        let times = |amount: u64| {
            let product =
                u128::from(amount) * u128::from(rate.get()) / u128::from(Self::RATE_OF_PAPERS.get());
            u64::try_from(product).unwrap_or(u64::MAX)
        };
        let bytes = |amount: Bytes| Bytes::new(times(amount.get()));
        let whole_kbps = |own: Rate| Rate::bps(times(own.get()) / 1000 * 1000);
        Self {
            marking: RedMarkingSpec { kmin: bytes(marking.kmin), kmax: bytes(marking.kmax), ..marking },
            echo,
            response: DcqcnResponseSpec {
                byte_counter: bytes(response.byte_counter),
                additive_increase: whole_kbps(response.additive_increase),
                hyper_increase: whole_kbps(response.hyper_increase),
                min_rate: whole_kbps(response.min_rate),
                ..response
            },
        }
    }
}

settings! {
    /// Random early detection (RED) on the queue of an output and lane at the instant of the decision. DCTCP's
    /// marking is `kmin` equal to `kmax`, and `pmax` 1.
    RedMarkingSpec, WrittenMarking as "WrittenMarking",
    /// Kmin, above 0: queue length up to which no packet is marked.
    kmin: Bytes = Bytes::new(5_000), strawman Bytes::new(40_000);
    /// Kmax, at least `kmin`: queue length above which every packet is marked.
    kmax: Bytes = Bytes::new(200_000), strawman Bytes::new(40_000);
    /// Pmax, above 0 and up to 1: probability of a mark at Kmax. The probability rises linearly from 0 at Kmin.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pmax: f64 = 0.01, strawman 1.0;
    /// Thresholds by the rate of an output's link, in place of `kmin`, `kmax` and `pmax`. If there are any, every link of
    /// a switch needs an entry for its rate; an entry for a rate that no link has is allowed.
    by_rate: Vec<RateThresholds> = Vec::<RateThresholds>::new();
    /// Instant of the decision.
    at: MarkedAt = MarkedAt::Departure;
}

/// Thresholds of the outputs whose links have one rate, as the maps of HPCC's simulator give them (`KMIN_MAP`,
/// `KMAX_MAP`, `PMAX_MAP`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateThresholds {
    /// Data rate of the link.
    pub rate: Rate,
    /// Kmin, above 0.
    pub kmin: Bytes,
    /// Kmax, at least `kmin`.
    pub kmax: Bytes,
    /// Pmax, above 0 and up to 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub pmax: f64,
}

impl RedMarkingSpec {
    /// Returns the thresholds of an output whose link has this rate; `None` if `by_rate` has entries, but none of this
    /// rate.
    #[must_use]
    pub fn thresholds(&self, rate: Rate) -> Option<RateThresholds> {
        if self.by_rate.is_empty() {
            return Some(RateThresholds { rate, kmin: self.kmin, kmax: self.kmax, pmax: self.pmax });
        }
        self.by_rate.iter().copied().find(|entry| entry.rate == rate)
    }
}

/// Instant at which marking is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MarkedAt {
    /// Departure from the queue, by the packets behind (the papers, after their switch).
    Departure,
    /// Arrival at the queue, by the packets before.
    Arrival,
}

settings! {
    /// Answer of the destination to marks: at most one CNP in an interval.
    CnpEcho, WrittenEcho as "WrittenEcho",
    /// N, above 0: interval in which a flow gets at most one CNP.
    interval or "min_time_between_cnps": Span = Span::from_us(50);
    /// Position of the CNP in the interval.
    window: CnpWindow = CnpWindow::FromCnp;
    /// Service level of CNPs, 0 to 15; that of the flow if left out. The lane of that level may have priority
    /// (`link.vl_arbitration`); at its adapter a CNP precedes all data anyway.
    #[schemars(range(min = 0, max = 15))]
    service_level: Option<u8> = None::<u8>;
}

impl Copy for CnpEcho {}
impl Copy for DcqcnResponseSpec {}

/// Position of a CNP in the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CnpWindow {
    /// At once for a mark, if none was sent for an interval (the paper).
    FromCnp,
    /// At the end of an interval with a mark. Intervals run from the flow's first packet (the authors' simulator).
    FreeRunning,
    /// At once for the first mark of an interval. Intervals run from the flow's first packet. The CoNEXT 2016 fluid counts
    /// CNPs so: in each tau at most one, with probability `1 - (1 - p)^(tau R_C)`. No implementation of it is known.
    FreeRunningAtOnce,
}

settings! {
    /// Response of a source to CNPs.
    DcqcnResponseSpec, WrittenResponse as "WrittenResponse",
    /// g, above 0 and below 1, in steps of 2^-30: the weight of a new value in alpha.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    g: f64 = 1.0 / 256.0, strawman 1.0 / 16.0;
    /// alpha before the first CNP, above 0 and up to 1, in steps of 2^-30. The authors' simulator has 0.5.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    initial_alpha: f64 = 1.0;
    /// Instants at which alpha changes.
    alpha_update: AlphaUpdate = AlphaUpdate::EachCnp;
    /// K, above 0: time without a CNP after which alpha falls, again and again; with `alpha_update: EachInterval` the
    /// interval from change to change.
    alpha_timer or "dce_tcp_rtt": Span = Span::from_us(55);
    /// Order of a CNP's two effects.
    order: CnpOrder = CnpOrder::CutFirst;
    /// Makes the present rate the target at each CNP. If false, only a CNP after an increase by the byte counter does
    /// so (the authors' simulator with `CLAMP_TARGET_RATE` 0).
    clamp_target or "clamp_tgt_rate": bool = true;
    /// Without `clamp_target`: a CNP after an increase by the timer does so too (the vendor's default; HPCC's
    /// simulator, which has no byte counter).
    clamp_after_timer or "clamp_tgt_rate_after_time_inc": bool = false;
    /// B, 1 byte to 4 GB: bytes on the wire from increase to increase. Without effect with `stages: TimerAlone`.
    byte_counter or "rpg_byte_reset": Bytes = Bytes::new(10_000_000), strawman Bytes::new(150_000);
    /// Counters that decide the stage of an increase.
    stages: StageRule = StageRule::Own;
    /// T, above 0: time from increase to increase.
    timer or "rpg_time_reset": Span = Span::from_us(55), strawman Span::from_us(1500);
    /// F, 1 to 254: number of increases by a counter that only recover the target. The authors' simulator, whose F is
    /// 5, makes 4.
    #[schemars(range(min = 1, max = 254))]
    fast_recovery or "rpg_threshold": u8 = 5;
    /// `R_AI`, at least 1 kb/s: increment of the target at an additive increase.
    additive_increase or "rpg_ai_rate": Rate = mbps(40), strawman mbps(5);
    /// `R_HAI`, at least 1 kb/s: increment of the target at the first hyper increase; at the second it is twice as
    /// much, and so on. With `stages: TimerAlone`, of each hyper increase.
    hyper_increase or "rpg_hai_rate": Rate = mbps(200), strawman mbps(50);
    /// Lowest rate, at least 1 kb/s, below that of the hosts' links. The authors' simulator has 100 Mb/s.
    min_rate or "rpg_min_rate": Rate = mbps(100);
}

/// Instants at which alpha changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AlphaUpdate {
    /// A CNP raises alpha at once and restarts K; each K without a CNP lowers alpha (CoNEXT 2016).
    EachCnp,
    /// At the end of each K, counted from the flow's first CNP, alpha rises if a CNP arrived within that K, else it falls
    /// (HPCC's simulator, `rdma-hw.cc`, `UpdateAlphaMlx`). The first CNP only starts the clock. `order` has no effect.
    EachInterval,
}

/// Counters that decide the stage of an increase. Stages count expiries since the last CNP, the present one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum StageRule {
    /// The expired counter: fast recovery up to its Fth expiry; then additive increase up to the other counter's Fth
    /// expiry, and hyper increase after it (the CoNEXT 2016 fluid; the authors' simulator with F one less).
    Own,
    /// Both: fast recovery while the higher stage is below F, hyper increase where the lower one is above F, additive
    /// increase between (SIGCOMM 2015, figure of the reaction point). Hearsay: the figure was not at hand, nor is it
    /// known whether its stages count the present expiry.
    Both,
    /// The timer, the only counter: F fast recoveries, one additive increase, then hyper increases, each by `R_HAI`
    /// (HPCC's simulator, `rdma-hw.cc`, `RateIncEventMlx`).
    TimerAlone,
}

/// Order of a CNP's two effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CnpOrder {
    /// The rate is cut by the previous alpha, then alpha rises (the paper).
    CutFirst,
    /// alpha rises, then the rate is cut by the new alpha (the authors' simulator).
    AlphaFirst,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Recommended` alone is scaled, as a whole and with fields of its own; `Strawman` is refused wherever it stands.
    #[test]
    fn one_preset_is_scaled_from_1_to_800_gbps() {
        let written = |rate| WrittenScheme { scaled_to: Some(Rate::gbps(rate)), ..WrittenScheme::default() };
        let scheme = DcqcnScheme::try_from(written(400)).expect("a rate of today");
        assert_eq!((scheme.marking.kmin, scheme.marking.kmax), (Bytes::new(50_000), Bytes::new(2_000_000)));
        assert_eq!(scheme.response.additive_increase, Rate::bps(400_000_000));
        let marking = WrittenMarking { kmin: Some(Bytes::new(7)), ..WrittenMarking::default() };
        let scheme =
            DcqcnScheme::try_from(WrittenScheme { marking, ..written(400) }).expect("a field beside");
        assert_eq!((scheme.marking.kmin, scheme.marking.kmax), (Bytes::new(7), Bytes::new(2_000_000)));
        for strawman in [
            WrittenScheme { preset: Preset::Strawman, ..written(400) },
            WrittenScheme {
                echo: WrittenEcho { preset: Some(Preset::Strawman), ..WrittenEcho::default() },
                ..written(400)
            },
        ] {
            assert_eq!(DcqcnScheme::try_from(strawman), Err(ScalingError::Strawman));
        }
        for rate in [1, 800] {
            assert!(DcqcnScheme::try_from(written(rate)).is_ok());
        }
        let slow = WrittenScheme { scaled_to: Some(Rate::bps(999_000_000)), ..WrittenScheme::default() };
        assert_eq!(DcqcnScheme::try_from(slow), Err(ScalingError::Rate(Rate::bps(999_000_000))));
        assert_eq!(DcqcnScheme::try_from(written(801)), Err(ScalingError::Rate(Rate::gbps(801))));
    }
}
