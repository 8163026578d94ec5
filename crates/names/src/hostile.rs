//! Parts of names that have broken out of some output, for tests of every writer.
//!
//! Invariant: nothing here is used outside of tests.

/// Parts of names: of terminals, lines, text in two directions, markup, spreadsheets, shells, configurations, paths.
pub const PARTS: [&str; 52] = [
    "\u{1b}[31m",
    "\u{1b}]0;title\u{7}",
    "\u{9b}2J",
    "\u{8}\u{8}",
    "\0",
    "\u{7f}",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "\u{2066}",
    "\u{200f}",
    "\u{200b}",
    "\u{feff}",
    "\u{ffff}",
    "\u{3164}",
    "\u{200d}\u{fe0f}",
    " ",
    "\u{a0}",
    "<b>&\"'",
    "</script><script>alert(1)</script>",
    "]]>",
    "-->",
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "'=1",
    " =1",
    "＝1+1",
    "\u{3000}－5",
    "|x",
    "''",
    ",",
    ";",
    "\"",
    "`touch x`",
    "$(touch x)",
    "\ntouch x\n#",
    "\nevent_plugin_name evil\n",
    "#",
    "//",
    "/*",
    "../../thesis",
    "..",
    "/etc/passwd",
    "C:\\x",
    "é节",
    "node-01 HCA-1",
];

/// Returns texts of these parts and of any characters, some of them very long.
#[cfg(test)]
pub(crate) fn texts() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let part = prop_oneof![
        4 => proptest::sample::select(PARTS.as_slice()).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => "[ -~]{0,12}",
        1 => (1_usize..400).prop_map(|length| "x".repeat(length)),
    ];
    proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}
