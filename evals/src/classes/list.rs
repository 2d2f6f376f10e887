//! The list of classes, and which half each belongs to.

use serde::{Deserialize, Serialize};

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) class: String,
    /// Names of jars.
    pub(super) jars: Vec<String>,
    pub(super) half: Half,
}

/// Permitted use of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Half {
    /// Choosing constants.
    Tuning,
    /// Reporting.
    HeldOut,
}

/// Reads a list: a class per line, then its jars; `#` begins a comment.
///
/// Every second class, in the order of a hash of the names, is for tuning, so nobody chose the halves.
pub(super) fn read(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace().map(str::to_owned);
            Some(Entry { class: words.next()?, jars: words.collect(), half: Half::HeldOut })
        })
        .collect();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&at| (fnv(&entries[at].class), entries[at].class.clone()));
    for &at in order.iter().step_by(2) {
        entries[at].half = Half::Tuning;
    }
    entries
}

/// FNV-1a of 64 bits: it must stay the same in every version of everything.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_of_the_repository_is_large_enough() {
        let list = read(super::super::LIST);
        let names: BTreeSet<&str> = list.iter().map(|entry| entry.class.as_str()).collect();
        assert_eq!(names.len(), list.len(), "a class is there twice");
        assert!(list.len() >= 44);
        assert!(list.iter().filter(|entry| entry.class.starts_with("java")).count() >= 30);
        let tuning = list.iter().filter(|entry| entry.half == Half::Tuning).count();
        assert_eq!(tuning, list.len().div_ceil(2));
    }

    #[test]
    fn comments_and_empty_lines_are_no_classes() {
        let list = read("# nothing\n\na.B  # text\na.C one.jar two.jar\n");
        let read: Vec<(&str, usize)> =
            list.iter().map(|entry| (entry.class.as_str(), entry.jars.len())).collect();
        assert_eq!(read, [("a.B", 0), ("a.C", 2)]);
    }

    #[test]
    fn the_hash_is_that_of_the_specification() {
        assert_eq!(fnv(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
