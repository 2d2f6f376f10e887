//! A class ready to be driven: what can be called on it, scripts that do, and workers that run them.

use std::collections::BTreeSet;

use adit_attack::{Api, ApiOptions, Generator, GeneratorOptions, prepare};
use adit_jvm::{Host, HostOptions, classes};
use miette::Report;

use crate::fixtures::Fixtures;
use crate::flags::{ClassFlags, GenerateFlags};
use crate::machine::{self, Machine};
use crate::project::Site;

/// How many scripts a worker is given at once: few enough that small rounds keep all workers busy.
pub(crate) const PORTION: usize = 100;

/// How often, when watching a class, an argument is a value that the script already has, and how often there is a second object of
/// the class. Reused values make calls meet: what was added is then looked for.
pub(crate) const HABITS: GeneratorOptions = GeneratorOptions { reuse: 0.5, second_object: 0.1, longest: 400 };

/// All that commands which make up calls have in common.
pub(crate) struct Drive {
    pub(crate) api: Api,
    pub(crate) generator: Generator,
    pub(crate) host: Host,
    pub(crate) machine: Machine,
    /// How the host was made.
    pub(crate) options: HostOptions,
    /// Kept, because dropping them removes their folder.
    pub(crate) fixtures: Option<Fixtures>,
}

impl Drive {
    /// What the flags say; `options` may change how workers are run.
    pub(crate) fn new(
        class: &ClassFlags,
        site: &Site,
        generate: &GenerateFlags,
        habits: GeneratorOptions,
        options: impl FnOnce(&mut HostOptions),
    ) -> Result<Self, Report> {
        // Before anything is compiled, because a missing entry would show as an error of the compiler.
        classes::open(None, &site.entries)?;
        let fixtures = Fixtures::compile(&generate.fixtures, &site.jdk, &classes::expand(&site.entries)?)?;
        let more: Vec<_> = fixtures.iter().map(Fixtures::folder).collect();
        let machine = Machine::new(class, site, &more)?;
        let asked = ApiOptions {
            non_public: class.non_public,
            object_methods: generate.object_methods,
            only: generate.only.as_ref().map(|names| whole(names)),
            without: whole(&generate.without),
            fixtures: fixtures.iter().flat_map(|fixtures| fixtures.classes.clone()).collect(),
        };
        let (api, supply) = prepare(&machine.classes, &class.class, &asked)?;
        let mut host_options = machine.options()?;
        host_options.workers = generate.workers.map_or_else(default_workers, usize::from);
        host_options.fresh_statics = generate.fresh_statics;
        host_options.limits.script = generate.script_limit;
        options(&mut host_options);
        let host = Host::new(host_options.clone()).map_err(machine::cannot_run)?;
        machine::warn_unprotected(host.protection());
        let generator = Generator::new(&api, supply, habits);
        Ok(Self { api, generator, host, machine, options: host_options, fixtures })
    }
}

/// The names that were typed. A comma separates them, and also the types of `add(int,Object)`, which are put together again.
fn whole(names: &[String]) -> BTreeSet<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        match all.last_mut().filter(|last| last.contains('(') && !last.contains(')')) {
            Some(last) => {
                last.push(',');
                last.push_str(name);
            }
            None => all.push(name.clone()),
        }
    }
    all.into_iter().collect()
}

/// As many workers as the machine runs processes at once. More than eight would wait for the one that makes the scripts.
fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get).min(8)
}
