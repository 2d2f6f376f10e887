//! A class under test: the calls that it offers, scripts of such calls, and the workers that run them.

use adit_java::{Api, ApiOptions, Generator, may_keep_static_state, prepare};
use adit_jvm::{Host, HostOptions, classes};
use adit_trace::SlowCalls;
use miette::Report;

use crate::budget::Budget;
use crate::java::cache::CallerFiles;
use crate::java::environment::{self, JavaEnvironment};
use crate::java::fixtures::Fixtures;
use crate::java::project::ClassLocation;
use crate::request::{CallRequest, ClassRequest};

/// Scripts that a worker is given at once: few enough to keep all workers busy in small rounds.
pub(crate) const SCRIPTS_PER_BATCH: usize = 100;

/// A class with everything that commands need to call it.
pub(crate) struct ClassUnderTest {
    pub(crate) api: Api,
    pub(crate) generator: Generator,
    pub(crate) host: Host,
    pub(crate) java: JavaEnvironment,
    /// Options that the host was made with.
    pub(crate) options: HostOptions,
    /// Kept, because dropping them removes their folder.
    pub(crate) fixtures: Option<Fixtures>,
}

impl ClassUnderTest {
    /// Prepares the requested class; `options` may change how workers are run.
    pub(crate) fn new(
        class: &ClassRequest,
        location: &ClassLocation,
        calls: &CallRequest,
        options: impl FnOnce(&mut HostOptions),
    ) -> Result<Self, Report> {
        // Before anything is compiled, because a missing entry would show as an error of the compiler.
        classes::open(None, &location.entries)?;
        let fixtures =
            Fixtures::compile(&calls.fixtures, &location.jdk, &classes::expand(&location.entries)?)?;
        let more: Vec<_> = fixtures.iter().map(Fixtures::folder).collect();
        let java = JavaEnvironment::new(class, location, &more)?;
        let asked = ApiOptions {
            non_public: class.non_public,
            object_methods: calls.object_methods,
            only: calls.only.clone(),
            without: calls.without.clone(),
            fixtures: fixtures.iter().flat_map(|fixtures| fixtures.classes.clone()).collect(),
            overloads: calls.overloads,
        };
        // Tests show which values calls take. Those that cannot be opened are reported where they are run.
        let tests = location.built.as_ref().and_then(|built| classes::open(None, &built.tests).ok());
        let (api, supply) =
            prepare(&java.classes, tests.as_ref(), &class.name, &asked, &CallerFiles::of_user())?;
        let mut host_options = java.options()?;
        host_options.workers = calls.workers;
        host_options.waiting_workers = calls.waiting_workers;
        host_options.fresh_statics = calls.fresh_statics;
        host_options.watch_statics = may_keep_static_state(&java.classes, &class.name);
        host_options.limits.script = calls.script_limit;
        let generator = Generator::new(&api, supply, calls.generation.clone());
        host_options.slow_calls = generator.slow_calls().clone();
        options(&mut host_options);
        let host = Host::new(host_options.clone()).map_err(environment::cannot_run)?;
        environment::warn_unprotected(host.protection());
        Ok(Self { api, generator, host, java, options: host_options, fixtures })
    }
}

/// Lets nobody know which calls are slow, if the budget is in tests: the clock must not decide which calls
/// are made, because the same number of tests is to give the same result.
pub(crate) fn ignore_the_clock(options: &mut HostOptions, budget: Budget) {
    if let Budget::Tests(_) = budget {
        options.slow_calls = SlowCalls::default();
    }
}
