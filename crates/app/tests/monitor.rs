//! `adit monitor` from outside: violations and their evidence, correct use, and models that do not fit.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in its helpers too"
)]

mod driver;

use std::fs;
use std::path::Path;

use driver::java::java;
use driver::{Run, adit};
use serde_json::Value;

struct Project {
    folder: tempfile::TempDir,
    class_path: String,
}

impl Project {
    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn monitor(&self, models: &[&str], more: &[&str]) -> Run {
        adit(&[&["monitor"], models, &["-c", &self.class_path], more].concat())
    }
}

/// A client of the login module that logs out twice.
const MISUSE: &str = "package tautoko;
import java.util.HashMap;
import java.util.List;
import java.util.Scanner;
public class Misuse {
    static void logout(List<LoginModule> modules) throws Exception {
        modules.get(0).logout();
    }
    public static void main(String[] args) throws Exception {
        LoginModule module = new LoginModule();
        HashMap<String, String> users = new HashMap<>();
        users.put(\"ann\", \"secret\");
        module.initialize(users, \"ann\");
        module.login(\"secret\");
        module.commit();
        logout(List.of(module));
        try {
            logout(List.of(module));
        } catch (LoginModule.LoginException late) {
            System.out.println(late);
        }
        if (args.length > 0) {
            Scanner scanner = new Scanner(\"a\");
            scanner.close();
            try {
                scanner.next();
            } catch (IllegalStateException closed) {
                System.out.println(closed);
            }
        }
    }
}
";

/// A login module whose class inherits one method that throws and overrides another, and one as it is.
const BELOW: &str = "package tautoko;
public class Below {
    static class Quiet extends LoginModule {
        @Override
        public boolean logout() throws LoginException {
            try {
                return super.logout();
            } catch (LoginException ignored) {
                return false;
            }
        }
    }
    static void commit(LoginModule module) {
        try {
            module.commit();
        } catch (LoginModule.LoginException early) {
            System.out.println(early);
        }
    }
    public static void main(String[] args) throws Exception {
        LoginModule quiet = new Quiet();
        for (int i = 0; i < 10; i++) {
            quiet.logout();
            commit(quiet);
        }
        commit(new LoginModule());
    }
}
";

/// The login module, its correct tests and a program that misuses it, compiled; and an enriched model.
fn project() -> Option<Project> {
    let java = java()?;
    let jars = ["junit4.jar", "hamcrest.jar"].map(|jar| Path::new("/usr/share/java").join(jar));
    if let Some(missing) = jars.iter().find(|jar| !jar.exists()) {
        eprintln!("NOT RUN: {} is missing (Debian and Ubuntu: apt install junit4)", missing.display());
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/tautoko");
    let misuse = folder.path().join("Misuse.java");
    fs::write(&misuse, MISUSE).unwrap();
    let jars: String = jars.iter().map(|jar| format!(":{}", jar.display())).collect();
    let class_path = format!("{}{jars}", folder.path().join("classes").display());
    let sources = [
        (subjects.join("LoginModule.java"), "classes"),
        (misuse, "classes"),
        (subjects.join("LoginModuleTest.java"), "tests"),
        (subjects.join("ZipOutputStreamTest.java"), "zip-tests"),
    ];
    for (source, to) in sources {
        let into = folder.path().join(to);
        fs::create_dir_all(&into).unwrap();
        java.compile_files(&[source], &class_path, &into);
    }
    let project = Project { folder, class_path };
    let (tests, file) = (project.at("tests"), project.at("login.json"));
    let run =
        adit(&["enrich", "tautoko.LoginModule", "-c", &project.class_path, "--tests", &tests, "-o", &file]);
    assert_eq!(run.code, 0, "{}", run.err);
    Some(project)
}

fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[key].as_str().unwrap()).collect()
}

#[test]
fn a_violation_has_its_rule_its_stack_and_the_history_of_its_object() {
    let Some(project) = project() else { return };
    let model = project.at("login.json");
    let run = project.monitor(&[&model], &["--main", "tautoko.Misuse", "--json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let answer = run.json();
    let [violation] = answer["violations"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(violation["rule"], "`LoginModule.logout` after `logout` returned true throws LoginException");
    assert_eq!(violation["threw"], "tautoko.LoginModule$LoginException");
    assert_eq!((&violation["place"]["line"], &violation["place"]["method"]), (&7.into(), &"logout".into()));
    let stack = texts(&violation["stack"], "method");
    assert_eq!(stack, ["logout", "logout", "main"], "{violation}");
    let events = texts(&violation["history"], "event");
    assert_eq!(
        events,
        ["new LoginModule", "initialize", "login:TRUE", "commit:TRUE", "logout:TRUE"],
        "{violation}"
    );
    assert_eq!(violation["history"][2]["place"]["line"], 14);
    assert_eq!((&answer["objects"], &answer["calls"]), (&1.into(), &5.into()));
    assert_eq!(answer["contradictions"].as_array().unwrap().len(), 0, "{answer}");
    let run = project.monitor(&[&model], &["--main", "tautoko.Misuse"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.out.starts_with("tautoko.Misuse.logout(Misuse.java:7): `LoginModule.logout` after"),
        "{}",
        run.out
    );
    assert!(run.out.contains("        commit:TRUE  Misuse.java:15\n"), "{}", run.out);
    assert!(run.err.contains("1 violation; 1 object watched, 5 calls"), "{}", run.err);
}

#[test]
fn correct_tests_have_no_violation_and_end_as_they_do_without() {
    let Some(project) = project() else { return };
    let (model, tests) = (project.at("login.json"), project.at("tests"));
    let run = project.monitor(&[&model], &["--tests", &tests, "--compare", "--json"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let answer = run.json();
    assert_eq!((&answer["objects"], &answer["tests"], &answer["failed"]), (&2.into(), &2.into(), &0.into()));
    assert_eq!(answer["compare"]["same"], true, "{answer}");
    // A suite that uses other classes shows none of its objects.
    let run = project.monitor(&[&model], &["--tests", &project.at("zip-tests")]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
    assert!(run.err.contains("no object was seen of tautoko.LoginModule"), "{}", run.err);
}

#[test]
fn several_models_are_watched_at_once() {
    let Some(project) = project() else { return };
    let model = project.at("login.json");
    let run =
        project.monitor(&[&model], &["--shipped", "--main", "tautoko.Misuse", "--json", "--", "scanner"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let answer = run.json();
    assert_eq!(
        texts(&answer["violations"], "rule"),
        [
            "`LoginModule.logout` after `logout` returned true throws LoginException",
            "`Scanner.next` after `close` throws IllegalStateException"
        ],
        "{answer}"
    );
}

/// A model holds of objects of its class, and says nothing about classes below it.
#[test]
fn objects_of_classes_below_are_not_watched() {
    let Some(project) = project() else { return };
    let java = java().unwrap();
    let source = project.folder.path().join("Below.java");
    fs::write(&source, BELOW).unwrap();
    let classes = project.folder.path().join("classes");
    java.compile_files(&[source], &project.class_path, &classes);
    let model = project.at("login.json");
    let answer = project.monitor(&[&model], &["--main", "tautoko.Below", "--json"]).json();
    let events: Vec<&str> = answer["violations"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|one| one["history"].as_array().unwrap())
        .map(|one| one["event"].as_str().unwrap())
        .collect();
    assert_eq!(events, ["new LoginModule"], "{answer}");
    assert_eq!(texts(&answer["violations"], "threw"), ["tautoko.LoginModule$LoginException"], "{answer}");
    // One call of the object of the class itself; none of the twenty calls of the other.
    assert_eq!(answer["calls"], 1, "{answer}");
}

/// A test that ends its JVM keeps others from running, so that “no violation” would be no answer.
#[test]
fn a_test_that_exits_is_no_answer() {
    let Some(project) = project() else { return };
    let java = java().unwrap();
    let source = project.folder.path().join("ExitTest.java");
    let text = "package tautoko;
        public class ExitTest { @org.junit.Test public void exits() { System.exit(3); } }";
    fs::write(&source, text).unwrap();
    let tests = project.folder.path().join("exit-tests");
    fs::create_dir_all(&tests).unwrap();
    java.compile_files(&[source], &project.class_path, &tests);
    let run = project.monitor(&[&project.at("login.json")], &["--tests", &tests.display().to_string()]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("tautoko.ExitTest.exits ends its JVM with exit code 3"), "{}", run.err);
}

#[test]
fn models_that_do_not_fit_are_refused() {
    let Some(project) = project() else { return };
    let model = project.at("login.json");
    let main = ["--main", "tautoko.Misuse"];
    // Of another version: the class has no such method.
    let renamed = fs::read_to_string(&model).unwrap().replace("commit", "commitAll");
    let other = project.at("other.json");
    fs::write(&other, renamed).unwrap();
    let run = project.monitor(&[&other], &main);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("another version of tautoko.LoginModule"), "{}", run.err);
    // Of a class that is not there.
    let gone = project.at("gone.json");
    fs::write(&gone, fs::read_to_string(&model).unwrap().replace("tautoko.LoginModule", "tautoko.Gone"))
        .unwrap();
    let run = project.monitor(&[&gone], &main);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("tautoko.Gone"), "{}", run.err);
    let run = project.monitor(&["nothing.json"], &main);
    assert_eq!(run.code, 2, "{}", run.err);
    let run = project.monitor(&[&model], &[]);
    assert_eq!(run.code, 2, "{}", run.err);
    let run = project.monitor(&[&model], &["--main", "tautoko.LoginModule"]);
    assert!(run.code == 2 && run.err.contains("static void main"), "{}", run.err);
}
