//! Campaigns on disk: everything known about a class that must survive a crash.
//!
//! A campaign is a folder with a database in it. One process at a time writes it, in atomic batches, while
//! any number of processes read it. A later round opens the campaign and finds everything that earlier rounds
//! wrote.
//!
//! ```
//! use adit_store::{About, Campaign, Held, Writer};
//!
//! # let folder = std::env::temp_dir().join(format!("adit-store-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let about = About {
//!     class: "java.util.ArrayList".to_owned(),
//!     class_digest: "5d41402a".to_owned(),
//!     parameters: serde_json::json!({ "non_public": false }),
//!     seed: 7,
//!     tool: "0.1.0".to_owned(),
//!     created: 1_700_000_000,
//! };
//! let mut writer = Writer::open(Held::new(&folder)?, &about)?;
//! writer.batch(|batch| batch.trace(&["ArrayList", "isEmpty:TRUE"], 3, None))?;
//! writer.finish()?;
//!
//! let campaign = Campaign::read(&folder)?;
//! assert_eq!(campaign.about()?, about);
//! let words = campaign.traces().map(|trace| trace.map(|trace| trace.word));
//! let words: Vec<_> = words.collect::<Result<_, _>>()?;
//! assert_eq!(words, [["ArrayList", "isEmpty:TRUE"]]);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), adit_store::StoreError>(())
//! ```

mod campaign;
mod digest;
mod error;
mod first_scripts;
mod held;
mod records;
mod schema;
mod writer;

pub use campaign::Campaign;
pub use digest::Digest;
pub use error::StoreError;
pub use held::Held;
pub use records::{
    About, Counts, Difference, Known, NewRound, Round, RoundEnd, RoundId, SearchPoint, StoredModel,
    StoredProperty, Test, TestId, Trace,
};
pub use writer::{Batch, Writer};

/// Name of the database in a campaign's folder.
pub const DATABASE: &str = "campaign.db";
