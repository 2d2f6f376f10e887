//! Testing specifications, beside the TEMARI paper: constraints of models against SPIN.
//!
//! The paper checks each candidate constraint with SPIN, in 0.6 s on average. Here one search for each
//! template answers all of them, and SPIN answers the same questions on random models to compare answers, and
//! on a model of the size of the paper's largest to compare times. SPIN gets the best case: two
//! translations and compilations for all constraints of a model, where the paper has one for each.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use adit_automata::{Builder, Fsa};
use adit_logic::{Constraint, ConstraintTemplate, Language, constraints};
use clap::Args;
use miette::{IntoDiagnostic, Result, WrapErr, bail, miette};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

mod labeled;

/// Flags of `evals temari`.
#[derive(Args)]
pub(crate) struct Flags {
    /// Number of small random models whose every constraint SPIN checks too.
    #[arg(long, default_value_t = 20)]
    models: usize,
    /// Number of constraints of the large model that SPIN checks too.
    #[arg(long, default_value_t = 40)]
    sampled: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The SPIN program.
    #[arg(long, default_value = "spin")]
    spin: PathBuf,
    /// The C compiler for what SPIN writes.
    #[arg(long, default_value = "gcc")]
    compiler: PathBuf,
    #[command(flatten)]
    labeled: labeled::LabeledFlags,
}

/// All templates: the paper's four, and its fourth as it is printed.
const TEMPLATES: [ConstraintTemplate; 5] = [
    ConstraintTemplate::Followed,
    ConstraintTemplate::ImmediatelyFollowed,
    ConstraintTemplate::Preceded,
    ConstraintTemplate::ImmediatelyPreceded,
    ConstraintTemplate::PrintedImmediatelyPreceded,
];

/// Size of the largest specification of the paper's limit study.
const STATES: usize = 252;
const LETTERS: u32 = 30;
const TRANSITIONS: usize = 4385;

/// Compares answers and times, and prints tables.
pub(crate) fn run(flags: &Flags) -> Result<()> {
    let mut random = ChaCha8Rng::seed_from_u64(flags.seed);
    let spin = Spin { program: &flags.spin, compiler: &flags.compiler };
    let (mut compared, mut holding) = (0, 0);
    for number in 0..flags.models {
        let model = small_model(&mut random);
        let ours = all_holding(&model, &TEMPLATES);
        let questions = instances(&model, &TEMPLATES);
        let answers = spin.check(&model, &questions)?;
        for (question, holds) in questions.iter().zip(&answers.holds) {
            if ours.contains(question) != *holds {
                bail!("model {number}: SPIN and adit disagree on {question:?}, which SPIN says is {holds}");
            }
        }
        compared += questions.len();
        holding += ours.len();
    }
    println!(
        "SPIN and adit agree on {compared} constraints of {} random models; {holding} hold.",
        flags.models
    );

    let model = large_model(&mut random);
    const ROUNDS: u32 = 20;
    let begin = Instant::now();
    let mut set = constraints(&model, &ConstraintTemplate::FOUR, Language::Accepted);
    for _ in 1..ROUNDS {
        set = constraints(&model, &ConstraintTemplate::FOUR, Language::Accepted);
    }
    let ours = begin.elapsed() / ROUNDS;
    let mut questions = instances(&model, &ConstraintTemplate::FOUR);
    while questions.len() > flags.sampled {
        questions.swap_remove(random.random_range(0..questions.len()));
    }
    let answers = spin.check(&model, &questions)?;
    let known = all_holding(&model, &ConstraintTemplate::FOUR);
    for (question, holds) in questions.iter().zip(&answers.holds) {
        if known.contains(question) != *holds {
            bail!("large model: SPIN and adit disagree on {question:?}");
        }
    }
    let count = questions.len().max(1) as u32;
    println!(
        "\nOne model of {} states, {} letters and {} transitions:\n\n\
         | checker | constraints | seconds | seconds each | ratio |\n|---|---|---|---|---|",
        model.len(),
        model.alphabet().len(),
        model.transitions()
    );
    let ours_each = ours.as_secs_f64() / set.checked as f64;
    let row = |name: &str, constraints: usize, time: Duration| {
        let each = time.as_secs_f64() / constraints.max(1) as f64;
        println!(
            "| {name} | {constraints} | {:.4} | {each:.7} | {:.0} |",
            time.as_secs_f64(),
            each / ours_each
        );
    };
    row("adit", set.checked, ours);
    row("SPIN, verifying only", count as usize, answers.verifying);
    row("SPIN, with translation and compilation", count as usize, answers.verifying + answers.preparing);
    println!("\n{} of {} constraints hold. The paper reports 0.6 s each.", set.holding.len(), set.checked);
    labeled::run(&flags.labeled)
}

/// All constraints of a model that hold, vacuous ones included, as SPIN counts them.
fn all_holding(model: &Fsa<u32>, templates: &[ConstraintTemplate]) -> Vec<Constraint> {
    let set = constraints(model, templates, Language::Accepted);
    set.holding.into_iter().chain(set.vacuous).collect()
}

fn instances(model: &Fsa<u32>, templates: &[ConstraintTemplate]) -> Vec<Constraint> {
    let letters = model.alphabet().len() as u32;
    let mut all = Vec::new();
    for &template in templates {
        for x in 0..letters {
            all.extend((0..letters).filter(|&y| y != x).map(|y| Constraint { template, x, y }));
        }
    }
    all
}

/// A model of a few states, so that constraints hold and fail about equally often.
fn small_model(random: &mut ChaCha8Rng) -> Fsa<u32> {
    let states = random.random_range(2..7);
    let mut builder = Builder::new();
    for state in 0..states {
        let ends = random.random_bool(0.3) || state + 1 == states;
        builder.state(ends);
    }
    builder.initial(0);
    for letter in 0..4 {
        builder.label(letter);
    }
    for state in 1..states {
        let from = random.random_range(0..state);
        builder.edge(from, random.random_range(0..4), state);
    }
    for _ in 0..random.random_range(0..4) {
        let (from, to) = (random.random_range(0..states), random.random_range(0..states));
        builder.edge(from, random.random_range(0..4), to);
    }
    builder.build()
}

/// A model of the paper's largest size: a few letters open every word and one closes it, the others are
/// random.
fn large_model(random: &mut ChaCha8Rng) -> Fsa<u32> {
    const OPENING: u32 = 5;
    let mut builder = Builder::new();
    for state in 0..STATES {
        builder.state(state + 1 == STATES);
    }
    builder.initial(0);
    let mut taken = std::collections::BTreeSet::new();
    let mut edge = |builder: &mut Builder<u32>, from: usize, letter: u32, to: usize| {
        if taken.insert((from, letter, to)) {
            builder.edge(from, letter, to);
        }
        taken.len()
    };
    for letter in 0..OPENING {
        edge(&mut builder, letter as usize, letter, letter as usize + 1);
    }
    let (first, last) = (OPENING as usize, STATES - 1);
    let mut edges = 0;
    for state in first..last - 1 {
        edge(&mut builder, state, random.random_range(OPENING..LETTERS - 1), state + 1);
        edges = edge(&mut builder, state + 1, LETTERS - 1, last);
    }
    while edges < TRANSITIONS {
        let (from, to) = (random.random_range(first..last), random.random_range(first..last));
        edges = edge(&mut builder, from, random.random_range(OPENING..LETTERS - 1), to);
    }
    builder.build()
}

/// SPIN, and the compiler that it needs.
struct Spin<'a> {
    program: &'a Path,
    compiler: &'a Path,
}

/// Answers of SPIN in the order of the questions, and its times.
struct Answers {
    holds: Vec<bool>,
    preparing: Duration,
    verifying: Duration,
}

impl Spin<'_> {
    /// Checks the questions, those that need the event before apart from the others, whose search is smaller.
    fn check(&self, model: &Fsa<u32>, questions: &[Constraint]) -> Result<Answers> {
        let plain = [ConstraintTemplate::Followed, ConstraintTemplate::Preceded];
        let needs_before = |question: &Constraint| !plain.contains(&question.template);
        let mut answers = Answers { holds: Vec::new(), preparing: Duration::ZERO, verifying: Duration::ZERO };
        let mut halves = Vec::new();
        for with_before in [false, true] {
            let chosen: Vec<Constraint> =
                questions.iter().copied().filter(|one| needs_before(one) == with_before).collect();
            let part = self.check_together(model, &chosen, with_before)?;
            answers.preparing += part.preparing;
            answers.verifying += part.verifying;
            halves.push(part.holds.into_iter());
        }
        for question in questions {
            let half = &mut halves[usize::from(needs_before(question))];
            answers.holds.push(half.next().ok_or_else(|| miette!("SPIN left a question unanswered"))?);
        }
        Ok(answers)
    }

    fn check_together(
        &self,
        model: &Fsa<u32>,
        questions: &[Constraint],
        with_before: bool,
    ) -> Result<Answers> {
        let folder = tempfile::tempdir().into_diagnostic()?;
        let place = folder.path();
        fs::write(place.join("model.pml"), promela(model, questions, with_before)).into_diagnostic()?;
        let begin = Instant::now();
        output(Command::new(self.program).args(["-a", "model.pml"]).current_dir(place), "SPIN")?;
        // Without optimization, as SPIN's manual does: with it, compiling takes longer than all else.
        let compile = ["-DNOREDUCE", "-o", "pan", "pan.c"];
        output(Command::new(self.compiler).args(compile).current_dir(place), "the C compiler")?;
        let preparing = begin.elapsed();
        let mut holds = Vec::new();
        let begin = Instant::now();
        for number in 0..questions.len() {
            let mut pan = Command::new(place.join("pan"));
            let claim = format!("p{number}");
            pan.args(["-a", "-m100000", "-w18", "-N", &claim]).current_dir(place);
            let said = output(&mut pan, "SPIN's verifier")?;
            let errors = said
                .split("errors: ")
                .nth(1)
                .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok())
                .ok_or_else(|| miette!("SPIN's verifier said no number of errors:\n{said}"))?;
            if said.contains("max search depth too small") {
                bail!("SPIN's verifier did not search everything: its depth is too small");
            }
            holds.push(errors == 0);
        }
        Ok(Answers { holds, preparing, verifying: begin.elapsed() })
    }
}

fn output(command: &mut Command, what: &str) -> Result<String> {
    let output = command
        .output()
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot start {what}; on Debian, install `spin` and `gcc`"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("{what} failed:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(said)
}

/// A model in SPIN's language. A variable holds the current event, and if the claims need it the one before,
/// because Debian's SPIN has no next operator; after the last event it stays at a value of its own. A run
/// that never ends is no word, so every claim is about runs that end.
fn promela(model: &Fsa<u32>, questions: &[Constraint], with_before: bool) -> String {
    let end = model.alphabet().len() + 1;
    // Both events in one variable, so that a step is one assignment.
    let base = end + 1;
    let step = |event: usize| {
        if with_before { format!("ev = (ev % {base}) * {base} + {event}") } else { format!("ev = {event}") }
    };
    let mut text = String::from("int ev = 0;\nactive proctype model() {\n");
    let options = |text: &mut String, state: usize| {
        for transition in model.steps(state) {
            let _ = writeln!(text, ":: {}; goto S{}", step(transition.letter as usize + 1), transition.to);
        }
        if model.is_accepting(state) {
            let _ = writeln!(text, ":: {}; goto E", step(end));
        }
    };
    text += "if\n";
    model.initial().iter().for_each(|&state| options(&mut text, state));
    text += "fi;\n";
    for state in model.states() {
        let _ = writeln!(text, "S{state}: if");
        options(&mut text, state);
        // A state without a way out blocks.
        text += ":: false -> goto E\nfi;\n";
    }
    let _ = writeln!(text, "E: if :: {}; goto E fi\n}}", step(end));
    for (number, Constraint { template, x, y }) in questions.iter().enumerate() {
        let now = |letter: &u32| format!("(ev % {base} == {})", letter + 1);
        let before = |letter: &u32| format!("(ev / {base} == {})", letter + 1);
        let claim = match template {
            ConstraintTemplate::Followed => format!("[] ({} -> <> {})", now(x), now(y)),
            ConstraintTemplate::ImmediatelyFollowed => format!("[] ({} -> {})", before(x), now(y)),
            ConstraintTemplate::Preceded => format!("((!{0}) U {1}) || ([] !{0})", now(x), now(y)),
            ConstraintTemplate::ImmediatelyPreceded => format!("[] ({} -> {})", now(x), before(y)),
            ConstraintTemplate::PrintedImmediatelyPreceded => {
                format!("[] (({0} && <> {1}) -> {1})", before(y), now(x))
            }
        };
        let _ = writeln!(text, "ltl p{number} {{ (<> (ev % {base} == {end})) -> ({claim}) }}");
    }
    text
}
