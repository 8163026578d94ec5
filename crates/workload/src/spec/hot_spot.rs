//! Uniform traffic with hot spots, at rest or moving: for a while, a share of the traffic goes to a few hosts.
//!
//! Invariant: windows are in order of time and do not overlap, and every contributor has a target other than itself.
//!
//! The pattern follows Pfister and Norton ("Hot spot contention and combining in multistage interconnection
//! networks", 1985), and Pfister and others (2005). Each source moves a share h of its load to a single host.

use packet::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::FieldPath;
use smallvec::SmallVec;
use units::{Bytes, Time};

use super::check;
use super::hosts::{HostsSpec, Parties};
use super::shared::pattern_spec;
use crate::change::TrafficChange;
use crate::environment::Environment;
use crate::error::{HostError, HotSpotError, InField, WorkloadError};

pattern_spec! {
    /// Every sender sends messages to uniformly drawn receivers. Within each window, contributors send a share of theirs to
    /// the window's targets instead, so that the load of each sender stays the same.
    ///
    /// DEVIATION: no host sends to itself, where the paper has "each source to each destination".
    pub struct HotSpotSpec {
        /// Hosts that post messages; all if left out.
        #[serde(default)]
        pub senders: HostsSpec,
        /// Hosts that they post to outside of windows, none to itself; all if left out. Targets of windows need not be among
        /// them.
        #[serde(default)]
        pub receivers: HostsSpec,
        /// Time from which messages are posted.
        pub from: Time,
        /// Time until which messages are posted, later than `from`.
        pub until: Time,
        /// Payload of each message.
        pub message: Bytes,
        /// Mean rate of payload of each sender, as a share of its link's data rate: above 0, at most 1.
        #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
        pub load: f64,
        /// Spacing of a host's messages.
        #[serde(default)]
        pub arrivals: SpacingSpec,
        /// Senders whose messages a window redirects.
        #[serde(default)]
        pub contributors: ContributorSpec,
        /// Hot spots in order of time: each begins no earlier than the one before it ends.
        pub windows: Vec<HotSpotWindowSpec>,
    }
}

/// Spacing of the messages of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SpacingSpec {
    /// At exponentially distributed intervals.
    #[default]
    Poisson,
    /// Evenly spaced; each host begins after a part of an interval that is drawn for it uniformly.
    Fixed,
}

/// The hosts that contribute to a hot spot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ContributorSpec {
    /// All senders.
    #[default]
    All,
    /// The first this many senders in the order of the topology that are not a target themselves: 1 to all.
    First(#[schemars(range(min = 1))] u32),
    /// All hosts of these names, each a sender.
    Named(HostsSpec),
}

/// A hot spot for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HotSpotWindowSpec {
    /// Beginning: the first redirected message is posted then or later.
    pub from: Time,
    /// End, later than `from`.
    pub until: Time,
    /// Share of a contributor's load that is redirected (h): above 0, at most 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub fraction: f64,
    /// Targets, at least one, each drawn with the same probability. A contributor that is a target itself redirects
    /// to the others; if it is the only one, it redirects nothing.
    pub to: Vec<String>,
}

/// A hot spot with its hosts looked up.
pub(crate) struct HotSpots {
    pub(crate) parties: Parties,
    pub(crate) windows: Vec<HotSpotWindow>,
}

/// A window with its hosts looked up.
#[derive(Debug, PartialEq)]
pub(crate) struct HotSpotWindow {
    pub(crate) from: Time,
    pub(crate) until: Time,
    pub(crate) fraction: f64,
    pub(crate) targets: SmallVec<[NodeId; 4]>,
    /// Whether each host contributes.
    pub(crate) contributes: Vec<bool>,
}

impl HotSpotSpec {
    /// Returns the degree of the hot spot: the most hosts that send to the same target. If all senders contribute,
    /// this is their number, although a target sends nothing to itself. Pfister and others count in this way.
    #[must_use]
    pub fn degree(&self, hosts: &[&str]) -> u32 {
        let senders = self.senders.among(hosts);
        if self.contributors == ContributorSpec::All && !self.windows.is_empty() {
            return senders.into_iter().filter(|sends| *sends).count() as u32;
        }
        let count = |window: &HotSpotWindowSpec| {
            let contributes = self.contributors.among((hosts, &senders), &window.to);
            contributes.into_iter().filter(|contributes| *contributes).count() as u32
        };
        self.windows.iter().map(count).max().unwrap_or_default()
    }

    /// Checks all fields, and looks the hosts up.
    pub(crate) fn resolve(&self, environment: &Environment<'_>) -> Result<HotSpots, WorkloadError> {
        let parties = Parties::resolve(&self.senders, &self.receivers, environment)?;
        if let [alone] = parties.receivers.as_slice()
            && parties.senders.contains(alone)
        {
            let name = environment.name(*alone).to_owned();
            return Err(WorkloadError::at("receivers", HostError::ReceiverAmongSenders { name }));
        }
        check::period(self.from, self.until).in_field("until")?;
        check::message_size(self.message).in_field("message")?;
        check::load(self.load).in_field("load")?;
        if let ContributorSpec::Named(hosts) = &self.contributors {
            let named = hosts.resolve("contributors", environment)?;
            if let Some(other) = named.iter().find(|host| !parties.senders.contains(host)) {
                let name = environment.name(*other).to_owned();
                return Err(WorkloadError::at("contributors", HotSpotError::NoSender { name }));
            }
        }
        let mut last = Time::ZERO;
        let mut windows = Vec::new();
        for (i, window) in self.windows.iter().enumerate() {
            let place = FieldPath::from("windows").index(i);
            let targets = window.check(last, environment).map_err(|error| error.below(&place))?;
            last = window.until;
            windows.push(self.resolved(window, targets, environment)?);
        }
        Ok(HotSpots { parties, windows })
    }

    /// A window with its contributors.
    fn resolved(
        &self,
        window: &HotSpotWindowSpec,
        targets: SmallVec<[NodeId; 4]>,
        environment: &Environment<'_>,
    ) -> Result<HotSpotWindow, WorkloadError> {
        let hosts = environment.hosts();
        let senders = self.senders.among(hosts);
        let contributes = self.contributors.among((hosts, &senders), &window.to);
        let found = contributes.iter().filter(|contributes| **contributes).count();
        match &self.contributors {
            ContributorSpec::Named(_) if found == 0 => {
                Err(WorkloadError::at("contributors", HotSpotError::NoContributors))
            }
            ContributorSpec::First(given) if *given == 0 || found < *given as usize => {
                // The remedy counts senders that are no target, since `First` takes no target.
                let is_target = |host: &NodeId| targets.contains(host);
                let others =
                    environment.nodes().filter(|host| senders[host.index()] && !is_target(host)).count();
                Err(WorkloadError::at("contributors", HotSpotError::Contributors { given: *given, others }))
            }
            ContributorSpec::All | ContributorSpec::First(_) | ContributorSpec::Named(_) => {
                let HotSpotWindowSpec { from, until, fraction, .. } = *window;
                Ok(HotSpotWindow { from, until, fraction, targets, contributes })
            }
        }
    }

    /// Returns the beginnings and ends of the windows.
    pub(crate) fn changes(&self) -> Vec<TrafficChange> {
        self.windows.iter().flat_map(HotSpotWindowSpec::changes).collect()
    }
}

impl HotSpotWindowSpec {
    /// Checks the window, which must not begin before `last`, and returns its targets.
    fn check(
        &self,
        last: Time,
        environment: &Environment<'_>,
    ) -> Result<SmallVec<[NodeId; 4]>, WorkloadError> {
        if self.from < last {
            return Err(WorkloadError::at("from", HotSpotError::WindowsOverlap { from: self.from, last }));
        }
        check::period(self.from, self.until).in_field("until")?;
        if !(self.fraction > 0.0 && self.fraction <= 1.0) {
            return Err(WorkloadError::at("fraction", HotSpotError::FractionRange { given: self.fraction }));
        }
        let mut targets = SmallVec::new();
        for (i, name) in self.to.iter().enumerate() {
            let field = || FieldPath::from("to").index(i);
            let target = environment.host(name).map_err(|error| WorkloadError::at(field(), error))?;
            if targets.contains(&target) {
                return Err(WorkloadError::at(field(), HotSpotError::TargetTwice { name: name.clone() }));
            }
            targets.push(target);
        }
        if targets.is_empty() { Err(HotSpotError::NoTargets).in_field("to") } else { Ok(targets) }
    }

    fn changes(&self) -> [TrafficChange; 2] {
        let (name, [starts, stops]) = match self.to.as_slice() {
            [one] => (format!("hot spot at {one}"), ["starts", "stops"]),
            several => (format!("hot spots at {} hosts", several.len()), ["start", "stop"]),
        };
        let change = |at, verb| TrafficChange { at, what: format!("{name} {verb}") };
        [change(self.from, starts), change(self.until, stops)]
    }
}

impl ContributorSpec {
    /// Returns for each host whether it contributes to a hot spot at these targets. `senders` says for each host
    /// whether it sends.
    fn among(&self, (hosts, senders): (&[&str], &[bool]), to: &[String]) -> Vec<bool> {
        // The only target has no other to redirect to.
        let has_target = |host: &str| to.len() != 1 || to[0] != host;
        let all = || hosts.iter().zip(senders);
        match self {
            Self::All => all().map(|(host, sends)| *sends && has_target(host)).collect(),
            Self::Named(named) => {
                let meant = named.among(hosts);
                all().zip(meant).map(|((host, sends), meant)| *sends && has_target(host) && meant).collect()
            }
            Self::First(count) => {
                let mut remaining = *count;
                let takes_part = |(host, sends): (&&str, &bool)| {
                    let contributes = *sends && remaining > 0 && !to.iter().any(|target| target == host);
                    remaining -= u32::from(contributes);
                    contributes
                };
                all().map(takes_part).collect()
            }
        }
    }
}
