//! The tables, and how a database of an earlier version becomes one of this.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::StoreError;

/// Written into the file, so that it is known for a campaign (`adit` in ASCII).
const APPLICATION: i64 = 0x6164_6974;

/// What makes schema 1 of nothing, schema 2 of schema 1, and so on. A step that was released is never changed.
pub(crate) const STEPS: &[&str] = &["
    CREATE TABLE campaign (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        class TEXT NOT NULL, class_digest TEXT NOT NULL, parameters TEXT NOT NULL,
        seed INTEGER NOT NULL, tool TEXT NOT NULL, created INTEGER NOT NULL
    ) STRICT;
    -- One for each run of the miner; `ended` and `stop` stay empty when it was killed.
    CREATE TABLE rounds (
        id INTEGER PRIMARY KEY, seed INTEGER NOT NULL, effort TEXT NOT NULL, tool TEXT NOT NULL,
        started INTEGER NOT NULL, ended INTEGER, stop TEXT,
        tests INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0
    ) STRICT;
    -- `key` is a fingerprint of the script, by which it is found; an index of the scripts themselves would double the file.
    CREATE TABLE tests (
        id INTEGER PRIMARY KEY, round INTEGER NOT NULL REFERENCES rounds (id),
        key INTEGER NOT NULL, script TEXT NOT NULL
    ) STRICT;
    CREATE INDEX tests_by_key ON tests (key);
    CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    -- A word is the numbers of its labels, seven bits to a byte.
    CREATE TABLE traces (
        id INTEGER PRIMARY KEY, word BLOB NOT NULL UNIQUE, count INTEGER NOT NULL,
        test INTEGER REFERENCES tests (id)
    ) STRICT;
    CREATE TABLE claims (
        template TEXT NOT NULL, a INTEGER NOT NULL REFERENCES labels (id), b INTEGER NOT NULL REFERENCES labels (id),
        fate TEXT NOT NULL CHECK (fate IN ('open', 'survived', 'abandoned', 'refuted')),
        test INTEGER REFERENCES tests (id), support INTEGER NOT NULL, attacked INTEGER NOT NULL,
        PRIMARY KEY (template, a, b), CHECK ((fate = 'refuted') = (test IS NOT NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE models (
        id INTEGER PRIMARY KEY, round INTEGER NOT NULL REFERENCES rounds (id), json TEXT NOT NULL,
        why TEXT NOT NULL, complete INTEGER NOT NULL, realized REAL, explored INTEGER NOT NULL,
        tests TEXT NOT NULL, written INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE search (
        id INTEGER PRIMARY KEY, round INTEGER NOT NULL REFERENCES rounds (id), phase TEXT NOT NULL,
        seconds REAL NOT NULL, tests INTEGER NOT NULL, states INTEGER, refuted INTEGER, open INTEGER, covered INTEGER
    ) STRICT;
    ", "
    -- Which of the model's tests shows which of its transitions, as JSON.
    ALTER TABLE models ADD COLUMN witnesses TEXT NOT NULL DEFAULT '{}';
    -- The round that made it, if it is not the one that ended with it.
    ALTER TABLE models ADD COLUMN made INTEGER REFERENCES rounds (id);
    "];

/// The schema of a database: none if it is empty, an error if it is no campaign or of a version not known.
pub(crate) fn found(connection: &Connection, path: &Path, steps: &[&str]) -> Result<Option<i64>, StoreError> {
    let wrong = |error| StoreError::from_database(path, &error);
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let version = number("user_version").map_err(wrong)?;
    let application = number("application_id").map_err(wrong)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(wrong)?;
    let known = steps.len() as i64;
    match (version, application) {
        (0, 0) if tables == 0 => Ok(None),
        (version, APPLICATION) if version > known => {
            Err(StoreError::Newer { path: path.to_owned(), found: version, known })
        }
        (1.., APPLICATION) => Ok(Some(version)),
        _ => Err(StoreError::NotACampaign { path: path.to_owned() }),
    }
}

/// Brings a database to the newest schema, all at once or not at all. `then` is part of it.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: &Path,
    steps: &[&str],
    then: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<(), StoreError> {
    let version = found(connection, path, steps)?.unwrap_or(0);
    let run = || -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for step in steps.iter().skip(usize::try_from(version).unwrap_or(0)) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "user_version", steps.len() as i64)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        then(&transaction)?;
        transaction.commit()
    };
    run().map_err(|error| StoreError::from_database(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "campaign.db";

    fn check(connection: &Connection, steps: &[&str]) -> String {
        match found(connection, Path::new(PATH), steps) {
            Ok(version) => format!("{version:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_older_schema_is_brought_up_to_date_and_keeps_its_rows() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new(PATH);
        let old = ["CREATE TABLE words (word TEXT NOT NULL);"];
        migrate(&mut connection, path, &old, |_| Ok(())).unwrap();
        connection.execute("INSERT INTO words VALUES ('push pop')", []).unwrap();
        let new = [old[0], "ALTER TABLE words ADD COLUMN count INTEGER NOT NULL DEFAULT 1;"];
        assert_eq!(check(&connection, &new), "Some(1)");
        migrate(&mut connection, path, &new, |_| Ok(())).unwrap();
        assert_eq!(check(&connection, &new), "Some(2)");
        let row: (String, i64) = connection
            .query_row("SELECT word, count FROM words", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(row, ("push pop".to_owned(), 1));
        assert_eq!(check(&connection, &old), "campaign.db has schema 2, and this adit knows schemas up to 1");
    }

    #[test]
    fn a_step_that_fails_leaves_the_old_schema() {
        let mut connection = Connection::open_in_memory().unwrap();
        let old = ["CREATE TABLE words (word TEXT NOT NULL);"];
        migrate(&mut connection, Path::new(PATH), &old, |_| Ok(())).unwrap();
        let new = [old[0], "CREATE TABLE more (a); CREATE TABLE words (word);"];
        migrate(&mut connection, Path::new(PATH), &new, |_| Ok(())).unwrap_err();
        assert_eq!(check(&connection, &new), "Some(1)");
    }

    #[test]
    fn the_database_of_another_program_is_left_alone() {
        let connection = Connection::open_in_memory().unwrap();
        assert_eq!(check(&connection, STEPS), "None");
        connection.execute_batch("CREATE TABLE recipes (name)").unwrap();
        assert_eq!(check(&connection, STEPS), "campaign.db is no campaign of adit");
    }
}
