//! The tables, and the migration of databases of earlier versions.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::{Digest, StoreError, first_scripts};

/// Application id that marks a database as a campaign (`adit` in ASCII).
const APPLICATION: i64 = 0x6164_6974;

/// Migration from one schema to the next: statements, then a function for what SQL cannot express.
pub(crate) type Step = (&'static str, fn(&Transaction<'_>) -> rusqlite::Result<()>);

/// Migrations: from nothing to schema 1, from schema 1 to 2, and so on. A released step never changes.
pub(crate) const STEPS: &[Step] = &[
    (FIRST, nothing_more),
    (SECOND, copy_words),
    (THIRD, nothing_more),
    ("", first_scripts::rewrite),
    (FIFTH, nothing_more),
    (SIXTH, nothing_more),
    (SEVENTH, nothing_more),
];

const FIRST: &str = "
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
    ";

/// Words are found by fingerprint, like tests: an index of the words themselves doubled the file, and with a
/// million words it did not fit into any cache.
const SECOND: &str = "
    ALTER TABLE traces RENAME TO old_traces;
    CREATE TABLE traces (
        id INTEGER PRIMARY KEY, key INTEGER NOT NULL, word BLOB NOT NULL, count INTEGER NOT NULL,
        test INTEGER REFERENCES tests (id)
    ) STRICT;
    ";

/// More columns about models.
const THIRD: &str = "
    -- Which of the model's tests shows which of its transitions, as JSON.
    ALTER TABLE models ADD COLUMN witnesses TEXT NOT NULL DEFAULT '{}';
    -- The round that made it, if it is not the one that ended with it.
    ALTER TABLE models ADD COLUMN made INTEGER REFERENCES rounds (id);
    ";

/// Reasons why rounds ended, in the spelling of `Stop::name`. Which limit a budget set stands in the round's
/// effort.
const FIFTH: &str = "
    UPDATE rounds SET stop = 'done' WHERE stop = 'nothing left to try';
    UPDATE rounds SET stop = iif(effort ->> 'budget' LIKE '%tests', 'tests', 'time') WHERE stop = 'budget';
    ";

/// The miner that explores, by the name that it has now.
const SIXTH: &str = "
    UPDATE campaign SET parameters = json_set(parameters, '$.miner', 'explore')
    WHERE parameters ->> 'miner' = 'assay';
    ";

/// Fates are spelled as in every other place, and a property that no search aimed at did not survive
/// anything.
const SEVENTH: &str = "
    CREATE TABLE properties (
        template TEXT NOT NULL, a INTEGER NOT NULL REFERENCES labels (id), b INTEGER NOT NULL REFERENCES labels (id),
        fate TEXT NOT NULL CHECK (fate IN ('refuted', 'survived', 'not_attacked')),
        test INTEGER REFERENCES tests (id), attacked INTEGER NOT NULL, abandoned INTEGER NOT NULL,
        support INTEGER NOT NULL,
        PRIMARY KEY (template, a, b), CHECK ((fate = 'refuted') = (test IS NOT NULL))
    ) STRICT, WITHOUT ROWID;
    INSERT INTO properties
        SELECT template, a, b,
            CASE WHEN fate = 'refuted' THEN 'refuted' WHEN attacked > 0 THEN 'survived' ELSE 'not_attacked' END,
            test, attacked, fate = 'abandoned', support
        FROM claims;
    DROP TABLE claims;
    ";

fn nothing_more(_: &Transaction<'_>) -> rusqlite::Result<()> {
    Ok(())
}

/// Copies the words of schema 1 with their fingerprints. The index comes last, because building it at once is
/// faster.
fn copy_words(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut old = transaction.prepare("SELECT id, word, count, test FROM old_traces ORDER BY id")?;
    let mut new =
        transaction.prepare("INSERT INTO traces (id, key, word, count, test) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        let word = row.get_ref(1)?.as_blob()?;
        let (id, count, test): (i64, i64, Option<i64>) = (row.get(0)?, row.get(2)?, row.get(3)?);
        new.execute(params![id, Digest::short(word), word, count, test])?;
    }
    drop(rows);
    drop(old);
    transaction.execute_batch("DROP TABLE old_traces; CREATE INDEX traces_by_key ON traces (key);")
}

/// Returns the schema of a database: none if it is empty, an error if it is not a campaign or too new.
pub(crate) fn found(connection: &Connection, path: &Path, steps: &[Step]) -> Result<Option<i64>, StoreError> {
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

/// Migrates a database to the newest schema and runs `then`, in one transaction.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: &Path,
    steps: &[Step],
    then: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<(), StoreError> {
    let version = found(connection, path, steps)?.unwrap_or(0);
    let run = || -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (statements, more) in steps.iter().skip(usize::try_from(version).unwrap_or(0)) {
            transaction.execute_batch(statements)?;
            more(&transaction)?;
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
    use crate::{About, Campaign, DATABASE, Held, Writer};

    const PATH: &str = "campaign.db";

    fn about() -> About {
        About {
            class: String::new(),
            class_digest: String::new(),
            parameters: serde_json::json!({}),
            seed: 0,
            tool: String::new(),
            created: 0,
        }
    }

    fn check(connection: &Connection, steps: &[Step]) -> String {
        match found(connection, Path::new(PATH), steps) {
            Ok(version) => format!("{version:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_older_schema_is_brought_up_to_date_and_keeps_its_rows() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new(PATH);
        let old: [Step; 1] = [("CREATE TABLE words (word TEXT NOT NULL);", nothing_more)];
        migrate(&mut connection, path, &old, |_| Ok(())).unwrap();
        connection.execute("INSERT INTO words VALUES ('push pop')", []).unwrap();
        let new = [old[0], ("ALTER TABLE words ADD COLUMN count INTEGER NOT NULL DEFAULT 1;", nothing_more)];
        assert_eq!(check(&connection, &new), "Some(1)");
        migrate(&mut connection, path, &new, |_| Ok(())).unwrap();
        assert_eq!(check(&connection, &new), "Some(2)");
        let row: (String, i64) = connection
            .query_row("SELECT word, count FROM words", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(row, ("push pop".to_owned(), 1));
        assert_eq!(
            check(&connection, &old),
            "campaign.db has schema 2, but this adit knows schemas only up to 1"
        );
    }

    #[test]
    fn a_step_that_fails_leaves_the_old_schema() {
        let mut connection = Connection::open_in_memory().unwrap();
        let old: [Step; 1] = [("CREATE TABLE words (word TEXT NOT NULL);", nothing_more)];
        migrate(&mut connection, Path::new(PATH), &old, |_| Ok(())).unwrap();
        let new = [old[0], ("CREATE TABLE more (a); CREATE TABLE words (word);", nothing_more)];
        migrate(&mut connection, Path::new(PATH), &new, |_| Ok(())).unwrap_err();
        assert_eq!(check(&connection, &new), "Some(1)");
    }

    #[test]
    fn the_database_of_another_program_is_left_alone() {
        let connection = Connection::open_in_memory().unwrap();
        assert_eq!(check(&connection, STEPS), "None");
        connection.execute_batch("CREATE TABLE recipes (name)").unwrap();
        assert_eq!(check(&connection, STEPS), "campaign.db is not a campaign of adit");
    }

    /// A script of schema 3 is found again by a test that is equal to it.
    #[test]
    fn scripts_are_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &STEPS[..3], |_| Ok(())).unwrap();
        let old = r#"{"calls":[{"class":"a.Stack","name":"<init>","descriptor":"(I)V","kind":"constructor"}],"statements":[{"call":0,"args":[1]}]}"#;
        connection
            .execute_batch(
                "INSERT INTO campaign VALUES (1, 'a.Stack', '', '{}', 0, '', 0);
                 INSERT INTO rounds (id, seed, effort, tool, started) VALUES (1, 0, '{}', '', 0);",
            )
            .unwrap();
        let key = Digest::short(old.as_bytes());
        connection.execute("INSERT INTO tests VALUES (7, 1, ?1, ?2)", params![key, old]).unwrap();
        drop(connection);
        let mut writer = Writer::open(Held::new(folder.path()).unwrap(), &about()).unwrap();
        let test = writer.tests().next().unwrap().unwrap();
        assert_eq!(test.script.statements[0].callable.name, "Stack");
        let again = writer.batch(|batch| batch.test(test.round, &test.script)).unwrap();
        assert_eq!((again, test.id.0), (test.id, 7));
    }

    /// The words of schema 1 are all there, and are found again.
    #[test]
    fn words_get_fingerprints() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &STEPS[..1], |_| Ok(())).unwrap();
        connection
            .execute_batch(
                "INSERT INTO campaign VALUES (1, 'Stack', '', '{}', 0, '', 0);
                 INSERT INTO labels VALUES (1, 'Stack'), (2, 'push');
                 INSERT INTO traces VALUES (1, x'01', 5, NULL), (2, x'010202', 7, NULL);",
            )
            .unwrap();
        drop(connection);
        let read = Campaign::read(folder.path()).unwrap_err();
        assert!(matches!(read, StoreError::Older { found: 1, .. }), "{read}");
        let mut writer = Writer::open(Held::new(folder.path()).unwrap(), &about()).unwrap();
        assert_eq!(writer.about().unwrap().class, "Stack");
        writer.batch(|batch| batch.trace(&["Stack", "push", "push"], 1, None)).unwrap();
        let all: Vec<_> =
            writer.traces().map(|trace| trace.map(|one| (one.word.len(), one.count)).unwrap()).collect();
        assert_eq!(all, [(1, 5), (3, 8)]);
    }

    /// Reasons why rounds ended, and the miner, get the names that they have today.
    #[test]
    fn old_names_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &STEPS[..4], |_| Ok(())).unwrap();
        connection
            .execute_batch(
                r#"INSERT INTO rounds (id, seed, effort, tool, started, ended, stop) VALUES
                   (1, 0, '{"budget": "10s"}', '', 0, 1, 'budget'), (2, 0, '{"budget": "5000tests"}', '', 0, 1, 'budget'),
                   (3, 0, '{}', '', 0, 1, 'nothing left to try'), (4, 0, '{}', '', 0, 1, 'interrupted'),
                   (5, 0, '{}', '', 0, NULL, NULL);
                   INSERT INTO campaign VALUES (1, 'Stack', '', '{"miner":"assay","coarse":true}', 0, '', 0);"#,
            )
            .unwrap();
        migrate(&mut connection, &path, STEPS, |_| Ok(())).unwrap();
        drop(connection);
        let campaign = Campaign::read(folder.path()).unwrap();
        let parameters = campaign.about().unwrap().parameters;
        assert_eq!(parameters, serde_json::json!({"miner": "explore", "coarse": true}));
        let rounds = campaign.rounds().unwrap();
        let stops: Vec<_> = rounds.into_iter().map(|round| round.end.map(|end| end.stop.name())).collect();
        assert_eq!(stops, [Some("time"), Some("tests"), Some("done"), Some("interrupted"), None]);
    }

    /// A property that nothing had attacked did not survive anything, whatever schema 3 called it.
    #[test]
    fn fates_of_schema_3_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE);
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &STEPS[..3], |_| Ok(())).unwrap();
        connection
            .execute_batch(
                "INSERT INTO campaign VALUES (1, 'Stack', '', '{}', 0, '', 0);
                 INSERT INTO rounds (id, seed, effort, tool, started) VALUES (1, 0, '{}', '', 0);
                 INSERT INTO tests (id, round, key, script) VALUES (7, 1, 0, '');
                 INSERT INTO labels VALUES (1, 'push'), (2, 'pop');
                 INSERT INTO claims (template, a, b, fate, test, support, attacked) VALUES
                     ('AF', 1, 2, 'open', NULL, 1, 0), ('NF', 1, 2, 'refuted', 7, 2, 0),
                     ('AP', 1, 2, 'survived', NULL, 3, 40), ('AIF', 1, 2, 'abandoned', NULL, 4, 50),
                     ('AIP', 1, 2, 'survived', NULL, 5, 0);",
            )
            .unwrap();
        drop(connection);
        let held = Held::new(folder.path()).unwrap();
        let writer = Writer::open(held, &about()).unwrap();
        let properties = writer.properties().unwrap();
        let told: Vec<String> =
            properties.iter().map(|one| format!("{} {:?} {}", one.property, one.fate, one.support)).collect();
        assert_eq!(
            told,
            [
                "AF(push, pop) NotAttacked 1",
                "AIF(push, pop) Survived { attacked: 50, abandoned: true } 4",
                "AIP(push, pop) NotAttacked 5",
                "AP(push, pop) Survived { attacked: 40, abandoned: false } 3",
                "NF(push, pop) Refuted(TestId(7)) 2",
            ]
        );
        assert_eq!(
            writer.counts().unwrap().properties.to_string(),
            "5 properties: 1 refuted, 2 survived, 2 not attacked"
        );
    }
}
