//! Identity of a campaign: the class with everything it is made of, and the choices that decide what a word
//! means. A campaign is continued only by a request with the same identity.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use adit_bytecode::reachable_classes;
use adit_jvm::classes;
use adit_store::{About, Digest};
use adit_trace::EventNames;
use miette::Report;
use serde_json::{Value, json};

use super::MineRequest;
use crate::adapter::AdapterWorld;
use crate::campaign::now;
use crate::errors::{InternalFault, bad_input};
use crate::java::project::ClassLocation;
use crate::java::user_tests::UserTests;
use crate::under_test::{JavaWorld, UnderTest, World};

/// The identity of the campaign that is asked for.
pub(crate) fn identity(
    request: &MineRequest,
    location: Option<&ClassLocation>,
    tests: Option<&UserTests>,
    subject: &UnderTest,
) -> Result<About, Report> {
    let (class_digest, parameters) = match (&subject.world, location) {
        (World::Java(java), Some(location)) => {
            (class_digest(java, &location.entries)?, parameters(request, location, tests, java)?)
        }
        (World::Adapter(adapter), _) => {
            let mut digest = Digest::new();
            digest.add(adapter.described.source.to_string().as_bytes());
            (digest.to_string(), parameters_with_adapter(request, adapter))
        }
        (World::Java(_), None) => {
            return Err(Report::new(InternalFault("a Java class has no location".to_owned())));
        }
    };
    Ok(About {
        class: subject.class().to_owned(),
        class_digest,
        parameters,
        seed: request.calls.seed,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        created: now(),
    })
}

/// Effort of a round; it may differ between the rounds of a campaign.
pub(crate) fn effort(request: &MineRequest) -> Value {
    let MineRequest { calls, attack, .. } = request;
    json!({
        "budget": request.budget.to_string(),
        "seed": calls.seed,
        "tester": attack.tester.name(),
        "initial": request.initial_tests,
        "calls": calls.calls,
        "reset_after": attack.search.reset_after,
        "abandon_after": attack.search.abandon_after,
    })
}

/// Choices that all rounds of a campaign share. How long and how hard a round searches may differ.
fn parameters(
    request: &MineRequest,
    location: &ClassLocation,
    tests: Option<&UserTests>,
    subject: &JavaWorld,
) -> Result<Value, Report> {
    let MineRequest { class, calls, model, attack, .. } = request;
    Ok(json!({
        "java": subject.java.jdk.version,
        "miner": model.miner.name,
        "coarse": model.coarse,
        "claims": attack.properties.name(),
        "constraints": model.constraints.name(),
        "tests": tests.map(|tests| digest_of_tests(location, tests)).transpose()?,
        "labels": labels(&subject.api.names),
        "non_public": class.non_public,
        "object_methods": calls.object_methods,
        "only": calls.only,
        "without": calls.without,
        "fixtures": digest_of_files(&calls.fixtures)?,
        "fresh_statics": calls.fresh_statics,
    }))
}

/// The same for the subject of an adapter.
fn parameters_with_adapter(request: &MineRequest, adapter: &AdapterWorld) -> Value {
    let MineRequest { calls, model, attack, .. } = request;
    json!({
        "adapter": adapter.command,
        "miner": model.miner.name,
        "coarse": model.coarse,
        "claims": attack.properties.name(),
        "constraints": model.constraints.name(),
        "only": calls.only,
        "without": calls.without,
    })
}

/// The name of a label function. Campaigns from before overloads were told apart hold `outcome`, and go on if
/// the class has no overloads that are called.
fn labels(names: &EventNames) -> &'static str {
    if names.is_empty() { "outcome" } else { "overload" }
}

/// Fingerprint of the contents of files, whatever they are called; null if there are none.
fn digest_of_files(files: &[PathBuf]) -> Result<Value, Report> {
    let mut digest = Digest::new();
    for file in files {
        let bytes = fs::read(file).map_err(|error| {
            bad_input(format!("{}: cannot be read: {error}", file.display()), "is it still there?")
        })?;
        digest.add(&bytes);
    }
    Ok(if files.is_empty() { Value::Null } else { digest.to_string().into() })
}

/// Fingerprint of the user's test classes, wherever they lie. Of the tests of a project, only those count
/// that use the class.
fn digest_of_tests(location: &ClassLocation, tests: &UserTests) -> Result<Value, Report> {
    let own = classes::open(None, &tests.places)?;
    let mut names: BTreeSet<String> = tests.classes.iter().map(|name| name.replace('.', "/")).collect();
    if tests.typed {
        names.extend(own.names());
    } else {
        for test in names.clone() {
            names.extend(reachable_classes(&own, &test)?.into_keys());
        }
    }
    let path = classes::open(None, &[location.entries.clone(), tests.places.clone()].concat())?;
    let mut digest = Digest::new();
    for name in names {
        digest.add(name.as_bytes());
        if let Some((bytes, _)) = path.find(&name)? {
            digest.add(&bytes);
        }
    }
    Ok(digest.to_string().into())
}

/// Fingerprint of the class under test and of all classes on the class path that it refers to, directly or
/// not. Classes of the JDK are identified by its version.
fn class_digest(subject: &JavaWorld, typed: &[PathBuf]) -> Result<String, Report> {
    let start = subject.java.class.name.to_string();
    let mut digest = Digest::new();
    let own = classes::open(None, typed)?;
    let parts = reachable_classes(&own, &start)?;
    if !parts.contains_key(&start)
        && let Some((bytes, _)) = subject.java.classes.find(&start)?
    {
        digest.add(&bytes);
    }
    for (name, bytes) in parts {
        digest.add(name.as_bytes());
        digest.add(&bytes);
    }
    Ok(digest.to_string())
}
