//! The reaction point over time, as text.
//!
//! A sender with 1 KiB packets on a 40 Gb/s link is always busy. It receives three CNPs, 100 us apart, then none. The
//! text has a line for each CNP, and for each packet with another rate than the packet before.

use core::fmt::Write;

use packet::ServiceLevel;
use units::{Bytes, Rate, Span, Time};

use super::spec::{CnpOrder, DcqcnResponseSpec, Preset};
use super::{DcqcnResponse, DcqcnState};
use crate::policy::{FlowRate, LimitedBy, Notification, Response, SentPacket};

const CNP: Notification = Notification { psn: None, next: 0 };
const PACKET: Bytes = Bytes::new(1050);

fn trajectory(settings: &DcqcnResponseSpec, until: Span) -> String {
    let line = Rate::gbps(40);
    let response = DcqcnResponse::new(settings, line);
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut cnps = [50, 150, 250].map(|us| Span::from_us(us).after_start()).into_iter().peekable();
    let (mut now, mut shown) = (Time::ZERO, line);
    let mut text = format!("{:>11}  {:<6} {:>9} {:>9}   alpha\n", "us", "", "R_C Mb/s", "R_T Mb/s");
    let mut show = |event: &str, flow: &DcqcnState, now: Time| {
        let FlowRate { current, target, alpha } = response.flow_rate(flow, now).expect("a rate");
        if event == "packet" && current == shown {
            return;
        }
        shown = current;
        let us = now.ps() as f64 / 1e6;
        let mbps = |rate: Rate| rate.get() as f64 / 1e6;
        writeln!(text, "{us:>11.3}  {event:<6} {:>9.3} {:>9.3} {alpha:>7.4}", mbps(current), mbps(target))
            .expect("writing to a String");
    };
    while now < until.after_start() {
        while let Some(at) = cnps.next_if(|&at| at <= now) {
            response.on_notification(&mut flow, CNP, at);
            show("CNP", &flow, at);
        }
        response.on_sent(&mut flow, SentPacket { limited_by: LimitedBy::Rate, length: PACKET }, now);
        show("packet", &flow, now);
        let packet = line.time_for(PACKET);
        now += packet + response.gap(&mut flow, packet, now);
    }
    text
}

#[test]
fn recommended() {
    let settings = DcqcnResponseSpec::preset(Preset::Recommended);
    insta::assert_snapshot!(trajectory(&settings, Span::from_us(1200)));
}

/// The byte counter is faster than the timer here.
#[test]
fn strawman() {
    let settings = DcqcnResponseSpec::preset(Preset::Strawman);
    insta::assert_snapshot!(trajectory(&settings, Span::from_us(1200)));
}

#[test]
fn as_the_authors_simulator() {
    let settings = DcqcnResponseSpec {
        initial_alpha: 0.5,
        order: CnpOrder::AlphaFirst,
        clamp_target: false,
        fast_recovery: 4,
        ..DcqcnResponseSpec::preset(Preset::Recommended)
    };
    insta::assert_snapshot!(trajectory(&settings, Span::from_us(1200)));
}
