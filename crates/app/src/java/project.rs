//! The Maven or Gradle project that a command runs in. Its build output is the class path, unless one was
//! given.
//!
//! The nearest build file upward locates the project, the output folders of its modules hold the classes, and
//! the build tool lists the dependencies. Its answer is cached until a build file changes. JDK classes need
//! none of this.
//!
//! Build files are programs, and asking the tool runs them without any sandbox, as their user does all day.
//! adit never runs those of another user of the machine. A failure is not cached, because its fix, such as
//! downloading a plugin, changes no build file.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use adit_bytecode::{ClassError, ClassPath};
use adit_jvm::{Jdk, classes};
use miette::Report;

use crate::errors::bad_input;
use crate::install_hints;
use crate::java::jdk;
use crate::output::counted;
use crate::progress::Audience;
use crate::request::ClassRequest;

mod ask;
mod gradle;
mod launcher;
mod local_repository;
mod maven;
mod memory;

/// Environment variable that means `--no-project`, whatever its value.
const SWITCH: &str = "ADIT_NO_PROJECT";

/// Folders in which people keep jars, used if the build tool does not answer.
const JAR_FOLDERS: [&str; 3] = ["target/dependency", "lib", "libs"];

/// JVM languages: file extension, and the source folder that both tools expect.
const LANGUAGES: [&str; 4] = ["java", "kt", "scala", "groovy"];
const SOURCES: [&str; 4] = ["java", "kotlin", "scala", "groovy"];

/// The JDK and the class path of a class, typed or made by a build.
pub(crate) struct ClassLocation {
    pub(crate) jdk: Jdk,
    /// Folders and jars in order, without the tests of a project.
    pub(crate) entries: Vec<PathBuf>,
    /// The module of a project that the entries come from.
    pub(crate) built: Option<Built>,
}

/// The tests of a module.
pub(crate) struct Built {
    /// Folder of the module, in which both tools run tests.
    pub(crate) folder: PathBuf,
    /// Folders of its compiled tests and their dependencies; empty if there are none.
    pub(crate) tests: Vec<PathBuf>,
}

impl ClassLocation {
    /// Takes the class path of the request, or that of the project around the current folder.
    pub(crate) fn new(request: &ClassRequest, audience: Audience) -> Result<Self, Report> {
        let jdk = jdk::find(request.jdk.as_deref())?;
        let switched_off = env::var_os(SWITCH).is_some_and(|value| !value.is_empty());
        let projects = match env::current_dir() {
            Ok(here) if request.find_project && !switched_off => around(&here),
            _ => Vec::new(),
        };
        let wanted = class_files(&request.name);
        let chosen = projects
            .iter()
            .find_map(|project| Some((project, project.module_with(&wanted)?)))
            .map(|(project, module)| (project, Some(module)))
            .or_else(|| {
                projects.iter().max_by_key(|project| project.is_built()).map(|project| (project, None))
            });
        match chosen {
            // For a class of the JDK, the project is irrelevant.
            Some((_, None)) if is_in(&classes::open(Some(&jdk), &[])?, &wanted) => {}
            Some((project, module)) => {
                return project.location(module, &wanted, &request.name, jdk, audience);
            }
            None => {}
        }
        Ok(Self { jdk, entries: request.class_path.clone(), built: None })
    }
}

/// Build tool of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Maven,
    Gradle,
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Self::Maven => "Maven",
            Self::Gradle => "Gradle",
        }
    }

    /// Output folder of a module, which may be deleted at any time.
    fn made(self) -> &'static str {
        match self {
            Self::Maven => "target",
            Self::Gradle => "build",
        }
    }

    /// Command that compiles a project and its tests.
    fn build_command(self, wrapper: bool) -> &'static str {
        match (self, wrapper) {
            (Self::Maven, false) => "mvn test-compile",
            (Self::Maven, true) => "./mvnw test-compile",
            (Self::Gradle, false) => "gradle testClasses",
            (Self::Gradle, true) => "./gradlew testClasses",
        }
    }

    fn wrapper(self) -> &'static str {
        match self {
            Self::Maven => "mvnw",
            Self::Gradle => "gradlew",
        }
    }
}

/// A build with all its modules.
#[derive(Debug)]
struct Project {
    tool: Tool,
    /// Root folder of the build.
    root: PathBuf,
    /// The module of the current folder first, then the others in a fixed order.
    modules: Vec<Module>,
    /// Every file that can change the tool's answer, in a fixed order.
    build_files: Vec<PathBuf>,
}

/// A part of a build with its own classes.
#[derive(Debug)]
struct Module {
    name: String,
    /// Maven's group of a module; with the name, it identifies dependencies that are modules.
    group: Option<String>,
    folder: PathBuf,
    /// Existing folders of compiled classes and resources.
    main: Vec<PathBuf>,
    tests: Vec<PathBuf>,
}

/// Returns the projects of the nearest folder upward with a build file: two, if it has those of both tools.
fn around(here: &Path) -> Vec<Project> {
    for folder in here.ancestors() {
        let found: Vec<Project> =
            [maven::project(folder), gradle::project(folder)].into_iter().flatten().collect();
        // Folders above a repository do not belong to it.
        if !found.is_empty() || folder.join(".git").exists() {
            return found;
        }
    }
    Vec::new()
}

/// Returns the folders from this one upward that can belong to the same project.
fn upward(folder: &Path) -> impl Iterator<Item = &Path> {
    let mut left = false;
    folder.ancestors().take_while(move |folder| !std::mem::replace(&mut left, folder.join(".git").exists()))
}

impl Project {
    fn is_built(&self) -> bool {
        self.modules.iter().any(|module| !module.main.is_empty())
    }

    /// Returns the module whose outputs hold one of these class files; if several do, that of the current
    /// folder.
    fn module_with(&self, wanted: &[String]) -> Option<&Module> {
        let main = self.modules.iter().find(|module| holds(&module.main, wanted));
        main.or_else(|| self.modules.iter().find(|module| holds(&module.tests, wanted)))
    }

    /// Returns the class path for a class of a module, or for one that may be in a dependency.
    fn location(
        &self,
        module: Option<&Module>,
        wanted: &[String],
        class: &str,
        jdk: Jdk,
        audience: Audience,
    ) -> Result<ClassLocation, Report> {
        if module.is_none()
            && let Some(source) = self.source(wanted)
        {
            return Err(bad_input(
                format!("{class} is not compiled: {} has no class file", shown(&source)),
                format!("build it first: {}", self.build_command()),
            ));
        }
        // A class in no module may be in a dependency: use the module of the current folder, unless it only
        // holds others.
        let some = || self.modules.iter().find(|module| !module.main.is_empty()).unwrap_or(&self.modules[0]);
        let module = module.unwrap_or_else(some);
        let mut entries = module.main.clone();
        // A class among the tests can be mined too.
        if !holds(&module.main, wanted) && holds(&module.tests, wanted) {
            entries.extend(module.tests.iter().cloned());
        }
        let dependencies = self.dependencies(module, audience)?;
        let beside =
            dependencies.iter().filter(|entry| !module.main.contains(entry) && !module.tests.contains(entry));
        let beside: Vec<PathBuf> = beside.cloned().collect();
        let count = beside.len();
        let launcher = launcher::beside(&beside);
        entries.extend(beside.into_iter().chain(launcher));
        if !is_in(&classes::open(Some(&jdk), &entries)?, wanted) {
            return Err(self.unknown(module, class, &jdk, &entries));
        }
        let places: Vec<String> = module.main.iter().map(|place| shown(place)).collect();
        let places = if places.is_empty() { "not built".to_owned() } else { places.join(", ") };
        let count = counted(count, "dependency");
        audience.note(&format!("project: {} ({}), {places}, {count}", module.name, self.tool.name()));
        if let Some(source) = newer_source(module, wanted) {
            audience.warn(&format!(
                "warning: {} is newer than its class file; compile it with: {}",
                shown(&source),
                self.build_command()
            ));
        }
        let built = Built { folder: module.folder.clone(), tests: module.tests.clone() };
        Ok(ClassLocation { jdk, entries, built: Some(built) })
    }

    /// Returns the dependencies of a module: the tool's answer, cached or new, or else the jars in the usual
    /// folders.
    fn dependencies(&self, module: &Module, audience: Audience) -> Result<Vec<PathBuf>, Report> {
        let memory = memory::Memory::of(self, module);
        if let Some(known) = memory.recall() {
            return Ok(self.with_outputs(known, audience));
        }
        let why = match self.ask(module, audience)? {
            Ok(answer) => {
                memory.keep(&answer);
                return Ok(self.with_outputs(answer, audience));
            }
            Err(why) => why,
        };
        let tool = self.tool.name();
        if let Some(earlier) = memory.recall_anything() {
            audience.warn(&format!("warning: {tool} gave no class path ({why}); using its last answer"));
            return Ok(self.with_outputs(earlier, audience));
        }
        if self.tool == Tool::Maven {
            let pom = module.folder.join(maven::POM);
            let mut found = local_repository::dependencies(&pom, &maven::repository(&self.root));
            let is_module = |name: &String| {
                self.modules.iter().any(|module| name.split(':').nth(1) == Some(module.name.as_str()))
            };
            found.missing.retain(|name| !is_module(name));
            if !found.jars.is_empty() {
                let jars = counted(found.jars.len(), "jar");
                match found.missing.first() {
                    None => audience.note(&format!(
                        "Maven gave no class path ({why}); using {jars} that pom.xml names, from the local repository"
                    )),
                    Some(first) => audience.warn(&format!(
                        "warning: Maven gave no class path ({why}); using {jars} from the local repository, where \
                         {first} is missing; to fix it for good, run once with network: mvn dependency:go-offline"
                    )),
                }
                found.jars.extend(self.modules.iter().flat_map(|module| module.main.clone()));
                if found.missing.is_empty() {
                    memory.keep(&found.jars);
                }
                return Ok(self.with_outputs(found.jars, audience));
            }
        }
        let mut rest: Vec<PathBuf> = self.modules.iter().flat_map(|module| module.main.clone()).collect();
        for folder in [&self.root, &module.folder] {
            rest.extend(JAR_FOLDERS.iter().flat_map(|name| jars(&folder.join(name))));
        }
        audience.warn(&format!(
            "warning: {tool} gave no class path ({why}); using the compiled classes and the jars in {}; name a class path with -c",
            JAR_FOLDERS.join(", ")
        ));
        Ok(once(rest))
    }

    /// Returns the tool's answer, or a few words on why there is none.
    fn ask(&self, module: &Module, audience: Audience) -> Result<Result<Vec<PathBuf>, String>, Report> {
        let program = match self.program(module) {
            Ok(program) => program,
            Err(why) => return Ok(Err(why)),
        };
        let tool = self.tool.name();
        audience.note(&format!("asking {tool} for the class path …"));
        let ask = |arguments: &dyn Fn(&Path, &Path) -> io::Result<Vec<OsString>>| {
            ask::ask(self.tool, &program, &module.folder, arguments, audience)
        };
        let answer = match self.tool {
            Tool::Gradle => ask(&|folder, answer| gradle::arguments(module, folder, answer))?
                .map(|text| gradle::entries(&text)),
            Tool::Maven => match ask(&|_, answer| Ok(maven::arguments(answer)))? {
                // Maven rejects a single module if another that it needs was never installed. From the root
                // it finds the other module, but does not say where its classes are.
                Err(why) if self.modules.len() > 1 => {
                    audience.note(&format!("asking {tool} for the modules together …"));
                    let tree = ask(&|_, answer| Ok(maven::tree_arguments(&self.root, module, answer)))?;
                    tree.map(|tree| maven::entries_of_tree(&tree, module, &maven::repository(&self.root)))
                        .map_err(|_| why)
                }
                answer => answer.map(|text| maven::entries(&text)),
            },
        };
        Ok(answer.and_then(|entries| match entries.iter().find(|entry| !entry.is_absolute()) {
            Some(odd) => {
                Err(format!("its answer is not a class path: `{}`", ask::one_line(&odd.to_string_lossy())))
            }
            None => Ok(entries),
        }))
    }

    /// Returns the program to ask: the wrapper of the project, unless it would download the tool, else the
    /// machine's own.
    fn program(&self, module: &Module) -> Result<PathBuf, String> {
        let name = match self.tool {
            Tool::Maven => "mvn",
            Tool::Gradle => "gradle",
        };
        let wrapper = self.wrapper(module);
        // Anyone may write to a folder above, such as the temporary one, and must not make other users run
        // programs.
        let trusted = wrapper.iter().chain(&self.build_files).all(|file| is_ours(file));
        if !trusted {
            return Err("the project belongs to another user, so adit does not run its build".to_owned());
        }
        let fetched = |wrapper: &PathBuf| match self.tool {
            Tool::Maven => maven::is_fetched(wrapper),
            Tool::Gradle => gradle::is_fetched(wrapper),
        };
        match (wrapper, install_hints::on_path(name)) {
            (Some(wrapper), _) if fetched(&wrapper) => Ok(wrapper),
            (_, Some(installed)) => Ok(installed),
            (Some(_), None) => {
                Err(format!("./{} would have to download {} first", self.tool.wrapper(), self.tool.name()))
            }
            (None, None) => Err(format!("`{name}` is not in PATH")),
        }
    }

    fn wrapper(&self, module: &Module) -> Option<PathBuf> {
        let folders = upward(&module.folder).take_while(|folder| folder.starts_with(&self.root));
        folders.map(|folder| folder.join(self.tool.wrapper())).find(|file| file.is_file())
    }

    fn build_command(&self) -> &'static str {
        self.tool.build_command(self.root.join(self.tool.wrapper()).is_file())
    }

    /// Replaces the jars of other modules in the tool's answer, which are older or missing, by their outputs,
    /// and drops missing entries.
    fn with_outputs(&self, entries: Vec<PathBuf>, audience: Audience) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in entries {
            let other = self.modules.iter().find_map(|module| match self.tool {
                Tool::Maven => maven::outputs_for(module, &entry),
                Tool::Gradle => gradle::outputs_for(module, &entry),
            });
            match other.filter(|outputs| !outputs.is_empty()) {
                Some(outputs) => found.extend(outputs.iter().cloned()),
                None => found.push(entry),
            }
        }
        let missing: Vec<&PathBuf> = found.iter().filter(|entry| is_jar(entry) && !entry.exists()).collect();
        if let Some(first) = missing.first() {
            let (count, all) = (missing.len(), counted(found.len(), "dependency"));
            audience.warn(&format!("warning: {count} of {all} not found: {} …", first.display()));
        }
        found.retain(|entry| entry.is_dir() || entry.is_file() && is_jar(entry));
        once(found)
    }

    /// Returns the source of a class, in any module.
    fn source(&self, wanted: &[String]) -> Option<PathBuf> {
        self.modules.iter().find_map(|module| source_in(module, wanted))
    }

    /// Returns the error for an unknown class, with a similar one of any module.
    fn unknown(&self, module: &Module, class: &str, jdk: &Jdk, entries: &[PathBuf]) -> Report {
        let everything: Vec<PathBuf> =
            self.modules.iter().flat_map(|module| &module.main).chain(entries).cloned().collect();
        let near = match classes::open(Some(jdk), &once(everything)).map(|classes| classes.class(class)) {
            Ok(Err(ClassError::UnknownClass { near, .. })) => near,
            _ => Vec::new(),
        };
        let build = self.build_command();
        let help = match near.as_slice() {
            _ if !self.is_built() => format!("build it first: {build}"),
            [] => format!(
                "write the name with its package; if it is new, build it first: {build}; or name another class path with -c"
            ),
            near => format!("did you mean `{}`? if it is new, build it first: {build}", near.join("` or `")),
        };
        let (name, tool, made) = (&module.name, self.tool.name(), self.tool.made());
        let built =
            if self.is_built() { String::new() } else { format!(", whose `{made}` holds no classes yet,") };
        bad_input(
            format!(
                "no class {class} in the project {name} ({tool}){built} nor in its dependencies or in the JDK"
            ),
            help,
        )
    }
}

/// Keeps the first of equal entries.
fn once(mut entries: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    entries.retain(|entry| seen.insert(entry.clone()));
    entries
}

/// Returns the possible files of a class, relative to a folder of classes. Nested classes may be written with
/// a dot.
pub(crate) fn class_files(name: &str) -> Vec<String> {
    let mut internal = name.replace('.', "/");
    if internal.split('/').any(str::is_empty) {
        return Vec::new();
    }
    let mut files = vec![format!("{internal}.class")];
    while let Some(last) = internal.rfind('/') {
        internal.replace_range(last..=last, "$");
        files.push(format!("{internal}.class"));
    }
    files
}

/// Returns true if one of these folders has one of these files.
fn holds(places: &[PathBuf], wanted: &[String]) -> bool {
    places.iter().any(|place| wanted.iter().any(|file| place.join(file).is_file()))
}

fn is_in(classes: &ClassPath, wanted: &[String]) -> bool {
    let names = wanted.iter().filter_map(|file| file.strip_suffix(".class"));
    names.into_iter().any(|name| classes.find(name).is_ok_and(|found| found.is_some()))
}

/// Returns the source file of a class, where both tools expect it.
fn source_in(module: &Module, wanted: &[String]) -> Option<PathBuf> {
    let outermost = wanted.iter().filter_map(|file| file.strip_suffix(".class")?.split('$').next());
    let names: Vec<&str> = outermost.collect();
    let folders =
        ["main", "test"].iter().flat_map(|set| SOURCES.map(|language| format!("src/{set}/{language}")));
    folders.map(|folder| module.folder.join(folder)).find_map(|folder| {
        let files = names.iter().flat_map(|name| LANGUAGES.map(|extension| format!("{name}.{extension}")));
        files.map(|file| folder.join(file)).find(|file| file.is_file())
    })
}

/// Returns the source of the class if it is newer than the class file.
fn newer_source(module: &Module, wanted: &[String]) -> Option<PathBuf> {
    let places = module.main.iter().chain(&module.tests);
    let class =
        places.flat_map(|place| wanted.iter().map(|file| place.join(file))).find(|file| file.is_file())?;
    let source = source_in(module, wanted)?;
    let changed = |file: &Path| fs::metadata(file).and_then(|about| about.modified()).ok();
    (changed(&source)? > changed(&class)?).then_some(source)
}

/// Returns true if a file, and a link to it, belongs to the current user or to the administrator.
fn is_ours(file: &Path) -> bool {
    let Ok(ours) = fs::metadata("/proc/self").map(|about| about.uid()) else { return false };
    let owners = [fs::metadata(file), fs::symlink_metadata(file)];
    owners.iter().all(|about| about.as_ref().is_ok_and(|about| [ours, 0].contains(&about.uid())))
}

fn is_jar(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar"))
}

/// Returns the jars directly in a folder, sorted by name.
fn jars(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut jars: Vec<PathBuf> = entries.filter(|file| is_jar(file) && file.is_file()).collect();
    jars.sort();
    jars
}

/// Shortens a path relative to the current folder.
fn shown(path: &Path) -> String {
    /// More steps up are harder to read than the whole path.
    const STEPS: usize = 3;
    let here = env::current_dir().unwrap_or_default();
    let below = |above: &Path, steps: usize| {
        Some(PathBuf::from("../".repeat(steps)).join(path.strip_prefix(above).ok()?))
    };
    let steps = here.ancestors().take(STEPS + 1).enumerate();
    let short =
        steps.filter(|(_, above)| above.parent().is_some()).find_map(|(steps, above)| below(above, steps));
    short.unwrap_or_else(|| path.to_owned()).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_may_be_written_with_a_dot() {
        assert_eq!(
            class_files("a.Outer.Inner"),
            ["a/Outer/Inner.class", "a/Outer$Inner.class", "a$Outer$Inner.class"]
        );
        assert_eq!(class_files("Alone"), ["Alone.class"]);
        for odd in ["", ".", "..", ".etc.passwd", "a..b", "/etc/passwd", "a."] {
            assert_eq!(class_files(odd), Vec::<String>::new(), "{odd}");
        }
    }

    #[test]
    fn the_search_ends_at_a_repository() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("repository/a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(place.path().join("repository/.git")).unwrap();
        let folders: Vec<&Path> =
            upward(&deep).map(|folder| folder.strip_prefix(place.path()).unwrap()).collect();
        assert_eq!(folders, ["repository/a/b", "repository/a", "repository"].map(Path::new));
        fs::write(place.path().join("pom.xml"), "<project/>").unwrap();
        assert!(around(&deep).is_empty());
        fs::write(place.path().join("repository/pom.xml"), "<project/>").unwrap();
        fs::write(place.path().join("repository/build.gradle"), "").unwrap();
        let tools: Vec<Tool> = around(&deep).iter().map(|project| project.tool).collect();
        assert_eq!(tools, [Tool::Maven, Tool::Gradle]);
    }
}
