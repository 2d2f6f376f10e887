//! Templates of messages: text with fields in braces, such as `USER {user}\r\n`.

/// A message with fields to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireTemplate(pub Vec<TemplatePart>);

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Bytes that are sent as they are.
    Text(Vec<u8>),
    /// A field.
    Field(Hole),
}

/// A field of a template: `{name}`, or `{name:pool}` if its values come from another pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Name of the field.
    pub name: String,
    /// Pool of its values; none for variables, counters and ports.
    pub pool: Option<String>,
}

impl WireTemplate {
    /// The fields, in order.
    pub fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.0.iter().filter_map(|part| match part {
            TemplatePart::Field(hole) => Some(hole),
            TemplatePart::Text(_) => None,
        })
    }

    /// Parses a template; `{{` and `}}` stand for braces. The pool of each field is its name, until the
    /// reader of the file has looked it up.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if let Some(doubled) = after.strip_prefix(brace) {
                plain.push_str(brace);
                rest = doubled;
                continue;
            }
            if brace == "}" {
                return Err("a `}` of this template was never opened".to_owned());
            }
            let Some((name, after)) = after.split_once('}') else {
                return Err("a `{` of this template is never closed".to_owned());
            };
            if !plain.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain).into_bytes()));
            }
            let (name, pool) = name.split_once(':').unwrap_or((name, name));
            parts.push(TemplatePart::Field(Hole { name: name.to_owned(), pool: Some(pool.to_owned()) }));
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain.into_bytes()));
        }
        Ok(Self(parts))
    }

    /// Returns the bytes, with fields filled by `value`.
    pub fn fill(&self, mut value: impl FnMut(&Hole) -> Vec<u8>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(text) => bytes.extend_from_slice(text),
                TemplatePart::Field(hole) => bytes.extend(value(hole)),
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_filled_and_braces_doubled() {
        let template = WireTemplate::parse("RNTO {to:file} {{x}}\r\n").unwrap();
        let holes: Vec<_> = template.holes().collect();
        assert_eq!(holes, [&Hole { name: "to".to_owned(), pool: Some("file".to_owned()) }]);
        assert_eq!(template.fill(|_| b"b.txt".to_vec()), b"RNTO b.txt {x}\r\n");
        assert!(WireTemplate::parse("USER {user").is_err());
        assert!(WireTemplate::parse("USER user}").is_err());
    }
}
