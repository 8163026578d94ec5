//! The response over time, as text.
//!
//! A sender with 2 KiB packets on a 16 Gb/s link is always busy. It receives five BECNs, 5 us apart, then none. The
//! text has a line for each BECN, and for each packet with another index than the packet before.

use core::fmt::Write;

use packet::ServiceLevel;
use units::{Bytes, Rate, Span, Time};

use super::IbaResponse;
use super::spec::{CctSpec, IbaResponseSpec, PortControl, TimerStart};
use crate::policy::{Notification, Response};

const CNP: Notification = Notification { psn: None, next: 0 };

/// `CCTI_Timer` 10 (10.24 us), `CCTI_Increase` 2, and the table 0:0, 0:1, ... 0:127.
fn settings(timer_start: TimerStart) -> IbaResponseSpec {
    IbaResponseSpec {
        port_control: PortControl::QueuePair,
        cct: CctSpec::Linear { entries: 128, shift: 0, step: 1 },
        ccti_limit: 127,
        ccti_increase: 2,
        ccti_min: 0,
        ccti_timer: 10,
        trigger_threshold: 5,
        timer_start,
        service_levels: vec![],
    }
}

fn line(text: &mut String, now: Time, event: &str, index: u16, gap: Span, packet: Span) {
    let share = packet.seconds() / (packet + gap).seconds();
    let ns = |span: Span| span.ps() as f64 / 1e3;
    writeln!(
        text,
        "{:>10.1} ns  {event:<14} {index:>3} {:>9.1} ns {share:>6.3}",
        ns(now.since_start()),
        ns(gap)
    )
    .expect("writing to a String");
}

fn trajectory(settings: &IbaResponseSpec) -> String {
    let response = IbaResponse::new(settings);
    let packet = Rate::gbps(16).time_for(Bytes::new(2048 + 26));
    let becns = [3u64, 8, 13, 18, 23].map(|us| Span::from_us(us).after_start());
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut text = format!("{:>13}  {:<14} {:>3} {:>12} {:>6}\n", "time", "event", "idx", "gap", "share");
    let mut becns = becns.into_iter().peekable();
    let (mut now, mut shown) = (Time::ZERO, None);
    while now < Span::from_us(120).after_start() {
        while let Some(at) = becns.next_if(|&at| at <= now) {
            let reaction = response.on_notification(&mut flow, CNP, at);
            let event = if reaction.reached_trigger { "BECN, trigger" } else { "BECN" };
            let index = response.index(&flow, at);
            line(&mut text, at, event, index, response.gap(&mut flow, packet, at), packet);
        }
        let gap = response.gap(&mut flow, packet, now);
        let index = response.index(&flow, now);
        if shown.replace(index) != Some(index) {
            line(&mut text, now, "packet", index, gap, packet);
        }
        now += packet + gap;
    }
    text
}

#[test]
fn free_running() {
    insta::assert_snapshot!(trajectory(&settings(TimerStart::FreeRunning)));
}

#[test]
fn first_becn() {
    insta::assert_snapshot!(trajectory(&settings(TimerStart::FirstBecn)));
}

#[test]
fn each_becn() {
    insta::assert_snapshot!(trajectory(&settings(TimerStart::EachBecn)));
}

/// A floor, a low ceiling, and a table that grows with the square of the index.
#[test]
fn between_floor_and_ceiling() {
    let table = (0..=6u16).map(|i| (2, i * i)).collect();
    let narrow = IbaResponseSpec {
        cct: CctSpec::Entries(table),
        ccti_limit: 6,
        ccti_min: 1,
        ..settings(TimerStart::FirstBecn)
    };
    insta::assert_snapshot!(trajectory(&narrow));
}
