//! Values as bytes: the few shapes that messages between coordinator and worker are made of.
//!
//! Numbers are variable-length integers ([`varint`]); signed ones fold their sign into the lowest bit first.
//! Texts and lists begin with their length. Bytes from a worker are not to be trusted, because the subject
//! may have overwritten its memory: every read is checked.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use adit_trace::varint;

/// The bytes are not what the other side would have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbled;

/// Appends values to a buffer.
pub(crate) trait Put {
    fn byte(&mut self, value: u8);
    fn bytes(&mut self, value: &[u8]);

    fn number(&mut self, value: u64);

    fn signed(&mut self, value: i64) {
        self.number(varint::fold_sign(value));
    }

    fn float(&mut self, value: f64) {
        self.bytes(&value.to_bits().to_le_bytes());
    }

    fn text(&mut self, value: &str) {
        self.number(value.len() as u64);
        self.bytes(value.as_bytes());
    }

    fn optional_text(&mut self, value: Option<&str>) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            self.text(value);
        }
    }

    fn texts(&mut self, values: &[String]) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.text(value));
    }

    fn path(&mut self, value: &Path) {
        self.number(value.as_os_str().len() as u64);
        self.bytes(value.as_os_str().as_bytes());
    }

    fn paths(&mut self, values: &[PathBuf]) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.path(value));
    }
}

impl Put for Vec<u8> {
    fn byte(&mut self, value: u8) {
        self.push(value);
    }

    fn bytes(&mut self, value: &[u8]) {
        self.extend_from_slice(value);
    }

    fn number(&mut self, value: u64) {
        varint::put(self, value);
    }
}

/// Takes values from the front of a slice.
pub(crate) struct Take<'a>(pub(crate) &'a [u8]);

impl<'a> Take<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Garbled> {
        let (first, rest) = self.0.split_first().ok_or(Garbled)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Garbled> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Garbled)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Garbled> {
        varint::take(&mut self.0).ok_or(Garbled)
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Garbled> {
        self.number().map(varint::unfold_sign)
    }

    pub(crate) fn float(&mut self) -> Result<f64, Garbled> {
        let bytes = self.bytes(8)?.try_into().map_err(|_| Garbled)?;
        Ok(f64::from_bits(u64::from_le_bytes(bytes)))
    }

    /// A length or an index.
    pub(crate) fn size(&mut self) -> Result<usize, Garbled> {
        self.number()?.try_into().map_err(|_| Garbled)
    }

    /// The length of a list, each of whose items takes a byte at least: no list can be longer than what is
    /// left.
    pub(crate) fn count(&mut self) -> Result<usize, Garbled> {
        let count = self.size()?;
        if count > self.0.len() { Err(Garbled) } else { Ok(count) }
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Garbled> {
        let length = self.size()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| Garbled)
    }

    pub(crate) fn optional_text(&mut self) -> Result<Option<&'a str>, Garbled> {
        match self.byte()? {
            0 => Ok(None),
            1 => Ok(Some(self.text()?)),
            _ => Err(Garbled),
        }
    }

    pub(crate) fn texts(&mut self) -> Result<Vec<String>, Garbled> {
        (0..self.count()?).map(|_| Ok(self.text()?.to_owned())).collect()
    }

    pub(crate) fn path(&mut self) -> Result<PathBuf, Garbled> {
        let length = self.size()?;
        Ok(OsString::from_vec(self.bytes(length)?.to_vec()).into())
    }

    pub(crate) fn paths(&mut self) -> Result<Vec<PathBuf>, Garbled> {
        (0..self.count()?).map(|_| self.path()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_put_is_taken(number: u64, signed: i64, float: f64, text: String, last: Option<String>) {
            let mut bytes = Vec::new();
            bytes.number(number);
            bytes.signed(signed);
            bytes.float(float);
            bytes.text(&text);
            bytes.optional_text(last.as_deref());
            let mut take = Take(&bytes);
            prop_assert_eq!(take.number(), Ok(number));
            prop_assert_eq!(take.signed(), Ok(signed));
            prop_assert_eq!(take.float().map(f64::to_bits), Ok(float.to_bits()));
            prop_assert_eq!(take.text(), Ok(text.as_str()));
            prop_assert_eq!(take.optional_text(), Ok(last.as_deref()));
            prop_assert!(take.is_empty());
        }

        /// A number that was cut off is noticed, whatever was cut.
        #[test]
        fn a_cut_number_is_garbled(number: u64) {
            let mut bytes = Vec::new();
            bytes.number(number);
            bytes.pop();
            prop_assert_eq!(Take(&bytes).number(), Err(Garbled));
        }
    }

    #[test]
    fn faulty_bytes_are_garbled() {
        assert_eq!(Take(&[0xff; 9]).number(), Err(Garbled), "it never ends");
        assert_eq!(Take(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2]).number(), Err(Garbled));
        assert_eq!(Take(&[5, b'a']).text(), Err(Garbled), "the text is longer than what is there");
        assert_eq!(Take(&[1, 0xff]).text(), Err(Garbled), "not UTF-8");
        assert_eq!(Take(&[9, 0]).count(), Err(Garbled), "nine items do not fit into a byte");
        assert_eq!(Take(&[2]).optional_text(), Err(Garbled));
    }
}
