//! The script `./adit`, with a pretended compiler: it must work from anywhere, and say what is missing.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::expect;

#[test]
fn it_runs_where_the_user_is_even_through_a_link() {
    let machine = Machine::new();
    machine.script("cargo", PRETENDED_CARGO);
    machine.script("rustc", "echo 'rustc 99.0.0 (pretended)'");
    machine.script("cc", "exit 0");
    let link = machine.folder("bin with spaces").join("my adit");
    symlink(root().join("adit"), &link).unwrap();
    let place = machine.folder("some place");
    let output = machine.run(&link, &["infer", "a b", "*"], &place);
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(out, format!("in {}\ngot <infer> <a b> <*>\n", place.canonicalize().unwrap().display()));
    assert_eq!(output.status.code(), Some(1), "the exit code is the binary's");
}

#[test]
fn an_old_compiler_is_named_together_with_the_cure() {
    let machine = Machine::new();
    machine.script("cargo", PRETENDED_CARGO);
    machine.script("rustc", "echo 'rustc 1.9.3 (pretended)'");
    machine.script("cc", "exit 0");
    let output = machine.run(&root().join("adit"), &[], &machine.0.path().join("bin"));
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("or later, but found rustc 1.9.3"), "{err}");
    assert!(err.contains("https://rustup.rs"), "{err}");
}

#[test]
fn a_missing_linker_is_named_together_with_the_cure() {
    let machine = Machine::new();
    machine.script("cargo", PRETENDED_CARGO);
    machine.script("rustc", "echo 'rustc 99.0.0 (pretended)'");
    let output = machine.run(&root().join("adit"), &[], &machine.0.path().join("bin"));
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("apt-get install gcc"), "{err}");
}

#[test]
fn a_failed_build_is_not_run() {
    let machine = Machine::new();
    machine.script("cargo", "echo 'error: it does not compile' >&2; exit 101");
    machine.script("rustc", "echo 'rustc 99.0.0 (pretended)'");
    machine.script("cc", "exit 0");
    let output = machine.run(&root().join("adit"), &[], &machine.0.path().join("bin"));
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("it does not compile") && err.contains("the build failed"), "{err}");
}

#[test]
fn install_puts_binary_pages_and_completions_below_a_folder() {
    let machine = Machine::new();
    machine.script("rustc", "echo 'rustc 99.0.0 (pretended)'");
    machine.script("cc", "exit 0");
    machine.script("cargo", &PRETENDED_CARGO.replace("exit 1", "exit 0"));
    let place = machine.folder("some place");
    let output = machine.run(&root().join("adit"), &["install", "--prefix", "in here"], &place);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    let prefix = place.join("in here");
    for file in [
        "bin/adit",
        "share/man/man1",
        "share/bash-completion/completions/adit",
        "share/zsh/site-functions/_adit",
        "share/fish/vendor_completions.d/adit.fish",
    ] {
        assert!(prefix.join(file).exists(), "{file} is missing: {err}");
    }
    assert_eq!(fs::read_dir(prefix.join("bin")).unwrap().count(), 1, "no temporary file is left");
    assert!(err.contains("MB)") && err.contains("to your PATH"), "{err}");
    // An installed binary is replaced, also while it runs.
    let output = machine.run(&root().join("adit"), &["install", "--prefix=in here"], &place);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn install_explains_what_it_cannot_do_before_it_builds() {
    let machine = Machine::new();
    machine.script("cargo", "echo 'nothing must be built' >&2; exit 101");
    machine.script("rustc", "echo 'rustc 99.0.0 (pretended)'");
    machine.script("cc", "exit 0");
    let place = machine.folder("some place");
    fs::write(place.join("file"), "").unwrap();
    for (args, message) in [
        (&["install", "--prefix"][..], "--prefix needs a folder"),
        (&["install", "--prefix="], "--prefix needs a folder"),
        (&["install", "--prefx", "x"], "install does not know `--prefx`"),
        (&["install", "--prefix", "file"], "name another folder with --prefix"),
    ] {
        let output = machine.run(&root().join("adit"), args, &place);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(message) && !err.contains("nothing must be built"), "{args:?}: {err}");
    }
    let output = machine.run(&root().join("adit"), &["install", "--help"], &place);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("--prefix DIR"));
}

/// Parquet takes long to build, so most commands do without.
#[test]
fn tables_are_built_in_where_they_are_needed() {
    let machine = Machine::new();
    machine.script("cargo", &format!("echo \"cargo $*\" >&2\n{PRETENDED_CARGO}"));
    machine.script("rustc", "echo 'rustc 99.0.0 (pretended)'");
    machine.script("cc", "exit 0");
    let place = machine.folder("place");
    for folder in ["tables/day=1", "texts"] {
        fs::create_dir_all(place.join(folder)).unwrap();
    }
    fs::write(place.join("tables/day=1/a.parquet"), "").unwrap();
    fs::write(place.join("texts/a.csv"), "").unwrap();
    fs::write(place.join("plain"), "open close\n").unwrap();
    fs::write(place.join("unnamed"), "PAR1\0\0").unwrap();
    for (args, needed) in [
        (&["properties", "log.csv"][..], false),
        (&["properties", "texts"], false),
        (&["properties", "log.parquet"], true),
        (&["infer", "logs/*.arrow", "-o", "m.json"], true),
        (&["convert", "log.csv", "out.pq"], true),
        (&["properties", "tables"], true),
        (&["properties", "tab*"], true),
        (&["properties", "tex*", "plain"], false),
        (&["properties", "unnamed"], true),
        (&["properties", "-", "--from", "arrow"], true),
        (&["mine", "A", "-c", "tables"], false),
        (&["install", "--prefix", "there"], true),
    ] {
        let output = machine.run(&root().join("adit"), args, &place);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains("cargo build"), "{args:?}: {err}");
        assert_eq!(err.contains("--features parquet"), needed, "{args:?}: {err}");
    }
}

/// Off a terminal, cargo's bar becomes plain lines, and messages stay.
#[test]
fn a_build_says_how_far_it_is() {
    let machine = Machine::new();
    machine.script("cargo", &format!("{PRETENDED_BAR}{PRETENDED_CARGO}"));
    machine.script("rustc", "echo 'rustc 99.0.0 (pretended)'");
    machine.script("cc", "exit 0");
    let output = machine.run(&root().join("adit"), &[], &machine.0.path().join("bin"));
    expect![[r#"
        adit: building for the first time; this takes about four minutes on two cores
        adit: building: 1 of 3 steps done
        warning: something to read
          --> some/file.rs
        adit: building: 2 of 3 steps done
        the last words
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
    // The second time there is nothing to do, and nothing to say.
    machine.script("cargo", "printf '    Finished in no time\\n' >&2");
    let output = machine.run(&root().join("adit"), &[], &machine.0.path().join("bin"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Cargo's output during a build, with its progress bar.
const PRETENDED_BAR: &str = r#"
[ "$CARGO_TERM_PROGRESS_WHEN" = always ] || exit 1
{
    printf '   Compiling first v1.0.0\n    Building [==>    ] 1/3: second     \r   Compiling second v2.0.0\n'
    printf 'warning: something to read\n  --> some/file.rs\n    Building [====>  ] 2/3: third      \r'
    printf '    Finished `release` profile\nthe last words'
} >&2
"#;

/// Puts a binary where cargo would, which tells where it runs and with what.
const PRETENDED_CARGO: &str = r#"
while [ "$1" != --target-dir ]; do shift; done
mkdir -p "$2/release"
cat > "$2/release/adit" <<'END'
#!/usr/bin/env bash
echo "in $PWD"
echo "got$(printf ' <%s>' "$@")"
exit 1
END
chmod +x "$2/release/adit"
"#;

/// A machine that has only what a test gives it.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        let bin = machine.folder("bin");
        for tool in [
            "bash", "env", "sed", "awk", "head", "dirname", "readlink", "id", "mkdir", "chmod", "cat", "cp",
            "mv", "rm", "wc",
        ] {
            symlink(find(tool), bin.join(tool)).unwrap();
        }
        machine
    }

    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.0.path().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    }

    fn script(&self, name: &str, body: &str) {
        let path = self.0.path().join("bin").join(name);
        fs::write(&path, format!("#!/usr/bin/env bash\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, script: &Path, args: &[&str], place: &Path) -> Output {
        Command::new(script)
            .args(args)
            .current_dir(place)
            .env_clear()
            .env("PATH", self.0.path().join("bin"))
            .env("HOME", self.0.path())
            .env("CARGO_TARGET_DIR", self.0.path().join("the target"))
            .env("ADIT_NO_INSTALL", "1")
            .env("ADIT_BUILD_PROGRESS", "0")
            .output()
            .expect("the script starts")
    }
}

/// Path of a tool on the real machine.
fn find(tool: &str) -> PathBuf {
    let path = std::env::var_os("PATH").expect("there is a PATH");
    std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.exists()).expect(tool)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
