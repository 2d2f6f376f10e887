//! The class files that call a method, from their constant pools alone.
//!
//! The methods that a class file calls stand in its constant pool, each with the class that it is called on
//! (JVMS 4.4.2). Walking the pool decodes nothing, so that the 30,000 classes of a JDK take a fraction of a
//! second.
//!
//! Paper: none; an inverted index.
//! Cost: one pass over the constant pools, and sorting a million pairs of numbers for a JDK.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::source::ClassPath;

/// For each method with parameters, the class files of a class path that call it.
#[derive(Debug, Default)]
pub struct Callers {
    /// Internal names of the class files.
    files: Vec<String>,
    /// Hashes of methods with the places of their callers in `files`, in order.
    calls: Vec<(u32, u32)>,
}

impl Callers {
    /// Reads the class files of a class path: at most `most`, the first sources of the path first. Files that
    /// cannot be read call nothing.
    pub fn of(path: &ClassPath, most: usize) -> Callers {
        let mut callers = Callers::default();
        let mut pool = Vec::new();
        path.each(most, |name, bytes| {
            let file = callers.files.len() as u32;
            callers.files.push(name);
            called_methods(bytes, &mut pool, |method| callers.calls.push((method, file)));
        });
        callers.calls.sort_unstable();
        callers.calls.dedup();
        callers
    }

    /// Internal names of the classes that call this method or constructor on this class, in the order in
    /// which they were read. Rarely, one of them calls another method of the same hash.
    pub fn of_method(&self, class: &str, name: &str, descriptor: &str) -> impl Iterator<Item = &str> {
        let wanted = hash([class, name, descriptor].map(str::as_bytes));
        let first = self.calls.partition_point(|&(method, _)| method < wanted);
        let calls = self.calls[first..].iter().take_while(move |&&(method, _)| method == wanted);
        calls.map(|&(_, file)| &*self.files[file as usize])
    }
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
    use super::*;
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
        let callers = Callers::of(&path, 100);
        let of = |[class, name, descriptor]: [&str; 3]| {
            callers.of_method(class, name, descriptor).collect::<Vec<_>>()
        };
        assert_eq!(of(USED), ["a/One", "a/Two"]);
        assert_eq!(of(OTHER), ["a/One"]);
        assert_eq!(of(["b/Used", "close", "()V"]), [""; 0]);
        assert_eq!(of(["b/Nobody", "open", "(I)V"]), [""; 0]);
        let [class, name, descriptor] = USED;
        assert_eq!(Callers::of(&path, 3).of_method(class, name, descriptor).collect::<Vec<_>>(), ["a/One"]);
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
