//! Temporal properties of words: logic on finite traces, templates, evaluation, checking a model against a
//! formula.
//!
//! A [`Formula`] is parsed, printed and evaluated on words; [`check()`] asks whether every word of a model
//! satisfies it, and gives a shortest word that does not. [`templates`] are formulas with placeholders, kept
//! as data; the six of [`Template`] are those that the miners count, and [`formula_of`] says what a
//! [`Property`] made from them means.
//!
//! ```
//! use adit_logic::Formula;
//!
//! let formula = Formula::parse("G(close -> X G !write)").expect("well formed");
//! let word = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
//! assert!(formula.holds(&word("open write close")));
//! assert!(!formula.holds(&word("open close write")));
//! ```

mod check;
mod constraints;
pub mod contract;
mod evaluate;
mod fate;
mod formula;
mod lex;
mod nearest;
mod parse;
mod property;
mod restrict;
pub mod templates;

pub use check::{Checker, Language, Limit, Verdict, check};
pub use constraints::{Constraint, ConstraintSet, ConstraintTemplate, constraints};
pub use evaluate::{Backward, Class, Suffix};
pub use fate::{Fate, FateCounts};
pub use formula::{Formula, Op};
pub use nearest::{nearest_label, unknown_atoms};
pub use parse::FormulaError;
pub use property::{Property, Template};
pub use restrict::{Restricted, restrict};
pub use templates::{FormulaTemplate, formula_of, sentence};
