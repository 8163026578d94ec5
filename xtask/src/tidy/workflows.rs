//! Rules on workflows: what runs on a machine that others watch is what was reviewed.
//!
//! Invariant: actions are named by digest and packages by version, nothing that is fetched runs unseen, and a token that can write stays
//! with the job that needs it.

use std::path::Path;

use super::Finding;

/// Folder of the workflows.
const FOLDER: &str = ".github/workflows";

/// Programs that install packages, and the sign of a version in what they are given.
const INSTALLERS: [(&str, &str); 3] =
    [("pip install", "=="), ("npm install", "@"), ("cargo install", "--version")];

/// Checks a workflow; any other file has no findings.
pub(super) fn check(file: &Path, text: &str) -> Vec<Finding> {
    if !file.starts_with(FOLDER) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    if !text.contains("\npermissions:\n  contents: read\n\n") {
        let remedy = "write `permissions:` with `contents: read` alone, and more where a job needs it";
        found.push(Finding::error(file, 1, "the workflow's token may do more than read", remedy));
    }
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_start().trim_start_matches("- ");
        let mut add = |fault: &str, remedy: &str| found.push(Finding::error(file, at + 1, fault, remedy));
        if let Some(action) = line.strip_prefix("uses: ") {
            if !is_pinned(action) {
                add("an action is named by a tag, which can move", "write `OWNER/NAME@DIGEST # vVERSION`");
            }
            let rest = lines.iter().skip(at + 1).take(2);
            if action.starts_with("actions/checkout@")
                && !rest.eq(&["        with:", "          persist-credentials: false"])
            {
                add(
                    "the token stays in the folder that is checked out",
                    "add `with:` `persist-credentials: false`",
                );
            }
        }
        if (line.contains("curl ") || line.contains("wget ")) && line.contains("| sh") {
            add(
                "a script is fetched and run unseen",
                "use a package with a version, or compare its sum first",
            );
        }
        for (installer, sign) in INSTALLERS {
            let packages = line.split_once(installer).map(|(_, rest)| rest);
            if packages.is_some_and(|packages| !names_versions(packages, sign)) {
                add("a package is installed without a version", "name the version of each package");
            }
        }
    }
    found
}

/// Returns true if an action is named by its digest, with its version in a comment.
fn is_pinned(action: &str) -> bool {
    let Some((name, version)) = action.split_once(" # v") else { return action.starts_with("./") };
    let digest = name.split_once('@').map_or("", |(_, digest)| digest);
    digest.len() == 40 && digest.chars().all(|digit| digit.is_ascii_hexdigit()) && !version.is_empty()
}

/// Returns true if a version follows each package, or, if the sign is an option, the only package.
fn names_versions(packages: &str, sign: &str) -> bool {
    let packages = packages.split("&&").next().unwrap_or_default();
    let mut names = packages.split_whitespace().filter(|word| !word.starts_with('-'));
    if sign.starts_with('-') { packages.contains(sign) } else { names.all(|name| name.contains(sign)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# About.\nname: x\n\npermissions:\n  contents: read\n\njobs:\n  x:\n    steps:\n      \
        - uses: actions/checkout@0123456789012345678901234567890123456789 # v4.2.2\n        \
        with:\n          persist-credentials: false\n      \
        - run: pip install -q polars==2.1.0 pandas==3.1.1\n      \
        - run: command -v mdbook || cargo install --locked mdbook --version 0.5.4\n";

    fn faults(text: &str) -> Vec<String> {
        check(Path::new(".github/workflows/x.yml"), text).into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn a_workflow_with_digests_and_versions_has_no_findings() {
        assert_eq!(faults(GOOD), Vec::<String>::new());
        assert!(check(Path::new("web/x.yml"), "").is_empty());
    }

    #[test]
    fn each_departure_is_found() {
        for (from, to, fault) in [
            ("@0123456789012345678901234567890123456789 # v4.2.2", "@v4", "an action is named by a tag"),
            ("persist-credentials: false", "fetch-depth: 0", "the token stays"),
            ("contents: read", "contents: write", "the workflow's token may do more"),
            ("contents: read\n", "contents: read\n  id-token: write\n", "the workflow's token may do more"),
            ("pandas==3.1.1", "pandas", "a package is installed without a version"),
            (" --version 0.5.4", "", "a package is installed without a version"),
            ("pip install -q", "npm install", "a package is installed without a version"),
            ("command -v mdbook", "curl -sSf https://a.b/c | sh", "a script is fetched"),
        ] {
            let found = faults(&GOOD.replace(from, to));
            assert!(found.len() == 1 && found[0].starts_with(fault), "{to}: {found:?}");
        }
    }
}
