//! Settings of a subnet manager: `opensm.conf`, and command lines of `ibccconfig`.
//!
//! Invariant: every `cc_*` and `qos*` key has an entry in the account. Keys that concern the manager alone share an
//! entry.
//!
//! | module | contents |
//! |---|---|
//! | [`options`] | the keys and values of an `opensm.conf` |
//! | [`congestion`] | the attributes of congestion control, and the scheme of a scenario |
//! | `keys` | congestion control in an `opensm.conf` |
//! | `commands` | congestion control in command lines of `ibccconfig` |
//! | `quality` | lanes and their arbitration |

mod commands;
pub mod congestion;
pub(crate) mod keys;
pub mod options;
mod quality;

use self::options::OpensmOptions;
use super::account::{KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::SourceText;
use scenario::Diagnostic;

/// Reads an `opensm.conf`, or a script with command lines of `ibccconfig`.
///
/// # Errors
/// If a value of a `cc_*` or `qos*` key, or an operand of a command, cannot be read.
pub fn read(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    if commands::are_in(source) {
        let (settings, mut account) = commands::read(source)?;
        let (scheme, parts) = settings.scheme(commands::NAMES);
        account.extend(parts);
        let settings = vec![("congestion_control".to_owned(), scheme)];
        return Ok(ImportedSettings { settings, account });
    }
    let options = OpensmOptions::read(source);
    let (scheme, mut account) = keys::scheme(source, &options)?;
    let mut settings = vec![("congestion_control".to_owned(), scheme)];
    let (lanes, quality) = quality::settings(source, &options)?;
    settings.extend(lanes);
    account.extend(quality);
    account.extend(rest(&options));
    for entry in &mut account {
        entry.place = options.last(&entry.key).map(|line| source.excerpt(&line.at));
    }
    Ok(ImportedSettings { settings, account })
}

/// Enters the keys that concern neither lanes nor congestion control.
fn rest(options: &OpensmOptions) -> Vec<KeyAccount> {
    const OF_ROUTING: [&str; 3] = ["routing_engine", "lmc", "ucast_file"];
    const OF_TIME: [&str; 4] =
        ["packet_life_time", "head_of_queue_lifetime", "leaf_head_of_queue_lifetime", "vl_stall_count"];
    let mut account = Vec::new();
    let mut others = std::collections::BTreeSet::new();
    for line in &options.lines {
        let what = match line.key.as_str() {
            key if keys::is_one(key) || quality::is_one(key) => continue,
            key if OF_ROUTING.contains(&key) => "`import ibnetdiscover --lfts` takes the tables that it made",
            key if OF_TIME.contains(&key) => "no switch discards packets for their age here",
            "qos_policy_file" => {
                "its rules give paths service levels by application: flows of a scenario name theirs"
            }
            key => {
                others.insert(key);
                continue;
            }
        };
        account.push(KeyAccount::new(line.key.clone(), line.value.clone(), KeyFate::NotUsed, what));
    }
    if !others.is_empty() {
        let first: Vec<_> = others.iter().take(4).map(|key| format!("`{key}`")).collect();
        let what =
            format!("{} and others: they concern the subnet manager, not the fabric", first.join(", "));
        account.push(KeyAccount::new("other keys", others.len().to_string(), KeyFate::NotUsed, what));
    }
    account
}
