//! The user's tests as a beginning: what they do with the class is known to be possible.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adit_attack::EventReader;
use adit_java::{Api, RecordedNames};
use adit_jvm::record::{EventNaming, Outcome, Task, TaskEnd, record};
use adit_trace::Outcome as Ended;
use adit_trace::{Event, Labels, Letter, Life, Pace, Progress, Vocabulary};
use miette::Report;

use crate::errors::no_answer;
use crate::interrupt::Listening;
use crate::java::environment::{self, JavaEnvironment};
use crate::java::project::ClassLocation;
use crate::java::user_tests::{self, UserTests};
use crate::output::{counted, some_of};
use crate::pipeline::MineRequest;
use crate::progress::{Audience, Counting};

/// Longer than the unit tests of a class take.
const LIMIT: Duration = Duration::from_secs(600);

/// Tests that nobody asked for should not keep anybody waiting.
const UNASKED_LIMIT: Duration = Duration::from_secs(60);

/// Limit on the events kept per object. A model shows its states long before.
const LONGEST_LIFE: u64 = 1000;

/// Limit on the distinct lives that are kept.
const MOST_LIVES: usize = 20_000;

/// Methods that every object inherits from `Object`. If they are no events, they change nothing.
const OF_OBJECT: [&str; 3] = ["equals", "hashCode", "toString"];

/// Behavior that the user's tests show.
#[derive(Default)]
pub(super) struct Beginning {
    /// Events of the objects of the class, equal lives once.
    pub(super) lives: Vec<Life>,
    /// The tests, if they showed anything.
    pub(super) tests: Option<UserTests>,
}

/// Runs the tests that were typed, or those of the project, which may fail: adit can generate all calls.
pub(super) fn beginning(
    request: &MineRequest,
    location: &ClassLocation,
    audience: Audience,
) -> Result<Beginning, Report> {
    let typed = !request.tests.is_empty();
    let shown = || -> Result<Beginning, Report> {
        let Some(tests) = user_tests::choose(&request.tests, &request.class, location)? else {
            return Ok(Beginning::default());
        };
        let lives = lives(request, location, &tests, audience)?;
        Ok(Beginning { lives, tests: Some(tests) })
    };
    match shown() {
        Err(report) if !typed => {
            audience.warn(&format!("your tests are not used: {report}"));
            Ok(Beginning::default())
        }
        shown => shown,
    }
}

/// Runs the tests and returns the events of the objects of the class.
fn lives(
    request: &MineRequest,
    location: &ClassLocation,
    tests: &UserTests,
    audience: Audience,
) -> Result<Vec<Life>, Report> {
    let places: Vec<&Path> = tests.places.iter().map(PathBuf::as_path).collect();
    let java = JavaEnvironment::new(&request.class, location, &places)?;
    user_tests::need_junit(&java)?;
    if !tests.typed {
        audience.note(&format!(
            "starting from your tests: {}; --tests none skips them",
            some_of(&tests.classes, 3)
        ));
    }
    let task = Task::Tests { classes: tests.classes.clone() };
    let limit = if tests.typed { LIMIT } else { UNASKED_LIMIT };
    // Which overloads are called, and so what events are called, is known only when the API is.
    let naming = EventNaming::Signature;
    let options =
        user_tests::record_options(&java, task, tests.directory.clone(), limit, LONGEST_LIFE, naming)?;
    let (mut lives, mut known) = (Vec::new(), BTreeSet::new());
    let mut take = |life: Life| {
        let labels: Vec<String> = life.events.iter().map(|event| Labels::Exception.of(event)).collect();
        if lives.len() < MOST_LIVES && known.insert(labels) {
            lives.push(life);
        }
    };
    let (mut counting, mut listening) = (Counting::new(audience != Audience::People), Listening::new());
    let recorded = record(options, &mut take, &mut |now: &Progress| {
        let objects = now.objects.unwrap_or(0);
        counting
            .show(|| format!("your tests: {}, {}", counted(now.tests, "test"), counted(objects, "object")));
        listening.go_on(now)
    });
    counting.finish();
    let recorded = recorded.map_err(environment::cannot_run)?;
    let failed = recorded.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed { .. })).count();
    if failed > 0 {
        audience.warn(&format!(
            "warning: {failed} of {} failed; calls up to a failure still count",
            counted(recorded.tests.len(), "test")
        ));
    }
    if recorded.end != TaskEnd::Finished {
        audience.warn("warning: the tests did not finish; their calls up to that point still count");
    }
    if !lives.is_empty() {
        audience.note(&format!(
            "your tests: {} with {} on {}",
            counted(recorded.tests.len(), "test"),
            counted(lives.len(), "different call sequence"),
            request.class.name
        ));
    }
    if lives.is_empty() {
        return Err(no_answer(
            format!("the tests created no object of {}", request.class.name),
            format!(
                "`adit observe {} --tests …` shows what they do; without --tests, adit generates all calls",
                request.class.name
            ),
        ));
    }
    Ok(lives)
}

/// The same lives with the names that the events of the class have.
pub(super) fn renamed(mut lives: Vec<Life>, api: &Api) -> Vec<Life> {
    let names = RecordedNames::of(api);
    for event in lives.iter_mut().flat_map(|life| &mut life.events) {
        event.method = names.name(&event.method);
    }
    lives
}

/// The words of lives, as a search reads them, each once: up to the first call that threw or is no event
/// here.
pub(super) fn words(lives: &[Life], vocabulary: &Vocabulary, reader: &EventReader) -> Vec<Vec<Letter>> {
    let starts: BTreeSet<Letter> =
        vocabulary.starts.iter().flat_map(|start| reader.letters_of(start)).copied().collect();
    let words: BTreeSet<Vec<Letter>> = lives
        .iter()
        .map(|life| word(&life.events, reader))
        // An object that came into being in a way that is not tried here would be one too many states.
        .filter(|word| word.first().is_some_and(|first| starts.contains(first)))
        .collect();
    words.into_iter().collect()
}

fn word(events: &[Event], reader: &EventReader) -> Vec<Letter> {
    let mut word = Vec::new();
    for event in events {
        match reader.alphabet().get(&Labels::Outcome.of(event)) {
            _ if matches!(event.outcome, Ended::Threw(_)) => break,
            Some(letter) => word.push(letter),
            None if OF_OBJECT.contains(&event.method.as_str()) => {}
            None => break,
        }
    }
    word
}
