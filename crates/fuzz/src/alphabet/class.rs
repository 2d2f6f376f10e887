//! Codes of answers and their classes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Class of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerClass {
    /// Another answer follows (1xx).
    Preliminary,
    /// Done (2xx).
    Ok,
    /// The server needs more (3xx).
    More,
    /// Refused (4xx, 5xx).
    Error,
    /// A code that the alphabet does not mention.
    Other,
    /// The label has no answer.
    Silent,
}

impl AnswerClass {
    /// Classes that an alphabet file can give to codes.
    pub const IN_FILES: [Self; 4] = [Self::Preliminary, Self::Ok, Self::More, Self::Error];

    /// Name in alphabet files and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Preliminary => "preliminary",
            Self::Ok => "ok",
            Self::More => "more",
            Self::Error => "error",
            Self::Other => "other",
            Self::Silent => "silent",
        }
    }

    /// Returns true if the server did what it was asked.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Ok | Self::More | Self::Silent)
    }
}

impl fmt::Display for AnswerClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Pattern of a code, in which `x` stands for any character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePattern(pub String);

impl CodePattern {
    /// Returns true for codes that the pattern describes.
    pub fn fits(&self, code: &str) -> bool {
        self.0.chars().count() == code.chars().count()
            && self.0.chars().zip(code.chars()).all(|(pattern, actual)| pattern == 'x' || pattern == actual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_codes_of_its_length() {
        let pattern = CodePattern("2xx".to_owned());
        assert!(pattern.fits("200") && pattern.fits("226"));
        assert!(!pattern.fits("331") && !pattern.fits("20") && !pattern.fits("2000"));
    }
}
