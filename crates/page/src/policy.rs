//! The policy of every page: its own script and style sheet, by their hashes, and no request.
//!
//! Invariant: `cargo xtask bless` writes the hashes, and a test holds them to the script and the style sheet.

/// Policy, as the page's head states it.
pub(super) const POLICY: &str = "default-src 'none'; \
     script-src 'sha256-PRFw/WQMR1caEF5Hybv7yVU8EEllzR2vqjp3pZEWOhg='; \
     style-src 'sha256-iFzIz3t1Hk1eZjM3FMOm48EnzsRHlIzBJ3K91MMSh4o='; \
     base-uri 'none'; form-action 'none'";

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::base64::base64;
    use crate::html::Html;
    use crate::modules::{script, style};

    /// A page whose policy has another hash shows neither figures nor tables.
    #[test]
    fn the_policy_has_the_hashes_of_script_and_style() {
        let source = |kind: &str, html: Html| {
            let hash = base64(&Sha256::digest(html.into_string()));
            format!("{kind}-src 'sha256-{hash}'; ")
        };
        let (script, style) = (source("script", script()), source("style", style()));
        if env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/policy.rs");
            let text = fs::read_to_string(file).expect("the file is here");
            let line = |line: &str| match line.trim_start() {
                old if old.starts_with("script-src ") => format!("     {script}\\\n"),
                old if old.starts_with("style-src ") => format!("     {style}\\\n"),
                _ => format!("{line}\n"),
            };
            fs::write(file, text.lines().map(line).collect::<String>()).expect("it can be written");
            return;
        }
        let wanted = format!("default-src 'none'; {script}{style}base-uri 'none'; form-action 'none'");
        assert_eq!(POLICY, wanted, "`cargo xtask bless` writes them");
    }
}
