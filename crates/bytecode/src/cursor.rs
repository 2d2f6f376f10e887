//! A bounds-checked reader of class files.

use crate::ClassError;

/// A fault in a class file, before the name of the file is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The bytes end in the middle of this part.
    Cut(&'static str),
    /// A contradiction at an offset.
    Wrong(usize, &'static str),
}

impl Fault {
    pub(crate) fn named(self, file: &str, length: usize) -> ClassError {
        let file = file.to_owned();
        match self {
            Fault::Cut(what) => ClassError::Truncated { file, length, what },
            Fault::Wrong(at, what) => ClassError::Malformed { file, at, what },
        }
    }
}

/// A reader of big-endian numbers that knows its offset in the whole file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0, end: bytes.len() }
    }

    /// The offset in the whole file.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at == self.end
    }

    pub(crate) fn rest(&self) -> usize {
        self.end - self.at
    }

    pub(crate) fn wrong(&self, what: &'static str) -> Fault {
        Fault::Wrong(self.at, what)
    }

    pub(crate) fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Fault> {
        if self.rest() < count {
            // A part that is too short for its contents contradicts its own length; the file itself is just
            // cut off.
            return Err(if self.end == self.bytes.len() {
                Fault::Cut(what)
            } else {
                Fault::Wrong(self.at, what)
            });
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    /// Returns a cursor over the next `count` bytes, and moves past them.
    pub(crate) fn part(&mut self, count: usize, what: &'static str) -> Result<Cursor<'a>, Fault> {
        let start = self.at;
        self.take(count, what)?;
        Ok(Cursor { bytes: self.bytes, at: start, end: self.at })
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, Fault> {
        Ok(self.take(1, what)?[0])
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, Fault> {
        let bytes = self.take(2, what)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Fault> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    pub(crate) fn i32(&mut self, what: &'static str) -> Result<i32, Fault> {
        self.u32(what).map(u32::cast_signed)
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Fault> {
        Ok(u64::from(self.u32(what)?) << 32 | u64::from(self.u32(what)?))
    }
}
