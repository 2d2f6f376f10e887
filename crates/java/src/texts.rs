//! Kinds of texts, that is, what a text looks like to whoever reads it; and texts that resemble others.
//!
//! Paper: none; for telling the user which kinds were never tried, and for searching values.

use rand::{Rng, RngExt};

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

/// Greatest length of an altered text.
const LONGEST: usize = 48;

/// Letters that separate parts of texts.
const SEPARATORS: &[&str] = &[" ", " ", "\t", "\n", ",", ";", ":", "-", ".", "/", "="];

/// A text that resembles this one: a part of it is missing, repeated, or replaced by a part of another. What
/// reads texts often has several that belong together, as a text and what separates its words.
pub(crate) fn altered<'t>(text: &str, others: &[&'t str], rng: &mut impl Rng) -> String {
    let (before, middle, after) = cut(text, rng);
    let mut pick =
        |from: &[&'t str]| if from.is_empty() { "" } else { from[rng.random_range(0..from.len())] };
    let (other, separator) = (pick(others), pick(SEPARATORS));
    let (_, part, _) = if rng.random_bool(0.7) { cut(other, rng) } else { ("", separator, "") };
    let changed = match rng.random_range(0..6) {
        0 => format!("{before}{after}"),
        1 => format!("{text}{middle}"),
        2 => format!("{before}{part}{after}"),
        3 => format!("{before}{middle}{part}{after}"),
        4 => part.to_owned(),
        _ => format!("{part}{text}"),
    };
    if changed.len() <= LONGEST { changed } else { part.to_owned() }
}

/// A text in three parts, each of which may be empty. The middle is often a single letter.
fn cut<'t>(text: &'t str, rng: &mut impl Rng) -> (&'t str, &'t str, &'t str) {
    let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    places.push(text.len());
    let from = rng.random_range(0..places.len());
    let last = places.len() - 1;
    let to = if rng.random_bool(0.5) { (from + 1).min(last) } else { rng.random_range(from..=last) };
    (&text[..places[from]], &text[places[from]..places[to]], &text[places[to]..])
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

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

    /// A text for a tokenizer and what separates its words: each can become a part of the other.
    #[test]
    fn altered_texts_resemble_others() {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..2000 {
            let text = altered("a b", &["x;y"], &mut rng);
            assert!(text.len() <= LONGEST, "{text}");
            seen.insert(text);
        }
        for wanted in ["b", "a", "a b ", ";", "ax;y b", ";a b", "a;b"] {
            assert!(seen.contains(wanted), "{wanted:?} in {seen:?}");
        }
    }
}
