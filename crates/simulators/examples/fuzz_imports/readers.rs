//! The readers of imported files, each with small files to begin with.
//!
//! Invariant: every reader accepts the files that it begins with, and every format and dialect has a file.

use std::io::Cursor;
use std::sync::OnceLock;

use interop::export::addresses::Addresses;
use interop::import::infiniband::forwarding::without_descriptions;
use interop::import::infiniband::{self, ClusterFiles, ClusterOptions};
use interop::import::text::GivenText;
use interop::import::{ImportedScenario, ImportedSettings, SourceText, lldp, mlx5, opensm, sonic};
use scenario::{Diagnostic, Plan, Scenario, ScenarioText};
use simulators::{hpcc, htsim};

use crate::change::Seeds;
use crate::jobs;
use crate::outcomes::{Outcome, imported, of_account};

pub(crate) struct Reader {
    pub(crate) name: &'static str,
    pub(crate) read: fn(&str) -> Outcome,
    pub(crate) seeds: Seeds,
}

/// Two switches with a cable between them, a host at the first and two at the other: `ibnetdiscover`.
const CLUSTER: &str = "vendid=0x2c9\nswitchguid=0x100(100)\nSwitch\t8 \"S-100\"\t# \"a\" base port 0 lid 1 lmc 0\n\
    [1]\t\"H-200\"[1](201)\t# \"x\" lid 3 4xEDR\n[8]\t\"S-110\"[7]\t# \"b\" lid 2 4xHDR\n\n\
    switchguid=0x110(110)\nSwitch\t8 \"S-110\"\t# \"b\" base port 0 lid 2 lmc 0\n[1]\t\"H-210\"[1](211)\t# \"y\" lid 4 4xEDR\n\
    [2]\t\"H-210\"[2](212)\t# \"y\" lid 5 1xFDR\n[7]\t\"S-100\"[8]\t# \"a\" lid 1 4xHDR\n\n\
    caguid=0x210\nCa\t2 \"H-210\"\t# \"y\"\n[1](211)\t\"S-110\"[1]\t# lid 4 lmc 0 \"b\" lid 2 4xEDR\n\
    [2](212)\t\"S-110\"[2]\t# lid 5 lmc 0 \"b\" lid 2 1xFDR\n\n\
    caguid=0x200\nCa\t1 \"H-200\"\t# \"x\"\n[1](201)\t\"S-100\"[1]\t# lid 3 lmc 0 \"a\" lid 1 4xEDR\n";
/// Two switches with two cables between them, and their groups of adaptive routing.
const TWO_SWITCHES: &str = include_str!("../../../../fixtures/import/two-switches.net");
const GROUPS: &str = include_str!("../../../../fixtures/import/two-switches.far");
const MANAGER: &str = include_str!("../../../../fixtures/import/ar_mgr.conf");
const ARS: &str = include_str!("../../../../fixtures/import/ars_config_db.json");
/// The same of a single switch, as `ibnetdiscover -g` prints a chassis, with a router.
const GROUPED: &str = "Chassis 1\nSpine Nodes\nswitchguid=0x100(100)\nSwitch\t4 \"S-100\"\t# \"a\" base port 0 lid 1 lmc 1\n\
    [1][ext 7]\t\"H-200\"[1](201)\t# \"x\" lid 3 4xEDR\n[2]\t\"H-210\"[1](211)\t# \"y*\" lid 4 4xEDR\n\
    [3]\t\"R-300\"[1]\t# \"r\" lid 9 4xEDR\nNon-Chassis Nodes\nCa\t1 \"H-200\"\t# \"x\"\n[1](201)\t\"S-100\"[1]\t# lid 3 lmc 0 \"a\" lid 1 4xEDR\n\
    Ca\t1 \"H-210\"\t# \"y*\"\n[1](211)\t\"S-100\"[2]\t# lid 4 lmc 0 \"a\" lid 1 4xEDR\n\
    Rt\t1 \"R-300\"\t# \"r\"\n[1]\t\"S-100\"[3]\t# lid 9 lmc 0 \"a\" lid 1 4xEDR\n";
/// A net file of ibsim. Its cables have a single end.
const IBSIM: &str = "Switch 8 \"A\"\n[1] \"h1\"[1]\n[2] \"h2\"[1] s=4xHDR\n[8] \"B\"[8]\n\nSwitch 8 \"B\"\n[1] \"h3\"[1]\n\n\
    Hca 1 \"h1\"\nHca 1 \"h2\"\nHca 2 \"h3\"\n";
const PORTS: &str = "CA 3 1 0x201 4x EDR - SW 1 1 0x100 ( 'a' - 'b' )\nSW 1 1 0x100 4x EDR - CA 3 1 0x201 ( 'b' - 'a' )\n\
    CA 4 1 0x211 4x HDR - SW 1 2 0x100 ( 'c' - 'b' )\nSW 1 3 0x100 4x SDR 'b'\n";
/// A switch with two hosts, for tables by port.
const STAR: &str = "switchguid=0x100(100)\nSwitch\t8 \"S-100\"\t# \"a\" base port 0 lid 1 lmc 0\n[1]\t\"H-200\"[1](201)\t# \"x\" lid 3 4xEDR\n\
    [8]\t\"H-210\"[1](211)\t# \"y\" lid 4 4xEDR\n\ncaguid=0x200\nCa\t1 \"H-200\"\t# \"x\"\n[1](201)\t\"S-100\"[1]\t# lid 3 lmc 0 \"a\" lid 1 4xEDR\n\n\
    caguid=0x210\nCa\t1 \"H-210\"\t# \"y\"\n[1](211)\t\"S-100\"[8]\t# lid 4 lmc 0 \"a\" lid 1 4xEDR\n";
/// Lanes of its ports, which differ by input and output.
const SL2VL: &str = "Switch 0x100, base LID 1, \"a\"\n#in out : 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n\
    1 8 : 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3\n8 1 : 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 15\n1 1 : 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1\n\
    8 8 : 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1\n0 8 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n\n\
    Channel Adapter 0x201, base LID 3, \"x\"\n0 1 : 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3\n\
    Channel Adapter 0x211, base LID 4, \"y\"\n0 1 : 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3\n";
/// The star as ibdiagnet writes it, with all sections that are read.
const DATABASE: &str = "# made by IBDIAG\nSTART_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"a\",8,2,0x100\n\"x, y\",1,1,0x200\ny,1,1,0x210\nEND_NODES\n\n\
    START_PORTS\nNodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkSpeedActv,LMC,VLHighLimit,NMTU\n0x100,0x100,0,1,0,0,0,0,0\n\
    0x100,0x100,1,0,2,512,0,4,5\n0x100,0x100,8,0,2,1024,0,0,4\n0x200,0x201,1,3,2,512,0,0,5\n0x210,0x211,1,4,2,1024,0,N/A,4\nEND_PORTS\n\
    START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x100,1,0x200,1\n0x210,1,0x100,8\nEND_LINKS\n\
    START_CABLE_INFO\nNodeGuid,PortNum,LengthDesc\n0x100,1,\"3 m\"\n0x100,8,N/A\nEND_CABLE_INFO\n\
    START_VL_ARBITRATION_TABLE\nNodeGUID,PortNum,Priority,VL,Weight\n0x100,1,Low,0,4\n0x100,1,High,1,4\n0x100,8,Low,0,64\n\
    0x200,1,Low,0,4\n0x210,1,Low,0,255\nEND_VL_ARBITRATION_TABLE\n\
    START_PM_INFO\nNodeGUID,PortNumber,PortXmitWait\n0x100,1,7\n0x200,1,0x9\nEND_PM_INFO\n\
    START_CC_HCA_GENERAL_SETTINGS\nNodeGUID,en_react\n0x200,0\n0x210,0\nEND_CC_HCA_GENERAL_SETTINGS\n";
const MLX5: &str = "clamp_tgt_rate 0\nclamp_tgt_rate_after_time_inc 1\nrpg_time_reset 300\nrpg_byte_reset 32767\nrpg_threshold 1\n\
    rpg_max_rate 0\nrpg_ai_rate 5\nrpg_hai_rate 50\nrpg_gd 11\nrpg_min_dec_fac 50\nrpg_min_rate 1\nrate_to_set_on_first_cnp 0\n\
    dce_tcp_g 1019\ndce_tcp_rtt 1\nrate_reduce_monitor_period 4\ninitial_alpha_value 1023\nmin_time_between_cnps 4\n\
    cnp_dscp 48\ncnp_802p_prio 6\n";
/// The same parameters by other names of theirs.
const FIRMWARE: &str = "/sys/class/net/eth0/ecn/roce_rp/rpg_threshold:5\nRPG_AI_RATE_P1   5\nDCE_TCP_G_P1 = 1019\n# note\n\
    MIN_TIME_BETWEEN_CNPS_P1 0\nrpg_byte_reset=0\n";
/// An adapter with two ports, as the firmware's tool prints and sets it.
const QUERY: &str = "Device #1:\n----------\nDevice type:    ConnectX6DX\n\
    Configurations:   Default   Current   Next Boot\n\
    *       RPG_AI_RATE_P1   5   5   6\n        RPG_AI_RATE_P2   5   5   5\n\
    CLAMP_TGT_RATE_P1   False(0)   True(1)   True(1)\n\
    RO      PCI_OWNER   Array[0..15]   Array[0..15]   Array[0..15]\n        ROCE_CC_PRIO_MASK_P1   255   255   255\n\
    The '*' shows parameters with next value different from default/current value.\n";
const SET: &str = "sudo mlxconfig -d d -y set RPG_TIME_RESET_P1=0x12c \\\n  RPG_BYTE_RESET_P1=32767 NUM_OF_VFS=8\n\
    echo 4 > /sys/class/net/e/ecn/roce_np/min_time_between_cnps\n/sys/class/net/e/ecn/roce_rp/enable/3:1\n";
const VENDOR: &str = "mlnx_congestion_control 1\nrouting_engine minhop\nar_mode 0\n\
    ar_sl_mask 0xFFFF\nqos TRUE\nmax_op_vls 3\n\
    max_op_vls_sw 0\nmax_neighbor_mtu 4\nqos_sw2sw_sl2vl (null)\nqos_sw2sw_high_limit -1\nqos_swe_sl2vl 0,1\n\
    congestion_control_policy_file (null)\n\
    ppcc_algo_dir /etc/opensm\nforce_link_speed_ext 31\nshield_mode 3\ncc_key_enable 0\n";
const OPENSM: &str = "qos TRUE\nqos_max_vls 4\nqos_high_limit 4\nqos_vlarb_high 0:64,1:0\nqos_vlarb_low (null)\nqos_sl2vl 0,1,2,15\n\
    qos_swe_sl2vl 0,1,2,3\nqos_ca_vlarb_low 0:1,1:2\nmax_op_vls 5\ncongestion_control TRUE\n\
    cc_sw_cong_setting_control_map 0x1f\ncc_sw_cong_setting_victim_mask 0x1ffffffffe\ncc_sw_cong_setting_credit_mask 0x0\n\
    cc_sw_cong_setting_threshold 0x0b\ncc_sw_cong_setting_packet_size 1\ncc_sw_cong_setting_credit_starvation_threshold 0x00\n\
    cc_sw_cong_setting_credit_starvation_return_delay 0:0\ncc_sw_cong_setting_marking_rate 0x000f\n\
    cc_ca_cong_setting_port_control 0x0001\ncc_ca_cong_setting_control_map 0x0003\ncc_ca_cong_setting_ccti_timer 0 300\n\
    cc_ca_cong_setting_ccti_increase 0 2\ncc_ca_cong_setting_trigger_threshold 0 3\ncc_ca_cong_setting_ccti_min 0 1\n\
    cc_ca_cong_setting_ccti_timer 1 150\ncc_cct 0:0,0:1,1:4,3:16383\nlog_file /var/log/opensm.log\n";
const COMMANDS: &str = "ibccconfig SwitchCongestionSetting 1 0x1f 0x1fe 0x0 0xb 1 0 0:0 15\n\
    ibccconfig SwitchCongestionSetting 2 0x1f 0x0e 0x0 0xb 1 0 0:0 15\n\
    ibccconfig -C mlx4_0 CACongestionSetting 3 1 0x1 300 2 3 1\nibccconfig CACongestionSetting 3 1 0x2 150 1 0 0\n\
    ibccconfig CongestionControlTable 3 4 0 0:0 0:1 0:2 1:4 3:16383\n\
    ibccconfig SwitchPortCongestionSetting 1 3 1 0 2 8 7\nibccconfig SP 1 4 0 1 2 8 7\nibccconfig CK 1 0x7 1 15 0\n";
const SONIC: &str = r#"{"PORT":{"Ethernet0":{"speed":"100000"},"Ethernet4":{"speed":"400000"}},
"WRED_PROFILE":{"A":{"ecn":"ecn_all","green_min_threshold":"1000000","green_max_threshold":"2000000","green_drop_probability":"5"}},
"QUEUE":{"Ethernet0|3":{"wred_profile":"A"},"Ethernet4|3-4":{"wred_profile":"[WRED_PROFILE|A]"}},
"BUFFER_POOL":{"i":{"size":"10000000","type":"ingress","mode":"dynamic","xoff":"4000000"}},
"BUFFER_PROFILE":{"p":{"xon":"18432","xoff":"160000","xon_offset":"2496","size":"18432","dynamic_th":"-1","pool":"i"}},
"BUFFER_PG":{"Ethernet0|3":{"profile":"p"},"Ethernet4|3-4":{"profile":"p"}},
"PORT_QOS_MAP":{"Ethernet0":{"pfc_enable":"3"},"Ethernet4":{"pfc_enable":"3,4"}},
"CABLE_LENGTH":{"AZURE":{"Ethernet0":"5m"}},
"PFC_WD":{"Ethernet0":{"action":"drop","detection_time":"200","restoration_time":"200"}}}"#;
/// The same tables with flat keys, and as a dump.
const SONIC_FLAT: &str = r#"{"PORT|Ethernet0":{"speed":"100000"},"BUFFER_POOL|i":{"size":"10000000"},
"BUFFER_POOL_TABLE:ingress_lossless_pool":{"type":"hash","ttl":-0.001,"value":{"size":"10000000","mode":"dynamic"}},
"BUFFER_PROFILE|pg_lossless_100000_5m_profile":{"xon":"18432","xoff":"160000","size":"18432","dynamic_th":"-1","pool":"i"},
"CABLE_LENGTH|AZURE":{"Ethernet0":"5m","Ethernet4":"40m"},"PORT_QOS_MAP|Ethernet0":{"pfc_enable":"3,4"},
"QUEUE|Ethernet0,Ethernet4|3-4":{"wred_profile":"A","scheduler":"s"},"SCHEDULER|s":{"type":"DWRR","weight":"15"},
"WRED_PROFILE|A":{"ecn":"ecn_all","green_min_threshold":"1000000","green_max_threshold":"2000000"}}"#;
const SONIC_STEPS: &str = r#"[{"BUFFER_POOL_TABLE:i":{"size":"10000000"},"OP":"SET"},{"BUFFER_PG_TABLE:Ethernet0:3-4":{"profile":"[BUFFER_PROFILE_TABLE:p]"},"OP":"SET"},
{"BUFFER_PROFILE_TABLE:p":{"xoff":"160000","size":"18432","static_th":"1","pool":"[BUFFER_POOL_TABLE:i]"},"OP":"SET"}]"#;
const SONIC_SHOWN: &str = "sw:~$ show buffer information\nLossless traffic pattern:\n------  -\ndefault_dynamic_th  0\n------  -\n\nPool: ingress_lossless_pool\n\
    ----  ----\nmode  dynamic\nsize  10000000\n----  ----\n\nProfile: pg_lossless_100000_5m_profile\n----  ----\nxoff  160000\nxon  18432\nsize  18432\n\
    dynamic_th  0\n----  ----\nTotal profiles: 1\n";
const SONIC_ROWS: &str =
    "# PG lossless profiles.\n100000 5m 18432 18432 160000 0 2496\n100000 40m 18432 18432 160000 -1\n";
/// A configuration that needs such rows.
const SONIC_TEMPLATE: &str = r#"{"PORT":{"Ethernet0":{"speed":"100000"},"Ethernet4":{"speed":"100000"}},"CABLE_LENGTH":{"AZURE":{"Ethernet0":"5m","Ethernet4":"40m"}},
"PORT_QOS_MAP":{"Ethernet0":{"pfc_enable":"3"},"Ethernet4":{"pfc_enable":"3"}},"BUFFER_POOL":{"ingress_lossless_pool":{"size":"10000000","mode":"dynamic"}}}"#;
const NEIGHBOURS: &str = "admin@a:~$ show lldp table\nCapability codes: (R) Router, (B) Bridge, (O) Other\n\
    LocalPort   RemoteDevice  RemotePortID  Capability  RemotePortDescr\n----------  ------------  ------------  ----------  ---------------\n\
    Ethernet0   h1            02:00         R           eth0\nEthernet4   h2            02:01         R           a port\n\
    Ethernet8   b             etp1          BR          Ethernet0\neth0        oob           p1            B\n\
    --------------------------------------------------\nTotal entries displayed:  4\nadmin@b:~$ show lldp table\n\
    LocalPort   RemoteDevice  RemotePortID  Capability  RemotePortDescr\n----------  ------------  ------------  ----------  ---------------\n\
    Ethernet0   a             etp8          BR          Ethernet8\nEthernet4   h3            02:03         R           eth0\n";
const NETQ: &str = "Matching lldp records:\nHostname  Interface  Peer Hostname  Peer Interface  Last Changed\n--------  ---------  -------------  --------------  ------------\n\
    a         swp1       h1             eth1            Thu\na         swp2       h2             02:00:00        Thu\na         swp3       h3             eth1            Thu\n";
const CABLE_LIST: &str = "node,port,peer,peer port,speed,length\na,1,h1,1,100G,3m\na,2,h2,1,100G,3\na,3,b,1,400000,50ft\nb,2,\"h3\",1,,\n";
const TOPO: &str = "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 500\n\
    Switch_Latency_ns 300\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 4\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 400\n";
const THREE_TIERS: &str = "# three tiers\nNodes 16\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\n\
    Queue_Down 100\nOversubscribed 1\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\nBundle 1\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n";
const MATRIX: &str = "# note\nNodes 16\nConnections 3\n0->3 id 1 start 0 size 2000000\n1->3 id 2 start 0 size 2000000 prio 3\n\
    15->3 id 3 start 1500000 size 1000000\n";
const CLOSED: &str = "Nodes 16\nConnections 6\nTriggers 3\n2->9 id 1 start 0 size 500 send_done_trigger 1\n\
    2->4 id 2 trigger 1 size 500\n\
    9->4 id 3 start 0 size 500 send_done_trigger 2\n9->2 id 4 trigger 2 size 500\n\
    4->2 id 5 start 0 size 500 send_done_trigger 3\n\
    4->9 id 6 trigger 3 size 500\ntrigger id 1 oneshot\ntrigger id 2 oneshot\ntrigger id 3 oneshot\n";
const MESSAGES: &str = "Nodes 16\nConnections 2\n0->3 id 1 msg start 0.5 size 9000\n\
    0->3 id 1 msg 3 start 0 size 9000\n";
const TRIGGERS: &str = "Nodes 16\nConnections 2\nTriggers 1\nFailures 1\n0->3 id 1 start 5 size 9000 send_done_trigger 1\n\
    3->0 id 2 trigger 1 size 900\ntrigger id 1 oneshot\nfailure 1\n";
const HPCC: &str = "TOPOLOGY_FILE topology\nFLOW_FILE flow\nCC_MODE 1\nENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\n\
    PACKET_PAYLOAD_SIZE 1000\nCLAMP_TARGET_RATE 0\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 300\nEWMA_GAIN 0.00390625\n\
    FAST_RECOVERY_TIMES 1\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nBUFFER_SIZE 32\nKMAX_MAP 1 100000000000 400\n\
    KMIN_MAP 1 100000000000 100\nPMAX_MAP 1 100000000000 0.2\nSIMULATOR_STOP_TIME 4.00\nLINK_DOWN 0 0 0\nHAS_WIN 1\nVAR_WIN 0\n";
const HPCC_TOPOLOGY: &str = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n";
const HPCC_TORS: &str = "5 2 1 4\n3 4\n0 3 100000000000 0.000001 0\n1 4 100Gbps 500ns 0\n2 4 100Gbps 1us 0\n\
    3 4 100Gbps 1us 0\n";
const HPCC_GPUS: &str = "6 1 2 1 5 H100\n3 4 5\n0 3 100Gbps 25ns 0\n1 4 100Gbps 25ns 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n4 5 100Gbps 1us 0\n";
const HPCC_GPUS_AND_SWITCHES: &str = "8 2 2 2 10 A100\n4 5 6 7\n0 4 2400Gbps 25ns 0\n1 4 2400Gbps 25ns 0\n\
    2 5 2400Gbps 25ns 0\n3 5 2400Gbps 25ns 0\n\
    0 6 100Gbps 1us 0\n1 7 100Gbps 1us 0\n2 6 100Gbps 1us 0\n3 7 100Gbps 1us 0\n6 7 100Gbps 1us 0\n\
    4 5 2400Gbps 25ns 0\n";
const HPCC_RATES: &str =
    "4 1 1 3 1e11 1e11\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n0 9 prose\n";
const FLOWS: &str = "2\n0 2 3 100 30000 0.00001\n1 2 3 100 30000 2\n";
const FLOWS_WITHOUT_PORT: &str = "2\n0 2 3 30000 2.0\n1 2 3 3000000000 2.00001\n\nprose\n";
/// A configuration of ns3-rdma, with its topology and flows.
const NS3_RDMA: &str = "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nFLOW_LEVEL_ECMP 0\nPACKET_PAYLOAD_SIZE 1000\n\
    TOPOLOGY_FILE topology\n\
    FLOW_FILE flow\nSIMULATOR_STOP_TIME 2.05\nCNP_INTERVAL 50\nALPHA_RESUME_INTERVAL 55\nNP_SAMPLING_INTERVAL 0\n\
    CLAMP_TARGET_RATE 1\n\
    RP_TIMER 60\nBYTE_COUNTER 300000\nDCTCP_GAIN 0.00390625\nKMAX 1000\nKMIN 40\nPMAX 1.0\nFAST_RECOVERY_TIMES 5\n\
    RATE_AI 40Mb/s\n\
    RATE_HAI 200Mb/s\n";
const FOUR_COLUMNS: &str = "4 1 3\n3\n0 3 40Gbps 100ns\n1 3 40Gbps 100ns\n2 3 40Gbps 100ns\n";
const PACKETS: &str = "2\n0 2 3 10000000 2.0 9.5\n1 2 3 50 2.00001 9.5\n";

pub(crate) fn readers() -> Vec<Reader> {
    let reader = |name, read, files: &[&str]| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        Reader { name, read, seeds: Seeds::new(files) }
    };
    let [nodes, ports] = [0, 1].map(|table| cluster().1.files[table].1.as_str());
    vec![
        reader("ibnetdiscover", cluster_alone, &[CLUSTER, GROUPED, IBSIM]),
        reader("ibnetdiscover -p", cluster_alone, &[PORTS]),
        reader("opensm-subnet.lst", cluster_alone, &[&subnet_list()]),
        reader("ibdiagnet", of_database, &[DATABASE]),
        reader("far", of_groups, &[GROUPS]),
        reader("ar_mgr.conf", |text| settings(opensm::read(source(text))), &[MANAGER]),
        reader("lfts", of_forwarding, &forwarding().each_ref().map(String::as_str)),
        reader("sl2vl", |text| by_port(text, None), &[SL2VL, &lanes(), &asked()]),
        reader(
            "terminal",
            of_terminal,
            &[&format!("admin@n1:~$ ibnetdiscover\r\nibwarn: [7] x\n\u{1b}[1m{CLUSTER}")],
        ),
        reader("vlarb", |text| by_port(LANES.get_or_init(lanes), Some(text)), &[&weights()]),
        reader("opensm.conf", |text| settings(opensm::read(source(text))), &[OPENSM, VENDOR]),
        reader("ibccconfig", |text| settings(opensm::read(source(text))), &[COMMANDS]),
        reader("mlx5", |text| settings(mlx5::read(source(text), None)), &[MLX5, FIRMWARE, QUERY, SET]),
        reader("sonic", of_switch, &[SONIC, SONIC_FLAT, SONIC_STEPS, ARS]),
        reader("show buffer information", of_switch, &[SONIC_SHOWN]),
        reader(
            "sonic --buffers",
            |text| settings(sonic::read_with(other(SONIC_TEMPLATE), Some(source(text)))),
            &[SONIC_ROWS, SONIC_SHOWN],
        ),
        reader("lldp", neighbours, &[NEIGHBOURS, NETQ, CABLE_LIST]),
        reader(
            "htsim topo",
            |text| imported(htsim::read(source(text), other(MATRIX), None)),
            &[TOPO, THREE_TIERS],
        ),
        reader(
            "htsim cm",
            |text| imported(htsim::read(other(TOPO), source(text), None)),
            &[MATRIX, TRIGGERS, CLOSED, MESSAGES],
        ),
        reader("htsim cm on a fabric", jobs::of_matrix, &[MATRIX, TRIGGERS, CLOSED, MESSAGES]),
        reader("hpcc config", |text| of_hpcc(text, HPCC_TOPOLOGY, FLOWS), &[HPCC, &attributes()]),
        reader(
            "hpcc topology",
            |text| of_hpcc(HPCC, text, FLOWS),
            &[HPCC_TOPOLOGY, HPCC_TORS, HPCC_GPUS, HPCC_GPUS_AND_SWITCHES, HPCC_RATES],
        ),
        reader(
            "hpcc flows",
            |text| of_hpcc(HPCC, HPCC_TOPOLOGY, text),
            &[FLOWS, FLOWS_WITHOUT_PORT, PACKETS],
        ),
        reader("ns3-rdma config", |text| of_hpcc(text, FOUR_COLUMNS, PACKETS), &[NS3_RDMA]),
        reader("ns3-rdma topology", |text| of_hpcc(NS3_RDMA, text, PACKETS), &[FOUR_COLUMNS]),
        reader("ns3-rdma flows", |text| of_hpcc(NS3_RDMA, FOUR_COLUMNS, text), &[PACKETS]),
        reader("goal", jobs::of_text, &[jobs::FEATURES]),
        reader("goal binary", jobs::of_binary, &[&jobs::binary()]),
        reader("nodes.csv", |text| addresses(Some(text), None), &[nodes]),
        reader("ports.csv", |text| addresses(None, Some(text)), &[ports]),
    ]
}

/// Lanes of the star's ports.
static LANES: OnceLock<String> = OnceLock::new();

fn source(text: &str) -> SourceText<'_> {
    SourceText { name: "file", text }
}

fn other(text: &str) -> SourceText<'_> {
    SourceText { name: "other", text }
}

fn settings(read: Result<ImportedSettings, Diagnostic>) -> Outcome {
    read.map_or_else(Outcome::from, |settings| of_account(&settings.account))
}

/// Reads a switch, and the ports that a draft for it has.
fn of_switch(text: &str) -> Outcome {
    let _ = sonic::fabric::usual_ports((source(text), None));
    settings(sonic::read(source(text)))
}

fn neighbours(text: &str) -> Outcome {
    imported(lldp::import(&[source(text)], &[], &lldp::LldpOptions::default()))
}

fn cluster_alone(text: &str) -> Outcome {
    imported(infiniband::import(source(text), ClusterFiles::default(), &ClusterOptions::default()))
}

/// Imports a subnet with the lanes of the star.
fn of_database(text: &str) -> Outcome {
    let files = ClusterFiles { sl2vl: Some(other(LANES.get_or_init(lanes))), ..ClusterFiles::default() };
    imported(infiniband::import(source(text), files, &ClusterOptions::default()))
}

/// Imports the cluster with forwarding tables, read as the command line reads them.
fn of_forwarding(text: &str) -> Outcome {
    let short = without_descriptions(Cursor::new(text)).expect("text in memory is readable");
    let short = String::from_utf8(short).expect("lines of a text are texts");
    let files = ClusterFiles { lfts: Some(source(&short)), ..ClusterFiles::default() };
    imported(infiniband::import(other(CLUSTER), files, &ClusterOptions::default()))
}

/// Imports the cluster with groups of adaptive routing.
fn of_groups(text: &str) -> Outcome {
    let files = ClusterFiles { far: Some(source(text)), ..ClusterFiles::default() };
    imported(infiniband::import(other(TWO_SWITCHES), files, &ClusterOptions::default()))
}

/// Imports the star with lanes by port, and arbitration.
fn by_port(sl2vl: &str, vlarb: Option<&str>) -> Outcome {
    let files =
        ClusterFiles { sl2vl: Some(source(sl2vl)), vlarb: vlarb.map(source), ..ClusterFiles::default() };
    imported(infiniband::import(other(STAR), files, &ClusterOptions::default()))
}

fn of_hpcc(config: &str, topology: &str, flows: &str) -> Outcome {
    let files = |name: &str| match name {
        "topology" => Some(topology.to_owned()),
        "flow" => Some(flows.to_owned()),
        _ => None,
    };
    imported(hpcc::read("config.txt", config, &files))
}

/// Writes HPCC's settings by the attributes of ns-3 that ns-3-alibabacloud has in their place.
fn attributes() -> String {
    HPCC.replace("PACKET_PAYLOAD_SIZE", "ns3::RdmaHw::Mtu")
        .replace("CC_MODE", "ns3::RdmaHw::CcMode")
        .replace("ENABLE_QCN 1", "ns3::QbbNetDevice::QcnEnabled true")
        + "ns3::SwitchNode::PfcEnabled true\nMON_START 0\n"
}

/// Returns the plan of the cluster, and its import with the tables of nodes and ports.
fn cluster() -> &'static (Plan, ImportedScenario) {
    static READ: OnceLock<(Plan, ImportedScenario)> = OnceLock::new();
    READ.get_or_init(|| {
        let imported =
            infiniband::import(other(CLUSTER), ClusterFiles::default(), &ClusterOptions::default());
        let imported = imported.unwrap_or_else(|said| panic!("{said}"));
        let text = ScenarioText::new("cluster.ron", &imported.scenario);
        let plan = Scenario::read(&text).and_then(|read| read.check(&text));
        (plan.unwrap_or_else(|said| panic!("{said}")), imported)
    })
}

fn addresses(nodes: Option<&str>, ports: Option<&str>) -> Outcome {
    let (plan, imported) = cluster();
    let table = |own: Option<&'static str>, given: Option<&str>| given.or(own).unwrap_or_default().to_owned();
    let own = |index: usize| Some(imported.files[index].1.as_str());
    let [nodes, ports] = [table(own(0), nodes), table(own(1), ports)];
    let read = Addresses::of_cluster(plan, source(&nodes), other(&ports));
    read.map_or_else(Outcome::from, |_| Outcome::Accepted)
}

fn subnet_list() -> String {
    let end = |kind: &str, guid: u32, lid: u32, port: u32| {
        format!(
            "{{ {kind} Ports:08 NodeGUID:{guid:x} PortGUID:{guid:x} {{n{guid}}} LID:{lid:04X} PN:{port:02X} }}"
        )
    };
    let cable = |host: u32| {
        let [adapter, switch] = [end("CA", host, host, 1), end("SW-SM", 9, 9, host)];
        format!("{adapter} {switch} PHY=4x LOG=ACT SPD=25\n{switch} {adapter} PHY=4x LOG=ACT SPD=25\n")
    };
    (1..3).map(cable).collect()
}

/// Writes forwarding tables of the cluster in each of the three dialects.
fn forwarding() -> [String; 3] {
    let hosts = [(3, [1, 7]), (4, [8, 1]), (5, [8, 2])];
    let guid = |switch: usize| [0x100, 0x110][switch];
    let table = |head: fn(usize, u32) -> String, entry: fn(u32, u32) -> String| {
        let rows = |switch: usize| {
            hosts.iter().map(move |(lid, ports)| entry(*lid, ports[switch])).collect::<String>()
        };
        (0..2).map(|switch| head(switch, guid(switch)) + &rows(switch)).collect::<String>()
    };
    [
        table(
            |switch, guid| {
                format!("Unicast lids [0-9] of switch Lid {} guid 0x{guid:016x} ('a'):\n", switch + 1)
            },
            |lid, port| format!("0x{lid:04x} {port:03} # Channel Adapter portguid 0x3: 'x'\n"),
        ) + "3 lids dumped\n",
        table(
            |_, guid| {
                format!(
                    "Unicast lids [0x0-0x9] of switch DR path slid 0; dlid 0; 0,36 guid 0x{guid:016x} (b):\n  Lid  Out   Destination\n       Port     Info\n"
                )
            },
            |lid, port| format!("0x{lid:04x} {port:03} : (Switch portguid 0x3: 'x')\n"),
        ),
        table(
            |_, guid| format!("dump_ucast_routes: Switch 0x{guid:016x}\nLID    : Port : Hops : Optimal\n"),
            |lid, port| format!("0x{lid:04x} : {port:03}  : 01   : yes\n"),
        ) + "0x0009 : UNREACHABLE\n",
    ]
}

/// Writes a row of lanes for every port of the star.
fn lanes() -> String {
    let row = "0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3";
    let pairs = [(1, 1), (1, 8), (8, 1), (8, 8)].map(|(input, output)| format!("{input} {output} : {row}\n"));
    let hosts =
        [0x201, 0x211].map(|guid| format!("Channel Adapter 0x{guid:x}, base LID 3, \"h\"\n0 1 : {row}\n"));
    format!("Switch 0x100, base LID 1, \"a\"\n{}{}", pairs.concat(), hosts.concat())
}

/// Imports a cluster from the text of a terminal.
fn of_terminal(text: &str) -> Outcome {
    let given = GivenText::of(text.as_bytes());
    given.map_or(Outcome::Accepted, |given| cluster_alone(&given.text))
}

/// Writes lanes of the star's ports as `smpquery sl2vl` prints them.
fn asked() -> String {
    let row = "| 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2| 3|";
    let head = |lid: u32| format!("# SL2VL table: Lid {lid}\n#                 SL: | 0| 1|\n");
    let hosts = [3, 4].map(|lid| head(lid) + &format!("ports: in  0, out  0: {row}\n"));
    let outputs = [1, 8].map(|output| {
        head(1) + &[0, 1, 8].map(|input| format!("ports: in  {input}, out  {output}: {row}\n")).concat()
    });
    hosts.concat() + &outputs.concat()
}

/// Writes arbitration tables of every port of the star.
fn weights() -> String {
    let row = |name: &str, cells: &str| format!("{name}: |{cells}\n");
    let tables = |(lid, port): (u32, u32)| {
        let table = |name: &str| {
            let lanes = row("VL    ", "0x0 |0x1 |0x2 |0x3 |") + &row("WEIGHT", "0x4 |0x1 |0x0 |0xff|");
            format!("# {name} priority VL Arbitration Table:\n{lanes}")
        };
        let head = format!("# VLArbitration tables: Lid {lid} port {port} LowCap 4 HighCap 4\n");
        head + &table("Low")
            + &table("High")
            + &format!("# Port info: Lid {lid} port {port}\nVLHighLimit:.....4\n")
    };
    [(1, 1), (1, 8), (3, 1), (4, 1)].map(tables).concat()
}
