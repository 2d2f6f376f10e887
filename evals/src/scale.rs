//! A campaign of a million traces: how long opening and reporting take, with how much memory, and what
//! keeping costs.
//!
//! The campaign is begun by `adit mine` on a class of some three hundred labels, and then filled through the
//! store's own interface with walks of the model that was found.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use adit_automata::{Fsa, State, format};
use adit_store::{Campaign, Held, NewRound, RoundEnd, TestId, Writer};
use adit_trace::{Limit, Stop};
use miette::{IntoDiagnostic, Result, WrapErr, bail, miette};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

/// Size of the measurement.
pub(crate) struct Scale {
    /// The program.
    pub(crate) adit: PathBuf,
    /// Distinct traces.
    pub(crate) traces: usize,
    /// Seed of the random numbers.
    pub(crate) seed: u64,
    /// For each way of mining whose keeping is measured, in seconds; none if zero.
    pub(crate) seconds: u64,
}

/// Lengths of traces.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=200;

/// So many traces are written at a time.
const BATCH: usize = 20_000;

/// Methods of the class; those that answer give two labels.
const METHODS: usize = 200;

/// Measures, and prints tables.
pub(crate) fn run(scale: &Scale) -> Result<()> {
    let work = tempfile::tempdir().into_diagnostic()?;
    let place = work.path();
    compile(&scale.adit, place)?;
    let folder = place.join("campaign");
    let mine = |out: &Path, budget: &str| -> Vec<String> {
        let (out, classes) = (out.display().to_string(), place.display().to_string());
        [
            "mine",
            "Wide",
            "-c",
            &classes,
            "--labels",
            "name",
            "--budget",
            budget,
            "--progress",
            "json",
            "--json",
            "-o",
            &out,
        ]
        .map(str::to_owned)
        .into()
    };
    let first = measured(&scale.adit, &mine(&folder, "5s"))?;
    let begun = fill(&folder, scale)?;
    println!(
        "{} distinct traces of {LENGTHS:?} events over {} labels; {}\n",
        scale.traces, begun.labels, begun.said
    );
    println!("| command | seconds | of a processor | peak memory |\n|---|---|---|---|");
    let campaign = folder.display().to_string();
    let row = |what: &str, seconds: f64, Used { processor, peak }: Used| {
        println!("| {what} | {seconds:.2} | {processor:.2} | {:.0} MB |", peak as f64 / 1e6);
    };
    let named = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    for command in [
        named(&["status", &campaign]),
        named(&["report", &campaign]),
        named(&["explain", &campaign, &begun.label]),
    ] {
        let done = measured(&scale.adit, &command)?;
        row(&format!("`adit {}`", command[0]), done.seconds, done.used);
    }
    let mined = |done: &Measured, which: &str| -> Result<()> {
        let (seconds, used) = done.opened.ok_or_else(|| miette!("`adit mine` did not say when it began"))?;
        row(&format!("{which} `adit mine`, until it searches"), seconds, used);
        row(&format!("{which} `adit mine`, to the end of `--budget 5s`"), done.seconds, done.used);
        Ok(())
    };
    mined(&first, "the first")?;
    mined(&measured(&scale.adit, &mine(&folder, "5s"))?, "the next")?;
    let page = fs::metadata(folder.join("report.html")).into_diagnostic()?.len();
    println!("\nThe page has {:.1} MB, the database {:.0} MB.", page as f64 / 1e6, begun.bytes as f64 / 1e6);
    if scale.seconds > 0 {
        keeping(scale, place)?;
    }
    Ok(())
}

/// Prints the cost of storing a campaign, as a share of the time in which tests ran.
fn keeping(scale: &Scale, place: &Path) -> Result<()> {
    println!(
        "\n| class | miner | tester | tests a second | noting | writing | share | at the end |\n|---|---|---|---|---|---|---|---|"
    );
    let classes = place.display().to_string();
    for class in ["java.util.ArrayList", "java.util.StringTokenizer", "Wide"] {
        for (miner, tester) in
            [("explore", "dice"), ("dice", "dice"), ("dice", "dynamosa"), ("dice", "random")]
        {
            let out = place.join(format!("{class}-{miner}-{tester}"));
            let budget = format!("{}s", scale.seconds);
            let out_text = out.display().to_string();
            let args = [
                "mine", class, "-c", &classes, "--labels", "name", "--miner", miner, "--tester", tester,
                "--budget", &budget, "--quiet", "--json", "-o", &out_text,
            ];
            measured(&scale.adit, &args.map(str::to_owned))?;
            let text = fs::read(out.join("run.json")).into_diagnostic()?;
            let run: Value = serde_json::from_slice(&text).into_diagnostic()?;
            let number = |value: &Value| value.as_f64().unwrap_or(0.0);
            let (noting, writing) = (number(&run["keeping"]["noting"]), number(&run["keeping"]["writing"]));
            let (ending, seconds) = (number(&run["keeping"]["ending"]), number(&run["seconds"]));
            println!(
                "| {class} | {miner} | {tester} | {:.0} | {noting:.2} s | {writing:.2} s | {:.1} % | {ending:.2} s |",
                number(&run["tests"]) / seconds,
                100.0 * (noting + writing) / seconds
            );
        }
    }
    Ok(())
}

/// A class whose calls are possible in some of four states, so that models have something to say.
fn compile(adit: &Path, place: &Path) -> Result<()> {
    let mut source = "public class Wide {\n    private int state;\n".to_owned();
    for number in 0..METHODS {
        let (of, to) = (number % 4, (number / 4) % 4);
        let guard = format!("if (state != {of} && state != {to}) throw new IllegalStateException();");
        let _ = match number % 3 {
            0 => writeln!(source, "    public boolean is{number}() {{ return state == {of}; }}"),
            1 => writeln!(
                source,
                "    public boolean try{number}() {{ {guard} boolean was = state == {of}; state = {to}; return was; }}"
            ),
            _ => writeln!(source, "    public void call{number}() {{ {guard} state = {to}; }}"),
        };
    }
    source += "}\n";
    let file = place.join("Wide.java");
    fs::write(&file, source).into_diagnostic()?;
    let found = Command::new(adit).args(["doctor", "--json"]).output().into_diagnostic()?;
    let found: Value = serde_json::from_slice(&found.stdout).into_diagnostic().wrap_err("adit doctor")?;
    let compiler = found["java"]["compiler"].as_str().ok_or_else(|| miette!("a JDK is needed"))?;
    let status = Command::new(compiler).arg("-d").arg(place).arg(&file).status().into_diagnostic()?;
    if !status.success() {
        bail!("{compiler} refuses the class");
    }
    Ok(())
}

/// The filled campaign.
struct Filled {
    labels: usize,
    /// A label of the model.
    label: String,
    bytes: u64,
    said: String,
}

/// Fills a campaign with walks of its model, each once.
fn fill(folder: &Path, scale: &Scale) -> Result<Filled> {
    let about = Campaign::read(folder)?.about()?;
    let text = fs::read(folder.join("model.json")).into_diagnostic()?;
    let model = format::read(&text, "model.json", None)?;
    let mut rng = ChaCha8Rng::seed_from_u64(scale.seed);
    let mut known = HashSet::new();
    let mut writer = Writer::open(Held::new(folder)?, &about)?;
    let tests = writer.counts()?.tests.cast_signed();
    let new =
        NewRound { seed: scale.seed, effort: serde_json::json!({}), tool: about.tool.clone(), started: 0 };
    let round = writer.begin(&new)?;
    let mut events = 0;
    let (mut writing, mut longest) = (Duration::ZERO, Duration::ZERO);
    while known.len() < scale.traces {
        let mut words: Vec<Vec<&str>> = Vec::new();
        while words.len() < BATCH && known.len() < scale.traces {
            let length = rng.random_range(LENGTHS);
            let word = walk(&model, length, &mut rng);
            if word.len() >= *LENGTHS.start() && known.insert(fingerprint(&word)) {
                events += word.len();
                words.push(word);
            }
        }
        let begun = Instant::now();
        writer.batch(|batch| {
            // As in a real campaign, one word in some hundreds is new enough for its test to be kept.
            words.iter().enumerate().try_for_each(|(at, word)| {
                let test = (at % 300 == 0 && tests > 0).then(|| TestId(at as i64 / 300 % tests + 1));
                batch.trace(word, 1, test)
            })
        })?;
        writing += begun.elapsed();
        longest = longest.max(begun.elapsed());
    }
    writer.batch(|batch| {
        batch.so_far(round, known.len() as u64, writing.as_secs_f64())?;
        batch.end(round, &RoundEnd { ended: 0, stop: Stop::Budget(Limit::Time) })
    })?;
    writer.finish()?;
    let bytes = fs::metadata(folder.join(adit_store::DATABASE)).into_diagnostic()?.len();
    Ok(Filled {
        labels: model.alphabet().len(),
        label: model.alphabet().last().cloned().unwrap_or_default(),
        bytes,
        said: format!(
            "{events} events, stored in {:.1} s, the slowest batch of {BATCH} in {:.1} s",
            writing.as_secs_f64(),
            longest.as_secs_f64()
        ),
    })
}

fn walk<'m>(model: &'m Fsa<String>, length: usize, rng: &mut ChaCha8Rng) -> Vec<&'m str> {
    let mut word = Vec::with_capacity(length);
    let Some(&start) = model.initial().first() else { return word };
    let mut state: State = start;
    while word.len() < length {
        let steps = model.steps(state);
        if steps.is_empty() {
            break;
        }
        let step = &steps[rng.random_range(0..steps.len())];
        word.push(model.alphabet()[step.letter as usize].as_str());
        state = step.to as State;
    }
    word
}

fn fingerprint(word: &[&str]) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(word)
}

/// Time and memory of a command.
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) used: Used,
    /// Everything that it printed to standard output.
    pub(crate) output: Vec<u8>,
    /// Seconds until it began to search and its use by then, if it said so.
    opened: Option<(f64, Used)>,
}

/// Use of processor and memory by a process so far, its workers aside.
#[derive(Clone, Copy, Default)]
pub(crate) struct Used {
    /// Seconds of a processor, which tell more than those of the clock on a machine with other work.
    pub(crate) processor: f64,
    /// The most memory that was resident, in bytes.
    pub(crate) peak: u64,
}

/// Runs a command to its end.
pub(crate) fn measured(adit: &Path, args: &[String]) -> Result<Measured> {
    let begun = Instant::now();
    let mut child = Command::new(adit)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot start {}", adit.display()))?;
    let process = child.id();
    let stderr = child.stderr.take().ok_or_else(|| miette!("standard error is a pipe"))?;
    let mut stdout = child.stdout.take().ok_or_else(|| miette!("standard output is a pipe"))?;
    let collector = std::thread::spawn(move || {
        let mut output = Vec::new();
        stdout.read_to_end(&mut output).map(|_| output)
    });
    // What it says ends when it ends, which is when its memory can be looked at no more.
    let listener = std::thread::spawn(move || {
        let (mut opened, mut said) = (None, String::new());
        let mut lines = BufReader::new(stderr);
        let mut line = String::new();
        while lines.by_ref().read_line(&mut line).is_ok_and(|read| read > 0) {
            if opened.is_none() && line.contains("\"event\":\"standing\"") {
                opened = Some((begun.elapsed().as_secs_f64(), used_by(process).unwrap_or_default()));
            }
            if !line.starts_with('{') {
                said += &line;
            }
            line.clear();
        }
        (opened, said)
    });
    let (used, success) = watched(&mut child)?;
    let seconds = begun.elapsed().as_secs_f64();
    let (opened, said) = listener.join().map_err(|_| miette!("listening failed"))?;
    let output = collector.join().map_err(|_| miette!("listening failed"))?.into_diagnostic()?;
    if !success {
        bail!("adit {}: {said}", args.join(" "));
    }
    Ok(Measured { seconds, used, output, opened })
}

/// Waits for a process, and says what it used and whether it ended well.
fn watched(child: &mut Child) -> Result<(Used, bool)> {
    let mut used = Used::default();
    loop {
        // Both only rise, so that the last look before the end is the one that counts.
        used = used_by(child.id()).unwrap_or(used);
        if let Some(status) = child.try_wait().into_diagnostic()? {
            return Ok((used, status.success()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Reads the use of a process so far, where the system tells.
fn used_by(process: u32) -> Option<Used> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let peak: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    // The name stands between parentheses and may hold anything; behind it, the 12th and 13th are hundredths
    // of seconds.
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let times = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    let ticks: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
    Some(Used { processor: ticks as f64 / 100.0, peak: peak * 1024 })
}
