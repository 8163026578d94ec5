//! Traces of Chakra become jobs: collectives have the messages of their algorithm, dependencies are obeyed, process
//! groups and ranks match, and no bytes make the reader panic.

use interop::import::{ImportedJob, KeyFate, SourceText};
use proptest::prelude::*;
use scenario::Diagnostic;
use simulators::chakra::algorithms::{Algorithms, Choice};
use simulators::chakra::{self, ChakraFile, ChakraOptions};
use units::Span;
use workload::job::collective::{AllReduce, Collective, CollectiveKind, FirstBlock};
use workload::job::ideal::{IdealMessage, replay};
use workload::job::{Programs, Work};

use crate::et::Traces;

/// Reads traces by NCCL's algorithms.
pub(crate) fn import(traces: &Traces) -> Result<ImportedJob, Diagnostic> {
    import_by(traces, Algorithms::default())
}

fn import_by(
    Traces { files, groups, copies }: &Traces,
    algorithms: Algorithms,
) -> Result<ImportedJob, Diagnostic> {
    let files: Vec<_> = files.iter().map(|(name, bytes)| ChakraFile { name, bytes }).collect();
    let groups = groups.as_ref().map(|text| SourceText { name: "groups.json", text });
    chakra::read(&files, &ChakraOptions { groups, algorithms, copies: *copies })
}

/// Returns traces of ranks that each have this node.
fn same(ranks: u32, node: &str) -> String {
    (0..ranks).map(|rank| format!("file t.{rank}.et\nmetadata 0.0.4\nnode {rank} {node}\n")).collect()
}

fn read(text: &str) -> ImportedJob {
    import(&Traces::written(text)).unwrap_or_else(|said| panic!("{said}\n{text}"))
}

fn refused(text: &str) -> String {
    import(&Traces::written(text)).expect_err(text).to_string()
}

fn fate(job: &ImportedJob, key: &str) -> (KeyFate, String) {
    let entry = job.account.iter().find(|entry| entry.key == key);
    let entry = entry.unwrap_or_else(|| panic!("no `{key}` in {:#?}", job.account));
    (entry.fate, format!("{}: {}", entry.given, entry.what))
}

/// Returns the completion with messages that each take 10 us and do not wait for each other, in us.
fn completion(programs: &Programs) -> u64 {
    let message = IdealMessage {
        delivered: Span::from_us(10),
        completed: Span::from_us(10),
        ..IdealMessage::default()
    };
    let done = replay(programs, |_, _, _| message).expect("the job ends").completion();
    done.ps() / 1_000_000
}

/// `comm_size` is the vector, a rank's part or its whole input, by the collective. Steps follow each other in a ring.
#[test]
fn collectives_have_the_messages_of_their_algorithm() {
    for (number, messages, bytes, us) in [
        (0, 4 * 6, 4 * 6 * 1000, 60),
        (1, 3, 3 * 4000, 30),
        (2, 4 * 3, 4 * 3 * 4000, 30),
        (3, 3, 3 * 4000, 10),
        (4, 3, 3 * 1000, 10),
        (5, 3, 3 * 4000, 30),
        (6, 4 * 3, 4 * 3 * 1000, 10),
        (7, 4 * 3, 4 * 3 * 1000, 30),
        (8, 4 * 3, 4 * 3 * 1000, 30),
        (9, 4 * 2, 4 * 2 * 4000, 20),
    ] {
        let job = read(&same(4, &format!("COMM_COLL c is_cpu_op=false comm_type={number} comm_size=4000")));
        assert_eq!((job.matched.messages, job.matched.bytes), (messages, bytes), "type {number}");
        assert_eq!(completion(&job.programs), us, "type {number}");
    }
    let barrier = read(&same(4, "COMM_COLL c comm_type=9"));
    assert_eq!((barrier.matched.messages, barrier.matched.bytes), (8, 0));
}

/// The operations of a rank are those of the formula, and an end that joins them.
#[test]
fn an_all_reduce_is_that_of_the_formula() {
    let ring =
        CollectiveKind::AllReduce(AllReduce::Ring { first: FirstBlock::Before, channels: 1, server: 1 });
    for (choices, chunks, kind) in [
        (&[][..], 1, ring),
        (&[], 4, ring),
        (&["all-reduce=recursive-doubling"], 1, CollectiveKind::AllReduce(AllReduce::RecursiveDoubling)),
        (&["all-reduce=ring", "all-reduce=tree"], 2, CollectiveKind::AllReduce(AllReduce::DoubleTree)),
    ] {
        let choices: Vec<Choice> = choices.iter().map(|choice| choice.parse().unwrap()).collect();
        let traces = Traces::written(&same(5, "COMM_COLL c comm_type=0 comm_size=u40960"));
        let job = import_by(&traces, Algorithms::new(&choices, chunks)).unwrap();
        let own = Collective::new(kind, 5, 40_960, chunks).unwrap();
        for rank in 0..5 {
            let (graph, expected) = (&job.programs.ranks[rank as usize], own.graph(rank));
            let count = expected.operations() as u32;
            assert_eq!(graph.operations() as u32, count + 1);
            for id in 0..count {
                assert_eq!(graph.operation(id), expected.operation(id));
                let after = graph.after_end(id).filter(|next| *next < count);
                assert!(after.eq(expected.after_end(id)), "operation {id}");
            }
        }
        let is_given = fate(&job, "COMM_COLL ALL_REDUCE").0 == KeyFate::Used;
        assert_eq!(is_given, !choices.is_empty());
    }
    for (wrong, part) in [
        ("all-reduce", "algorithms of `all-reduce` are ring, recursive-doubling"),
        ("all-reduce=star", "algorithms of `all-reduce` are ring"),
        ("reduce-all=ring", "kinds are all-reduce, reduce-scatter"),
    ] {
        let said = wrong.parse::<Choice>().expect_err(wrong);
        assert!(said.contains(part), "{said}");
    }
}

/// A small block is not cut into more messages than it has bytes, and a long one is.
#[test]
fn chunks_fit_their_blocks() {
    let of = |bytes: u64, chunks| {
        let traces = Traces::written(&same(4, &format!("COMM_COLL c comm_type=0 comm_size={bytes}")));
        import_by(&traces, Algorithms::new(&[], chunks)).unwrap().matched
    };
    assert_eq!(of(8, 16).messages, 4 * 6 * 2);
    assert_eq!(of(0, 16).messages, 4 * 6);
    let long = of(16 << 30, 1);
    assert_eq!((long.messages, long.bytes), (4 * 6 * 2, 6 * (16 << 30)));
}

/// `data_deps` are an order, also on later nodes; `ctrl_deps` are none. A host and a device compute side by side.
#[test]
fn data_dependencies_alone_are_obeyed() {
    let two = |first: &str| {
        format!(
            "file t.0.et\nmetadata 1\n{first}file t.1.et\nmetadata 1\n\
             node 9 COMM_RECV r comm_src=0 comm_size=5 comm_tag=3\nnode 4 COMP c data=9 us=30\n"
        )
    };
    let send = "comm_dst=1 comm_size=u5 comm_tag=3";
    for (nodes, us) in [
        (format!("node 1 COMP a us=7 is_cpu_op=true\nnode 2 COMM_SEND s data=1 {send}\n"), 47),
        (format!("node 1 COMP a us=7 is_cpu_op=true\nnode 2 COMM_SEND s ctrl=1,2,77 {send}\n"), 40),
        (format!("node 1 COMM_SEND s data=2 {send}\nnode 2 COMP a us=7\n"), 47),
        (
            format!(
                "node 1 COMP a us=7 is_cpu_op=true\nnode 2 COMP b us=7\nnode 3 COMM_SEND s data=1,2 {send}\n"
            ),
            47,
        ),
        (
            format!(
                "node 1 COMP a us=7\nnode 2 COMP b us=7 is_cpu_op=false\nnode 3 COMM_SEND s data=1,2 {send}\n"
            ),
            54,
        ),
        (
            format!("node 1 COMM_COLL h us=9 is_cpu_op=true comm_type=0\nnode 3 COMM_SEND s data=1 {send}\n"),
            49,
        ),
    ] {
        let job = read(&two(&nodes));
        assert_eq!(completion(&job.programs), us, "{nodes}");
        assert!(interop::import::changes(&job.account, "").is_none(), "{nodes}");
    }
    let ctrl = read(&two(&format!("node 2 COMM_SEND s ctrl=1,2,77 {send}\n")));
    let (fate, what) = fate(&ctrl, "ctrl_deps");
    assert_eq!(fate, KeyFate::NotUsed);
    assert!(
        what.starts_with("3: ") && what.contains("2 name no node of the file, 1 their own node"),
        "{what}"
    );
}

/// Among nodes that are free the smallest id comes first, in whatever order the file has them.
#[test]
fn nodes_are_issued_as_the_feeder_issues_them() {
    let sends = |order: [u32; 3]| {
        let send = |id| format!("node {id} COMM_SEND s comm_dst=1 comm_size={id}\n");
        let receive = |id| format!("node {id} COMM_RECV r comm_src=0 comm_size={id}\n");
        let [first, second] = [order.map(send).concat(), order.map(receive).concat()];
        read(&format!("file t.0.et\nmetadata 1\n{first}file t.1.et\nmetadata 1\n{second}"))
    };
    assert_eq!(sends([1, 2, 3]).programs, sends([3, 1, 2]).programs);
}

/// Groups come from the traces' metadata or from a file; ranks of a group count in its order.
#[test]
fn process_groups_are_those_of_metadata_or_of_a_file() {
    let ranks = |metadata: &str| -> String {
        let node = "COMM_COLL c comm_type=0 comm_size=400";
        let of = |rank: u32| {
            let group = if rank.is_multiple_of(2) { "even" } else { "7" };
            format!(
                "file t.{rank}.et\nmetadata 1\nnode 1 METADATA m inputs={metadata}\nnode {} {node}\n\
                 node {} {node} pg_name={group}\n",
                10 + rank,
                20 + rank
            )
        };
        (0..4).map(of).collect()
    };
    let list = "['[{\"pg_name\":\"0\",\"ranks\":[]},{\"pg_name\":\"even\",\"ranks\":[2,0]},{\"pg_name\":\"7\",\"ranks\":[1,3]}]']";
    let own = read(&ranks(list));
    let file = read(&(ranks("[]") + "groups {\"even\": [2, 0], \"7\": [1, 3]}\n"));
    assert_eq!(own.programs, file.programs);
    assert_eq!(own.matched.messages, 4 * 6 + 2 * (2 * 2));
    assert!(fate(&own, "pg_name").1.starts_with("3: process groups, with 4, 2, 2 members"));
    // Messages of two groups between the same ranks have different tags.
    let tags = |from: usize, to: u32| -> Vec<u32> {
        let channels = own.programs.ranks[from].send_channels();
        channels.iter().filter(|channel| channel.peer == to).map(|channel| channel.tag).collect()
    };
    let (all, even) = (tags(0, 1), tags(0, 2));
    assert!(!all.is_empty() && !even.is_empty());
    assert!(all.iter().all(|tag| !even.contains(tag)), "{all:?} and {even:?}");
    let unknown = refused(&ranks("[]"));
    assert!(unknown.contains("nothing says which ranks process group `even` has"), "{unknown}");
    assert!(unknown.contains("node 20 `c`, byte "), "{unknown}");
}

/// NCCL runs the collectives of a communicator in order, also where a trace has no dependency.
#[test]
fn collectives_of_a_group_follow_each_other() {
    let two = |second: &str| -> String {
        let of_rank = |rank| {
            format!(
                "file t.{rank}.et\nmetadata 1\nnode 1 COMM_COLL a comm_type=2 comm_size=8\n\
                 node 2 COMM_COLL b comm_type=2 comm_size=8{second}\n"
            )
        };
        (0..4).map(of_rank).collect()
    };
    assert_eq!(completion(&read(&two("")).programs), 60);
    let other = two(" pg_name=1") + "groups {\"1\": [0, 1, 2, 3]}\n";
    assert_eq!(completion(&read(&other).programs), 30);
}

/// The n-th calls must agree, whatever their ids are.
#[test]
fn collectives_that_differ_are_named() {
    let pair = |first: &str, second: &str| {
        format!("file a.0.et\nmetadata 1\n{first}file a.1.et\nmetadata 1\n{second}")
    };
    let node = |id: u32, kind: u32, size: u32| {
        format!("node {id} COMM_COLL n{id} comm_type={kind} comm_size={size}\n")
    };
    let good = pair(&(node(1, 0, 8) + &node(2, 2, 9)), &(node(5, 0, 8) + &node(9, 2, 9)));
    assert_eq!(read(&good).matched.messages, 2 * 2 + 2);
    let size = refused(&pair(&(node(1, 0, 8) + &node(2, 2, 9)), &(node(5, 0, 8) + &node(9, 2, 10))));
    assert!(
        size.contains(
            "a.1.et: collective 2 of all ranks differs: rank 0 calls ALL_GATHER of 9 B (node 2 `n2`"
        ),
        "{size}"
    );
    let kind = refused(&pair(&node(1, 0, 8), &node(5, 6, 8)));
    assert!(kind.contains("and rank 1 ALL_TO_ALL of 8 B (node 5 `n5`, byte"), "{kind}");
    let number = refused(&pair(&(node(1, 0, 8) + &node(2, 2, 9)), &node(5, 0, 8)));
    assert!(
        number.contains(
            "rank 0 calls 2 collectives of all ranks, and rank 1 calls 1: the first without a partner is node 2"
        ),
        "{number}"
    );
    // Both kinds of reduce-scatter are the same here.
    assert_eq!(read(&pair(&node(1, 7, 8), &node(5, 8, 8))).matched.messages, 2);
}

/// Nodes that cannot be replayed are counted, named, and refused unless the user accepts their durations.
#[test]
fn nodes_that_cannot_be_replayed_are_counted() {
    let text = "file p.0.et\nmetadata 1\nnode 1 COMM_SEND s comm_size=8 us=4\nnode 2 COMM_RECV r comm_size=8 data=1 us=5\n\
        node 3 MEM_LOAD m data=2 us=6\nnode 4 COMM_COLL c data=3 comm_type=0 us=7\nnode 5 12 later data=4 us=8\n\
        node 6 COMP x data=5,99 num_ops=7\n";
    let job = read(text);
    assert_eq!(completion(&job.programs), 4 + 5 + 6 + 7 + 8);
    let said = interop::import::changes(&job.account, "p.0.et").expect("another experiment").to_string();
    for part in [
        "error: p.0.et: comm_src, comm_dst: messages without their other end",
        "comm_size: ",
        "MEM_LOAD, MEM_STORE: ",
        "type: types of nodes of a later schema are unknown; each takes its duration instead, the first is type 12 node 5",
        "data_deps (missing): dependencies on nodes that are not in the file count as ended: node 6 `x`",
    ] {
        assert!(said.contains(part), "no `{part}` in {said}");
    }
    assert!(fate(&job, "comm_src, comm_dst").1.starts_with("2: "));
    assert_eq!(fate(&job, "num_ops").0, KeyFate::Approximated);
    assert!(job.warnings.is_empty(), "{:?}", job.warnings);
}

/// `PyTorch`'s traces often lack the edge from a kernel to the collective that sends its result.
#[test]
fn operations_without_an_order_are_warned_of() {
    let text = (0..2).map(|rank| {
        format!(
            "file w.{rank}.et\nmetadata 1\nnode 1 COMP k us=5\nnode 2 COMM_COLL c comm_type=0 comm_size=8\n"
        )
    });
    let job = read(&text.collect::<String>());
    let [early, late] = &job.warnings[..] else { panic!("{:?}", job.warnings) };
    assert!(early.starts_with(
        "2 sends and collectives have no `data_deps` and start at once, the first is node 2 `c`"
    ));
    assert!(
        late.starts_with("nothing waits for 2 computations of the device, the first is node 1 `k`"),
        "{late}"
    );
    assert!(read(&same(2, "COMM_COLL c comm_type=0 comm_size=8")).warnings.is_empty());
}

/// A trace of one rank may stand for all.
#[test]
fn a_single_trace_can_be_copied() {
    let one = "file o.0.et\nmetadata 1\nnode 1 COMM_COLL c comm_type=0 comm_size=8\n";
    let alone = read(one);
    assert_eq!(alone.matched.messages, 0);
    assert_eq!(fate(&alone, "(groups of one rank)").0, KeyFate::Used);
    let copied = read(&format!("{one}ranks 4\n"));
    assert_eq!(copied.programs, read(&same(4, "COMM_COLL c comm_type=0 comm_size=8")).programs);
    let message = "file o.0.et\nmetadata 1\nnode 1 COMM_SEND s comm_dst=1 comm_size=8\nranks 4\n";
    assert!(refused(message).contains("copies of a message would all have one other end"));
    assert!(refused(&(same(2, "COMP c") + "ranks 4\n")).contains("traces of 2 ranks, and a single trace"));
}

/// A file that ends early is refused at its offset, unless the cut is between two nodes.
#[test]
fn a_cut_file_is_refused_or_has_fewer_nodes() {
    let whole = Traces::written(&same(1, "COMP first us=5 is_cpu_op=true tid=7\nnode 8 COMP second us=6"));
    let (name, bytes) = &whole.files[0];
    let operations = |traces: &Traces| import(traces).map(|job| job.programs.operations());
    assert_eq!(operations(&whole).unwrap(), 2);
    let mut whole_nodes = Vec::new();
    for end in 0..bytes.len() {
        let cut = Traces { files: vec![(name.clone(), bytes[..end].to_vec())], ..Traces::default() };
        match operations(&cut) {
            Ok(count) => whole_nodes.push(count),
            Err(said) => {
                let said = said.to_string();
                let at = said.strip_prefix("error: t.0.et: byte ").and_then(|rest| rest.split(':').next());
                let at: usize = at.and_then(|at| at.parse().ok()).unwrap_or_else(|| panic!("{said}"));
                assert!(at <= end, "{said}");
            }
        }
    }
    assert_eq!(whole_nodes, [0, 1]);
}

/// Numbers of all types of the schema mean the same.
#[test]
fn attributes_may_have_any_type_of_number() {
    let signed = read(&same(2, "COMM_COLL c comm_type=0 comm_size=300"));
    let unsigned = read(&same(2, "COMM_COLL c comm_type=u0 comm_size=u300 involved_dim=[1,1] seq_id=-1"));
    assert_eq!(signed.programs, unsigned.programs);
    let part = read(&same(2, "COMM_COLL c comm_type=0 comm_size=300 involved_dim=[1,0]"));
    assert_eq!(fate(&part, "involved_dim").0, KeyFate::Changed);
    let Work::Send { bytes, .. } = signed.programs.ranks[0].operation(0).work else {
        panic!("a send is first")
    };
    assert_eq!(bytes, 150);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let traces = Traces { files: vec![("r.0.et".to_owned(), bytes)], ..Traces::default() };
        let _ = import(&traces);
    }

    #[test]
    fn no_change_of_a_trace_makes_the_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut traces = Traces::written(
            "file c.0.et\nmetadata 0.0.4\nnode 1 METADATA m inputs=['[{\"pg_name\":\"0\",\"ranks\":[]}]']\n\
             node 2 COMP k data=1 us=5 is_cpu_op=false\nnode 3 COMM_COLL c data=2 comm_type=0 comm_size=80\n\
             node 4 COMM_SEND s data=3 comm_dst=1 comm_size=8\nfile c.1.et\nmetadata 0.0.4\n\
             node 3 COMM_COLL c comm_type=0 comm_size=80\nnode 4 COMM_RECV r data=3 comm_src=0 comm_size=8\n",
        );
        prop_assert!(import(&traces).is_ok());
        for (at, value) in changes {
            let bytes = &mut traces.files[0].1;
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = import(&traces);
    }
}
