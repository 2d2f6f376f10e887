//! `adit verify`: finds calls in client bytecode that typestates refuse.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use adit_bytecode::{Class, ClassPath};
use adit_verify::{Certainty, ClassReport, Finding, Library, Memory, Skipped, Verifier};
use miette::Report;
use serde_json::json;

use crate::errors::{Ending, bad_input};
use crate::flags::verify::{FailOn, VerifyFlags};
use crate::output::{counted, print, print_json, some_of};
use crate::progress::Counting;
use crate::stderr::tell;

mod baseline;
mod cache;
mod forms;
pub(super) mod inputs;
mod sarif;

use cache::Cache;

/// The findings in all classes, and what was done for them.
struct Verified {
    findings: Vec<Finding>,
    skipped: Vec<Skipped>,
    /// Class files that cannot be read, with the reason.
    unreadable: Vec<String>,
    classes: usize,
    /// Classes that were analyzed now.
    analyzed: usize,
    methods: usize,
}

pub(super) fn run(flags: &VerifyFlags, quiet: bool) -> Result<Ending, Report> {
    if flags.list_models {
        return list_models(flags.json);
    }
    let (model_paths, class_paths) = inputs::classify(&flags.paths, flags.describe)?;
    if flags.describe {
        print_json(&inputs::describe(flags, &model_paths, &class_paths)?)?;
        return Ok(Ending::Clean);
    }
    if model_paths.is_empty() && (flags.class.is_some() || flags.right_arguments) {
        let flag = if flags.class.is_some() { "--class" } else { "--right-arguments" };
        return Err(bad_input(
            format!("{flag} is about named models, and no model is named"),
            "add the model file or a folder of `adit mine`; the shipped models need no such flag",
        ));
    }
    for file in [&flags.sarif, &flags.write_baseline, &flags.cache].into_iter().flatten() {
        crate::output::Target::new(Some(file)).check()?;
    }
    let accepted = flags.baseline.as_deref().map(baseline::read).transpose()?.unwrap_or_default();
    let classes = adit_jvm::classes::open(None, &class_paths)?;
    let names = classes.names();
    if names.is_empty() {
        let shown: Vec<String> = class_paths.iter().map(|path| path.display().to_string()).collect();
        return Err(bad_input(
            format!("no class files in {}", shown.join(", ")),
            "name jars, or output folders of the compiler such as target/classes; unpack archives of jars first",
        ));
    }
    let typestates = inputs::typestates(flags, &model_paths, &class_paths, quiet)?;
    let fingerprint = inputs::fingerprint(&typestates);
    let mut verifier = Verifier::new(typestates.into_iter().map(|(typestate, _)| typestate).collect());
    let unchecked = flags.unchecked || flags.fail_on == FailOn::Unchecked;
    if unchecked {
        verifier = verifier.with_unchecked();
    }
    let cache = Cache::open(flags.cache.as_deref(), fingerprint, unchecked)?;
    let verified = verify_all(&verifier, classes, &names, &cache, flags, quiet)?;
    if let (0, Some(first)) = (verified.classes, verified.unreadable.first()) {
        // To report no finding in code that nobody could read would let a broken build pass.
        return Err(bad_input(
            format!("no class can be read: {first}"),
            "compile or copy the classes again, and name their folder or jar",
        ));
    }
    cache.save()?;
    let mut findings = verified.findings.clone();
    if let Some(file) = &flags.write_baseline {
        baseline::write(file, &findings)?;
    }
    let all = findings.len();
    findings.retain(|finding| !accepted.contains(&baseline::key(finding)));
    let ignored = all - findings.len();
    if let Some(file) = &flags.sarif {
        let log = sarif::log(&findings, flags.source_root.as_deref());
        let text = format!("{log:#}\n");
        crate::output::Target::new(Some(file))
            .write(|out| out.write_all(text.as_bytes()).map_err(crate::output::write_failed))?;
    }
    show(flags, &verified, &findings)?;
    if !quiet {
        remarks(&verified, &findings, ignored, flags.fail_on);
    }
    let fails = findings.iter().any(|finding| match finding.certainty {
        Certainty::Certain => true,
        Certainty::Possible => flags.fail_on != FailOn::Certain,
        Certainty::Unchecked => flags.fail_on == FailOn::Unchecked,
    });
    Ok(if fails { Ending::Found } else { Ending::Clean })
}

fn show(flags: &VerifyFlags, verified: &Verified, findings: &[Finding]) -> Result<(), Report> {
    if flags.json {
        let findings: Vec<_> = findings.iter().map(forms::json).collect();
        let skipped: Vec<_> = verified
            .skipped
            .iter()
            .map(|one| json!({"class": one.class, "method": one.method, "reason": one.reason.reason()}))
            .collect();
        return print_json(&json!({
            "findings": findings,
            "classes": verified.classes,
            "analyzed": verified.analyzed,
            "methods": verified.methods,
            "skipped": skipped,
            "unreadable": verified.unreadable,
        }));
    }
    let mut text = String::new();
    for finding in findings {
        if flags.github {
            text.push_str(&forms::github(finding, flags.source_root.as_deref()));
        } else {
            text.push_str(&forms::text(finding));
        }
    }
    print(&text)
}

fn remarks(verified: &Verified, findings: &[Finding], ignored: usize, fail_on: FailOn) {
    /// Names that a remark shows.
    const SHOWN: usize = 3;
    for unreadable in verified.unreadable.iter().take(SHOWN) {
        tell(&format!("not read: {unreadable}"));
    }
    if verified.unreadable.len() > SHOWN {
        tell(&format!("not read: {} more", counted(verified.unreadable.len() - SHOWN, "class file")));
    }
    if !verified.skipped.is_empty() {
        let names: Vec<String> = verified
            .skipped
            .iter()
            .map(|one| format!("{}.{} ({})", one.class, one.method, one.reason.reason()))
            .collect();
        tell(&format!("not analyzed: {}", some_of(&names, SHOWN)));
    }
    let count = |wanted| findings.iter().filter(|finding| finding.certainty == wanted).count();
    let [certain, possible, unchecked] =
        [Certainty::Certain, Certainty::Possible, Certainty::Unchecked].map(count);
    let mut line = format!("{certain} certain, {possible} possible");
    if unchecked > 0 {
        let _ = write!(line, ", {unchecked} unchecked");
    }
    if ignored > 0 {
        let _ = write!(line, ", {ignored} in the baseline");
    }
    let _ = write!(line, "; {}", counted(verified.classes, "class"));
    if verified.analyzed < verified.classes {
        let _ = write!(line, ", {} analyzed", verified.analyzed);
    }
    if certain == 0 && possible > 0 && fail_on == FailOn::Certain {
        line.push_str("; possible findings do not fail (--fail-on possible)");
    }
    tell(&line);
}

/// Verifies the classes in several threads. The result does not depend on their number.
fn verify_all(
    verifier: &Verifier,
    classes: ClassPath,
    names: &BTreeSet<String>,
    cache: &Cache,
    flags: &VerifyFlags,
    quiet: bool,
) -> Result<Verified, Report> {
    let classes = Arc::new(classes);
    let names: Vec<&String> = names.iter().collect();
    let threads =
        flags.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let mut steady = Counting::new(quiet);
    let mut verified = Verified {
        findings: Vec::new(),
        skipped: Vec::new(),
        unreadable: Vec::new(),
        classes: 0,
        analyzed: 0,
        methods: 0,
    };
    let reader = classes.clone();
    let mut library = Library::new(Box::new(move |name| reader.find(name).ok().flatten()));
    // Every class is read once for who extends whom, and whether it uses a class with a typestate at all.
    let mut relevant = Vec::new();
    for first in (0..names.len()).step_by(READ_AT_ONCE) {
        let part = first..names.len().min(first + READ_AT_ONCE);
        let indexed = in_threads(threads, part.clone(), names.len(), "read", &mut steady, |at| {
            index(verifier, &classes, names[at])
        });
        for (at, found) in part.zip(indexed) {
            match found {
                Ok((outline, mentions, hash)) => {
                    verified.classes += 1;
                    cache.add(&outline, hash);
                    library.add(&outline);
                    if mentions {
                        relevant.push(at);
                    }
                }
                Err(reason) => verified.unreadable.push(reason),
            }
        }
    }
    cache.complete();
    let work = |memory: &mut Memory, at: usize| -> Option<(ClassReport, bool)> {
        let name = names[relevant[at]].as_str();
        if let Some(known) = cache.find(name) {
            return Some((known, false));
        }
        let class = classes.read(name).ok().flatten()?;
        let report = verifier.verify(&library, &Arc::new(class), memory);
        cache.store(name, &report);
        Some((report, true))
    };
    let count = relevant.len();
    let reports = in_threads_with(threads, 0..count, count, "verified", &mut steady, Memory::default, work);
    steady.finish();
    for (report, is_new) in reports.into_iter().flatten() {
        verified.analyzed += usize::from(is_new);
        verified.methods += report.methods;
        verified.findings.extend(report.findings);
        verified.skipped.extend(report.skipped);
    }
    verified.findings.sort();
    verified
        .findings
        .dedup_by(|one, other| baseline::key(one) == baseline::key(other) && one.line == other.line);
    Ok(verified)
}

/// Classes that are read before what was found is put into the library. All at once would need several
/// times the memory that the library needs.
const READ_AT_ONCE: usize = 4_096;

type Indexed = Result<(Class, bool, [u64; 2]), String>;

/// Reads a class without its bodies, if it can be read whole.
fn index(verifier: &Verifier, classes: &ClassPath, name: &str) -> Indexed {
    let found = classes.find(name).map_err(|error| error.to_string())?;
    let (bytes, file) = found.ok_or_else(|| format!("{name}: gone"))?;
    let mentions = adit_bytecode::mentions_any(&bytes, |class| verifier.is_modeled(class));
    let hash = cache::hash(&bytes);
    let class = if mentions { Class::parse(&bytes, &file) } else { Class::parse_outline(&bytes, &file) };
    let mut class = class.map_err(|error| error.to_string())?;
    // As in archives of applications, whose classes are in a folder such as `BOOT-INF/classes`.
    if *class.name != *name {
        return Err(format!(
            "{file} is in the wrong folder for the class {}; unpack the archive and name the folder of classes",
            class.dotted_name()
        ));
    }
    // Bodies are read again when they are needed, so that memory does not grow with the program.
    class.methods.iter_mut().for_each(|method| method.code = None);
    Ok((class, mentions, hash))
}

fn in_threads<T: Send>(
    threads: usize,
    part: Range<usize>,
    count: usize,
    done: &str,
    steady: &mut Counting,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    in_threads_with(threads, part, count, done, steady, || (), |(), at| work(at))
}

/// Calls `work` for every number of a part of those below `count`, and returns the results in order.
fn in_threads_with<S, T: Send>(
    threads: usize,
    part: Range<usize>,
    count: usize,
    done: &str,
    steady: &mut Counting,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(part.start);
    let results: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(part.len()));
    let run = || {
        let mut state = state();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= part.end {
                return;
            }
            let result = work(&mut state, at);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(part.len()).max(1)).map(|_| scope.spawn(run)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::park_timeout(std::time::Duration::from_millis(2));
            steady.show(|| {
                format!(
                    "{done} {} of {}",
                    next.load(Ordering::Relaxed).min(part.end),
                    counted(count, "class")
                )
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

fn list_models(as_json: bool) -> Result<Ending, Report> {
    let shipped = crate::shipped::shipped()?;
    if as_json {
        let models: Vec<_> = shipped
            .iter()
            .map(|(about, _)| {
                json!({
                    "class": about.class,
                    "rules": about.rules,
                    "validation": about.validation,
                    "made": about.made,
                })
            })
            .collect();
        print_json(&json!({"models": models}))?;
        return Ok(Ending::Clean);
    }
    let mut text = String::new();
    for (about, _) in &shipped {
        let _ = writeln!(text, "{}", about.class);
        for rule in &about.rules {
            let _ = writeln!(text, "    {rule}");
        }
    }
    print(&text)?;
    Ok(Ending::Clean)
}

/// The inputs of a run, as paths.
type Paths = Vec<PathBuf>;
