//! Reasons why a class cannot be driven. Each variant says what would help.
//!
//! Paper: none; messages.

use adit_bytecode::ClassError;
use miette::Diagnostic;
use thiserror::Error;

/// Reason why no script can be made for a class.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ApiError {
    /// The class, or a class of fixtures, is not there or cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Class(#[from] ClassError),
    /// An array type.
    #[error("{class} is an array, which has no methods of its own")]
    #[diagnostic(
        code(java::array),
        help("name the class of its elements, or a class that works on such arrays")
    )]
    Array {
        /// The name as it was given.
        class: String,
    },
    /// An enum, whose objects are its constants.
    #[error(
        "{class} is an enum: its objects exist before the first call, so there is no order of calls to mine"
    )]
    #[diagnostic(
        code(java::enum_class),
        help("name a class that uses {class}; adit passes its constants as arguments")
    )]
    Enum {
        /// The class, with dots.
        class: String,
    },
    /// An annotation, which nobody makes an object of.
    #[error("{class} is an annotation, which has no objects to call")]
    #[diagnostic(code(java::annotation), help("name an ordinary class"))]
    Annotation {
        /// The class, with dots.
        class: String,
    },
    /// A class that only its package may use.
    #[error("{class} is not public")]
    #[diagnostic(code(java::not_public), help("add `--non-public` to use non-public classes and members"))]
    NotPublic {
        /// The class, with dots.
        class: String,
    },
    /// There is no way to get an object.
    #[error("adit cannot construct an object of {class}: {}", tried.join("; "))]
    #[diagnostic(
        code(java::no_start),
        help(
            "write a Java class with a method `public static {} make() {{ … }}` and pass its file with `--fixtures FILE.java`{}",
            .class.replace('$', "."),
            non_public_too(*.non_public)
        )
    )]
    NoStart {
        /// The class, with dots.
        class: String,
        /// The ways that were tried, and why each did not help.
        tried: Vec<String>,
        /// Non-public members were tried as well, or cannot help.
        non_public: bool,
    },
    /// A class with objects, on which nothing can be called.
    #[error("nothing can be called on an object of {class}")]
    #[diagnostic(
        code(java::no_method),
        help(
            "do `--only` and `--without` exclude everything? `equals`, `hashCode` and `toString` need `--object-methods`"
        )
    )]
    NoMethod {
        /// The class, with dots.
        class: String,
    },
    /// A method was named that the class does not have.
    #[error("{class} has no callable method `{name}`")]
    #[diagnostic(code(java::unknown_method), help("it has {}", has.join(", ")))]
    UnknownMethod {
        /// The class, with dots.
        class: String,
        /// The name as it was given.
        name: String,
        /// The methods that there are, the most similar first.
        has: Vec<String>,
    },
}

fn non_public_too(tried: bool) -> &'static str {
    if tried { "" } else { "; or add `--non-public` to use non-public constructors" }
}
