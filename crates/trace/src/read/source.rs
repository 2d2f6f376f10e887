//! A named stream of bytes, decompressed when it is gzipped. The first bytes decide, never the name.

use std::io::{self, Cursor, Read};

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
        let mut source = Self { name: name.to_owned(), bytes, head: Cursor::default(), decoded: 0 };
        let mut head = vec![0; HEAD];
        let len = source.fill(&mut head)?;
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
                Err(error) => return Err(ReadError::of_file(&self.name, self.explain(error))),
            }
        }
        Ok(filled)
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
