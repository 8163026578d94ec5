//! Congestion control in command lines of `ibccconfig`.
//!
//! Invariant: every line is a command or a comment. Settings that differ between LIDs or ports become a single setting
//! here, and the account says so.
//!
//! ```text
//! ibccconfig SwitchCongestionSetting LID CONTROLMAP VICTIMMASK CREDITMASK THRESHOLD PACKETSIZE CSTHRESHOLD CSRETURNDELAY MARKINGRATE
//! ibccconfig SwitchPortCongestionSetting LID PORT VALID CONTROL_TYPE THRESHOLD PACKET_SIZE MARKING_RATE
//! ibccconfig CACongestionSetting LID PORT_CONTROL CONTROL_MAP CCTI_TIMER CCTI_INCREASE TRIGGER_THRESHOLD CCTI_MIN
//! ibccconfig CongestionControlTable LID CCTI_LIMIT BLOCK SHIFT:MULTIPLIER ...     up to 64 entries of a block
//! ibccconfig CongestionKeyInfo LID KEY PROTECT LEASE VIOLATIONS
//! ```

use super::congestion::{AdapterSetting, CongestionSettings, LevelSetting, PartNames, SwitchSetting};
use super::values::{entry, mask, number};
use crate::import::account::{KeyAccount, KeyFate};
use crate::import::source::{Part, SourceText};
use scenario::{Diagnostic, help_with_name};

/// The program's name.
const PROGRAM: &str = "ibccconfig";
/// Operands by which an account names the parts of the settings.
pub(super) const NAMES: PartNames = PartNames {
    victim_mask: "victimmask",
    credit_mask: "creditmask",
    threshold: "threshold",
    packet_size: "packetsize",
    starvation: "csthreshold",
    marking_rate: "markingrate",
    port_control: "port_control",
    control_map: "control_map",
    timer: "ccti_timer, ccti_increase, trigger_threshold, ccti_min",
    table: "cctentry",
};
/// Operations of the program, and their short names.
const COMMANDS: [(&str, &str); 5] = [
    ("SwitchCongestionSetting", "SS"),
    ("CACongestionSetting", "CS"),
    ("CongestionControlTable", "CT"),
    ("SwitchPortCongestionSetting", "SP"),
    ("CongestionKeyInfo", "CK"),
];
/// Number of operands of each command. A table has more.
const OPERANDS: [usize; 5] = [9, 7, 4, 7, 5];
const TABLE: usize = 2;
/// Entries of a block of the table, which a single command sets (IBA A10.4.3.9).
const BLOCK: usize = 64;
/// Place of `victimmask` among the operands of `SwitchCongestionSetting`.
const MASK: usize = 2;
/// Options of the program that take a value.
const WITH_VALUE: [&str; 8] = ["-C", "-P", "-t", "-s", "-y", "-c", "--Ca", "--Port"];

/// Returns true if the first command of a file is a command of the program.
pub(super) fn are_in(source: SourceText<'_>) -> bool {
    let first = source.lines().find(|line| !line.text.starts_with('#'));
    first.and_then(|line| operands(line).map(|_| ())).is_some()
}

/// Returns the words behind the program's name; `None` for another command.
fn operands(line: Part<'_>) -> Option<Vec<Part<'_>>> {
    let mut words = line.words().skip_while(|word| word.text == "sudo");
    let program = words.next()?.text;
    (program.rsplit('/').next() == Some(PROGRAM)).then(|| words.collect())
}

/// Reads the commands. The account says where they differ between nodes.
pub(super) fn read(source: SourceText<'_>) -> Result<(CongestionSettings, Vec<KeyAccount>), Diagnostic> {
    let mut settings = CongestionSettings::default();
    let mut seen: [Vec<(String, String)>; 5] = Default::default();
    let mut ports = Vec::new();
    for line in source.lines().filter(|line| !line.text.starts_with('#')) {
        let words = operands(line).ok_or_else(|| {
            let help = "write command lines of `ibccconfig`, and comments behind `#`";
            source.wrong(&line.range(), "this is not a command of `ibccconfig`", help)
        })?;
        let words = without_options(&words);
        let Some((command, words)) = words.split_first() else {
            return Err(source.wrong(&line.range(), "the command has no operation", &operations()));
        };
        let kind = COMMANDS.iter().position(|(name, short)| {
            [name, short].iter().any(|name| command.text.eq_ignore_ascii_case(name))
        });
        let Some(kind) = kind else {
            let message = format!("`{}` is not an operation of `ibccconfig`", command.text);
            return Err(source.wrong(
                &command.range(),
                message,
                &help_with_name(command.text, COMMANDS.map(|(name, _)| name), "operations"),
            ));
        };
        let least = OPERANDS[kind];
        if words.len() < least || (kind != TABLE && words.len() > least) {
            let message = format!("`{}` takes {least} operands, and has {}", COMMANDS[kind].0, words.len());
            return Err(source.wrong(&line.range(), message, &form(kind)));
        }
        match kind {
            0 => {
                let switch = switch(source, words)?;
                let mask = &settings.switch.victim_mask;
                settings.masks_differ |= !seen[0].is_empty() && switch.victim_mask != *mask;
                settings.switch = switch;
            }
            1 => adapter(source, words, &mut settings.adapter)?,
            TABLE => block(source, words, &mut settings.table)?,
            3 => ports.extend(port(source, words)?),
            _ => {}
        }
        // Masks have an entry of their own.
        let rest = words.iter().enumerate().skip(1).filter(|(place, _)| (kind, *place) != (0, MASK));
        let rest: Vec<_> = rest.map(|(_, word)| word.text).collect();
        seen[kind].push((words[0].text.to_owned(), rest.join(" ")));
    }
    let [switches, adapters, tables, of_ports, keys] = seen;
    let of_nodes = COMMANDS.iter().zip([switches, adapters, tables]).filter(|(_, seen)| !seen.is_empty());
    let mut account: Vec<_> = of_nodes.map(|((name, _), seen)| nodes(name, &seen)).collect();
    if !of_ports.is_empty() {
        account.push(single_ports(of_ports.len(), &ports, &settings.switch));
    }
    if !keys.is_empty() {
        let (name, given) = (COMMANDS[4].0, format!("{} commands", keys.len()));
        account.push(KeyAccount::new(name, given, KeyFate::NotUsed, "keys are the manager's own"));
    }
    Ok((settings, account))
}

/// Enters the commands for single ports, and whether the ports in `set` mark as the switches do.
fn single_ports(commands: usize, set: &[PortSetting], switch: &SwitchSetting) -> KeyAccount {
    let (name, given) = (COMMANDS[3].0, format!("{commands} ports"));
    let as_all = |own: &&PortSetting| {
        let all = (switch.threshold, switch.packet_size, switch.marking_rate);
        !own.is_starvation && (own.threshold, own.packet_size, own.marking_rate) == all
    };
    let others = set.len() - set.iter().filter(as_all).count();
    if others > 0 {
        let what = format!(
            "{others} ports have settings of their own: they mark as all ports here; `marking.ports` takes them by the names of switches"
        );
        KeyAccount::new(name, given, KeyFate::Changed, what)
    } else if set.is_empty() {
        KeyAccount::new(name, given, KeyFate::NotUsed, "`valid` is 0: the settings of the switch hold")
    } else {
        KeyAccount::new(name, given, KeyFate::Used, "as all ports of the switches")
    }
}

/// Enters the nodes that a command was given for.
fn nodes(name: &str, seen: &[(String, String)]) -> KeyAccount {
    let of = |lid: &str| {
        let own = seen.iter().filter(|(own, _)| own == lid).map(|(_, rest)| rest.as_str());
        own.collect::<Vec<_>>()
    };
    let lids: std::collections::BTreeSet<&str> = seen.iter().map(|(lid, _)| lid.as_str()).collect();
    let last = &seen[seen.len() - 1].0;
    let alike = lids.iter().all(|lid| of(lid) == of(last));
    let given = format!("{} LIDs", lids.len());
    if alike {
        KeyAccount::new(name, given, KeyFate::Used, "for all nodes")
    } else {
        let what = format!("LIDs have different settings: those of {last}, the last, for all nodes");
        KeyAccount::new(name, given, KeyFate::Changed, what)
    }
}

fn without_options<'a>(words: &[Part<'a>]) -> Vec<Part<'a>> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.text) {
            words.next();
        } else if !word.text.starts_with('-') {
            kept.push(*word);
        }
    }
    kept
}

fn operations() -> String {
    format!("write {}", COMMANDS.map(|(name, _)| name).join(", "))
}

fn form(kind: usize) -> String {
    let operands = [
        "lid controlmap victimmask creditmask threshold packetsize csthreshold csreturndelay markingrate",
        "lid port_control control_map ccti_timer ccti_increase trigger_threshold ccti_min",
        "lid cctilimit index cctentry ...",
        "lid portnum valid control_type threshold packet_size cong_parm_marking_rate",
        "lid cckey cckeyprotectbit cckeyleaseperiod cckeyviolations",
    ];
    format!("write `{PROGRAM} {} {}`", COMMANDS[kind].0, operands[kind])
}

fn value(source: SourceText<'_>, word: Part<'_>, most: u64) -> Result<u64, Diagnostic> {
    number(source, &word.range(), word.text, most)
}

/// The setting of a port of a switch (IBA A10.4.3.7).
struct PortSetting {
    /// The setting belongs to credit starvation.
    is_starvation: bool,
    threshold: u8,
    packet_size: u8,
    marking_rate: u16,
}

/// Reads the setting of a port; `None` if it does not hold.
fn port(source: SourceText<'_>, words: &[Part<'_>]) -> Result<Option<PortSetting>, Diagnostic> {
    value(source, words[1], 254)?;
    let holds = value(source, words[2], 1)? == 1;
    let setting = PortSetting {
        is_starvation: value(source, words[3], 1)? == 1,
        threshold: value(source, words[4], 15)? as u8,
        packet_size: value(source, words[5], 255)? as u8,
        marking_rate: value(source, words[6], 0xFFFF)? as u16,
    };
    Ok(holds.then_some(setting))
}

fn switch(source: SourceText<'_>, words: &[Part<'_>]) -> Result<SwitchSetting, Diagnostic> {
    let ports = |at: usize| mask(source, &words[at].range(), words[at].text);
    Ok(SwitchSetting {
        control_map: value(source, words[1], 0xFFFF_FFFF)? as u32,
        victim_mask: ports(2)?,
        credit_mask: ports(3)?,
        threshold: value(source, words[4], 15)? as u8,
        packet_size: value(source, words[5], 255)? as u8,
        starvation_threshold: value(source, words[6], 15)? as u8,
        starvation_delay: entry(source, &words[7].range(), words[7].text)?,
        marking_rate: value(source, words[8], 0xFFFF)? as u16,
    })
}

/// Reads the settings of the service levels of a command, which adds to earlier commands.
fn adapter(source: SourceText<'_>, words: &[Part<'_>], into: &mut AdapterSetting) -> Result<(), Diagnostic> {
    into.port_control = value(source, words[1], 0xFFFF)? as u16;
    let levels = value(source, words[2], 0xFFFF)? as u16;
    into.control_map |= levels;
    let setting = LevelSetting {
        timer: value(source, words[3], 0xFFFF)? as u16,
        increase: value(source, words[4], 0xFF)? as u8,
        trigger: value(source, words[5], 0xFF)? as u8,
        min: value(source, words[6], 0xFF)? as u8,
    };
    let of_command = into.levels.iter_mut().enumerate().filter(|(level, _)| levels >> level & 1 == 1);
    of_command.for_each(|(_, own)| *own = setting);
    Ok(())
}

/// Reads a block of the table. The table is as long as its limit says.
fn block(source: SourceText<'_>, words: &[Part<'_>], table: &mut Vec<(u8, u16)>) -> Result<(), Diagnostic> {
    let limit = usize::from(value(source, words[1], 0xFFFF)? as u16);
    let first = usize::from(value(source, words[2], 0x3FF)? as u16) * BLOCK;
    let entries = &words[3..];
    if entries.len() > BLOCK || first + entries.len() > limit + 1 {
        let message =
            format!("{} entries from index {first} on do not fit a table up to {limit}", entries.len());
        return Err(source.wrong(&words[3].range(), message, "write at most 64, up to the limit"));
    }
    table.resize(limit + 1, (0, 0));
    for (place, word) in entries.iter().enumerate() {
        table[first + place] = entry(source, &word.range(), word.text)?;
    }
    Ok(())
}
