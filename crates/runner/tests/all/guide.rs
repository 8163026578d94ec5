//! The worked examples of `docs/guide`, and the questions of README.md, do what they print.
//!
//! Invariant: every command of a page is run, in order, in a folder that holds the files of that page alone. Every line
//! of its output that the page shows is a line of the real output.
//!
//! | block of a page | effect |
//! |---|---|
//! | `ron NAME`, `text NAME` | a file of this name |
//! | none: the files of the folder `docs/guide/PAGE`, if there is one | copies of them |
//! | `console`, a line after `$ ` | a shell command, which must succeed unless the page shows its exit status |
//! | `console`, other lines | lines of its output, in order, one after the other; `...` stands for lines that are left out |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pages with commands that not every machine can run. They need MPI (`cargo xtask test-mpi`), or a browser with the
/// tools that build the playground (`cargo xtask test-web`).
const TESTED_ELSEWHERE: [&str; 2] = ["browser.md", "many-machines.md"];

/// A fenced block of a page.
struct Block<'a> {
    /// The words after the fence.
    info: &'a str,
    lines: Vec<&'a str>,
    /// Line of the fence, from 1.
    line: usize,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open) = (Vec::new(), None::<Block<'_>>);
    for (line, text) in (1..).zip(page.lines()) {
        match (text.strip_prefix("```"), open.take()) {
            (Some(info), None) => open = Some(Block { info, lines: Vec::new(), line }),
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.lines.push(text);
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// Runs a command as a shell does in which `backwater` is installed. Returns what it prints, to standard error too, and
/// its exit status.
fn run(command: &str, folder: &Path) -> (String, i32) {
    let programs = Path::new(env!("CARGO_BIN_EXE_backwater")).parent().expect("a program lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .expect("there is a shell");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
}

/// Finds the lines that a page shows in what a command printed. Returns the first that is not there.
fn missing<'a>(shown: &[&'a str], printed: &str) -> Option<&'a str> {
    let printed: Vec<_> = printed.lines().map(str::trim_end).collect();
    let mut from = 0;
    let mut may_skip = true;
    for line in shown {
        if line.trim() == "..." {
            may_skip = true;
            continue;
        }
        let found = printed[from..].iter().position(|one| one == &line.trim_end());
        match found {
            Some(skipped) if skipped == 0 || may_skip => from += skipped + 1,
            _ => return Some(line),
        }
        may_skip = false;
    }
    None
}

/// A command of a page, with the lines of output and the exit status that the page shows.
struct Step<'a> {
    command: &'a str,
    shown: Vec<&'a str>,
    status: i32,
}

fn steps<'a>(block: &Block<'a>) -> Vec<Step<'a>> {
    let mut steps: Vec<Step<'a>> = Vec::new();
    for &line in &block.lines {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command, shown: Vec::new(), status: 0 });
            continue;
        }
        let step = steps.last_mut().unwrap_or_else(|| panic!("line {}: no command comes first", block.line));
        match line.strip_prefix("exit status ") {
            Some(status) => step.status = status.parse().expect("a number"),
            None => step.shown.push(line),
        }
    }
    steps
}

/// The folder of the pages.
fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

/// Copies the files that a page has beside it, if it has any.
fn copy_files(from: &Path, to: &Path) {
    for file in fs::read_dir(from).into_iter().flatten() {
        let file = file.expect("it can be read");
        fs::copy(file.path(), to.join(file.file_name())).expect("a writable folder");
    }
}

/// Writes the files of a page and runs its commands. `name` names the page and its folder.
fn assert_page(name: &str, page: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guide").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable folder");
    copy_files(&guide().join(name), &folder);
    let mut commands = 0;
    for block in blocks(page) {
        if let Some((_, file)) = block.info.split_once(' ') {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("a writable folder");
            fs::write(file, block.lines.join("\n") + "\n").expect("a writable folder");
        } else if block.info == "console" {
            for Step { command, shown, status } in steps(&block) {
                let (printed, ended) = run(command, &folder);
                let place = format!("{name}.md:{}: {command}", block.line);
                assert_eq!(ended, status, "{place}\n{printed}");
                if let Some(missed) = missing(&shown, &printed) {
                    panic!("{place}\ndoes not print, there,\n{missed}\nbut\n{printed}");
                }
                commands += 1;
            }
        }
    }
    assert!(commands > 0, "{name}.md has no command");
}

macro_rules! pages {
    ($($test:ident: $page:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            assert_page($page, include_str!(concat!("../../../../docs/guide/", $page, ".md")));
        })*

        #[test]
        fn every_page_is_run() {
            let pages = fs::read_dir(guide()).expect("it is there");
            let pages = pages.map(|page| page.expect("it can be read"));
            let pages = pages.filter(|page| page.file_type().is_ok_and(|kind| kind.is_file()));
            let mut pages: Vec<_> = pages.map(|page| page.file_name()).collect();
            pages.retain(|page| TESTED_ELSEWHERE.iter().all(|other| page != other));
            pages.sort();
            let mut run = vec![$(concat!($page, ".md")),*];
            run.sort_unstable();
            assert_eq!(pages, run);
        }
    };
}

#[test]
fn the_questions_of_the_readme() {
    assert_page("readme", include_str!("../../../../README.md"));
}

/// The first text of README.md has sentences of the program's answer, in lines of its own.
#[test]
fn the_answer_of_the_readme() {
    let page = include_str!("../../../../README.md");
    let block =
        blocks(page).into_iter().find(|block| block.lines[0].starts_with("Lost ")).expect("an answer");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guide").join("readme-answer");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable folder");
    let (printed, status) = run("backwater sim gran2011-scenario1 --out answer", &folder);
    assert_eq!(status, 0, "{printed}");
    let in_a_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let printed = in_a_line(&printed);
    let answer = block.lines.split(|line| line.is_empty()).next().expect("lines").join("\n");
    for part in answer.split("\nWhy").flat_map(|part| part.split("\nTry")) {
        assert!(printed.contains(&in_a_line(part)), "no {part} in {printed}");
    }
}

pages! {
    a_choice_of_paths: "paths",
    a_configuration_of_hpcc: "hpcc-configuration",
    an_incast_beside_a_victim: "leaf-spine-incast",
    a_threshold_and_the_spread_over_seeds: "threshold-and-seeds",
    a_slow_receiver_in_a_fat_tree: "slow-receiver",
    settings_for_a_victim_tuned: "tuning",
    all_to_all_until_the_last_message: "all-to-all",
    a_slow_all_reduce_and_four_remedies: "slow-all-reduce",
    a_sweep_of_settings_and_seeds: "sweep",
    one_slow_cable_and_one_missing: "changed-cables",
    long_runs_go_on: "long-runs",
    packets_and_a_timeline: "packets-and-timeline",
    a_cluster_from_its_files_to_its_settings: "cluster",
    a_roce_fabric_from_its_cables_to_a_verdict: "roce-fabric",
    a_response_of_one_s_own_is_refused: "own-response",
}
