//! Gaps of the generator: calls that never worked, and values that were never tried. A figure
//! about generated objects says nothing about these, so they stand beside it.

use adit_adapter::AdapterAuthor;
use adit_java::{Api, Generator};
use adit_picture::legible;
use serde::{Deserialize, Serialize};

use crate::java::signature::with_types;
use crate::output::counted;
use crate::under_test::{AnyAuthor, UnderTest, World};

/// Calls and values that were not made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NotMade {
    /// Methods without arguments to call them with.
    pub(crate) never_tried: Vec<NeverTried>,
    /// Methods that were called and never returned, the most frequent first.
    pub(crate) never_returned: Vec<NeverReturned>,
    /// Kinds of texts that no call was given, in words that complete “no text …”.
    pub(crate) texts_not_tried: Vec<String>,
}

impl NotMade {
    /// Returns what the generator could not make. `worked` tells which methods worked all the same, in an
    /// earlier round for example.
    pub(crate) fn of(subject: &UnderTest, worked: impl Fn(&str) -> bool) -> Self {
        match (&subject.world, &subject.author) {
            (World::Java(java), AnyAuthor::Java(generator)) => Self::of_class(&java.api, generator, worked),
            (_, AnyAuthor::Adapter(author)) => Self::of_adapter(author, worked),
            (World::Adapter(_), AnyAuthor::Java(_)) => Self::default(),
        }
    }

    /// The same for the author of an adapter's calls.
    fn of_adapter(author: &AdapterAuthor, worked: impl Fn(&str) -> bool) -> Self {
        let never = author.never_returned().map(|never| NeverReturned {
            method: never.callable.event_name().to_owned(),
            times: never.times,
            sandbox: is_sandboxed(never.exception, never.message),
            exception: never.exception.map(str::to_owned),
            message: never.message.map(str::to_owned),
        });
        let never_returned = never.filter(|never| !worked(&never.method)).collect();
        Self { never_returned, ..Self::default() }
    }

    fn of_class(api: &Api, generator: &Generator, worked: impl Fn(&str) -> bool) -> Self {
        let never_tried = api
            .skipped
            .iter()
            .map(|(callable, why)| NeverTried { method: with_types(callable), why: why.to_string() });
        let mut never_returned: Vec<NeverReturned> = generator
            .never_returned()
            .map(|never| NeverReturned::of(&never, api))
            .filter(|never| !worked(&never.method))
            .collect();
        never_returned.sort_by(|one, other| (other.times, &one.method).cmp(&(one.times, &other.method)));
        let texts: Vec<String> = match generator.takes_texts() {
            true => generator.texts_tried().missing().map(str::to_owned).collect(),
            false => Vec::new(),
        };
        Self { never_tried: never_tried.collect(), never_returned, texts_not_tried: texts }
    }

    /// Returns the methods that were called and never returned.
    pub(crate) fn never_worked(&self) -> impl Iterator<Item = String> {
        self.never_returned.iter().map(|never| never.method.clone())
    }

    /// Returns a sentence about the texts that were not tried.
    pub(crate) fn about_texts(&self) -> Option<String> {
        let texts = &self.texts_not_tried;
        (!texts.is_empty()).then(|| format!("no text was tried {}", texts.join(", or ")))
    }

    /// Returns sentences about everything that was not made.
    pub(crate) fn told(&self) -> Vec<String> {
        let never = self.never_returned.iter().map(|never| format!("never succeeded: {never}"));
        let untried = self.never_tried.iter();
        let untried = untried.map(|never| format!("never called, for want of arguments: {}", never.method));
        never.chain(untried).chain(self.about_texts()).collect()
    }
}

/// A method that could not be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NeverTried {
    pub(crate) method: String,
    pub(crate) why: String,
}

/// A method that was called and never returned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct NeverReturned {
    pub(crate) method: String,
    pub(crate) times: u32,
    /// The exception that it threw most often, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exception: Option<String>,
    /// The message of that exception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// The sandbox probably refused the call, and not the class.
    #[serde(default)]
    pub(crate) sandbox: bool,
}

impl NeverReturned {
    /// A method that threw an exception of this class once.
    pub(crate) fn threw(method: String, class: &str, message: Option<&str>) -> Self {
        Self {
            method,
            times: 1,
            sandbox: is_sandboxed(Some(class), message),
            exception: Some(class.rsplit('.').next().unwrap_or(class).to_owned()),
            message: message.map(str::to_owned),
        }
    }

    fn of(never: &adit_java::NeverReturned<'_>, api: &Api) -> Self {
        Self {
            method: api.names.of(never.callable).to_owned(),
            times: never.times,
            sandbox: is_sandboxed(never.exception, never.message),
            exception: never.exception.map(|class| class.rsplit('.').next().unwrap_or(class).to_owned()),
            message: never.message.map(str::to_owned),
        }
    }
}

/// Returns true if a call that threw this was probably refused by the sandbox, and not by the class.
pub(crate) fn is_sandboxed(exception: Option<&str>, message: Option<&str>) -> bool {
    // The words of the operating system for what the sandbox forbids, and the exceptions that replace them by
    // a path or the name of a host.
    const WORDS: [&str; 5] = [
        "Permission denied",
        "Operation not permitted",
        "Network is unreachable",
        "Read-only file system",
        "Cannot run program",
    ];
    const EXCEPTIONS: [&str; 2] = ["AccessDeniedException", "UnknownHostException"];
    let said = |message: &str| WORDS.iter().any(|words| message.contains(words));
    let threw = |class: &str| EXCEPTIONS.iter().any(|name| class.rsplit('.').next() == Some(*name));
    message.is_some_and(said) || exception.is_some_and(threw)
}

/// The method, how often it was called, and what it threw.
impl std::fmt::Display for NeverReturned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}", self.method, counted(self.times, "time"))?;
        if let Some(exception) = &self.exception {
            write!(f, ": {exception}")?;
        }
        if let Some(message) = self.message.as_ref().filter(|message| !message.is_empty()) {
            write!(f, ", “{}”", legible(message))?;
        }
        f.write_str(if self.sandbox { "; the sandbox forbids it)" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_never_returned_says_why() {
        let told = |exception: Option<&str>, message: Option<&str>| {
            let sandbox = is_sandboxed(exception, message);
            let [exception, message] = [exception, message].map(|text| text.map(str::to_owned));
            NeverReturned { method: "start".to_owned(), times: 7, exception, message, sandbox }.to_string()
        };
        assert_eq!(told(None, None), "start (7 times)");
        assert_eq!(
            told(Some("InvalidKeyException"), Some("key must have 4 bytes")),
            "start (7 times: InvalidKeyException, “key must have 4 bytes”)"
        );
        assert_eq!(
            told(Some("IOException"), Some("Cannot run program \"a\": error=1, Operation not permitted")),
            "start (7 times: IOException, “Cannot run program \"a\": error=1, Operation not permitted”; the \
             sandbox forbids it)"
        );
        assert!(told(Some("java.nio.file.AccessDeniedException"), Some("/etc/a")).contains("sandbox"));
        // Files of earlier versions have neither.
        let old = json!({"method": "start", "times": 7});
        assert_eq!(serde_json::from_value::<NeverReturned>(old).unwrap().exception, None);
    }

    #[test]
    fn everything_that_was_not_made_is_told() {
        let made = NotMade {
            never_tried: vec![NeverTried { method: "put(Key)".to_owned(), why: String::new() }],
            never_returned: Vec::new(),
            texts_not_tried: vec!["in JSON".to_owned(), "with a line break".to_owned()],
        };
        assert_eq!(
            made.told(),
            [
                "never called, for want of arguments: put(Key)",
                "no text was tried in JSON, or with a line break"
            ]
        );
    }
}
