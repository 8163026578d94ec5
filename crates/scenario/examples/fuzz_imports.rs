//! Changes files at random and gives them to the readers of imported files, none of which may panic.
//!
//! Invariant: the same seed makes the same files. `cargo run --release -p scenario --example fuzz_imports -- COUNT [SEED]`

use std::env;
use std::panic;
use std::process::ExitCode;

use scenario::import::infiniband::{self, ClusterFiles, ClusterOptions};
use scenario::import::{SourceText, hpcc, htsim, mlx5, opensm, sonic};

const CLUSTER: &str = include_str!("../../../fixtures/import/two-switches.net");
const OPENSM: &str = include_str!("../../../fixtures/import/opensm.conf");
const COMMANDS: &str = include_str!("../../../fixtures/import/ibccconfig.sh");
const MLX5: &str = include_str!("../../../fixtures/import/mlx5.txt");
const SONIC: &str = include_str!("../../../fixtures/import/config_db.json");
const TOPO: &str = include_str!("../../../fixtures/import/fat_tree.topo");
const MATRIX: &str = include_str!("../../../fixtures/import/incast.cm");

/// Parts of the formats, which are put into files.
const PARTS: [&str; 24] = [
    "",
    "0",
    "99999999999999999999",
    "-1",
    "0x",
    "\"",
    "[",
    "](",
    ")",
    "{",
    "}",
    ":",
    ",",
    "#",
    "\n",
    "\t",
    "->",
    "=",
    "Switch 36 \"S\"\n",
    "[1] \"H\"[1]\n",
    "lid ",
    " 4xEDR",
    "\u{e9}",
    "Unicast lids [0-9] of switch Lid 2 guid 0x2 ('x'):\n0x0001 001\n",
];

/// A reader, and a file to begin with.
type Target = (&'static str, fn(SourceText<'_>), String);

fn targets() -> Vec<Target> {
    let hpcc = "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 1\nRP_TIMER 300\nKMIN_MAP 1 25000000000 100\n";
    vec![
        ("ibnetdiscover", cluster, CLUSTER.to_owned()),
        ("ibnetdiscover -p", cluster, ports()),
        ("opensm-subnet.lst", cluster, cables()),
        ("lfts", |source| with_tables(Some(source), None, None), tables()),
        ("sl2vl", |source| with_tables(None, Some(source), None), lanes()),
        ("vlarb", |source| with_tables(None, Some(named(&lanes())), Some(source)), weights()),
        ("opensm", |source| drop(opensm::read(source)), OPENSM.to_owned()),
        ("ibccconfig", |source| drop(opensm::read(source)), COMMANDS.to_owned()),
        ("mlx5", |source| drop(mlx5::read(source)), MLX5.to_owned()),
        ("sonic", |source| drop(sonic::read(source)), SONIC.to_owned()),
        ("topo", |source| drop(htsim::read(source, named(MATRIX), None)), TOPO.to_owned()),
        ("cm", |source| drop(htsim::read(named(TOPO), source, None)), MATRIX.to_owned()),
        ("hpcc", |source| drop(hpcc::read(source.name, source.text, &|_| None)), hpcc.to_owned()),
    ]
}

fn named(text: &str) -> SourceText<'_> {
    SourceText { name: "other", text }
}

fn cluster(source: SourceText<'_>) {
    drop(infiniband::import(source, ClusterFiles::default(), &ClusterOptions::default()));
}

fn with_tables(lfts: Option<SourceText<'_>>, sl2vl: Option<SourceText<'_>>, vlarb: Option<SourceText<'_>>) {
    drop(infiniband::import(named(CLUSTER), ClusterFiles { lfts, sl2vl, vlarb }, &ClusterOptions::default()));
}

fn ports() -> String {
    "CA 3 1 0x0002c90300000201 4x EDR - SW 1 1 0x0002c90300000100 ( 'a' - 'b' )\n\
     CA 4 1 0x0002c90300000211 4x EDR - SW 1 2 0x0002c90300000100 ( 'c' - 'b' )\n\
     SW 1 3 0x0002c90300000100 4x SDR 'b'\n"
        .to_owned()
}

fn cables() -> String {
    let end = |kind: &str, guid: u32, port: u32| {
        format!(
            "{{ {kind} Ports:24 NodeGUID:{guid:x} PortGUID:{guid:x} {{n{guid}}} LID:{guid:04X} PN:{port:02X} }}"
        )
    };
    (1..4)
        .map(|host| format!("{} {} PHY=4x LOG=ACT SPD=25\n", end("CA", host, 1), end("SW", 9, host)))
        .collect()
}

fn tables() -> String {
    let switch = |guid: &str, ports: [u32; 4]| {
        let rows = (3..).zip(ports).map(|(lid, port): (u32, u32)| format!("0x{lid:04x} {port:03}\n"));
        format!("Unicast lids [0-6] of switch Lid 1 guid 0x{guid} ('x'):\n{}", rows.collect::<String>())
    };
    switch("0002c90300000100", [1, 2, 17, 20]) + &switch("0002c90300000110", [17, 20, 3, 4])
}

fn lanes() -> String {
    let row = |input: u32, output: u32| format!("{input} {output} : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n");
    let switch = |guid: &str, ports: [u32; 4]| {
        let pairs = ports.iter().flat_map(|input| ports.map(|output| row(*input, output)));
        format!("Switch 0x{guid}, base LID 1, \"x\"\n{}", pairs.collect::<String>())
    };
    let host = |guid| format!("Channel Adapter 0x0002c90300000{guid}, base LID 3, \"h\"\n{}", row(0, 1));
    let switches = switch("0002c90300000100", [1, 2, 17, 20]) + &switch("0002c90300000110", [3, 4, 17, 20]);
    switches + &["201", "211", "221", "222"].map(host).concat()
}

fn weights() -> String {
    let row = |name: &str| format!("{name}: |{}\n", "0x1 |".repeat(8));
    let tables = |lid: u32, port: u32| {
        let priority = |name: &str| {
            format!("# {name} priority VL Arbitration Table:\n{}{}", row("VL    "), row("WEIGHT"))
        };
        format!(
            "# VLArbitration tables: Lid {lid} port {port} LowCap 8 HighCap 8\n{}{}\
             # Port info: Lid {lid} port {port}\nVLHighLimit:.....................4\n",
            priority("Low"),
            priority("High")
        )
    };
    [1, 2, 17, 20].map(|port| tables(1, port)).concat()
        + &[3, 4, 17, 20].map(|port| tables(2, port)).concat()
        + &(3..7).map(|lid| tables(lid, 1)).collect::<String>()
}

/// Random numbers (SplitMix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// Cuts, copies and replaces some parts of a file.
fn changed(text: &str, draws: &mut Draws) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=draws.below(4) {
        let from = draws.below(bytes.len() + 1);
        let to = (from + draws.below(30)).min(bytes.len());
        let part = match draws.below(3) {
            0 => PARTS[draws.below(PARTS.len())].as_bytes().to_vec(),
            1 => vec![draws.below(256) as u8],
            _ => {
                let other = draws.below(bytes.len() + 1);
                bytes[other..(other + draws.below(60)).min(bytes.len())].to_vec()
            }
        };
        bytes.splice(from..to, part);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn main() -> ExitCode {
    let mut numbers = env::args().skip(1).map(|word| word.parse::<u64>());
    let (Some(Ok(count)), seed) = (numbers.next(), numbers.next().unwrap_or(Ok(1)).unwrap_or(1)) else {
        eprintln!("error: the number of files is missing\nhelp: write `fuzz_imports 1000000`");
        return ExitCode::from(2);
    };
    for (name, read, text) in targets() {
        let mut draws = Draws(seed);
        for number in 0..count {
            let file = changed(&text, &mut draws);
            if panic::catch_unwind(|| read(SourceText { name: "file", text: &file })).is_err() {
                eprintln!("error: {name}: file {number} of seed {seed} makes the reader panic:\n{file}");
                return ExitCode::FAILURE;
            }
        }
        println!("{name}: {count} files");
    }
    ExitCode::SUCCESS
}
