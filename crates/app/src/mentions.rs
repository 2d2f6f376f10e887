//! Which classes a class file names, told from its constants alone: fast, and sure to miss nothing that is named in full.

/// Tells `heard` everything in the constants of a class file that may be the name of a class, in internal form.
pub(crate) fn of(class: &[u8], mut heard: impl FnMut(&str)) {
    for text in texts(class) {
        // A name stands alone, or in descriptors and signatures between `L` and `;` or `<`.
        for part in text.split([';', '<', '>', '(', ')', '[']) {
            heard(part);
            if let Some((_, inner)) = part.split_once('L') {
                heard(inner);
            }
        }
    }
}

/// Whether a class file names a class.
pub(crate) fn mentions(class: &[u8], name: &str) -> bool {
    let mut found = false;
    of(class, |heard| found |= heard == name);
    found
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A class file as far as its constants go.
    pub(crate) fn class(constants: &[&str]) -> Vec<u8> {
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
    fn what_is_no_class_mentions_nothing() {
        assert!(texts(b"").is_empty());
        let whole = class(&["a", "b"]);
        for end in 0..whole.len() {
            assert!(texts(&whole[..end]).len() < 2);
        }
        assert_eq!(texts(&whole), ["a", "b"]);
    }

    #[test]
    fn names_stand_alone_or_in_descriptors() {
        let file =
            class(&["a/Stack", "(ILa/Node;)[La/Deep;", "Ljava/util/List<La/Element;>;", "say a/Word to me"]);
        for name in ["a/Stack", "a/Node", "a/Deep", "a/Element", "java/util/List"] {
            assert!(mentions(&file, name), "{name}");
        }
        for name in ["a/Word", "a/Stac", "Node", "a/Nobody"] {
            assert!(!mentions(&file, name), "{name}");
        }
    }
}
