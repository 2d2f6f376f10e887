//! Dependencies of a Maven module, found in the local repository without Maven.
//!
//! Maven's dependency plugin may be missing on a machine without network, although every jar is there. This
//! reads the poms itself: properties, parents, managed versions, imported lists of versions, and what
//! dependencies depend on, where the nearest version wins. Profiles, version ranges and exclusions are not
//! followed; a class path with a jar too many does no harm.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::Event;

/// Limit on dependencies and on chains of parents.
const MOST: usize = 2000;

/// Limit on the size of a pom, in bytes.
const LONGEST: u64 = 1 << 22;

/// Limit on the nesting of elements.
const DEEPEST: usize = 100;

/// Jars of a module's dependencies.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) jars: Vec<PathBuf>,
    /// Dependencies of the module itself without a jar in the repository: `group:artifact:version`.
    pub(super) missing: Vec<String>,
}

/// Finds the dependencies of the module with this pom.
pub(super) fn dependencies(pom: &Path, repository: &Path) -> Found {
    let mut found = Found::default();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut open: VecDeque<(PathBuf, bool)> = VecDeque::from([(pom.to_owned(), true)]);
    while let Some((pom, own)) = open.pop_front() {
        let Some(effective) = Effective::read(&pom, repository) else { continue };
        for dependency in &effective.dependencies {
            let wanted = own || !(dependency.optional || ["test", "provided"].contains(&&*dependency.scope));
            let key = (dependency.group.clone(), dependency.artifact.clone());
            if !wanted || dependency.scope == "system" || seen.len() >= MOST || !seen.insert(key) {
                continue;
            }
            let folder = repository
                .join(dependency.group.replace('.', "/"))
                .join(&dependency.artifact)
                .join(&dependency.version);
            let stem = format!("{}-{}", dependency.artifact, dependency.version);
            let classifier = match (&*dependency.classifier, &*dependency.kind) {
                ("", "test-jar") => "-tests".to_owned(),
                ("", _) => String::new(),
                (classifier, _) => format!("-{classifier}"),
            };
            let jar = folder.join(format!("{stem}{classifier}.jar"));
            if jar.is_file() {
                found.jars.push(jar);
            } else if own && dependency.kind != "pom" {
                found
                    .missing
                    .push(format!("{}:{}:{}", dependency.group, dependency.artifact, dependency.version));
            }
            open.push_back((folder.join(format!("{stem}.pom")), false));
        }
    }
    found
}

/// A dependency as a pom names it.
#[derive(Clone, Debug, Default)]
struct Dependency {
    group: String,
    artifact: String,
    version: String,
    scope: String,
    kind: String,
    classifier: String,
    optional: bool,
}

/// The content of one pom.
#[derive(Debug, Default)]
struct Pom {
    group: Option<String>,
    artifact: Option<String>,
    version: Option<String>,
    parent: Option<Dependency>,
    /// Path of the parent beside the pom.
    relative: Option<String>,
    properties: BTreeMap<String, String>,
    managed: Vec<Dependency>,
    dependencies: Vec<Dependency>,
}

/// A pom with what it inherits, and every version known as far as possible.
struct Effective {
    dependencies: Vec<Dependency>,
}

impl Effective {
    fn read(file: &Path, repository: &Path) -> Option<Self> {
        let poms = chain(file, repository);
        let first = poms.first()?;
        let mut properties: BTreeMap<String, String> = BTreeMap::new();
        for pom in poms.iter().rev() {
            properties.extend(pom.properties.clone());
        }
        let parent = first.parent.clone().unwrap_or_default();
        for (name, own, inherited) in [
            ("groupId", &first.group, &parent.group),
            ("version", &first.version, &parent.version),
            ("artifactId", &first.artifact, &parent.artifact),
        ] {
            let value = own.clone().unwrap_or_else(|| inherited.clone());
            properties.insert(format!("project.{name}"), value.clone());
            properties.insert(format!("pom.{name}"), value);
        }
        properties.insert("project.parent.version".to_owned(), parent.version.clone());
        let mut managed: BTreeMap<(String, String), Dependency> = BTreeMap::new();
        for pom in &poms {
            manage(&mut managed, &pom.managed, &properties, repository, 0);
        }
        let mut dependencies = Vec::new();
        for dependency in poms.iter().flat_map(|pom| &pom.dependencies) {
            let mut one = filled(dependency, &properties);
            if let Some(known) = managed.get(&(one.group.clone(), one.artifact.clone())) {
                if one.version.is_empty() {
                    one.version.clone_from(&known.version);
                }
                if one.scope.is_empty() {
                    one.scope.clone_from(&known.scope);
                }
            }
            dependencies.push(one);
        }
        Some(Self { dependencies })
    }
}

/// A pom and its parents, the nearest first.
fn chain(file: &Path, repository: &Path) -> Vec<Pom> {
    const LONGEST_CHAIN: usize = 30;
    let mut all = Vec::new();
    let mut next = Some(file.to_owned());
    while let Some(file) = next.take().filter(|_| all.len() < LONGEST_CHAIN) {
        let Some(pom) = Pom::read(&file) else { break };
        next = pom.parent.as_ref().map(|parent| {
            let beside =
                file.parent().map(|folder| folder.join(pom.relative.as_deref().unwrap_or("../pom.xml")));
            let beside = beside.map(|path| if path.is_dir() { path.join("pom.xml") } else { path });
            let is_it = |path: &PathBuf| {
                Pom::read(path).is_some_and(|above| above.artifact.as_deref() == Some(&*parent.artifact))
            };
            beside.filter(is_it).unwrap_or_else(|| in_repository(repository, parent))
        });
        all.push(pom);
    }
    all
}

fn in_repository(repository: &Path, one: &Dependency) -> PathBuf {
    let folder = repository.join(one.group.replace('.', "/")).join(&one.artifact).join(&one.version);
    folder.join(format!("{}-{}.pom", one.artifact, one.version))
}

/// Adds managed versions that are not known yet, and those of imported lists.
fn manage(
    known: &mut BTreeMap<(String, String), Dependency>,
    managed: &[Dependency],
    properties: &BTreeMap<String, String>,
    repository: &Path,
    depth: usize,
) {
    for dependency in managed {
        let one = filled(dependency, properties);
        if one.scope == "import" {
            let poms =
                if depth < 10 { chain(&in_repository(repository, &one), repository) } else { Vec::new() };
            let mut theirs: BTreeMap<String, String> = BTreeMap::new();
            poms.iter().rev().for_each(|pom| theirs.extend(pom.properties.clone()));
            theirs.insert("project.version".to_owned(), one.version.clone());
            theirs.insert("project.groupId".to_owned(), one.group.clone());
            for pom in &poms {
                manage(known, &pom.managed, &theirs, repository, depth + 1);
            }
        } else {
            known.entry((one.group.clone(), one.artifact.clone())).or_insert(one);
        }
    }
}

/// A dependency with the values of its properties.
fn filled(one: &Dependency, properties: &BTreeMap<String, String>) -> Dependency {
    let value = |text: &String| {
        let mut text = text.clone();
        // A property may stand for another one.
        for _ in 0..10 {
            let Some((before, rest)) = text.split_once("${") else { break };
            let Some((name, after)) = rest.split_once('}') else { break };
            let Some(value) = properties.get(name) else { break };
            text = format!("{before}{value}{after}");
        }
        text
    };
    Dependency {
        group: value(&one.group),
        artifact: value(&one.artifact),
        version: value(&one.version),
        scope: value(&one.scope),
        kind: value(&one.kind),
        classifier: value(&one.classifier),
        optional: one.optional,
    }
}

impl Pom {
    fn read(file: &Path) -> Option<Self> {
        let is_small = fs::metadata(file).ok()?.len() <= LONGEST;
        is_small.then(|| fs::read(file).ok().map(|bytes| Self::parse(&bytes))).flatten()
    }

    /// Parses up to the first mistake, if there is one.
    fn parse(bytes: &[u8]) -> Self {
        let mut pom = Self::default();
        let mut xml = Reader::from_reader(bytes);
        let (mut open, mut text): (Vec<String>, String) = (Vec::new(), String::new());
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
        match open.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["project", "parent"] => self.parent = Some(Dependency::default()),
            ["project", "dependencies", "dependency"] => self.dependencies.push(Dependency::default()),
            ["project", "dependencyManagement", "dependencies", "dependency"] => {
                self.managed.push(Dependency::default());
            }
            _ => {}
        }
    }

    fn end(&mut self, open: &[String], text: &str) {
        let text = text.to_owned();
        match open.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["project", "groupId"] => self.group = Some(text),
            ["project", "artifactId"] => self.artifact = Some(text),
            ["project", "version"] => self.version = Some(text),
            ["project", "properties", name] => drop(self.properties.insert(name.to_owned(), text)),
            ["project", "parent", "relativePath"] => self.relative = Some(text),
            ["project", "parent", field] => set(self.parent.as_mut(), field, text),
            ["project", "dependencies", "dependency", field] => {
                set(self.dependencies.last_mut(), field, text)
            }
            ["project", "dependencyManagement", "dependencies", "dependency", field] => {
                set(self.managed.last_mut(), field, text);
            }
            _ => {}
        }
    }
}

fn set(dependency: Option<&mut Dependency>, field: &str, text: String) {
    let Some(dependency) = dependency else { return };
    match field {
        "groupId" => dependency.group = text,
        "artifactId" => dependency.artifact = text,
        "version" => dependency.version = text,
        "scope" => dependency.scope = text,
        "type" => dependency.kind = text,
        "classifier" => dependency.classifier = text,
        "optional" => dependency.optional = text == "true",
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_properties_parents_and_imports() {
        let folder = tempfile::tempdir().unwrap();
        let (root, repository) = (folder.path(), folder.path().join("repository"));
        let put = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let artifact = |group: &str, name: &str, version: &str, pom: &str| {
            let at = repository.join(group).join(name).join(version).join(format!("{name}-{version}"));
            put(&at.with_file_name(format!("{name}-{version}.jar")), "");
            put(&at.with_file_name(format!("{name}-{version}.pom")), &format!("<project>{pom}</project>"));
        };
        let dependency = |group: &str, name: &str, rest: &str| {
            format!(
                "<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>{rest}</dependency>"
            )
        };
        let version = |version: &str| format!("<version>{version}</version>");
        artifact(
            "a",
            "one",
            "1.2",
            &format!(
                "<dependencies>{}{}</dependencies>",
                dependency("a", "deep", &version("3")),
                dependency("a", "tested", &(version("1") + "<scope>test</scope>"))
            ),
        );
        artifact("a", "deep", "3", "");
        artifact("a", "tested", "1", "");
        artifact("b", "two", "2.0", "");
        artifact(
            "c",
            "bom",
            "9",
            &format!(
                "<dependencyManagement><dependencies>{}</dependencies></dependencyManagement>",
                dependency("b", "two", &version("2.0"))
            ),
        );
        put(
            &root.join("pom.xml"),
            &format!(
                "<project><groupId>x</groupId><artifactId>root</artifactId><version>1</version>\
             <properties><one.version>1.2</one.version></properties>\
             <dependencyManagement><dependencies>{}</dependencies></dependencyManagement></project>",
                dependency("c", "bom", &(version("9") + "<type>pom</type><scope>import</scope>"))
            ),
        );
        let module = root.join("module/pom.xml");
        put(
            &module,
            &format!(
                "<project><parent><groupId>x</groupId><artifactId>root</artifactId><version>1</version></parent>\
             <artifactId>module</artifactId><dependencies>{}{}{}</dependencies></project>",
                dependency("a", "one", &version("${one.version}")),
                dependency("b", "two", ""),
                dependency("d", "lost", &version("7"))
            ),
        );
        let Found { jars, missing } = dependencies(&module, &repository);
        let names: Vec<&str> = jars.iter().map(|jar| jar.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["one-1.2.jar", "two-2.0.jar", "deep-3.jar"]);
        assert_eq!(missing, ["d:lost:7"]);
    }
}
