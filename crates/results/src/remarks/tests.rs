//! Tests of remarks: each is said where it holds, and not elsewhere.

use telemetry::{
    Acknowledged, ClosedLoopRecord, Completions, DetourTally, FlowRecord, IdleReason, IdleSettingRecord,
    LaneRecord, MessageRecord, PatternRecord, RepeatTally,
};
use units::{Bytes, Rate, Span, Time};

use super::*;
use crate::sample;
use crate::summary::Summary;

fn at(us: u64) -> Time {
    Span::from_us(us).after_start()
}

fn remarks(record: &RunRecord) -> Vec<Remark> {
    Summary::new(sample::CONTEXT, record, sample::cost()).remarks
}

/// Returns the texts of the remarks about a subject.
fn about(record: &RunRecord, kind: RemarkKind) -> Vec<String> {
    remarks(record).into_iter().filter(|remark| remark.about == kind).map(|remark| remark.text).collect()
}

/// Makes a run of 20 ms in which a closed loop posts messages of 1 us at two hosts, one after another. The second host
/// waits for its last message from 100 us on, if it is `stuck`.
fn closed(stuck: bool) -> RunRecord {
    let mut record = sample::record();
    let posted = |flow, number: u32, took| MessageRecord {
        flow,
        number,
        size: Bytes::new(1000),
        posted: at(u64::from(number)),
        completed: (took < 1000).then(|| at(u64::from(number) + took)),
        ideal: Span::from_us(1),
        acknowledged: (took < 1000)
            .then(|| Acknowledged { at: at(u64::from(number) + took), ideal: Span::from_us(1) }),
    };
    let mut messages: Vec<_> = (0..19_000).map(|number| posted(2, number, 1)).collect();
    messages.extend((0..100).map(|number| posted(3, number, 1)));
    if stuck {
        messages.push(posted(3, 100, 1000));
    }
    let mut all = Completions { messages, end: at(20_000), ..Completions::default() };
    all.sort();
    record.completions = Some(all);
    record
}

/// The second of two hosts stands still for 19.9 of 20 ms, and its message is one of 19,101.
#[test]
fn a_closed_loop_says_what_its_p99_hides() {
    let record = closed(true);
    let [text] = &about(&record, RemarkKind::ClosedLoop)[..] else { panic!("{:?}", remarks(&record)) };
    for words in [
        "`incast` is a closed loop",
        "p99 of completion is 1.000 us",
        "52 % of the time of all messages is that of the slowest hundredth",
        "1.0 of 2 hosts stand still on average, 1 at the end",
        "955,000 messages/s are delivered, where an empty fabric gives 2,000,000",
    ] {
        assert!(text.contains(words), "`{words}` is missing: {text}");
    }
    let summary = Summary::new(sample::CONTEXT, &record, sample::cost());
    assert!(printed(&summary.remarks).starts_with("Note: "));
    assert!(crate::tables::printed::tables(&summary, 100).contains(text.as_str()));
    assert!(crate::tables::completions::printed(&summary, 100).contains("stand still"));
    assert_eq!(about(&closed(false), RemarkKind::ClosedLoop), [""; 0]);
    let mut open = closed(true);
    open.patterns[0].closed = None;
    assert_eq!(about(&open, RemarkKind::ClosedLoop), [""; 0]);
}

#[test]
fn a_loop_in_lockstep_is_said_to_be_one() {
    let mut record = closed(false);
    let text = about(&record, RemarkKind::Lockstep).concat();
    assert!(text.starts_with("`incast` is in lockstep: in each of 3 stages"), "{text}");
    assert!(text.contains("at most 2 flows of a stage leave by the same output"), "{text}");
    record.patterns[0].closed = Some(ClosedLoopRecord { outstanding: 1, lockstep: None });
    assert_eq!(about(&record, RemarkKind::Lockstep), [""; 0]);
}

#[test]
fn a_short_window_is_said_in_packets_and_in_the_rate_that_it_allows() {
    let mut record = sample::record();
    assert_eq!(about(&record, RemarkKind::ShortWindow), [""; 0]);
    record.short_window = Some(telemetry::ShortWindowRecord {
        node: "leaf1".to_owned(),
        port: 3,
        window: Bytes::new(4160),
        needed: Bytes::new(12_300),
        packet: Bytes::new(4154),
        rate: Rate::gbps(400),
        at_most: Rate::gbps(272),
    });
    let text = about(&record, RemarkKind::ShortWindow).concat();
    for words in [
        "leaf1 port 3",
        "4,160 B ahead",
        "1.0 packets",
        "at most 272 Gb/s of 400 Gb/s",
        "guaranteed: \"12352 B\"",
    ] {
        assert!(text.contains(words), "`{words}` is missing: {text}");
    }
}

/// Each reason has a sentence of its own, with the setting.
#[test]
fn settings_without_effect_are_said_with_the_reason() {
    let mut record = sample::record();
    assert_eq!(about(&record, RemarkKind::WithoutEffect), [""; 0]);
    let us = Span::from_us;
    let reasons = [
        IdleReason::OnePort,
        IdleReason::NoDetour,
        IdleReason::NotSelected,
        IdleReason::TooShort { small: Bytes::new(8192), longest: Bytes::new(4154) },
        IdleReason::NoneOnTheWay,
        IdleReason::HashForAll,
        IdleReason::GapBeyondRun { gap: us(30), duration: us(20) },
        IdleReason::TwoOfTwo,
        IdleReason::NotHashed,
        IdleReason::NoAnswers,
        IdleReason::NoMarks,
    ];
    let setting = "switch.selection: RoundRobin".to_owned();
    record.idle_settings =
        reasons.map(|reason| IdleSettingRecord { setting: setting.clone(), reason }).into();
    insta::assert_snapshot!(about(&record, RemarkKind::WithoutEffect).join("\n"));
}

/// Packets wait 1.25 of 20 ms for a host that takes 1 Gb/s.
#[test]
fn a_slow_host_is_named_without_a_tree() {
    let mut record = sample::record();
    record.congestion = telemetry::Congestion::default();
    let expected = "Host H3 holds up its link: it takes 1 Gb/s at most, and S1 port 2 could bring 16 Gb/s. Packets waited there \
                    for 6.2 % of the run.";
    assert_eq!(about(&record, RemarkKind::SlowHost), [expected]);
    let slow = &slow_hosts(&record)[0];
    assert_eq!((slow.host.as_str(), slow.takes_bps, slow.took_bps), ("H3", Rate::gbps(1).get(), 4e9));
    let mut many = record.clone();
    many.slow_hosts = vec![record.slow_hosts[0].clone(); 5];
    let texts = about(&many, RemarkKind::SlowHost);
    assert_eq!((texts.len(), texts[3].split_once(' ').map(|(count, _)| count)), (4, Some("2")), "{texts:?}");
    record.lanes.iter_mut().for_each(|lane| lane.stalled = Span::from_us(199));
    assert_eq!(about(&record, RemarkKind::SlowHost), [""; 0]);
    record.lanes = vec![LaneRecord { stalled: Span::from_us(10_000), ..record.lanes[1].clone() }];
    record.slow_hosts.clear();
    assert_eq!(about(&record, RemarkKind::SlowHost), [""; 0], "nothing limits the host");
}

#[test]
fn traffic_that_ends_early_is_said_with_the_remedy() {
    let mut record = sample::record();
    record.finite = record.finite.map(|finite| telemetry::FiniteRecord { done: Some(at(3_000)), ..finite });
    assert_eq!(about(&record, RemarkKind::TrafficEnded), [""; 0], "other traffic goes on");
    record.flows.iter_mut().for_each(|flow| flow.last_delivery = at(3_000).into());
    let text = about(&record, RemarkKind::TrafficEnded).concat();
    assert!(text.starts_with("All traffic was delivered at 3 ms of 20 ms"), "{text}");
    assert!(text.contains("`--until-done`"), "{text}");
    record.finite = record.finite.map(|finite| telemetry::FiniteRecord { done: None, ..finite });
    assert_eq!(about(&record, RemarkKind::TrafficEnded), [""; 0], "some was not delivered");
}

#[test]
fn idle_phases_and_patterns_are_named() {
    let mut record = sample::record();
    assert_eq!(about(&record, RemarkKind::Idle), [""; 0]);
    record.patterns.push(PatternRecord { label: "late".to_owned(), closed: None });
    for snapshot in &mut record.snapshots {
        if snapshot.at <= at(10_000) {
            snapshot.delivered = vec![Bytes::ZERO; 4];
        }
    }
    let text = about(&record, RemarkKind::Idle).concat();
    assert!(
        text.starts_with(
            "Nothing was delivered in phase `F1 starts`. Nothing was posted by pattern `late`: "
        )
    );
    record.flows.push(FlowRecord { pattern: 1.into(), packets: 1, ..record.flows[3].clone() });
    record.snapshots.iter_mut().for_each(|snapshot| snapshot.delivered.push(Bytes::new(1)));
    assert!(!about(&record, RemarkKind::Idle).concat().contains("late"));
}

#[test]
fn late_notifications_are_said_if_they_are_half_of_all() {
    let mut record = sample::record();
    let text = about(&record, RemarkKind::LateNotifications).concat();
    assert!(text.starts_with("30 of 41 notifications reached flows with nothing left to send"), "{text}");
    record.transport.late_becns = 20;
    assert_eq!(about(&record, RemarkKind::LateNotifications), [""; 0]);
    record.transport.late_becns = 0;
    assert_eq!(about(&record, RemarkKind::LateNotifications), [""; 0]);
}

/// Packets out of order are told with the state that they take, refused ones with their repeats, and detours with the
/// packets that could take one. Gaps behind losses alone are no reordering.
#[test]
fn reordering_and_detours_are_told_where_there_are_any() {
    let with = |tally: RepeatTally, dropped| {
        let mut record = sample::record();
        let flow = &mut record.flows[0];
        (flow.packets, flow.repeats) = (900 - tally.refused, Some(Box::new(tally)));
        record.flows[1..].iter_mut().for_each(|flow| (flow.packets, flow.repeats) = (25, None));
        (record.dropped_packets, record.transport.retransmitted) = (dropped, 40);
        about(&record, RemarkKind::OutOfOrder)
    };
    let ahead =
        RepeatTally { out_of_order: 195, farthest: 47, held_bytes: 147_456, ..RepeatTally::default() };
    let said = "195 of 975 data packets that arrived (20.0 %, second copies apart) were out of order: a packet before them was \
                missing. Accepted were packets up to 47 ahead of a missing one: a flow takes a bitmap of as many bits, or 147 KB \
                to restore the order.";
    assert_eq!(with(ahead, 0), [said]);
    assert_eq!(with(ahead, 3), [said], "losses do not explain packets that were accepted early");
    let refused = RepeatTally { out_of_order: 30, refused: 30, ..RepeatTally::default() };
    let [said] = &with(refused, 0)[..] else { panic!("nothing is said") };
    assert!(
        said.ends_with(
            "was missing. 30 were refused; requesters sent 40 again, those behind them among them."
        ),
        "{said}"
    );
    assert!(with(refused, 3).is_empty() && with(RepeatTally::default(), 0).is_empty());
    let detours = |detours| about(&RunRecord { detours, ..sample::record() }, RemarkKind::Detours);
    let said = detours(Some(DetourTally { packets: 1000, detours: 250 }));
    assert_eq!(said, ["250 of 1,000 data packets that could take a detour (25.0 %) took one."]);
    assert!(detours(None).is_empty() && detours(Some(DetourTally::default())).is_empty());
}
