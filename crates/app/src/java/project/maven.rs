//! Maven: a module is a folder with a `pom.xml`, which names its sub-modules and its parent.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{Module, Project, Tool, upward};

/// The file that defines a module.
pub(super) const POM: &str = "pom.xml";

/// Files in the folder `.mvn` of a build that change how Maven runs.
const SETTINGS: [&str; 4] =
    ["maven.config", "extensions.xml", "jvm.config", "wrapper/maven-wrapper.properties"];

/// Limit on the size of a pom. The largest known ones have a few hundred kilobytes.
const LONGEST: u64 = 1 << 22;

/// Limit on the nesting of elements in a pom, including plugin configurations.
const DEEPEST: usize = 100;

/// Limit on the modules of a build and on the length of a chain of parents.
const MOST: usize = 4000;

/// Offline, non-interactive, errors only, without colors.
const OFFLINE: [&str; 4] = ["-o", "-q", "-B", "-Dstyle.color=never"];

/// The project of a folder with a `pom.xml`.
pub(super) fn project(folder: &Path) -> Option<Project> {
    if !folder.join(POM).is_file() {
        return None;
    }
    let mut root = folder.to_owned();
    for above in upward(folder).skip(1) {
        // A pom above that does not list the module belongs to another project, or is only its parent.
        if above.join(POM).is_file() && folders(above).contains(&root) {
            root = above.to_owned();
        }
    }
    let mut all = folders(&root);
    all.retain(|other| other != folder);
    all.insert(0, folder.to_owned());
    let mut build_files = BTreeSet::new();
    for module in &all {
        parents(&module.join(POM), &mut build_files);
    }
    let settings = SETTINGS.map(|name| root.join(".mvn").join(name));
    build_files.extend(settings.into_iter().filter(|file| file.is_file()));
    build_files.extend(own_folder().map(|folder| folder.join("settings.xml")).filter(|file| file.is_file()));
    Some(Project {
        tool: Tool::Maven,
        root,
        modules: all.into_iter().map(module).collect(),
        build_files: build_files.into_iter().collect(),
    })
}

/// Arguments for Maven: write the class path of the tests to a file, offline.
pub(super) fn arguments(answer: &Path) -> Vec<OsString> {
    let mut output = OsString::from("-Dmdep.outputFile=");
    output.push(answer);
    // Not for submodules, whose answers would overwrite this one.
    let more = ["-N", "dependency:build-classpath", "-DincludeScope=test"];
    OFFLINE.iter().chain(&more).map(OsString::from).chain([output]).collect()
}

/// Parses the class path of an answer.
pub(super) fn entries(answer: &str) -> Vec<PathBuf> {
    env::split_paths(answer.trim()).filter(|entry| !entry.as_os_str().is_empty()).collect()
}

/// Arguments for Maven: list the dependencies of a module and of the modules it needs, by name.
pub(super) fn tree_arguments(root: &Path, module: &Module, answer: &Path) -> Vec<OsString> {
    let mut output = OsString::from("-DoutputFile=");
    output.push(answer);
    let more = ["dependency:tree", "-DoutputType=text", "-DappendOutput=true", "-am", "-pl"];
    let mut arguments: Vec<OsString> = OFFLINE.iter().chain(&more).map(OsString::from).collect();
    arguments.extend([format!(":{}", module.name).into(), output, "-f".into(), root.join(POM).into()]);
    arguments
}

/// Returns the jars of a list in the local repository; for modules, the paths they would have if installed.
pub(super) fn entries_of_tree(tree: &str, module: &Module, repository: &Path) -> Vec<PathBuf> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in tree.lines() {
        let name = line.trim_start_matches(['|', '+', '-', '\\', ' ']);
        let parts: Vec<&str> = name.split_whitespace().next().unwrap_or_default().split(':').collect();
        if name.len() == line.len() {
            // The list of each module starts with its own name.
            inside = parts.get(1) == Some(&module.name.as_str());
            continue;
        }
        let (group, artifact, kind, classifier, version) = match parts[..] {
            [group, artifact, kind, version, _] => (group, artifact, kind, None, version),
            [group, artifact, kind, classifier, version, _] => {
                (group, artifact, kind, Some(classifier), version)
            }
            _ => continue,
        };
        if inside && ["jar", "test-jar", "bundle", "ejb", "maven-plugin"].contains(&kind) {
            let classifier = classifier.map(|text| format!("-{text}")).unwrap_or_default();
            let folder = repository.join(group.replace('.', "/")).join(artifact).join(version);
            found.push(folder.join(format!("{artifact}-{version}{classifier}.jar")));
        }
    }
    found
}

/// Local repository of Maven: from the project, the user's settings, or the usual place.
pub(super) fn repository(root: &Path) -> PathBuf {
    const PROPERTY: &str = "-Dmaven.repo.local=";
    let config = fs::read_to_string(root.join(".mvn/maven.config")).unwrap_or_default();
    let variables = ["MAVEN_ARGS", "MAVEN_OPTS"].map(|name| env::var(name).unwrap_or_default());
    let mut words = variables.iter().chain([&config]).flat_map(|text| text.split_whitespace());
    if let Some(told) = words.find_map(|word| word.strip_prefix(PROPERTY)) {
        return root.join(told);
    }
    let own = own_folder().unwrap_or_default();
    let settings = fs::read_to_string(own.join("settings.xml")).unwrap_or_default();
    let told = settings
        .split_once("<localRepository>")
        .and_then(|(_, rest)| rest.split_once("</localRepository>"))
        .map(|(told, _)| Path::new(told.trim()));
    told.filter(|told| told.is_absolute()).map_or_else(|| own.join("repository"), Path::to_owned)
}

/// Returns true if a wrapper has its Maven already, or does not say which one it needs.
pub(super) fn is_fetched(wrapper: &Path) -> bool {
    let properties = wrapper.with_file_name(".mvn/wrapper/maven-wrapper.properties");
    let Some(name) = distribution(&properties) else { return true };
    let Some(folder) = own_folder() else { return true };
    let kept = folder.join("wrapper/dists");
    [name.as_str(), name.trim_end_matches("-bin")].iter().any(|name| kept.join(name).is_dir())
}

/// Returns the name of the archive that a wrapper downloads, without `.zip`.
pub(super) fn distribution(properties: &Path) -> Option<String> {
    let text = fs::read_to_string(properties).ok()?;
    let url = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("distributionUrl")?.trim().strip_prefix('='))?;
    Some(url.trim().rsplit('/').next()?.trim_end_matches(".zip").trim_end_matches(".tar.gz").to_owned())
}

/// Returns the outputs of a module if `entry` is its jar in a local repository:
/// `com/acme/core/1.0/core-1.0.jar`.
pub(super) fn outputs_for<'m>(module: &'m Module, entry: &Path) -> Option<&'m [PathBuf]> {
    let file = entry.file_name()?.to_str()?;
    let version = entry.parent()?;
    let artifact = version.parent()?;
    let group: PathBuf = module.group.as_ref()?.split('.').collect();
    if artifact.file_name()?.to_str()? != module.name || !artifact.parent()?.ends_with(group) {
        return None;
    }
    let plain = format!("{}-{}", module.name, version.file_name()?.to_str()?);
    match file.strip_prefix(&plain)? {
        ".jar" => Some(&module.main),
        "-tests.jar" => Some(&module.tests),
        _ => None,
    }
}

/// Maven's folder of the user.
fn own_folder() -> Option<PathBuf> {
    let named = env::var_os("MAVEN_USER_HOME").map(PathBuf::from);
    named.or_else(|| env::home_dir().map(|home| home.join(".m2")))
}

fn module(folder: PathBuf) -> Module {
    let pom = Pom::read(&folder.join(POM)).unwrap_or_default();
    let there = |name: &str| Some(folder.join("target").join(name)).filter(|place| place.is_dir());
    let named = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    Module {
        name: pom.artifact.or(named).unwrap_or_default(),
        group: pom.group.or(pom.parent_group),
        main: there("classes").into_iter().collect(),
        tests: there("test-classes").into_iter().collect(),
        folder,
    }
}

/// Returns the folders of a module and of all its submodules, in the order of their poms.
fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        if found.contains(&folder) || found.len() >= MOST {
            continue;
        }
        let pom = Pom::read(&folder.join(POM)).unwrap_or_default();
        let below = pom.modules.iter().rev().filter_map(|module| {
            let place = plain(&folder.join(module));
            // A module may also be given by its pom.
            let place = if place.is_file() { place.parent()?.to_owned() } else { place };
            place.join(POM).is_file().then_some(place)
        });
        open.extend(below);
        found.push(folder);
    }
    found
}

/// Returns a pom and its ancestors that are files.
fn parents(pom: &Path, found: &mut BTreeSet<PathBuf>) {
    let mut pom = pom.to_owned();
    while pom.is_file() && found.insert(pom.clone()) && found.len() < MOST {
        let Some(Pom { parent: Some(relative), .. }) = Pom::read(&pom) else { return };
        let Some(folder) = pom.parent() else { return };
        let above = plain(&folder.join(relative));
        pom = if above.is_dir() { above.join(POM) } else { above };
    }
}

/// Removes `.` and `..` from a path, as Maven does.
fn plain(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            component => plain.push(component),
        }
    }
    plain
}

/// The relevant parts of a pom.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pom {
    group: Option<String>,
    artifact: Option<String>,
    parent_group: Option<String>,
    /// Path of the parent's pom, unless it comes from a repository.
    parent: Option<String>,
    /// Folders or poms of modules, including those of profiles.
    modules: Vec<String>,
}

impl Pom {
    fn read(file: &Path) -> Option<Self> {
        if fs::metadata(file).ok()?.len() > LONGEST {
            return None;
        }
        Some(Self::parse(&fs::read(file).ok()?))
    }

    /// Parses up to the first mistake, if there is one; Maven will report it.
    fn parse(bytes: &[u8]) -> Self {
        let mut pom = Self::default();
        let mut xml = Reader::from_reader(bytes);
        let mut open: Vec<String> = Vec::new();
        let mut text = String::new();
        let mut buffer = Vec::new();
        loop {
            match xml.read_event_into(&mut buffer) {
                Ok(Event::Start(tag)) => {
                    open.push(tag.local_name().as_ref().to_owned());
                    if open.len() > DEEPEST {
                        return pom;
                    }
                    text.clear();
                    pom.begin(&open);
                }
                Ok(Event::Empty(tag)) => {
                    open.push(tag.local_name().as_ref().to_owned());
                    pom.end(&open, "");
                    open.pop();
                }
                Ok(Event::Text(part)) => text.push_str(&part),
                Ok(Event::End(_)) => {
                    pom.end(&open, text.trim());
                    open.pop();
                    text.clear();
                }
                Ok(Event::Eof) | Err(_) => return pom,
                Ok(_) => {}
            }
            buffer.clear();
        }
    }

    fn begin(&mut self, open: &[String]) {
        if path(open) == ["project", "parent"] {
            self.parent = Some("../pom.xml".to_owned());
        }
    }

    fn end(&mut self, open: &[String], text: &str) {
        let text = text.to_owned();
        match path(open).as_slice() {
            ["project", "groupId"] => self.group = Some(text),
            ["project", "artifactId"] => self.artifact = Some(text),
            ["project", "parent", "groupId"] => self.parent_group = Some(text),
            ["project", "parent", "relativePath"] => self.parent = Some(text).filter(|text| !text.is_empty()),
            ["project", .., "modules", "module"] | ["project", .., "subprojects", "subproject"] => {
                self.modules.push(text)
            }
            _ => {}
        }
    }
}

fn path(open: &[String]) -> Vec<&str> {
    open.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_project_itself_is_told_from_what_it_mentions() {
        let pom = Pom::parse(
            br#"<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0">
            <!-- <artifactId>not this</artifactId> -->
            <parent><groupId>com.acme</groupId><artifactId>above</artifactId></parent>
            <artifactId> desk </artifactId>
            <dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId></dependency></dependencies>
            <modules><module>one</module></modules>
            <profiles><profile><modules><module>../two</module></modules></profile></profiles></project>"#,
        );
        expect![[r#"
            Pom {
                group: None,
                artifact: Some(
                    "desk",
                ),
                parent_group: Some(
                    "com.acme",
                ),
                parent: Some(
                    "../pom.xml",
                ),
                modules: [
                    "one",
                    "../two",
                ],
            }
        "#]]
        .assert_debug_eq(&pom);
        let alone = Pom::parse(b"<project><parent><relativePath/></parent></project>");
        assert_eq!(alone, Pom::default());
    }

    #[test]
    fn what_is_no_pom_says_nothing() {
        let deep = "<a>".repeat(100_000);
        for text in ["", "<", "<project", "</project>", "<project><artifactId>", "\u{0}", "<a></b>", &deep] {
            assert_eq!(Pom::parse(text.as_bytes()), Pom::default(), "{text:.20}");
        }
        assert_eq!(Pom::parse(&[0xff, 0xfe, 0x3c]), Pom::default());
    }

    fn desk() -> Module {
        Module {
            name: "desk".to_owned(),
            group: Some("com.acme".to_owned()),
            folder: "/p/desk".into(),
            main: vec!["/p/desk/target/classes".into()],
            tests: vec!["/p/desk/target/test-classes".into()],
        }
    }

    #[test]
    fn the_jar_of_a_module_is_known() {
        let outputs = |entry: &str| outputs_for(&desk(), Path::new(entry)).map(<[PathBuf]>::to_vec);
        assert_eq!(outputs("/r/com/acme/desk/1.0/desk-1.0.jar"), Some(desk().main));
        assert_eq!(outputs("/r/com/acme/desk/1.0/desk-1.0-tests.jar"), Some(desk().tests));
        for other in [
            "/r/com/acme/desk/1.0/desk-1.0-linux.jar",
            "/r/com/other/desk/1.0/desk-1.0.jar",
            "/r/com/acme/chair/1.0/chair-1.0.jar",
            "desk-1.0.jar",
            "/",
        ] {
            assert_eq!(outputs(other), None, "{other}");
        }
    }

    #[test]
    fn the_list_of_a_module_is_read() {
        let tree = "com.acme:core:jar:1.0\n\\- a:not-this:jar:1:compile\n\
            com.acme:desk:jar:1.0\n+- com.acme:core:jar:1.0:compile\n|  \\- org.native:io:jar:linux-x86:2:runtime (optional)\n\
            +- org.bom:bom:pom:3:compile\n+- nonsense\n\\- junit:junit:jar:4.13:test\n";
        let found = entries_of_tree(tree, &desk(), Path::new("/r"));
        let expected = [
            "/r/com/acme/core/1.0/core-1.0.jar",
            "/r/org/native/io/2/io-2-linux-x86.jar",
            "/r/junit/junit/4.13/junit-4.13.jar",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
        assert!(entries_of_tree("", &desk(), Path::new("/r")).is_empty());
    }

    #[test]
    fn modules_that_name_each_other_end() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("b")).unwrap();
        fs::write(at(POM), "<project><modules><module>b</module><module>.</module></modules></project>")
            .unwrap();
        fs::write(at("b/pom.xml"), "<project><parent/><modules><module>..</module></modules></project>")
            .unwrap();
        assert_eq!(folders(place.path()), [place.path().to_owned(), at("b")]);
        let project = project(&at("b")).unwrap();
        assert_eq!(
            (project.root.as_path(), project.modules[0].folder.as_path()),
            (place.path(), at("b").as_path())
        );
        assert_eq!(project.build_files[..2], [at("b/pom.xml"), at(POM)]);
    }
}
