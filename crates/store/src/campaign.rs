//! Reading a campaign. Everything streams: a million traces take no more memory than a thousand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adit_logic::{Fate, FateCounts, Property, Template};
use adit_trace::{Script, Stop, varint};
use rusqlite::{Connection, OpenFlags, Row};

use crate::records::{
    About, Counts, Known, NewRound, Round, RoundEnd, RoundId, SearchPoint, StoredModel, StoredProperty, Test,
    TestId, Trace,
};
use crate::{DATABASE, StoreError, schema};

/// A campaign open for reading, possibly while another process writes it.
#[derive(Debug)]
pub struct Campaign {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

/// Maximum wait for another process to finish a batch.
const PATIENCE: Duration = Duration::from_secs(10);

/// Number of rows fetched at a time.
const PAGE: i64 = 1000;

impl Campaign {
    /// Opens the campaign of a folder for reading.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(DATABASE);
        if !path.is_file() {
            return Err(StoreError::NoCampaign { folder: folder.to_owned() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let campaign = Self::connect(path.clone(), &path, flags)?;
        let checked = match campaign.checked() {
            // In a read-only folder SQLite cannot share memory with a writer. Without a log there is no
            // writer.
            Err(StoreError::Unusable { .. } | StoreError::ReadOnly { .. })
                if !beside(&path, "-wal").exists() =>
            {
                let name = immutable(&path);
                let campaign = Self::connect(path, &name, flags | OpenFlags::SQLITE_OPEN_URI)?;
                campaign.checked()?.map(|version| (campaign, version))
            }
            checked => checked?.map(|version| (campaign, version)),
        };
        let Some((campaign, found)) = checked else {
            return Err(StoreError::NoCampaign { folder: folder.to_owned() });
        };
        let known = schema::STEPS.len() as i64;
        if found < known {
            return Err(StoreError::Older { path: campaign.path, found, known });
        }
        Ok(campaign)
    }

    /// Opens `name`, which error messages call `path`.
    pub(crate) fn connect(path: PathBuf, name: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let connection = Connection::open_with_flags(name, flags)
            .and_then(|connection| {
                connection.busy_timeout(PATIENCE)?;
                connection.set_prepared_statement_cache_capacity(64);
                Ok(connection)
            })
            .map_err(|error| StoreError::from_database(&path, &error))?;
        Ok(Self { connection, path })
    }

    fn checked(&self) -> Result<Option<i64>, StoreError> {
        schema::found(&self.connection, &self.path, schema::STEPS)
    }

    /// Returns the identity of the campaign.
    pub fn about(&self) -> Result<About, StoreError> {
        let sql = "SELECT class, class_digest, parameters, seed, tool, created FROM campaign";
        let mut found = self.all(sql, [], |row| {
            let parameters: String = row.get(2)?;
            Ok(About {
                class: row.get(0)?,
                class_digest: row.get(1)?,
                parameters: json(2, &parameters)?,
                seed: row.get::<_, i64>(3)?.cast_unsigned(),
                tool: row.get(4)?,
                created: row.get(5)?,
            })
        })?;
        found.pop().ok_or_else(|| self.damaged("it has no description"))
    }

    /// Counts what is stored. Only the properties take longer when there are more of them.
    pub fn counts(&self) -> Result<Counts, StoreError> {
        // Rows are numbered from one and never deleted, so the last number is their count.
        Ok(Counts {
            rounds: self.number("SELECT coalesce(max(id), 0) FROM rounds")?,
            tests: self.number("SELECT coalesce(max(id), 0) FROM tests")?,
            words: self.number("SELECT coalesce(max(id), 0) FROM traces")?,
            properties: self.fates()?,
        })
    }

    fn fates(&self) -> Result<FateCounts, StoreError> {
        let sql = "SELECT fate, count(*) FROM properties GROUP BY fate";
        let mut counts = FateCounts::default();
        for (fate, count) in self.all(sql, [], |row| Ok((row.get::<_, String>(0)?, unsigned(row, 1)?)))? {
            counts.mined += count;
            match fate.as_str() {
                "refuted" => counts.refuted = count,
                "survived" => counts.survived = count,
                _ => counts.not_attacked = count,
            }
        }
        Ok(counts)
    }

    /// Counts the observed objects. This reads every word.
    pub fn objects(&self) -> Result<u64, StoreError> {
        self.number("SELECT coalesce(sum(count), 0) FROM traces")
    }

    fn number(&self, sql: &str) -> Result<u64, StoreError> {
        let all = self.all(sql, [], |row| row.get::<_, i64>(0))?;
        Ok(all.first().copied().unwrap_or(0).max(0).cast_unsigned())
    }

    /// Returns the rounds, in order. There are few.
    pub fn rounds(&self) -> Result<Vec<Round>, StoreError> {
        let sql =
            "SELECT id, seed, effort, tool, started, ended, stop, tests, seconds FROM rounds ORDER BY id";
        let all = self.all(sql, [], |row| {
            let effort: String = row.get(2)?;
            let (ended, stop): (Option<i64>, Option<String>) = (row.get(5)?, row.get(6)?);
            let end = match ended.zip(stop) {
                None => None,
                Some((ended, stop)) => match Stop::from_name(&stop) {
                    Some(stop) => Some(RoundEnd { ended, stop }),
                    None => return Ok(None),
                },
            };
            Ok(Some(Round {
                id: RoundId(row.get(0)?),
                begun: NewRound {
                    seed: row.get::<_, i64>(1)?.cast_unsigned(),
                    effort: json(2, &effort)?,
                    tool: row.get(3)?,
                    started: row.get(4)?,
                },
                end,
                tests: row.get::<_, i64>(7)?.max(0).cast_unsigned(),
                seconds: row.get(8)?,
            }))
        })?;
        all.into_iter()
            .map(|one| one.ok_or_else(|| self.damaged("a round that ended for an unknown reason")))
            .collect()
    }

    /// Iterates over the tests, in the order in which they were found.
    pub fn tests(&self) -> impl Iterator<Item = Result<Test, StoreError>> {
        let sql = "SELECT id, round, script FROM tests WHERE id > ?1 ORDER BY id LIMIT ?2";
        self.pages(sql, test, |test| test.id.0)
    }

    /// Returns one test.
    pub fn test(&self, id: TestId) -> Result<Test, StoreError> {
        let sql = "SELECT id, round, script FROM tests WHERE id = ?1";
        let mut found = self.all(sql, [id.0], test)?;
        found.pop().ok_or_else(|| self.damaged(format!("test {} is missing", id.0)))
    }

    /// Iterates over the distinct words with their counts, in the order in which they were first seen.
    pub fn traces(&self) -> impl Iterator<Item = Result<Trace, StoreError>> {
        let mut labels = Labels::default();
        let sql = "SELECT id, word, count, test FROM traces WHERE id > ?1 ORDER BY id LIMIT ?2";
        let row = |row: &Row<'_>| {
            let count = row.get::<_, i64>(2)?.max(0).cast_unsigned();
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?, count, row.get::<_, Option<i64>>(3)?))
        };
        let pages = self.pages(sql, row, |(id, ..)| *id);
        pages.map(move |row| {
            let (id, word, count, test) = row?;
            let word = labels.spell(self, &word, id)?;
            Ok(Trace { id, word, count, test: test.map(TestId) })
        })
    }

    /// Calls `visit` for every word with a number above `after`, in the order in which they were first seen,
    /// without holding them in memory. `letter` translates labels into letters of the caller and is called
    /// once for each label.
    ///
    /// ```
    /// # use adit_store::{About, Campaign, Held, Writer};
    /// # let folder = std::env::temp_dir().join(format!("adit-store-words-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let (class, class_digest, tool) = (String::new(), String::new(), String::new());
    /// # let parameters = serde_json::json!({});
    /// # let about = About { class, class_digest, parameters, seed: 0, tool, created: 0 };
    /// let mut writer = Writer::open(Held::new(&folder)?, &about)?;
    /// writer.batch(|batch| batch.trace(&["Stack", "push", "push"], 1, None))?;
    /// let mut lengths = Vec::new();
    /// writer.each_word(0, str::len, |known| lengths.push(known.word.to_vec()))?;
    /// assert_eq!(lengths, [[5, 4, 4]]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), adit_store::StoreError>(())
    /// ```
    pub fn each_word<L: Copy>(
        &self,
        after: i64,
        mut letter: impl FnMut(&str) -> L,
        mut visit: impl FnMut(Known<'_, L>),
    ) -> Result<(), StoreError> {
        let wrong = |error| StoreError::from_database(&self.path, &error);
        // A transaction, so that labels and words agree while another process writes.
        let view = self.connection.unchecked_transaction().map_err(wrong)?;
        let mut letters: Vec<Option<L>> = Vec::new();
        let names = self.all("SELECT id, name FROM labels", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })?;
        // Only a damaged file has larger numbers, and the table for them might not fit into memory.
        let most = names.len().saturating_mul(2) + 1000;
        for (number, name) in names {
            let at = usize::try_from(number).ok().filter(|&at| at < most);
            let at = at.ok_or_else(|| self.damaged(format!("label {number} is out of order")))?;
            letters.resize(letters.len().max(at + 1), None);
            letters[at] = Some(letter(&name));
        }
        let mut statement = view
            .prepare_cached("SELECT id, word, count, test FROM traces WHERE id > ?1 ORDER BY id")
            .map_err(wrong)?;
        let mut rows = statement.query([after]).map_err(wrong)?;
        let mut word = Vec::new();
        while let Some(row) = rows.next().map_err(wrong)? {
            let id: i64 = row.get(0).map_err(wrong)?;
            let bytes = row.get_ref(1).and_then(|value| Ok(value.as_blob()?)).map_err(wrong)?;
            word.clear();
            let spelled = each_number(bytes, |number| {
                let at = usize::try_from(number).ok()?;
                word.push((*letters.get(at)?)?);
                Some(())
            });
            if spelled.is_none() {
                return Err(self.damaged(format!("trace {id} is not made of known labels")));
            }
            let count = row.get::<_, i64>(2).map_err(wrong)?.max(0).cast_unsigned();
            let test = row.get::<_, Option<i64>>(3).map_err(wrong)?.map(TestId);
            visit(Known { id, word: &word, count, test });
        }
        Ok(())
    }

    /// Returns the properties, in the order of their templates and events.
    pub fn properties(&self) -> Result<Vec<StoredProperty>, StoreError> {
        let sql = "SELECT template, a.name, b.name, fate, test, attacked, abandoned, support FROM properties
                   JOIN labels a ON a.id = properties.a JOIN labels b ON b.id = properties.b
                   ORDER BY template, a.name, b.name";
        let all = self.all(sql, [], |row| {
            let template: String = row.get(0)?;
            let template = Template::from_short(&template);
            let (a, b): (String, String) = (row.get(1)?, row.get(2)?);
            let (fate, test): (String, Option<i64>) = (row.get(3)?, row.get(4)?);
            let fate = match (fate.as_str(), test) {
                ("refuted", Some(test)) => Some(Fate::Refuted(TestId(test))),
                ("survived", None) => {
                    Some(Fate::Survived { attacked: unsigned(row, 5)?, abandoned: row.get(6)? })
                }
                ("not_attacked", None) => Some(Fate::NotAttacked),
                _ => None,
            };
            let support = unsigned(row, 7)?;
            Ok(template.zip(fate).map(|(template, fate)| StoredProperty {
                property: Property { template, a, b },
                fate,
                support,
            }))
        })?;
        all.into_iter()
            .map(|one| one.ok_or_else(|| self.damaged("unknown template or fate of a property")))
            .collect()
    }

    /// Returns the models of all rounds, in order. There are few.
    pub fn models(&self) -> Result<Vec<StoredModel>, StoreError> {
        let sql = "SELECT round, json, why, complete, realized, tests, written, explored, witnesses, made
                   FROM models ORDER BY id";
        self.all(sql, [], |row| {
            let tests: String = row.get(5)?;
            let tests: Vec<i64> = serde_json::from_str(&tests).map_err(|error| wrong_value(5, error))?;
            let witnesses: String = row.get(8)?;
            let round = row.get(0)?;
            Ok(StoredModel {
                round: RoundId(round),
                made: RoundId(row.get::<_, Option<i64>>(9)?.unwrap_or(round)),
                witnesses: json(8, &witnesses)?,
                json: row.get(1)?,
                why: row.get(2)?,
                complete: row.get(3)?,
                realized: row.get(4)?,
                tests: tests.into_iter().map(TestId).collect(),
                written: row.get(6)?,
                explored: row.get::<_, i64>(7)?.max(0).cast_unsigned(),
            })
        })
    }

    /// Iterates over the progress of all rounds, in order.
    pub fn search(&self) -> impl Iterator<Item = Result<SearchPoint, StoreError>> {
        let sql = "SELECT id, round, phase, seconds, tests, states, refuted, open, covered FROM search
                   WHERE id > ?1 ORDER BY id LIMIT ?2";
        let row = |row: &Row<'_>| {
            let known = |at| row.get::<_, Option<i64>>(at).map(|number| Some(number?.max(0).cast_unsigned()));
            let point = SearchPoint {
                round: RoundId(row.get(1)?),
                phase: row.get(2)?,
                seconds: row.get(3)?,
                tests: row.get::<_, i64>(4)?.max(0).cast_unsigned(),
                states: known(5)?,
                refuted: known(6)?,
                open: known(7)?,
                covered: known(8)?,
            };
            Ok((row.get::<_, i64>(0)?, point))
        };
        self.pages(sql, row, |(id, _)| *id).map(|row| row.map(|(_, point)| point))
    }

    /// Returns all rows of a query with a small result.
    fn all<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let run = || -> rusqlite::Result<Vec<T>> {
            self.connection.prepare_cached(sql)?.query_map(parameters, row)?.collect()
        };
        run().map_err(|error| StoreError::from_database(&self.path, &error))
    }

    /// Iterates over a large result page by page. The query takes the last number seen and the size of a
    /// page.
    fn pages<T>(
        &self,
        sql: &'static str,
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T> + Copy,
        number: impl Fn(&T) -> i64,
    ) -> impl Iterator<Item = Result<T, StoreError>> {
        let mut page: std::vec::IntoIter<T> = Vec::new().into_iter();
        let mut last = Some(i64::MIN);
        std::iter::from_fn(move || {
            if let Some(next) = page.next() {
                return Some(Ok(next));
            }
            // After an error the iterator ends.
            let after = last.take()?;
            match self.all(sql, (after, PAGE), row) {
                Ok(rows) => {
                    last = rows.last().map(&number);
                    page = rows.into_iter();
                    page.next().map(Ok)
                }
                Err(error) => Some(Err(error)),
            }
        })
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }
}

/// A number that is never negative; SQLite's numbers have a sign.
fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.max(0).cast_unsigned())
}

fn test(row: &Row<'_>) -> rusqlite::Result<Test> {
    let script: String = row.get(2)?;
    let script = Script::from_json(&script).map_err(|error| wrong_value(2, error))?;
    Ok(Test { id: TestId(row.get(0)?), round: RoundId(row.get(1)?), script })
}

/// Names of labels by number, read again when one is missing, because a writer may have added it.
#[derive(Default)]
struct Labels(BTreeMap<u64, String>);

impl Labels {
    fn spell(&mut self, campaign: &Campaign, word: &[u8], id: i64) -> Result<Vec<String>, StoreError> {
        let damaged = || campaign.damaged(format!("trace {id} is not made of known labels"));
        let numbers = numbers(word).ok_or_else(damaged)?;
        if numbers.iter().any(|number| !self.0.contains_key(number)) {
            let rows = campaign.all("SELECT id, name FROM labels", [], |row| {
                Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, String>(1)?))
            })?;
            self.0 = rows.into_iter().collect();
        }
        numbers.iter().map(|number| self.0.get(number).cloned().ok_or_else(damaged)).collect()
    }
}

/// Encodes numbers as variable-length integers, one after the other.
pub(crate) fn packed(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        varint::put(&mut bytes, number);
    }
    bytes
}

/// Decodes the output of [`packed`]; returns nothing for other bytes.
fn numbers(bytes: &[u8]) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    each_number(bytes, |number| {
        numbers.push(number);
        Some(())
    })?;
    Some(numbers)
}

/// Decodes the output of [`packed`] number by number; returns nothing for other bytes or if `visit` rejects a
/// number.
fn each_number(mut bytes: &[u8], mut visit: impl FnMut(u64) -> Option<()>) -> Option<()> {
    while !bytes.is_empty() {
        visit(varint::take(&mut bytes)?)?;
    }
    Some(())
}

fn json(column: usize, text: &str) -> rusqlite::Result<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| wrong_value(column, error))
}

fn wrong_value(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}

/// Returns the path of a file that SQLite keeps beside a database.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the URI of a database that nobody writes, for which SQLite takes no lock.
fn immutable(path: &Path) -> PathBuf {
    let mut name = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => name.push(byte.into()),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    name.push_str("?immutable=1");
    name.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_word_is_refused() {
        assert_eq!(numbers(&[1, 0x81, 1, 127]), Some(vec![1, 129, 127]));
        assert_eq!(numbers(&[0x81]), None);
        assert_eq!(numbers(&[0xff; 12]), None);
    }

    #[test]
    fn addresses_have_no_questions_in_them() {
        assert_eq!(
            immutable(Path::new("a b?c#d%/campaign.db")),
            Path::new("file:a%20b%3Fc%23d%25/campaign.db?immutable=1")
        );
    }

    proptest! {
        #[test]
        fn packed_is_unpacked(all in prop::collection::vec(prop_oneof![0u64..200, any::<u64>()], 0..9)) {
            prop_assert_eq!(numbers(&packed(all.iter().copied())), Some(all));
        }
    }
}
