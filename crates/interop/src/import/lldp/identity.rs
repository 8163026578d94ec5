//! Names of one node: with and without its domain, in capitals or not.
//!
//! Invariant: names that are one name of the domain name system are one node. A name that could be that of two nodes is
//! refused.
//!
//! ```text
//! leaf1, LEAF1, leaf1.dc.example.com           one node
//! rack1.leaf1, rack1.leaf2                     two
//! leaf1, leaf1.dc1.example.com, leaf1.dc2      refused
//! 10.0.0.1, gpu-1.2                            addresses, and numbers of ports: no domain
//! ```

use core::ops::Range;
use std::collections::BTreeMap;

use super::rows::NeighbourRows;
use crate::import::source::SourceText;
use scenario::Diagnostic;

/// Names of nodes by all forms of each.
#[derive(Default)]
pub(super) struct Identities {
    /// The name that stands for a name in small letters.
    names: BTreeMap<String, String>,
    /// Pairs of another form of a name and the name, for the account.
    pub(super) merged: Vec<(String, String)>,
}

/// A form of a name.
struct Form {
    /// True if a switch has its own table by it.
    has_table: bool,
    /// True if it stands before its cable's other end.
    is_local: bool,
    /// File, and bytes of the first row with it.
    at: (usize, Range<usize>),
}

impl Identities {
    /// Gives each node one name in all rows.
    pub(super) fn unify(files: &[SourceText<'_>], all: &mut [NeighbourRows]) -> Result<Self, Diagnostic> {
        let mut forms: BTreeMap<String, Form> = BTreeMap::new();
        for (file, rows) in all.iter().enumerate() {
            for row in &rows.rows {
                for (name, is_local) in [(&row.node, true), (&row.peer, false)] {
                    let at = || (file, row.at.clone());
                    let first = || Form { has_table: false, is_local: false, at: at() };
                    let form = forms.entry(name.clone()).or_insert_with(first);
                    form.has_table |= is_local && row.own_table;
                    form.is_local |= is_local;
                }
            }
        }
        forms.remove("");
        let own = Self::of_forms(files, &forms)?;
        for row in all.iter_mut().flat_map(|rows| &mut rows.rows) {
            row.node = own.name(&row.node);
            row.peer = own.name(&row.peer);
        }
        Ok(own)
    }

    /// Returns the name of the node for a name; the name itself if no row has it.
    pub(super) fn name(&self, name: &str) -> String {
        let small = name.to_lowercase();
        let shorter =
            || small.match_indices('.').find_map(|(at, _)| Some((at, self.names.get(&small[..at])?)));
        let with_domain = || shorter().filter(|(at, _)| is_domain(&small[at + 1..])).map(|(_, own)| own);
        self.names.get(&small).or_else(with_domain).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn of_forms(files: &[SourceText<'_>], forms: &BTreeMap<String, Form>) -> Result<Self, Diagnostic> {
        let mut by_small: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        forms.keys().for_each(|name| by_small.entry(name.to_lowercase()).or_default().push(name));
        let mut own = Self::default();
        let is_extension = |longer: &str, name: &str| {
            longer.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')).is_some_and(is_domain)
        };
        for small in by_small.keys() {
            let mut shorter = small.match_indices('.').map(|(at, _)| (&small[..at], &small[at + 1..]));
            if shorter.any(|(name, rest)| by_small.contains_key(name) && is_domain(rest)) {
                continue;
            }
            // Names that begin with this one and a dot stand together.
            let beginning = format!("{small}.");
            let longer = by_small.range(beginning.clone()..).map(|(name, _)| name);
            let longer = longer.take_while(|name| name.starts_with(&beginning));
            let mut group = vec![small];
            group.extend(longer.filter(|name| is_domain(&name[beginning.len()..])));
            group.sort_by_key(|name| name.len());
            let split = group.windows(2).find(|pair| !is_extension(pair[1], pair[0]));
            if let Some([one, other]) = split {
                let at = &forms[by_small[*other][0]].at;
                let message = format!("`{small}` can be `{one}` or `{other}`");
                let help = "write the names of nodes whole, in all files";
                return Err(files[at.0].wrong(&at.1, message, help));
            }
            let all: Vec<&String> = group.iter().flat_map(|small| &by_small[*small]).copied().collect();
            let best = all.iter().min_by_key(|name| {
                let Form { has_table, is_local, .. } = forms[**name];
                (!has_table, !is_local, name.len(), name.contains(char::is_uppercase))
            });
            let Some(best) = best else { continue };
            own.names.extend(group.iter().map(|small| ((*small).clone(), (*best).clone())));
            let others = all.iter().filter(|name| name != &best);
            own.merged.extend(others.map(|name| ((*name).clone(), (*best).clone())));
        }
        Ok(own)
    }
}

/// Returns true for the rest of a name that can be a domain: it does not begin with a number alone.
fn is_domain(rest: &str) -> bool {
    let first = rest.split('.').next().unwrap_or_default();
    first.bytes().any(|byte| !byte.is_ascii_digit())
}
