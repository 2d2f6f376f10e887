//! Classes that a class file refers to, read from its constant pool alone.
//!
//! Fast, and complete for every class that is named in full. Any text that could be a name counts, so a
//! string that looks like one does too.

use std::collections::{BTreeMap, BTreeSet};

use crate::cursor::Cursor;
use crate::error::ClassError;
use crate::pool::Pool;
use crate::source::ClassPath;

/// Size of what precedes the constant pool: the magic number and the version (JVMS 4.1).
const BEFORE_POOL: usize = 8;

/// Calls `found` with everything in the constants of a class file that may be the name of a class, in
/// internal form. A file whose constants cannot be read refers to nothing.
fn class_references(file: &[u8], mut found: impl FnMut(&str)) {
    let mut cursor = Cursor::new(file);
    let Ok(_) = cursor.take(BEFORE_POOL, "the header") else { return };
    let Ok(pool) = Pool::read(file, &mut cursor) else { return };
    for text in (0..=u16::MAX).take(pool.len()).filter_map(|index| pool.raw_text(index)) {
        let text = String::from_utf8_lossy(text);
        // A name stands alone, or in descriptors and signatures between `L` and `;` or `<`.
        for part in text.split([';', '<', '>', '(', ')', '[']) {
            found(part);
            if let Some((_, inner)) = part.split_once('L') {
                found(inner);
            }
        }
    }
}

/// Returns true if a class file refers to the class with this internal name.
pub fn refers_to(file: &[u8], class: &str) -> bool {
    let mut refers = false;
    class_references(file, |name| refers |= name == class);
    refers
}

/// Returns true if `wanted` holds of a class that the file refers to, alone or in a descriptor. Several times
/// faster than reading the class.
pub fn mentions_any(file: &[u8], wanted: impl Fn(&str) -> bool) -> bool {
    let mut cursor = Cursor::new(file);
    let Ok(_) = cursor.take(BEFORE_POOL, "the header") else { return false };
    let Ok(pool) = Pool::read(file, &mut cursor) else { return false };
    let parts = |text: &[u8]| {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        if !text.ends_with(';') && !text.starts_with('(') {
            return wanted(text);
        }
        text.split([';', '(', ')', '[']).filter_map(|part| part.strip_prefix('L')).any(&wanted)
            || text.split(';').filter_map(|part| Some(part.split_once('L')?.1)).any(&wanted)
    };
    (0..=u16::MAX).take(pool.len()).filter_map(|index| pool.raw_text(index)).any(parts)
}

/// Returns the class files of a class path that the class `start` refers to, directly or not, by internal
/// name. The class itself is among them if the class path has it.
pub fn reachable_classes(path: &ClassPath, start: &str) -> Result<BTreeMap<String, Vec<u8>>, ClassError> {
    let names = path.names();
    let mut found = BTreeMap::new();
    let mut open: BTreeSet<String> = BTreeSet::from([start.to_owned()]);
    while let Some(name) = open.pop_first() {
        if found.contains_key(&name) {
            continue;
        }
        let Some((bytes, _)) = path.find(&name)? else { continue };
        class_references(&bytes, |name| {
            if names.contains(name) && !found.contains_key(name) {
                open.insert(name.to_owned());
            }
        });
        found.insert(name, bytes);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Folder;

    /// The beginning of a class file with these texts as constants.
    fn class(constants: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        bytes.extend((constants.len() as u16 + 3).to_be_bytes());
        // A long takes two numbers.
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 1]);
        for text in constants {
            bytes.push(1);
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    #[test]
    fn a_damaged_file_refers_to_nothing() {
        let whole = class(&["a/One", "b/Two"]);
        assert!(refers_to(&whole, "a/One"));
        for end in 0..whole.len() {
            assert!(!refers_to(&whole[..end], "a/One"), "cut after {end} bytes");
        }
    }

    #[test]
    fn names_stand_alone_or_in_descriptors() {
        let file =
            class(&["a/Stack", "(ILa/Node;)[La/Deep;", "Ljava/util/List<La/Element;>;", "say a/Word to me"]);
        for name in ["a/Stack", "a/Node", "a/Deep", "a/Element", "java/util/List"] {
            assert!(refers_to(&file, name), "{name}");
        }
        for name in ["a/Word", "a/Stac", "Node", "a/Nobody"] {
            assert!(!refers_to(&file, name), "{name}");
        }
    }

    #[test]
    fn classes_of_classes_are_reachable() {
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
        let found: Vec<String> = reachable_classes(&path, "a/Stack").unwrap().into_keys().collect();
        assert_eq!(found, ["a/Base", "a/Deep", "a/Element", "a/Node", "a/Stack"]);
    }
}
