//! What to write for a vendor's parameter that is no field here.
//!
//! Invariant: none of these names is a field or an alias of one; those whose value means the same are aliases in
//! [`spec`](super::spec).

/// Names of ConnectX's parameters (the vendor's documentation), and what stands for each.
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
        "there is nothing like it: every CNP cuts, and `echo.interval` keeps them apart",
    ),
];

/// What to write for a vendor's parameter of this name, if it is one that is no field here.
///
/// ```
/// let help = cc_policies::dcqcn::vendor::help("dce_tcp_g");
/// assert_eq!(help, Some("write `g`, which is 1 - dce_tcp_g / 1024"));
/// ```
#[must_use]
pub fn help(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(theirs, _)| *theirs == name).map(|(_, help)| *help)
}
