//! A named stream of bytes, decompressed when it is gzipped. The first bytes decide, never the name.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

use super::error::{Problem, ReadError};

/// The bytes of content that can be inspected before reading begins: enough for a header and a few lines.
const HEAD: usize = 64 * 1024;

/// The bytes requested from the operating system at once.
const CHUNK: usize = 64 * 1024;

/// The content of a trace file.
pub(crate) struct Source<R> {
    name: String,
    bytes: Bytes<R>,
    head: Cursor<Vec<u8>>,
    decoded: u64,
    /// Take the place where a gzip stream is cut off for the end of the file.
    keep_partial: bool,
    /// Set when that happened; shared with whoever reports it.
    cut_off: Rc<Cell<bool>>,
}

/// A reader whose first bytes were looked at.
type Peeked<R> = io::Chain<Cursor<Vec<u8>>, R>;

enum Bytes<R> {
    Plain(Peeked<R>),
    Gzip(Box<MultiGzDecoder<io::BufReader<Peeked<R>>>>),
}

impl<R: Read> Source<R> {
    /// Looks at the first bytes and prepares to read the content.
    pub(crate) fn open(mut input: R, name: &str) -> Result<Self, ReadError> {
        let mut magic = Vec::new();
        input
            .by_ref()
            .take(8)
            .read_to_end(&mut magic)
            .map_err(|error| ReadError::of_file(name, Problem::Io(error)))?;
        let gzip = magic.starts_with(&[0x1f, 0x8b]);
        let peeked = Cursor::new(magic).chain(input);
        let bytes = if gzip {
            Bytes::Gzip(Box::new(MultiGzDecoder::new(io::BufReader::with_capacity(CHUNK, peeked))))
        } else {
            Bytes::Plain(peeked)
        };
        let mut source = Self {
            name: name.to_owned(),
            bytes,
            head: Cursor::default(),
            decoded: 0,
            keep_partial: true,
            cut_off: Rc::default(),
        };
        let mut head = vec![0; HEAD];
        // Where a short file is cut off matters only once it is read.
        let len = source.fill(&mut head)?;
        source.keep_partial = false;
        head.truncate(len);
        if let Some(problem) = foreign(&head) {
            return Err(ReadError::of_file(name, problem));
        }
        let mark: &[u8] = "\u{feff}".as_bytes();
        source.head = Cursor::new(head);
        if source.head.get_ref().starts_with(mark) {
            source.head.set_position(mark.len() as u64);
        }
        Ok(source)
    }

    /// The same file, of which the part before a cut is enough; says whether it was cut, when it was read.
    pub(crate) fn keep_partial(mut self, keep: bool) -> (Self, Rc<Cell<bool>>) {
        self.keep_partial = keep;
        let cut_off = self.cut_off.clone();
        (self, cut_off)
    }

    /// Tells whether what was read ends where a gzip stream is cut off.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.cut_off.get()
    }

    /// The name under which the file was handed in.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The beginning of the content, without a byte order mark.
    pub(crate) fn head(&self) -> &[u8] {
        let from = self.head.position() as usize;
        &self.head.get_ref()[from..]
    }

    /// Fills `buffer` unless the content ends before, and says how much there was. Less means the end.
    ///
    /// Short reads of the underlying stream do not show, so that what ends up together depends on the bytes
    /// alone.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.keep_partial && self.is_cut(&error) => {
                    self.cut_off.set(true);
                    break;
                }
                Err(error) => return Err(ReadError::of_file(&self.name, self.explain(error))),
            }
        }
        Ok(filled)
    }

    /// Tells whether an error of [`Read::read`] means that a gzip stream is cut off.
    fn is_cut(&self, error: &io::Error) -> bool {
        matches!(self.bytes, Bytes::Gzip(_)) && error.kind() == io::ErrorKind::UnexpectedEof
    }

    /// Explains an error of [`Read::read`].
    pub(crate) fn explain(&self, error: io::Error) -> Problem {
        match (&self.bytes, error.kind()) {
            (Bytes::Gzip(_), io::ErrorKind::UnexpectedEof) => {
                Problem::TruncatedGzip { decoded: self.decoded }
            }
            (Bytes::Gzip(_), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => {
                Problem::DamagedGzip { decoded: self.decoded, message: error.to_string() }
            }
            _ => Problem::Io(error),
        }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let from_head = self.head.read(buffer)?;
        if from_head > 0 {
            return Ok(from_head);
        }
        if self.is_cut_off() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let count = match &mut self.bytes {
            Bytes::Plain(reader) => reader.read(buffer)?,
            Bytes::Gzip(reader) => reader.read(buffer)?,
        };
        self.decoded += count as u64;
        Ok(count)
    }
}

/// Recognizes what would otherwise fail with a puzzling message.
fn foreign(head: &[u8]) -> Option<Problem> {
    let known: [(&[u8], &str, &str); 6] = [
        (&[0x28, 0xb5, 0x2f, 0xfd], "a zstd file", "zstd -dc FILE | adit … -"),
        (&[0xfd, b'7', b'z', b'X', b'Z', 0], "an xz file", "xz -dc FILE | adit … -"),
        (b"BZh", "a bzip2 file", "bzip2 -dc FILE | adit … -"),
        (b"PK\x03\x04", "a zip archive", "unzip -p FILE | adit … -"),
        (&[0xff, 0xfe], "UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | adit … -"),
        (&[0xfe, 0xff], "UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | adit … -"),
    ];
    known
        .into_iter()
        .find(|(magic, ..)| head.starts_with(magic))
        .map(|(_, what, command)| Problem::Foreign { what, command })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn content(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut source = Source::open(bytes, "f").map_err(|error| error.to_string())?;
        let mut all = vec![0; 1 << 20];
        let len = source.fill(&mut all).map_err(|error| error.to_string())?;
        all.truncate(len);
        Ok(all)
    }

    #[test]
    fn plain_and_gzip_in_several_members() {
        let long = "abc\n".repeat(50_000);
        assert_eq!(content(long.as_bytes()).unwrap(), long.as_bytes());
        let members = [gzip(long.as_bytes()), gzip(b""), gzip(b"end")].concat();
        assert_eq!(content(&members).unwrap(), format!("{long}end").as_bytes());
        assert_eq!(content(b"").unwrap(), b"");
        assert_eq!(content("\u{feff}a".as_bytes()).unwrap(), b"a");
    }

    #[test]
    fn what_comes_before_a_cut_can_be_kept() {
        for lines in [10, 50_000] {
            let long: String = (0..lines).map(|n| format!("{n}\n")).collect();
            let whole = gzip(long.as_bytes());
            let cut = &whole[..whole.len() - 9];
            let mut all = vec![0; 1 << 20];
            let (mut source, cut_off) = Source::open(cut, "f").unwrap().keep_partial(true);
            let len = source.fill(&mut all).unwrap();
            assert!(cut_off.get() && len > 0 && long.as_bytes().starts_with(&all[..len]));
            let (mut source, _) = Source::open(cut, "f").unwrap().keep_partial(false);
            assert!(source.fill(&mut all).is_err());
        }
    }

    #[test]
    fn truncated_damaged_and_foreign_streams_say_so() {
        let long: String = (0..50_000).map(|n| format!("{n} ")).collect();
        let whole = gzip(long.as_bytes());
        let error = content(&whole[..whole.len() - 9]).unwrap_err();
        assert!(error.starts_with("f: the gzip stream is cut off after "), "{error}");
        let mut damaged = whole.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 20].fill(0x55);
        let error = content(&damaged).unwrap_err();
        assert!(error.starts_with("f: the gzip stream is damaged after "), "{error}");
        let error = content(&[&whole, b"garbage behind".as_slice()].concat()).unwrap_err();
        assert!(error.contains("damaged after 288890 bytes"), "{error}");
        assert_eq!(
            content(&[0x28, 0xb5, 0x2f, 0xfd, 1]).unwrap_err(),
            "f: this is a zstd file, which adit cannot read directly"
        );
        assert_eq!(
            content(b"\xff\xfea\0").unwrap_err(),
            "f: this is UTF-16 text, which adit cannot read directly"
        );
    }
}
