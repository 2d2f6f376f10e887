//! Inside a Maven or Gradle project: what the build made is the class path, the build tool is asked once and
//! may fail in every way.
//!
//! Neither tool is needed here. Scripts stand for them, which write down how they were called and answer as
//! the test says.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use driver::Run;
use driver::java::{Java, VAULT, java};
use tempfile::TempDir;

/// A class that needs another, which a dependency has.
const SHELF: &str = "package com.acme;
public class Shelf {
    private final com.dep.Box box = new com.dep.Box();
    private int books;
    public void put() { box.open(); books++; }
    public void take() { if (books == 0) throw new IllegalStateException(); books--; }
    public boolean isEmpty() { return books == 0; }
}";

const BOX: &str =
    "package com.dep; public class Box { public void open() {} public boolean isOpen() { return true; } }";

/// A project, a dependency, and a folder with build tools, which is all that the PATH has.
struct World {
    place: TempDir,
    java: Java,
}

impl World {
    fn new() -> Option<Self> {
        let java = java()?;
        let place = tempfile::tempdir().unwrap();
        let world = Self { place, java };
        // The search for a project ends here, wherever temporary files are.
        fs::create_dir_all(world.at("acme/.git")).unwrap();
        fs::create_dir_all(world.at("bin")).unwrap();
        world.compile("dep", "", &[("Box", BOX)]);
        Some(world)
    }

    /// A Maven project with one module, compiled.
    fn maven() -> Option<Self> {
        let world = Self::new()?;
        world.write(
            "acme/pom.xml",
            "<project><groupId>com.acme</groupId><artifactId>acme</artifactId></project>",
        );
        world.compile("acme/target/classes", &world.text("dep"), &[("Shelf", SHELF)]);
        world.tool("mvn", &world.text("dep"));
        Some(world)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.at(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    /// Compiles classes into a folder.
    fn compile(&self, into: &str, class_path: &str, classes: &[(&str, &str)]) {
        let sources: Vec<PathBuf> = classes
            .iter()
            .map(|(name, text)| {
                self.write(&format!("sources/{name}.java"), text);
                self.at(&format!("sources/{name}.java"))
            })
            .collect();
        fs::create_dir_all(self.at(into)).unwrap();
        self.java.compile_files(&sources, class_path, &self.at(into));
    }

    /// A tool that answers with this class path, whichever tool it is.
    fn tool(&self, name: &str, answer: &str) {
        let text = format!(
            "for argument; do case $argument in\n\
             -Dmdep.outputFile=* | -Dadit.answer=*) printf '%s' '{answer}' >\"${{argument#*=}}\" ;;\nesac; done"
        );
        self.script(&format!("bin/{name}"), &text);
    }

    /// A program that writes down where and how it is called, and then does this.
    fn script(&self, name: &str, text: &str) {
        let log = self.text("calls");
        self.write(name, &format!("#!/bin/sh\necho \"$PWD: $*\" >>'{log}'\n{text}\n"));
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The calls of the tools so far.
    fn calls(&self) -> Vec<String> {
        fs::read_to_string(self.at("calls")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn command(&self, folder: &str, args: &[&str]) -> Command {
        fs::create_dir_all(self.at(folder)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_adit"));
        command
            .args(args)
            .current_dir(self.at(folder))
            .env("PATH", self.at("bin"))
            .env("JAVA_HOME", &self.java.home)
            .env("HOME", self.at("home"))
            .env("XDG_CACHE_HOME", self.at("cache"))
            .env_remove("ADIT_NO_PROJECT")
            .stdin(Stdio::null());
        command
    }

    fn adit(&self, folder: &str, args: &[&str]) -> Run {
        finished(self.command(folder, args))
    }

    /// Observes a class for a moment.
    fn observe(&self, folder: &str, class: &str, more: &[&str]) -> Run {
        let out = self.text("traces.jsonl");
        self.adit(folder, &[&["observe", class, "--budget", "20tests", "-o", &out], more].concat())
    }
}

fn finished(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn holds(run: &Run, code: i32, parts: &[&str]) {
    assert_eq!(run.code, code, "{}", run.err);
    for part in parts {
        assert!(run.err.contains(part), "`{part}` is missing in:\n{}", run.err);
    }
}

#[test]
fn maven_is_asked_once() {
    let Some(world) = World::maven() else { return };
    let run = world.observe("acme/src/main/java", "com.acme.Shelf", &[]);
    holds(&run, 0, &["asking Maven", "project: acme (Maven), ../../../target/classes, 1 dependency\n"]);
    let traces = fs::read_to_string(world.at("traces.jsonl")).unwrap();
    assert!(traces.contains(r#""event":"take""#), "{traces}");
    let calls = world.calls();
    assert_eq!(calls.len(), 1);
    for part in ["/acme: ", " -o ", " -N ", "dependency:build-classpath", "-DincludeScope=test"] {
        assert!(calls[0].replace(": -o", ":  -o").contains(part), "`{part}` is missing in {}", calls[0]);
    }

    // From any folder of the project, it is not asked again, and --quiet says nothing.
    holds(
        &world.observe("acme", "com.acme.Shelf", &[]),
        0,
        &["project: acme (Maven), target/classes, 1 dependency"],
    );
    let quiet = world.observe("acme/src", "com.acme.Shelf", &["--quiet"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
    assert_eq!(world.calls().len(), 1);

    // Unless a build file changes, or a jar is gone.
    world.write("acme/pom.xml", "<project><artifactId>acme2</artifactId></project>");
    holds(&world.observe("acme", "com.acme.Shelf", &[]), 0, &["asking", "project: acme2 (Maven)"]);
    assert_eq!(world.calls().len(), 2);
    fs::rename(world.at("dep"), world.at("elsewhere")).unwrap();
    world.tool("mvn", &world.text("elsewhere"));
    holds(&world.observe("acme", "com.acme.Shelf", &[]), 0, &["asking", "1 dependency"]);
    assert_eq!(world.calls().len(), 3);
}

#[test]
fn nobody_is_asked_without_need() {
    let Some(world) = World::maven() else { return };
    let run = world.observe("acme", "java.util.BitSet", &[]);
    assert!(run.code == 0 && !run.err.contains("project") && !run.err.contains("Maven"), "{}", run.err);
    let path = format!("{}:{}", world.text("acme/target/classes"), world.text("dep"));
    let run = world.observe("acme", "com.acme.Shelf", &["-c", &path]);
    assert!(run.code == 0 && !run.err.contains("project"), "{}", run.err);
    let run = world.observe("acme", "com.acme.Shelf", &["--no-project"]);
    holds(&run, 2, &["no class com.acme.Shelf on the class path"]);
    let mut command = world.command("acme", &["observe", "com.acme.Shelf"]);
    command.env("ADIT_NO_PROJECT", "1");
    holds(&finished(command), 2, &["no class com.acme.Shelf on the class path"]);
    // A project above a repository is not the one that is meant.
    fs::create_dir_all(world.at("acme/other/.git")).unwrap();
    holds(
        &world.observe("acme/other", "com.acme.Shelf", &[]),
        2,
        &["no class com.acme.Shelf on the class path"],
    );
    assert_eq!(world.calls(), Vec::<String>::new());
}

/// Every failure of a tool leads to a message, and adit goes on.
#[test]
fn a_tool_that_fails_is_no_error() {
    let Some(world) = World::maven() else { return };
    // Stands in for the dependency, which no tool names.
    world.compile("acme/target/classes", "", &[("Box", BOX)]);
    let fails = |what: &str, parts: &[&str]| {
        let run = world.observe("acme", "com.acme.Shelf", &[]);
        holds(
            &run,
            0,
            &[
                parts,
                &["warning: Maven gave no class path (", "project: acme (Maven), target/classes, 0 dep"],
            ]
            .concat(),
        );
        assert!(!run.err.contains('\u{1b}'), "{what}: {:?}", run.err);
    };
    world.script("bin/mvn", "printf '[\\033[31mERROR\\033[m] no such plugin\\n[ERROR] more\\n'; exit 1");
    fails("an error", &["(no such plugin)"]);
    world.script("bin/mvn", "echo 'Error: JAVA_HOME is not defined' >&2; exit 1");
    fails("an error elsewhere", &["(Error: JAVA_HOME is not defined)"]);
    world.script("bin/mvn", "exit 3");
    fails("nothing but a code", &["(exit status: 3)"]);
    world.script("bin/mvn", "exit 0");
    fails("no answer", &["(it wrote no answer)"]);
    world.tool("mvn", "here is your class path");
    fails("garbage", &["its answer is not a class path: `here is your class path`"]);
    world.script("bin/mvn", "while :; do echo 'y y y y y y y y y y y y y y y y y y y y'; i=$((i+1)); [ $i -gt 20000 ] && exit 1; done");
    fails("a flood", &["(y y y"]);
    // It is also told to those who want quiet, because something is wrong.
    let quiet = world.observe("acme", "com.acme.Shelf", &["--quiet"]);
    assert_eq!((quiet.code, quiet.err.lines().count()), (0, 1), "{}", quiet.err);
    fs::remove_file(world.at("bin/mvn")).unwrap();
    fails("no tool", &["(`mvn` is not in PATH)"]);
    world.script("acme/mvnw", "exit 1");
    world.write(
        "acme/.mvn/wrapper/maven-wrapper.properties",
        "distributionUrl=https://example.org/apache-maven-3.9.6-bin.zip\n",
    );
    let calls = world.calls().len();
    fails("a wrapper that would use the network", &["./mvnw would have to download Maven first"]);
    assert_eq!(world.calls().len(), calls);

    // Jars that lie where people keep them are taken, and what was said before is better than nothing.
    fs::remove_dir_all(world.at("acme/target/classes/com/dep")).unwrap();
    fs::create_dir_all(world.at("home/.m2/wrapper/dists/apache-maven-3.9.6")).unwrap();
    let answer = world.text("dep");
    world.script(
        "acme/mvnw",
        &format!("for a; do case $a in -Dmdep*) echo '{answer}' >\"${{a#*=}}\" ;; esac; done"),
    );
    holds(&world.observe("acme", "com.acme.Shelf", &[]), 0, &["asking Maven", "1 dependency"]);
    world.script("acme/mvnw", "exit 1");
    world.write("acme/pom.xml", "<project><artifactId>acme3</artifactId></project>");
    let run = world.observe("acme", "com.acme.Shelf", &[]);
    holds(&run, 0, &["using its last answer", "project: acme3 (Maven), target/classes, 1 dependency"]);
}

/// The tool and what it started are ended, at the limit of time and by Ctrl-C.
#[test]
fn a_tool_that_hangs_is_ended() {
    let Some(world) = World::maven() else { return };
    let pipe = world.text("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The first call leaves a number in a file, the second in a pipe.
    let hang = |to: &str| world.script("bin/mvn", &format!("/bin/sleep 1000 & echo $! >'{to}'; wait"));
    hang(&world.text("number"));
    let mut command = world.command("acme", &["observe", "com.acme.Shelf", "--budget", "20tests"]);
    command.env("ADIT_PROJECT_LIMIT", "700ms");
    let run = finished(command);
    assert!(run.err.contains("it took longer than 700ms"), "{}", run.err);
    let number = fs::read_to_string(world.at("number")).unwrap();
    assert!(is_gone(number.trim()), "{number}");

    hang(&pipe);
    let mut child = world
        .command("acme", &["observe", "com.acme.Shelf"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let number = fs::read_to_string(&pipe).unwrap();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("interrupted while asking Maven"), "{said}");
    assert!(is_gone(number.trim()), "{number}");

    let mut command = world.command("acme", &["observe", "com.acme.Shelf"]);
    command.env("ADIT_PROJECT_LIMIT", "soon");
    holds(&finished(command), 2, &["ADIT_PROJECT_LIMIT=soon is not a time", "500ms"]);
}

/// Waits until a process has ended, which a kill only asks for, and returns whether it has.
fn is_gone(number: &str) -> bool {
    assert!(number.parse::<u32>().is_ok(), "{number}");
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        let status = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        if status.is_empty() || status.rsplit(')').next().unwrap().trim_start().starts_with(['Z', 'X']) {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn what_is_not_built_is_named() {
    let Some(world) = World::maven() else { return };
    holds(
        &world.observe("acme", "com.acme.Shelve", &[]),
        2,
        &["no class com.acme.Shelve in the project acme (Maven)", "did you mean `com.acme.Shelf`?"],
    );
    // A source without a class, and a source that is newer.
    world.write("acme/src/main/java/com/acme/New.java", "");
    let calls = world.calls().len();
    let run = world.observe("acme/src", "com.acme.New.Inner", &[]);
    holds(
        &run,
        2,
        &["not compiled: main/java/com/acme/New.java has no class file", "build it first: mvn test-compile"],
    );
    assert_eq!(world.calls().len(), calls);
    world.write("acme/src/main/java/com/acme/Shelf.java", SHELF);
    let later =
        fs::metadata(world.at("acme/target/classes/com/acme/Shelf.class")).unwrap().modified().unwrap()
            + std::time::Duration::from_secs(5);
    let source =
        fs::File::options().write(true).open(world.at("acme/src/main/java/com/acme/Shelf.java")).unwrap();
    source.set_modified(later).unwrap();
    holds(&world.observe("acme", "com.acme.Shelf", &[]), 0, &["Shelf.java is newer than its class file"]);
    // Nothing at all; a dependency can be looked at nonetheless.
    fs::remove_dir_all(world.at("acme/target")).unwrap();
    holds(
        &world.observe("acme", "com.acme.Shelve", &[]),
        2,
        &["holds no classes yet", "build it first: mvn test-compile"],
    );
    holds(&world.observe("acme", "com.dep.Box", &[]), 0, &["project: acme (Maven), not built, 1 dependency"]);
    assert!(!world.at("acme/target").exists(), "what was answered is remembered elsewhere");
    let calls = world.calls().len();
    holds(&world.observe("acme", "com.dep.Box", &[]), 0, &["1 dependency"]);
    assert_eq!(world.calls().len(), calls);
}

#[test]
fn modules_of_maven_are_found() {
    let Some(world) = World::new() else { return };
    world.write(
        "acme/pom.xml",
        "<project><groupId>com.acme</groupId><artifactId>acme</artifactId><modules><module>core</module></modules>\
         <profiles><profile><modules><module>./apps/../apps/desk</module><module>gone</module></modules></profile></profiles></project>",
    );
    let parent = "<parent><groupId>com.acme</groupId><artifactId>acme</artifactId></parent>";
    world.write("acme/core/pom.xml", &format!("<project>{parent}<artifactId>core</artifactId></project>"));
    world.write(
        "acme/apps/desk/pom.xml",
        &format!("<project>{parent}<artifactId>desk</artifactId></project>"),
    );
    world.compile("acme/core/target/classes", "", &[("Box", BOX)]);
    world.compile("acme/apps/desk/target/classes", &world.text("dep"), &[("Shelf", SHELF)]);
    // Alone, the module is refused, because the other was never installed; together, both are known.
    world.script(
        "bin/mvn",
        "case \"$*\" in *build-classpath*) echo '[ERROR] com.acme:core:jar:1.0 is missing'; exit 1 ;; esac\n\
         for a; do case $a in -DoutputFile=*)\n\
         printf '%s\\n' com.acme:core:jar:1.0 '\\- org.other:other:jar:1:test' com.acme:desk:jar:1.0 '\\- com.acme:core:jar:1.0:compile' >\"${a#*=}\" ;;\n\
         esac; done",
    );
    let shown = [("acme", "apps/desk"), ("acme/apps/desk/src", ".."), ("acme/core", "../apps/desk")];
    for (folder, seen) in shown {
        let said = format!("project: desk (Maven), {seen}/target/classes, 1 dependency");
        holds(&world.observe(folder, "com.acme.Shelf", &[]), 0, &[&said]);
    }
    let calls = world.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls[1].contains("dependency:tree") && calls[1].contains("-am -pl :desk"), "{calls:?}");
    // The parent of a module is a part of what it says.
    world.write(
        "acme/pom.xml",
        "<project><modules><module>core</module><module>apps/desk</module></modules></project>",
    );
    holds(
        &world.observe("acme/apps/desk", "com.acme.Shelf", &[]),
        0,
        &["asking Maven for the modules together"],
    );
    assert_eq!(world.calls().len(), 4);
    // A class of the other module, from this one.
    world.tool("mvn", "");
    holds(
        &world.observe("acme/apps/desk", "com.dep.Box", &[]),
        0,
        &["project: core (Maven)", "0 dependencies"],
    );
}

#[test]
fn gradle_is_asked_through_its_wrapper() {
    let Some(world) = World::new() else { return };
    world.write("acme/settings.gradle.kts", "rootProject.name = \"acme\"\ninclude(\"core\", \"app\")\n");
    world.write("acme/core/build.gradle.kts", "");
    world.compile("acme/core/build/classes/java/main", "", &[("Box", BOX)]);
    fs::create_dir_all(world.at("acme/app/build/resources/main")).unwrap();
    // Without a build file of its own, and with classes where Kotlin puts them.
    world.compile("acme/app/build/classes/kotlin/jvm/main", &world.text("dep"), &[("Shelf", SHELF)]);
    let jar = world.text("acme/core/build/libs/core-1.0.jar");
    let own = world.text("acme/app/build/classes/kotlin/jvm/main");
    let answer = format!(
        "for a; do case $a in -Dadit.answer=*) printf '%s\\n' '{own}' '{jar}' >\"${{a#*=}}\" ;; esac; done"
    );
    world.script("acme/gradlew", &answer);
    world.script("bin/gradle", "exit 1");
    let said =
        "project: app (Gradle), app/build/classes/kotlin/jvm/main, app/build/resources/main, 1 dependency";
    for _ in 0..2 {
        // The jar is not made; the classes that it would hold are.
        let run = world.observe("acme", "com.acme.Shelf", &[]);
        holds(&run, 0, &[said]);
        assert!(!run.err.contains("warning"), "{}", run.err);
    }
    let calls = world.calls();
    assert_eq!(calls.len(), 1);
    for part in ["--offline -q", "-I /", "aditClassPath", "/acme/app: ", "-p /"] {
        assert!(calls[0].contains(part), "`{part}` is missing in {}", calls[0]);
    }
    for (file, asked) in [
        ("acme/gradle/libs.versions.toml", true),
        ("acme/app/gradle.lockfile", true),
        ("acme/buildSrc/src/main/kotlin/conventions.kt", true),
        ("acme/app/src/main/java/Other.java", false),
        ("acme/app/notes.txt", false),
    ] {
        let before = world.calls().len();
        world.write(file, "changed");
        holds(&world.observe("acme/app", "com.acme.Shelf", &[]), 0, &["project: app (Gradle)"]);
        assert_eq!(world.calls().len() - before, usize::from(asked), "{file}");
    }
    world.script("acme/gradlew", "printf '\\nFAILURE: Build failed.\\n\\n* What went wrong:\\nNo cached version of a:b:1\\n' >&2; exit 1");
    fs::remove_dir_all(world.at("acme/app/build/adit")).unwrap();
    let run = world.observe("acme/app", "com.acme.Shelf", &[]);
    holds(&run, 0, &["Gradle gave no class path (No cached version of a:b:1)", "1 dependency"]);
    holds(&world.observe("acme", "com.acme.Nothing", &[]), 2, &["build it first: ./gradlew testClasses"]);
}

/// Whoever may write where others work must not make them run programs.
#[test]
fn the_build_of_another_user_is_not_run() {
    let Some(world) = World::maven() else { return };
    // Only the administrator may give files away.
    if std::os::unix::fs::chown(world.at("acme/pom.xml"), Some(54321), None).is_err() {
        return;
    }
    world.compile("acme/target/classes", "", &[("Box", BOX)]);
    let run = world.observe("acme", "com.acme.Shelf", &[]);
    holds(&run, 0, &["the project belongs to another user", "target/classes, 0 dependencies"]);
    assert_eq!(world.calls(), Vec::<String>::new());
}

/// Uses the class only by what it extends.
const VAULT_TESTS: [(&str, &str); 3] = [
    (
        "VaultBase",
        "package com.acme;
        public abstract class VaultBase {
            @org.junit.Test public void opens() { Vault vault = new Vault(); vault.isOpen(); vault.open(\"sesame-4711\"); vault.close(); }
        }",
    ),
    ("VaultTest", "package com.acme; public class VaultTest extends VaultBase {}"),
    (
        "OtherTest",
        "package com.acme; public class OtherTest { @org.junit.Test public void other() { throw new IllegalStateException(); } }",
    ),
];

#[test]
fn the_tests_of_the_project_are_a_beginning() {
    let Some(world) = World::new() else { return };
    let jars = ["junit4.jar", "hamcrest.jar"].map(|jar| Path::new("/usr/share/java").join(jar));
    if let Some(missing) = jars.iter().find(|jar| !jar.exists()) {
        eprintln!("NOT RUN: {} is missing (Debian and Ubuntu: apt install junit4)", missing.display());
        return;
    }
    let junit = jars.map(|jar| jar.display().to_string()).join(":");
    world.write("acme/pom.xml", "<project><artifactId>acme</artifactId></project>");
    let vault = format!("package com.acme;{VAULT}");
    world.compile("acme/target/classes", "", &[("Vault", &vault)]);
    let path = format!("{}:{junit}", world.text("acme/target/classes"));
    world.compile("acme/target/test-classes", &path, &VAULT_TESTS);
    let mine = |more: &[&str]| {
        let base = ["mine", "com.acme.Vault", "--budget", "2000tests", "--json"];
        world.adit("acme", &[base.as_slice(), more].concat())
    };
    // What the tests do is in the model; none of it is rejected.
    let shown = serde_json::json!([]);

    // Without JUnit they cannot be run, and that is all.
    world.tool("mvn", "");
    let run = mine(&["-o", "without"]);
    holds(&run, 0, &["your tests are not used: JUnit is not on the class path"]);
    assert_eq!(run.json()["rejected"], serde_json::json!([]));

    world.tool("mvn", &junit);
    fs::remove_dir_all(world.at("acme/target/adit")).unwrap();
    let run = mine(&[]);
    holds(
        &run,
        0,
        &["2 dependencies", "starting from your tests: com.acme.VaultTest; --tests none skips them"],
    );
    assert!(!run.err.contains("failed"), "the other test was not run: {}", run.err);
    assert_eq!(run.json()["rejected"], shown);

    // The campaign goes on, also when a test changed that has nothing to do with the class.
    world.compile(
        "acme/target/test-classes",
        &path,
        &[(
            "OtherTest",
            "package com.acme; public class OtherTest { @org.junit.Test public void changed() {} }",
        )],
    );
    let run = mine(&[]);
    holds(&run, 0, &["continuing the campaign in adit-out/com.acme.Vault"]);
    assert_eq!((&run.json()["rejected"], &run.json()["round"]), (&shown, &2.into()));

    // Tools are told as tools are.
    let run = mine(&["--progress", "json"]);
    assert!(run.code == 0 && run.err.lines().all(|line| line.starts_with('{')), "{}", run.err);

    let run = mine(&["--tests", "none", "-o", "none"]);
    assert!(run.code == 0 && !run.err.contains("your tests"), "{}", run.err);
    let run = mine(&["--tests", "target/test-classes", "-o", "typed"]);
    holds(&run, 0, &[]);
    assert_eq!(run.json()["rejected"], shown);

    // Other tests, or another class, are noticed.
    holds(&mine(&["--tests", "none"]), 2, &["holds a different campaign: tests changed"]);
    world.compile(
        "acme/target/classes",
        "",
        &[("Vault", &vault.replace("open = false", "this.open = (1 > 2)"))],
    );
    let changed = vault.replace("{ return open; }", "{ return this.open & true; }");
    world.compile("acme/target/classes", "", &[("Vault", &changed)]);
    holds(&mine(&[]), 0, &["starting over, because the class file changed"]);
    assert_eq!(world.calls().len(), 2);
}
