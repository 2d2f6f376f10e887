//! Writing a campaign in atomic batches.

use std::collections::HashMap;
use std::ops::Deref;

use adit_logic::Fate;
use adit_trace::Script;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::campaign::packed;
use crate::records::{About, NewRound, RoundEnd, RoundId, SearchPoint, StoredModel, StoredProperty, TestId};
use crate::{Campaign, DATABASE, Digest, Held, StoreError, schema};

/// A campaign that this process writes and reads.
#[derive(Debug)]
pub struct Writer {
    campaign: Campaign,
    /// Numbers of labels that are known to be stored.
    labels: HashMap<String, u64>,
    /// Last field, because the folder must stay locked until the database is closed.
    held: Held,
}

impl Deref for Writer {
    type Target = Campaign;

    fn deref(&self) -> &Campaign {
        &self.campaign
    }
}

impl Writer {
    /// Opens the campaign of a folder, migrating an old one, or creates one with identity `about`.
    ///
    /// An existing campaign may have another identity: compare [`Campaign::about`].
    pub fn open(held: Held, about: &About) -> Result<Self, StoreError> {
        let path = held.folder().join(DATABASE);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut campaign = Campaign::connect(path.clone(), &path, flags)?;
        let connection = &mut campaign.connection;
        let wrong = |error| StoreError::from_database(&path, &error);
        // Before anything is changed: the file may not be a campaign at all.
        let found = schema::found(connection, &path, schema::STEPS)?;
        prepare(connection).map_err(wrong)?;
        schema::migrate(connection, &path, schema::STEPS, |transaction| {
            if found.is_none() {
                let parameters = about.parameters.to_string();
                transaction.execute(
                    "INSERT INTO campaign VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        about.class,
                        about.class_digest,
                        parameters,
                        about.seed.cast_signed(),
                        about.tool,
                        about.created
                    ],
                )?;
            }
            Ok(())
        })?;
        Ok(Self { campaign, labels: HashMap::new(), held })
    }

    /// Starts a round.
    pub fn begin(&mut self, round: &NewRound) -> Result<RoundId, StoreError> {
        self.batch(|batch| {
            batch.execute(
                "INSERT INTO rounds (seed, effort, tool, started) VALUES (?1, ?2, ?3, ?4)",
                params![round.seed.cast_signed(), round.effort.to_string(), round.tool, round.started],
            )?;
            Ok(RoundId(batch.transaction.last_insert_rowid()))
        })
    }

    /// Runs `work` in a transaction: if anything fails, nothing is written. When this returns, the data is on
    /// disk.
    pub fn batch<T>(
        &mut self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let Self { campaign, labels, .. } = self;
        let path = campaign.path.clone();
        let wrong = |error| StoreError::from_database(&path, &error);
        let written = campaign
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(wrong)
            .and_then(|transaction| {
                let mut batch = Batch { transaction, labels, path: &path };
                let done = work(&mut batch)?;
                batch.transaction.commit().map_err(wrong)?;
                Ok(done)
            });
        if written.is_err() {
            // The labels that this batch numbered were not stored.
            labels.clear();
        }
        written
    }

    /// Closes the campaign, leaving a single file that can be copied.
    pub fn finish(self) -> Result<(), StoreError> {
        let Self { campaign, held, .. } = self;
        // A concurrent reader keeps the log alive; then the next writer removes it.
        let _ = campaign.connection.pragma_update(None, "journal_mode", "DELETE");
        let path = campaign.path;
        let closed = campaign.connection.close();
        drop(held);
        closed.map_err(|(_, error)| StoreError::from_database(&path, &error))
    }
}

/// Sets how this process writes.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // With a log, readers do not wait for the writer. Where the file system does not support it, SQLite does
    // without.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // A committed batch survives a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // In pages of 4 KiB. Checkpoints are eight times rarer than by default, because most batches change the
    // same index pages again and again.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 8000, |_| Ok(()))?;
    // In KiB. Words arrive in any order, and each is looked up in the index.
    connection.pragma_update(None, "cache_size", -32 * 1024)
}

/// Writes of one transaction.
pub struct Batch<'a> {
    transaction: Transaction<'a>,
    labels: &'a mut HashMap<String, u64>,
    path: &'a std::path::Path,
}

impl Batch<'_> {
    /// Stores a test and returns its number; a known test keeps its number and round.
    pub fn test(&mut self, round: RoundId, script: &Script) -> Result<TestId, StoreError> {
        let text = script.to_json();
        let key = Digest::short(text.as_bytes());
        let known = self
            .transaction
            .prepare_cached("SELECT id FROM tests WHERE key = ?1 AND script = ?2")
            .and_then(|mut statement| statement.query_row(params![key, text], |row| row.get(0)).optional())
            .map_err(|error| self.wrong(&error))?;
        if let Some(id) = known {
            return Ok(TestId(id));
        }
        self.execute(
            "INSERT INTO tests (round, key, script) VALUES (?1, ?2, ?3)",
            params![round.0, key, text],
        )?;
        Ok(TestId(self.transaction.last_insert_rowid()))
    }

    /// Adds objects that did `word`. The first test given for a word is kept as its example.
    pub fn trace<L: AsRef<str>>(
        &mut self,
        word: &[L],
        count: u64,
        test: Option<TestId>,
    ) -> Result<(), StoreError> {
        let numbers: Vec<u64> =
            word.iter().map(|label| self.label(label.as_ref())).collect::<Result<_, _>>()?;
        let word = packed(numbers);
        let key = Digest::short(&word);
        let known = self
            .transaction
            .prepare_cached(
                "UPDATE traces SET count = count + ?3, test = coalesce(test, ?4) WHERE key = ?1 AND word = ?2",
            )
            .and_then(|mut statement| {
                statement.execute(params![key, word, number(count), test.map(|test| test.0)])
            })
            .map_err(|error| self.wrong(&error))?;
        if known > 0 {
            return Ok(());
        }
        self.execute(
            "INSERT INTO traces (key, word, count, test) VALUES (?1, ?2, ?3, ?4)",
            params![key, word, number(count), test.map(|test| test.0)],
        )
    }

    /// Adds objects that did the word with this number.
    pub fn again(&mut self, id: i64, count: u64) -> Result<(), StoreError> {
        self.execute("UPDATE traces SET count = count + ?2 WHERE id = ?1", params![id, number(count)])
    }

    /// Stores a property with its fate. A refuted property stays refuted; another witness may replace the
    /// first.
    pub fn property(&mut self, stored: &StoredProperty) -> Result<(), StoreError> {
        let a = self.label(&stored.property.a)?.cast_signed();
        let b = self.label(&stored.property.b)?.cast_signed();
        let (attacked, abandoned) = match stored.fate {
            Fate::Survived { attacked, abandoned } => (attacked, abandoned),
            Fate::Refuted(_) | Fate::NotAttacked => (0, false),
        };
        self.execute(
            "INSERT INTO properties (template, a, b, fate, test, attacked, abandoned, support)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (template, a, b) DO UPDATE SET fate = excluded.fate, test = excluded.test,
                 attacked = excluded.attacked, abandoned = excluded.abandoned, support = excluded.support
             WHERE fate <> 'refuted' OR excluded.fate = 'refuted'",
            params![
                stored.property.template.short(),
                a,
                b,
                stored.fate.name(),
                stored.fate.witness().map(|test| test.0),
                number(attacked),
                abandoned,
                number(stored.support)
            ],
        )
    }

    /// Stores a model.
    pub fn model(&mut self, model: &StoredModel) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO models (round, json, why, complete, realized, tests, written, explored, witnesses, made)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                model.round.0,
                model.json,
                model.why,
                model.complete,
                model.realized,
                serde_json::json!(model.tests.iter().map(|test| test.0).collect::<Vec<_>>()).to_string(),
                model.written,
                number(model.explored),
                model.witnesses.to_string(),
                model.made.0
            ],
        )
    }

    /// Stores the progress of the search.
    pub fn point(&mut self, point: &SearchPoint) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO search (round, phase, seconds, tests, states, refuted, open, covered)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                point.round.0,
                point.phase,
                point.seconds,
                number(point.tests),
                point.states.map(number),
                point.refuted.map(number),
                point.open.map(number),
                point.covered.map(number)
            ],
        )
    }

    /// Replaces the progress of a round, as stored while it ran, by a summary of all of it.
    pub fn course(&mut self, round: RoundId, points: &[SearchPoint]) -> Result<(), StoreError> {
        self.execute("DELETE FROM search WHERE round = ?1", params![round.0])?;
        points.iter().try_for_each(|point| self.point(point))
    }

    /// Stores the number of tests and the duration of a round so far.
    pub fn so_far(&mut self, round: RoundId, tests: u64, seconds: f64) -> Result<(), StoreError> {
        self.execute(
            "UPDATE rounds SET tests = ?2, seconds = ?3 WHERE id = ?1",
            params![round.0, number(tests), seconds],
        )
    }

    /// Ends a round.
    pub fn end(&mut self, round: RoundId, end: &RoundEnd) -> Result<(), StoreError> {
        self.execute(
            "UPDATE rounds SET ended = ?2, stop = ?3 WHERE id = ?1",
            params![round.0, end.ended, end.stop.name()],
        )
    }

    /// Returns the number of a label, assigning one if it is new.
    fn label(&mut self, name: &str) -> Result<u64, StoreError> {
        if let Some(&number) = self.labels.get(name) {
            return Ok(number);
        }
        self.execute("INSERT INTO labels (name) VALUES (?1) ON CONFLICT (name) DO NOTHING", params![name])?;
        let number = self
            .transaction
            .prepare_cached("SELECT id FROM labels WHERE name = ?1")
            .and_then(|mut statement| statement.query_row([name], |row| row.get::<_, i64>(0)))
            .map_err(|error| self.wrong(&error))?
            .cast_unsigned();
        self.labels.insert(name.to_owned(), number);
        Ok(number)
    }

    fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> Result<(), StoreError> {
        self.transaction
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(parameters))
            .map(|_| ())
            .map_err(|error| self.wrong(&error))
    }

    fn wrong(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::from_database(self.path, error)
    }
}

/// Converts a count; SQLite's numbers are signed.
fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Campaign;

    /// A disk that is full in the middle of a batch: the error says so, and what was there before is there
    /// still.
    #[test]
    fn a_full_disk_leaves_the_last_good_state() {
        let folder = tempfile::tempdir().unwrap();
        let about = About {
            class: "Stack".to_owned(),
            class_digest: String::new(),
            parameters: serde_json::json!({}),
            seed: 0,
            tool: String::new(),
            created: 0,
        };
        let mut writer = Writer::open(Held::new(folder.path()).unwrap(), &about).unwrap();
        writer.batch(|batch| batch.trace(&["Stack"], 1, None)).unwrap();
        let pages: i64 = writer.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        writer.connection.pragma_update_and_check(None, "max_page_count", pages + 2, |_| Ok(())).unwrap();
        let failed = writer.batch(|batch| {
            (0..100_000)
                .try_for_each(|number| batch.trace(&["Stack".to_owned(), number.to_string()], 1, None))
        });
        let error = failed.unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert_eq!(writer.counts().unwrap().words, 1);
        assert_eq!(Campaign::read(folder.path()).unwrap().counts().unwrap().words, 1);
        // There is room again, and it goes on.
        writer.connection.pragma_update_and_check(None, "max_page_count", 100_000, |_| Ok(())).unwrap();
        writer.batch(|batch| batch.trace(&["Stack", "push"], 1, None)).unwrap();
        assert_eq!(writer.counts().unwrap().words, 2);
    }
}
