//! What the reaction point does over time, as text.
//!
//! A sender with 1 KiB packets on a 40 Gb/s link is always busy. It hears three CNPs, 100 us apart, then nothing. A
//! line for each CNP, and for each packet at which the rate is not that of the packet before.

use core::fmt::Write;

use packet::ServiceLevel;
use units::{Bytes, Rate, Span, Time};

use super::spec::{CnpOrder, DcqcnResponse, Preset};
use super::{DcqcnSource, DcqcnState};
use crate::policy::{FlowRate, LimitedBy, Notified, Response, Sent};

const CNP: Notified = Notified { psn: None, next: 0 };
const PACKET: Bytes = Bytes::new(1050);

fn trajectory(settings: &DcqcnResponse, until: Span) -> String {
    let line = Rate::gbps(40);
    let source = DcqcnSource::new(settings, line);
    let mut flow = source.at_rest(ServiceLevel(0));
    let mut cnps = [50, 150, 250].map(|us| Span::from_us(us).after_start()).into_iter().peekable();
    let (mut now, mut shown) = (Time::ZERO, line);
    let mut text = format!("{:>11}  {:<6} {:>9} {:>9}   alpha\n", "us", "", "R_C Mb/s", "R_T Mb/s");
    let mut show = |event: &str, flow: &DcqcnState, now: Time| {
        let FlowRate { current, target, alpha } = source.flow_rate(flow, now).expect("a rate");
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
            source.on_notification(&mut flow, CNP, at);
            show("CNP", &flow, at);
        }
        source.on_sent(&mut flow, Sent { limited_by: LimitedBy::Rate, length: PACKET }, now);
        show("packet", &flow, now);
        let packet = line.time_for(PACKET);
        now += packet + source.gap(&mut flow, packet, now);
    }
    text
}

#[test]
fn recommended() {
    let settings = DcqcnResponse::preset(Preset::Recommended);
    insta::assert_snapshot!(trajectory(&settings, Span::from_us(1200)));
}

/// Here the byte counter is the faster of the two.
#[test]
fn strawman() {
    let settings = DcqcnResponse::preset(Preset::Strawman);
    insta::assert_snapshot!(trajectory(&settings, Span::from_us(1200)));
}

#[test]
fn as_the_authors_simulator() {
    let settings = DcqcnResponse {
        initial_alpha: 0.5,
        order: CnpOrder::AlphaFirst,
        clamp_target: false,
        fast_recovery: 4,
        ..DcqcnResponse::preset(Preset::Recommended)
    };
    insta::assert_snapshot!(trajectory(&settings, Span::from_us(1200)));
}
