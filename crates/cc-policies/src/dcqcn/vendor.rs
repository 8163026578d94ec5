//! Replacements for vendors' parameters that have no field.
//!
//! Invariant: none of these names is a field or an alias of a field. A parameter with the same meaning as a field is an
//! alias in [`spec`](super::spec).

/// ConnectX's parameters (the vendor's documentation), and the replacement for each.
const ELSEWHERE: [(&str, &str); 7] = [
    ("dce_tcp_g", "write `g`, which is 1 - dce_tcp_g / 1024"),
    (
        "initial_alpha_value",
        "write `initial_alpha`, which is initial_alpha_value / 1024; 1.0 for 1023, its most",
    ),
    ("rpg_max_rate", "there is nothing like it: a source goes up to its link's rate"),
    ("rpg_gd", "there is nothing like it: a cut is by alpha / 2, which is rpg_gd 11"),
    ("rpg_min_dec_fac", "there is nothing like it: a cut is at most by half, which is rpg_min_dec_fac 50"),
    ("rate_to_set_on_first_cnp", "there is nothing like it: the first CNP cuts as all do, which is 0"),
    (
        "rate_reduce_monitor_period",
        "here every CNP cuts, and `echo.interval` keeps them apart; it is `cut_timer` of the response `DcqcnTimed`",
    ),
];

/// Returns the replacement for a vendor's parameter of this name, if it has no field.
///
/// ```
/// let help = cc_policies::dcqcn::vendor::help("dce_tcp_g");
/// assert_eq!(help, Some("write `g`, which is 1 - dce_tcp_g / 1024"));
/// ```
#[must_use]
pub fn help(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(theirs, _)| *theirs == name).map(|(_, help)| *help)
}
