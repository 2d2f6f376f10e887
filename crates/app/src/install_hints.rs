//! Commands that install what is missing, for the package manager of this machine.

use std::env;
use std::path::PathBuf;

/// Something that can be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    /// A JDK with its compiler.
    Jdk,
    /// The solver Z3.
    Solver,
}

/// A package manager: its command, how it installs, and its package names.
struct Manager {
    command: &'static str,
    install: &'static str,
    jdk: &'static str,
    solver: &'static str,
}

/// In the order of the script `./adit`. Brew comes first, because it is installed only on purpose.
const MANAGERS: [Manager; 6] = [
    Manager { command: "brew", install: "brew install", jdk: "openjdk", solver: "z3" },
    Manager {
        command: "apt-get",
        install: "sudo apt-get install",
        jdk: "default-jdk-headless",
        solver: "z3",
    },
    Manager { command: "dnf", install: "sudo dnf install", jdk: "java-latest-openjdk-devel", solver: "z3" },
    Manager { command: "pacman", install: "sudo pacman -S", jdk: "jdk-openjdk", solver: "z3" },
    Manager { command: "zypper", install: "sudo zypper install", jdk: "java-21-openjdk-devel", solver: "z3" },
    Manager { command: "apk", install: "sudo apk add", jdk: "openjdk21", solver: "z3" },
];

/// Returns the command that installs `thing`, or where to get it if the package manager is unknown.
pub(crate) fn install(thing: Thing) -> String {
    let manager = MANAGERS.iter().find(|manager| on_path(manager.command).is_some());
    match (manager, thing) {
        (Some(manager), Thing::Jdk) => format!("{} {}", manager.install, manager.jdk),
        (Some(manager), Thing::Solver) => format!("{} {}", manager.install, manager.solver),
        (None, Thing::Jdk) => {
            "unpack a JDK 17 or later from https://adoptium.net and set JAVA_HOME to its folder".to_owned()
        }
        (None, Thing::Solver) => {
            "add z3 from https://github.com/Z3Prover/z3/releases to a folder in PATH".to_owned()
        }
    }
}

/// Returns the program that a shell would start for this name.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    // Relative folders would make the answer depend on the current folder.
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &std::path::Path) -> bool {
    file.is_file()
}
