//! Keys of NVIDIA's OpenSM (5.x, of `MLNX_OFED`, DOCA and UFM) that change an experiment: its congestion control, and
//! files of settings that are not read. `adaptive` has the keys of adaptive routing.
//!
//! Invariant: congestion control that the file does not state stays as it is in the scenario. A key that makes
//! another experiment is changed, with its meaning; keys of failures, multicast or the manager alone are not used.
//!
//! | `mlnx_congestion_control` | the manager | scenario |
//! |---|---|---|
//! | 0, or no key | leaves the devices as they are | its own scheme |
//! | 1 | turns congestion control off | `Off` |
//! | 2 | sets RED-like FECN at switches, DCQCN or PPCC at adapters | `Mixed`, of assumed parameters: changed |
//!
//! Sources: the keys and comments that `opensm -c` of 5.21.12 writes (`linlinw5/rdma_ib_tutorial`,
//! `conf/opensm_full.conf`), the vendor's manual of UFM, "OpenSM Configuration".

use std::collections::BTreeSet;

use super::adaptive;
use super::options::{OpensmOption, OpensmOptions};
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::mlx5;
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Fields of a scenario by the vendor's keys.
#[derive(Default)]
pub(super) struct VendorSettings {
    /// The scheme, if the file states it.
    pub(super) scheme: Option<String>,
    /// Further fields of the scenario, by their paths.
    pub(super) settings: Vec<(String, String)>,
    pub(super) account: Vec<KeyAccount>,
    /// True if the file says that no switch chooses ports by their load.
    pub(super) without_choice: bool,
}

const CONTROL: &str = "mlnx_congestion_control";
const ALGORITHMS: &str = "ppcc_algo_dir";
/// The policy of congestion control. The manual also spells it so.
const POLICIES: [&str; 2] = ["congestion_control_policy_file", "congestion_control_file"];
/// Beginnings of keys that concern links which fail.
const OF_FAILURES: [&str; 3] = ["shield_mode", "pfrn_", "fast_recovery_"];
const LINKS: [(&str, u64); 4] = [
    ("force_link_speed", 15),
    ("force_link_speed_ext", 31),
    ("force_link_speed_ext2", 7),
    ("force_link_width", 255),
];
const MTU: &str = "max_neighbor_mtu";

/// Files and profiles with further settings, and the value without them.
const UNREAD: [(&str, &str, &str); 4] = [
    ("device_configuration_file", "(null)", "settings of single devices: the file is not read"),
    (
        "enhanced_qos_policy_file",
        "(null)",
        "it limits rates by service level at ports of adapters: the file is not read",
    ),
    ("fabric_mode_profile", "none", "a profile of settings of devices: it is not read"),
    ("qos_config_vl_enabled", "FALSE", "weights of lanes differ by group of ports: they are not read"),
];

/// Returns true for keys that this module enters.
pub(super) fn is_one(key: &str) -> bool {
    [CONTROL, ALGORITHMS, MTU, "event_plugin_name", "plugin_name", "sharp_enabled"].contains(&key)
        || POLICIES.contains(&key)
        || adaptive::is_one(key)
        || OF_FAILURES.iter().any(|beginning| key.starts_with(beginning))
        || LINKS.iter().any(|(own, _)| *own == key)
        || UNREAD.iter().any(|(own, ..)| *own == key)
}

/// Reads the vendor's keys. `is_vendors` is true if the file has any key that only the vendor's OpenSM knows.
pub(super) fn settings(
    source: SourceText<'_>,
    options: &OpensmOptions,
    is_vendors: bool,
) -> Result<VendorSettings, Diagnostic> {
    let mut reader = Reader { source, options, found: VendorSettings::default() };
    reader.congestion_control()?;
    reader.routing(is_vendors)?;
    reader.links()?;
    reader.unread();
    Ok(reader.found)
}

struct Reader<'a> {
    source: SourceText<'a>,
    options: &'a OpensmOptions,
    found: VendorSettings,
}

impl<'a> Reader<'a> {
    fn enter(&mut self, key: &str, fate: KeyFate, what: impl Into<String>) {
        self.found.account.extend(self.options.entry(key, fate, what));
    }

    fn last(&self, key: &str) -> Option<&'a OpensmOption> {
        self.options.last(key)
    }

    fn number(&self, key: &str, most: u64) -> Result<Option<u64>, Diagnostic> {
        self.options.number(self.source, key, most)
    }

    fn is_set(&self, key: &str, unset: &str) -> bool {
        self.last(key).is_some_and(|line| !line.value.is_empty() && !line.value.eq_ignore_ascii_case(unset))
    }

    fn congestion_control(&mut self) -> Result<(), Diagnostic> {
        let control = self.number(CONTROL, 2)?;
        let policy = POLICIES.into_iter().find(|key| self.is_set(key, "(null)"));
        let is_on = control == Some(2);
        match control {
            Some(2) => self.assumed(),
            Some(1) => {
                self.found.scheme = Some("Off".to_owned());
                self.enter(CONTROL, KeyFate::Used, "`congestion_control: Off`");
            }
            _ => {
                let what = "the manager leaves congestion control as it is: the scenario's own scheme stays";
                self.enter(CONTROL, KeyFate::NotUsed, what);
            }
        }
        for key in POLICIES {
            if Some(key) == policy && is_on {
                let what = "thresholds of switches, parameters and algorithms of adapters: the file is not read, and \
                            assumed values stand for it";
                self.enter(key, KeyFate::Changed, what);
            } else {
                self.enter(key, KeyFate::NotUsed, "no policy of congestion control is in force");
            }
        }
        if is_on && policy.is_some() {
            let what =
                "algorithms that the policy may name (PPCC) measure round trips; here adapters run DCQCN";
            self.enter(ALGORITHMS, KeyFate::Changed, what);
        } else {
            self.enter(ALGORITHMS, KeyFate::NotUsed, "no policy names an algorithm of this folder");
        }
        Ok(())
    }

    /// Sets the scheme of adapters and switches of this vendor, with the parameters with which they are delivered.
    fn assumed(&mut self) {
        let text = mlx5::OF_THE_VENDOR;
        let parameters =
            mlx5::read(SourceText { name: "(vendor)", text }, None).expect("parameters of the vendor");
        let response = parameters.settings.iter().find(|(path, _)| path.ends_with(".response"));
        let response = response.map_or("()", |(_, response)| response.as_str());
        // The thresholds of DCQCN's paper: the vendor publishes none.
        let marking = "kmin: \"5 KB\", kmax: \"200 KB\", pmax: 0.01";
        self.found.scheme =
            Some(format!("Mixed(marking: Red({marking}), echo: Cnp, response: Dcqcn{response})"));
        let what = "the vendor's congestion control is on: switches mark by a ramp over their queues, adapters \
            answer by \
                    CNPs and slow down by DCQCN or a programmable algorithm (PPCC), with values that this file \
                        does not \
                    have";
        self.enter(CONTROL, KeyFate::Changed, what);
        let what = format!(
            "`Mixed`: `Red` with {marking} (DCQCN's paper), `Cnp`, and `Dcqcn` with the parameters of an adapter as \
             delivered ({}); docs/clusters.md",
            text.trim_end().replace('\n', ", ")
        );
        self.found.account.push(KeyAccount::new("(congestion control)", "", KeyFate::Approximated, what));
    }

    /// Sets adaptive routing, and enters the keys of failures beside it.
    fn routing(&mut self, is_vendors: bool) -> Result<(), Diagnostic> {
        let adaptive = adaptive::settings(self.source, self.options, is_vendors)?;
        self.found.settings.extend(adaptive.settings);
        self.found.account.extend(adaptive.account);
        self.found.without_choice = adaptive.without_choice;
        self.failures();
        self.enter("sharp_enabled", KeyFate::NotUsed, "switches reduce nothing here");
        Ok(())
    }

    fn failures(&mut self) {
        let lines = self.options.lines.iter().map(|line| line.key.as_str());
        let keys: BTreeSet<&str> =
            lines.filter(|key| OF_FAILURES.iter().any(|beginning| key.starts_with(beginning))).collect();
        for key in keys {
            self.enter(key, KeyFate::NotUsed, "no link fails here");
        }
    }

    /// Enters limits of links.
    fn links(&mut self) -> Result<(), Diagnostic> {
        for (key, unset) in LINKS {
            let is_set =
                self.number(key, u64::from(u32::MAX))?.is_some_and(|value| value != unset && value != 0);
            let what = if is_set {
                "limits links: `import ibnetdiscover` has them with the width and the speed that they have"
            } else {
                "links have the width and the speed that they can have"
            };
            self.enter(key, KeyFate::NotUsed, what);
        }
        match self.number(MTU, 5)? {
            Some(code @ 1..) => {
                let bytes = 128u64 << code;
                self.found.settings.push(("link.mtu".to_owned(), format!("\"{bytes} B\"")));
                self.enter(MTU, KeyFate::Used, "`link.mtu`");
            }
            _ => self.enter(MTU, KeyFate::NotUsed, "the MTU is the ports' own"),
        }
        Ok(())
    }

    /// Enters files and plug-ins with further settings.
    fn unread(&mut self) {
        for (key, unset, what) in UNREAD {
            if self.is_set(key, unset) {
                self.enter(key, KeyFate::Changed, what);
            } else {
                self.enter(key, KeyFate::NotUsed, "none");
            }
        }
        for key in ["event_plugin_name", "plugin_name"] {
            let is_manager = self.last(key).is_some_and(|line| line.value.contains("ccmgr"));
            if is_manager {
                let what = "this plug-in sets congestion control by a file of its own, which is not read";
                self.enter(key, KeyFate::Changed, what);
            } else {
                self.enter(key, KeyFate::NotUsed, "it concerns the subnet manager alone");
            }
        }
    }
}
