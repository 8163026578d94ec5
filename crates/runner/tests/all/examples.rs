//! The programs in `examples` run and print the results that their first lines promise.

#[path = "../../examples/custom_fabric.rs"]
#[expect(dead_code, reason = "`main` is for the program itself")]
mod custom_fabric;
#[path = "../../examples/own_response.rs"]
#[expect(dead_code, reason = "`main` is for the program itself")]
mod own_response;
#[path = "../../examples/sweep.rs"]
#[expect(dead_code, reason = "`main` is for the program itself")]
mod sweep;
#[path = "../../examples/victim.rs"]
#[expect(dead_code, reason = "`main` is for the program itself")]
mod victim;

#[test]
fn congestion_control_frees_the_victim() {
    insta::assert_snapshot!(victim::report().unwrap());
}

#[test]
fn a_parameter_is_swept() {
    insta::assert_snapshot!(sweep::report().unwrap());
}

#[test]
fn a_custom_fabric_has_a_congestion_tree() {
    insta::assert_snapshot!(custom_fabric::report().unwrap());
}

/// The page shows the program and its output as they are. The program's own test runs here too.
#[test]
fn a_response_of_one_s_own_is_compared_with_iba_s() {
    let page = include_str!("../../../../docs/guide/own-response.md");
    let shown = |text: &str| assert!(page.contains(text), "docs/guide/own-response.md does not show\n{text}");
    shown(include_str!("../../examples/own_response.rs"));
    shown(&own_response::report().unwrap());
}
