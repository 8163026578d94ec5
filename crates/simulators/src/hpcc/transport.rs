//! Keys of packets, windows, acknowledgements and failures.
//!
//! Invariant: a rule that is given with its source was read in that simulator's repository.

use std::collections::BTreeSet;

use packet::Mtu;
use topology::hpcc::HpccFabric;

use super::config::Config;
use super::window;
use interop::import::KeyFate;
use scenario::Diagnostic;

/// Highest `adapter.max_outstanding`: half of the PSN circle.
pub(super) const MOST_OUTSTANDING: u64 = 1 << 23;

/// Number of priorities of PFC.
const MOST_PRIORITIES: u8 = 8;

/// Returns the MTU that is nearest to the payload of a packet.
pub(super) fn mtu(config: &mut Config<'_>) -> Result<Mtu, Diagnostic> {
    let given = config.whole("PACKET_PAYLOAD_SIZE", 1000)?;
    let all = Mtu::ALL.into_iter().chain(Mtu::OF_ETHERNET);
    let off = |mtu: &Mtu| u32::from(mtu.bytes()).abs_diff(given);
    let nearest = all.min_by_key(off).expect("there are sizes");
    if off(&nearest) == 0 {
        config.note("PACKET_PAYLOAD_SIZE", KeyFate::Used, "`link.mtu`");
    } else {
        let what = format!("`link.mtu` of {} B, the nearest: packets have another length", nearest.bytes());
        config.note("PACKET_PAYLOAD_SIZE", KeyFate::Changed, what);
    }
    Ok(nearest)
}

/// Returns the most packets under way of a queue pair: the packets of a window. The last packet may exceed the window
/// (`rdma-queue-pair.cc`, `IsWinBound`).
pub(super) fn outstanding(config: &mut Config<'_>, fabric: &HpccFabric, mtu: Mtu) -> Result<u64, Diagnostic> {
    let payload = u64::from(mtu.bytes());
    let products = if config.flag("HAS_WIN", true)? { window::products(fabric, payload) } else { None };
    let Some((least, most)) = products else {
        config.note("HAS_WIN", KeyFate::Used, "no window");
        return Ok(MOST_OUTSTANDING);
    };
    let packets = |bytes: u64| bytes.div_ceil(payload).clamp(1, MOST_OUTSTANDING);
    let outstanding = packets(most);
    config.note(
        "HAS_WIN",
        KeyFate::Used,
        format!("`adapter.max_outstanding` of {outstanding}: {most} bytes"),
    );
    let global = config.flag("GLOBAL_T", true)?;
    if global || packets(least) == outstanding {
        config.note("GLOBAL_T", KeyFate::Used, "all pairs of hosts have one window");
    } else {
        let what =
            format!("every pair has the largest window, of {most} bytes; there they have {least} and more");
        config.note("GLOBAL_T", KeyFate::Changed, what);
    }
    if config.flag("VAR_WIN", false)? {
        config.note("VAR_WIN", KeyFate::Changed, "the window is fixed; there it shrinks with the rate");
    } else {
        config.note("VAR_WIN", KeyFate::Used, "the window is fixed");
    }
    Ok(outstanding)
}

/// Enters the keys of acknowledgements. Returns the service level of acknowledgements that precede data at switches: a
/// level that no flow has. In that simulator, the interval is a number of bytes, not of packets (`rdma-hw.cc`,
/// `ReceiverCheckSeq`). Once that number of a flow's bytes has arrived, each packet of the flow is acknowledged.
pub(super) fn acknowledgements(
    config: &mut Config<'_>,
    levels: &BTreeSet<u8>,
) -> Result<Option<u8>, Diagnostic> {
    let (fate, what) = match config.whole("L2_ACK_INTERVAL", 1)? {
        1 => (KeyFate::Used, "`adapter.ack_every: 1`"),
        0 => (KeyFate::Approximated, "`adapter.ack_every: 1`: there no flow would ever be complete"),
        _ => (
            KeyFate::Approximated,
            "`adapter.ack_every: 1`: there so many first bytes of a flow are not acknowledged",
        ),
    };
    config.note("L2_ACK_INTERVAL", fate, what);
    let free = (0..MOST_PRIORITIES).find(|level| !levels.contains(level));
    let (fate, what, level) = match (config.flag("ACK_HIGH_PRIO", false)?, free) {
        (true, Some(level)) => {
            let what = format!(
                "`adapter.ack_service_level: {level}`: a lane of strict priority without PFC, whose memory comes on top"
            );
            (KeyFate::Used, what, Some(level))
        }
        (true, None) => {
            let what = "acknowledgements wait in line with data at switches, since flows have all eight priorities; \
                        there they go before it";
            (KeyFate::Changed, what.to_owned(), None)
        }
        (false, _) => {
            let what = "acknowledgements go before data at adapters, and in line with it at switches";
            (KeyFate::Used, what.to_owned(), None)
        }
    };
    config.note("ACK_HIGH_PRIO", fate, what);
    Ok(level)
}

/// Enters the keys of links that lose packets, fail, or cannot pause.
pub(super) fn failures(config: &mut Config<'_>) -> Result<(), Diagnostic> {
    if config.flag("ERROR_RATE_PER_LINK", false)? {
        config.note("ERROR_RATE_PER_LINK", KeyFate::Changed, "wires lose nothing");
    } else {
        config.note("ERROR_RATE_PER_LINK", KeyFate::Used, "wires lose nothing");
    }
    if config.flag("PAUSE_TIME", true)? {
        config.note("PAUSE_TIME", KeyFate::Used, "a PAUSE holds until RESUME");
    } else {
        let what = "PFC pauses; there a PAUSE for no time resumes";
        config.note("PAUSE_TIME", KeyFate::Changed, what);
    }
    // Its first number is the time, in us after 2 s; 0 is never.
    let time = config.key("LINK_DOWN").and_then(|key| key.given.split_whitespace().next());
    if time.is_none_or(|time| time.parse() == Ok(0.0)) {
        config.note("LINK_DOWN", KeyFate::Used, "no link fails");
    } else {
        config.note("LINK_DOWN", KeyFate::Changed, "no link fails");
    }
    Ok(())
}
