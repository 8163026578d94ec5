//! The browser of the desktop.
//!
//! Invariant: a page that cannot be opened is no failure; its path is printed instead.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::terminal::note;

/// Opens a page, or prints the way to it where there is no desktop.
pub(crate) fn open(page: &Path) {
    let path = page.canonicalize().unwrap_or_else(|_| page.to_owned());
    if !is_opened(&path) {
        note(&format!("no browser could be opened here; the page is {}", path.display()));
    }
}

fn is_opened(page: &Path) -> bool {
    let command = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if cfg!(target_os = "linux")
        && ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| env::var_os(name).is_none())
    {
        return false;
    }
    let quiet = Command::new(command)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}
