//! Ten classes outside the papers' benchmark: their models, and how far the class itself agrees.
//!
//! They were picked after the algorithm was done, and nothing was changed for one of them. The pages in `docs/examples/` come from here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use miette::{IntoDiagnostic, Result, WrapErr, bail};
use serde_json::Value;

use crate::dice::answer;

/// A class, and what `adit mine` is told about it.
struct Example {
    class: &'static str,
    flags: &'static [&'static str],
    /// What it is, in a few words.
    what: &'static str,
}

/// Where Debian's packages put their jars.
const LANG: &str = "/usr/share/java/commons-lang3.jar";
const GUAVA: &str = "/usr/share/java/guava.jar";

const EXAMPLES: [Example; 10] = [
    Example {
        class: "java.util.ArrayDeque",
        flags: &["--only", "addFirst,addLast,pollFirst,removeFirst,getFirst,isEmpty,clear"],
        what: "a queue with two ends",
    },
    Example {
        class: "java.util.Scanner",
        flags: &["--only", "hasNext(),next(),hasNextInt(),nextInt(),hasNextLine,nextLine,close"],
        what: "words and numbers from a text",
    },
    Example {
        class: "java.util.BitSet",
        flags: &["--only", "set(int),clear(int),get(int),isEmpty,cardinality,flip(int)"],
        what: "a set of numbers",
    },
    Example {
        class: "java.io.PushbackReader",
        flags: &["--only", "read(),unread(int),ready,close,markSupported"],
        what: "a reader that takes back",
    },
    Example { class: "java.util.StringJoiner", flags: &[], what: "texts with something between them" },
    Example {
        class: "java.util.concurrent.Semaphore",
        flags: &["--only", "tryAcquire(),release(),drainPermits,availablePermits,hasQueuedThreads"],
        what: "permits",
    },
    Example {
        class: "java.util.regex.Matcher",
        flags: &["--only", "find(),matches,lookingAt,group(),start(),end(),reset(),hitEnd"],
        what: "a search in a text",
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
        what: "a stopwatch (Apache Commons Lang, from Debian)",
    },
    Example {
        class: "com.google.common.collect.EvictingQueue",
        flags: &["-c", GUAVA, "--only", "add,offer,poll,peek,remove(),remainingCapacity,isEmpty"],
        what: "a queue that forgets (Guava, from Debian)",
    },
];

/// Mines all, measures, and writes a page with pictures.
pub(crate) fn run(adit: Option<PathBuf>, budget: &str, seed: u64, out: &Path) -> Result<()> {
    let adit = match adit {
        Some(adit) => adit,
        None => std::env::current_exe().into_diagnostic()?.with_file_name("adit"),
    };
    fs::create_dir_all(out).into_diagnostic().wrap_err_with(|| format!("cannot make {}", out.display()))?;
    let work = tempfile::tempdir().into_diagnostic()?;
    let mut table = String::new();
    let mut pages = String::new();
    for Example { class, flags, what } in &EXAMPLES {
        eprintln!("{class}");
        let name = class.rsplit('.').next().unwrap_or(class);
        let (said, judged) = match mined(
            &adit,
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
        let shell: Vec<String> = flags
            .iter()
            .map(|flag| if flag.contains('(') { format!("'{flag}'") } else { (*flag).to_owned() })
            .collect();
        pages += &format!(
            "\n## {name}\n\n`adit mine {class} {}`\n\n![The model of {class}]({name}.svg)\n",
            shell.join(" ")
        );
        for (heading, list) in
            [("Allowed, but not found possible", "unrealised"), ("Possible, but not allowed", "rejected")]
        {
            let words: Vec<String> = words(&judged[list]).take(2).map(|word| format!("`{word}`")).collect();
            if !words.is_empty() {
                pages += &format!("\n{heading}: {}.\n", words.join(", "));
            }
        }
    }
    let page = format!(
        "# Ten classes\n\nClasses that nothing in adit was tuned for. Made by `evals examples` with a budget of {budget} and seed {seed}; precision is the share of \
         the model's walks that could be made to happen on the class, recall the share of 3,000 random objects that did what the model \
         allows (`adit validate`).\n\n| class | what it is | states | tests | seconds | precision | recall |\n|---|---|---|---|---|---|---|\n{table}{pages}"
    );
    fs::write(out.join("README.md"), page).into_diagnostic()?;
    print!("{table}");
    Ok(())
}

/// What `adit mine` and `adit validate` say of a class, with a picture of the model.
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
