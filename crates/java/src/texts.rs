//! Kinds of texts: what a text looks like to whoever reads it.
//!
//! Paper: none; for telling the user which kinds were never tried.

/// A set of kinds of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextKinds(u16);

/// A kind of texts: its name, and whether a text is of that kind.
type TextKind = (&'static str, fn(&str) -> bool);

/// The kinds, with the words that complete “a text …”.
const KINDS: [TextKind; 9] = [
    ("that is empty", str::is_empty),
    ("with a line break", |text| text.trim_end_matches('\n').contains('\n')),
    ("with blanks between words", |text| text.trim().contains(' ')),
    ("with commas", |text| text.contains(',')),
    ("that is a number", |text| text.parse::<f64>().is_ok_and(f64::is_finite)),
    ("that is a date", |text| {
        text.len() >= 10
            && text.bytes().take(10).enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    }),
    ("in JSON", |text| (text.starts_with('{') && text.ends_with('}')) && text.contains(':')),
    ("in XML", |text| text.starts_with('<') && text.contains("</")),
    ("that is a URL", |text| text.contains("://")),
];

impl TextKinds {
    /// The kinds that this text is of. A plain word is of none.
    pub fn of(text: &str) -> TextKinds {
        let mut kinds = 0;
        for (bit, (_, is)) in KINDS.iter().enumerate() {
            kinds |= u16::from(is(text)) << bit;
        }
        TextKinds(kinds)
    }

    /// Adds the kinds of another set.
    pub fn add(&mut self, other: TextKinds) {
        self.0 |= other.0;
    }

    /// The kinds that are not in the set, each in words that complete “no text … was tried”.
    pub fn missing(self) -> impl Iterator<Item = &'static str> {
        let absent = move |bit: &usize| self.0 >> bit & 1 == 0;
        (0..KINDS.len()).filter(absent).map(|bit| KINDS[bit].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        let has = |text: &str| {
            let missing: Vec<&str> = TextKinds::of(text).missing().collect();
            let kinds: Vec<&str> =
                KINDS.iter().map(|(name, _)| *name).filter(|name| !missing.contains(name)).collect();
            kinds.join(", ")
        };
        assert_eq!(has("abc"), "");
        assert_eq!(has(""), "that is empty");
        assert_eq!(has("one line\n"), "with blanks between words");
        assert_eq!(has("one\ntwo\n"), "with a line break");
        assert_eq!(has("-7"), "that is a number");
        assert_eq!(has("2024-02-29"), "that is a date");
        assert_eq!(has("{\"a\":1}"), "in JSON");
        assert_eq!(has("<a><b/></a>"), "in XML");
        assert_eq!(has("http://localhost/"), "that is a URL");
    }
}
