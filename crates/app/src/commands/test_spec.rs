//! `adit test-spec`: does the program need the order that a model demands?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adit_attack::dsi::SpecVerdict;
use adit_attack::order::Tally;
use adit_attack::spec_verdict::{Basis, PairEvidence, Shares, spec_verdict};
use adit_automata::Fsa;
use adit_bytecode::effects::{Analysis, Effects, Limits};
use adit_bytecode::sharing::{Sharing, calls, calls_on_itself, sharing_of};
use adit_bytecode::{Flags, MethodId, Program};
use adit_logic::{ConstraintTemplate, Language, constraints, nearest_label};
use miette::Report;
use serde_json::{Value as Json, json};

use self::evidence::{Evidence, Watched, worst};
use self::in_tests::{Suite, TestsRequest, WithinTests};
use self::methods::{ClassMethods, EventMethods, Unusable};
use self::objects::OnObjects;
use super::requests::{call_request, class_request};
use crate::errors::{Ending, bad_input};
use crate::flags::{ClassFlags, MineFlags, TestSpecFlags, test_spec as defaults};
use crate::java::environment::JavaEnvironment;
use crate::java::project::{Built, ClassLocation};
use crate::java::user_tests;
use crate::models;
use crate::output::{Target, counted, print, print_json, size_of, some_of, write_failed};
use crate::progress::{Audience, Working};
use crate::report;
use crate::request::ClassRequest;
use crate::results::{self, ResultFile, TestedOrders};
use crate::stderr::tell;

mod evidence;
mod in_tests;
mod methods;
mod objects;
mod reach;
mod repair;

/// Limits of the static analysis of one method: enough for most, and a second at most. A method that reaches
/// more counts as doubtful, and experiments decide.
const EFFECTS: Limits = Limits { methods: 250, targets: 8 };

/// Methods that are searched for a call of the second method by the first.
const CALLED: usize = 250;

/// Test classes of folders and jars that are run: a class that everything uses is reached by all of them.
const TEST_CLASSES: usize = 24;

/// Time that a run of the tests gets even if there is none left.
const LEAST_TIME: Duration = Duration::from_secs(5);

/// Share of the total time that experiments on objects may take.
const FOR_OBJECTS: f64 = 0.5;

/// Number of names in one message.
const NAMES_SHOWN: usize = 12;

pub(super) fn run(flags: &TestSpecFlags, quiet: bool) -> Result<Ending, Report> {
    let start = Instant::now();
    // Before anything is run, because a typo should not cost a second.
    if let Some(file) = &flags.repair {
        Target::new(Some(file)).check()?;
    }
    let spec = Specification::read(flags)?;
    let answer = examine(flags, &spec, quiet)?;
    if let (Some(file), Some(model)) = (&flags.repair, &spec.model) {
        answer.repair(model, file, quiet)?;
    }
    if flags.json {
        print_json(&answer.json(start.elapsed().as_secs_f64()))?;
    } else {
        print(&answer.text())?;
    }
    Ok(if answer.verdict() == SpecVerdict::Buggy { Ending::Found } else { Ending::Clean })
}

/// Tests the model that a round of mining ended with, as the last step of `adit mine --test-spec`. Prints the
/// answer, unless the output is for tools, and keeps it in the folder.
pub(super) fn after_mining(mined: &MineFlags, folder: &Path, quiet: bool) -> Result<(), Report> {
    let start = Instant::now();
    let flags = TestSpecFlags {
        model: Some(folder.join(models::MODEL)),
        order: Vec::new(),
        class: Some(mined.class.class.clone()),
        classpath: mined.class.classpath.clone(),
        tests: mined.mining.tests.clone(),
        repair: None,
        directory: None,
        writable: Vec::new(),
        time_limit: defaults::TIME_LIMIT,
        total_time: defaults::TOTAL_TIME,
        thorough: false,
        from: None,
        non_public: mined.class.non_public,
        no_project: mined.class.no_project,
        jdk: mined.class.jdk.clone(),
        unsafe_no_sandbox: mined.class.unsafe_no_sandbox,
        generate: mined.generate.clone(),
        json: false,
    };
    let answer = examine(&flags, &Specification::read(&flags)?, quiet)?;
    let json = results::json(&answer.json(start.elapsed().as_secs_f64()));
    let target = Target::File(folder.join(TestedOrders::NAME));
    target.write(|out| writeln!(out, "{json:#}").map_err(write_failed))?;
    // The page was written before the verdicts were there.
    report::put(&Target::File(folder.join(report::NAME)), &report::html(&report::load(folder)?))?;
    if mined.json { Ok(()) } else { print(&format!("\n{}", answer.text())) }
}

/// A demanded order: the template that demands it, and its two labels.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Demand {
    template: &'static str,
    first: String,
    second: String,
}

/// The constraints to test.
struct Specification {
    class: String,
    model: Option<Fsa<String>>,
    /// The file of the model.
    file: Option<PathBuf>,
    demands: Vec<Demand>,
}

impl Specification {
    fn read(flags: &TestSpecFlags) -> Result<Self, Report> {
        let class = |named: Option<String>| {
            let what = match &flags.model {
                Some(_) => "the model does not name its class",
                None => "no class is named",
            };
            let found = flags.class.clone().or(named.filter(|name| !name.contains(' ')));
            found.ok_or_else(|| bad_input(what, "name it: --class com.acme.Stack"))
        };
        let Some(path) = &flags.model else {
            if let Some(pair) = flags.order.chunks(2).find(|pair| pair[0] == pair[1]) {
                let what = format!("--order {0} {0}: no event comes before itself", pair[0]);
                return Err(bad_input(what, "name two different events, as in `--order open read`"));
            }
            let demands = flags
                .order
                .chunks(2)
                .map(|pair| Demand { template: "order", first: pair[0].clone(), second: pair[1].clone() })
                .collect();
            return Ok(Self { class: class(None)?, model: None, file: None, demands });
        };
        let format = flags.from.as_deref().map(adit_automata::format::Format::from_name).transpose()?;
        let source = crate::input::open(&models::file_of(path)?)?;
        let (model, title) = models::read_titled(source, format, models::UnknownFormat::NameIt)?;
        let class = class(title)?;
        let set = constraints(&model, &ConstraintTemplate::FOUR, Language::Accepted);
        let demands = set
            .holding
            .iter()
            .map(|constraint| {
                let (first, second) = constraint.order();
                let label = |letter: u32| model.alphabet()[letter as usize].clone();
                Demand {
                    template: template_name(constraint.template),
                    first: label(first),
                    second: label(second),
                }
            })
            .collect();
        Ok(Self { class, model: Some(model), file: Some(path.clone()), demands })
    }
}

/// Stable names of the templates.
fn template_name(template: ConstraintTemplate) -> &'static str {
    match template {
        ConstraintTemplate::Followed => "followed",
        ConstraintTemplate::ImmediatelyFollowed => "immediately-followed",
        ConstraintTemplate::Preceded => "preceded",
        ConstraintTemplate::ImmediatelyPreceded => "immediately-preceded",
        ConstraintTemplate::PrintedImmediatelyPreceded => "printed-immediately-preceded",
    }
}

/// Verdicts on all demands.
struct Answer {
    class: String,
    demands: Vec<Demand>,
    /// For each demand the place of its evidence, or the reason why it is not tested.
    of: Vec<Result<usize, String>>,
    evidence: Vec<Evidence>,
    /// Remarks about tests and experiments.
    notes: Vec<String>,
    details: Json,
}

fn examine(flags: &TestSpecFlags, spec: &Specification, quiet: bool) -> Result<Answer, Report> {
    let start = Instant::now();
    let typed = ClassFlags {
        class: spec.class.clone(),
        classpath: flags.classpath.clone(),
        no_project: flags.no_project,
        jdk: flags.jdk.clone(),
        non_public: flags.non_public,
        unsafe_no_sandbox: flags.unsafe_no_sandbox,
    };
    let class = class_request(&typed)?;
    let mut location = ClassLocation::new(&class, Audience::unless(quiet))?;
    let (places, test_names) = user_tests::split(&flags.tests)?;
    // Tests show which values calls take.
    if !places.is_empty() {
        let tests = places.iter().map(|&place| place.to_owned()).collect();
        location.built = Some(Built { folder: flags.directory.clone().unwrap_or_else(|| ".".into()), tests });
    }
    let java = JavaEnvironment::new(&class, &location, &places)?;
    // Before anything is run, because a typo should not cost a second.
    let found_tests =
        if flags.tests.is_empty() { Vec::new() } else { user_tests::classes(&java, &places, &test_names)? };
    let working = Working::new("reading the code of the methods", quiet);
    let code = Code::analyze(&java, spec, &found_tests)?;
    drop(working);
    let mut notes = Vec::new();
    let on_objects = make_objects(flags, &class, &location, &code, &mut notes, quiet);
    let directory =
        flags.directory.clone().or_else(|| location.built.as_ref().map(|built| built.folder.clone()));
    let mut open: Vec<PairEvidence> = Vec::new();
    for place in 0..code.pairs.len() {
        open.push(PairEvidence {
            calls_itself: code.calls_itself[place],
            calls_some: code.calls_some[place],
            by_code: code.sharing[place].0,
            by_watching: on_objects.as_ref().map_or(Shares::Perhaps, |all| all.watched[place].0),
            on_objects: on_objects.as_ref().map(|all| all.orders[place].tally).unwrap_or_default(),
            within_tests: Default::default(),
            together: Default::default(),
            tests: Vec::new(),
        });
    }
    // Tests take longest, so they are asked last, and only where nothing else decides.
    let asks_tests: Vec<bool> = open.iter().map(|known| flags.thorough || !is_decided(known)).collect();
    let asked: Vec<&(EventMethods, EventMethods)> =
        code.pairs.iter().zip(&asks_tests).filter_map(|(pair, &asks)| asks.then_some(pair)).collect();
    let mut suite: Option<Suite> = None;
    if !asked.is_empty() && !found_tests.is_empty() {
        let request = TestsRequest {
            classes: test_classes(&java, found_tests, &test_names, &mut notes)?,
            directory: directory.unwrap_or_else(|| ".".into()),
            writable: flags.writable.clone(),
            limit: flags.time_limit.min(flags.total_time.saturating_sub(start.elapsed())).max(LEAST_TIME),
            deadline: start + flags.total_time.max(start.elapsed() + LEAST_TIME),
        };
        if !request.classes.is_empty() {
            match Suite::start(&java, request, &asked, quiet) {
                Ok(started) => suite = Some(started),
                Err(why) => notes.push(format!("the tests are no evidence, because they do not run: {why}")),
            }
        }
        notes.extend(suite.iter().flat_map(|suite| suite.notes.clone()));
    }
    let (mut decisive, mut late) = (Vec::new(), 0);
    for (place, (known, pair)) in open.iter_mut().zip(&code.pairs).enumerate() {
        let mut within = WithinTests::default();
        let asks = asks_tests[place];
        let left = flags.total_time.checked_sub(start.elapsed());
        late += usize::from(asks && suite.is_some() && left.is_none());
        if let (Some(suite), Some(_)) = (suite.as_mut().filter(|_| asks), left) {
            match suite.exchange(pair, flags.thorough) {
                Ok(found) => within = found,
                // Tests that ran without changes and cannot be chosen say nothing about this pair only.
                Err(why) => notes.push(format!("tests are no evidence for one pair: {why}")),
            }
            (known.within_tests, known.together) = (within.tally, within.together);
            known.tests.clone_from(&within.tests);
        }
        decisive.push(within.decisive);
    }
    let mut watched: Vec<Watched> = (0..open.len())
        .map(|place| on_objects.as_ref().map(|all| Watched::on_objects(&all.watched[place])))
        .map(Option::unwrap_or_default)
        .collect();
    if let Some(suite) = &mut suite {
        let could_decide = |known: &PairEvidence| {
            flags.thorough || matches!(spec_verdict(known), (_, Basis::Nothing | Basis::Watching))
        };
        let places: Vec<usize> =
            (0..open.len()).filter(|&place| asks_tests[place] && could_decide(&open[place])).collect();
        let pairs: Vec<&(EventMethods, EventMethods)> =
            places.iter().map(|&place| &code.pairs[place]).collect();
        // Without time for it, fields on adit's own objects are the answer.
        if !pairs.is_empty() && start.elapsed() < flags.total_time {
            match suite.watch(&pairs) {
                Ok(found) => {
                    for (&place, in_tests) in places.iter().zip(&found) {
                        watched[place] = watched[place].clone().joined_with_tests(in_tests);
                    }
                }
                Err(why) => notes.push(format!("fields were not watched in tests: {why}")),
            }
        }
    }
    let mut evidence = Vec::new();
    for (place, ((mut known, watched), within)) in open.into_iter().zip(watched).zip(decisive).enumerate() {
        known.by_watching = watched.shares;
        let (verdict, basis) = spec_verdict(&known);
        evidence.push(Evidence {
            pair: known,
            sharing: code.sharing[place].1.clone(),
            watched,
            order: on_objects.as_ref().map(|all| all.orders[place].clone()),
            java: on_objects.as_ref().and_then(|all| all.java[place].clone()),
            within,
            verdict,
            basis,
        });
    }
    if late > 0 {
        notes.push(format!(
            "tests were not asked about {}, because the time was over; allow more with --total-time",
            counted(late, "pair")
        ));
    }
    let scripts = on_objects.as_ref().map_or(0, |all| all.tests);
    Ok(Answer {
        class: java.class.dotted_name(),
        demands: spec.demands.clone(),
        of: code.of,
        evidence,
        notes,
        details: json!({ "scripts": scripts, "suite": suite.as_ref().map(Suite::json) }),
    })
}

/// The test classes to run: those that the user names, and of those in folders and jars the ones that lead to
/// the class.
fn test_classes(
    java: &JavaEnvironment,
    all: Vec<String>,
    names: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<String>, Report> {
    let (named, found): (Vec<String>, Vec<String>) = all.into_iter().partition(|test| names.contains(test));
    let starts: Vec<String> = found.iter().map(|test| test.replace('.', "/")).collect();
    let entries = adit_jvm::classes::open(None, &java.entries)?;
    // Classes of the JDK are on no class path, and any test may use them.
    let leading = if entries.find(&java.class.name)?.is_some() {
        reach::leading_to(&entries, &java.class.name, &starts)?
    } else {
        starts.into_iter().map(|start| (start, 0)).collect()
    };
    if named.is_empty() && leading.is_empty() {
        let count = counted(found.len(), "test class");
        let name = java.class.dotted_name();
        notes.push(format!("no test was run: of {count}, none refers to {name}, directly or through others"));
    }
    // The nearest tests make most of the calls. Among equally near ones, those with the name of the class.
    let name = java.class.name.rsplit('/').next().and_then(|name| name.split('$').next()).unwrap_or_default();
    let mut leading: Vec<(usize, bool, String)> = leading
        .into_iter()
        .map(|(test, distance)| (distance, !test.contains(name), test.replace('/', ".")))
        .collect();
    leading.sort();
    if leading.len() > TEST_CLASSES {
        let (all, run) = (leading.len(), TEST_CLASSES);
        notes.push(format!(
            "{run} of {all} test classes that lead to the class were run, the nearest; name more with --tests"
        ));
        leading.truncate(TEST_CLASSES);
    }
    Ok(named.into_iter().chain(leading.into_iter().map(|(.., test)| test)).collect())
}

/// Runs both orders on objects. A class that adit cannot make objects of is tested without.
fn make_objects(
    flags: &TestSpecFlags,
    class: &ClassRequest,
    location: &ClassLocation,
    code: &Code,
    notes: &mut Vec<String>,
    quiet: bool,
) -> Option<OnObjects> {
    let mut calls = call_request(&flags.generate, defaults::GENERATION);
    calls.object_methods = true;
    let budget = flags.generate.budget.unwrap_or(defaults::DEFAULT_BUDGET);
    let decided = |place: usize| !flags.thorough && code.sharing[place].0 == Shares::No;
    let pairs: Vec<_> =
        code.pairs.iter().enumerate().map(|(place, pair)| (!decided(place)).then_some(pair)).collect();
    if pairs.iter().all(Option::is_none) {
        return None;
    }
    let open = ClassRequest { non_public: true, ..class.clone() };
    let most = flags.total_time.mul_f64(FOR_OBJECTS);
    let experiment =
        |class| objects::experiment(class, location, &calls, (budget, most), &pairs, flags.thorough, quiet);
    let made = if code.is_hidden {
        experiment(&open).or_else(|_| experiment(class))
    } else {
        experiment(class).or_else(|_| experiment(&open))
    };
    match made {
        Ok(made) => Some(made),
        Err(why) => {
            notes.push(format!("no experiments on objects that adit makes: {why}"));
            None
        }
    }
}

/// Tells whether evidence decides that nothing else could outweigh.
fn is_decided(known: &PairEvidence) -> bool {
    let decides = matches!(spec_verdict(known), (_, Basis::CallsItself | Basis::Code));
    let Tally { needed, matters, spoils, guards, .. } = known.on_objects;
    decides || needed + matters + spoils + guards > 0
}

/// Evidence from bytecode about the pairs of a specification.
struct Code {
    pairs: Vec<(EventMethods, EventMethods)>,
    of: Vec<Result<usize, String>>,
    sharing: Vec<(Shares, String)>,
    calls_itself: Vec<bool>,
    calls_some: Vec<bool>,
    /// Some event has no public method.
    is_hidden: bool,
}

impl Code {
    /// Reads the code of the methods. A label without parameters stands for the overloads that `tests` call,
    /// if they call any.
    fn analyze(java: &JavaEnvironment, spec: &Specification, tests: &[String]) -> Result<Self, Report> {
        let names: BTreeSet<String> = java.classes.names();
        // What most programs use of the JDK; the rest is doubtful, and so counts as shared.
        let is_used = |name: &&String| {
            let of_platform = ["javax/", "com/sun/", "sun/", "org/w3c/", "org/xml/", "jdk/"];
            !of_platform.iter().any(|package| name.starts_with(package))
                || name.starts_with("jdk/internal/util")
        };
        let program = Program::new(&java.classes, names.iter().filter(is_used).map(String::as_str));
        let tests: Vec<String> = tests.iter().map(|test| test.replace('.', "/")).collect();
        let methods = ClassMethods::of(&program, &java.class.name, &tests);
        let mut known = Self {
            pairs: Vec::new(),
            of: Vec::new(),
            sharing: Vec::new(),
            calls_itself: Vec::new(),
            calls_some: Vec::new(),
            is_hidden: false,
        };
        let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut missing = BTreeSet::new();
        for demand in &spec.demands {
            let pair = (methods.of_label(&demand.first), methods.of_label(&demand.second));
            let (first, second) = match pair {
                (Ok(first), Ok(second)) => (first, second),
                (Err(Unusable::Missing), _) => {
                    missing.insert(demand.first.as_str());
                    continue;
                }
                (_, Err(Unusable::Missing)) => {
                    missing.insert(demand.second.as_str());
                    continue;
                }
                (Err(Unusable::Makes), _) | (_, Err(Unusable::Makes)) => {
                    known.of.push(Err("no call on an object comes before its creation".to_owned()));
                    continue;
                }
                (Err(Unusable::Throws), _) | (_, Err(Unusable::Throws)) => {
                    known.of.push(Err("calls that throw are not exchanged".to_owned()));
                    continue;
                }
            };
            let key = (demand.first.clone(), demand.second.clone());
            let place = *places.entry(key).or_insert_with(|| {
                known.pairs.push((first, second));
                known.pairs.len() - 1
            });
            known.of.push(Ok(place));
        }
        if let Some(first) = missing.first() {
            let all: Vec<&str> = missing.iter().copied().collect();
            let names = methods.names();
            let help = match nearest_label(first, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? otherwise name the class with --class"),
                None => "is it a model of another class? name the class with --class".to_owned(),
            };
            let from = spec.file.as_ref().map(|file| format!("{}: ", file.display())).unwrap_or_default();
            let what = format!("{from}{} has no method for {}", spec.class, some_of(&all, NAMES_SHOWN));
            return Err(bad_input(what, help));
        }
        // An analysis of its own for each method, because the limit is for all that one analysis reaches.
        let mut effects: BTreeMap<MethodId, Option<Effects>> = BTreeMap::new();
        let mut effects_of = |method: &MethodId| -> Option<Effects> {
            let analyze = || Analysis::new(&program, BTreeSet::new(), EFFECTS).effects(method);
            effects.entry(method.clone()).or_insert_with(analyze).clone()
        };
        let is_public = |method: &MethodId| {
            let found = program.resolve(&method.class, &method.name, &method.descriptor);
            found.is_some_and(|(_, method)| method.flags.has(Flags::PUBLIC))
        };
        let is_open = |event: &EventMethods| event.methods.iter().any(is_public);
        known.is_hidden = !known.pairs.iter().all(|(first, second)| is_open(first) && is_open(second));
        for (first, second) in &known.pairs {
            let mut all: Vec<Sharing> = Vec::new();
            for one in &first.methods {
                let own = effects_of(one);
                all.extend(second.methods.iter().map(|other| match (&own, effects_of(other)) {
                    (Some(own), Some(theirs)) => sharing_of(own, &theirs),
                    (None, _) => Sharing::Missing(one.clone()),
                    (_, None) => Sharing::Missing(other.clone()),
                }));
            }
            known.sharing.push(worst(&all));
            let all = |calls_second: &dyn Fn(&MethodId) -> bool| {
                !first.methods.is_empty() && first.methods.iter().all(calls_second)
            };
            let some = all(&|one| calls(&program, one, &second.methods, CALLED).unwrap_or(false));
            let class = &java.class.name;
            let itself = all(&|one| calls_on_itself(&program, class, one, &second.methods, CALLED));
            known.calls_some.push(some);
            known.calls_itself.push(itself);
        }
        Ok(known)
    }
}

impl Answer {
    fn verdict(&self) -> SpecVerdict {
        let tested = || self.of.iter().filter_map(|of| of.as_ref().ok()).map(|&place| &self.evidence[place]);
        if tested().any(|one| one.verdict == SpecVerdict::Buggy) {
            return SpecVerdict::Buggy;
        }
        // A pair that cannot be tested demands nothing that could be wrong.
        let open = |one: &Evidence| one.verdict == SpecVerdict::Unknown && one.basis != Basis::CallsItself;
        let any_true = tested().any(|one| one.verdict == SpecVerdict::True);
        if any_true && !tested().any(open) { SpecVerdict::True } else { SpecVerdict::Unknown }
    }

    fn why(&self, place: usize) -> String {
        match &self.of[place] {
            Ok(of) => {
                let Demand { first, second, .. } = &self.demands[place];
                self.evidence[*of].why(first, second)
            }
            Err(why) => why.clone(),
        }
    }

    fn verdict_on(&self, place: usize) -> SpecVerdict {
        self.of[place].as_ref().map_or(SpecVerdict::Unknown, |&of| self.evidence[of].verdict)
    }

    fn json(&self, seconds: f64) -> Json {
        let rows: Vec<Json> = (0..self.demands.len())
            .map(|place| {
                let Demand { template, first, second } = &self.demands[place];
                let evidence = self.of[place].as_ref().ok().map(|&of| self.evidence[of].json());
                json!({
                    "template": template,
                    "a": first,
                    "b": second,
                    "verdict": verdict_name(self.verdict_on(place)),
                    "why": self.why(place),
                    "basis": self.of[place].as_ref().ok().map(|&of| basis_name(self.evidence[of].basis)),
                    "evidence": evidence,
                })
            })
            .collect();
        json!({
            "class": self.class,
            "verdict": verdict_name(self.verdict()),
            "constraints": rows,
            "notes": self.notes,
            "run": self.details,
            "seconds": seconds,
        })
    }

    fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.class, verdict_name(self.verdict()));
        let mut shown = BTreeSet::new();
        for (verdict, title) in [
            (SpecVerdict::Buggy, "Not needed"),
            (SpecVerdict::True, "Needed"),
            (SpecVerdict::Unknown, "Unknown"),
        ] {
            let places: Vec<usize> = (0..self.demands.len())
                .filter(|&place| self.verdict_on(place) == verdict)
                .filter(|&place| {
                    shown.insert((self.demands[place].first.clone(), self.demands[place].second.clone()))
                })
                .collect();
            if places.is_empty() {
                continue;
            }
            let _ = writeln!(text, "\n{title}:");
            for place in places {
                let Demand { first, second, .. } = &self.demands[place];
                let _ = writeln!(text, "  {first} before {second}: {}", self.why(place));
                let evidence = self.of[place].as_ref().ok().map(|&of| &self.evidence[of]);
                let witness = evidence.filter(|one| one.basis == Basis::Objects && one.witness().is_some());
                if let Some([in_order, exchanged]) = witness.and_then(|one| one.java.as_ref()) {
                    for (name, lines) in [("as demanded", in_order), ("exchanged", exchanged)] {
                        let _ = writeln!(text, "    {name}: {}", lines.join(" "));
                    }
                }
            }
        }
        for note in &self.notes {
            let _ = writeln!(text, "\n{note}");
        }
        text
    }

    /// Writes the model without the refuted constraints, and says what changed.
    fn repair(&self, model: &Fsa<String>, file: &Path, quiet: bool) -> Result<(), Report> {
        let refuted: BTreeSet<(&str, &str)> = (0..self.demands.len())
            .filter(|&place| self.verdict_on(place) == SpecVerdict::Buggy)
            .map(|place| (self.demands[place].first.as_str(), self.demands[place].second.as_str()))
            .collect();
        let mut repaired = model.clone();
        for (first, second) in &refuted {
            let relaxed = repair::relaxed(&repaired, first, second);
            // A nondeterministic model says the same and is hard to read.
            repaired = relaxed.minimize(models::STATES).unwrap_or(relaxed);
        }
        let target = Target::new(Some(file));
        let format = models::format_of(&target, None)?;
        models::write(&repaired, &target, format, &self.class, quiet)?;
        if !quiet {
            tell(&format!(
                "{}: {} removed; the model had {} and has {}",
                file.display(),
                counted(refuted.len(), "constraint"),
                size_of(model),
                size_of(&repaired)
            ));
        }
        Ok(())
    }
}

fn verdict_name(verdict: SpecVerdict) -> &'static str {
    match verdict {
        SpecVerdict::Buggy => "buggy",
        SpecVerdict::True => "supported",
        SpecVerdict::Unknown => "unknown",
    }
}

/// Stable names of what decided.
fn basis_name(basis: Basis) -> &'static str {
    match basis {
        Basis::CallsItself => "calls-itself",
        Basis::Code => "shared-state",
        Basis::Watching => "watched-fields",
        Basis::Objects => "objects",
        Basis::WithinTests => "within-tests",
        Basis::Tests => "tests",
        Basis::Nothing => "none",
    }
}
