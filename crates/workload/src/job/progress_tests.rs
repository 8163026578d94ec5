//! Tests of progress: programs by hand, and drawn programs against an interpreter that looks at every operation anew.

use proptest::prelude::*;
use units::{Span, Time};

use super::progress::{Action, ArrivingMessage, RankProgress};
use super::{Graph, GraphBuilder, OperationId, Work};

fn at(ps: u64) -> Time {
    Time::from_ps(ps)
}

fn compute(ps: u64) -> Work {
    Work::Compute { span: Span::from_ps(ps) }
}

/// Makes a program of operations, each with its processor, the operations that must have ended, and those that must
/// have started.
fn graph(operations: &[(Work, u8, Vec<u32>, Vec<u32>)]) -> Graph {
    let mut builder = GraphBuilder::default();
    operations.iter().for_each(|(work, cpu, ..)| _ = builder.add(work.on_cpu(*cpu)));
    for (later, (_, _, ended, started)) in (0..).zip(operations) {
        ended.iter().for_each(|earlier| builder.requires(later, *earlier));
        started.iter().for_each(|earlier| builder.starts_after(later, *earlier));
    }
    builder.build().expect("no circle")
}

const fn send(to: u32, tag: u32) -> Work {
    Work::Send { to, bytes: 8, tag }
}

const fn receive(from: Option<u32>, tag: Option<u32>) -> Work {
    Work::Receive { from, bytes: 8, tag }
}

/// A rank that several sources send to, and the actions of its last call.
struct Rank {
    graph: Graph,
    progress: RankProgress,
    actions: Vec<Action>,
}

impl Rank {
    fn new(operations: &[(Work, u8, Vec<u32>, Vec<u32>)]) -> Self {
        let graph = graph(operations);
        let progress = RankProgress::new(&graph, &[1, 2]);
        Self { graph, progress, actions: Vec::new() }
    }

    fn begin(&mut self) -> Vec<Action> {
        self.progress.begin(&self.graph, at(0), &mut self.actions);
        core::mem::take(&mut self.actions)
    }

    fn arrived(&mut self, from: u32, tag: u32, now: u64) -> Vec<Action> {
        let message = ArrivingMessage { from, tag, departed: at(0) };
        self.progress.arrived(&self.graph, message, at(now), &mut self.actions);
        core::mem::take(&mut self.actions)
    }

    fn computed(&mut self, cpu: u8, now: u64) -> Vec<Action> {
        self.progress.computed(&self.graph, cpu, at(now), &mut self.actions);
        core::mem::take(&mut self.actions)
    }
}

/// No action.
const NONE: [Action; 0] = [];

fn post(operation: OperationId, to: u32, tag: u32) -> Action {
    Action::Post { operation, to, bytes: 8, tag }
}

fn until(cpu: u8, ps: u64) -> Action {
    Action::Compute { cpu, until: at(ps) }
}

/// The tag decides before the order of arrival, and among equals the first in takes the first out.
#[test]
fn messages_are_matched_by_source_and_tag_first_in_first_out() {
    let mut rank = Rank::new(&[
        (receive(Some(1), Some(7)), 0, vec![], vec![]),
        (receive(Some(1), Some(7)), 0, vec![], vec![]),
        (receive(Some(1), Some(8)), 0, vec![], vec![]),
        (send(1, 0), 0, vec![0], vec![]),
        (send(1, 1), 0, vec![1], vec![]),
        (send(1, 2), 0, vec![2], vec![]),
    ]);
    assert_eq!(rank.begin(), NONE);
    assert_eq!(rank.arrived(2, 7, 1), NONE, "another source");
    assert_eq!(rank.arrived(1, 8, 2), [post(5, 1, 2)]);
    assert_eq!(rank.arrived(1, 7, 3), [post(3, 1, 0)], "posted first");
    assert_eq!(rank.arrived(1, 7, 4), [post(4, 1, 1)]);
}

/// A receive that leaves its source or tag open takes the message that arrived first, and competes by its order with
/// receives that name them.
#[test]
fn open_receives_take_their_turn() {
    let mut rank = Rank::new(&[
        (receive(Some(1), Some(7)), 0, vec![], vec![]),
        (receive(None, None), 0, vec![], vec![]),
        (receive(Some(1), None), 0, vec![], vec![]),
        (send(1, 0), 0, vec![0], vec![]),
        (send(1, 1), 0, vec![1], vec![]),
        (send(1, 2), 0, vec![2], vec![]),
    ]);
    assert_eq!(rank.begin(), NONE);
    assert_eq!(rank.arrived(1, 9, 1), [post(4, 1, 1)], "the open one was posted before the third");
    assert_eq!(rank.arrived(1, 7, 2), [post(3, 1, 0)]);
    assert_eq!(rank.arrived(1, 7, 3), [post(5, 1, 2)]);
    let mut late = Rank::new(&[
        (compute(10), 0, vec![], vec![]),
        (receive(None, Some(3)), 0, vec![0], vec![]),
        (send(2, 0), 0, vec![1], vec![]),
        (receive(Some(1), Some(3)), 0, vec![1], vec![]),
        (send(1, 0), 0, vec![3], vec![]),
    ]);
    assert_eq!(late.begin(), [until(0, 10)]);
    assert_eq!(
        [late.arrived(2, 4, 1), late.arrived(2, 3, 2), late.arrived(1, 3, 3)],
        [vec![], vec![], vec![]]
    );
    assert_eq!(late.computed(0, 10), [post(2, 2, 0), post(4, 1, 0)], "2 was first with this tag");
}

/// Computations of a processor exclude each other in the order in which they became free; others overlap. Operations
/// that wait for a start go on when the processor comes to it.
#[test]
fn a_processor_computes_one_thing_at_a_time() {
    let mut rank = Rank::new(&[
        (compute(10), 0, vec![], vec![]),
        (compute(5), 0, vec![], vec![]),
        (compute(7), 1, vec![], vec![]),
        (compute(1), 0, vec![2], vec![]),
        (send(1, 0), 0, vec![], vec![1]),
        (compute(0), 0, vec![2], vec![]),
        (send(1, 1), 0, vec![5], vec![]),
    ]);
    assert_eq!(rank.begin(), [until(0, 10), until(1, 7)]);
    assert_eq!(rank.computed(1, 7), [post(6, 1, 1)], "no time needs no processor");
    assert_eq!(rank.computed(0, 10), [until(0, 15), post(4, 1, 0)]);
    assert_eq!(rank.computed(0, 15), [until(0, 16)]);
    assert!(!rank.progress.is_done(), "sends are not complete");
}

/// A computation that would end past the end of the clock never ends, in place of at an early time.
#[test]
fn a_computation_past_the_end_of_the_clock_never_ends() {
    let mut rank =
        Rank::new(&[(compute(10), 0, vec![], vec![]), (compute(u64::MAX - 9), 0, vec![0], vec![])]);
    assert_eq!(rank.begin(), [until(0, 10)]);
    assert_eq!(rank.computed(0, 10), [Action::Compute { cpu: 0, until: Time::NEVER }]);
}

/// A chain of operations that take no time needs no stack.
#[test]
fn a_million_operations_of_no_time_are_one_call() {
    let mut builder = GraphBuilder::default();
    let count = 1_000_000;
    (0..count).for_each(|_| _ = builder.add(compute(0).on_cpu(0)));
    (1..count).for_each(|id| builder.requires(id, id - 1));
    let graph = builder.build().expect("a chain");
    let mut progress = RankProgress::new(&graph, &[]);
    let mut actions = Vec::new();
    progress.begin(&graph, at(3), &mut actions);
    assert_eq!((actions, progress.is_done(), progress.last_end()), (vec![Action::Done], true, at(3)));
}

/// An interpreter that keeps what has happened, and finds what can happen by looking at every operation.
struct Naive<'a> {
    graph: &'a Graph,
    begun: bool,
    started: Vec<bool>,
    ended: Vec<bool>,
    /// Receives in the order of their posting, and messages in the order of their arrival.
    posted: Vec<OperationId>,
    arrived: Vec<(u32, u32)>,
    /// By processor: the operation that it computes, then those that wait.
    cpus: Vec<Vec<OperationId>>,
}

impl<'a> Naive<'a> {
    fn new(graph: &'a Graph) -> Self {
        let count = graph.operations();
        let none = || vec![false; count];
        let (started, ended) = (none(), none());
        Self {
            graph,
            begun: false,
            started,
            ended,
            posted: Vec::new(),
            arrived: Vec::new(),
            cpus: vec![Vec::new(); 256],
        }
    }

    fn is_free(&self, id: OperationId) -> bool {
        let waits = |other: OperationId| {
            self.graph.after_end(other).any(|next| next == id) && !self.ended[other as usize]
                || self.graph.after_start(other).any(|next| next == id) && !self.started[other as usize]
        };
        !self.started[id as usize] && !(0..self.graph.operations() as u32).any(waits)
    }

    fn settle(&mut self, now: Time, queued: &mut Vec<OperationId>, actions: &mut Vec<Action>) {
        let all = 0..self.graph.operations() as u32;
        let graph = self.graph;
        let instant = |id: &OperationId| graph.operation(*id).work == compute(0);
        loop {
            while let Some(id) = all.clone().find(|id| instant(id) && self.is_free(*id)) {
                (self.started[id as usize], self.ended[id as usize]) = (true, true);
            }
            let free: Vec<_> = all.clone().filter(|id| self.is_free(*id) && !queued.contains(id)).collect();
            if free.is_empty() {
                break;
            }
            for id in free {
                let operation = graph.operation(id);
                match operation.work {
                    Work::Send { to, bytes, tag } => {
                        self.started[id as usize] = true;
                        actions.push(Action::Post { operation: id, to, bytes, tag });
                    }
                    Work::Receive { .. } => {
                        self.started[id as usize] = true;
                        self.posted.push(id);
                        self.take_messages();
                    }
                    Work::Compute { span } => {
                        let cpu = &mut self.cpus[usize::from(operation.cpu)];
                        cpu.push(id);
                        queued.push(id);
                        if cpu.len() == 1 {
                            self.started[id as usize] = true;
                            actions.push(Action::Compute { cpu: operation.cpu, until: now + span });
                        }
                    }
                }
            }
        }
    }

    /// Gives the first receive that can take any message the first that it can take.
    fn take_messages(&mut self) {
        let fits = |id: &OperationId, (source, got): &(u32, u32)| match self.graph.operation(*id).work {
            Work::Receive { from, tag, .. } => {
                from.is_none_or(|from| from == *source) && tag.is_none_or(|tag| tag == *got)
            }
            _ => unreachable!("only receives are posted"),
        };
        let found = self.posted.iter().enumerate().find_map(|(place, id)| {
            self.arrived.iter().position(|message| fits(id, message)).map(|message| (place, message))
        });
        if let Some((place, message)) = found {
            self.arrived.remove(message);
            let id = self.posted.remove(place);
            self.ended[id as usize] = true;
        }
    }
}

/// Event of a rank of the test's network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Begin,
    Arrived { from: u32, tag: u32 },
    Completed(OperationId),
    Computed(u8),
}

/// A rank by either interpreter.
trait Interpreter {
    fn handle(&mut self, event: Event, now: Time, actions: &mut Vec<Action>);
    fn left(&self) -> usize;
}

impl Interpreter for (&Graph, RankProgress) {
    fn handle(&mut self, event: Event, now: Time, actions: &mut Vec<Action>) {
        let (graph, progress) = self;
        match event {
            Event::Begin => progress.begin(graph, now, actions),
            Event::Arrived { from, tag } => {
                progress.arrived(graph, ArrivingMessage { from, tag, departed: now }, now, actions);
            }
            Event::Completed(id) => progress.completed(graph, id, now, actions),
            Event::Computed(cpu) => progress.computed(graph, cpu, now, actions),
        }
        actions.retain(|action| *action != Action::Done);
    }

    fn left(&self) -> usize {
        usize::try_from(self.1.left(self.0)).expect("a small program")
    }
}

impl Interpreter for (Naive<'_>, Vec<OperationId>) {
    fn handle(&mut self, event: Event, now: Time, actions: &mut Vec<Action>) {
        let (naive, queued) = self;
        match event {
            Event::Begin => naive.begun = true,
            Event::Arrived { from, tag } => {
                naive.arrived.push((from, tag));
                naive.take_messages();
            }
            Event::Completed(id) => naive.ended[id as usize] = true,
            Event::Computed(cpu) => {
                let done = naive.cpus[usize::from(cpu)].remove(0);
                naive.ended[done as usize] = true;
                if let Some(next) = naive.cpus[usize::from(cpu)].first() {
                    naive.started[*next as usize] = true;
                    let Work::Compute { span } = naive.graph.operation(*next).work else { unreachable!() };
                    actions.push(Action::Compute { cpu, until: now + span });
                }
            }
        }
        if naive.begun {
            naive.settle(now, queued, actions);
        }
    }

    fn left(&self) -> usize {
        self.0.ended.iter().filter(|ended| !**ended).count()
    }
}

/// A log of a run: time, rank and action; and the operations left.
type Log = (Vec<(Time, u32, Action)>, Vec<usize>);

/// Runs ranks over a network in which a message takes a time that depends on its place among all.
fn run(ranks: &mut [Box<dyn Interpreter + '_>], delays: &[u64]) -> Log {
    let mut events: Vec<(Time, u64, u32, Event)> = Vec::new();
    (0..ranks.len() as u32).for_each(|rank| events.push((at(0), u64::from(rank), rank, Event::Begin)));
    let (mut log, mut sent, mut order) = (Vec::new(), 0, ranks.len() as u64);
    while let Some(next) = events.iter().copied().min() {
        events.retain(|event| *event != next);
        let (now, _, rank, event) = next;
        let mut actions = Vec::new();
        ranks[rank as usize].handle(event, now, &mut actions);
        for action in actions {
            log.push((now, rank, action));
            order += 2;
            match action {
                Action::Post { operation, to, tag, .. } => {
                    let delay = Span::from_ps(delays[sent % delays.len()]);
                    sent += 1;
                    events.push((now + delay, order, to, Event::Arrived { from: rank, tag }));
                    events.push((now + delay + delay, order + 1, rank, Event::Completed(operation)));
                }
                Action::Compute { cpu, until } => events.push((until, order, rank, Event::Computed(cpu))),
                Action::Clear { .. } => unreachable!("no message asks"),
                Action::Done => {}
            }
        }
    }
    (log, ranks.iter().map(|rank| rank.left()).collect())
}

fn by_progress(graphs: &[Graph], delays: &[u64]) -> Log {
    let all: Vec<u32> = (0..graphs.len() as u32).collect();
    let rank = |graph| Box::new((graph, RankProgress::new(graph, &all))) as Box<dyn Interpreter>;
    run(&mut graphs.iter().map(rank).collect::<Vec<_>>(), delays)
}

type Drawn = (Work, u8, Vec<u32>, Vec<u32>);

/// Draws an operation of three ranks; dependencies are cut to earlier operations below.
fn operation() -> impl Strategy<Value = Drawn> {
    let open = |number: u32| prop_oneof![3 => Just(Some(number)), 1 => Just(None)];
    let work = prop_oneof![
        3 => (0..3_u32, 0..2_u32).prop_map(|(to, tag)| send(to, tag)),
        3 => (0..3_u32, 0..2_u32)
            .prop_flat_map(move |(from, tag)| (open(from), open(tag)))
            .prop_map(|(from, tag)| receive(from, tag)),
        2 => (0..4_u64).prop_map(compute),
    ];
    let edges = || prop::collection::vec(0..12_u32, 0..3);
    (work, 0..2_u8, edges(), edges())
}

fn programs() -> impl Strategy<Value = Vec<Vec<Drawn>>> {
    let rank = prop::collection::vec(operation(), 0..12).prop_map(|mut all| {
        for (id, (_, _, ended, started)) in (0..).zip(&mut all) {
            ended.retain(|earlier| *earlier < id);
            started.retain(|earlier| *earlier < id);
        }
        all
    });
    prop::collection::vec(rank, 3)
}

proptest! {
    #[test]
    fn drawn_programs_go_as_an_interpreter_says(
        programs in programs(), delays in prop::collection::vec(1..5_u64, 1..6),
    ) {
        let graphs: Vec<Graph> = programs.iter().map(|rank| graph(rank)).collect();
        let naive = |graph| Box::new((Naive::new(graph), Vec::new())) as Box<dyn Interpreter>;
        let expected = run(&mut graphs.iter().map(naive).collect::<Vec<_>>(), &delays);
        prop_assert_eq!(by_progress(&graphs, &delays), expected);
    }

    /// A computation of no time between each operation and those that wait for its end changes nothing else.
    #[test]
    fn computations_of_no_time_change_nothing(
        programs in programs(), delays in prop::collection::vec(1..5_u64, 1..6),
    ) {
        let graphs: Vec<Graph> = programs.iter().map(|rank| graph(rank)).collect();
        // Operation i gets the number 2 i, its joint 2 i + 1.
        let joined = |rank: &Vec<Drawn>| {
            let all = (0..).zip(rank).flat_map(|(id, (work, cpu, ended, started))| {
                let ended = ended.iter().map(|earlier| 2 * earlier + 1).collect();
                let started = started.iter().map(|earlier| 2 * earlier).collect();
                [(*work, *cpu, ended, started), (compute(0), 0, vec![2 * id], vec![])]
            });
            graph(&all.collect::<Vec<_>>())
        };
        let joints: Vec<Graph> = programs.iter().map(joined).collect();
        let (log, _) = by_progress(&joints, &delays);
        let back = |(now, rank, action): (Time, u32, Action)| match action {
            Action::Post { operation, to, bytes, tag } => {
                (now, rank, Action::Post { operation: operation / 2, to, bytes, tag })
            }
            other => (now, rank, other),
        };
        let log: Vec<_> = log.into_iter().map(back).collect();
        prop_assert_eq!(log, by_progress(&graphs, &delays).0);
    }
}
