//! Statements of GOAL, each accepted or refused with its message and place.

use super::*;
use crate::job::goal::CALC_UNIT;
use crate::job::graph::Graph;

fn read(text: &str) -> GoalJob {
    read_text(text.as_bytes(), CALC_UNIT).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the message with line and column, as files show it.
fn refused(text: &str) -> String {
    match read_text(text.as_bytes(), CALC_UNIT) {
        Err(GoalReadError::Text(error)) => {
            let at = error.range(text);
            let start = text[..at.start].rfind('\n').map_or(0, |end| end + 1);
            format!("{}:{} `{}`: {}", error.line, at.start - start + 1, &text[at], error.fault)
        }
        other => panic!("{text}: {other:?}"),
    }
}

/// Puts statements into the block of rank 0 of 4, from line 3.
fn block(statements: &str) -> String {
    format!("num_ranks 4\nrank 0 {{\n{statements}\n}}\n")
}

fn first(statements: &str) -> Graph {
    read(&block(statements)).programs.ranks.swap_remove(0)
}

fn only(statement: &str) -> Operation {
    let graph = first(statement);
    assert_eq!(graph.operations(), 1);
    graph.operation(0)
}

#[test]
fn statements_have_their_fields() {
    let send = |to, bytes, tag, cpu, nic| Operation { work: Work::Send { to, bytes, tag }, cpu, nic };
    assert_eq!(only("send 5b to 1"), send(1, 5, 0, 0, 0));
    assert_eq!(only("\ta : send\t5 b to 1 tag 7 cpu 2 nic 3\r"), send(1, 5, 7, 2, 3));
    assert_eq!(only("send 0b to 1 nic 255"), send(1, 0, 0, 0, 255));
    let most = "send 18446744073709551615b to 3 tag 4294967294 cpu 255";
    assert_eq!(only(most), send(3, u64::MAX, u32::MAX - 1, 255, 0));
    let receive = |from, tag| Work::Receive { from, bytes: 9, tag }.on_cpu(0);
    assert_eq!(only("recv 9b from 2"), receive(Some(2), Some(0)));
    assert_eq!(only("recv 9b from -1 tag -1"), receive(None, None));
    assert_eq!(only("calc 12 cpu 3"), Work::Compute { span: Span::from_ns(12) }.on_cpu(3));
    assert_eq!(only("b: calc 0"), Work::Compute { span: Span::from_ps(0) }.on_cpu(0));
}

#[test]
fn comments_and_line_ends_are_skipped() {
    let text = "// begin\r\nnum_ranks 2 // two\r\n/* a\r\nb */ rank 1 { /* one */\r\n/* x */ calc 1 // y\r\n  \r\n/* } \r\n*/ } /* open\nrank 0 {\n*/";
    let job = read(text);
    assert_eq!(job.programs.ranks[1].operations(), 1);
    assert_eq!(job.missing, [0]);
    assert_eq!(read("\u{feff}num_ranks 1\nrank 0 {\n}").missing, [0_u32; 0]);
}

#[test]
fn edges_may_name_later_labels() {
    let text =
        block("a requires b\na: calc 1\nb: calc 2\nc: calc 3\nc irequires b\nc requires a\nc requires a");
    let job = read(&text);
    let graph = &job.programs.ranks[0];
    let successors = [graph.after_end(1), graph.after_start(1), graph.after_end(0)];
    assert_eq!(successors.map(Iterator::collect::<Vec<_>>), [vec![0], vec![2], vec![2, 2]]);
    assert_eq!(graph.predecessors(2), 3);
    assert_eq!((job.forward, job.first_forward), (1, Some(3)));
}

#[test]
fn ranks_come_in_any_order() {
    let job = read("num_ranks 4\nrank 2 {\nl1: calc 1\n}\nrank 0 {\nl1: calc 2\n}");
    assert_eq!(job.missing, [1, 3]);
    let sizes: Vec<_> = job.programs.ranks.iter().map(Graph::operations).collect();
    assert_eq!(sizes, [1, 0, 1, 0]);
}

#[test]
fn lines_of_operations_are_found() {
    let text = "num_ranks 2\nrank 1 {\n\ncalc 1\nl: calc 2\nl requires l1\nl1: calc 3\n}\nrank 0 {\n// calc 0\ncalc 5\n}";
    let lines = lines_of(text.as_bytes(), &[(1, 2), (0, 0), (1, 0), (0, 1)]).unwrap();
    assert_eq!(lines, [Some(7), Some(11), Some(4), None]);
}

#[test]
fn options_have_an_order() {
    assert_eq!(refused(&block("send 5b to 1 cpu 2 tag 1")), "3:20 `tag`: `tag` stands behind `cpu`");
    assert_eq!(refused(&block("recv 5b from 1 nic 2 cpu 1")), "3:22 `cpu`: `cpu` stands behind `nic`");
    assert_eq!(refused(&block("send 5b to 1 tag 2 tag 1")), "3:20 `tag`: `tag` stands behind `tag`");
    assert_eq!(refused(&block("calc 5 nic 1")), "3:8 `nic`: `calc` has no `nic`");
    assert_eq!(refused(&block("calc 5 cpu 0 tag 1")), "3:14 `tag`: `calc` has no `tag`");
}

#[test]
fn wildcards_are_for_receives() {
    assert_eq!(
        refused(&block("send 5b to 1 tag -1")),
        "3:19 `1`: a send with `tag -1` reaches no receive for certain"
    );
    assert_eq!(
        refused(&block("send 5b to -1")),
        "3:13 `1`: a send with `to -1` reaches no receive for certain"
    );
    assert_eq!(
        refused(&block("recv 5b from -2")),
        "3:15 `2`: `2` stands where 1, as `-1` stands for any, is expected"
    );
}

#[test]
fn numbers_have_ranges() {
    assert_eq!(refused(&block("calc 1 cpu 300")), "3:12 `300`: 300 is more than 255, the largest cpu");
    assert_eq!(refused(&block("send 1b to 1 nic 256")), "3:18 `256`: 256 is more than 255, the largest nic");
    assert_eq!(
        refused(&block("recv 1b from 1 tag 4294967295")),
        "3:20 `4294967295`: 4294967295 is more than 4294967294, the largest tag"
    );
    assert_eq!(
        refused(&block("send 18446744073709551616b to 1")),
        "3:6 `18446744073709551616`: 18446744073709551616 is more than 18446744073709551615, the largest size"
    );
    assert_eq!(
        refused(&block("calc 18446744073709552")),
        "3:6 `18446744073709552`: 18446744073709552 is more than 18446744073709551, the largest length of a `calc`"
    );
    assert_eq!(refused(&block("calc -5")), "3:6 `-`: `-` stands where a whole number is expected");
    assert_eq!(refused(&block("calc 1.5")), "3:7 `.`: `.` stands where the end of the line is expected");
    assert_eq!(refused("num_ranks 0"), "1:11 `0`: a job of 0 ranks does nothing");
    assert_eq!(
        refused("num_ranks 2000000"),
        "1:11 `2000000`: 2000000 is more than 1048576, the largest number of ranks"
    );
}

#[test]
fn labels_are_unique_and_known() {
    assert_eq!(
        refused(&block("l1: calc 1\n\nl1: calc 2")),
        "5:1 `l1: calc 2`: line 3 has the label `l1` already"
    );
    assert_eq!(
        refused(&block("l1: calc 1\n l1 requires x9")),
        "4:2 `l1 requires x9`: no operation of rank 0 has the label `x9`"
    );
    let other = "num_ranks 2\nrank 0 {\na: calc 1\n}\nrank 1 {\nb: calc 1\nb irequires a\n}";
    assert_eq!(refused(other), "7:1 `b irequires a`: no operation of rank 1 has the label `a`");
    assert_eq!(
        refused(&block("send: calc 1")),
        "3:1 `send`: `send` is a word of the language, and cannot be a label"
    );
}

#[test]
fn circles_of_a_rank_are_named_by_line() {
    let text = block("a: calc 1\nb: calc 1\nb requires a\na irequires b");
    assert_eq!(
        refused(&text),
        "3:1 `a: calc 1`: operations of rank 0 wait for each other in a circle: line 3 <- line 4 <- line 3"
    );
    assert_eq!(
        refused(&block("calc 0\na: calc 1\na requires a")),
        "4:1 `a: calc 1`: operations of rank 0 wait for each other in a circle: line 4 <- line 4"
    );
}

#[test]
fn blocks_are_whole() {
    assert_eq!(refused("rank 3 {\n}"), "1:1 `rank 3 {`: no `num_ranks` stands before");
    assert_eq!(refused(""), "1:1 ``: no `num_ranks` stands before");
    assert_eq!(
        refused("num_ranks 1\nnum_ranks 1"),
        "2:1 `num_ranks 1`: `num_ranks` stands in line 1 already"
    );
    assert_eq!(
        refused("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}"),
        "4:1 `rank 0 {`: rank 0 has a block in line 2 already"
    );
    assert_eq!(refused("num_ranks 4\nrank 4 {\n}"), "2:1 `rank 4 {`: there is no rank 4: `num_ranks` is 4");
    assert_eq!(refused(&block("send 8b to 4")), "3:1 `send 8b to 4`: there is no rank 4: `num_ranks` is 4");
    assert_eq!(refused("num_ranks 1\nrank 0 {\ncalc 1\n"), "2:1 `rank 0 {`: the block of rank 0 has no `}`");
    assert_eq!(refused("num_ranks 1\n /* open\n"), "2:2 `/*`: the comment has no `*/`");
    assert_eq!(
        refused("num_ranks 1\ncalc 1"),
        "2:1 `calc`: `calc` stands where `num_ranks` or `rank` is expected"
    );
    assert_eq!(refused(&block("send 5 to 1")), "3:8 `to`: `to` stands where `b`, for bytes, is expected");
    assert_eq!(
        refused(&block("a: calc 1\na needs a")),
        "4:3 `needs`: `needs` stands where `:`, `requires` or `irequires` behind a label is expected"
    );
    assert_eq!(
        refused(&block("send 5b to 1 é")),
        "3:14 `é`: `é` stands where the end of the line is expected"
    );
}
