//! Searches over any subject: models by exploration, properties under attack, models judged by what they
//! describe.
//!
//! A search runs scripts on a [`Subject`](adit_trace::Subject), which an [`Author`](adit_trace::Author)
//! writes and an [`EventReader`] reads as words. It knows calls, kinds of values, outcomes and states; the
//! language of the subject and its types it does not know.
//!
//! [`explore`] makes a model of a subject. [`dice_tester`] searches, with [`dynamosa`], for scripts that
//! refute properties and take [`branches`]; [`shrink`] makes them smaller. [`validate`] measures a model
//! against the subject. [`purity`] and [`effects`] learn from runs what single methods do, and [`order`]
//! whether two of them may change places. [`dsi`] and [`temari`] judge that by the ends of tests.

pub mod branches;
pub mod dice_tester;
pub mod dsi;
pub mod dynamosa;
pub mod effects;
mod events;
pub mod explore;
pub mod fitness;
mod guard;
mod hangs;
mod moves;
pub mod novelty;
pub mod order;
mod other_values;
mod probe;
pub mod purity;
mod realize;
pub mod shrink;
pub mod spec_verdict;
mod survey;
pub mod temari;
mod ties;
pub mod validate;

pub use events::{EventReader, ObjectTrace};
pub use guard::{Guarded, GuardedSubject, HangGuard};
pub use hangs::BadEnd;
pub use survey::SurveyOptions;
