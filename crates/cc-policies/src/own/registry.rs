//! The policies of a program, by the names that scenarios use.
//!
//! Invariant: a name means the same policy during the whole life of a plan; a plan holds the registry that checked it.

use core::any::type_name;
use core::fmt::{self, Display, Formatter};
use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use settings::{Fault, nearest};

use super::marker::{BoxedMarker, OwnMarker};
use super::response::{OwnResponse, ResponseSetup, SharedResponse};
use super::spec::OwnSpec;
use crate::policy::MarkerSetup;

/// Responses and marking rules of a program, by name.
///
/// ```
/// use cc_policies::own::{OwnPolicies, OwnResponse, ResponseSetup};
/// use cc_policies::{Notification, NotificationOutcome, Response};
/// use packet::ServiceLevel;
/// use units::{Span, Time};
///
/// #[derive(serde::Deserialize)]
/// struct Settings { gap: Span }
///
/// /// Waits `gap` after each packet for ever, once a notification has come.
/// #[derive(Debug)]
/// struct Grudge(Span);
///
/// impl Response for Grudge {
///     type State = bool;
///
///     fn at_rest(&self, _: ServiceLevel) -> bool {
///         false
///     }
///
///     fn on_notification(&self, offended: &mut bool, _: Notification, _: Time) -> NotificationOutcome {
///         NotificationOutcome { decreased: !core::mem::replace(offended, true), reached_trigger: false }
///     }
///
///     fn gap(&self, offended: &mut bool, _: Span, _: Time) -> Span {
///         if *offended { self.0 } else { Span::ZERO }
///     }
/// }
///
/// impl OwnResponse for Grudge {
///     type Settings = Settings;
///
///     fn new(settings: Settings, _: ResponseSetup) -> Self {
///         Self(settings.gap)
///     }
/// }
///
/// let own = OwnPolicies::new().response::<Grudge>("grudge");
/// assert_eq!(own.names(), ["grudge"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnPolicies {
    responses: BTreeMap<String, ResponseKind>,
    markers: BTreeMap<String, MarkerKind>,
}

/// A policy of one's own that a plan uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPolicy {
    /// What it decides: `response` or `marking`.
    pub decides: &'static str,
    /// Name in the scenario.
    pub name: String,
    /// Type of the policy, as Rust names it.
    pub type_name: &'static str,
}

impl Display for OwnPolicy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.decides, self.name, self.type_name)
    }
}

/// Functions of a type of policies. Two kinds are equal if their types are.
#[derive(Clone, Copy, Debug)]
struct Kind<Make> {
    type_name: &'static str,
    check: fn(&OwnSpec) -> Result<(), Fault>,
    make: Make,
}

type ResponseKind = Kind<fn(&OwnSpec, ResponseSetup) -> SharedResponse>;
type MarkerKind = Kind<fn(&OwnSpec, &MarkerSetup) -> BoxedMarker>;

impl<Make> PartialEq for Kind<Make> {
    fn eq(&self, other: &Self) -> bool {
        self.type_name == other.type_name
    }
}

impl OwnPolicies {
    /// No policies.
    pub const NONE: Self = Self { responses: BTreeMap::new(), markers: BTreeMap::new() };

    /// Returns a registry without policies.
    #[must_use]
    pub const fn new() -> Self {
        Self::NONE
    }

    /// Adds a response: a scenario names it `response: Own(name: NAME, settings: {..})`.
    #[must_use]
    pub fn response<R: OwnResponse>(mut self, name: &str) -> Self {
        let kind = ResponseKind {
            type_name: type_name::<R>(),
            check: |spec| R::check(&spec.read()?).map_err(below_settings),
            make: |spec, adapter| SharedResponse::new(R::new(checked(spec), adapter)),
        };
        self.responses.insert(name.to_owned(), kind);
        self
    }

    /// Adds a marking rule: a scenario names it `marking: Own(name: NAME, settings: {..})`.
    #[must_use]
    pub fn marker<M: OwnMarker>(mut self, name: &str) -> Self {
        let kind = MarkerKind {
            type_name: type_name::<M>(),
            check: |spec| M::check(&spec.read()?).map_err(below_settings),
            make: |spec, switch| BoxedMarker::new(M::new(checked(spec), switch)),
        };
        self.markers.insert(name.to_owned(), kind);
        self
    }

    /// Returns the names of all responses, then of all marking rules.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.responses.keys().chain(self.markers.keys()).map(String::as_str).collect()
    }

    /// Returns the response of this name.
    pub(crate) fn response_of(&self, spec: &OwnSpec) -> Option<OwnPolicy> {
        policy(spec, &self.responses, "response")
    }

    /// Returns the marking rule of this name.
    pub(crate) fn marker_of(&self, spec: &OwnSpec) -> Option<OwnPolicy> {
        policy(spec, &self.markers, "marking")
    }

    /// Checks that there is a response of this name, and its settings.
    pub(crate) fn check_response(&self, spec: &OwnSpec) -> Result<(), Fault> {
        check(spec, &self.responses, "response")
    }

    /// Checks that there is a marking rule of this name, and its settings.
    pub(crate) fn check_marker(&self, spec: &OwnSpec) -> Result<(), Fault> {
        check(spec, &self.markers, "marker")
    }

    /// Returns the response of an adapter. It has passed [`check_response`](Self::check_response).
    pub(crate) fn make_response(&self, spec: &OwnSpec, adapter: ResponseSetup) -> SharedResponse {
        (self.responses[&spec.name].make)(spec, adapter)
    }

    /// Returns the marker of a switch. It has passed [`check_marker`](Self::check_marker).
    pub(crate) fn make_marker(&self, spec: &OwnSpec, switch: &MarkerSetup) -> BoxedMarker {
        (self.markers[&spec.name].make)(spec, switch)
    }
}

/// Returns the policy of this name.
fn policy<Make>(
    OwnSpec { name, .. }: &OwnSpec,
    known: &BTreeMap<String, Kind<Make>>,
    decides: &'static str,
) -> Option<OwnPolicy> {
    let kind = known.get(name)?;
    Some(OwnPolicy { decides, name: name.clone(), type_name: kind.type_name })
}

/// Checks that there is a policy of this name, and its settings. `method` is that of [`OwnPolicies`].
fn check<Make>(spec: &OwnSpec, known: &BTreeMap<String, Kind<Make>>, method: &str) -> Result<(), Fault> {
    let kind = known.get(&spec.name).ok_or_else(|| unknown(spec, known, method))?;
    (kind.check)(spec)
}

/// Reads settings that were read before, by the check.
fn checked<S: DeserializeOwned>(spec: &OwnSpec) -> S {
    spec.read().unwrap_or_else(|fault| panic!("the check has read these settings: {}", fault.message))
}

fn below_settings(fault: Fault) -> Fault {
    fault.below(&OwnSpec::path())
}

/// Returns the fault of a name that is not registered. `method` is that of [`OwnPolicies`].
fn unknown<K>(OwnSpec { name, .. }: &OwnSpec, known: &BTreeMap<String, K>, method: &str) -> Fault {
    let help = if known.is_empty() {
        format!(
            "choose a built-in policy, or run the scenario by a Rust program of your own that has one: \
             `Simulation::find(FILE)?.own(OwnPolicies::new().{method}::<YourType>(\"{name}\")).run()?` \
             (docs/guide/own-response.md)"
        )
    } else {
        nearest::help(name, known.keys().map(String::as_str), "registered names")
    };
    let message = format!("this program has no policy `{name}` of its own");
    Fault { path: "name".into(), message, help: Some(help) }
}
