//! `adit validate`: precision and recall of a model against the class itself.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use adit_attack::novelty::Novelty;
use adit_attack::validate::{
    Rate, ValidateOptions, Validated, WalkOptions, unknown_labels, validate, without_unknown,
};
use adit_attack::{EventReader, SurveyOptions};
use adit_automata::{Builder, Fsa};
use adit_bytecode::overloads::Overloads;
use adit_java::Api;
use adit_logic::nearest_label;
use adit_store::Campaign;
use adit_trace::edit;
use adit_trace::{Label, Pace, Phase, Progress, Script, Stop, Vocabulary};
use miette::Report;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::requests::{call_request, subject_request};
use crate::adapter;
use crate::budget::Budget;
use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::{ValidateFlags, observe, validate as defaults};
use crate::java::class_under_test::{ClassUnderTest, SCRIPTS_PER_BATCH, ignore_the_clock};
use crate::java::project::ClassLocation;
use crate::models;
use crate::output::{counted, print, print_json, some_of};
use crate::pace::BudgetPace;
use crate::progress::{Audience, Counting};
use crate::request::ValidateRequest;
use crate::results::not_made::NotMade;
use crate::results::validation::{self, Share, Undecided};
use crate::results::{self, Validation};
use crate::stderr::tell;
use crate::under_test::{UnderTest, World};

/// Tests of a campaign that are run for their values.
const KNOWN_SCRIPTS: usize = 1500;

/// Limit on the names in one message.
const NAMES_SHOWN: usize = 12;

pub(super) fn run(flags: &ValidateFlags, quiet: bool) -> Result<Ending, Report> {
    // Before the class is examined, because a typo should not cost a second.
    let model = models::read(&flags.model, flags.from.as_deref())?;
    let verdict = measure(model, &request(flags)?, quiet)?;
    if verdict.validated.recall.all == 0 && verdict.validated.stop.is_done() {
        if flags.adapter.adapter.is_some() {
            return Err(no_answer(
                format!("no object of {} was seen: every start of the adapter failed", verdict.class),
                "let the adapter offer other values for its starts",
            ));
        }
        return Err(no_answer(
            format!("no object of {} was seen: every way to construct one failed", verdict.class),
            format!(
                "`adit observe {0}` shows why; supply an object with a method `public static {0} make()` in a file passed with --fixtures",
                verdict.class
            ),
        ));
    }
    if flags.json {
        print_json(&results::json(&verdict.validation()))?
    } else {
        print(&verdict.text())?
    }
    verdict.ending()
}

/// The work that the flags ask for.
fn request(flags: &ValidateFlags) -> Result<ValidateRequest, Report> {
    let budget = flags.generate.budget.unwrap_or(defaults::DEFAULT_BUDGET);
    Ok(ValidateRequest {
        class: subject_request(&flags.class, &flags.adapter, &flags.generate)?,
        calls: call_request(&flags.generate, observe::GENERATION),
        budget,
        labels_of_model: flags.generate.labels.is_none(),
        ignore_unknown: flags.ignore_unknown,
        options: options(flags, budget),
    })
}

/// Runs the class and compares it with the model.
fn measure(model: Fsa<String>, request: &ValidateRequest, quiet: bool) -> Result<Verdict, Report> {
    let ValidateRequest { class, calls, budget, options, .. } = request;
    let mut subject = match &class.adapter {
        Some(asked) => adapter::under_test(asked, calls, quiet)?,
        None => {
            let location = ClassLocation::new(class, Audience::unless(quiet))?;
            let class = ClassUnderTest::new(class, &location, calls, |options| {
                options.snapshots = true;
                options.limits.batch = SCRIPTS_PER_BATCH;
                ignore_the_clock(options, *budget);
            })?;
            class.into()
        }
    };
    if let World::Java(java) = &mut subject.world
        && request.labels_of_model
        && merges_overloads(&model, &java.api)
    {
        java.api.name_events(Overloads::Merged);
        subject.vocabulary = java.api.vocabulary();
        if !quiet {
            tell(
                "note: the model merges overloads, so labels are names alone; --labels overload tells them apart",
            );
        }
    }
    let reader = EventReader::new(&subject.vocabulary);
    let model = if class.adapter.is_some() { without_arguments(model, &reader, quiet) } else { model };
    let mut model = known_part(model, &reader, request, quiet)?;
    if class.adapter.is_some() {
        model = with_creation(model, &subject.vocabulary, &reader);
    }

    let mut pace = BudgetPace::of_validation(*budget);
    let mut counting = Counting::new(quiet);
    let mut rng = ChaCha8Rng::seed_from_u64(calls.seed);
    let mut shown = |now: &Progress| {
        counting.show(|| progress(now));
        pace.go_on(now)
    };
    let UnderTest { host, author, .. } = &mut subject;
    let validated = validate(host, author, &reader, &model, options, &mut rng, &mut shown)?;
    counting.finish();
    drop(pace);
    if let Some(report) = subject.answers_nothing() {
        return Err(report);
    }

    let scripts: Vec<Script> =
        validated.rejected.iter().map(|rejected| edit::tidy(&rejected.script, &subject.vocabulary)).collect();
    let witnesses = scripts.iter().map(|script| subject.lines(script)).collect();
    Ok(Verdict {
        class: subject.class().to_owned(),
        not_made: NotMade::of(&subject, |_| false),
        witnesses,
        language: subject.language(),
        speed: subject.speed(),
        seconds: counting.elapsed().as_secs_f64(),
        validated,
    })
}

/// Tests of the campaign beside a model, which hold values that work; none if there is no campaign.
fn known_scripts(model: &Path, most: usize) -> Vec<Script> {
    let campaign = model.parent().and_then(|folder| Campaign::read(folder).ok());
    let tests = campaign.iter().flat_map(Campaign::tests).map_while(Result::ok);
    tests.take(KNOWN_SCRIPTS.min(most)).map(|test| test.script).collect()
}

/// Splits the budget. A budget in tests must leave most of them for the walks.
fn options(flags: &ValidateFlags, budget: Budget) -> ValidateOptions {
    let part = |of: u64| match budget {
        Budget::Tests(tests) => usize::try_from(tests / of).unwrap_or(usize::MAX).max(1),
        Budget::Time(_) => usize::MAX,
    };
    let survey = defaults::SURVEY;
    ValidateOptions {
        known: known_scripts(&flags.model, part(6)),
        survey: SurveyOptions { scripts: survey.scripts.min(part(6)), calls: flags.generate.calls, ..survey },
        choosing: defaults::CHOOSING_TRIES.min(part(6)),
        runs: flags.runs.min(part(6)),
        walks: WalkOptions {
            count: flags.walks,
            length: flags.length,
            width: defaults::SITUATIONS_PER_PREFIX,
        },
    }
}

fn progress(now: &Progress) -> String {
    let doing = match now.phase {
        Phase::Runs => "running random tests",
        Phase::Walks => "trying walks of the model",
        _ => "observing the class",
    };
    format!("{}, {doing}", counted(now.tests, "test"))
}

/// Tells whether the class has more of the model's events when overloads are labeled by name alone.
fn merges_overloads(model: &Fsa<String>, api: &Api) -> bool {
    let mut merged = api.clone();
    merged.name_events(Overloads::Merged);
    let unknown = |api: &Api| unknown_labels(model, &EventReader::new(&api.vocabulary())).len();
    unknown(&merged) < unknown(api)
}

/// Returns the model with the events that make an object in front, if it has none of them: a machine that was
/// learned begins with the object.
fn with_creation(model: Fsa<String>, vocabulary: &Vocabulary, reader: &EventReader) -> Fsa<String> {
    let letters = vocabulary.starts.iter().flat_map(|start| reader.letters_of(start));
    let starts: BTreeSet<&str> = letters.map(|letter| reader.alphabet().name(*letter)).collect();
    if model.alphabet().iter().any(|label| starts.contains(label.as_str())) {
        return model;
    }
    let mut builder = Builder::new();
    model.states().for_each(|state| _ = builder.state(model.is_accepting(state)));
    model.all_edges().for_each(|edge| builder.edge(edge.from, edge.label.clone(), edge.to));
    let before = builder.state(false);
    builder.initial(before);
    for &first in model.initial() {
        starts.iter().for_each(|label| builder.edge(before, (*label).to_owned(), first));
    }
    builder.build()
}

/// Returns the model with names in place of calls with arguments, such as `put` for `put("a",1)`: a learned
/// machine has one label for each choice of arguments, and events have none. Failures that change the state
/// are left out, because an object no longer counts after them.
fn without_arguments(model: Fsa<String>, reader: &EventReader, quiet: bool) -> Fsa<String> {
    let known = |label: &str| reader.alphabet().get(label).is_some();
    let named = |label: &String| by_name(label).filter(|(name, _)| known(name));
    if !model.alphabet().iter().any(|label| !known(label) && named(label).is_some()) {
        return model;
    }
    let mut builder = Builder::new();
    model.states().for_each(|state| _ = builder.state(model.is_accepting(state)));
    model.initial().iter().for_each(|&state| builder.initial(state));
    for edge in model.all_edges() {
        match named(edge.label) {
            Some((_, true)) => {}
            Some((label, false)) => builder.edge(edge.from, label, edge.to),
            None => builder.edge(edge.from, edge.label.clone(), edge.to),
        }
    }
    if !quiet {
        tell("note: calls of the model are compared by name: any arguments that the adapter offers may do");
    }
    builder.build()
}

/// The label of a call without its arguments, and whether the call failed.
fn by_name(label: &str) -> Option<(String, bool)> {
    let (name, rest) = label.split_once('(')?;
    let (_, outcome) = rest.rsplit_once(')')?;
    match outcome {
        "" | ":TRUE" | ":FALSE" => Some((format!("{name}{outcome}"), false)),
        _ => outcome.starts_with('!').then(|| (name.to_owned(), true)),
    }
}

/// Returns the model, without the events that the class lacks if they are to be ignored.
fn known_part(
    model: Fsa<String>,
    reader: &EventReader,
    request: &ValidateRequest,
    quiet: bool,
) -> Result<Fsa<String>, Report> {
    let unknown = unknown_labels(&model, reader);
    let Some(&first) = unknown.first() else { return Ok(model) };
    if request.ignore_unknown {
        if !quiet {
            tell(&format!("note: ignored events of the model: {}", some_of(&unknown, NAMES_SHOWN)));
        }
        if unknown.len() == model.alphabet().len() {
            return Err(bad_input(
                format!("{} has none of the model's events", request.class.name),
                "is it a model of another class?",
            ));
        }
        return Ok(without_unknown(&model, reader));
    }
    let known: Vec<&str> = reader.alphabet().names().collect();
    let help = match nearest_label(first, known.iter().copied()) {
        _ if Label::parse(first).threw().is_some() => {
            "an object no longer counts after its first exception, so such events are never seen".to_owned()
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("its events are {}; non-public methods need --non-public", some_of(&known, NAMES_SHOWN))
        }
    };
    let which = if unknown.len() == 1 {
        format!("no event `{first}`, but the model does")
    } else {
        format!("none of these events of the model: {}", some_of(&unknown, NAMES_SHOWN))
    };
    Err(bad_input(
        format!("{} has {which}", request.class.name),
        format!("{help} Otherwise add --ignore-unknown"),
    ))
}

/// The answer.
struct Verdict {
    class: String,
    validated: Validated,
    not_made: NotMade,
    /// The rejected words as source text.
    witnesses: Vec<Vec<String>>,
    /// Language of that text, as part of a sentence.
    language: String,
    /// Speed of the adapter, in words.
    speed: Option<String>,
    seconds: f64,
}

impl Verdict {
    fn ending(&self) -> Result<Ending, Report> {
        let Validated { precision, recall, unrealized, rejected, undecided, .. } = &self.validated;
        if !unrealized.is_empty() || !rejected.is_empty() {
            return Ok(Ending::Found);
        }
        if precision.all > 0 && recall.all > 0 {
            return Ok(Ending::Clean);
        }
        Err(match self.validated.stop {
            Stop::Done if undecided.all() == 0 => no_answer(
                "the model has no walk",
                "a walk starts in an initial state; does the model have one?",
            ),
            Stop::Done => no_answer(
                "no walk of the model could be decided",
                "adit could not call the methods it needs; supply values with --fixtures",
            ),
            _ => no_answer(
                "the budget ended too early for any answer",
                "use a larger --budget or a smaller --length",
            ),
        })
    }

    fn validation(&self) -> Validation {
        let share = |rate: &Rate| Share::from(*rate);
        let new = |novelty: &Novelty| validation::Novelty {
            seen: novelty.seen,
            once: novelty.once,
            twice: novelty.twice,
            chance: novelty.chance(),
            at_most: if novelty.alone == 0 { novelty.at_most() } else { None },
            unseen_at_least: novelty.unseen(),
        };
        let Validated { precision, recall, undecided, .. } = &self.validated;
        Validation {
            class: self.class.clone(),
            precision: precision.share(),
            recall: recall.share(),
            unrealized: self.validated.unrealized.clone(),
            rejected: self.validated.rejected.iter().map(|rejected| rejected.word.clone()).collect(),
            rejected_java: self.witnesses.iter().map(|lines| lines.join("\n")).collect(),
            walks: share(precision),
            objects: share(recall),
            undecided: Undecided {
                budget: undecided.budget,
                untried: undecided.untried,
                unsteady: undecided.unsteady,
            },
            events_not_in_model: self.validated.missing.clone(),
            new_events: new(&self.validated.events),
            new_pairs: new(&self.validated.pairs),
            not_made: self.not_made.clone(),
            hang: self.validated.given_up.clone(),
            tests: self.validated.tests,
            seconds: self.seconds,
            stop: self.validated.stop,
        }
    }

    fn text(&self) -> String {
        let Validated { precision, recall, unrealized, rejected, missing, .. } = &self.validated;
        let mut text = String::new();
        let mut row = |name: &str, rate: &Rate, told: fn(Share) -> String| {
            let _ = match rate.share() {
                Some(share) => writeln!(text, "{name:9}  {share:.4}  {}", told(Share::from(*rate))),
                None => writeln!(text, "{name:9}  unknown"),
            };
        };
        row("precision", precision, Share::of_walks);
        row("recall", recall, Share::of_objects);
        let not_made = self.not_made.told();
        if !not_made.is_empty() {
            text.push_str("\nRecall is about objects that adit can make, without these:\n");
            not_made.iter().for_each(|line| _ = writeln!(text, "  {line}"));
        }
        if !unrealized.is_empty() {
            text.push_str("\nUnrealized walks, which the model allows and adit could not make happen:\n");
            unrealized.iter().for_each(|word| _ = writeln!(text, "  {}", word.join(" ")));
        }
        if !rejected.is_empty() {
            text.push_str("\nObserved, but rejected by the model:\n");
            rejected.iter().for_each(|rejected| _ = writeln!(text, "  {}", rejected.word.join(" ")));
            if let Some(lines) = self.witnesses.first() {
                let _ = writeln!(text, "The first of these {}:\n    {}", self.language, lines.join("\n    "));
            }
        }
        text.push('\n');
        for line in self.remarks() {
            let _ = writeln!(text, "{line}");
        }
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(String::as_str).collect();
            let _ = writeln!(
                text,
                "The model lacks these events of the class: {}. Choose methods with --only and --without.",
                some_of(&names, NAMES_SHOWN)
            );
        }
        text
    }

    fn remarks(&self) -> Vec<String> {
        let Validated { undecided, events, pairs, given_up, .. } = &self.validated;
        let mut remarks: Vec<String> =
            self.speed.iter().map(|speed| format!("{}.", capital(speed))).collect();
        remarks.extend(is_new(events, "event"));
        remarks.extend(is_new(pairs, "pair of consecutive events"));
        let mut not_decided = |count: u64, why: &str| {
            if count > 0 {
                remarks.push(format!("{} undecided: {why}.", counted(count, "walk")));
            }
        };
        let ended = match self.validated.stop {
            Stop::Interrupted => "the run was interrupted",
            _ => "the budget ran out; use a larger --budget",
        };
        not_decided(undecided.budget, ended);
        not_decided(undecided.untried, "a method could not be called, or hangs too often");
        not_decided(undecided.unsteady, "the class is not deterministic");
        if !given_up.is_empty() {
            remarks.push(format!("No longer called, because they hang or crash: {}.", given_up.join(", ")));
        }
        remarks
    }
}

/// The sentence with a capital letter.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Describes how likely the next object is to show something new.
fn is_new(novelty: &Novelty, what: &str) -> Option<String> {
    let one_in = |chance: f64| (1.0 / chance).round();
    Some(match (novelty.chance()?, novelty.at_most()?) {
        (0.0, at_most) => {
            format!("Fewer than 1 in {} further objects would show a new {what}.", one_in(at_most))
        }
        (chance, _) => {
            let unseen = novelty.unseen().round();
            let more = if unseen < 1.0 { String::new() } else { format!("; at least {unseen} are unseen") };
            format!("About 1 in {} further objects would show a new {what}{more}.", one_in(chance))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::by_name;

    #[test]
    fn arguments_are_cut_out_of_labels() {
        let cut = |label: &str| by_name(label);
        assert_eq!(cut("put(\"a)!B(\",1)"), Some(("put".to_owned(), false)));
        assert_eq!(cut("add(1):FALSE"), Some(("add:FALSE".to_owned(), false)));
        assert_eq!(cut("get(0)!IndexError"), Some(("get".to_owned(), true)));
        assert_eq!((cut("get"), cut("get(0)/250")), (None, None));
    }
}
