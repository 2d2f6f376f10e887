//! The content of a file as blocks of whole lines, valid UTF-8, in bounded memory.
//!
//! Working on a block at a time pays for validation, for finding line ends and for counting lines once in a
//! quarter of a megabyte instead of once a line. Where blocks are cut depends on the bytes alone, never on
//! how they arrived.

use std::io::Read;

use super::error::{Problem, ReadError};
use super::source::Source;

/// The size of a block: it stays in a second-level cache, and the work per block is noise.
pub(crate) const BLOCK: usize = 256 * 1024;

/// Cuts a source into blocks.
pub(crate) struct Blocks<R> {
    source: Source<R>,
    buffer: Vec<u8>,
    /// The part of the buffer that the next block may use.
    pending: std::ops::Range<usize>,
    /// The number of lines before the pending part.
    lines: u64,
    max_line: usize,
    ended: bool,
}

/// Whole lines; only the last line of a file may lack its line end.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    /// The lines as they stand, not yet known to be UTF-8.
    pub(crate) bytes: &'a [u8],
    /// The number of the first line, from one.
    pub(crate) first_line: u64,
    pub(crate) name: &'a str,
    pub(crate) max_line: usize,
}

/// A line without its end.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(crate) number: u64,
    pub(crate) name: &'a str,
}

impl<R: Read> Blocks<R> {
    pub(crate) fn new(source: Source<R>, max_line: usize) -> Self {
        Self { source, buffer: vec![0; BLOCK], pending: 0..0, lines: 0, max_line, ended: false }
    }

    /// The next block, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Block<'_>>, ReadError> {
        self.buffer.copy_within(self.pending.clone(), 0);
        self.pending = 0..self.pending.len();
        let end = loop {
            let known = self.pending.end;
            if !self.ended {
                let count = self.source.fill(&mut self.buffer[known..])?;
                self.ended = count < self.buffer.len() - known;
                self.pending.end += count;
            }
            let pending = &self.buffer[..self.pending.end];
            if self.ended && self.source.is_cut_off() {
                // Nobody knows how the last line would have gone on.
                break memchr::memrchr(b'\n', pending).map_or(0, |last| last + 1);
            }
            if self.ended {
                break pending.len();
            }
            if let Some(last) = memchr::memrchr(b'\n', &pending[known..]) {
                break known + last + 1;
            }
            if pending.len() > self.max_line {
                return Err(too_long(self.source.name(), self.lines + 1, pending, self.max_line));
            }
            let larger = self.buffer.len() * 2;
            self.buffer.resize(larger, 0);
        };
        if end == 0 {
            self.pending = 0..0;
            return Ok(None);
        }
        self.pending.start = end;
        let first_line = self.lines + 1;
        self.lines += memchr::memchr_iter(b'\n', &self.buffer[..end]).count() as u64;
        Ok(Some(Block {
            bytes: &self.buffer[..end],
            first_line,
            name: self.source.name(),
            max_line: self.max_line,
        }))
    }

    /// Calls `each` with every line.
    pub(crate) fn each_line<E: From<ReadError>>(
        &mut self,
        mut each: impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(block) = self.next()? {
            let text = block.text()?;
            let mut from = 0;
            for (number, end) in
                (block.first_line..).zip(memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]))
            {
                if end == text.len() && from == end {
                    break;
                }
                let line = &text[from..end];
                if line.len() > block.max_line {
                    return Err(too_long(block.name, number, line.as_bytes(), block.max_line).into());
                }
                each(Line { text: line.strip_suffix('\r').unwrap_or(line), number, name: block.name })?;
                from = end + 1;
            }
        }
        Ok(())
    }

    /// The number of lines in the blocks so far.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    pub(crate) fn name(&self) -> &str {
        self.source.name()
    }
}

impl<'a> Block<'a> {
    /// The block as text.
    pub(crate) fn text(&self) -> Result<&'a str, ReadError> {
        std::str::from_utf8(self.bytes).map_err(|error| self.error(error.valid_up_to(), Problem::NotUtf8))
    }

    /// A problem at byte `at`.
    pub(crate) fn error(&self, at: usize, problem: Problem) -> ReadError {
        let start = memchr::memrchr(b'\n', &self.bytes[..at]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |newline| at + newline);
        let line = self.first_line + memchr::memchr_iter(b'\n', &self.bytes[..start]).count() as u64;
        ReadError::in_line(self.name, line, &self.bytes[start..end], at - start, problem)
    }
}

impl Line<'_> {
    /// A problem at byte `at`.
    pub(crate) fn error(&self, at: usize, problem: Problem) -> ReadError {
        ReadError::in_line(self.name, self.number, self.text.as_bytes(), at, problem)
    }

    /// A problem at `part`, a part of the line.
    pub(crate) fn error_at(&self, part: &str, problem: Problem) -> ReadError {
        let at = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        self.error(if at <= self.text.len() { at } else { 0 }, problem)
    }
}

/// The error for a line above the limit, pointing to where the limit was reached.
pub(crate) fn too_long(name: &str, line: u64, text: &[u8], limit: usize) -> ReadError {
    ReadError::in_line(name, line, &text[..text.len().min(limit + 1)], limit, Problem::TooLong { limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], max_line: usize) -> Result<Vec<(u64, String)>, ReadError> {
        let mut all = Vec::new();
        Blocks::new(Source::open(bytes, "f")?, max_line).each_line(|line| {
            all.push((line.number, line.text.to_owned()));
            Ok::<_, ReadError>(())
        })?;
        Ok(all)
    }

    #[test]
    fn lines_across_blocks_keep_their_numbers() {
        // Lines of every length up to more than a block, so that cuts fall everywhere.
        let expected: Vec<(u64, String)> =
            (1..2000).map(|n| (n as u64, "x".repeat(if n % 500 == 0 { BLOCK + n } else { n }))).collect();
        let whole: String = expected.iter().map(|(_, line)| format!("{line}\r\n")).collect();
        assert_eq!(lines(whole.as_bytes(), usize::MAX / 4).unwrap(), expected);
        assert_eq!(lines(b"a\n\nb", 9).unwrap(), [(1, "a".into()), (2, String::new()), (3, "b".into())]);
        assert_eq!(lines(b"", 9).unwrap(), []);
    }

    #[test]
    fn long_lines_and_bad_bytes_are_located() {
        assert_eq!(lines(b"ok\n0123456789\n", 8).unwrap_err().to_string(), "f:2:9: line exceeds 8 bytes");
        let long = [b"ok\n".as_slice(), &vec![b'x'; 5 * BLOCK]].concat();
        let error = lines(&long, 2 * BLOCK).unwrap_err();
        assert_eq!(error.to_string(), format!("f:2:{}: line exceeds {} bytes", 2 * BLOCK + 1, 2 * BLOCK));
        assert_eq!(lines("a\nä\n".as_bytes().strip_suffix(b"\n").unwrap(), 9).unwrap().len(), 2);
        assert_eq!(lines(b"a\n\xc3\xa4b\xff\n", 9).unwrap_err().to_string(), "f:2:3: invalid UTF-8");
    }
}
