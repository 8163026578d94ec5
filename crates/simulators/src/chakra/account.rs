//! The account of traces: the fate of every part of their nodes.
//!
//! Invariant: each type of node, each attribute and each kind of dependency that the traces have has an entry.

use std::collections::{BTreeMap, BTreeSet};

use interop::import::{KeyAccount, KeyFate};

use super::algorithms::{Algorithms, CollectiveType};
use super::calls::{Calls, NamedNode};
use super::roles::{Lack, Role, Unit};
use super::schema::NodeKind;
use super::{ChakraOptions, Rank};

/// Counts over the nodes of all ranks.
#[derive(Default)]
struct Counts {
    /// Computations by unit.
    computed: [u64; 3],
    /// Calls of collectives on the host.
    host_calls: u64,
    metadata: u64,
    sends: u64,
    receives: u64,
    calls: BTreeMap<CollectiveType, u64>,
    /// Nodes that cannot be replayed, and the first.
    lacks: BTreeMap<Lack, (u64, String)>,
    /// Computations and collectives without `is_cpu_op`.
    unit_left_out: u64,
    priorities: u64,
    dimensions: u64,
    /// Computations without a duration, and with a number of operations.
    by_operations: u64,
    starts: u64,
}

impl Counts {
    fn of(ranks: &[Rank<'_>]) -> Self {
        let mut counts = Self::default();
        for rank in ranks {
            for (node, role) in rank.trace.nodes.iter().zip(&rank.roles) {
                let attributes = &node.attributes;
                let is_collective = node.kind == NodeKind::Collective;
                match role {
                    Role::Compute(_) if is_collective => counts.host_calls += 1,
                    Role::Compute(unit) => counts.computed[*unit as usize] += 1,
                    Role::Nothing => counts.metadata += 1,
                    Role::Send { .. } => counts.sends += 1,
                    Role::Receive { .. } => counts.receives += 1,
                    Role::Call { kind, .. } => {
                        *counts.calls.entry(*kind).or_default() += 1;
                        counts.dimensions += u64::from(attributes.leaves_out_dimensions);
                    }
                    Role::Lacks(lack) => {
                        let first = || format!("{} {}", node.kind.name(), NamedNode(node, rank.file));
                        counts.lacks.entry(*lack).or_insert_with(|| (0, first())).0 += 1;
                    }
                }
                let has_unit = is_collective || node.kind == NodeKind::Comp;
                counts.unit_left_out += u64::from(has_unit && attributes.is_cpu_op.is_none());
                counts.priorities +=
                    u64::from(attributes.comm_priority.is_some_and(|priority| priority != 0));
                let counted = attributes.num_ops.is_some_and(|operations| operations > 0);
                let computes = node.kind == NodeKind::Comp && node.duration == 0;
                counts.by_operations += u64::from(computes && counted);
                counts.starts += u64::from(node.starts);
            }
        }
        counts
    }
}

/// The account so far.
#[derive(Default)]
struct Account(Vec<KeyAccount>);

impl Account {
    /// Enters a count, unless it is 0.
    fn note(&mut self, key: &str, count: u64, fate: KeyFate, what: impl Into<String>) {
        if count > 0 {
            self.0.push(KeyAccount::new(key, count.to_string(), fate, what));
        }
    }
}

/// Returns the fate of every part of the traces.
pub(super) fn account(ranks: &[Rank<'_>], calls: &Calls, options: &ChakraOptions<'_>) -> Vec<KeyAccount> {
    let counts = Counts::of(ranks);
    let mut account = Account::default();
    let first = "`jobs[0]`: rank 0 on the first host of the topology, and so on";
    match options.copies {
        None => account.note("(ranks)", ranks.len() as u64, KeyFate::Used, first),
        Some(_) => {
            let what = format!("{first}; all run copies of {} (`--ranks`)", ranks[0].file);
            account.note("(ranks)", ranks.len() as u64, KeyFate::Approximated, what);
        }
    }
    let versions: BTreeSet<&str> = ranks.iter().map(|rank| rank.trace.version).collect();
    let versions: Vec<&str> = versions.into_iter().filter(|version| !version.is_empty()).collect();
    if !versions.is_empty() {
        let what = "version of the tool or schema, which changes no meaning";
        account.0.push(KeyAccount::new("version", versions.join(", "), KeyFate::NotUsed, what));
    }
    computations(&mut account, &counts);
    messages(&mut account, &counts, calls, &options.algorithms);
    lacks(&mut account, &counts);
    dependencies(&mut account, ranks, &counts);
    let mut unread: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, count) in ranks.iter().flat_map(|rank| &rank.trace.unread) {
        *unread.entry(name).or_default() += count;
    }
    if !unread.is_empty() {
        let names: Vec<&str> = unread.keys().copied().collect();
        let what = format!("replay does not need {}", names.join(", "));
        account.note("(other attributes)", names.len() as u64, KeyFate::NotUsed, what);
    }
    account.0
}

fn computations(account: &mut Account, counts: &Counts) {
    let units = [
        (Unit::Host, "COMP, is_cpu_op", "`calc` on cpu 0, the host"),
        (Unit::Device, "COMP", "`calc` on cpu 1, the device"),
    ];
    for (unit, key, what) in units {
        let what = format!("{what}, for `duration_micros`; those of a cpu exclude each other");
        account.note(key, counts.computed[unit as usize], KeyFate::Used, what);
    }
    let what = "calls on the host take their duration; the kernel of the device is a node of its own";
    account.note("COMM_COLL, is_cpu_op", counts.host_calls, KeyFate::Used, what);
    let what = "nodes without it are the device's, as for Chakra's feeder since August 2024";
    account.note("is_cpu_op", counts.unit_left_out, KeyFate::Approximated, what);
    let what = "computations without a duration take no time: there is no roofline of a device";
    account.note("num_ops", counts.by_operations, KeyFate::Approximated, what);
    account.note("METADATA", counts.metadata, KeyFate::Used, "process groups; takes no time");
}

fn messages(account: &mut Account, counts: &Counts, calls: &Calls, algorithms: &Algorithms) {
    for (kind, count) in &counts.calls {
        let key = format!("COMM_COLL {}", kind.name());
        let (fate, mut what) = match algorithms.word(*kind) {
            None => (KeyFate::Used, "all parts at once".to_owned()),
            Some((kind_word, word)) if algorithms.is_chosen(*kind) => {
                (KeyFate::Used, format!("messages of `--algorithm {kind_word}={word}`"))
            }
            Some((kind_word, word)) => (
                KeyFate::Approximated,
                format!(
                    "messages of algorithm `{word}`; traces do not say which (`--algorithm {kind_word}=..`)"
                ),
            ),
        };
        if kind.has_root() {
            what += "; the root is the group's first rank, which traces do not say";
        }
        let fate = if kind.has_root() { KeyFate::Approximated } else { fate };
        account.note(&key, *count, fate, what);
    }
    let groups: Vec<String> =
        calls.groups.iter().map(|group| group.group.members.len().to_string()).collect();
    let shown = groups.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    let dots = if groups.len() > 8 { ", .." } else { "" };
    let what =
        format!("process groups, with {shown}{dots} members; the n-th calls of a group are one collective");
    account.note("pg_name", groups.len() as u64, KeyFate::Used, what);
    let single = calls.groups.iter().filter(|group| group.group.members.len() == 1);
    let alone = single.map(|group| group.collectives().len() as u64).sum();
    account.note(
        "(groups of one rank)",
        alone,
        KeyFate::Used,
        "collectives of a single rank have no messages; `--ranks N` copies a single trace",
    );
    if calls.groups.iter().any(|group| group.collectives().len() > 1) {
        let what = "collectives of a group follow each other in a rank, as NCCL runs a communicator";
        account.0.push(KeyAccount::new("(order)", "", KeyFate::Approximated, what));
    }
    account.note(
        "COMM_SEND",
        counts.sends,
        KeyFate::Used,
        "`send` of `comm_size` to `comm_dst` with `comm_tag`",
    );
    account.note("COMM_RECV", counts.receives, KeyFate::Used, "`recv` from `comm_src`");
    let what = "all messages have one service level";
    account.note("comm_priority", counts.priorities, KeyFate::Approximated, what);
    let what = "collectives of a part of ASTRA-sim's dimensions run over their whole group: name groups by `pg_name`";
    account.note("involved_dim", counts.dimensions, KeyFate::Changed, what);
}

fn lacks(account: &mut Account, counts: &Counts) {
    for (lack, (count, first)) in &counts.lacks {
        let (key, reason) = lack.account();
        let what = format!("{reason}; each takes its duration instead, the first is {first}");
        account.note(key, *count, KeyFate::Changed, what);
    }
}

fn dependencies(account: &mut Account, ranks: &[Rank<'_>], counts: &Counts) {
    let sum = |of: fn(&Rank<'_>) -> u64| ranks.iter().map(of).sum::<u64>();
    let what = "`requires`; among free nodes the smallest id is first, as in Chakra's feeder";
    account.note("data_deps", sum(|rank| rank.order.edges), KeyFate::Used, what);
    let first = ranks.iter().find_map(|rank| {
        let (place, id) = rank.order.dangling.1?;
        Some(format!("{} names {id}", NamedNode(&rank.trace.nodes[place as usize], rank.file)))
    });
    if let Some(first) = first {
        let what = format!("dependencies on nodes that are not in the file count as ended: {first}");
        account.note("data_deps (missing)", sum(|rank| rank.order.dangling.0), KeyFate::Changed, what);
    }
    let [missing, own] = [sum(|rank| rank.order.ctrl[1]), sum(|rank| rank.order.ctrl[2])];
    let what = format!(
        "the hierarchy of calls, which Chakra's feeder does not obey: {missing} name no node of the file, {own} their own node"
    );
    account.note("ctrl_deps", sum(|rank| rank.order.ctrl[0]), KeyFate::NotUsed, what);
    let what = "nodes start when their dependencies have ended; gaps of the recorded run are not replayed";
    account.note("start_time_micros", counts.starts, KeyFate::NotUsed, what);
}

/// Returns findings about nodes that lack a dependency, as traces of `PyTorch` often do.
pub(super) fn warnings(ranks: &[Rank<'_>]) -> Vec<String> {
    let (mut early, mut late) = ((0_u64, None), (0_u64, None));
    let (mut computes, mut communicates) = (false, false);
    for rank in ranks {
        let nodes = rank.trace.nodes.iter().zip(&rank.roles).enumerate();
        for (place, (node, role)) in nodes {
            let named = || NamedNode(node, rank.file).to_string();
            match role {
                Role::Compute(unit) => {
                    computes |= node.duration > 0;
                    if *unit == Unit::Device && rank.order.after[place] == 0 {
                        late.0 += 1;
                        late.1.get_or_insert_with(named);
                    }
                }
                Role::Send { .. } | Role::Call { .. } => {
                    communicates = true;
                    if rank.order.before[place].is_empty() {
                        early.0 += 1;
                        early.1.get_or_insert_with(named);
                    }
                }
                _ => {}
            }
        }
    }
    let mut warnings = Vec::new();
    // Where nothing computes, nothing could come first; where nothing is sent, nothing could come behind.
    if let (count, Some(first)) = early
        && computes
    {
        warnings.push(format!(
            "{count} sends and collectives have no `data_deps` and start at once, the first is {first}: check that they need no \
             computation"
        ));
    }
    if let (count, Some(first)) = late
        && communicates
    {
        warnings.push(format!(
            "nothing waits for {count} computations of the device, the first is {first}: collectives may start before their data \
             would be there"
        ));
    }
    warnings
}
