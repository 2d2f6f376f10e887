//! What a class can be asked, scripts that ask it, and what the answers refute.
//!
//! [`Api`] says what can be called on a class, [`Supply`] where the values come from that the calls need, and a
//! [`Generator`] makes random scripts of both; [`edit`] changes scripts, [`java`] writes them as Java. [`purity`] and
//! [`effects`] learn from runs what single methods do. [`prepare`] is the way in.
//!
//! [`dice_tester`] searches, with [`dynamosa`], for tests that refute properties and take [`branches`]; [`shrink`] makes them
//! smaller. [`explore`] makes a model by probing which events are possible where, and [`validate`] measures any model against the
//! class. All hear runs as words with an [`Ear`], and run scripts behind a [`HangGuard`], which alone knows what hangs.
//!
//! Nothing here runs a script. A [`Subject`](adit_trace::Subject) does, and where one is needed it is handed in.

mod api;
pub mod branches;
pub mod dice_tester;
pub mod dynamosa;
pub mod edit;
pub mod effects;
mod error;
pub mod explore;
pub mod fitness;
mod generate;
mod guard;
mod hangs;
mod heard;
pub mod java;
mod makers;
mod moves;
pub mod novelty;
mod prepare;
mod probe;
pub mod purity;
mod realize;
pub mod shrink;
mod supply;
mod survey;
pub mod validate;
mod values;
mod vary;

pub use api::{Api, ApiOptions, Operation, callable};
pub use error::ApiError;
pub use generate::{Generator, GeneratorOptions};
pub use guard::{Guarded, GuardedSubject, HangGuard};
pub use hangs::BadEnd;
pub use heard::{Ear, Heard};
pub use prepare::{prepare, prepare_in, worth_reading};
pub use supply::{Recipe, Supply};
pub use survey::SurveyOptions;
