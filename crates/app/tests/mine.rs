//! `adit mine` on real classes: the model, the files beside it, and classes of every kind.

mod driver;

use std::fs;
use std::path::{Path, PathBuf};

use driver::adit;
use driver::java::{CELL, VAULT, java, subjects};
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn a_cell_is_empty_or_full() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    let run = adit(&["mine", "Cell", "-c", &path, "--budget", "100000tests", "--quiet", "-o", &out]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    expect![[r#"
        start 0
            -> 1 (isEmpty): Cell
        1 (isEmpty)
            stays: clear, isEmpty:TRUE, put [p0 == null]
            -> 2 (not isEmpty): put [p0 != null]
        2 (not isEmpty)
            -> 1 (isEmpty): clear
            stays: isEmpty:FALSE
            refuses: put!IllegalStateException
    "#]]
    .assert_eq(&run.out);
}

/// `isFull` is not in the model and still names its states; `take` waits where nothing is, and refuses only
/// arguments.
#[test]
fn what_blocks_is_told_and_states_have_names() {
    let Some(java) = java() else { return };
    let hatch = "public class Hatch {
        private boolean full;
        public synchronized void put(int v) {
            if (v % 4 != 1) throw new IllegalArgumentException();
            if (full) throw new IllegalStateException();
            full = true;
            notifyAll();
        }
        public synchronized void take(int v) throws InterruptedException {
            if (v < 0) throw new IllegalArgumentException();
            while (!full) wait();
            full = false;
        }
        public synchronized boolean isFull() { return full; }
    }";
    let classes = java.compile(&[("Hatch.java", hatch)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    let mine = ["mine", "Hatch", "-c", &path, "--only", "put,take", "--budget", "2000tests", "--quiet"];
    let run = adit(&[&mine[..], &["-o", &out]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let told = expect![[r#"
        start 0
            -> 1 (not isFull): Hatch
        1 (not isFull)
            -> 2 (isFull): put
            blocks: take
        2 (isFull)
            -> 1 (not isFull): take
            refuses: put!IllegalStateException
    "#]];
    told.assert_eq(&run.out);
    told.assert_eq(&adit(&["show", &out, "--all"]).out);
    let run: Value = serde_json::from_str(&fs::read_to_string(format!("{out}/run.json")).unwrap()).unwrap();
    assert_eq!(run["blocked"], json!([{"state": 1, "methods": ["take"]}]));
    let page = fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert!(page.contains(r#""blocks":["take"]"#), "the page has it, too");
}

/// The model that README.md shows is what comes out.
#[test]
fn a_tokenizer_has_tokens_or_not() {
    if java().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let only = "hasMoreTokens,nextToken()";
    let run =
        adit(&["mine", "java.util.StringTokenizer", "--only", only, "--budget", "100000tests", "-o", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tokenizer.model.json");
    let model = format!("{out}/model.json");
    let compared = adit(&["compare", &model, &shown.display().to_string(), "--json"]).json();
    assert_eq!(compared["equal"], true, "{compared}");
}

/// No list of texts has one that is nothing but separators of two kinds, with one of them for the next call.
#[test]
fn values_that_belong_together_are_found() {
    if java().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("word.dot").display().to_string();
    let word = "digraph word {
        start [shape=point]; start -> 0; 0;
        1 [shape=doublecircle]; 2 [shape=doublecircle]; 3 [shape=doublecircle]; 4 [shape=doublecircle];
        0 -> 1 [label=\"StringTokenizer\"]; 1 -> 2 [label=\"hasMoreTokens:FALSE\"];
        2 -> 3 [label=\"nextToken(String)\"]; 3 -> 4 [label=\"nextToken()\"];
    }";
    fs::write(&model, word).unwrap();
    // With the known values alone, seed 1 reproduces 35 of 40 walks.
    let limits = ["--walks", "40", "--seed", "1", "--budget", "60000tests", "--json"];
    let run = adit(&[&["validate", &model, "java.util.StringTokenizer"][..], &limits].concat());
    assert_eq!(run.json()["precision"], 1.0, "{}", run.out);
}

/// Two indexes of an array say together whether it is empty. Each alone seems not to matter for a while.
#[test]
fn a_deque_is_not_empty_after_an_element_was_added() {
    if java().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let run = adit(&["mine", "java.util.ArrayDeque", "--budget", "200000tests", "--quiet", "-o", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    let is_empty = |line: &str| line.starts_with(char::is_numeric) && line.ends_with(" (isEmpty)");
    let mut empty = run.out.lines().skip_while(|line| !is_empty(line));
    let stays = empty.find(|line| line.contains("stays:")).unwrap_or_else(|| panic!("{}", run.out));
    assert!(stays.contains("isEmpty:TRUE") && !stays.contains("addLast"), "{stays}");
}

#[test]
fn the_same_seed_gives_the_same_files_and_the_tests_pass() {
    let Some(java) = java() else { return };
    let classes = tempfile::tempdir().unwrap();
    let stack: Vec<PathBuf> =
        subjects("").into_iter().filter(|file| file.ends_with("StackAr.java")).collect();
    java.compile_files(&stack, "", classes.path());
    let path = classes.path().display().to_string();
    let mine = |out: &str, seed: &str| {
        let folder = classes.path().join(out);
        let run = adit(&[
            "mine",
            "StackAr",
            "-c",
            &path,
            "--budget",
            "200000tests",
            "--seed",
            seed,
            "--json",
            "-o",
            &folder.display().to_string(),
        ]);
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        assert_eq!(json["class"], "StackAr");
        let properties = fs::read_to_string(folder.join("properties.json")).unwrap();
        let properties: Value = serde_json::from_str(&properties).unwrap();
        let properties = properties["properties"].as_array().unwrap();
        let count = |fate: &str| properties.iter().filter(|one| one["fate"] == fate).count();
        let [refuted, survived, not_attacked] = ["refuted", "survived", "not_attacked"].map(count);
        assert!(survived > 0, "the attack had time: {properties:?}");
        let counted = json!({
            "mined": properties.len(), "refuted": refuted, "survived": survived, "not_attacked": not_attacked
        });
        assert_eq!(json["properties"], counted);
        let files =
            ["model.json", "model.dot", "properties.json", "traces.jsonl", "tests/StackArMinedTest.java"];
        files.map(|file| fs::read_to_string(folder.join(file)).unwrap())
    };
    let one = mine("one", "3");
    assert_eq!(one, mine("two", "3"));
    // A stack of capacity one is full after one push; one of capacity zero is full from the beginning.
    let model = classes.path().join("one/model.json").display().to_string();
    for (formula, holds) in [
        (r#"G (makeEmpty -> X !"isEmpty:FALSE")"#, true),
        (r#"G (push -> X !"isEmpty:TRUE")"#, true),
        (r#"G ("isEmpty:TRUE" -> X !"isFull:TRUE")"#, false),
    ] {
        assert_eq!(adit(&["check", &model, "--formula", formula]).code, i32::from(!holds), "{formula}");
    }
    let source = classes.path().join("one/tests/StackArMinedTest.java");
    let tests = java.tests_pass(&source, "StackAr", &path);
    assert!(tests.is_none_or(|tests| tests > 5), "{tests:?}");
}

/// A class none of whose methods can succeed, with parameters of every kind that Java can and cannot name.
const PICKY: &str = "
package shop;
public class Picky {
    public static class Node { private Node() {} }
    public static class Default { private Default() {} }
    static class Hidden {}
    public void visit(Node node, java.util.Map.Entry<String, Node>[] entries) { throw new IllegalStateException(); }
    public void load(Class<?> type, Package from, Default usual) { throw new IllegalStateException(); }
    public void hide(Hidden hidden) { throw new IllegalStateException(); }
    public void nest(Node[][] nodes, byte[] bytes, Node... more) { throw new IllegalStateException(); }
    public int size() { return 1; }
}
";

#[test]
fn the_skeleton_of_fixtures_compiles_and_is_accepted() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Picky.java", PICKY)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    let mine = ["mine", "shop.Picky", "-c", &path, "--budget", "2000tests", "--fresh", "-o", &out];
    let run = adit(&mine);
    assert_eq!(run.code, 0, "{}", run.err);
    let skeleton = classes.path().join("out/Fixtures.java");
    let source = fs::read_to_string(&skeleton).unwrap();
    for wanted in
        ["shop.Picky.Node node()", "shop.Picky.Default default2()", "byte[] bytes()", "Package package2()"]
    {
        assert!(source.contains(wanted), "{wanted}\n{source}");
    }
    // Nobody else can name it.
    assert!(!source.contains("Hidden"), "{source}");
    let into = tempfile::tempdir().unwrap();
    java.compile_files(std::slice::from_ref(&skeleton), &path, into.path());
    let kept = into.path().join("Fixtures.java");
    fs::copy(&skeleton, &kept).unwrap();
    let run = adit(&[&mine[..], &["--fixtures", kept.to_str().unwrap()]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
}

const VAULT_TEST: &str = "
import org.junit.Test;
public class VaultTest {
    @Test public void opens() { Vault vault = new Vault(); vault.isOpen(); vault.open(\"sesame-4711\"); vault.isOpen(); vault.close(); }
    @Test(expected = IllegalStateException.class) public void stays() { Vault vault = new Vault(); vault.toString(); vault.close(); }
}
";

#[test]
fn what_the_tests_do_is_known() {
    let Some(java) = java() else { return };
    let jars = ["junit4.jar", "hamcrest.jar"].map(|jar| Path::new("/usr/share/java").join(jar));
    if let Some(missing) = jars.iter().find(|jar| !jar.exists()) {
        eprintln!("NOT RUN: {} is missing (Debian and Ubuntu: apt install junit4)", missing.display());
        return;
    }
    let classes = java.compile(&[("Vault.java", VAULT)]);
    let mut path = vec![classes.path().display().to_string()];
    path.extend(jars.iter().map(|jar| jar.display().to_string()));
    let path = path.join(":");
    let tests = tempfile::tempdir().unwrap();
    let source = tests.path().join("VaultTest.java");
    fs::write(&source, VAULT_TEST).unwrap();
    java.compile_files(&[source], &path, tests.path());
    let tests = tests.path().display().to_string();
    let mine = |miner: &str, more: &[&str]| {
        let name = if more.is_empty() { format!("{miner}-alone") } else { miner.to_owned() };
        let out = classes.path().join(name).display().to_string();
        let all =
            ["mine", "Vault", "-c", &path, "--miner", miner, "--budget", "20000tests", "--json", "-o", &out];
        let run = adit(&[all.as_slice(), more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let read = |file: &str| fs::read_to_string(format!("{out}/{file}")).unwrap();
        let properties: serde_json::Value = serde_json::from_str(&read("properties.json")).unwrap();
        let surviving: Vec<String> = properties["properties"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["fate"] != "refuted")
            .map(|one| format!("{} {} {}", one["template"], one["a"], one["b"]).replace('"', ""))
            .collect();
        (run, surviving, read("traces.jsonl"))
    };
    let (alone, claims, _) = mine("explore", &[]);
    assert_eq!(alone.json()["rejected"].as_array().unwrap().len(), 0);
    assert!(!claims.iter().any(|claim| claim.contains("close")), "{claims:?}");
    let (told, claims, traces) = mine("explore", &["--tests", &tests]);
    // Trying alone does not get in, and says so.
    assert_eq!(
        told.json()["rejected"],
        serde_json::json!([["Vault", "isOpen:FALSE", "open", "isOpen:TRUE", "close"]])
    );
    assert!(told.err.contains("the model rejects 1 call sequence of your tests"), "{}", told.err);
    // What the test contradicts is not claimed; what it shows is.
    for refuted in ["NF isOpen:FALSE isOpen:TRUE", "NF Vault close", "AIF Vault open", "NIF open isOpen:TRUE"]
    {
        assert!(!claims.contains(&refuted.to_owned()), "{refuted}: {claims:?}");
    }
    for shown in ["AP close open", "AP isOpen:TRUE open"] {
        assert!(claims.contains(&shown.to_owned()), "{shown}: {claims:?}");
    }
    assert!(traces.contains("close"), "{traces}");
    // The next round of the campaign knows it still, and the model is not made to guess where it leads.
    let (again, claims_again, _) = mine("explore", &["--tests", &tests]);
    assert_eq!(
        (again.json()["round"].as_u64(), &again.json()["rejected"]),
        (Some(2), &told.json()["rejected"])
    );
    assert!(claims_again.contains(&"AP close open".to_owned()), "{claims_again:?}");
    let campaign = adit_store::Campaign::read(&classes.path().join("explore")).unwrap();
    let of_tests: Vec<_> =
        campaign.traces().map(Result::unwrap).filter(|trace| trace.test.is_none()).collect();
    assert_eq!(of_tests.len(), 1, "{of_tests:?}");
    assert_eq!((of_tests[0].word.last().unwrap().as_str(), of_tests[0].count), ("close", 1));
    let out = classes.path().join("explore").display().to_string();
    let without = adit(&["mine", "Vault", "-c", &path, "--quiet", "--claims", "all", "-o", &out]);
    assert_eq!(without.code, 2);
    assert!(without.err.contains("claims was held and is now all; tests changed"), "{}", without.err);
    // A model that is made of traces has those of the tests.
    let (dice, _, _) = mine("dice", &["--tests", &tests]);
    assert_eq!(dice.json()["rejected"].as_array().unwrap().len(), 0);
    assert!(dice.json()["alphabet"].to_string().contains("close"));
    let wrong = adit(&["mine", "Vault", "-c", &path, "--tests", &classes.path().display().to_string()]);
    assert_eq!((wrong.code, wrong.err.contains("none of them a test")), (2, true), "{}", wrong.err);
}

/// The branches of a class, and how the search went.
#[test]
fn the_search_is_told() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    for tester in ["dice", "dynamosa", "random"] {
        let out = classes.path().join(tester).display().to_string();
        let run = adit(&[
            "mine",
            "Cell",
            "-c",
            &path,
            "--miner",
            "dice",
            "--tester",
            tester,
            "--budget",
            "8000tests",
            "--json",
            "-o",
            &out,
        ]);
        assert_eq!(run.code, 0, "{}", run.err);
        let read = |file: &str| -> serde_json::Value {
            serde_json::from_str(&fs::read_to_string(format!("{out}/{file}")).unwrap()).unwrap()
        };
        let (json, points) = (run.json(), read("search.json")["points"].as_array().unwrap().clone());
        // Two sides in `put`, two in `isEmpty`, and two methods without a branch.
        let branches = (json["branches"]["covered"].as_u64(), json["branches"]["all"].as_u64());
        assert_eq!(branches, if tester == "random" { (None, None) } else { (Some(6), Some(6)) });
        assert!((1..=200).contains(&points.len()));
        let times = |name: &str| points.iter().map(|point| point[name].as_f64().unwrap()).collect::<Vec<_>>();
        assert!(times("tests").is_sorted() && times("seconds").is_sorted(), "{points:?}");
        if tester == "dice" {
            assert_eq!(points.last().unwrap()["covered"], 6);
            assert_eq!(points.last().unwrap()["refuted"], json["properties"]["refuted"]);
            let properties = read("properties.json");
            let properties = properties["properties"].as_array().unwrap();
            assert!(!properties.is_empty());
            for one in properties {
                let found = one["found_after_tests"].as_u64();
                assert_eq!(found.is_some(), one["fate"] == "refuted", "{one}");
                assert!(found.is_none_or(|found| (300..=8000).contains(&found)), "{one}");
            }
        }
    }
}

const KINDS: &[(&str, &str)] = &[
    ("Color.java", "public enum Color { RED, GREEN; public boolean isRed() { return this == RED; } }"),
    (
        "Point.java",
        "public record Point(int x, int y) { public boolean isOrigin() { return x == 0 && y == 0; } }",
    ),
    (
        "Shape.java",
        "public interface Shape { boolean isRound(); static Shape circle() { return () -> true; } }",
    ),
    (
        "Base.java",
        "public abstract class Base { private boolean open; public void open() { if (open) throw new IllegalStateException(); open = true; } public static Base make() { return new Base() {}; } }",
    ),
    (
        "Box.java",
        "public class Box<T extends Comparable<T>> { private T held; public void hold(T one) { held = one; } public T held() { if (held == null) throw new IllegalStateException(); return held; } }",
    ),
    (
        "Broken.java",
        "public class Broken { public Broken() { throw new IllegalStateException(\"never\"); } public void use() {} }",
    ),
    ("Hidden.java", "public class Hidden { private Hidden() {} public void use() {} }"),
];

#[test]
fn classes_of_every_kind() {
    let Some(java) = java() else { return };
    let sources: Vec<(&str, &str)> =
        KINDS.iter().filter(|(name, _)| *name != "Point.java" || java.feature >= 16).copied().collect();
    let classes = java.compile(&sources);
    let path = classes.path().display().to_string();
    let mut told = String::new();
    for (name, _) in &sources {
        let class = name.trim_end_matches(".java");
        let out = classes.path().join("out").join(class).display().to_string();
        let run =
            adit(&["mine", class, "-c", &path, "--budget", "20000tests", "--quiet", "--json", "-o", &out]);
        // The number of tests comes next, which is not what this is about.
        let said: Vec<&str> = run.err.split_whitespace().take(12).collect();
        let model = if run.code == 0 { run.json()["alphabet"].to_string() } else { said.join(" ") };
        told += &format!("{class}: {} {model}\n", run.code);
    }
    expect![[r#"
        Color: 2 error: Color is an enum: its objects exist before the first call,
        Point: 0 ["Point","isOrigin:FALSE","isOrigin:TRUE","x","y"]
        Shape: 0 ["circle","isRound:TRUE"]
        Base: 0 ["make","open"]
        Box: 0 ["Box","held","hold"]
        Broken: 4 error: no answer: adit could not construct an object of Broken in
        Hidden: 4 error: adit cannot construct an object of Hidden: it has no public
    "#]]
    .assert_eq(&told);
}

const STUBBORN: &str = "
public class Stubborn {
    private boolean open;
    public Stubborn() {}
    public void spin() { while (true) { } }
    public void leave() { System.exit(3); }
    public void unlock(String word) { if (!word.equals(\"open sesame, \" + word.length())) throw new IllegalArgumentException(); open = true; }
    public void enter() { if (!open) throw new IllegalStateException(); }
    public boolean isOpen() { return open; }
}
";

/// adit gives up methods that hang after a few calls, and names those that never returned.
#[test]
fn methods_that_hang_or_never_return_are_named() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Stubborn.java", STUBBORN)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    let run = adit(&["mine", "Stubborn", "-c", &path, "--budget", "20000tests", "--json", "-o", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    let said = run.json();
    assert_eq!(said["hang"], serde_json::json!(["leave", "spin"]), "{said}");
    let never: Vec<&str> =
        said["never_returned"].as_array().unwrap().iter().filter_map(|one| one["method"].as_str()).collect();
    assert!(never.contains(&"unlock") && never.contains(&"enter"), "{said}");
    assert!(!said["pure"].to_string().contains("unlock"), "{said}");
    assert_eq!(said["alphabet"], serde_json::json!(["Stubborn", "isOpen:FALSE"]), "{said}");
}

/// A gate that blocks, and a pump whose every method hangs if its source never ends.
const BLOCKING: [(&str, &str); 3] = [
    (
        "Gate.java",
        "public class Gate {
            private int coins;
            public Gate() {}
            public synchronized void insert() { coins++; }
            public synchronized void pass() throws InterruptedException { while (coins == 0) wait(); coins--; }
            public synchronized boolean isOpen() { return coins > 0; }
        }",
    ),
    ("Source.java", "public interface Source { int next(); }"),
    (
        "Pump.java",
        "public class Pump {
            private final Source source;
            public Pump(Source source) { if (source == null) throw new NullPointerException(); this.source = source; }
            public void drain() { while (source.next() >= 0) { } }
            public int count() { int count = 0; while (source.next() >= 0) count++; return count; }
            public int sum() { int sum = 0; for (int n; (n = source.next()) >= 0; ) sum += n; return sum; }
            public boolean isDry() { while (source.next() >= 0) { } return true; }
            public int most() { int most = 0; for (int n; (n = source.next()) >= 0; ) most = Math.max(n, most); return most; }
        }",
    ),
];

/// A class that blocks gives a model all the same, in about its time, and says what blocks: the call, or how
/// the object was made.
#[test]
fn classes_that_block_give_a_model_in_time() {
    let Some(java) = java() else { return };
    let classes = java.compile(&BLOCKING);
    let path = classes.path().display().to_string();
    let mine = |class: &str, budget: &str| {
        let out = classes.path().join("out").join(class).display().to_string();
        let run = adit(&["mine", class, "-c", &path, "--budget", budget, "--json", "-o", &out]);
        assert_eq!(run.code, 0, "{class}: {}", run.err);
        run.json()
    };
    let gate = mine("Gate", "8s");
    // Twice the time, because other tests run beside this one.
    assert!(gate["seconds"].as_f64().unwrap() < 16.0, "{gate}");
    // A call that blocks in one state is tried in the others, and may succeed there.
    assert_eq!(gate["blocking"], serde_json::json!(["pass"]), "{gate}");
    assert_eq!(gate["hang"], serde_json::json!([]), "{gate}");
    assert!(gate["alphabet"].to_string().contains("pass"), "{gate}");
    let ends = gate["bad_ends"].as_array().unwrap();
    // On a machine that is overloaded, one that blocks may be taken for one that hangs.
    assert!(ends.iter().all(|end| end["method"] == "pass" && end["on"] == "Gate()"), "{gate}");
    assert!(gate["alphabet"].to_string().contains("insert"), "{gate}");
    let pump = mine("Pump", "3000tests");
    assert_eq!(
        pump["hanging_objects"],
        serde_json::json!(["Pump(function giving small)", "Pump(function giving zero)"]),
        "{pump}"
    );
    assert_eq!(pump["hang"], serde_json::json!([]), "{pump}");
    for event in ["count", "drain", "isDry:TRUE", "most", "sum"] {
        assert!(pump["alphabet"].to_string().contains(event), "{event}: {pump}");
    }
}

/// No more tests are run than the budget allows, everybody counts the same, and an end that came too early is
/// called that.
#[test]
fn budgets_are_kept_and_counted_once() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Cell.java", CELL)]);
    let path = classes.path().display().to_string();
    for (budget, code) in [("1ms", 4), ("1tests", 4), ("150tests", 0), ("3000tests", 0)] {
        let out = classes.path().join(budget).display().to_string();
        let run = adit(&["mine", "Cell", "-c", &path, "--budget", budget, "--json", "-o", &out]);
        assert_eq!(run.code, code, "{budget}: {}", run.err);
        let status = adit(&["status", &out]);
        if code == 4 {
            assert!(run.err.contains("the budget ended after"), "{budget}: {}", run.err);
            continue;
        }
        let said = run.json();
        let tests = said["tests"].as_u64().unwrap();
        assert!(budget.strip_suffix("tests").unwrap().parse::<u64>().unwrap() >= tests, "{budget}: {said}");
        assert!(run.err.contains(&format!("; {tests} tests in")), "{budget}: {}", run.err);
        assert!(status.out.contains(&format!(" {tests} tests in")), "{budget}: {}", status.out);
    }
}

/// Calls that there was no time to explore lead to guessed transitions, and the numbers say so.
#[test]
fn guesses_are_marked() {
    if java().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let run = adit(&["mine", "java.util.ArrayDeque", "--budget", "4000tests", "--json", "-o", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    let read = |file: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(folder.path().join(file)).unwrap()).unwrap()
    };
    let (model, said) = (read("model.json"), read("run.json"));
    let edges = &said["confirmed_transitions"];
    let guesses = edges["all"].as_u64().unwrap() - edges["confirmed"].as_u64().unwrap();
    assert!(guesses > 0 && edges["confirmed"].as_u64().unwrap() > 0, "{edges}");
    assert_eq!(model.to_string().matches("\"modality\":\"maybe\"").count() as u64, guesses);
    assert!(run.err.contains(&format!("{guesses} of ")), "{}", run.err);
    assert_eq!(said["attacked"], true);
}

/// Generated tests do not assert values that differ from machine to machine.
#[test]
fn tests_do_not_depend_on_the_machine() {
    let Some(java) = java() else { return };
    let source = "public class Born {
        private static final long BORN = System.nanoTime();
        public Born() {}
        public long when() { return BORN; }
        public int always() { return 4711; }
    }";
    let classes = java.compile(&[("Born.java", source)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out");
    let run = adit(&["mine", "Born", "-c", &path, "--budget", "3000tests", "-o", &out.display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.err);
    let tests = fs::read_to_string(out.join("tests/BornMinedTest.java")).unwrap();
    assert!(tests.contains("assertEquals(4711, ") && tests.contains(".when()"), "{tests}");
    assert!(!tests.lines().any(|line| line.contains("assert") && line.contains("when()")), "{tests}");
}

/// Objects of one state may refuse a call with different exceptions, of which none is the state's.
#[test]
fn a_state_names_all_exceptions_of_its_objects() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[(
        "Parcel.java",
        "public class Parcel { private String status = \"new\";
         public void ship() { check(); status = \"shipped\"; }
         public void cancel() { check(); status = \"cancelled\"; }
         private void check() {
             if (status.equals(\"shipped\")) throw new UnsupportedOperationException();
             if (status.equals(\"cancelled\")) throw new IllegalStateException(); } }",
    )]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    let run = adit(&["mine", "Parcel", "-c", &path, "-o", &out, "--budget", "5000tests", "-q"]);
    let refuses = |exception: &str| {
        let line = run.out.lines().find(|line| line.contains("refuses") && line.contains(exception));
        let line = line.unwrap_or_else(|| panic!("{exception}: {}", run.out));
        assert!(line.contains("ship") && line.contains("cancel"), "{line}");
    };
    refuses("UnsupportedOperationException");
    refuses("IllegalStateException");
}

/// A buffer that is full and one that is closed throw the same exception. That the second is a state must not
/// hide the first.
#[test]
fn an_exception_of_a_state_is_told_where_the_state_allows_the_call() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[(
        "Buffer.java",
        "public class Buffer { private int left = 900; private boolean closed;
         public void put(int length) {
             if (closed || length > 1000 || left < 0) throw new IllegalStateException(); }
         public void close() { closed = true; } }",
    )]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    let run = adit(&["mine", "Buffer", "-c", &path, "-o", &out, "--budget", "5000tests", "-q", "--json"]);
    let told = &run.json()["argument_exceptions"];
    assert_eq!(told[0]["method"], "put", "{told}");
    assert_eq!(told[0]["exceptions"][0], "IllegalStateException", "{told}");
}
