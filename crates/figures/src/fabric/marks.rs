//! Lines and marks of the picture of the fabric, and their key.
//!
//! Invariant: marks of a single sample's tree are black or blue, with a shape or a dash of their own. Marks of the
//! whole run have a colour and a width.

use super::super::engine::style::{BLACK, FAINT, GREY, HEAT, hairline, letters, width};
use super::super::engine::svg::{Anchor, Stroke, SvgFile};
use super::MARGIN;

/// Shares of the run from which on an output counts as stalled for so long.
const CLASSES: [f64; 4] = [0.01, 0.1, 0.3, 0.6];
/// Colour of victims.
const BLUE: &str = "#0072b2";
/// Height of a row of the key.
pub(super) const KEY_ROW: f64 = 20.0;
/// Least radius of a mark, in pixels.
const LEAST: f64 = 4.0;

/// Pen of the root.
pub(super) const ROOT: Stroke = Stroke { colour: BLACK, width: 5.0, dash: "" };
/// Pen of a branch, on white within the colour of the run.
pub(super) const BRANCH: Stroke = Stroke { colour: BLACK, width: 2.0, dash: "2 4" };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostRole {
    None,
    Contributor,
    Victim,
    Both,
}

impl HostRole {
    pub(super) fn of(contributes: bool, suffers: bool) -> Self {
        match (contributes, suffers) {
            (false, false) => Self::None,
            (true, false) => Self::Contributor,
            (false, true) => Self::Victim,
            (true, true) => Self::Both,
        }
    }
}

/// Returns the pen of an output that was stalled for a share of the run.
pub(super) fn pen(share: f64) -> Stroke {
    match CLASSES.iter().rposition(|least| share >= *least) {
        Some(class) => Stroke { colour: HEAT[class + 2], width: 1.5 + class as f64, dash: "" },
        None => hairline("#c4c4c4"),
    }
}

/// Draws a branch: dots on white, with the colour of the run on both sides.
pub(super) fn draw_branch(file: &mut SvgFile, (from, to): ((f64, f64), (f64, f64)), run: Stroke) {
    file.line(from, to, Stroke { width: run.width + 3.0, ..run });
    file.line(from, to, Stroke { colour: "#ffffff", dash: "", ..BRANCH });
    file.line(from, to, BRANCH);
}

/// Draws the mark of a root: a square on its output.
pub(super) fn draw_root(file: &mut SvgFile, (x, y): (f64, f64)) {
    file.named_polygon(&square((x, y), 6.0), BLACK, hairline(BLACK), "root");
}

pub(super) fn draw_host(file: &mut SvgFile, at: (f64, f64), radius: f64, role: HostRole, name: &str) {
    let size = radius.max(LEAST);
    let frame = Stroke { colour: BLUE, width: 2.4, dash: "" };
    match role {
        HostRole::None => file.named_dot(at, radius, FAINT, hairline(GREY), name),
        HostRole::Contributor => file.named_polygon(&triangle(at, size), BLACK, hairline(BLACK), name),
        HostRole::Victim => file.named_polygon(&square(at, size), "#ffffff", frame, name),
        HostRole::Both => {
            file.named_polygon(&square(at, size), "#ffffff", frame, name);
            file.named_polygon(&triangle(at, size * 0.7), BLACK, hairline(BLACK), name);
        }
    }
}

fn square((x, y): (f64, f64), half: f64) -> [(f64, f64); 4] {
    [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
}

fn triangle((x, y): (f64, f64), half: f64) -> [(f64, f64); 3] {
    [(x, y - half), (x + half, y + half), (x - half, y + half)]
}

/// Draws the meaning of lines, and of marks if there is a tree, from the middle of the first row on.
pub(super) fn draw_key(file: &mut SvgFile, middle: f64, has_tree: bool) {
    let mut left = MARGIN;
    let ends = CLASSES.iter().skip(1).chain([&1.0]);
    let held = CLASSES
        .iter()
        .zip(ends)
        .map(|(from, to)| (*from, format!("{} to {} % of the run", from * 100.0, to * 100.0)));
    let free = (0.0, format!("less than {} %", CLASSES[0] * 100.0));
    let line = |file: &mut SvgFile, middle: f64, left: &mut f64, pen: Stroke, name: &str| {
        file.line((*left, middle), (*left + 28.0, middle), pen);
        file.text((*left + 34.0, middle + 4.0), Anchor::Start, letters(12.0), name);
        *left += 50.0 + width(name, 12.0);
    };
    for (share, name) in [free].into_iter().chain(held) {
        line(file, middle, &mut left, pen(share), &name);
    }
    if !has_tree {
        return;
    }
    let (mut left, middle) = (MARGIN, middle + KEY_ROW);
    draw_root(file, (left + 9.0, middle));
    line(file, middle, &mut left, ROOT, "root");
    line(file, middle, &mut left, BRANCH, "branch");
    let hosts = [
        (HostRole::Contributor, "host of a contributor"),
        (HostRole::Victim, "host of a victim"),
        (HostRole::Both, "host of both"),
    ];
    for (role, name) in hosts {
        draw_host(file, (left + 8.0, middle), 6.0, role, name);
        file.text((left + 20.0, middle + 4.0), Anchor::Start, letters(12.0), name);
        left += 36.0 + width(name, 12.0);
    }
}
