//! Scripts of version 1, which described calls in the terms of Java class files, rewritten as version 2.
//!
//! Only campaigns of schemas 1 to 3 hold such scripts, and all of them are about Java classes.

use adit_trace::Script;
use rusqlite::{Transaction, params};
use serde_json::{Value, json};

use crate::Digest;

/// Rewrites every script of the database, and the fingerprints by which scripts are found.
pub(crate) fn rewrite(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut old = transaction.prepare("SELECT id, script FROM tests ORDER BY id")?;
    let mut new = transaction.prepare("UPDATE tests SET script = ?2, key = ?3 WHERE id = ?1")?;
    let mut rows = old.query([])?;
    while let Some(row) = rows.next()? {
        // What is not a script stays as it is; whoever reads it is told.
        if let Some(script) = second_version(row.get_ref(1)?.as_str()?) {
            new.execute(params![row.get::<_, i64>(0)?, script, Digest::short(script.as_bytes())])?;
        }
    }
    Ok(())
}

/// The script as version 2 writes it.
fn second_version(script: &str) -> Option<String> {
    let mut script: Value = serde_json::from_str(script).ok()?;
    let calls: Vec<Value> = script["calls"].as_array()?.iter().map(call).collect::<Option<_>>()?;
    let new = json!({ "version": 2, "calls": calls, "statements": script["statements"].take() });
    Some(Script::from_json(&new.to_string()).ok()?.to_json())
}

fn call(old: &Value) -> Option<Value> {
    let text = |field: &str| old[field].as_str();
    let (owner, descriptor) = (text("class")?, text("descriptor")?);
    let (kind, name) = match text("kind")? {
        "constructor" => ("constructor", owner.rsplit(['.', '$']).next()?),
        "static" => ("function", text("name")?),
        "virtual" => ("method", text("name")?),
        "field" => ("constant", text("name")?),
        _ => return None,
    };
    let (parameters, result) = match descriptor.strip_prefix('(') {
        Some(rest) => rest.split_once(')')?,
        None => ("", descriptor),
    };
    let gives = if kind == "constructor" { "object" } else { *kinds(result)?.first()? };
    let takes = kinds(parameters)?;
    Some(json!({
        "owner": owner, "name": name, "signature": descriptor, "kind": kind, "takes": takes, "gives": gives
    }))
}

/// The kinds of a row of types of a descriptor (JVMS 4.3).
fn kinds(mut types: &str) -> Option<Vec<&'static str>> {
    let mut found = Vec::new();
    while !types.is_empty() {
        let element = types.trim_start_matches('[');
        let is_array = element.len() < types.len();
        let (kind, length) = match element.chars().next()? {
            'V' => ("nothing", 1),
            'Z' => ("bool", 1),
            'B' | 'C' | 'S' | 'I' | 'J' => ("int", 1),
            'F' | 'D' => ("float", 1),
            'L' if element.starts_with("Ljava/lang/String;") => ("text", element.find(';')? + 1),
            'L' => ("object", element.find(';')? + 1),
            _ => return None,
        };
        found.push(if is_array { "object" } else { kind });
        types = &element[length..];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(old: &str, expected: Expect) {
        expected.assert_eq(&second_version(old).unwrap_or_default());
    }

    #[test]
    fn calls_are_described_without_class_files() {
        check(
            r#"{"calls":[{"class":"a.Map$Entry","name":"<init>","descriptor":"(I[JLjava/lang/String;)V","kind":"constructor"},{"class":"a.Map$Entry","name":"isOld","descriptor":"()Z","kind":"virtual"}],"statements":[{"call":0,"args":[3,{"array":[1]},"a"]},{"call":1,"on":0}]}"#,
            expect![[
                r#"{"version":2,"calls":[{"owner":"a.Map$Entry","name":"Entry","signature":"(I[JLjava/lang/String;)V","kind":"constructor","takes":["int","object","text"],"gives":"object"},{"owner":"a.Map$Entry","name":"isOld","signature":"()Z","kind":"method","gives":"bool"}],"statements":[{"call":0,"args":[3,{"array":[1]},"a"]},{"call":1,"on":0}]}"#
            ]],
        );
        check(
            r#"{"calls":[{"class":"B","name":"of","descriptor":"(DLa/C;)V","kind":"static"},{"class":"B","name":"RED","descriptor":"LB;","kind":"field"}],"statements":[{"call":0,"args":[{"float":-0.0},null]},{"call":1}]}"#,
            expect![[
                r#"{"version":2,"calls":[{"owner":"B","name":"of","signature":"(DLa/C;)V","kind":"function","takes":["float","object"]},{"owner":"B","name":"RED","signature":"LB;","kind":"constant","gives":"object"}],"statements":[{"call":0,"args":[{"float":-0.0},null]},{"call":1}]}"#
            ]],
        );
    }

    #[test]
    fn what_is_not_such_a_script_stays() {
        check("", expect![""]);
        check(r#"{"version":2,"calls":[{"owner":"B"}],"statements":[]}"#, expect![""]);
        check(
            r#"{"calls":[{"class":"B","name":"of","descriptor":"(Q)V","kind":"static"}],"statements":[]}"#,
            expect![""],
        );
    }
}
