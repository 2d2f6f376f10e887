//! The subject of a command: a Java class in workers, or whatever an adapter drives.
//!
//! Searches know only `Subject`, `Author` and `Vocabulary`. Commands also ask what belongs to one world:
//! class files and fixtures, or the description of an adapter.

use std::collections::BTreeSet;
use std::sync::Arc;

use adit_adapter::{AdapterAuthor, AdapterHost, Fault};
use adit_java::{Api, Generator, source};
use adit_jvm::{Host, HostOptions};
use adit_trace::{Author, Callable, Depth, Run, RunLimits, Script, Subject, Vocabulary};
use miette::Report;
use rand::Rng;

use crate::adapter::AdapterWorld;
use crate::errors::no_answer;
use crate::java::class_under_test::ClassUnderTest;
use crate::java::environment::{JavaEnvironment, cannot_run};
use crate::java::fixtures::Fixtures;
use crate::output::counted;

/// A subject with everything that commands need to call it.
pub(crate) struct UnderTest {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) author: AnyAuthor,
    pub(crate) host: AnyHost,
    pub(crate) world: World,
}

/// Parts that belong to one kind of subjects.
pub(crate) enum World {
    Java(Box<JavaWorld>),
    Adapter(Box<AdapterWorld>),
}

/// A Java class, as it was read.
pub(crate) struct JavaWorld {
    pub(crate) api: Api,
    pub(crate) java: JavaEnvironment,
    /// Options that the workers were started with.
    pub(crate) options: HostOptions,
    /// Kept, because dropping them removes their folder.
    pub(crate) _fixtures: Option<Fixtures>,
}

/// Processes that run scripts.
pub(crate) enum AnyHost {
    Java(Box<Host>),
    Adapter(Box<AdapterHost>),
}

/// Writes scripts.
pub(crate) enum AnyAuthor {
    Java(Box<Generator>),
    Adapter(Box<AdapterAuthor>),
}

/// A call that was made and never returned.
pub(crate) struct Unreturned {
    pub(crate) callable: Arc<Callable>,
    pub(crate) times: u32,
}

impl From<ClassUnderTest> for UnderTest {
    fn from(class: ClassUnderTest) -> Self {
        let ClassUnderTest { api, generator, host, java, options, fixtures } = class;
        Self {
            vocabulary: api.vocabulary(),
            author: AnyAuthor::Java(Box::new(generator)),
            host: AnyHost::Java(Box::new(host)),
            world: World::Java(Box::new(JavaWorld { api, java, options, _fixtures: fixtures })),
        }
    }
}

impl UnderTest {
    /// Name of the class.
    pub(crate) fn class(&self) -> &str {
        &self.vocabulary.class
    }

    /// The class files, if it is a Java class.
    pub(crate) fn java(&self) -> Option<&JavaWorld> {
        match &self.world {
            World::Java(java) => Some(java),
            World::Adapter(_) => None,
        }
    }

    /// Signatures of all that it offers to call, also of what the user leaves out.
    pub(crate) fn offered(&self) -> BTreeSet<String> {
        let Vocabulary { starts, methods, names, .. } = &self.vocabulary;
        match &self.world {
            World::Java(java) => java.api.offered.clone(),
            World::Adapter(_) => {
                starts.iter().chain(methods).map(|callable| names.of(callable).to_owned()).collect()
            }
        }
    }

    /// The calls of a script, for people: as source text where there is a language for it.
    pub(crate) fn lines(&mut self, script: &Script) -> Vec<String> {
        match (&mut self.host, &self.author) {
            (AnyHost::Adapter(host), _) => {
                let rendered = host.render(script).ok().flatten();
                let text = rendered.unwrap_or_else(|| adit_adapter::readable(script));
                text.lines().map(str::to_owned).collect()
            }
            (AnyHost::Java(_), AnyAuthor::Java(generator)) => {
                source::body(script, None, generator.facts()).lines
            }
            (AnyHost::Java(_), AnyAuthor::Adapter(_)) => Vec::new(),
        }
    }

    /// The error of an adapter whose processes hung or died at every call; none if one was answered.
    pub(crate) fn answers_nothing(&self) -> Option<Report> {
        let AnyHost::Adapter(host) = &self.host else { return None };
        let died = self.faults().filter(|_| host.answers_nothing())?;
        Some(no_answer(
            format!("the adapter answered no call of {}: {died}", self.class()),
            "call it by hand with the lines that docs/adapters.md shows; more time for each with --script-limit",
        ))
    }

    /// Processes of an adapter that hung or died, in words, with the last exchange of one; none if none did.
    pub(crate) fn faults(&self) -> Option<String> {
        let AnyHost::Adapter(host) = &self.host else { return None };
        host.last_fault().map(|fault| faults(host.restarts(), fault))
    }

    /// Speed of an adapter in words.
    pub(crate) fn speed(&self) -> Option<String> {
        let AnyHost::Adapter(host) = &self.host else { return None };
        let (calls, rate) = (counted(host.calls(), "call"), host.calls_per_second());
        let faults = self.faults().map(|faults| format!("; {faults}")).unwrap_or_default();
        Some(format!("the adapter answered {calls} ({rate:.0} per second){faults}"))
    }

    /// Language of the calls, as part of a sentence.
    pub(crate) fn language(&self) -> String {
        match &self.world {
            World::Java(_) => "in Java".to_owned(),
            World::Adapter(adapter) => adapter.language(),
        }
    }
}

/// Processes of an adapter that hung or died, in words, with the last exchange of one.
pub(crate) fn faults(processes: u64, fault: &Fault) -> String {
    match processes {
        1 => format!("a process {fault}"),
        _ => format!("{processes} processes hung or died; one {fault}"),
    }
}

impl AnyAuthor {
    /// Calls that were made and never returned.
    pub(crate) fn never_returned(&self) -> Vec<Unreturned> {
        match self {
            Self::Java(generator) => generator
                .never_returned()
                .map(|never| Unreturned { callable: never.callable.clone(), times: never.times })
                .collect(),
            Self::Adapter(author) => author
                .never_returned()
                .map(|never| Unreturned { callable: never.callable.clone(), times: never.times })
                .collect(),
        }
    }
}

impl Subject for AnyHost {
    type Error = Report;

    fn run(&mut self, batch: &[Script]) -> Result<Vec<Run>, Report> {
        match self {
            Self::Java(host) => host.run(batch).map_err(cannot_run),
            Self::Adapter(host) => host.run(batch).map_err(Report::new),
        }
    }

    fn limit(&mut self, limits: RunLimits) {
        match self {
            Self::Java(host) => host.limit(limits),
            Self::Adapter(host) => host.limit(limits),
        }
    }

    fn renew(&mut self) {
        match self {
            Self::Java(host) => host.renew(),
            Self::Adapter(host) => host.renew(),
        }
    }

    fn look(&mut self, depth: Depth) {
        match self {
            Self::Java(host) => host.look(depth),
            Self::Adapter(host) => host.look(depth),
        }
    }
}

impl Author for AnyAuthor {
    fn script(&mut self, rng: &mut impl Rng, calls: usize) -> Script {
        match self {
            Self::Java(author) => author.script(rng, calls),
            Self::Adapter(author) => author.script(rng, calls),
        }
    }

    fn mutate(&self, script: &Script, rng: &mut impl Rng) -> Script {
        match self {
            Self::Java(author) => author.mutate(script, rng),
            Self::Adapter(author) => author.mutate(script, rng),
        }
    }

    fn revalue(&self, script: &Script, rng: &mut impl Rng) -> Script {
        match self {
            Self::Java(author) => author.revalue(script, rng),
            Self::Adapter(author) => author.revalue(script, rng),
        }
    }

    fn cross(&self, head: &Script, tail: &Script, rng: &mut impl Rng) -> Script {
        match self {
            Self::Java(author) => author.cross(head, tail, rng),
            Self::Adapter(author) => author.cross(head, tail, rng),
        }
    }

    fn extend(&self, script: &Script, on: usize, call: &Arc<Callable>, rng: &mut impl Rng) -> Option<Script> {
        match self {
            Self::Java(author) => author.extend(script, on, call, rng),
            Self::Adapter(author) => author.extend(script, on, call, rng),
        }
    }

    fn observe(&mut self, script: &Script, run: &Run) {
        match self {
            Self::Java(author) => author.observe(script, run),
            Self::Adapter(author) => author.observe(script, run),
        }
    }

    fn give_up(&mut self, callable: &Arc<Callable>) {
        match self {
            Self::Java(author) => author.give_up(callable),
            Self::Adapter(author) => author.give_up(callable),
        }
    }
}
