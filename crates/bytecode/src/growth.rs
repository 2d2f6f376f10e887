//! Constants appended to a constant pool. Existing constants keep their indices.

use std::collections::BTreeMap;

/// A class file has reached a limit of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// New constants behind the old ones, each once.
pub(crate) struct Growth {
    next: usize,
    bytes: Vec<u8>,
    known: BTreeMap<Vec<u8>, u16>,
}

impl Growth {
    /// Starts behind a pool whose count, as stated in the class file, is `count`.
    pub(crate) fn new(count: usize) -> Growth {
        Growth { next: count, bytes: Vec::new(), known: BTreeMap::new() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The count that the class file must now state.
    pub(crate) fn count(&self) -> Result<u16, Full> {
        u16::try_from(self.next).map_err(|_| Full)
    }

    fn add(&mut self, constant: Vec<u8>) -> Result<u16, Full> {
        if let Some(&index) = self.known.get(&constant) {
            return Ok(index);
        }
        // The count, which is one more than the last index, must fit as well.
        let index = u16::try_from(self.next).ok().filter(|&index| index < u16::MAX).ok_or(Full)?;
        self.next += 1;
        self.bytes.extend_from_slice(&constant);
        self.known.insert(constant, index);
        Ok(index)
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<u16, Full> {
        let encoded = encode(text);
        let length = u16::try_from(encoded.len()).map_err(|_| Full)?;
        let mut constant = vec![1];
        constant.extend_from_slice(&length.to_be_bytes());
        constant.extend_from_slice(&encoded);
        self.add(constant)
    }

    pub(crate) fn int(&mut self, value: i32) -> Result<u16, Full> {
        let [a, b, c, d] = value.to_be_bytes();
        self.add(vec![3, a, b, c, d])
    }

    pub(crate) fn class(&mut self, name: &str) -> Result<u16, Full> {
        let name = self.text(name)?;
        self.pair(7, name, None)
    }

    pub(crate) fn field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Full> {
        self.member(9, class, name, descriptor)
    }

    pub(crate) fn method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        in_interface: bool,
    ) -> Result<u16, Full> {
        self.member(if in_interface { 11 } else { 10 }, class, name, descriptor)
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> Result<u16, Full> {
        let class = self.class(class)?;
        let (name, descriptor) = (self.text(name)?, self.text(descriptor)?);
        let name_and_type = self.pair(12, name, Some(descriptor))?;
        self.pair(tag, class, Some(name_and_type))
    }

    fn pair(&mut self, tag: u8, first: u16, second: Option<u16>) -> Result<u16, Full> {
        let mut constant = vec![tag];
        constant.extend_from_slice(&first.to_be_bytes());
        constant.extend(second.map(u16::to_be_bytes).into_iter().flatten());
        self.add(constant)
    }
}

/// Java's own UTF-8: NUL takes two bytes, and a character beyond the basic plane is two halves of three bytes
/// each.
fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let low = 0x80 | (unit & 0x3f) as u8;
        match unit {
            0x01..=0x7f => bytes.push(unit as u8),
            0..=0x7ff => bytes.extend([0xc0 | (unit >> 6) as u8, low]),
            _ => bytes.extend([0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, low]),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pool::{Decoded, decode};

    proptest! {
        /// The reader of class files reads what was written.
        #[test]
        fn texts_come_back(text in any::<String>()) {
            prop_assert_eq!(decode(&encode(&text)), Some(Decoded::Text(text)));
        }
    }

    #[test]
    fn constants_are_added_once_and_counted() {
        let mut growth = Growth::new(10);
        let first = growth.method("a/B", "run", "()V", false).unwrap();
        let bytes = growth.bytes().len();
        // Two texts and a class, two texts and their pair, and the method.
        assert_eq!((first, growth.count()), (15, Ok(16)));
        assert_eq!(growth.method("a/B", "run", "()V", false), Ok(first));
        assert_eq!(growth.bytes().len(), bytes);
        assert_ne!(growth.method("a/B", "run", "()V", true), Ok(first));
    }

    #[test]
    fn a_full_pool_says_so() {
        let mut growth = Growth::new(65_534);
        assert_eq!(growth.int(1), Ok(65_534));
        assert_eq!(growth.count(), Ok(65_535));
        assert_eq!(growth.int(2), Err(Full));
        assert_eq!(growth.int(1), Ok(65_534));
        assert_eq!(growth.text(&"x".repeat(65_536)), Err(Full));
    }

    #[test]
    fn texts_are_in_javas_utf8() {
        assert_eq!(encode("a\0é€😀"), b"a\xc0\x80\xc3\xa9\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80");
    }
}
