//! Keys of a `config.txt` without effect on results, and the reason for each; and the keys that attributes of ns-3
//! stand for.
//!
//! Invariant: no key that may change an experiment stands among those without effect.

/// Attributes of ns-3 in configurations of ns-3-alibabacloud, and the keys that they stand for.
const ATTRIBUTES: [(&str, &str); 24] = [
    ("ns3::QbbNetDevice::QcnEnabled", "ENABLE_QCN"),
    ("ns3::QbbNetDevice::DynamicThreshold", "USE_DYNAMIC_PFC_THRESHOLD"),
    ("ns3::SwitchNode::PfcEnabled", "ENABLE_PFC"),
    ("ns3::RdmaHw::Mtu", "PACKET_PAYLOAD_SIZE"),
    ("ns3::RdmaHw::CcMode", "CC_MODE"),
    ("ns3::RdmaHw::RateAI", "RATE_AI"),
    ("ns3::RdmaHw::RateHAI", "RATE_HAI"),
    ("ns3::RdmaHw::MinRate", "MIN_RATE"),
    ("ns3::RdmaHw::L2ChunkSize", "L2_CHUNK_SIZE"),
    ("ns3::RdmaHw::L2AckInterval", "L2_ACK_INTERVAL"),
    ("ns3::RdmaHw::L2BackToZero", "L2_BACK_TO_ZERO"),
    ("ns3::RdmaHw::VarWin", "VAR_WIN"),
    ("ns3::RdmaHw::RateBound", "RATE_BOUND"),
    ("ns3::MellanoxDcqcn::AlphaResumInterval", "ALPHA_RESUME_INTERVAL"),
    ("ns3::MellanoxDcqcn::RateDecreaseInterval", "RATE_DECREASE_INTERVAL"),
    ("ns3::MellanoxDcqcn::ClampTargetRate", "CLAMP_TARGET_RATE"),
    ("ns3::MellanoxDcqcn::RPTimer", "RP_TIMER"),
    ("ns3::MellanoxDcqcn::EwmaGain", "EWMA_GAIN"),
    ("ns3::MellanoxDcqcn::FastRecoveryTimes", "FAST_RECOVERY_TIMES"),
    ("ns3::Dctcp::DctcpRateAI", "DCTCP_RATE_AI"),
    ("ns3::Hpcc::FastReact", "FAST_REACT"),
    ("ns3::Hpcc::TargetUtil", "U_TARGET"),
    ("ns3::Hpcc::MiThresh", "MI_THRESH"),
    ("ns3::Hpcc::MultiRate", "MULTI_RATE"),
];

/// Returns the key that an attribute of ns-3 stands for.
pub(super) fn of_attribute(name: &str) -> Option<&'static str> {
    ATTRIBUTES.iter().find(|(attribute, _)| *attribute == name).map(|(_, key)| *key)
}

/// Returns true for a key of DCQCN alone.
pub(super) fn is_of_dcqcn(key: &str) -> bool {
    const KEYS: [&str; 17] = [
        "CNP_INTERVAL",
        "NP_SAMPLING_INTERVAL",
        "CLAMP_TARGET_RATE_AFTER_TIMER",
        "BYTE_COUNTER",
        "DCTCP_GAIN",
        "KMIN",
        "KMAX",
        "PMAX",
        "ALPHA_RESUME_INTERVAL",
        "RATE_DECREASE_INTERVAL",
        "CLAMP_TARGET_RATE",
        "RP_TIMER",
        "EWMA_GAIN",
        "FAST_RECOVERY_TIMES",
        "RATE_AI",
        "RATE_HAI",
        "MIN_RATE",
    ];
    KEYS.contains(&key) || key.ends_with("_MAP")
}

const OF_HPCC: &str = "it is HPCC's";
const OF_SINGLE_PACKETS: &str = "single packets are not traced";
const OUTPUT: &str = "outputs have names of their own: see docs/outputs.md";
const LOSSES: &str = "it counts after losses only, and nothing is lost";

const MONITOR: &str = "series are the scenario's `watch` and `series`";
const OF_CONWEAVE: &str = "it is `ConWeave`'s, and `LB_MODE` is another";
const OF_REAL_DCQCN: &str = "it is that of another scheme, `CcMode` 13";

/// Keys without effect, and the reason.
pub(super) const UNUSED: [(&str, &str); 66] = [
    ("TRACE_FILE", OF_SINGLE_PACKETS),
    ("TRACE_OUTPUT_FILE", OF_SINGLE_PACKETS),
    ("ENABLE_TRACE", OF_SINGLE_PACKETS),
    ("FCT_OUTPUT_FILE", "`sim --fct-txt` writes `fct.txt`"),
    ("PFC_OUTPUT_FILE", OUTPUT),
    ("QLEN_MON_FILE", OUTPUT),
    ("QLEN_MON_START", OUTPUT),
    ("QLEN_MON_END", OUTPUT),
    ("DATA_RATE", "links have the rates of the topology"),
    ("LINK_DELAY", "links have the delays of the topology"),
    ("USE_DYNAMIC_PFC_THRESHOLD", "it has no effect in that simulator: thresholds are always dynamic"),
    ("DCTCP_RATE_AI", "it is DCTCP's"),
    ("L2_CHUNK_SIZE", LOSSES),
    ("L2_BACK_TO_ZERO", LOSSES),
    ("U_TARGET", OF_HPCC),
    ("MI_THRESH", OF_HPCC),
    ("INT_MULTI", OF_HPCC),
    ("MULTI_RATE", OF_HPCC),
    ("FAST_REACT", OF_HPCC),
    ("SAMPLE_FEEDBACK", OF_HPCC),
    ("PINT_LOG_BASE", OF_HPCC),
    ("PINT_PROB", OF_HPCC),
    ("GLOBAL_T", "without a window it has no effect"),
    ("VAR_WIN", "without a window it has no effect"),
    ("ns3::Hpcc::SampleFeedback", OF_HPCC),
    ("ns3::HpccPint::PintProb", OF_HPCC),
    ("BW_MON_FILE", OUTPUT),
    ("RATE_MON_FILE", OUTPUT),
    ("CNP_MON_FILE", OUTPUT),
    ("SEND_OUTPUT_FILE", OUTPUT),
    ("MON_START", MONITOR),
    ("MON_END", MONITOR),
    ("QP_MON_INTERVAL", MONITOR),
    ("QLEN_MON_INTERVAL", MONITOR),
    ("BW_MON_INTERVAL", MONITOR),
    ("SW_MONITORING_INTERVAL", MONITOR),
    ("TRACE_NODE", OF_SINGLE_PACKETS),
    ("FLOW_INPUT_FILE", OUTPUT),
    ("CNP_OUTPUT_FILE", OUTPUT),
    ("VOQ_MON_FILE", OUTPUT),
    ("VOQ_MON_DETAIL_FILE", OUTPUT),
    ("UPLINK_MON_FILE", OUTPUT),
    ("CONN_MON_FILE", OUTPUT),
    ("EST_ERROR_MON_FILE", OUTPUT),
    ("FLOWGEN_START_TIME", "flows have the starts of their list"),
    ("FLOWGEN_STOP_TIME", "flows have the starts of their list"),
    ("LOAD", "a remark: flows are those of the list"),
    ("RANDOM_SEED", "`seed` is the scenario's own"),
    ("CONWEAVE_TX_EXPIRY_TIME", OF_CONWEAVE),
    ("CONWEAVE_REPLY_TIMEOUT_EXTRA", OF_CONWEAVE),
    ("CONWEAVE_PATH_PAUSE_TIME", OF_CONWEAVE),
    ("CONWEAVE_EXTRA_VOQ_FLUSH_TIME", OF_CONWEAVE),
    ("CONWEAVE_DEFAULT_VOQ_WAITING_TIME", OF_CONWEAVE),
    ("ns3::RealDcqcn::EwmaGain", OF_REAL_DCQCN),
    ("ns3::RealDcqcn::F", OF_REAL_DCQCN),
    ("ns3::RealDcqcn::RateUpdateDelay", OF_REAL_DCQCN),
    ("ns3::RealDcqcn::AlphaUpdateDelay", OF_REAL_DCQCN),
    ("ns3::RealDcqcn::BytesThreshold", OF_REAL_DCQCN),
    ("ns3::RealDcqcn::Clamp", OF_REAL_DCQCN),
    ("ns3::RdmaHw::NACKGenerationInterval", LOSSES),
    ("ns3::RdmaHw::GPUsPerServer", "servers are not told apart: their NVSwitches are left out"),
    ("ns3::IbvInterface::PollTimeInterval", "it is that of collectives, not of lists of flows"),
    ("ns3::IbvInterface::SendLatency", "it is that of collectives, not of lists of flows"),
    ("APP_START_TIME", "sinks receive from then on, before any flow"),
    ("APP_STOP_TIME", "sinks receive until then"),
    ("L2_TEST_READ", LOSSES),
];
