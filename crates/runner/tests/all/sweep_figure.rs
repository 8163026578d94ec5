//! `figure` and `figures` in the folder of a sweep.

use crate::scratch::{Scratch, assert_refused};

#[test]
fn a_sweep_has_a_figure_with_a_line_for_each_setting() {
    let scratch = Scratch::new("sweep-figure");
    let short = ["--set", "duration=100 us", "--seeds", "1,2", "--out", "s", "--quiet"];
    let varied = ["--vary", "link.mtu=512 B,1 KiB", "--vary", "congestion_control=Off,Guideline"];
    scratch.printed(&[&["sweep", "one-flow"], &varied[..], &short].concat());
    let listed = scratch.printed(&["figures", "s"]);
    assert_eq!(listed, "sweep        measures against a varied field, a line for each setting\n");
    assert_eq!(scratch.printed(&["figure", "s"]), "wrote sweep.svg to s\n");
    let drawn = scratch.read("s/sweep.svg");
    for words in
        ["link.mtu", "congestion_control=Off", "congestion_control=Guideline", "goodput (Gb/s)", "one-flow: "]
    {
        assert!(drawn.contains(words), "no `{words}` in the figure");
    }
    assert!(scratch.read("s/run.json").contains("sweep.svg"), "the manifest names the figure");
    let own =
        ["figure", "s", "sweep", "--x", "congestion_control", "--y", "goodput(all)", "--out", "own.svg"];
    assert_eq!(scratch.printed(&own), "wrote own.svg\n");
    assert!(scratch.read("own.svg").contains("goodput(all) against congestion_control"));
    let unknown = scratch.run(&["figure", "s", "sweep", "--x", "mtu"]);
    assert_refused(
        &unknown,
        "error: the sweep does not vary `mtu`\nhelp: name one of link.mtu, congestion_control",
    );
    let unknown = scratch.run(&["figure", "s", "sweep", "--y", "pause_frames(all)"]);
    assert_refused(&unknown, "error: the table of the sweep has no column of `pause_frames(all)`");
    let fixed = scratch.run(&["figure", "s", "goodput", "--x", "link.mtu"]);
    assert_refused(&fixed, "error: the figure `goodput` has axes of its own");
}
