//! `adit doctor`: what this machine has, and how to fix what is missing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use adit_jvm::find::{self, Places, Unsuitable};
use adit_jvm::{HostError, Jdk, JdkError, Protection, doctor};
use adit_smt::COMMANDS;
use miette::Report;
use serde_json::{Value, json};

use crate::errors::Ending;
use crate::flags::DoctorFlags;
use crate::install_hints::{self, Thing, on_path};
use crate::java::environment;
use crate::java::jdk;
use crate::output::{print, print_json};

/// Time limit for a solver to print its version.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(flags: &DoctorFlags) -> Result<Ending, Report> {
    let examination = examine()?;
    if flags.json {
        print_json(&as_json(&examination))?;
    } else {
        print(&as_text(&examination))?;
    }
    let missing = examination.complaints().iter().any(|complaint| complaint.needed);
    Ok(if missing { Ending::Found } else { Ending::Clean })
}

/// The findings.
struct Examination {
    jdk: Result<Jdk, JdkError>,
    /// The other JDKs, in search order.
    others: Vec<Result<Jdk, Unsuitable>>,
    compiler: Option<PathBuf>,
    solver: Option<Solver>,
    protection: Result<Protection, HostError>,
}

struct Solver {
    command: PathBuf,
    version: String,
}

/// Something missing, and how to fix it.
struct Complaint {
    what: String,
    fix: String,
    /// True if a command needs it.
    needed: bool,
}

fn examine() -> Result<Examination, Report> {
    let places = jdk::places();
    let (program, arguments) = environment::worker()?;
    let findings = doctor::examine(&places, &program, &arguments, &environment::boxes());
    let chosen = findings.jdk.as_ref().ok().map(|jdk| jdk.home.clone());
    let compiler = chosen.as_deref().map(|home| home.join("bin/javac")).filter(|javac| javac.is_file());
    Ok(Examination {
        others: others(&places, chosen.as_deref()),
        jdk: findings.jdk,
        compiler,
        solver: COMMANDS.into_iter().find_map(solver),
        protection: findings.protection,
    })
}

/// The JDKs in the searched places except the chosen one, each once even if several links lead to it.
fn others(places: &Places, chosen: Option<&Path>) -> Vec<Result<Jdk, Unsuitable>> {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let mut seen: BTreeSet<PathBuf> = chosen.and_then(real).into_iter().collect();
    let on_path = places.path.iter().flat_map(std::env::split_paths).filter_map(|folder| {
        let java = real(&folder.join("java"))?;
        Some(java.parent()?.parent()?.to_owned())
    });
    let mut side_by_side: Vec<PathBuf> = places
        .usual
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flat_map(|entries| entries.filter_map(|entry| real(&entry.ok()?.path())))
        .filter(|home| home.join("bin/java").exists())
        .collect();
    side_by_side.sort();
    let homes: Vec<PathBuf> = on_path.chain(side_by_side).filter(|home| seen.insert(home.clone())).collect();
    homes.iter().map(|home| find::inspect(home)).collect()
}

/// Returns the solver with this name, if it exists and prints its version.
fn solver(name: &str) -> Option<Solver> {
    let command = on_path(name)?;
    let mut child = Command::new(&command)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    // A few words fit into a pipe, so there is no need to read while the program runs.
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut text = String::new();
    child.stdout.take()?.take(1 << 12).read_to_string(&mut text).ok()?;
    Some(Solver { command, version: version_in(&text)?.to_owned() })
}

/// The first word with digits and dots: `4.8.12` of `Z3 version 4.8.12 - 64 bit`.
fn version_in(text: &str) -> Option<&str> {
    text.split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit()))
}

impl Examination {
    fn complaints(&self) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        match &self.jdk {
            Err(error) => complaints.push(Complaint {
                what: error.to_string(),
                fix: match error {
                    JdkError::JavaHome(_) => {
                        let other = self.others.iter().flatten().next();
                        let without = other.map(|jdk| format!(" ({} would be used)", jdk.version));
                        let without = without.unwrap_or_default();
                        format!("unset JAVA_HOME{without}, or set it to the folder of a JDK 17 or later")
                    }
                    _ => install_hints::install(Thing::Jdk),
                },
                needed: true,
            }),
            Ok(jdk) if self.compiler.is_none() => complaints.push(Complaint {
                what: format!("{} has no compiler, which --fixtures needs", jdk.home.display()),
                fix: install_hints::install(Thing::Jdk),
                needed: true,
            }),
            Ok(_) => {}
        }
        match &self.protection {
            Ok(protection) if protection.is_enough() => {}
            Ok(protection) => {
                let (missing, notes) = (protection.missing().join(" and from "), protection.notes.join("; "));
                complaints.push(Complaint {
                    what: format!("the sandbox cannot prevent workers from {missing} ({notes})"),
                    fix: kernel_settings(),
                    needed: true,
                });
            }
            Err(error) => complaints.push(Complaint {
                what: format!("cannot test a worker: {error}"),
                fix: "check the free disk space and the limits on processes and open files: ulimit -a"
                    .to_owned(),
                needed: true,
            }),
        }
        if self.solver.is_none() {
            complaints.push(Complaint {
                what: "no solver (z3 or cvc5) is on PATH; `adit interface` and `adit infer --algorithm \
                       contractor` and `temi` need one"
                    .to_owned(),
                fix: install_hints::install(Thing::Solver),
                needed: false,
            });
        }
        complaints
    }
}

/// Commands that change the kernel settings that prevent the sandbox.
fn kernel_settings() -> String {
    let setting = |name: &str| {
        let text = fs::read_to_string(format!("/proc/sys/{}", name.replace('.', "/"))).ok()?;
        text.trim().parse::<u64>().ok()
    };
    // Debian's switch, Ubuntu's, and everybody's.
    let wanted = [
        ("kernel.unprivileged_userns_clone", 0, 1),
        ("kernel.apparmor_restrict_unprivileged_userns", 1, 0),
        ("user.max_user_namespaces", 0, 10_000),
    ];
    let mut commands: Vec<String> = wanted
        .iter()
        .filter(|(name, bad, _)| setting(name) == Some(*bad))
        .map(|(name, _, good)| format!("sudo sysctl {name}={good}"))
        .collect();
    let modules = fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    if !modules.is_empty() && !modules.contains("landlock") {
        commands.push(format!("boot with the kernel parameter lsm=landlock,{}", modules.trim()));
    }
    if commands.is_empty() {
        return "use Linux 6.2 or later with Landlock and unprivileged user namespaces; in a container, \
                allow it to create namespaces; for classes that you trust, use --unsafe-no-sandbox"
            .to_owned();
    }
    commands.join("; ")
}

fn as_json(found: &Examination) -> Value {
    let jdk = found.jdk.as_ref().ok();
    let others = found.others.iter().map(|other| match other {
        Ok(jdk) => json!({"home": jdk.home, "version": jdk.version, "unsuitable": null}),
        Err(bad) => json!({"home": bad.home, "version": bad.version, "unsuitable": bad.why}),
    });
    let protection = found.protection.as_ref().ok();
    let wall = |part: fn(&Protection) -> bool| protection.is_some_and(part);
    let complaints: Vec<Complaint> = found.complaints();
    let missing = complaints
        .iter()
        .map(|complaint| json!({"what": complaint.what, "fix": complaint.fix, "needed": complaint.needed}));
    json!({
        "java": {
            "home": jdk.map(|jdk| &jdk.home),
            "version": jdk.map(|jdk| &jdk.version),
            "compiler": found.compiler,
            "others": others.collect::<Vec<_>>(),
        },
        "solver": {
            "command": found.solver.as_ref().map(|solver| &solver.command),
            "version": found.solver.as_ref().map(|solver| &solver.version),
        },
        "sandbox": {
            "files": wall(|walls| walls.files),
            "network": wall(|walls| walls.network),
            "space": wall(|walls| walls.space),
            "processes": wall(|walls| walls.calls),
            "notes": protection.map(|protection| &protection.notes),
        },
        "missing": missing.collect::<Vec<_>>(),
        "well": !complaints.iter().any(|complaint| complaint.needed),
    })
}

fn as_text(found: &Examination) -> String {
    let mut text = String::new();
    let mut line = |what: &str, is: &str| {
        let _ = writeln!(text, "{what:<10}{is}");
    };
    match &found.jdk {
        Ok(jdk) => line("Java", &format!("{} in {}", jdk.version, jdk.home.display())),
        Err(_) => line("Java", "none usable"),
    }
    for other in &found.others {
        match other {
            Ok(jdk) => line("", &format!("also {} in {}", jdk.version, jdk.home.display())),
            Err(unsuitable) => line("", &format!("unsuitable: {unsuitable}")),
        }
    }
    match &found.compiler {
        Some(javac) => line("compiler", &javac.display().to_string()),
        None => line("compiler", "none"),
    }
    match &found.solver {
        Some(solver) => line("solver", &format!("{} in {}", solver.version, solver.command.display())),
        None => line("solver", "none"),
    }
    match &found.protection {
        Ok(protection) => {
            let wall = |held: bool| if held { "isolated" } else { "NOT isolated" };
            let walls = [
                ("files", protection.files),
                ("network", protection.network),
                ("disk and memory", protection.space),
                ("other processes", protection.calls),
            ];
            for (index, (name, held)) in walls.into_iter().enumerate() {
                line(if index == 0 { "sandbox" } else { "" }, &format!("{name}: {}", wall(held)));
            }
        }
        Err(_) => line("sandbox", "not tested"),
    }
    let complaints = found.complaints();
    // What few commands need is only in the JSON.
    for complaint in complaints.iter().filter(|complaint| complaint.needed) {
        let _ = write!(text, "\nmissing: {}\n  to fix: {}\n", complaint.what, complaint.fix);
    }
    if !complaints.iter().any(|complaint| complaint.needed) {
        text += "\nThis machine has everything that adit needs.\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_solvers_say() {
        assert_eq!(version_in("Z3 version 4.8.12 - 64 bit\n"), Some("4.8.12"));
        assert_eq!(version_in("This is cvc5 version 1.0.3 [git tag]\n"), Some("1.0.3"));
        assert_eq!(version_in("no such option\n"), None);
    }
}
