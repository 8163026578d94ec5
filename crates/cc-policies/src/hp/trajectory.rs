//! Recovery after a decrease, as text, beside the results of the real-valued functions.
//!
//! Packets of 2 KiB, Rmax 1 GB/s, Rmin a 256th of Rmax, an acknowledgement for each packet, and always a packet to
//! send. A packet time at Rmin is 524.288 us. The real-valued numbers come from a simulation of the functions alone,
//! apart from this code, and are unchanged. Sources: FIMD, US 7,920,476, claims 2 and 3; LIPD, a summary of INFOCOM
//! 2003. AIMD's increase is derived.

use core::fmt::Write;

use packet::ServiceLevel;
use units::{Bytes, Span, Time};

use super::HpResponse;
use super::spec::{HpResponseSpec, RateControl, RpiAfterDecrease};
use crate::policy::{Acknowledgement, LimitedBy, Response, SentPacket};

/// Time of 2,048 bytes at 1 GB/s.
const PACKET: Span = Span::from_ns(2048);
const SHARES: [f64; 6] = [1.0, 0.5, 0.25, 0.1, 0.05, 0.02];

fn response(rate: RateControl) -> HpResponse {
    HpResponse::new(&HpResponseSpec {
        rate: Some(rate),
        rpi_after_decrease: RpiAfterDecrease::Reloaded,
        ..HpResponseSpec::NONE
    })
}

/// Returns the time in microseconds from a mark at this IPD until the IPD is back at its value before. Packets follow
/// each other without a pause.
fn recovery(response: &HpResponse, ipd: u8) -> f64 {
    let mut flow = response.at_rest(ServiceLevel(0));
    let mut number = 0;
    let mut ack = |flow: &mut _, marked| {
        response.on_sent(
            flow,
            SentPacket { limited_by: LimitedBy::Rate, length: Bytes::new(2074) },
            Time::ZERO,
        );
        let ack = Acknowledgement { psn: number, next: number + 1, packets: 1, marked };
        response.on_acknowledged(flow, ack, Time::ZERO);
        number += 1;
    };
    while response.ipd(&flow) < ipd {
        ack(&mut flow, true);
    }
    while response.ipd(&flow) > ipd {
        ack(&mut flow, false);
    }
    let start = response.ipd(&flow);
    ack(&mut flow, true);
    let mut passed = Span::ZERO;
    while response.ipd(&flow) > start {
        passed += PACKET + response.gap(&mut flow, PACKET, Time::ZERO);
        ack(&mut flow, false);
    }
    passed.seconds() * 1e6
}

#[test]
fn recovery_after_one_decrease() {
    let cases = [
        (
            "AIMD 2",
            RateControl::Aimd { max_ipd: 255, divisor: 2.0 },
            [67_109.6, 33_555.9, 16_780.1, 6_722.9, 3_392.7, 1_397.1],
        ),
        (
            "FIMD 2",
            RateControl::Fimd { max_ipd: 255, divisor: 2.0 },
            [525.7, 524.3, 525.8, 542.4, 529.4, 595.5],
        ),
        ("LIPD", RateControl::Lipd { max_ipd: 255 }, [526.1, 525.9, 532.4, 537.6, 546.2, 620.6]),
    ];
    let mut text =
        format!("{:<8} {:>5} {:>4} {:>10} {:>12}\n", "", "share", "IPD", "tables us", "functions us");
    for (name, rate, real) in cases {
        let response = response(rate);
        for (share, real) in SHARES.into_iter().zip(real) {
            let ipd = (1.0 / share).round() as u8 - 1;
            let quantised = recovery(&response, ipd);
            writeln!(text, "{name:<8} {share:>5} {ipd:>4} {quantised:>10.1} {real:>12.1}").expect("a String");
        }
    }
    insta::assert_snapshot!(text);
}
