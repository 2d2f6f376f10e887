//! The engine and the launcher of JUnit 5, which build tools provide and projects therefore do not name.

use std::fs;
use std::path::{Path, PathBuf};

/// Jars of every project with JUnit 5 tests. Their versions differ, and each determines the versions of
/// others.
const NAMED: [&str; 2] = ["junit-jupiter-api", "junit-platform-commons"];

/// Returns the jars that these lack to run tests, if the build tool has downloaded them already.
pub(super) fn beside(entries: &[PathBuf]) -> Vec<PathBuf> {
    let find = |name| entries.iter().find_map(|entry| Some((entry, version_of(entry, name)?)));
    let [Some((api, version)), Some((_, platform))] = NAMED.map(find) else { return Vec::new() };
    let wanted = [
        ("jupiter", "junit-jupiter-engine", version),
        ("platform", "junit-platform-engine", platform),
        ("platform", "junit-platform-launcher", platform),
    ];
    let missing =
        wanted.iter().filter(|(_, name, _)| !entries.iter().any(|entry| version_of(entry, name).is_some()));
    missing.filter_map(|(group, name, version)| kept(api, group, name, version)).collect()
}

/// Returns the path of another JUnit jar in the repository that holds `api`.
fn kept(api: &Path, group: &str, name: &str, version: &str) -> Option<PathBuf> {
    let file = format!("{name}-{version}.jar");
    // Maven: org/junit/jupiter/junit-jupiter-api/5.9.2/junit-jupiter-api-5.9.2.jar
    let maven = api.ancestors().nth(4)?.join(group).join(name).join(version).join(&file);
    if maven.is_file() {
        return Some(maven);
    }
    // Gradle: org.junit.jupiter/junit-jupiter-api/5.9.2/(hash of the file)/junit-jupiter-api-5.9.2.jar
    let gradle = api.ancestors().nth(5)?.join(format!("org.junit.{group}")).join(name).join(version);
    let folders = fs::read_dir(gradle).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    folders.map(|folder| folder.join(&file)).filter(|file| file.is_file()).min()
}

/// Returns the version in the name of a jar, if it is the one of this name.
fn version_of<'e>(entry: &'e Path, name: &str) -> Option<&'e str> {
    entry.file_name()?.to_str()?.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(".jar")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tools_keep_it_beside_what_is_named() {
        let place = tempfile::tempdir().unwrap();
        let jar = |name: &str| {
            let file = place.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "").unwrap();
            file
        };
        let maven = jar("org/junit/jupiter/junit-jupiter-api/5.9.2/junit-jupiter-api-5.9.2.jar");
        let gradle = jar("org.junit.jupiter/junit-jupiter-api/6.0.1/a1/junit-jupiter-api-6.0.1.jar");
        // That of another version does not fit.
        jar("org/junit/platform/junit-platform-launcher/1.9.0/junit-platform-launcher-1.9.0.jar");
        let commons = |version: &str| PathBuf::from(format!("/junit-platform-commons-{version}.jar"));
        assert_eq!(beside(&[maven.clone(), commons("1.9.1")]), Vec::<PathBuf>::new());
        assert_eq!(beside(&[gradle.clone(), commons("6.0.1")]), Vec::<PathBuf>::new());
        let for_maven = [
            jar("org/junit/jupiter/junit-jupiter-engine/5.9.2/junit-jupiter-engine-5.9.2.jar"),
            jar("org/junit/platform/junit-platform-engine/1.9.1/junit-platform-engine-1.9.1.jar"),
            jar("org/junit/platform/junit-platform-launcher/1.9.1/junit-platform-launcher-1.9.1.jar"),
        ];
        let for_gradle =
            [jar("org.junit.platform/junit-platform-launcher/6.0.1/b2/junit-platform-launcher-6.0.1.jar")];
        assert_eq!(beside(&["/other.jar".into(), maven.clone(), commons("1.9.1")]), for_maven);
        assert_eq!(beside(&[maven.clone(), commons("1.9.1"), for_maven[0].clone()]), for_maven[1..]);
        assert_eq!(beside(&[commons("6.0.1"), gradle]), for_gradle);
        assert_eq!(
            beside(&[&[maven.clone(), commons("1.9.1")], &for_maven[..]].concat()),
            Vec::<PathBuf>::new()
        );
        assert_eq!(beside(&[maven]), Vec::<PathBuf>::new());
        for odd in ["junit-jupiter-api-1.jar", "junit-jupiter-api.jar", "/", ""] {
            assert_eq!(beside(&[odd.into(), commons("1")]), Vec::<PathBuf>::new(), "{odd}");
        }
    }
}
