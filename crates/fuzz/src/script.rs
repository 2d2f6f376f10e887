//! Scripts: the messages of one session, as they are generated, kept and replayed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;

/// One message of a script.
///
/// Fields are values, not bytes of the wire: ports, session numbers and counters differ from run to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Message {
    /// The label.
    pub label: String,
    /// Values of fields; a field without one gets the first value of its pool.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Bytes>,
    /// Bytes for the data connection, if the label sends some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Bytes>,
    /// Label to send before, if the label needs one and no data connection is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// Bytes to send in place of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<Bytes>,
}

impl Message {
    /// A message with the first value of every pool.
    pub fn plain(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }

    /// The message for people, such as `USER alice`.
    pub fn spelled(&self, alphabet: &Alphabet) -> String {
        let mut text = self.label.clone();
        if let Some(wire) = &self.wire {
            return format!("{text} as {}", shortened(&wire.0));
        }
        let Some(label) = alphabet.label(&self.label).map(|at| &alphabet.labels[at]) else { return text };
        for hole in label.holes() {
            let pool = hole.pool.as_ref().and_then(|pool| alphabet.pools.get(pool));
            let first = || pool.and_then(|pool| pool.values.first()).map(|(_, value)| value.clone());
            let value = self.fields.get(&hole.name).map(|value| value.0.clone()).or_else(first);
            text += " ";
            text += &shortened(&value.unwrap_or_default());
        }
        text
    }
}

/// Bytes that are written as text, with `\xNN` for what is not printable.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Bytes(pub Vec<u8>);

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> Self {
        escaped(&bytes.0)
    }
}

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != b'\\' {
                bytes.push(byte);
                continue;
            }
            let wrong =
                || format!("`{text}` has a `\\` that is followed by none of `\\`, `r`, `n` and `xNN`");
            let (&kind, after) = rest.split_first().ok_or_else(wrong)?;
            rest = after;
            match kind {
                b'\\' => bytes.push(b'\\'),
                b'r' => bytes.push(b'\r'),
                b'n' => bytes.push(b'\n'),
                b'x' if rest.len() >= 2 => {
                    let digits = std::str::from_utf8(&rest[..2]).map_err(|_| wrong())?;
                    bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
                    rest = &rest[2..];
                }
                _ => return Err(wrong()),
            }
        }
        Ok(Self(bytes))
    }
}

/// Bytes as text in one line.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b'\r' => text.push_str("\\r"),
            b'\n' => text.push_str("\\n"),
            0x20..=0x7e => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

/// Bytes as text that fits into a line of a message.
pub fn shortened(bytes: &[u8]) -> String {
    /// Enough to recognize a value.
    const SHOWN: usize = 40;
    if bytes.len() <= SHOWN {
        return escaped(bytes);
    }
    format!("{}… ({} bytes)", escaped(&bytes[..SHOWN / 2]), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(Bytes::try_from(escaped(&all)), Ok(Bytes(all)));
        assert!(Bytes::try_from("a\\q".to_owned()).is_err());
        assert!(Bytes::try_from("\\x4".to_owned()).is_err());
    }
}
