//! The caller's knowledge of labels, as far as file formats need it.
//!
//! To this crate a label is any string. But some tools decorate labels, some file formats cannot spell them,
//! and a JavaMOP monitor needs the call behind a label. A caller who knows what labels mean passes a
//! [`Spelling`].

/// Functions that relate labels to the words of files.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// The label for a word of a file, without what other tools add to it. A word that a label is written as
    /// must stand for that label; labels that do not stand for themselves are written with a remark.
    pub from_word: fn(&str) -> String,
    /// The label for an identifier, in formats whose words hold only letters, digits and underscores.
    pub from_identifier: fn(&str) -> String,
    /// The call that a label stands for; `None` for a label that is no call.
    pub call: fn(&str) -> Option<Call<'_>>,
}

impl Spelling {
    /// Labels that stand for themselves and mean nothing.
    pub const PLAIN: Self = Self { from_word: str::to_owned, from_identifier: str::to_owned, call: |_| None };
}

/// A call of a method and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The method's name; the simple name of the class for a constructor.
    pub method: &'a str,
    /// The parameter types, separated by commas; `None` for all overloads.
    pub parameters: Option<&'a str>,
    /// The end of the call.
    pub end: CallEnd<'a>,
}

/// The ends of a call that a label stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd<'a> {
    /// Any end.
    Any,
    /// It returned this boolean.
    Returned(bool),
    /// It threw an exception of this class.
    Threw(&'a str),
}
