//! `adit name`: names of the user's own, in every file and through later rounds.

mod driver;

use std::fs;

use driver::java::java;
use driver::{adit, refused};

#[test]
fn a_name_is_everywhere_and_survives_the_next_round() {
    if java().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    let only = ["--only", "hasMoreTokens,nextToken()", "--budget", "8000tests", "-o", &out];
    let mine = || adit(&[&["mine", "java.util.StringTokenizer"], only.as_slice()].concat());
    let first = mine();
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(first.out.contains("2 (not hasMoreTokens)"), "{}", first.out);

    let named = adit(&["name", &out, "not hasMoreTokens", "used up"]);
    assert_eq!((named.code, named.out.as_str()), (0, ""), "{}", named.err);
    assert!(named.err.contains("state 2 is now `used up`"), "{}", named.err);
    let told = || {
        let files = ["model.json", "model.dot", "report.html"];
        files
            .map(|name| fs::read_to_string(folder.path().join("out").join(name)).unwrap().contains("used up"))
    };
    assert_eq!(told(), [true; 3]);
    assert!(adit(&["show", &out]).out.contains("2 used up"));

    let again = mine();
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(again.out.contains("(used up)"), "{}", again.out);
    assert_eq!(told(), [true; 3]);
    // The files may be lost; the campaign and the names are not.
    fs::remove_file(folder.path().join("out/model.json")).unwrap();
    assert!(adit(&["show", &out]).out.contains("used up"));
    assert_eq!(mine().code, 0);

    let cleared = adit(&["name", &out, "used up", "--clear"]);
    assert_eq!(cleared.code, 0, "{}", cleared.err);
    let listed = adit(&["name", &out]).out;
    assert!(listed.contains("(not hasMoreTokens)") && !listed.contains("used up"), "{listed}");
}

#[test]
fn a_model_alone_is_named_in_place_and_mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.dot").display().to_string();
    fs::copy(driver::example("tokenizer.dot"), &file).unwrap();
    let named = adit(&["name", &file, "1", "fresh", "--json"]);
    assert_eq!(named.code, 0, "{}", named.err);
    assert_eq!(named.json()["states"][1]["name"], "fresh");
    assert!(fs::read_to_string(&file).unwrap().contains("fresh"));

    refused(&adit(&["name", &file, "9", "x"]), &["no state `9`", "lists them"]);
    refused(&adit(&["name", &file, "frech", "x"]), &["did you mean `fresh`?"]);
    refused(&adit(&["name", &file, "1", " "]), &["not a name", "such as 'shipped'"]);
    refused(&adit(&["name", &file, "1"]), &["no name for state 1", "adit name"]);
    let aut = folder.path().join("model.aut").display().to_string();
    fs::copy(driver::example("connection.aut"), &aut).unwrap();
    refused(&adit(&["name", &aut, "0", "x"]), &["cannot hold names", "adit convert"]);
}
