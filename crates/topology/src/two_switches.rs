//! Two switches with groups of hosts: a dumbbell whose numbers of hosts are parameters.
//!
//! Invariant: a host is called by its group and its number within it, whatever the number of hosts; so the
//! one host of the group `C` is `C1`, and stays `C1` when there are more.
//!
//! ```text
//! left.hosts  --host_cable--  left.name  --trunk_cable--  right.name  --host_cable--  right.hosts
//! ```

use std::collections::BTreeSet;

use crate::MAX_SWITCH_PORTS;
use crate::builder::{Draft, cable};
use crate::error::{TopologyError, TopologyErrorKind as Kind};
use crate::graph::{Graph, node};
use crate::spec::{SwitchWithHosts, TwoSwitches};

impl TwoSwitches {
    pub(crate) fn build(&self, cables: &[&str]) -> Result<Graph, TopologyError> {
        let (mut named, at_right) = (self.left.hosts("left")?, self.right.hosts("right")?);
        let at_left = named.len();
        named.extend(at_right);
        let hosts = named.len();
        named.push(("left.name".to_owned(), self.left.name.clone()));
        named.push(("right.name".to_owned(), self.right.name.clone()));
        check_names(&named)?;
        let host_cable = cable(cables, &self.host_cable, || "host_cable".to_owned())?;
        let trunk_cable = cable(cables, &self.trunk_cable, || "trunk_cable".to_owned())?;
        let mut draft = Draft::new(hosts, named.into_iter().map(|(_, name)| name).collect());
        let (left, right) = (node(hosts), node(hosts + 1));
        for host in 0..hosts {
            draft.link(node(host), if host < at_left { left } else { right }, host_cable);
        }
        draft.link(left, right, trunk_cable);
        Ok(draft.finish())
    }
}

impl SwitchWithHosts {
    /// The hosts of this side, each with the path of its group.
    fn hosts(&self, side: &str) -> Result<Vec<(String, String)>, TopologyError> {
        let path = |group: &str| format!("{side}.hosts.{group:?}");
        let total: usize = self.hosts.values().copied().map(usize::from).sum();
        let largest = self.hosts.iter().max_by_key(|(_, count)| **count);
        // One port is the trunk's.
        if let Some((group, _)) = largest.filter(|_| total >= MAX_SWITCH_PORTS) {
            return Err(TopologyError::new(path(group), Kind::TooManyPorts));
        }
        let mut hosts = Vec::new();
        for (group, &count) in &self.hosts {
            let path = path(group);
            let fault = |kind| Err(TopologyError::new(path.clone(), kind));
            if group.is_empty() {
                return fault(Kind::EmptyName);
            }
            if count == 0 {
                return fault(Kind::EmptyGroup { group: group.clone() });
            }
            hosts.extend((1..=count).map(|number| (path.clone(), format!("{group}{number}"))));
        }
        Ok(hosts)
    }
}

/// Every name is given once: a group's name and a number can spell a host of another group, or a switch.
fn check_names(named: &[(String, String)]) -> Result<(), TopologyError> {
    let mut known = BTreeSet::new();
    for (path, name) in named {
        let fault = |kind| Err(TopologyError::new(path.clone(), kind));
        if name.is_empty() {
            return fault(Kind::EmptyName);
        }
        if !known.insert(name) {
            return fault(Kind::DuplicateName { name: name.clone() });
        }
    }
    Ok(())
}
