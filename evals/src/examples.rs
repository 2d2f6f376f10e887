//! Models of ten classes outside the papers' benchmark, measured against the classes themselves.
//!
//! We picked the classes when the first algorithm was done. Five of them later came to be among the classes
//! by which constants are chosen, and the page says so. This file generates the pages in `docs/examples/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use miette::{IntoDiagnostic, Result, WrapErr, bail};
use serde_json::Value;

use crate::dice::answer;

/// A class, and the flags for `adit mine`.
struct Example {
    class: &'static str,
    flags: &'static [&'static str],
    /// Description in a few words.
    what: &'static str,
}

/// Jars of Debian's packages.
const LANG: &str = "/usr/share/java/commons-lang3.jar";
const GUAVA: &str = "/usr/share/java/guava.jar";

const EXAMPLES: [Example; 10] = [
    Example {
        class: "java.util.ArrayDeque",
        flags: &["--only", "addFirst,addLast,pollFirst,removeFirst,getFirst,isEmpty,clear"],
        what: "a double-ended queue",
    },
    Example {
        class: "java.util.Scanner",
        flags: &["--only", "hasNext(),next(),hasNextInt(),nextInt(),hasNextLine,nextLine,close"],
        what: "reads words and numbers from text",
    },
    Example {
        class: "java.util.BitSet",
        flags: &["--only", "set(int),clear(int),get(int),isEmpty,cardinality,flip(int)"],
        what: "a set of small numbers",
    },
    Example {
        class: "java.io.PushbackReader",
        flags: &["--only", "read(),unread(int),ready,close,markSupported"],
        what: "a reader that can unread",
    },
    Example { class: "java.util.StringJoiner", flags: &[], what: "joins strings with a delimiter" },
    Example {
        class: "java.util.concurrent.Semaphore",
        flags: &["--only", "tryAcquire(),release(),drainPermits,availablePermits,hasQueuedThreads"],
        what: "a counting semaphore",
    },
    Example {
        class: "java.util.regex.Matcher",
        flags: &["--only", "find(),matches,lookingAt,group(),start(),end(),reset(),hitEnd"],
        what: "a regular expression search",
    },
    Example {
        class: "java.util.zip.Inflater",
        flags: &["--only", "setInput(byte[]),inflate(byte[]),needsInput,needsDictionary,finished,reset,end"],
        what: "decompression",
    },
    Example {
        class: "org.apache.commons.lang3.time.StopWatch",
        flags: &[
            "-c",
            LANG,
            "--only",
            "start,stop,suspend,resume,split,unsplit,reset,isStarted,isStopped,isSuspended,getTime()",
        ],
        what: "a stopwatch (Apache Commons Lang)",
    },
    Example {
        class: "com.google.common.collect.EvictingQueue",
        flags: &["-c", GUAVA, "--only", "add,offer,poll,peek,remove(),remainingCapacity,isEmpty"],
        what: "a queue that drops its oldest elements (Guava)",
    },
];

/// Mines and validates every class, and writes a page with pictures.
pub(crate) fn run(adit: &Path, budget: &str, seed: u64, out: &Path) -> Result<()> {
    fs::create_dir_all(out).into_diagnostic().wrap_err_with(|| format!("cannot make {}", out.display()))?;
    let work = tempfile::tempdir().into_diagnostic()?;
    let mut table = String::new();
    let mut pages = String::new();
    for Example { class, flags, what } in &EXAMPLES {
        eprintln!("{class}");
        let name = class.rsplit('.').next().unwrap_or(class);
        let (said, judged) = match mined(
            adit,
            class,
            flags,
            budget,
            seed,
            &work.path().join(class),
            &out.join(format!("{name}.svg")),
        ) {
            Ok(both) => both,
            Err(problem) => {
                eprintln!("  no answer: {problem}");
                table += &format!("| {name} | {what} | no model within {budget} | | | | |\n");
                continue;
            }
        };
        let number = |said: &Value, at: &str| {
            said[at].as_f64().map_or_else(|| "?".to_owned(), |value| format!("{value:.3}"))
        };
        table += &format!(
            "| [{name}](#{}) | {what} | {} | {} | {:.1} | {} | {} |\n",
            name.to_lowercase(),
            said["states"],
            said["tests"],
            said["seconds"].as_f64().unwrap_or(f64::NAN),
            number(&judged, "precision"),
            number(&judged, "recall"),
        );
        let flags: String = flags
            .iter()
            .map(|flag| if flag.contains('(') { format!(" '{flag}'") } else { format!(" {flag}") })
            .collect();
        keep(&work.path().join(class), &out.join(name), &format!("adit mine {class}{flags}"), &judged)?;
        pages +=
            &format!("\n## {name}\n\n`adit mine {class}{flags}`\n\n![The model of {class}]({name}.svg)\n");
        pages += &sentences(&judged, &said);
        for (heading, list) in [
            ("Walks of the model that were not reproduced", "unrealized"),
            ("Observed, but rejected by the model", "rejected"),
        ] {
            let words: Vec<String> = words(&judged[list]).take(2).map(|word| format!("`{word}`")).collect();
            if !words.is_empty() {
                pages += &format!("\n{heading}: {}.\n", words.join(", "));
            }
        }
    }
    let page = format!(
        "# Ten classes\n\n\
         ArrayDeque, Scanner, Matcher, StopWatch and EvictingQueue, with all their methods, are among the classes by\n\
         which constants of adit were chosen; the others are not. `evals examples` made this page with a budget of\n\
         {budget} and seed {seed}. Precision is the share of 300 random walks of the model that `adit validate` could make happen on the\n\
         class; recall is the share of objects in 3,000 random tests that did only what the model allows. A walk that was\n\
         not reproduced may still be possible: adit did not find the arguments for it. The folder of each class has the\n\
         model, the properties and the figures; `adit report docs/examples/ArrayDeque` makes its page.\n\n\
         | class | description | states | tests | seconds | precision | recall |\n\
         |---|---|---|---|---|---|---|\n{table}{pages}"
    );
    fs::write(out.join("README.md"), page).into_diagnostic()?;
    print!("{table}");
    Ok(())
}

/// Runs `adit mine` and `adit validate` on a class, returns their answers, and draws the model.
fn mined(
    adit: &Path,
    class: &str,
    flags: &[&str],
    budget: &str,
    seed: u64,
    folder: &Path,
    picture: &Path,
) -> Result<(Value, Value)> {
    let (model, seed) = (folder.join("model.json"), seed.to_string());
    let common = ["--json", "--budget", budget, "--seed", &seed];
    let said =
        answer(Command::new(adit).args(["mine", class]).args(common).args(flags).arg("-o").arg(folder))?;
    let judged = answer(Command::new(adit).arg("validate").arg(&model).arg(class).args(common).args(flags))?;
    answer_nothing(Command::new(adit).arg("convert").arg(&model).arg(picture))?;
    Ok((said, judged))
}

/// Keeps the files of a class that tell what was found: the model, its properties and its figures.
fn keep(from: &Path, to: &Path, command: &str, judged: &Value) -> Result<()> {
    fs::create_dir_all(to).into_diagnostic().wrap_err_with(|| format!("cannot make {}", to.display()))?;
    for name in ["model.json", "properties.json"] {
        fs::copy(from.join(name), to.join(name)).into_diagnostic()?;
    }
    let run = fs::read_to_string(from.join("run.json")).into_diagnostic()?;
    let mut run: Value = serde_json::from_str(&run).into_diagnostic()?;
    // As somebody else would type it, and not where it was run.
    run["command"] = command.into();
    for (name, content) in [("run.json", &run), ("validate.json", judged)] {
        fs::write(to.join(name), format!("{content:#}\n")).into_diagnostic()?;
    }
    Ok(())
}

/// The figures in the sentences that every command uses, and what they leave out.
fn sentences(judged: &Value, said: &Value) -> String {
    let walks = &judged["walks"];
    let mut text = format!(
        "\nOf {} random walks through the model, {} were reproduced on the class.",
        walks["of"], walks["good"]
    );
    let never = said["never_returned"].as_array().into_iter().flatten();
    let never: Vec<String> = never.filter_map(|one| Some(format!("`{}`", one["method"].as_str()?))).collect();
    if !never.is_empty() {
        text += &format!(" Never succeeded: {}.", never.join(", "));
    }
    text + "\n"
}

fn words(list: &Value) -> impl Iterator<Item = String> {
    let text = |word: &Value| {
        let labels = word.as_array().into_iter().flatten().filter_map(Value::as_str);
        labels.collect::<Vec<_>>().join(" ")
    };
    list.as_array().into_iter().flatten().map(text)
}

fn answer_nothing(command: &mut Command) -> Result<()> {
    let output = command.output().into_diagnostic().wrap_err_with(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
