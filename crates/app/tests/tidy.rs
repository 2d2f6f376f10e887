//! Rules about the whole workspace that no compiler checks: layering, headers, lengths, unused dependencies,
//! and the language of the documentation.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn crates_depend_only_on_what_the_architecture_allows() {
    let architecture = read("docs/architecture.md");
    let (_, after) = architecture.split_once("```layers\n").expect("architecture.md has a `layers` block");
    let (block, _) = after.split_once("```").expect("the `layers` block is closed");
    let allowed: BTreeMap<&str, BTreeSet<&str>> = block
        .lines()
        .map(|line| line.split_once(':').expect("a line of the block reads `crate: crates it may use`"))
        .map(|(from, to)| (from, to.split_whitespace().collect()))
        .collect();
    let mut wrong = Vec::new();
    for (member, manifest) in members() {
        let name = member.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(may) = allowed.get(name.as_str()) else {
            wrong.push(format!("{name} is missing from the `layers` block of docs/architecture.md"));
            continue;
        };
        // A test may lean on a crate that the code may not, but nothing has needed that so far.
        for dependency in
            dependencies(&manifest).filter_map(|name| name.strip_prefix("adit-").map(str::to_owned))
        {
            if !may.contains("*") && !may.contains(dependency.as_str()) {
                wrong.push(format!(
                    "{name} depends on {dependency}, which docs/architecture.md does not allow"
                ));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn the_architecture_mentions_every_crate() {
    let architecture = read("docs/architecture.md");
    let missing: Vec<_> = members()
        .into_iter()
        .map(|(member, _)| short(&member))
        .filter(|member| !architecture.contains(&format!("| `{member}` |")))
        .map(|member| format!("docs/architecture.md has no row for `{member}`"))
        .collect();
    assert_none(&missing);
}

#[test]
fn algorithms_name_their_paper() {
    let papers = read("docs/papers.md");
    let known: BTreeSet<&str> = papers
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(key, _)| key)
        .collect();
    assert!(known.contains("dice"), "the table of docs/papers.md was not understood");
    // A file in a folder of its own is a part of the algorithm in the file that the folder is named after.
    let homes = ["crates/infer/src", "crates/mine/src"].map(|folder| root().join(folder));
    let mut wrong = Vec::new();
    for file in members().iter().flat_map(|(member, _)| files(member)) {
        let text = fs::read_to_string(&file).unwrap();
        let header: Vec<&str> =
            text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        let is_algorithm = homes.iter().any(|home| file.parent() == Some(home)) && !file.ends_with("lib.rs");
        let file = short(&file);
        if is_algorithm && header.first().is_none_or(|idea| idea.is_empty()) {
            wrong.push(format!("{file} does not begin with its idea in one sentence"));
        }
        match paper_key(&header) {
            Some(key) if key == "none" || known.contains(key) => {}
            Some(key) => {
                wrong.push(format!("{file} names the paper `{key}`, which docs/papers.md does not list"))
            }
            None if is_algorithm => {
                wrong.push(format!(
                    "{file} has no `Paper:` line in its header; `Paper: none` and why is fine too"
                ));
            }
            None => {}
        }
    }
    assert_none(&wrong);
}

/// The key in a header's line `Paper: [key], where in the paper`.
fn paper_key<'a>(header: &[&'a str]) -> Option<&'a str> {
    let rest = header.iter().find_map(|line| line.strip_prefix("Paper:"))?;
    let rest = rest.trim_start_matches([' ', '[', '`', '\\']);
    Some(rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or(rest))
}

#[test]
fn papers_point_to_files_that_exist() {
    let missing: Vec<_> = read("docs/papers.md")
        .split('`')
        .filter(|word| word.starts_with("crates/") && !root().join(word).exists())
        .map(|path| format!("docs/papers.md points to {path}, which does not exist"))
        .collect();
    assert_none(&missing);
}

#[test]
fn only_commands_know_flags() {
    let mut wrong = Vec::new();
    for path in files(&root().join("crates/app/src")) {
        let name = short(&path);
        let above = ["src/flags", "src/commands", "src/main.rs"].iter().any(|place| name.contains(place));
        if !above && read(&name).contains("flags::") {
            wrong.push(format!("{name} uses flags; let a command make a request of them"));
        }
    }
    assert_none(&wrong);
}

#[test]
fn no_file_is_longer_than_one_story() {
    let mut long = Vec::new();
    for (member, _) in members() {
        for file in files(&member) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if lines > 800 {
                long.push(format!("{} has {lines} lines; split it by idea", short(&file)));
            }
        }
    }
    assert_none(&long);
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    // Spelled in halves, so that this file does not accuse itself.
    let homes = [["/ro", "ot/"], ["/ho", "me/"], ["/Us", "ers/"], ["/wo", "rk/"], ["C:", "\\Users"]]
        .map(|half| half.concat());
    let mut wrong = Vec::new();
    for file in tracked() {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (at, line) in text.lines().enumerate() {
            if homes.iter().any(|home| line.contains(home.as_str())) {
                wrong.push(format!("{}:{} names a path of one machine: {line}", short(&file), at + 1));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_dependency_is_used() {
    let table: toml::Table = read("Cargo.toml").parse().unwrap();
    let mut unused: BTreeSet<String> =
        table["workspace"]["dependencies"].as_table().unwrap().keys().cloned().collect();
    let mut wrong = Vec::new();
    for (member, manifest) in members() {
        let sources: String = files(&member).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        for name in dependencies(&manifest) {
            unused.remove(&name);
            let used = name.replace('-', "_");
            if !sources.contains(&format!("{used}::")) && !sources.contains(&format!("use {used}")) {
                wrong.push(format!("{} does not use its dependency {name}", short(&member)));
            }
        }
    }
    wrong.extend(unused.iter().map(|name| format!("no crate uses {name} of the version table")));
    assert_none(&wrong);
}

#[test]
fn versions_live_in_one_table() {
    let mut wrong = Vec::new();
    for (member, manifest) in members() {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, how) in manifest.get(section).and_then(toml::Value::as_table).into_iter().flatten() {
                if how.get("workspace").and_then(toml::Value::as_bool) != Some(true) {
                    wrong.push(format!("{}: write `{name}.workspace = true`", short(&member)));
                }
            }
        }
        if manifest["lints"]["workspace"].as_bool() != Some(true) {
            wrong.push(format!("{} does not take the workspace's lints", short(&member)));
        }
    }
    assert_none(&wrong);
}

/// Widest line of a comment or of prose, as wide as code may be (`max_width` in `rustfmt.toml`).
const WIDEST: usize = 110;

#[test]
fn prose_is_no_wider_than_code() {
    let mut wide = Vec::new();
    for file in tracked() {
        let lines = match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => comment_lines(&file),
            Some("md") if !is_generated(&file) => prose_lines(&file),
            _ => continue,
        };
        wide.extend(lines.into_iter().filter(|(_, line)| line.chars().count() > WIDEST).map(
            |(number, _)| format!("{}:{number} is wider than {WIDEST} columns; break the line", short(&file)),
        ));
    }
    assert_none(&wide);
}

/// Phrases that readers had to read twice, in halves so that this file does not accuse itself, and what to
/// write.
const RETIRED: [([&str; 2], &str); 10] = [
    (["shut", " in"], "in a sandbox"),
    (["mend", " it"], "fix it"),
    (["begin", " anew"], "start over"),
    (["begins", " anew"], "starts over"),
    (["made-", "up calls"], "generated calls"),
    (["what came", " of"], "the result of"),
    (["and its", " kin"], "and similar ones"),
    (["from", " afar"], "what is abstracted"),
    (["falsi", "fied"], "refuted"),
    (["unreal", "ised"], "unrealized"),
];

#[test]
fn retired_phrases_stay_retired() {
    let mut found = Vec::new();
    for file in tracked() {
        let is_prose = file.extension().is_some_and(|extension| extension == "md") && !is_generated(&file);
        // The glossary lists the names that changed.
        if !(is_prose || file.starts_with(root().join("crates/app"))) || file.ends_with("docs/glossary.md") {
            continue;
        }
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (at, line) in text.to_lowercase().lines().enumerate() {
            for (phrase, instead) in &RETIRED {
                if line.contains(&phrase.concat()) {
                    found.push(format!(
                        "{}:{}: write “{instead}” for “{}”",
                        short(&file),
                        at + 1,
                        phrase.concat()
                    ));
                }
            }
        }
    }
    assert_none(&found);
}

#[test]
fn a_public_type_name_has_at_most_two_homes() {
    let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (member, _) in members() {
        for file in files(&member.join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            for line in text.lines() {
                let rest = ["pub struct ", "pub enum ", "pub trait ", "pub type "]
                    .iter()
                    .find_map(|start| line.strip_prefix(start));
                let name = rest.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
                if let Some(name) = name {
                    homes.entry(name.to_owned()).or_default().insert(short(&member));
                }
            }
        }
    }
    let wrong: Vec<_> = homes
        .iter()
        .filter(|(_, crates)| crates.len() > 2)
        .map(|(name, crates)| {
            format!("`{name}` is a public type of {crates:?}; let its name say whose it is")
        })
        .collect();
    assert_none(&wrong);
}

#[cfg(unix)]
#[test]
fn scripts_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    for script in ["adit", "test", ".ci/run"] {
        let mode = fs::metadata(root().join(script)).expect(script).permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{script} is not executable: {mode:o}");
    }
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .and_then(Path::parent)
        .expect("the app lies two folders down")
}

/// A path as it is called inside the project.
fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The folder and the manifest of every crate of the workspace.
fn members() -> Vec<(PathBuf, toml::Table)> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.push(root().join("evals"));
    folders.sort();
    folders
        .into_iter()
        .filter(|folder| folder.join("Cargo.toml").exists())
        .map(|folder| {
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
            (folder, manifest)
        })
        .collect()
}

/// The names of all dependencies of a manifest, those of tests included.
fn dependencies(manifest: &toml::Table) -> impl Iterator<Item = String> {
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .filter_map(|section| manifest.get(*section)?.as_table())
        .flat_map(|table| table.keys().cloned())
}

/// All Rust files below `folder`, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = walk(folder);
    all.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    all
}

/// All files that belong to the project, in order.
fn tracked() -> Vec<PathBuf> {
    walk(root())
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Version control, which is a file in a linked worktree, and what builds and runs leave behind
            // are not the project.
            if [".git", "target", "adit-out", "proptest-regressions"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                todo.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The numbered comment lines of a Rust file: no code, no tables, no links.
fn comment_lines(file: &Path) -> Vec<(usize, String)> {
    let mut in_code = false;
    let mut comments = Vec::new();
    for (at, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            in_code = false;
            continue;
        };
        if comment.trim_start_matches(['/', '!', ' ']).starts_with("```") {
            in_code = !in_code;
        } else if !in_code && !comment.contains("://") && !comment.contains(" | ") {
            comments.push((at + 1, line.to_owned()));
        }
    }
    comments
}

/// The numbered lines of prose in a Markdown file: no code, no tables, no links or pictures.
fn prose_lines(file: &Path) -> Vec<(usize, String)> {
    let mut in_code = false;
    let mut prose = Vec::new();
    for (at, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
        let start = line.trim_start();
        if start.starts_with("```") {
            in_code = !in_code;
        } else if !in_code
            && !line.starts_with("    ")
            && !start.starts_with(['|', '<'])
            && !line.contains("](")
        {
            prose.push((at + 1, line.to_owned()));
        }
    }
    prose
}

/// Returns true for pages that a command writes.
fn is_generated(file: &Path) -> bool {
    file.ends_with("docs/examples/README.md") || file.starts_with(root().join("evals/results"))
}
