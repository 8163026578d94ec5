//! Files of the figures of a run, which the crate `figures` draws.
//!
//! Invariant: the file of a figure has the figure's name.

/// The file of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureFile {
    /// Name of the figure.
    pub figure: &'static str,
    /// Name of the file.
    pub name: &'static str,
    /// Contents, in a few words.
    pub contents: &'static str,
}

/// The figure `goodput`.
pub const GOODPUT: FigureFile = FigureFile {
    figure: "goodput",
    name: "goodput.svg",
    contents: "goodput over time, of named flows, groups, and all other flows together",
};
/// The figure `hosts`.
pub const HOSTS: FigureFile = FigureFile {
    figure: "hosts",
    name: "hosts.svg",
    contents: "mean goodput of each host, received and sent",
};
/// The figure `completions`.
pub const COMPLETIONS: FigureFile = FigureFile {
    figure: "completions",
    name: "completions.svg",
    contents: "share of messages delivered within a time",
};
/// The figure `slowdown`.
pub const SLOWDOWN: FigureFile = FigureFile {
    figure: "slowdown",
    name: "slowdown.svg",
    contents: "slowdown of messages by size: p50, p95, p99",
};
/// The figure `queues`.
pub const QUEUES: FigureFile = FigureFile {
    figure: "queues",
    name: "queues.svg",
    contents: "queues over time at the roots of congestion trees and at watched outputs",
};
/// The figure `fabric`.
pub const FABRIC: FigureFile = FigureFile {
    figure: "fabric",
    name: "fabric.svg",
    contents: "the fabric, the outputs that were stalled, and the worst congestion tree",
};
/// The figure `watch`.
pub const WATCH: FigureFile =
    FigureFile { figure: "watch", name: "watch.svg", contents: "watched quantities over time" };
/// The figure `ports`.
pub const PORTS: FigureFile =
    FigureFile { figure: "ports", name: "ports.svg", contents: "ports by time: queue, use, time stalled" };
/// The figure `sources`.
pub const SOURCES: FigureFile = FigureFile {
    figure: "sources",
    name: "sources.svg",
    contents: "rate, window and congestion control of sources over time",
};

/// Files of all figures of a run, in the order of the list.
pub const FIGURE_FILES: [FigureFile; 9] =
    [GOODPUT, HOSTS, COMPLETIONS, SLOWDOWN, QUEUES, FABRIC, WATCH, PORTS, SOURCES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_of_their_figures() {
        for FigureFile { figure, name, .. } in FIGURE_FILES {
            assert_eq!(name, format!("{figure}.svg"));
        }
    }
}
