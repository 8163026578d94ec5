//! Settings of a subnet manager: `opensm.conf`, `ar_mgr.conf`, and command lines of `ibccconfig`.
//!
//! Invariant: every `cc_*` and `qos*` key has an entry in the account. Keys that concern the manager alone share an
//! entry.
//!
//! | module | contents |
//! |---|---|
//! | [`options`] | the keys and values of an `opensm.conf` |
//! | [`congestion`] | the attributes of congestion control, and the scheme of a scenario |
//! | `values` | forms of values: numbers, masks, entries of tables |
//! | `keys` | congestion control in an `opensm.conf` |
//! | `commands` | congestion control in command lines of `ibccconfig` |
//! | `quality` | lanes and their arbitration |
//! | `vendor` | congestion control and further keys of NVIDIA's OpenSM |
//! | `adaptive` | adaptive routing of NVIDIA's OpenSM |
//! | `ar_manager` | `ar_mgr.conf`, adaptive routing before it was part of OpenSM |
//! | `known` | the keys that versions of OpenSM know |

pub(crate) mod adaptive;
mod ar_manager;
mod commands;
pub mod congestion;
pub(crate) mod keys;
mod known;
pub mod options;
mod quality;
mod values;
mod vendor;

use std::collections::BTreeSet;

use self::options::OpensmOptions;
use super::account::{KeyAccount, KeyFate};
use super::settings::ImportedSettings;
use super::source::SourceText;
use scenario::Diagnostic;

/// Reads an `opensm.conf`, an `ar_mgr.conf`, or a script with command lines of `ibccconfig`.
///
/// # Errors
/// If a value of a key that is read, or an operand of a command, cannot be read, or the file has no key of OpenSM.
pub fn read(source: SourceText<'_>) -> Result<ImportedSettings, Diagnostic> {
    if commands::are_in(source) {
        let (settings, mut account) = commands::read(source)?;
        let (scheme, parts) = settings.scheme(commands::NAMES);
        account.extend(parts);
        let settings = vec![("congestion_control".to_owned(), scheme)];
        return Ok(ImportedSettings { settings, account, ..ImportedSettings::default() });
    }
    if ar_manager::is_one(source) {
        return ar_manager::settings(source);
    }
    let options = OpensmOptions::read(source);
    known::check(source, &options)?;
    let (scheme, mut account) = keys::scheme(source, &options)?;
    let is_vendors = options.lines.iter().any(|line| known::is_vendors(&line.key));
    let vendor = vendor::settings(source, &options, is_vendors)?;
    if let (Some(_), Some(_)) = (&scheme, &vendor.scheme) {
        let own = account.iter_mut().find(|entry| entry.key == keys::ENABLED);
        let own = own.expect("a scheme of these keys has an entry");
        own.fate = KeyFate::Changed;
        "`mlnx_congestion_control` states congestion control as well, and holds here"
            .clone_into(&mut own.what);
    }
    account.extend(vendor.account);
    let scheme = vendor.scheme.or(scheme);
    let mut settings: Vec<_> =
        scheme.map(|scheme| ("congestion_control".to_owned(), scheme)).into_iter().collect();
    settings.extend(vendor.settings);
    let (lanes, quality) = quality::settings(source, &options)?;
    settings.extend(lanes);
    account.extend(quality);
    let without_choice = vendor.without_choice;
    account.extend(rest(&options));
    for entry in &mut account {
        entry.place = options.last(&entry.key).map(|line| source.excerpt(&line.at));
    }
    Ok(ImportedSettings { settings, account, without_choice })
}

/// Enters the keys that concern neither lanes, nor congestion control, nor routing.
fn rest(options: &OpensmOptions) -> Vec<KeyAccount> {
    const OF_ROUTING: [&str; 2] = ["lmc", "ucast_file"];
    const OF_TIME: [&str; 5] = [
        "packet_life_time",
        "head_of_queue_lifetime",
        "leaf_head_of_queue_lifetime",
        "vl_stall_count",
        "leaf_vl_stall_count",
    ];
    let mut account = Vec::new();
    let (mut others, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for line in &options.lines {
        let what = match line.key.as_str() {
            key if keys::is_one(key) || quality::is_one(key) || vendor::is_one(key) => continue,
            key if OF_ROUTING.contains(&key) => "`import ibnetdiscover --lfts` takes the tables that it made",
            key if OF_TIME.contains(&key) => "no switch discards packets for their age here",
            "qos_policy_file" => {
                "its rules give paths service levels by application: flows of a scenario name theirs"
            }
            key if known::is_known(key) => {
                others.insert(key);
                continue;
            }
            key => {
                unknown.insert(key);
                continue;
            }
        };
        account.push(KeyAccount::new(line.key.clone(), line.value.clone(), KeyFate::NotUsed, what));
    }
    let first = |keys: &BTreeSet<&str>, shown: fn(&str) -> String| {
        let first: Vec<_> = keys.iter().take(4).map(|key| shown(key)).collect();
        first.join(", ") + if keys.len() > 4 { " and others" } else { "" }
    };
    if !others.is_empty() {
        let what = format!(
            "{}: they concern the subnet manager, not the fabric",
            first(&others, |key| format!("`{key}`"))
        );
        account.push(KeyAccount::new("other keys", others.len().to_string(), KeyFate::NotUsed, what));
    }
    if !unknown.is_empty() {
        let what = format!(
            "{}: no keys of OpenSM 3.3.23, nor of the vendor's 5.21",
            first(&unknown, known::with_near)
        );
        account.push(KeyAccount::new("unknown keys", unknown.len().to_string(), KeyFate::NotUsed, what));
    }
    account
}
