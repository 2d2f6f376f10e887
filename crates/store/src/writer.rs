//! Writing a campaign, in batches that are there whole or not at all.

use std::collections::HashMap;
use std::ops::Deref;

use adit_trace::Script;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::campaign::packed;
use crate::records::{About, Claim, Fate, NewRound, RoundEnd, RoundId, SearchPoint, StoredModel, TestId};
use crate::{Campaign, DATABASE, Digest, Held, StoreError, schema};

/// A campaign that this process alone writes. It can be read as well.
#[derive(Debug)]
pub struct Writer {
    campaign: Campaign,
    /// The numbers of labels, as far as they are known to be stored.
    labels: HashMap<String, u64>,
    /// Last, because the folder may be given back only when the database is closed.
    held: Held,
}

impl Deref for Writer {
    type Target = Campaign;

    fn deref(&self) -> &Campaign {
        &self.campaign
    }
}

impl Writer {
    /// Opens the campaign of a folder, brought up to date if it is an old one, or begins one about `about`.
    ///
    /// The campaign that is there may be about something else: compare [`Campaign::about`].
    pub fn open(held: Held, about: &About) -> Result<Self, StoreError> {
        let path = held.folder().join(DATABASE);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut campaign = Campaign::connect(path.clone(), &path, flags)?;
        let connection = &mut campaign.connection;
        let wrong = |error| StoreError::from_database(&path, &error);
        // Only then is it known for a database at all, and nothing was changed.
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

    /// Begins a round.
    pub fn begin(&mut self, round: &NewRound) -> Result<RoundId, StoreError> {
        self.batch(|batch| {
            batch.execute(
                "INSERT INTO rounds (seed, effort, tool, started) VALUES (?1, ?2, ?3, ?4)",
                params![round.seed.cast_signed(), round.effort.to_string(), round.tool, round.started],
            )?;
            Ok(RoundId(batch.transaction.last_insert_rowid()))
        })
    }

    /// Writes what `work` says, all of it or, if anything fails, nothing. When this returns, it is on the disk.
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
            // Labels that were numbered in this batch are not there.
            labels.clear();
        }
        written
    }

    /// Closes the campaign, as one file that can be copied and read anywhere.
    pub fn finish(self) -> Result<(), StoreError> {
        let Self { campaign, held, .. } = self;
        // Somebody who reads it right now keeps the log alive; then it is the next writer who tidies up.
        let _ = campaign.connection.pragma_update(None, "journal_mode", "DELETE");
        let path = campaign.path;
        let closed = campaign.connection.close();
        drop(held);
        closed.map_err(|(_, error)| StoreError::from_database(&path, &error))
    }
}

/// How this process writes.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // With a log, who reads does not wait for who writes. Where there can be none, SQLite says so and goes on without.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // What was said to be written stays written, even when the machine loses its power.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // In pages of 4 KiB: the log is folded in eight times more rarely than by default, because most of what is written changes the
    // same pages of the indexes again and again.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 8000, |_| Ok(()))?;
    // In KiB. Words come in any order, and their index is looked up for each.
    connection.pragma_update(None, "cache_size", -32 * 1024)
}

/// What is written together.
pub struct Batch<'a> {
    transaction: Transaction<'a>,
    labels: &'a mut HashMap<String, u64>,
    path: &'a std::path::Path,
}

impl Batch<'_> {
    /// Keeps a test, once: a test that is known keeps its number and round.
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

    /// Counts objects that did this. The test is kept for the first.
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

    /// Counts objects that did what is stored under this number.
    pub fn again(&mut self, id: i64, count: u64) -> Result<(), StoreError> {
        self.execute("UPDATE traces SET count = count + ?2 WHERE id = ?1", params![id, number(count)])
    }

    /// Says what is now known of a claim. What is refuted stays refuted; another test that does may take the place of the first.
    pub fn claim(&mut self, claim: &Claim) -> Result<(), StoreError> {
        let a = self.label(&claim.property.a)?.cast_signed();
        let b = self.label(&claim.property.b)?.cast_signed();
        let (fate, test) = match claim.fate {
            Fate::Open => ("open", None),
            Fate::Survived { abandoned: false } => ("survived", None),
            Fate::Survived { abandoned: true } => ("abandoned", None),
            Fate::Refuted { test } => ("refuted", Some(test.0)),
        };
        self.execute(
            "INSERT INTO claims (template, a, b, fate, test, support, attacked) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (template, a, b) DO UPDATE SET fate = excluded.fate, test = excluded.test,
                 support = excluded.support, attacked = excluded.attacked
             WHERE fate <> 'refuted' OR excluded.fate = 'refuted'",
            params![
                claim.property.template.short(),
                a,
                b,
                fate,
                test,
                number(claim.support),
                number(claim.attacked)
            ],
        )
    }

    /// Keeps a model.
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

    /// Notes how far the search is.
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

    /// Notes how the whole search of a round went, in place of the points that were noted while it ran.
    pub fn course(&mut self, round: RoundId, points: &[SearchPoint]) -> Result<(), StoreError> {
        self.execute("DELETE FROM search WHERE round = ?1", params![round.0])?;
        points.iter().try_for_each(|point| self.point(point))
    }

    /// Notes how much the round did so far.
    pub fn so_far(&mut self, round: RoundId, tests: u64, seconds: f64) -> Result<(), StoreError> {
        self.execute(
            "UPDATE rounds SET tests = ?2, seconds = ?3 WHERE id = ?1",
            params![round.0, number(tests), seconds],
        )
    }

    /// Ends the round.
    pub fn end(&mut self, round: RoundId, end: &RoundEnd) -> Result<(), StoreError> {
        self.execute(
            "UPDATE rounds SET ended = ?2, stop = ?3 WHERE id = ?1",
            params![round.0, end.ended, end.stop.name()],
        )
    }

    /// The number of a label, which is given one if it has none.
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

/// As SQLite counts: its numbers have a sign.
fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Campaign;

    /// A disk that is full in the middle of a batch: the error says so, and what was there before is there still.
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
