//! Sentences that readers had to read twice, and names that meant several things: none of them comes back.
//!
//! Each row has a part of the old sentence and what replaced it; `tidy.rs` has further phrases. Messages,
//! documents, the page and the manual are searched; comments, tests and the changelog are not.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs;
use std::path::{Path, PathBuf};

use driver::adit;
use driver::literals::{files, literals, sources};

/// Parts of sentences that are gone, with the words that took their place.
const GONE: &[(&str, &str)] = &[
    ("could not be made to", "not reproduced: …"),
    ("can really happen", "of 300 random walks through the model, 294 were reproduced on the class"),
    ("claims refuted", "42 properties: 0 refuted"),
    ("the attack took", "branch coverage of the attack: 73 of 78"),
    ("words happened", "3 call sequences were seen too late to be explored"),
    ("drawn dashed", "guesses (marked `?`)"),
    ("no time to look where", "guesses (marked `?`)"),
    ("broken off", "incomplete: …; try --budget 1m"),
    ("too rarely to be given up", "sometimes hung or crashed, still called"),
    ("never seen to return", "never succeeded, so the model does not show them"),
    ("can be read this way", "3 traces more may have taken it, or another transition"),
    ("in another way too", "3 traces more may have taken it, or another transition"),
    ("rounds of attack", "not refuted in 100 generations of attack (3141 relevant traces)"),
    ("effort went elsewhere", "not refuted in 100 generations of attack (3141 relevant traces)"),
    ("side effects aside", "(ignoring events without side effects)"),
    ("counts up to its first exception", "after its first exception an object is no longer looked at"),
    ("a campaign that is there is moved", "an existing campaign is kept as DIR.1"),
    ("how to tell how far it is", "Progress output"),
    ("javamop follows one transition", "JavaMOP needs a deterministic model"),
    ("states beside", "3 vs 4 states"),
    ("transitions beside", "16 vs 20 transitions"),
    ("--non-public or leave", "two sentences"),
    ("specifications from programs and their traces", "Finds rules about call order"),
    ("orders of calls that your tests", "call sequences of your tests"),
    ("that is claimed was attacked", "no property was attacked"),
];

/// All that users read, with its place.
fn texts() -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    for file in sources() {
        let texts = literals(&fs::read_to_string(&file).unwrap());
        found.push((file, texts.join("\n")));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md"), root.join("adit"), root.join("docs/json.md")];
    files(&root.join("docs/guide"), "md", &mut pages);
    files(&root.join("scripts"), "sh", &mut pages);
    for extension in ["js", "html"] {
        files(&root.join("crates/app/src/report/assets"), extension, &mut pages);
    }
    found.extend(pages.into_iter().map(|page| (page.clone(), fs::read_to_string(&page).unwrap())));
    let commands = adit(&["--help"]).out;
    found.push((PathBuf::from("adit --help"), commands));
    found
}

/// A text on one line and in lower case, so that a sentence is found wherever it breaks.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[test]
fn sentences_that_were_replaced_stay_away() {
    let texts: Vec<(PathBuf, String)> =
        texts().into_iter().map(|(place, text)| (place, plain(&text))).collect();
    assert!(texts.len() > 300, "{}", texts.len());
    let mut wrong = Vec::new();
    for (gone, better) in GONE {
        let gone = plain(gone);
        for (place, _) in texts.iter().filter(|(_, text)| text.contains(&gone)) {
            wrong.push(format!("{}: “{gone}”; better: {better}", place.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_number_of_one_has_its_singular() {
    // Messages that count say it with `counted`; a plural behind a placeholder is one that cannot be one.
    let suspects = ["{} words", "{} claims", "{} orders", "{} classes below"];
    for file in sources() {
        for text in literals(&fs::read_to_string(&file).unwrap()) {
            let found = suspects.iter().find(|suspect| text.contains(**suspect));
            assert!(found.is_none(), "{}: {text}", file.display());
        }
    }
}

#[test]
fn templates_are_spelled_out_where_they_are_named() {
    for command in ["properties", "check", "mine", "explain"] {
        let help = adit(&[command, "--help"]).out;
        for (short, word) in [("AIP", "immediately preceded"), ("NIF", "never immediately followed")] {
            assert!(
                !help.contains(short) || plain(&help).contains(word),
                "adit {command} --help names {short} and does not say {word}"
            );
        }
    }
}
