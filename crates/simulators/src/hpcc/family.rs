//! The simulators that read such configurations, and the keys that only some of them have.
//!
//! Invariant: a key that changes an experiment in any of them is never passed over as unknown.

use super::FileReader;
use super::config::Config;
use interop::import::KeyFate;
use interop::import::source::decimal;
use scenario::Diagnostic;

/// A simulator with rules of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// HPCC's simulator and those that keep its rules: `ConWeave`, ns3-datacenter, `SimAI`, ns-3-alibabacloud.
    Hpcc,
    /// DCQCN's simulator, from which HPCC's was made.
    Ns3Rdma,
}

impl Family {
    /// Returns the simulator of a configuration, by keys that no other simulator has.
    pub(super) fn of(config: &Config<'_>) -> Self {
        let own = ["KMIN", "KMAX", "PMAX", "CNP_INTERVAL", "BYTE_COUNTER", "DCTCP_GAIN", "TCP_FLOW_FILE"];
        if config.has(&own) && !config.has(&["CC_MODE", "KMIN_MAP", "KMAX_MAP"]) {
            Self::Ns3Rdma
        } else {
            Self::Hpcc
        }
    }

    /// Returns the routing as a field, and as words of the account. ns3-rdma takes the first of several paths unless
    /// its configuration asks for a hash.
    pub(super) fn routing(self, config: &mut Config<'_>) -> Result<(&'static str, &'static str), Diagnostic> {
        let hashed = ("Ecmp", "`routing: Ecmp`: hashed paths, by another hash");
        if self == Self::Hpcc {
            return Ok(hashed);
        }
        if config.flag("PACKET_LEVEL_ECMP", false)? {
            config.note(
                "PACKET_LEVEL_ECMP",
                KeyFate::Changed,
                "paths are hashed by flow, not drawn by packet",
            );
            return Ok(hashed);
        }
        config.note("PACKET_LEVEL_ECMP", KeyFate::Used, "no path is drawn by packet");
        if config.flag("FLOW_LEVEL_ECMP", false)? {
            config.note("FLOW_LEVEL_ECMP", KeyFate::Used, hashed.1);
            return Ok(hashed);
        }
        let what = "`routing: MinHop`: one path to a host; there the first that routing finds";
        config.note("FLOW_LEVEL_ECMP", KeyFate::Approximated, what);
        Ok(("MinHop", "`routing: MinHop`: one path to a host"))
    }

    /// Enters keys that only some of the simulators have and that change an experiment.
    pub(super) fn settle(self, config: &mut Config<'_>) -> Result<(), Diagnostic> {
        let kept = |on: bool| if on { KeyFate::Used } else { KeyFate::Changed };
        let pfc = config.flag("ENABLE_PFC", true)?;
        let what = if pfc { "PFC pauses" } else { "PFC pauses; there packets are dropped" };
        config.note("ENABLE_PFC", kept(pfc), what);
        let irn = config.flag("ENABLE_IRN", false)?;
        let what = if irn {
            "nothing is lost, and nothing is sent again selectively"
        } else {
            "no selective repeat"
        };
        config.note("ENABLE_IRN", kept(!irn), what);
        let balanced = config.whole("LB_MODE", 0)?;
        let what = if balanced == 0 {
            "paths by a hash of each flow"
        } else {
            "paths by a hash of each flow; there by another rule"
        };
        config.note("LB_MODE", kept(balanced == 0), what);
        for (key, what) in [
            ("SEND_IN_CHUNKS", "messages are not cut in chunks that wait for an answer"),
            ("L2_WAIT_FOR_ACK", "no message waits for an acknowledgement"),
        ] {
            let on = config.flag(key, false)?;
            config.note(key, kept(!on), what);
        }
        for (key, what) in [
            ("FIXED_WIN", "windows are bandwidth-delay products"),
            ("BASE_RTT", "windows are bandwidth-delay products"),
            ("MAX_RATE", "a source's rate is at most its link's"),
        ] {
            if config.has(&[key]) {
                config.note(key, KeyFate::Changed, what);
            }
        }
        if let Some(method) = config.key("ns3::RdmaHw::NicCoalesceMethod") {
            let own = method.given == "PER_QP";
            config.note(
                "ns3::RdmaHw::NicCoalesceMethod",
                kept(own),
                "notifications are those of each queue pair",
            );
        }
        if self == Self::Ns3Rdma {
            let acks = config.flag("L2_ACK_INTERVAL", false)?;
            let what =
                if acks { "`transport: Uc`: no acknowledgement takes bandwidth" } else { "`transport: Uc`" };
            config.note("L2_ACK_INTERVAL", if acks { KeyFate::Approximated } else { KeyFate::Used }, what);
        }
        Ok(())
    }
}

/// Enters the list of TCP flows, which ns3-rdma may have.
pub(super) fn note_tcp_flows(config: &mut Config<'_>, files: FileReader<'_>) {
    let Some(key) = config.key("TCP_FLOW_FILE") else { return };
    let text = files(key.given);
    let count = text.as_ref().and_then(|text| text.split_whitespace().next().and_then(decimal::<u64>));
    let (fate, what) = match count {
        Some(0) => (KeyFate::NotUsed, "it has no flows".to_owned()),
        Some(count) => {
            (KeyFate::Changed, format!("its {count} flows are TCP's, which is not modelled: left out"))
        }
        None => (
            KeyFate::Changed,
            "its flows, if it is there, are TCP's, which is not modelled: left out".to_owned(),
        ),
    };
    config.note("TCP_FLOW_FILE", fate, what);
}
