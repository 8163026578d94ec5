//! Violations in several parts, and the parts of a rank. The earliest violation is reported, whichever part or
//! process finds it.

use std::thread;

use link_layer::Signal;
use packet::{Lane, NodeId, PortId};
use parallel::RanksInThreads;
use scenario::Plan;
use topology::Partition;
use units::{Span, Time};

use super::ranks::following::follow;
use super::ranks::leading::release;
use super::{Run, RunOptions};
use crate::plans::shipped;
use crate::state::interconnect::Divided;
use crate::state::mail::Mailbag;
use crate::state::part::Part;
use crate::state::world::World;
use crate::{new_run, new_run_on_ranks};

/// Lets a PAUSE arrive at a node under credits, which violates an invariant.
fn pause(world: &mut World<'_>, node: usize, at: Time) {
    let place = world.places[node];
    let hosts = world.parts[place.part.index()].adapters.len() as u32;
    let number = NodeId(if node < world.hosts { place.index } else { hosts + place.index });
    let signal = Signal::Pause { lane: Lane(0), quanta: 9 };
    let mut mail = Mailbag::default();
    mail.push_signal(at, (number, PortId(0)), signal, 0);
    world.parts[place.part.index()].interconnect.receive(&mut mail);
}

/// Runs until the first violation. The fabric has five hosts, then two switches.
fn failure(partition: Option<&Partition>, in_turn: bool, pauses: &[(usize, Time)]) -> String {
    let plan = shipped("victim", &[]);
    let mut run = new_run(&plan, RunOptions { partition, in_turn, ..RunOptions::default() });
    pauses.iter().for_each(|(node, at)| pause(&mut run.world, *node, *at));
    let failed = run.run_to_end(plan.duration().after_start(), &mut |_| {});
    failed.expect_err("a PAUSE under credits is no signal").to_string()
}

/// Runs by three ranks until the first violation, from the state of a run with these pauses.
fn failure_on_ranks(partition: &Partition, pauses: &[(usize, Time)]) -> String {
    let plan = shipped("victim", &[]);
    let mut run = new_run(&plan, RunOptions::default());
    pauses.iter().for_each(|(node, at)| pause(&mut run.world, *node, *at));
    run.bring_up();
    run.run_until(Span::from_us(10).after_start(), &mut |_| {}).expect("no pause has come");
    let state = run.state_after(run.events());
    by_three_ranks(&plan, |first| {
        let options = RunOptions { partition: Some(partition), ranks: Some(first), ..RunOptions::default() };
        let mut run = new_run_on_ranks(&plan, options).expect("all ranks have the plan");
        run.restore(&state).expect("the state of a run of this plan");
        let failed = run.run_to_end(plan.duration().after_start(), &mut |_| {});
        failed.expect_err("a PAUSE under credits is no signal").to_string()
    })
}

/// Runs a plan by three ranks, and returns the result of rank 0's work.
#[expect(clippy::disallowed_methods, reason = "threads stand for processes here")]
fn by_three_ranks<T>(plan: &Plan, lead: impl FnOnce(&RanksInThreads) -> T) -> T {
    let [first, others @ ..]: [RanksInThreads; 3] = RanksInThreads::new(3).try_into().expect("three ranks");
    // Each thread owns its rank: if a thread fails, the others notice, since its messages end.
    thread::scope(move |scope| {
        for own in others {
            scope
                .spawn(move || follow(Some(plan), RunOptions { ranks: Some(&own), ..RunOptions::default() }));
        }
        let led = lead(&first);
        release(&first);
        led
    })
}

#[test]
fn the_earliest_violation_is_reported_by_time_and_node() {
    let at = |ns| Span::from_ns(ns).after_start();
    for pauses in [
        [(6, at(50_000)), (1, at(49_999)), (5, at(50_001))],
        [(6, at(50_000)), (1, at(50_000)), (5, at(50_000))],
        [(6, at(50_000)), (5, at(50_000)), (4, at(50_001))],
    ] {
        let one = failure(None, false, &pauses);
        let node = shipped("victim", &[])
            .graph()
            .name(NodeId(pauses.iter().map(|(node, at)| (*at, *node)).min().expect("three").1 as u32))
            .to_owned();
        assert!(one.starts_with(&node), "{node}: {one}");
        let whole_racks = [0, 0, 1, 1, 1, 0, 1];
        for of_node in [whole_racks, [0, 0, 0, 1, 1, 1, 0], [0, 1, 2, 0, 1, 2, 0], [6, 5, 4, 3, 2, 1, 0]] {
            let partition = Partition::new(&of_node);
            for in_turn in [false, true] {
                assert_eq!(
                    failure(Some(&partition), in_turn, &pauses),
                    one,
                    "{of_node:?}, in turn: {in_turn}"
                );
            }
            if partition.parts() >= 3 {
                assert_eq!(failure_on_ranks(&partition, &pauses), one, "{of_node:?}, three ranks");
            }
        }
    }
}

/// Hosts of the same part as their switch send no mail. Once the switches of a window have had their turns, the other
/// part may have the mail. Threads gain only if that happens in most windows.
#[test]
fn a_part_tells_when_it_has_sent_its_mail() {
    let plan = shipped("bench-b128", &[]);
    let partition = Partition::balanced(&plan.weighed_graph(&plan.expected_work()), 2);
    let options = RunOptions { partition: Some(&partition), in_turn: true, ..RunOptions::default() };
    let mut run = new_run(&plan, options);
    run.bring_up();
    run.run_until(Span::from_us(20).after_start(), &mut |_| {}).expect("nothing fails");
    let letters =
        |part: &mut Part| part.interconnect.outgoing.bags().map(|(_, mail)| mail.len()).sum::<usize>();
    let (mut told, mut windows) = (0, 0);
    for _ in 0..20 {
        let end = run.world.window_end + Span::from_ns(900);
        for (part, turns) in run.world.parts.iter_mut().zip(&mut run.turns) {
            windows += 1;
            let mut sent = None;
            turns.run_and_tell::<Divided>(part, end, &mut |part| {
                sent = Some(letters(part));
            });
            assert!(sent.is_none_or(|sent| sent == letters(part)), "{sent:?} of {} letters", letters(part));
            told += u32::from(sent.is_some_and(|sent| sent > 0));
        }
        run.world.exchange_mail();
        run.world.window_end = end;
    }
    assert!(told * 10 >= windows * 9, "{told} of {windows}");
}

/// Rank 0 holds its own nodes alone, and does so again after a look at all nodes.
#[test]
fn a_rank_holds_its_own_parts_alone() {
    let plan = shipped("victim", &[]);
    let partition = Partition::new(&[0, 1, 2, 0, 1, 2, 0]);
    by_three_ranks(&plan, |first| {
        let options = RunOptions { partition: Some(&partition), ranks: Some(first), ..RunOptions::default() };
        let mut run = new_run_on_ranks(&plan, options).expect("all ranks have the plan");
        let nodes = |run: &Run<'_>| run.world.parts.iter().map(|part| part.numbers.len()).sum::<usize>();
        assert_eq!(nodes(&run), 3, "two hosts and a switch");
        run.bring_up();
        run.run_until(Span::from_us(10).after_start(), &mut |_| {}).expect("nothing fails");
        assert_eq!(run.with_all_parts(|run| nodes(run)), 7);
        assert_eq!(nodes(&run), 3);
    });
}
