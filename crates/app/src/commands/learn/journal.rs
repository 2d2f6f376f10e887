//! Answers on disk, appended while a session runs, so that an interrupted one can go on.
//!
//! The first line says what was asked; every other line is a word with its outputs. A line that was cut off
//! by a crash is the last one, and is dropped.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use adit_learn::mealy::{InputWord, OutputSymbol};
use miette::Report;
use serde_json::{Value, json};

use crate::errors::bad_input;

/// A word and its outputs, by name.
pub(super) type Answered = (Vec<String>, Vec<String>);

/// A file of answers that grows.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the file and reads what it has, unless `fresh`. Answers of something else than `header`
    /// describes are an error.
    pub(super) fn open(
        path: &Path,
        header: &Value,
        labels: &[String],
        fresh: bool,
    ) -> Result<(Self, Vec<Answered>), Report> {
        let cannot = |error: std::io::Error| {
            bad_input(
                format!("{}: cannot keep answers: {error}", path.display()),
                "write the model to another folder with -o",
            )
        };
        let mut answers = Vec::new();
        let mut whole = 0;
        if !fresh && path.exists() {
            let text = fs::read_to_string(path).map_err(cannot)?;
            let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            if let Some(first) = lines.next() {
                check_header(first, header, path)?;
                whole = first.len() as u64;
                for (at, line) in lines.enumerate() {
                    let Some(answer) = read(line) else {
                        return Err(bad_input(
                            format!("{}: line {} is no answer", path.display(), at + 2),
                            "start over with --fresh",
                        ));
                    };
                    whole += line.len() as u64;
                    answers.push(answer);
                }
            }
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(cannot)?;
        file.set_len(whole).map_err(cannot)?;
        if whole == 0 {
            let mut header = header.clone();
            header["inputs"] = json!(labels);
            writeln!(file, "{header}").map_err(cannot)?;
        }
        Ok((Self { path: path.to_owned(), file }, answers))
    }

    /// Adds answers; they are on disk when this returns, unless the machine loses power.
    pub(super) fn append<'a>(
        &mut self,
        answers: impl Iterator<Item = (&'a InputWord, &'a Vec<OutputSymbol>)>,
        labels: &[String],
        names: &[String],
    ) -> Result<(), Report> {
        let mut text = String::new();
        for (word, outputs) in answers {
            let word: Vec<&str> = word.iter().map(|&input| labels[input].as_str()).collect();
            let outputs: Vec<&str> = outputs.iter().map(|&output| names[output as usize].as_str()).collect();
            text += &format!("{}\n", json!([word, outputs]));
        }
        self.file.write_all(text.as_bytes()).map_err(|error| {
            bad_input(
                format!("{}: cannot keep answers: {error}", self.path.display()),
                "is the disk full? run the same command again to continue",
            )
        })
    }
}

/// Checks that the answers are about the same thing.
fn check_header(line: &str, header: &Value, path: &Path) -> Result<(), Report> {
    let found: Value = serde_json::from_str(line).unwrap_or_default();
    if found["adit"] != header["adit"] || found["version"] != header["version"] {
        return Err(bad_input(
            format!("{} is no file of answers of this version of adit", path.display()),
            "write the model to another file with -o, or start over with --fresh",
        ));
    }
    for field in ["subject", "program", "adapter", "start"] {
        if found[field] != header[field] {
            return Err(bad_input(
                format!(
                    "{} has the answers of another {field}: {} instead of {}",
                    path.display(),
                    found[field],
                    header[field]
                ),
                "write the model to another file with -o, or start over with --fresh",
            ));
        }
    }
    Ok(())
}

fn read(line: &str) -> Option<Answered> {
    let (word, outputs): Answered = serde_json::from_str(line).ok()?;
    (word.len() == outputs.len()).then_some((word, outputs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(subject: &str) -> Value {
        json!({"adit": "queries", "version": 1, "subject": subject})
    }

    #[test]
    fn answers_come_back_without_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.queries.jsonl");
        let labels = ["open".to_owned(), "close".to_owned()];
        let names = ["ok".to_owned()];
        let (mut journal, earlier) = Journal::open(&path, &header("Door"), &labels, false).unwrap();
        assert!(earlier.is_empty());
        let answers = [(vec![0, 1], vec![0, 0])];
        journal.append(answers.iter().map(|(word, outputs)| (word, outputs)), &labels, &names).unwrap();
        journal.file.write_all(b"[[\"open\"],[\"o").unwrap();
        drop(journal);
        let again = || Journal::open(&path, &header("Door"), &labels, false).unwrap().1;
        let expected = [(vec!["open".to_owned(), "close".to_owned()], vec!["ok".to_owned(); 2])];
        assert_eq!(again(), expected);
        assert_eq!(again(), expected, "the rest of the line is gone for good");
        let other = Journal::open(&path, &header("Gate"), &labels, false).err().unwrap();
        assert_eq!(
            other.to_string(),
            format!("{} has the answers of another subject: \"Door\" instead of \"Gate\"", path.display())
        );
        assert!(Journal::open(&path, &header("Gate"), &labels, true).unwrap().1.is_empty());
    }

    #[test]
    fn other_files_are_not_taken_for_answers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.queries.jsonl");
        fs::write(&path, "some notes\n").unwrap();
        assert!(Journal::open(&path, &header("Door"), &[], false).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "some notes\n", "what is not ours stays");
    }
}
