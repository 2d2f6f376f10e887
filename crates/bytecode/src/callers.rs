//! The class files that call a method, from their constant pools alone.
//!
//! The methods that a class file calls stand in its constant pool, each with the class that it is called on
//! (JVMS 4.4.2). Walking the pool decodes nothing, so that the 30,000 classes of a JDK take a fraction of a
//! second.
//!
//! Each source of the class path has an index of its own, so that those of jars and of a JDK, which rarely
//! change, can be kept from run to run ([`CallerCache`]).
//!
//! Paper: none; an inverted index.
//! Cost: one pass over the constant pools, and sorting a million pairs of numbers for a JDK; with a cache, as
//! much as reading its nine megabytes.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::source::{ClassPath, ClassSource};

/// For each method with parameters, the class files of a class path that call it.
#[derive(Debug, Default)]
pub struct Callers {
    /// The sources of the class path, in order.
    parts: Vec<Part>,
}

/// The index of one source.
#[derive(Debug, Default, PartialEq, Eq)]
struct Part {
    /// Internal names of the class files, in order.
    files: Vec<String>,
    /// Hashes of methods with the places of their callers in `files`, in order.
    calls: Vec<(u32, u32)>,
}

/// A place where indexes are kept from run to run, by the [stamps](ClassSource::stamp) of their sources. What
/// it returns is checked, so that a damaged file only costs time.
pub trait CallerCache: Sync {
    /// Returns what was kept under this stamp.
    fn get(&self, stamp: &str) -> Option<Vec<u8>>;

    /// Keeps an index, if possible.
    fn put(&self, stamp: &str, index: &[u8]);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoCache;

impl CallerCache for NoCache {
    fn get(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn put(&self, _: &str, _: &[u8]) {}
}

impl Callers {
    /// Reads the class files of a class path: at most `most`, the first sources of the path first. Files that
    /// cannot be read call nothing.
    pub fn of(path: &ClassPath, most: usize, cache: &dyn CallerCache) -> Callers {
        let mut left = most;
        let mut parts = Vec::new();
        for source in path.sources() {
            let kept = source.stamp().and_then(|stamp| Part::from_bytes(&cache.get(&stamp)?));
            let part = kept.unwrap_or_else(|| {
                let part = Part::of(source, left);
                // An index of a part of the source would pass for one of all of it.
                if let Some(stamp) = source.stamp().filter(|_| part.files.len() < left) {
                    cache.put(&stamp, &part.to_bytes());
                }
                part
            });
            left = left.saturating_sub(part.files.len());
            parts.push(part);
        }
        Callers { parts }
    }

    /// Internal names of the classes that call this method or constructor on this class, in the order in
    /// which they were read. Rarely, one of them calls another method of the same hash.
    pub fn of_method(&self, class: &str, name: &str, descriptor: &str) -> impl Iterator<Item = &str> {
        let wanted = hash([class, name, descriptor].map(str::as_bytes));
        self.parts.iter().enumerate().flat_map(move |(at, part)| {
            // A class that several sources have is that of the first.
            let is_hidden = move |file: &&str| {
                let has = |part: &Part| part.files.binary_search_by(|known| (**known).cmp(file)).is_ok();
                self.parts[..at].iter().any(has)
            };
            part.callers(wanted).filter(move |file| !is_hidden(file))
        })
    }
}

/// Beginning of a kept index. Another form gets another number.
const MAGIC: &[u8] = b"adit callers 1\n";

impl Part {
    fn of(source: &dyn ClassSource, most: usize) -> Part {
        let (mut part, mut pool) = (Part::default(), Vec::new());
        for name in source.names() {
            if part.files.len() == most {
                break;
            }
            if let Ok(Some(bytes)) = source.find(&name) {
                let file = part.files.len() as u32;
                part.files.push(name);
                called_methods(&bytes, &mut pool, |method| part.calls.push((method, file)));
            }
        }
        part.calls.sort_unstable();
        part.calls.dedup();
        part
    }

    fn callers(&self, wanted: u32) -> impl Iterator<Item = &str> {
        let first = self.calls.partition_point(|&(method, _)| method < wanted);
        let calls = self.calls[first..].iter().take_while(move |&&(method, _)| method == wanted);
        calls.map(|&(_, file)| &*self.files[file as usize])
    }

    /// The index as bytes: the numbers of files and calls, the files, the calls, and a hash of all that.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for count in [self.files.len(), self.calls.len()] {
            bytes.extend((count as u32).to_le_bytes());
        }
        for file in &self.files {
            bytes.extend((file.len() as u32).to_le_bytes());
            bytes.extend(file.as_bytes());
        }
        for number in self.calls.iter().flat_map(|&(method, file)| [method, file]) {
            bytes.extend(number.to_le_bytes());
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads an index; nothing if it is damaged, or of another form.
    fn from_bytes(bytes: &[u8]) -> Option<Part> {
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        let mut rest = body.strip_prefix(MAGIC).filter(|_| checksum(body).to_le_bytes() == *sum)?;
        let number = |rest: &mut &[u8]| {
            let (first, others) = rest.split_first_chunk::<4>()?;
            *rest = others;
            Some(u32::from_le_bytes(*first))
        };
        let (files, calls) = (number(&mut rest)?, number(&mut rest)?);
        let mut part = Part::default();
        for _ in 0..files {
            let length = number(&mut rest)? as usize;
            let (name, others) = rest.split_at_checked(length)?;
            part.files.push(std::str::from_utf8(name).ok()?.to_owned());
            rest = others;
        }
        for _ in 0..calls {
            let call = (number(&mut rest)?, number(&mut rest)?);
            part.calls.push(Some(call).filter(|&(_, file)| file < files)?);
        }
        rest.is_empty().then_some(part)
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn hash(parts: [&[u8]; 3]) -> u32 {
    let mut hasher = FxHasher::default();
    for part in parts {
        hasher.write(part);
        hasher.write_u8(0);
    }
    // The upper half is the better one.
    (hasher.finish() >> 32) as u32
}

/// Calls `found` with the hash of every method reference that has parameters. `pool` is scratch space. A file
/// that ends too early calls what stands before.
fn called_methods(file: &[u8], pool: &mut Vec<(u8, u32)>, mut found: impl FnMut(u32)) {
    let u16_at = |at: usize| Some(usize::from(u16::from_be_bytes([*file.get(at)?, *file.get(at + 1)?])));
    let Some(count) = u16_at(8) else { return };
    pool.clear();
    pool.push((0, 0));
    let mut at = 10;
    while pool.len() < count {
        let Some(&tag) = file.get(at) else { break };
        pool.push((tag, at as u32 + 1));
        let size = match tag {
            1 => match u16_at(at + 1) {
                Some(length) => 2 + length,
                None => break,
            },
            3 | 4 | 9..=12 | 17 | 18 => 4,
            5 | 6 => 8,
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            _ => break,
        };
        // A long and a double take two places (JVMS 4.4.5).
        if matches!(tag, 5 | 6) {
            pool.push((0, 0));
        }
        at += 1 + size;
    }
    let entry = |at: usize, wanted: u8| {
        let &(tag, at) = pool.get(u16_at(at)?)?;
        (tag == wanted).then_some(at as usize)
    };
    let text = |at: usize| {
        let text = entry(at, 1)?;
        file.get(text + 2..text + 2 + u16_at(text)?)
    };
    let method = |at: usize| {
        let (class, member) = (entry(at, 7)?, entry(at + 2, 12)?);
        let descriptor = text(member + 2).filter(|descriptor| !descriptor.starts_with(b"()"))?;
        Some(hash([text(class)?, text(member)?, descriptor]))
    };
    let references = pool.iter().filter(|(tag, _)| matches!(tag, 10 | 11));
    references.filter_map(|&(_, at)| method(at as usize)).for_each(&mut found);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::ClassError;
    use crate::source::Folder;
    use crate::splice::Hook;

    fn class_file() -> Vec<u8> {
        Hook { class: "a/Hook".into(), flag: "on".into(), method: "call".into() }.class_file()
    }

    /// A class file with references to these methods, as far as its constant pool.
    fn calling(methods: &[[&str; 3]]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        bytes.extend((methods.len() as u16 * 6 + 3).to_be_bytes());
        // A long takes two numbers.
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 1]);
        for (place, method) in methods.iter().enumerate() {
            let first = place as u16 * 6 + 3;
            for text in method {
                bytes.push(1);
                bytes.extend((text.len() as u16).to_be_bytes());
                bytes.extend(text.as_bytes());
            }
            for (tag, numbers) in
                [(7, &[first][..]), (12, &[first + 1, first + 2]), (10, &[first + 3, first + 4])]
            {
                bytes.push(tag);
                bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
            }
        }
        bytes
    }

    const USED: [&str; 3] = ["b/Used", "open", "(I)V"];
    const OTHER: [&str; 3] = ["b/Used", "open", "(J)V"];

    #[test]
    fn callers_are_found_by_the_method_that_they_call() {
        let files = [
            ("a/One.class", calling(&[USED, OTHER, USED, ["b/Used", "close", "()V"]])),
            ("a/Two.class", calling(&[USED])),
            ("a/Hook.class", class_file()),
            ("a/Broken.class", vec![0xca, 0xfe]),
        ];
        let files = files.map(|(name, bytes)| (name.to_owned(), bytes)).into();
        let path = ClassPath::new(vec![Box::new(Folder::in_memory("test", files))]);
        let callers = Callers::of(&path, 100, &NoCache);
        let of = |[class, name, descriptor]: [&str; 3]| {
            callers.of_method(class, name, descriptor).collect::<Vec<_>>()
        };
        assert_eq!(of(USED), ["a/One", "a/Two"]);
        assert_eq!(of(OTHER), ["a/One"]);
        assert_eq!(of(["b/Used", "close", "()V"]), [""; 0]);
        assert_eq!(of(["b/Nobody", "open", "(I)V"]), [""; 0]);
        let [class, name, descriptor] = USED;
        assert_eq!(
            Callers::of(&path, 3, &NoCache).of_method(class, name, descriptor).collect::<Vec<_>>(),
            ["a/One"]
        );
    }

    /// A source with a stamp, which counts how often a class is asked for.
    struct Stamped(Folder, Arc<AtomicUsize>);

    impl ClassSource for Stamped {
        fn label(&self) -> &str {
            self.0.label()
        }

        fn names(&self) -> Vec<String> {
            self.0.names()
        }

        fn find(&self, name: &str) -> Result<Option<Vec<u8>>, ClassError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.find(name)
        }

        fn stamp(&self) -> Option<String> {
            Some("one".to_owned())
        }
    }

    #[derive(Default)]
    struct Memory(Mutex<BTreeMap<String, Vec<u8>>>);

    impl CallerCache for Memory {
        fn get(&self, stamp: &str) -> Option<Vec<u8>> {
            self.0.lock().unwrap().get(stamp).cloned()
        }

        fn put(&self, stamp: &str, index: &[u8]) {
            self.0.lock().unwrap().insert(stamp.to_owned(), index.to_owned());
        }
    }

    #[test]
    fn a_kept_index_answers_alike_and_reads_no_class() {
        let folder = |names: &[&str]| {
            let files = names.iter().map(|name| (format!("a/{name}.class"), calling(&[USED])));
            Folder::in_memory("test", files.collect())
        };
        let asked = Arc::new(AtomicUsize::new(0));
        let stamped = Stamped(folder(&["One", "Two"]), asked.clone());
        // The first source hides a class of the second.
        let path = ClassPath::new(vec![Box::new(folder(&["Two", "Zero"])), Box::new(stamped)]);
        let memory = Memory::default();
        let [class, name, descriptor] = USED;
        let ask = |most| {
            let before = asked.load(Ordering::Relaxed);
            let callers = Callers::of(&path, most, &memory);
            let found: Vec<String> = callers.of_method(class, name, descriptor).map(str::to_owned).collect();
            (found, asked.load(Ordering::Relaxed) - before)
        };
        let all = ["a/Two", "a/Zero", "a/One"].map(str::to_owned).to_vec();
        assert_eq!(ask(3), (all.clone(), 1), "a part of the second source");
        assert!(memory.get("one").is_none(), "which is not kept");
        assert_eq!(ask(100), (all.clone(), 2));
        assert_eq!(ask(100), (all.clone(), 0));
        let whole = memory.get("one").unwrap();
        for damaged in [&whole[..whole.len() - 1], &whole[1..], b""] {
            memory.put("one", damaged);
            assert_eq!(ask(100), (all.clone(), 2), "it is read again");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert_eq!(Part::from_bytes(&damaged), None, "byte {at}");
        }
    }

    #[test]
    fn a_damaged_pool_does_no_harm() {
        let whole = calling(&[USED, OTHER]);
        for end in 0..whole.len() {
            called_methods(&whole[..end], &mut Vec::new(), |_| {});
        }
        for at in 8..whole.len() {
            for byte in [0, 1, 5, 7, 10, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                called_methods(&damaged, &mut Vec::new(), |_| {});
            }
        }
    }
}
