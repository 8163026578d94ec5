//! InfiniBand fat trees, with a job or without, and dragonflies.

use link_layer::spec::{Speed, Width};
use units::Rate;

use super::tree::Tree;
use super::{DraftError, filled};

/// An InfiniBand fat tree with full bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTree {
    /// Signalling speed of all cables, of four lanes each.
    pub speed: Speed,
    /// Number of hosts.
    pub hosts: u32,
}

/// An InfiniBand dragonfly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dragonfly {
    /// Signalling speed of all cables, of four lanes each.
    pub speed: Speed,
    /// Number of switches of a group.
    pub routers: u32,
    /// Number of hosts of a switch.
    pub hosts: u32,
    /// Number of cables of a switch to other groups.
    pub global: u32,
}

impl FatTree {
    /// Returns the scenario of a tree of the switches that are usual at the speed.
    ///
    /// # Errors
    /// If no tree of such switches has so many hosts.
    pub fn scenario(self) -> Result<String, DraftError> {
        self.filled(include_str!("fat_tree.ron"))
    }

    /// Returns the scenario of the same tree with a job of a rank on each host, and an incast beside it.
    ///
    /// # Errors
    /// As for [`Self::scenario`].
    pub fn with_job(self) -> Result<String, DraftError> {
        self.filled(include_str!("job.ron"))
    }

    fn filled(self, template: &str) -> Result<String, DraftError> {
        let Self { speed, hosts } = self;
        let (ports, switch) = usual_switch(speed);
        let tree = Tree::of(hosts, ports)?;
        let mut names = common(speed, hosts);
        names.extend([
            ("PORTS", ports.to_string()),
            ("SWITCH", switch.to_owned()),
            ("SWITCHES", counted(tree.switches(), "switch", "switches")),
            ("TIERS", counted(tree.down.len() as u32, "tier", "tiers")),
            ("DOWN", listed(&tree.down)),
            ("UP", listed(&tree.up)),
            ("PARALLEL", listed(&tree.parallel)),
        ]);
        Ok(filled(template, &names))
    }
}

impl Dragonfly {
    /// Returns the scenario.
    ///
    /// # Errors
    /// If there are fewer than three hosts, or more than the simulator takes.
    pub fn scenario(self) -> Result<String, DraftError> {
        let Self { speed, routers, hosts, global } = self;
        let groups = u64::from(routers) * u64::from(global) + 1;
        let all = groups * u64::from(routers) * u64::from(hosts);
        let ports = u64::from(hosts) + u64::from(routers) - 1 + u64::from(global);
        if ports > 254 || !(3..=48_000).contains(&all) {
            return Err(DraftError {
                message: format!("{all} hosts at switches with {ports} ports cannot be simulated"),
                help: "write 3 to 48000 hosts in all, and at most 254 ports a switch".to_owned(),
            });
        }
        let mut names = common(speed, all as u32);
        names.extend([
            ("ROUTERS", routers.to_string()),
            ("OWN", hosts.to_string()),
            ("GLOBAL", global.to_string()),
            ("GROUPS", groups.to_string()),
        ]);
        Ok(filled(include_str!("dragonfly.ron"), &names))
    }
}

/// Returns the texts that both drafts need.
fn common(speed: Speed, hosts: u32) -> Vec<(&'static str, String)> {
    let name = speed.name();
    vec![
        ("SPEED", name.to_owned()),
        ("RATE", speed.data_rate(Width::X4).to_string()),
        ("HOSTS", hosts.to_string()),
        ("SENDERS", hosts.saturating_sub(1).min(8).to_string()),
        (
            "BUFFER",
            if speed.data_rate(Width::X4) >= Rate::gbps(200) { "64 KiB" } else { "32 KiB" }.to_owned(),
        ),
    ]
}

/// Returns the ports of a switch at this speed, and the switch from which the number is.
const fn usual_switch(speed: Speed) -> (u32, &'static str) {
    match speed {
        Speed::Sdr | Speed::Ddr => (24, "InfiniScale III"),
        Speed::Qdr => (36, "InfiniScale IV"),
        Speed::Fdr10 | Speed::Fdr => (36, "SwitchX"),
        Speed::Edr => (36, "Switch-IB"),
        Speed::Hdr => (40, "Quantum, QM8700"),
        Speed::Ndr => (64, "Quantum-2, QM9700"),
        Speed::Xdr => (144, "Quantum-X800, Q3400"),
    }
}

pub(super) fn listed(numbers: &[u32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

fn counted(count: u32, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {several}") }
}
