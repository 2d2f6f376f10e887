//! The classes of a JDK, read from its `lib/modules` file without a JVM.
//!
//! The file consists of an index, which is read at once, and contents, which are read on demand. Its byte
//! order is that of the platform for which the JDK was built.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use crate::ClassError;
use crate::source::{ClassSource, LARGEST_CLASS, class_of};

/// The modules of a JDK from Java 9 on.
pub struct Modules<R> {
    label: String,
    classes: BTreeMap<String, Location>,
    reader: Mutex<R>,
}

/// Location of a class in the file.
#[derive(Clone, Debug)]
struct Location {
    module: String,
    offset: u64,
    size: u64,
    compressed: bool,
}

impl<R: Read + Seek> Modules<R> {
    /// Reads the index.
    pub fn new(label: impl Into<String>, mut reader: R) -> Result<Modules<R>, ClassError> {
        let label = label.into();
        match read_index(&mut reader) {
            Ok(classes) => Ok(Modules { label, classes, reader: Mutex::new(reader) }),
            Err(error) => Err(ClassError::NotAnImage { file: label, reason: error.to_string() }),
        }
    }

    /// Returns the module, such as `java.base`, of the class with this internal name.
    pub fn module_of(&self, name: &str) -> Option<&str> {
        self.classes.get(name).map(|place| place.module.as_str())
    }
}

impl<R: Read + Seek + Send> ClassSource for Modules<R> {
    fn label(&self) -> &str {
        &self.label
    }

    fn names(&self) -> Vec<String> {
        self.classes.keys().cloned().collect()
    }

    fn find(&self, name: &str) -> Result<Option<Vec<u8>>, ClassError> {
        let Some(place) = self.classes.get(name) else { return Ok(None) };
        let unreadable = |reason: String| ClassError::UnreadableEntry {
            file: self.label.clone(),
            entry: format!("{}/{name}.class", place.module),
            reason,
        };
        if place.compressed {
            return Err(unreadable(
                "it is compressed, as `jlink --compress` does; name a JDK that is not".to_owned(),
            ));
        }
        if place.size > LARGEST_CLASS {
            return Err(unreadable(format!("it is larger than {} MB", LARGEST_CLASS >> 20)));
        }
        // A reader that panicked in another thread leaves at worst a wrong position, which is set anew here.
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        reader
            .seek(SeekFrom::Start(place.offset))
            .and_then(|_| reader.by_ref().take(place.size).read_to_end(&mut bytes))
            .map_err(|error| unreadable(error.to_string()))?;
        if (bytes.len() as u64) < place.size {
            return Err(unreadable("the file ends too early".to_owned()));
        }
        Ok(Some(bytes))
    }
}

/// An index of a whole JDK takes about two megabytes.
const LARGEST_INDEX: u64 = 256 << 20;

fn read_index(reader: &mut (impl Read + Seek)) -> io::Result<BTreeMap<String, Location>> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    reader.seek(SeekFrom::Start(0))?;
    let mut header = [[0u8; 4]; 7];
    for word in &mut header {
        reader.read_exact(word).map_err(|_| wrong("it is too short"))?;
    }
    let number: fn([u8; 4]) -> u32 = match header[0] {
        [0xca, 0xfe, 0xda, 0xda] => u32::from_be_bytes,
        [0xda, 0xda, 0xfe, 0xca] => u32::from_le_bytes,
        _ => return Err(wrong("it does not begin with the magic number of such a file")),
    };
    let [_, version, _, _, table, locations, strings] = header.map(number);
    if version >> 16 != 1 {
        return Err(wrong("the version of its format is not supported"));
    }
    // After the header: a table for hashing, a table of offsets into the locations, the locations, the
    // strings.
    let [table, locations, strings] = [table, locations, strings].map(u64::from);
    let length = table * 8 + locations + strings;
    if length > LARGEST_INDEX {
        return Err(wrong("its index is implausibly large"));
    }
    let mut index = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut index)?;
    if (index.len() as u64) < length {
        return Err(wrong("it ends in the middle of its index"));
    }
    let contents = 28 + length;
    let (_, rest) = index.split_at((table * 4) as usize);
    let (offsets, rest) = rest.split_at((table * 4) as usize);
    let (locations, strings) = rest.split_at(locations as usize);
    let text = |offset: u64| {
        let bytes = strings.get(usize::try_from(offset).ok()?..)?;
        let end = bytes.iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&bytes[..end]).ok()
    };
    let mut classes = BTreeMap::new();
    for offset in offsets.chunks_exact(4) {
        let offset = number([offset[0], offset[1], offset[2], offset[3]]);
        let damaged = || wrong("an entry of its index is damaged");
        let at = locations.get(offset as usize..).and_then(attributes).ok_or_else(damaged)?;
        let [module, parent, base, extension] = [1, 2, 3, 4].map(|kind| text(at[kind]));
        let (Some(module), Some(parent), Some(base), Some(extension)) = (module, parent, base, extension)
        else {
            return Err(damaged());
        };
        let path = if parent.is_empty() {
            format!("{base}.{extension}")
        } else {
            format!("{parent}/{base}.{extension}")
        };
        if let Some(name) = class_of(&path) {
            let offset = contents.checked_add(at[5]).ok_or_else(damaged)?;
            let place = Location { module: module.to_owned(), offset, size: at[7], compressed: at[6] != 0 };
            classes.insert(name.to_owned(), place);
        }
    }
    Ok(classes)
}

/// The attributes of an entry by their kind: 1 module, 2 package, 3 name, 4 extension, 5 offset, 6 compressed
/// size, 7 size. Each begins with a byte that holds its kind and its length; kind 0 ends the list.
fn attributes(mut bytes: &[u8]) -> Option<[u64; 8]> {
    let mut found = [0; 8];
    loop {
        let (&first, rest) = bytes.split_first()?;
        let (kind, length) = (usize::from(first >> 3), usize::from(first & 7) + 1);
        if kind == 0 {
            return Some(found);
        }
        let value = rest.get(..length)?;
        *found.get_mut(kind)? = value.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        bytes = &rest[length..];
    }
}
