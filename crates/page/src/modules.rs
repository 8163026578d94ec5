//! The files of `script/`, joined into a single script.
//!
//! Invariant: each file is an ES module as browsers and Node.js read it. Each of its imports takes a single line and
//! names a file that stands before it. Joined, all share a scope. Lines of imports, of types too, and the word `export`
//! go, and no two files define the same name.

use super::html::Html;

/// The modules, lowest floor first: name and text.
const MODULES: &[(&str, &str)] = &[
    ("format.js", include_str!("script/format.js")),
    ("dom.js", include_str!("script/dom.js")),
    ("palette.js", include_str!("script/palette.js")),
    ("arrays.js", include_str!("script/arrays.js")),
    ("table.js", include_str!("script/table.js")),
    ("axis.js", include_str!("script/axis.js")),
    ("plane.js", include_str!("script/plane.js")),
    ("saving.js", include_str!("script/saving.js")),
    ("choice.js", include_str!("script/choice.js")),
    ("curves.js", include_str!("script/curves.js")),
    ("layout.js", include_str!("script/layout.js")),
    ("trees.js", include_str!("script/trees.js")),
    ("facts.js", include_str!("script/facts.js")),
    ("paths.js", include_str!("script/paths.js")),
    ("drawing.js", include_str!("script/drawing.js")),
    ("tips.js", include_str!("script/tips.js")),
    ("player.js", include_str!("script/player.js")),
    ("fabric.js", include_str!("script/fabric.js")),
    ("ranks.js", include_str!("script/ranks.js")),
    ("hurt.js", include_str!("script/hurt.js")),
    ("statistics.js", include_str!("script/statistics.js")),
    ("runs.js", include_str!("script/runs.js")),
    ("lines.js", include_str!("script/lines.js")),
    ("heat.js", include_str!("script/heat.js")),
    ("front.js", include_str!("script/front.js")),
    ("parallel.js", include_str!("script/parallel.js")),
    ("tuning.js", include_str!("script/tuning.js")),
    ("sweep.js", include_str!("script/sweep.js")),
    ("main.js", include_str!("script/main.js")),
];

/// The library that draws curves. Its licence stands beside it, and in the page.
const UPLOT: &str = include_str!("vendor/uPlot.iife.min.js");
pub(super) const UPLOT_LICENCE: &str = include_str!("vendor/LICENSE");
/// Style of that library.
const UPLOT_STYLE: &str = include_str!("vendor/uPlot.min.css");
/// Style of the page.
const STYLE: &str = include_str!("style.css");

/// Returns the whole script.
pub(super) fn script() -> Html {
    let part = |(name, text): &(&'static str, &'static str)| {
        Html::fixed("// ").and(*name).and("\n").and(joined(text)).and("\n")
    };
    let parts: Html = MODULES.iter().map(part).collect();
    Html::fixed(UPLOT.trim_end()).and("\n(() => {\n\"use strict\";\n").and(parts).and("})();\n")
}

/// Returns the whole style sheet.
pub(super) fn style() -> Html {
    Html::fixed(UPLOT_STYLE.trim_end()).and("\n").and(STYLE)
}

/// Returns a module without its imports, including imports of types in comments, and without the word `export`.
fn joined(text: &'static str) -> Html {
    let is_import = |line: &&str| line.starts_with("import ") || line.starts_with("/** @import ");
    let lines = text.lines().filter(|line| !is_import(line));
    lines.map(|line| Html::fixed(line.strip_prefix("export ").unwrap_or(line)).and("\n")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Returns the names that a module defines for all.
    fn defined(text: &str) -> Vec<&str> {
        let lines = text.lines().map(|line| line.strip_prefix("export ").unwrap_or(line));
        let name = |line: &'static str| line;
        let kinds = ["function ", "const ", "let ", "class ", "async function "].map(name);
        let after = |line: &'_ str| kinds.iter().find_map(|kind| line.strip_prefix(kind).map(str::len));
        lines
            .filter_map(|line| {
                let rest = &line[line.len() - after(line)?..];
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
            })
            .collect()
    }

    #[test]
    fn a_module_imports_what_one_before_it_exports() {
        let mut exported: BTreeMap<&str, &str> = BTreeMap::new();
        let mut all: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, text) in MODULES {
            assert!(text.starts_with("// "), "{name} does not state its purpose");
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let (names, from) = line
                    .strip_prefix("import { ")
                    .and_then(|rest| rest.strip_suffix("\";"))
                    .and_then(|rest| rest.split_once(" } from \"./"))
                    .unwrap_or_else(|| panic!("{name}: {line}"));
                for imported in names.split(", ") {
                    assert_eq!(exported.get(imported), Some(&from), "{name} imports {imported}");
                }
            }
            for one in defined(text) {
                assert_eq!(all.insert(one, name), None, "two modules define {one}");
            }
            let of_line = |line: &'static str| line.strip_prefix("export ");
            for one in text.lines().filter_map(of_line).flat_map(defined) {
                exported.insert(one, name);
            }
        }
        assert!(exported.len() > 20, "{exported:?}");
        let script = script().into_string();
        assert!(!script.contains("\nexport ") && !script.contains("\nimport "));
    }

    /// Returns the relative luminance of a colour as `#rrggbb`, of WCAG 2.2.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let value =
                f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("it is a colour")) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        (one / other).max(other / one)
    }

    /// In ink, the marks of a tree had 1.03 on its hottest links, and vanished.
    #[test]
    fn trees_and_victims_differ_from_paper_and_from_the_hottest_links() {
        let themes: Vec<_> = STYLE.split("--paper: ").skip(1).collect();
        assert_eq!(themes.len(), 3, "light, dark by the system, dark by choice");
        for theme in themes {
            let colour = |name: &str| {
                let at =
                    theme.find(&format!("--{name}: ")).expect("the theme has the colour") + name.len() + 4;
                &theme[at..at + 7]
            };
            let (paper, hottest) = (&theme[..7], colour("heat-5"));
            // Paper stands between a mark and a link that is less hot.
            for (one, other) in [
                ("tree", paper),
                ("tree", hottest),
                ("path", paper),
                ("path", hottest),
                ("victim", paper),
                ("heat-5", paper),
            ] {
                let seen = contrast(colour(one), other);
                assert!(seen >= 3.0, "{one} on {other}: {seen}");
            }
        }
    }

    #[test]
    fn the_licence_of_the_library_is_in_its_text_and_nothing_ends_the_script_early() {
        assert!(UPLOT.contains("uPlot (v1.6.32)") && UPLOT_LICENCE.contains("The MIT License"));
        let (script, style) = (script().into_string(), style().into_string());
        for ending in ["</script", "<!--", "</style"] {
            assert!(!script.contains(ending) && !style.contains(ending), "{ending}");
        }
    }
}
