//! Congestion trees, searched for at every sample.
//!
//! Invariant: the search changes nothing and costs the event loop nothing. It compares counters that nodes keep
//! anyway with the counters at the previous sample. It walks queues only in switches and adapters that a tree has
//! reached.
//!
//! ```text
//! root    an output and lane with a queue above the threshold that is itself the obstacle: fully used, towards an
//!         adapter without room, behind input FIFOs, or on a link whose far buffer is too small for it
//! branch  an output and lane that was stalled, and that feeds a buffer in which packets
//!         wait for the root or for another branch of the same tree
//! ```
//!
//! All constants are our own choice; `docs/models/congestion-trees.md` gives the reasons.
//!
//! | module | contents |
//! |---|---|
//! | `paths` | paths of packets, output by output |
//! | `activity` | activity of outputs between two samples |
//! | `cause` | kinds of roots, and the rule that names a cause |
//! | `shares` | fair shares of the bytes that idle outputs could have carried |
//! | `waiting` | packets that wait where trees have reached |
//! | `members` | contributors and victims of a tree |
//! | `totals` | totals of roots and of outputs over a run |
//! | `worst` | the worst tree of a run |
//! | `job_waits` | samples at which data of jobs wait |
//! | here | the search, sample by sample |

mod activity;
mod cause;
mod found;
mod job_waits;
mod members;
mod paths;
mod shares;
mod totals;
mod waiting;
mod worst;

use std::collections::{BTreeMap, BTreeSet};

use packet::{FlowId, Lane, NodeId, PortId, VoqId};
use scenario::Plan;
use telemetry::{Congestion, OutputLoad, RootRecord, TreeSample};
use units::{Bytes, Time};

use self::activity::Activity;
use self::cause::{RootKind, Setting};
use self::found::Members;
pub(crate) use self::job_waits::JobWait;
use self::job_waits::JobWaits;
use self::members::Known;
use self::paths::{FlowCounts, ManyPaths};
use self::totals::{OutputTotals, RootTotals};
use self::waiting::{TreePlace, WaitingPackets};
use self::worst::WorstSoFar;
use crate::state::world::{OutputLane, World};

/// An output with a queue of more than this number of longest packets has more than is on its way through.
const QUEUED_PACKETS: u64 = 4;

/// Stands for all lanes of a switch, since its packets are looked at together.
const EVERY_LANE: Lane = Lane(0);

/// Finds congestion trees, and keeps their state from sample to sample.
#[derive(Debug)]
pub(crate) struct TreeFinder {
    setting: Setting,
    many: ManyPaths,
    /// A longer queue holds more than packets on their way through.
    some_queue: Bytes,
    last: Time,
    activity: Activity,
    /// By port of every switch, then by lane.
    outputs: Vec<OutputTotals>,
    roots: BTreeMap<OutputLane, RootTotals>,
    /// The roots, in the order in which they first appeared.
    order: Vec<OutputLane>,
    samples: Vec<TreeSample>,
    sampled: u32,
    worst: WorstSoFar,
    /// Only with jobs.
    job_waits: Option<JobWaits>,
}

state_codec::state!(TreeFinder {
    setting: plan,
    many: plan,
    some_queue: plan,
    last,
    activity: part,
    outputs,
    roots,
    order,
    samples,
    sampled,
    worst,
    job_waits: part,
});

/// A congestion tree at a sample, with its flows.
#[derive(Debug)]
pub(crate) struct FoundTree {
    pub(crate) root: u32,
    /// Outputs that are stalled, each with its distance from the root in links. Parents precede children.
    pub(crate) branches: Vec<(OutputLane, u32)>,
    /// Flows that leave by the root.
    pub(crate) contributors: Vec<u32>,
    /// Flows that waited and leave elsewhere.
    pub(crate) victims: Vec<u32>,
}

/// A congestion tree at a sample.
struct CongestionTree {
    root: OutputLane,
    kind: RootKind,
    /// Outputs that are stalled, each with its distance from the root in links. Parents precede children.
    branches: Vec<(OutputLane, u32)>,
}

/// Outputs that may be roots at a sample, in order of node, port and lane.
#[derive(Debug, Default)]
struct Candidates {
    roots: Vec<(OutputLane, RootKind)>,
    /// Outputs that are roots unless they are branches.
    short_loops: Vec<OutputLane>,
}

impl TreeFinder {
    /// Creates the finder of a run.
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            setting: Setting::new(plan),
            many: ManyPaths::new(plan),
            some_queue: Bytes::new(QUEUED_PACKETS * plan.link().longest_packet().get()),
            last: Time::ZERO,
            activity: Activity::new(plan.link()),
            outputs: Vec::new(),
            roots: BTreeMap::new(),
            order: Vec::new(),
            samples: Vec::new(),
            sampled: 0,
            worst: WorstSoFar::default(),
            job_waits: JobWaits::new(plan),
        }
    }

    /// Searches for trees. Called once all events of a sample's instant are handled. Returns the trees if they are
    /// asked for.
    pub(crate) fn look(&mut self, world: &World, is_asked: bool) -> Vec<FoundTree> {
        let now = world.now();
        let before = core::mem::replace(&mut self.last, now);
        self.sampled += 1;
        self.activity.measure(world, now.since(before));
        self.roots.values_mut().for_each(|root| root.settle(before, |flow| world.delivered(FlowId(flow))));
        let mut found = Vec::new();
        let trees = self.trees(world);
        let packets = WaitingPackets::of(world, &trees, &self.many);
        for tree in trees {
            let known = Known { many: &self.many, root: self.roots.get(&tree.root) };
            let members = Members::find(world, &self.activity, &tree, (&packets, known));
            let root = self.record(world, (&tree, &members), before);
            if let Some(waits) = &mut self.job_waits {
                let victims = members.victims.iter().map(|victim| victim.flow);
                waits.hold(now, (tree.root, root), members.contributors.iter().copied().chain(victims));
            }
            if is_asked {
                let Members { contributors, victims, .. } = members;
                let victims = victims.iter().map(|victim| victim.flow).collect();
                found.push(FoundTree { root, branches: tree.branches, contributors, victims });
            }
        }
        if let Some(waits) = &mut self.job_waits {
            waits.look(world);
        }
        found
    }

    /// Returns the waits of jobs, in order of time.
    pub(crate) fn take_job_waits(&mut self) -> Vec<JobWait> {
        self.job_waits.take().map_or_else(Vec::new, |waits| waits.all)
    }

    /// Returns the sample with the worst tree so far; `None` if there was no tree.
    pub(crate) fn worst_at(&self) -> Option<Time> {
        self.worst.at()
    }

    /// Returns the trees of this sample, in order of their roots.
    fn trees(&mut self, world: &World) -> Vec<CongestionTree> {
        let candidates = self.candidates(world);
        let tree = |(root, kind)| CongestionTree { root, kind, branches: self.branches(world, root) };
        let mut trees: Vec<_> = candidates.roots.into_iter().map(tree).collect();
        let branches = trees.iter().flat_map(|tree| &tree.branches);
        let branches: BTreeSet<OutputLane> = branches.map(|(branch, _)| *branch).collect();
        // An output that is stalled within a tree of another root is explained by that root. Only the rest is blamed
        // on its own credit loop.
        let unexplained = candidates.short_loops.into_iter().filter(|output| !branches.contains(output));
        trees.extend(unexplained.map(|root| tree((root, RootKind::CreditLoop))));
        trees.retain(|tree| !tree.branches.is_empty()); // Congestion within a single switch holds no other flow back.
        trees.sort_by_key(|tree| tree.root);
        trees
    }

    /// Returns the outputs that are congested by themselves, and adds all queues to the totals.
    fn candidates(&mut self, world: &World) -> Candidates {
        let mut found = Candidates::default();
        let all = world.graph.far_ends().len() * self.activity.lanes;
        self.outputs.resize(all - self.first_output(world), OutputTotals::default());
        let mut place = 0;
        for node in world.switch_numbers() {
            let mut behind_heads = Vec::new();
            for output in world.lanes_of(node) {
                match self.classify(world, output, place) {
                    Some(RootKind::HeadOfLine) => behind_heads.push(output),
                    Some(RootKind::CreditLoop) => found.short_loops.push(output),
                    Some(kind) => found.roots.push((output, kind)),
                    None => {}
                }
                place += 1;
            }
            // Any obstacle at the switch explains a FIFO that waits: its head may be bound for the obstacle.
            if !behind_heads.is_empty() && !self.has_obstacle(world, node) {
                found.roots.extend(behind_heads.into_iter().map(|output| (output, RootKind::HeadOfLine)));
            }
        }
        found
    }

    /// Adds the queue of a switch's output to the totals, at `place`. Returns the kind of root that the output may
    /// be.
    fn classify(&mut self, world: &World, output: OutputLane, place: usize) -> Option<RootKind> {
        let (node, port, _) = output;
        let switch = node.index() - world.hosts;
        let queue = world.waiting(output);
        let totals = &mut self.outputs[place];
        totals.see(queue);
        let is_over = queue > self.setting.thresholds[switch];
        let was_over = core::mem::replace(&mut totals.was_over, is_over);
        if queue <= self.some_queue && !is_over {
            return None;
        }
        let faces_adapter = world.is_host(world.peer(node, port).0);
        let kind = match self.activity.of(world, output).is_stalled {
            true => faces_adapter.then_some(RootKind::Receiver),
            false => self.activity.is_full(world, output).then_some(RootKind::Full),
        };
        let is_stalled = self.activity.of(world, output).is_stalled && !faces_adapter;
        totals.congested += u32::from(kind.is_some());
        totals.stalled += u32::from(is_stalled);
        // Without an obstacle of its own the queue must have lasted: it may have come with the end of the interval.
        let lasting = || match is_stalled {
            true => self.setting.short_loop(world, output).map(|_| RootKind::CreditLoop),
            false => self.setting.has_fifos[switch].then_some(RootKind::HeadOfLine),
        };
        kind.or_else(|| if was_over { lasting() } else { None }).filter(|_| is_over)
    }

    /// Returns true if an output of a switch is stalled or fully used.
    fn has_obstacle(&self, world: &World, node: NodeId) -> bool {
        let mut outputs = world.lanes_of(node);
        outputs
            .any(|output| self.activity.of(world, output).is_stalled || self.activity.is_full(world, output))
    }

    /// Returns the outputs that `root` holds back.
    fn branches(&self, world: &World, root: OutputLane) -> Vec<(OutputLane, u32)> {
        let mut branches: Vec<(OutputLane, u32)> = Vec::new();
        let mut parents = vec![(root, 0)];
        let mut next = 0;
        while let Some(&((node, output, lane), depth)) = parents.get(next) {
            next += 1;
            if world.is_host(node) {
                continue;
            }
            for input in (0..world.radix(node) as u16).map(PortId) {
                let voq = VoqId { input, output, lane };
                let (from, port) = world.peer(node, input);
                for arrived_on in (0..world.lanes as u8).map(Lane) {
                    let child = (from, port, arrived_on);
                    if self.activity.of(world, child).is_stalled
                        && !parents.iter().any(|(known, _)| *known == child)
                        && world.is_fed(node, voq, arrived_on)
                    {
                        branches.push((child, depth + 1));
                        parents.push((child, depth + 1));
                    }
                }
            }
        }
        branches
    }

    /// Adds a tree to the totals and samples, and returns the number of its root.
    fn record(&mut self, world: &World, (tree, members): (&CongestionTree, &Members), before: Time) -> u32 {
        let at = world.now();
        let place = self.activity.place(world, tree.root) - self.first_output(world);
        self.outputs[place].rooted += 1;
        let number = self.roots.len() as u32;
        let running = self.roots.entry(tree.root).or_insert_with(|| {
            self.order.push(tree.root);
            RootTotals::new(number, first_record(world, tree.root))
        });
        // The root was absent at the previous sample, so this is a new episode.
        if running.record.last != before || running.record.samples == 0 {
            running.since = at;
        }
        let waited = |(branch, _): &(OutputLane, u32)| self.activity.of(world, *branch).waited;
        running.record.stalled += tree.branches.iter().map(waited).sum();
        let is_only_way = |flow| paths::is_only_way(world, &self.many, FlowId(flow), tree.root);
        running.add((tree, members), at, (|flow| world.delivered(FlowId(flow)), is_only_way));
        let senders = members.contributors.iter().map(|flow| world.flows[*flow as usize].source.0);
        running.facts.senders.extend(senders);
        let queue = world.waiting(tree.root);
        self.worst.see((tree, members), at, (running.number, queue));
        self.samples.push(TreeSample {
            at,
            since: running.since,
            root: running.number,
            queue,
            branches: tree.branches.len() as u32,
            depth: tree.depth(),
            ports: tree.ports(),
            contributors: members.contributors.len() as u32,
            victims: members.victims.len() as u32,
        });
        running.number
    }

    /// Returns the number of outputs and lanes of adapters, which precede all outputs of switches.
    fn first_output(&self, world: &World) -> usize {
        world.hosts * self.activity.lanes
    }

    /// Returns the root of this number.
    pub(crate) fn root(&self, number: u32) -> OutputLane {
        self.order[number as usize]
    }

    /// Returns the trees found, as plain data.
    pub(crate) fn congestion(&self, world: &World) -> Congestion {
        let finished = |root: &OutputLane| {
            let totals = &self.roots[root];
            RootRecord {
                cause: self.setting.cause(world, *root, &totals.facts),
                senders: totals.facts.senders.len() as u32,
                ..totals.finished(|on_the_wire| self.setting.payload(on_the_wire))
            }
        };
        let roots = self.order.iter().map(finished).collect();
        let worst = self.worst.record(world);
        Congestion { roots, samples: self.samples.clone(), sampled: self.sampled, worst }
    }

    /// Returns the loads of all outputs and lanes of switches, by node, port and lane; none of a run without samples.
    pub(crate) fn loads(&self, world: &World) -> Vec<OutputLoad> {
        if self.outputs.is_empty() {
            return Vec::new();
        }
        let mut flows = FlowCounts::new(world, &self.many);
        let all = (0..world.flows.len() as u32).map(FlowId);
        all.filter(|flow| world.delivered(*flow) > Bytes::ZERO).for_each(|flow| flows.add(flow));
        let outputs = world.switch_numbers().flat_map(|node| world.lanes_of(node)).zip(&self.outputs);
        outputs.map(|(output, totals)| totals.load(self.sampled, flows.of(output))).collect()
    }
}

/// Returns the record of a root without any sample.
fn first_record(world: &World, (node, port, lane): OutputLane) -> RootRecord {
    let (peer, _) = world.peer(node, port);
    RootRecord {
        node: world.name(node).to_owned(),
        port: world.graph.port_number((node, port)),
        peer: world.name(peer).to_owned(),
        lane: lane.0,
        first: world.now(),
        rate: world.rate(node, port),
        ..RootRecord::default()
    }
}

impl CongestionTree {
    /// Returns the places with packets that may belong to the tree: switches, and lanes of hosts.
    fn places(&self, world: &World<'_>) -> Vec<TreePlace> {
        let outputs = self.branches.iter().map(|(branch, _)| *branch).chain([self.root]);
        let place = |(node, _, lane)| (node, if world.is_host(node) { lane } else { EVERY_LANE });
        outputs.map(place).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn depth(&self) -> u32 {
        self.branches.iter().map(|(_, depth)| *depth).max().unwrap_or(0)
    }

    /// Returns the number of ports in the tree. A port counts once for all of its lanes.
    fn ports(&self) -> u32 {
        let ports = self.branches.iter().map(|((node, port, _), _)| (*node, *port));
        ports.chain([(self.root.0, self.root.1)]).collect::<BTreeSet<_>>().len() as u32
    }
}
