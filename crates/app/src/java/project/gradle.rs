//! Gradle: a build is a folder with `settings.gradle` and everything below; a module is a folder with a build
//! file or outputs.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Module, Project, Tool, maven, upward};

const SETTINGS: [&str; 2] = ["settings.gradle", "settings.gradle.kts"];
const BUILD: [&str; 2] = ["build.gradle", "build.gradle.kts"];

/// Limits on the depth of a module below the root and on the number of folders searched. In a larger build,
/// modules beyond them are not found.
const DEEPEST: usize = 6;
const MOST_FOLDERS: usize = 20_000;

/// Folders without modules, but often with very many files.
const NO_MODULES: [&str; 6] = ["src", "build", "target", "out", "bin", "node_modules"];

/// Script that asks a project for the class path of its source set `test`, or of the configurations that the
/// Kotlin and Android plugins use instead.
const SCRIPT: &str = r"
allprojects { project ->
    if (project.projectDir.canonicalPath == System.getProperty('adit.module')) {
        project.tasks.create('aditClassPath').doLast {
            def sets = project.findProperty('sourceSets')
            def set = sets?.findByName('test') ?: sets?.findByName('main')
            def path = set != null && set.hasProperty('runtimeClasspath') ? set.runtimeClasspath : null
            if (path == null) {
                def names = ['jvmTestRuntimeClasspath', 'debugUnitTestRuntimeClasspath', 'testRuntimeClasspath', 'runtimeClasspath']
                path = names.collect { name -> project.configurations.findByName(name) }.find { it != null }
            }
            if (path == null) {
                throw new IllegalStateException('this project has no class path: ' + project.path)
            }
            new File(System.getProperty('adit.answer')).setText(path.files.collect { it.absolutePath }.join('\n'), 'UTF-8')
        }
    }
}
";

/// The project of a folder with a build file or settings.
pub(super) fn project(folder: &Path) -> Option<Project> {
    if !has(folder, &BUILD) && !has(folder, &SETTINGS) {
        return None;
    }
    let root = upward(folder).find(|above| has(above, &SETTINGS)).unwrap_or(folder).to_owned();
    let mut walk = Walk { folders: Vec::new(), files: BTreeSet::new(), seen: 0 };
    walk.enter(&root, 0);
    let mut all = walk.folders;
    all.retain(|other| other != folder);
    all.insert(0, folder.to_owned());
    let own = own_folder().map(|folder| folder.join("gradle.properties")).filter(|file| file.is_file());
    walk.files.extend(own);
    Some(Project {
        tool: Tool::Gradle,
        modules: all.into_iter().map(|folder| module(folder, &root)).collect(),
        build_files: walk.files.into_iter().collect(),
        root,
    })
}

/// Arguments for Gradle: our task in the project of the module, offline.
pub(super) fn arguments(module: &Module, folder: &Path, answer: &Path) -> io::Result<Vec<OsString>> {
    let script = folder.join("adit.init.gradle");
    fs::write(&script, SCRIPT)?;
    let property = |name: &str, value: &Path| {
        let mut text = OsString::from(format!("-D{name}="));
        text.push(value);
        text
    };
    let mut arguments: Vec<OsString> =
        ["--offline", "-q", "--console=plain", "-I"].map(OsString::from).into();
    arguments.push(script.into());
    arguments.push("-p".into());
    arguments.push(module.folder.clone().into());
    arguments.push(property("adit.module", &fs::canonicalize(&module.folder)?));
    arguments.push(property("adit.answer", answer));
    // The task accesses its project while it runs, which the configuration cache forbids. The second name is
    // for older versions; an unknown property does no harm, unlike an unknown flag.
    arguments.push("-Dorg.gradle.configuration-cache=false".into());
    arguments.push("-Dorg.gradle.unsafe.configuration-cache=false".into());
    arguments.push("aditClassPath".into());
    Ok(arguments)
}

/// Parses the class path of an answer.
pub(super) fn entries(answer: &str) -> Vec<PathBuf> {
    answer.lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect()
}

/// Returns true if a wrapper has its Gradle already, or does not say which one it needs.
pub(super) fn is_fetched(wrapper: &Path) -> bool {
    let properties = wrapper.with_file_name("gradle/wrapper/gradle-wrapper.properties");
    let (Some(name), Some(folder)) = (maven::distribution(&properties), own_folder()) else { return true };
    folder.join("wrapper/dists").join(name).is_dir()
}

/// Returns the outputs of a module if `entry` is the jar that Gradle builds from them. Other jars have other
/// classes.
pub(super) fn outputs_for<'m>(module: &'m Module, entry: &Path) -> Option<&'m [PathBuf]> {
    let plain = !entry.file_stem()?.to_str()?.ends_with("-test-fixtures");
    (plain && entry.parent()? == module.folder.join("build/libs")).then_some(&*module.main)
}

/// Gradle's folder of the user.
fn own_folder() -> Option<PathBuf> {
    let named = env::var_os("GRADLE_USER_HOME").map(PathBuf::from);
    named.or_else(|| env::home_dir().map(|home| home.join(".gradle")))
}

fn has(folder: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| folder.join(name).is_file())
}

fn module(folder: PathBuf, root: &Path) -> Module {
    let named = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let title = if folder == root { root_name(root) } else { None };
    let main = outputs(&folder, "main");
    let tests = outputs(&folder, "test");
    Module { name: title.or(named).unwrap_or_default(), group: None, main, tests, folder }
}

/// The outputs of a source set: classes of every language, `build/classes/java/main` or with a platform
/// between, `build/classes/kotlin/jvm/main`, and resources.
fn outputs(folder: &Path, set: &str) -> Vec<PathBuf> {
    let build = folder.join("build");
    let mut found = Vec::new();
    for language in subfolders(&build.join("classes")) {
        found.push(language.join(set));
        found.extend(subfolders(&language).into_iter().map(|platform| platform.join(set)));
    }
    found.retain(|place| place.is_dir());
    if !found.is_empty() {
        found.extend(Some(build.join("resources").join(set)).filter(|place| place.is_dir()));
    }
    found
}

/// Returns the folders directly in a folder, sorted by name.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    // Links are not followed, because they may form a cycle.
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// `rootProject.name = "acme"` in the settings.
fn root_name(root: &Path) -> Option<String> {
    let text = SETTINGS.iter().find_map(|name| fs::read_to_string(root.join(name)).ok())?;
    name_in(&text)
}

fn name_in(settings: &str) -> Option<String> {
    let value = settings.lines().find_map(|line| {
        line.trim().strip_prefix("rootProject.name")?.trim_start().strip_prefix('=').map(str::trim)
    })?;
    let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let (name, _) = value[1..].split_once(quote)?;
    (!name.is_empty() && !name.contains('$')).then(|| name.to_owned())
}

/// A scan of all folders of a build.
struct Walk {
    /// Folders of modules, in order.
    folders: Vec<PathBuf>,
    /// Files that define the build.
    files: BTreeSet<PathBuf>,
    seen: usize,
}

impl Walk {
    fn enter(&mut self, folder: &Path, depth: usize) {
        self.seen += 1;
        // A folder with its own settings is another build.
        if self.seen > MOST_FOLDERS || depth > DEEPEST || depth > 0 && has(folder, &SETTINGS) {
            return;
        }
        let own = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut is_module = folder.join("build/classes").is_dir();
        for file in files.map(|entry| entry.path()).filter(|file| file.is_file()) {
            let Some(name) = file.file_name().and_then(|name| name.to_str()) else { continue };
            let script = name.strip_suffix(".gradle").or_else(|| name.strip_suffix(".gradle.kts"));
            is_module |= script.is_some_and(|script| script == "build" || script == own);
            let says = [
                "gradle.lockfile",
                "buildscript-gradle.lockfile",
                "gradle.properties",
                "gradle-wrapper.properties",
            ];
            if script.is_some() || says.contains(&name) || name.ends_with(".versions.toml") {
                self.files.insert(file);
            }
        }
        if is_module {
            self.folders.push(folder.to_owned());
        }
        for below in subfolders(folder) {
            let name = below.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name == "buildSrc" {
                self.logic(&below, 0);
            } else if !name.starts_with('.') && !NO_MODULES.contains(&&*name) {
                self.enter(&below, depth + 1);
            }
        }
    }

    /// Build logic is part of the build's definition.
    fn logic(&mut self, folder: &Path, depth: usize) {
        self.seen += 1;
        if self.seen > MOST_FOLDERS || depth > 2 * DEEPEST {
            return;
        }
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        self.files.extend(entries.map(|entry| entry.path()).filter(|file| file.is_file()));
        for below in subfolders(folder) {
            let name = below.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name != "build" && !name.starts_with('.') {
                self.logic(&below, depth + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_build_is_in_its_settings() {
        assert_eq!(name_in("// first\nrootProject.name = 'acme' // it is\n"), Some("acme".to_owned()));
        assert_eq!(name_in("  rootProject.name=\"acme-2\""), Some("acme-2".to_owned()));
        for other in [
            "",
            "rootProject.name",
            "rootProject.name = ",
            "rootProject.name = name",
            "rootProject.name = \"$x\"",
            "rootProject.name = 'é",
        ] {
            assert_eq!(name_in(other), None, "{other}");
        }
    }

    #[test]
    fn builds_within_a_build_are_others() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for file in [
            "settings.gradle",
            "build.gradle",
            "core/core.gradle.kts",
            "deep/er/build.gradle",
            "other/settings.gradle",
            "other/build.gradle",
            "src/build.gradle",
            "made/build/classes/java/main/A.class",
            ".gradle/build.gradle",
        ] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), "").unwrap();
        }
        let project = project(&at("deep/er")).unwrap();
        let folders: Vec<&Path> =
            project.modules.iter().map(|module| module.folder.strip_prefix(place.path()).unwrap()).collect();
        assert_eq!(folders, ["deep/er", "", "core", "made"].map(Path::new));
        assert_eq!(project.modules[3].main, [at("made/build/classes/java/main")]);
        assert!(!project.build_files.contains(&at("other/build.gradle")));
    }
}
