//! The memory that traffic is expected to need, against the most that it can post.

use scenario::MemoryEstimate;

use crate::two_leaves;

/// Hosts that post, in the fabric of these tests.
const HOSTS: u64 = 6;
/// Messages of each host.
const EACH: u64 = 7;
/// Bytes of a completed message that is kept, with its record while it waits.
const KEPT: u64 = 305 + 88;

fn memory(traffic: &str, duration: &str) -> MemoryEstimate {
    two_leaves::plan(traffic, &[&format!("duration=\"{duration}\"")]).memory()
}

/// A run may be allowed a time in which its links could carry far more than its traffic is.
#[test]
fn traffic_of_few_messages_needs_no_more_memory_in_a_longer_run() {
    let of = |destinations: &str, arrivals: &str| {
        format!(
            "Synthetic(destinations: {destinations}, arrivals: {arrivals}, size: Fixed(\"4 KiB\"), messages: 7)"
        )
    };
    for destinations in ["AllToAll", "Uniform"] {
        for arrivals in [
            "Closed(outstanding: 1)",
            "Closed(outstanding: 4)",
            "Closed(outstanding: 100)",
            "Poisson(load: 0.5)",
            "AtOnce",
        ] {
            let traffic = of(destinations, arrivals);
            let [short, long] = ["1 ms", "100 ms"].map(|duration| memory(&traffic, duration));
            assert_eq!(short.completions, long.completions, "{traffic}");
            assert!(
                (HOSTS * EACH * 305..=HOSTS * EACH * KEPT).contains(&long.completions.get()),
                "{traffic}: {long:?}"
            );
        }
    }
}

/// The messages of two closed loops of a host add up, and those of an endless loop are as many as its link carries.
#[test]
fn closed_loops_of_a_host_add_up() {
    let closed = |name: &str, messages: &str| {
        format!(
            "Synthetic(name: \"{name}\", destinations: AllToAll, arrivals: Closed(outstanding: 1), size: Fixed(\"4 KiB\"), \
             {messages})"
        )
    };
    let completions = |traffic: &str| memory(traffic, "10 ms").completions.get();
    let one = completions(&closed("a", "messages: 7"));
    let two = completions(&format!("{}, {}", closed("a", "messages: 7"), closed("b", "messages: 7")));
    assert_eq!(two, 2 * one);
    let endless = completions(&format!("{}, {}", closed("a", "messages: 7"), closed("b", "")));
    assert!(endless > 100 * two, "{endless} {two}");
    let alone = completions(&closed("b", ""));
    assert!((endless - alone) * 1000 < endless, "a link carries no more: {endless} {alone}");
}

/// A loop that stops needs no more memory in a longer run.
#[test]
fn a_loop_that_stops_needs_no_more_memory_in_a_longer_run() {
    let traffic = "Synthetic(destinations: AllToAll, arrivals: Closed(outstanding: 1), size: Fixed(\"4 KiB\"), \
                   stop: \"1 ms\")";
    let [short, long] = ["1 ms", "100 ms"].map(|duration| memory(traffic, duration).completions.get());
    assert!(short <= long && long <= short + HOSTS * KEPT, "{short} {long}");
    assert!(short > 100 * HOSTS * KEPT, "{short}");
}
