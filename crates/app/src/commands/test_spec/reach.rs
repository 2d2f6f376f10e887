//! Test classes that lead to the class under test, so that no others are run.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use adit_bytecode::{ClassError, ClassPath, mentions_any};

/// Returns those of `starts` that refer to the class `goal`, directly or through other classes of the class
/// path, by internal name. Only reflection could lead from another one to the class.
pub(super) fn leading_to(
    path: &ClassPath,
    goal: &str,
    starts: &[String],
) -> Result<BTreeSet<String>, ClassError> {
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
    let (mut leading, mut open) = (BTreeSet::new(), vec![goal.to_owned()]);
    while let Some(name) = open.pop() {
        if leading.insert(name.clone()) {
            open.extend(users.get(&name).into_iter().flatten().cloned());
        }
    }
    Ok(starts.iter().filter(|start| leading.contains(*start)).cloned().collect())
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
            ("t/OuterTest.class", class(&["La/Outer;"])),
            ("t/OtherTest.class", class(&["a/Other", "t/OtherTest"])),
        ]
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .into();
        let path = ClassPath::new(vec![Box::new(Folder::in_memory("test", files))]);
        let tests = ["t/DirectTest", "t/OtherTest", "t/OuterTest"].map(str::to_owned);
        let found: Vec<String> = leading_to(&path, "a/Inner", &tests).unwrap().into_iter().collect();
        assert_eq!(found, ["t/DirectTest", "t/OuterTest"]);
    }
}
