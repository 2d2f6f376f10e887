//! Test classes that lead to the class under test, the nearest first, so that no others are run.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::{ClassError, ClassPath, mentions_any};

/// Returns those of `starts` that refer to the class `goal`, directly or through other classes of the class
/// path, by internal name, each with the number of references on the shortest way. Only reflection could lead
/// from another one to the class. The classes around a nested class are as near as the class itself: only
/// they may make objects of a private one.
pub(super) fn leading_to(
    path: &ClassPath,
    goal: &str,
    starts: &[String],
) -> Result<BTreeMap<String, usize>, ClassError> {
    let names = path.names();
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut seen, mut open) = (BTreeSet::new(), starts.to_vec());
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let Some((bytes, _)) = path.find(&name)? else { continue };
        let referred = RefCell::new(BTreeSet::new());
        mentions_any(&bytes, |other| {
            if names.contains(other) {
                referred.borrow_mut().insert(other.to_owned());
            }
            false
        });
        for other in referred.into_inner() {
            users.entry(other.clone()).or_default().push(name.clone());
            open.push(other);
        }
    }
    let around = goal.match_indices('$').map(|(at, _)| goal[..at].to_owned());
    let mut nearest: Vec<String> = around.chain([goal.to_owned()]).collect();
    let (mut leading, mut distance) = (BTreeMap::new(), 0);
    while !nearest.is_empty() {
        let mut next = Vec::new();
        for name in nearest {
            if let Entry::Vacant(place) = leading.entry(name) {
                next.extend(users.get(place.key()).into_iter().flatten().cloned());
                place.insert(distance);
            }
        }
        (nearest, distance) = (next, distance + 1);
    }
    let found = starts.iter().filter_map(|start| Some((start.clone(), *leading.get(start)?)));
    Ok(found.collect())
}

#[cfg(test)]
mod tests {
    use adit_bytecode::Folder;

    use super::*;

    /// The beginning of a class file with these texts as constants.
    fn class(constants: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        bytes.extend((constants.len() as u16 + 1).to_be_bytes());
        for text in constants {
            bytes.push(1);
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    #[test]
    fn tests_lead_to_a_class_through_others() {
        let files: BTreeMap<String, Vec<u8>> = [
            ("a/Inner.class", class(&["a/Outer"])),
            ("a/Outer.class", class(&["a/Inner"])),
            ("a/Other.class", class(&["java/lang/Object"])),
            ("t/DirectTest.class", class(&["a/Inner"])),
            ("a/Inner$Part.class", class(&["java/lang/Object"])),
            ("t/OuterTest.class", class(&["La/Outer;"])),
            ("t/OtherTest.class", class(&["a/Other", "t/OtherTest"])),
        ]
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .into();
        let path = ClassPath::new(vec![Box::new(Folder::in_memory("test", files))]);
        let tests = ["t/DirectTest", "t/OtherTest", "t/OuterTest"].map(str::to_owned);
        let found = |goal: &str| leading_to(&path, goal, &tests).unwrap().into_iter().collect::<Vec<_>>();
        let near = |direct: usize, outer: usize| {
            vec![("t/DirectTest".to_owned(), direct), ("t/OuterTest".to_owned(), outer)]
        };
        assert_eq!(found("a/Inner"), near(1, 2));
        // Nothing refers to the nested class, but the class around it makes its objects.
        assert_eq!(found("a/Inner$Part"), near(1, 2));
    }
}
