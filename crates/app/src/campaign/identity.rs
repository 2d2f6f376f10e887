//! What a campaign is about: the class with all that it is made of, and the flags that decide what a word means.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use adit_bytecode::ClassPath;
use adit_jvm::classes;
use adit_store::{About, Digest};
use miette::Report;
use serde_json::{Value, json};

use crate::drive::Drive;
use crate::errors::bad_input;
use crate::flags::MineFlags;
use crate::machine;
use crate::user_tests;

/// The campaign that these flags ask for.
pub(crate) fn identity(flags: &MineFlags, drive: &Drive) -> Result<About, Report> {
    Ok(About {
        class: drive.api.class.to_string(),
        class_digest: class_digest(drive, &machine::entries(&flags.class))?,
        parameters: parameters(flags, drive)?,
        seed: flags.generate.seed,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        created: now(),
    })
}

/// What rounds of one campaign have in common. How long and how hard a round searches is its own business.
fn parameters(flags: &MineFlags, drive: &Drive) -> Result<Value, Report> {
    let generate = &flags.generate;
    let sorted = |names: &[String]| names.iter().cloned().collect::<BTreeSet<String>>();
    Ok(json!({
        "java": drive.machine.jdk.version,
        "miner": format!("{:?}", flags.miner).to_lowercase(),
        "coarse": flags.coarse,
        "claims": format!("{:?}", flags.claims).to_lowercase(),
        "constraints": format!("{:?}", flags.constraints).to_lowercase(),
        "tests": digest_of_tests(flags)?,
        "labels": "outcome",
        "non_public": flags.class.non_public,
        "object_methods": generate.object_methods,
        "only": generate.only.as_deref().map(sorted),
        "without": sorted(&generate.without),
        "fixtures": digest_of_files(&generate.fixtures)?,
        "fresh_statics": generate.fresh_statics,
    }))
}

/// A fingerprint of what the files say, whatever they are called; null if there are none.
fn digest_of_files(files: &[PathBuf]) -> Result<Value, Report> {
    let mut digest = Digest::new();
    for file in files {
        let bytes = fs::read(file).map_err(|error| {
            bad_input(format!("{}: cannot be read: {error}", file.display()), "is it still there?")
        })?;
        digest.add(&bytes);
    }
    Ok(if files.is_empty() { Value::Null } else { digest.to_string().into() })
}

/// A fingerprint of the user's test classes, wherever they lie; null if there are none.
fn digest_of_tests(flags: &MineFlags) -> Result<Value, Report> {
    if flags.tests.is_empty() {
        return Ok(Value::Null);
    }
    let (places, mut names) = user_tests::split(&flags.tests);
    let places: Vec<PathBuf> = places.into_iter().map(Path::to_owned).collect();
    names.iter_mut().for_each(|name| *name = name.replace('.', "/"));
    names.extend(classes::open(None, &places)?.names());
    let path = classes::open(None, &[machine::entries(&flags.class), places].concat())?;
    let mut digest = Digest::new();
    for name in names.into_iter().collect::<BTreeSet<String>>() {
        digest.add(name.as_bytes());
        if let Some((bytes, _)) = path.find(&name)? {
            digest.add(&bytes);
        }
    }
    Ok(digest.to_string().into())
}

/// A fingerprint of the class under test and of all classes on the class path that it may lead to. Classes of the JDK are told
/// by its version.
fn class_digest(drive: &Drive, typed: &[PathBuf]) -> Result<String, Report> {
    let start = drive.machine.class.name.to_string();
    let mut digest = Digest::new();
    let own = classes::open(None, typed)?;
    let parts = reachable(&own, &start)?;
    if !parts.contains_key(&start)
        && let Some((bytes, _)) = drive.machine.classes.find(&start)?
    {
        digest.add(&bytes);
    }
    for (name, bytes) in parts {
        digest.add(name.as_bytes());
        digest.add(&bytes);
    }
    Ok(digest.to_string())
}

/// The class files of a class path that one of them mentions, or that those mention, and so on.
fn reachable(path: &ClassPath, start: &str) -> Result<BTreeMap<String, Vec<u8>>, Report> {
    let names = path.names();
    let mut found = BTreeMap::new();
    let mut open: BTreeSet<String> = BTreeSet::from([start.to_owned()]);
    while let Some(name) = open.pop_first() {
        if found.contains_key(&name) {
            continue;
        }
        let Some((bytes, _)) = path.find(&name)? else { continue };
        for text in texts(&bytes) {
            // A name stands alone, or in descriptors and signatures between `L` and `;` or `<`.
            for part in text.split([';', '<', '>', '(', ')', '[']) {
                let inner = part.split_once('L').map(|(_, inner)| inner);
                for name in [Some(part), inner].into_iter().flatten() {
                    if names.contains(name) && !found.contains_key(name) {
                        open.insert(name.to_owned());
                    }
                }
            }
        }
        found.insert(name, bytes);
    }
    Ok(found)
}

/// The texts in the constant pool of a class file (JVMS 4.4). What is cut off or unknown ends the list.
fn texts(class: &[u8]) -> Vec<String> {
    let short =
        |at: usize| class.get(at..at + 2).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])));
    let mut texts = Vec::new();
    let Some(count) = short(8) else { return texts };
    let (mut at, mut number) = (10, 1);
    while number < count {
        let Some(&tag) = class.get(at) else { break };
        let size = match tag {
            1 => {
                let Some(length) = short(at + 1) else { break };
                let Some(text) = class.get(at + 3..at + 3 + length) else { break };
                texts.push(String::from_utf8_lossy(text).into_owned());
                2 + length
            }
            3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => 4,
            5 | 6 => {
                // These count twice.
                number += 1;
                8
            }
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            _ => break,
        };
        at += 1 + size;
        number += 1;
    }
    texts
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use adit_bytecode::Folder;

    use super::*;

    /// A class file as far as its constants go.
    fn class(constants: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        bytes.extend((constants.len() as u16 + 3).to_be_bytes());
        // A long, which takes two numbers.
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 1]);
        for text in constants {
            bytes.push(1);
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    #[test]
    fn classes_that_are_mentioned_count() {
        let files: BTreeMap<String, Vec<u8>> = [
            ("a/Stack.class", class(&["a/Base", "(ILa/Node;)[La/Deep;", "a/Nobody", "java/lang/Object"])),
            ("a/Base.class", class(&["Ljava/util/List<La/Element;>;"])),
            ("a/Node.class", class(&["a/Stack"])),
            ("a/Deep.class", class(&[])),
            ("a/Element.class", class(&[])),
            ("a/Unrelated.class", class(&["a/Stack"])),
        ]
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .into();
        let path = ClassPath::new(vec![Box::new(Folder::in_memory("test", files))]);
        let found: Vec<String> = reachable(&path, "a/Stack").unwrap().into_keys().collect();
        assert_eq!(found, ["a/Base", "a/Deep", "a/Element", "a/Node", "a/Stack"]);
    }

    #[test]
    fn what_is_no_class_mentions_nothing() {
        assert!(texts(b"").is_empty());
        let whole = class(&["a", "b"]);
        for end in 0..whole.len() {
            assert!(texts(&whole[..end]).len() < 2);
        }
        assert_eq!(texts(&whole), ["a", "b"]);
    }
}
