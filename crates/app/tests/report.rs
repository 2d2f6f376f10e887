//! The report page in a real Chromium: it loads, answers, filters, switches colors, stays text, and can be
//! used without a mouse.
//!
//! `SCREENSHOTS=folder` keeps pictures of what was seen, to be looked at.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod driver;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use driver::chromium::Browser;
use driver::{adit, example};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A name that would do harm if it were ever taken for markup.
const HOSTILE: &str = "<script>alert(1)</script>";

/// A folder such as `adit mine` writes, of a stack.
fn stack() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let edges = [
        (0, "Stack", 1),
        (1, "isEmpty:TRUE", 1),
        (1, "push", 2),
        (1, "size", 1),
        (2, "size", 2),
        (1, HOSTILE, 1),
        (2, "isEmpty:FALSE", 2),
        (2, "pop", 1),
        (2, "pop", 2),
        (2, "push", 2),
        (1, "pop!EmptyStackException", 3),
    ];
    let mut states = vec![json!({"id": 0, "accepting": false}), json!({"id": 3, "accepting": true})];
    states.insert(
        1,
        json!({"id": 1, "name": "isEmpty", "accepting": true, "predicates": ["isEmpty", "size() == 0"]}),
    );
    states
        .insert(2, json!({"id": 2, "name": "not isEmpty", "accepting": true, "predicates": ["not isEmpty"]}));
    put("model.json", &model("com.acme.Stack", &states, &edges));
    let claims = [
        property("NF", "Stack", "Stack", json!({"fate": "survived", "attacked": 77, "abandoned": false})),
        property("AF", "push", "pop", json!({"fate": "refuted", "test": "script1", "found_after_tests": 3})),
        property("NF", HOSTILE, "pop", json!({"fate": "not_attacked"})),
    ];
    put("properties.json", &properties(&["isEmpty:TRUE", "isEmpty:FALSE", "size"], &claims));
    let mut traces = String::new();
    for (number, word) in [
        "Stack push pop",
        "Stack push push isEmpty:FALSE size",
        "Stack isEmpty:TRUE",
        "Stack pop!EmptyStackException",
    ]
    .iter()
    .enumerate()
    {
        let events: Vec<&str> = word.split(' ').collect();
        for (at, event) in events.iter().enumerate() {
            let (method, more) = match event.split_once([':', '!']) {
                Some((method, "TRUE")) => (method, json!({"returned": true})),
                Some((method, "FALSE")) => (method, json!({"returned": false})),
                Some((method, thrown)) => (method, json!({"threw": thrown})),
                None => (*event, json!({})),
            };
            let mut line =
                json!({"trace": number.to_string(), "event": method, "end": at + 1 == events.len()});
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let _ = writeln!(traces, "{line}");
        }
    }
    put("traces.jsonl", &traces);
    let tests = json!({
        "version": 2,
        "head": "class StackMinedTest {\n",
        "tests": [
            {"name": "script0", "words": [["Stack"]],
             "source": "@Test\nvoid script0() throws Throwable {\n    Stack stack0 = new Stack();\n}\n"},
            {"name": "script1", "words": [["Stack", "push"]],
             "fields": [[[["size", "0"]], [["size", "1"]]]],
             "source": "@Test\nvoid script1() throws Throwable {\n    Stack stack0 = new Stack();\n    \
                        stack0.push(\"</script><script>alert(1)</script>\");\n}\n"},
        ],
        "witnesses": {"takes": [], "refuses": []},
    });
    put("tests.json", &tests.to_string());
    let run = json!({
        "version": 2, "class": "com.acme.Stack", "tests": 1234,
        "properties": {"mined": 3, "refuted": 1, "survived": 1, "not_attacked": 1},
        "alphabet": [], "states": 4, "transitions": 9, "pure": [], "realized": 1.0, "unrealized": [],
        "confirmed_transitions": {"confirmed": 9, "all": 9}, "origin": "made by this round", "made_by_round": 1,
        "complete": true, "admitted": 0, "rejected": [],
        "never_tried": [], "never_returned": [], "hang": [], "hanging_objects": [], "bad_ends": [],
        "branches": null, "attacked": true, "round": 1, "seconds": 9.5, "stop": "time",
        "parameters": {"miner": "explore"}, "versions": {"adit": "0.1.0", "java": "21", "os": "linux"},
        "seed": 7, "budget": "10s", "command": "adit mine com.acme.Stack",
        "keeping": {"noting": 0.0, "writing": 0.0, "ending": 0.0},
    });
    put("run.json", &run.to_string());
    let points: Vec<Value> = (0..20)
        .map(|at| json!({"round": 1, "phase": if at < 12 { "explore" } else { "attack" }, "seconds": f64::from(at) / 2.0, "tests": at * 1000, "states": (at / 4 + 1).min(4), "refuted": at / 5, "open": 20 - at, "covered": null}))
        .collect();
    put("search.json", &json!({"version": 2, "points": points, "rounds": []}).to_string());
    let novelty =
        json!({"seen": 9, "once": 1, "twice": 1, "chance": 0.001, "at_most": 0.01, "unseen_at_least": 0.5});
    let validation = json!({
        "version": 2, "class": "com.acme.Stack", "precision": 1.0, "recall": 0.98,
        "unrealized": [], "rejected": [["Stack", "peek"]], "rejected_java": [""],
        "walks": {"good": 100, "of": 100, "interval": [0.96, 1.0]},
        "objects": {"good": 98, "of": 100, "interval": [0.93, 0.99]},
        "undecided": {"budget": 0, "untried": 0, "unsteady": 0}, "events_not_in_model": [],
        "new_events": novelty, "new_pairs": novelty, "hang": [], "tests": 200, "seconds": 1.0, "stop": "done",
    });
    put("validate.json", &validation.to_string());
    folder
}

/// A property as `properties.json` has it, with its fate.
fn property(template: &str, a: &str, b: &str, fate: Value) -> Value {
    let mut one = json!({"template": template, "a": a, "b": b, "says": "", "support": 0});
    one.as_object_mut().unwrap().extend(fate.as_object().unwrap().clone());
    one
}

fn properties(pure: &[&str], properties: &[Value]) -> String {
    json!({"version": 2, "pure": pure, "properties": properties}).to_string()
}

fn model(title: &str, states: &[Value], edges: &[(usize, &str, usize)]) -> String {
    let edges: Vec<Value> =
        edges.iter().map(|(from, event, to)| json!({"from": from, "event": event, "to": to})).collect();
    json!({"format": "adit-model", "version": 1, "title": title, "initial": [0], "states": states, "edges": edges}).to_string()
}

/// A model of so many states with a choice in most of them.
fn large(states: usize) -> String {
    let all: Vec<Value> = (0..states).map(|id| json!({"id": id, "accepting": true})).collect();
    let calls = ["open", "read:TRUE", "read:FALSE", "write", "flush", "close", "seek", "mark"];
    let mut edges = Vec::new();
    for state in 0..states {
        edges.push((state, calls[state % 8], (state * 7 + 1) % states));
        edges.push((state, calls[(state + 3) % 8], (state + 1) % states));
        edges.push((state, calls[(state / 2 + 1) % 8], state));
    }
    model("a large model", &all, &edges)
}

fn report(of: &[&str]) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("page.html");
    let mut args = vec!["report"];
    args.extend(of);
    args.extend(["-o", page.to_str().unwrap()]);
    let run = adit(&args);
    assert!(run.code <= 1, "{}", run.err);
    (place, page)
}

fn assert_silent(browser: &Browser, page: &Path) {
    assert_eq!(browser.complaints, Vec::<String>::new());
    let others: Vec<_> = browser
        .requests
        .iter()
        .filter(|url| !url.ends_with(page.file_name().unwrap().to_str().unwrap()))
        .collect();
    assert!(others.is_empty(), "the page asked for {others:?}");
}

#[test]
fn a_page_answers() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = stack();
    let (_place, page) = report(&[folder.path().to_str().unwrap()]);
    browser.open(&page);
    browser.screenshot("small-light.png");

    // An arrow shows its evidence, and an example that can be copied.
    browser.click("[data-arrow='1'] .plate");
    let panel = browser.text("#panel");
    assert!(panel.contains("Taken by 2 traces and 1 generated test."), "{panel}");
    assert!(panel.contains("Stack push pop") && panel.contains("stack0.push("), "{panel}");
    browser.screenshot("small-evidence.png");

    // A state shows what holds there and what can be called.
    browser.click("[data-box='2'] .name");
    let panel = browser.text("#panel");
    assert!(panel.contains("not isEmpty") && panel.contains("Enabled calls"), "{panel}");

    // A call inside a box is a transition too.
    browser.click("[data-box='2'] .call.pure");
    let panel = browser.text("#panel");
    assert!(panel.contains("size") && panel.contains("Taken by 1 trace "), "{panel}");

    // Finding marks what was found.
    browser.type_into("#find", "pop");
    assert_eq!(browser.text("#found"), "2 boxes and arrows, Enter for the next: pop");
    browser.press("Enter");
    assert_eq!(browser.text("#found"), "2 of 2 boxes and arrows: pop");
    assert_eq!(browser.count(".picture.searching"), 1);
    browser.type_into("#find", "");
    assert_eq!(browser.count(".picture.searching"), 0);

    // A trace is followed, and where it leaves the model is said.
    browser.type_into("#follow", "Stack push pop");
    assert!(
        browser.text("#walk").contains("Allowed. Now in 1 isEmpty or 2 not isEmpty"),
        "{}",
        browser.text("#walk")
    );
    // Step by step, with the fields of a test that makes the same calls, or of objects in the same state.
    browser.type_into("#follow", "Stack push push");
    for (step, fields) in [("Stack push", "with size = 1"), ("Stack", "with size = 0")] {
        browser.click("button[aria-label='One call back']");
        assert!(browser.text("#walk .step").contains(fields), "{step}: {}", browser.text("#walk .step"));
    }
    for _ in 0..2 {
        browser.click("button[aria-label='One call on']");
    }
    let step = browser.text("#walk .step");
    assert!(step.contains("3 of 3: push → 2 not isEmpty; in tests, objects there had size = 1"), "{step}");
    browser.type_into("#follow", "Stack isEmpty:FALSE");
    let walk = browser.text("#walk");
    assert!(walk.contains("Leaves the model at call 2: isEmpty:FALSE is not enabled in 1 isEmpty"), "{walk}");
    browser.screenshot("small-followed.png");
    // As in a program, as in the picture, with commas or without; and what was mistyped is guessed.
    for typed in [
        "Stack(), push(1, 2) isEmpty:false",
        "Stack isEmpty ✓ push",
        "Stack; isEmpty=true",
        "Stack pop ⚠ EmptyStackException",
    ] {
        browser.type_into("#follow", typed);
        assert!(browser.text("#walk").contains("Allowed"), "{typed}: {}", browser.text("#walk"));
    }
    browser.type_into("#follow", "Stack puhs pop");
    assert!(browser.text("#walk").contains("Did you mean push?"), "{}", browser.text("#walk"));
    browser.click("#walk .link");
    assert!(browser.text("#walk").contains("Allowed"), "{}", browser.text("#walk"));
    browser.type_into("#follow", "");

    // Calls without side effects can be hidden, failed states shown.
    let boxes = browser.count("[data-box]");
    assert!(browser.count(".call.pure") > 0);
    browser.click("#hide-pure");
    assert_eq!(browser.count(".call.pure"), 0);
    browser.click("#show-failures");
    assert_eq!(browser.count("[data-box]"), boxes + 1);

    // Properties are filtered by fate and by words.
    assert_eq!(browser.count("#property-list > li"), 3);
    browser.type_into("#property-find", "at most once");
    assert_eq!(browser.count("#property-list > li"), 1);
    browser.type_into("#property-find", "");
    browser.evaluate("(() => { const one = document.getElementById('property-fate'); one.value = 'refuted'; one.dispatchEvent(new Event('change')); })()");
    assert_eq!(browser.count("#property-list > li"), 1);
    // The test that refutes it opens.
    browser.click("#property-list .link");
    assert!(browser.text("details[open] pre").contains("script1"), "the test is shown");
    browser.screenshot("small-test.png");

    assert_eq!(browser.count(".charts figure"), 4);
    browser.evaluate("document.getElementById('trust').scrollIntoView({behavior: 'instant'})");
    browser.screenshot("small-trust.png");
    browser.evaluate("document.getElementById('search').scrollIntoView({behavior: 'instant'})");
    browser.screenshot("small-search.png");
    assert_silent(&browser, &page);
}

#[test]
fn what_looks_like_markup_stays_text() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = stack();
    let (_place, page) = report(&[folder.path().to_str().unwrap()]);
    browser.evaluate("0");
    browser.open(&page);
    assert_eq!(browser.evaluate("document.scripts.length"), 2, "one for the data, one for the page");
    browser.click("[data-box='1'] .name");
    assert!(browser.text("#panel").contains(HOSTILE), "{}", browser.text("#panel"));
    browser.type_into("#follow", &format!("Stack {HOSTILE}"));
    assert!(browser.text("#walk").contains("Allowed"), "{}", browser.text("#walk"));
    browser.type_into("#follow", "<img/src/onerror=alert(1)>");
    assert!(browser.text("#walk").contains("<img/src/onerror=alert(1)>"));
    assert!(browser.text("#properties").contains(HOSTILE));
    assert_eq!(browser.evaluate("document.scripts.length + document.images.length"), 2);
    assert_silent(&browser, &page);
}

#[test]
fn colors_follow_the_system_and_the_button() {
    let Some(mut browser) = Browser::start() else { return };
    let (_place, page) = report(&[&example("tokenizer.model.json")]);
    let dark = "getComputedStyle(document.body).backgroundColor === 'rgb(13, 17, 23)'";
    browser.prefer("light");
    browser.open(&page);
    assert_eq!(browser.evaluate(dark), false);
    browser.click("#theme");
    assert_eq!(browser.evaluate(dark), true);
    assert_eq!(browser.evaluate("document.getElementById('theme').ariaPressed"), "true");
    browser.click("#theme");
    assert_eq!(browser.evaluate(dark), false);
    browser.evaluate("try { localStorage.clear(); delete document.documentElement.dataset.theme; } catch {}");
    browser.prefer("dark");
    browser.open(&page);
    assert_eq!(browser.evaluate(dark), true);
    browser.screenshot("three-dark.png");
    assert_silent(&browser, &page);
}

#[test]
fn everything_can_be_reached_and_read() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = stack();
    let (_place, page) = report(&[folder.path().to_str().unwrap()]);
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        browser.open(&page);
        browser.click("[data-arrow='1'] .plate");
        browser.type_into("#follow", "Stack push");
        let poor = browser.evaluate(include_str!("driver/contrast.js"));
        assert_eq!(poor, json!([]), "in {scheme} colors");
    }
    // What can be used has a name that a screen reader says.
    let used = [
        "button",
        "link",
        "textbox",
        "searchbox",
        "checkbox",
        "combobox",
        "region",
        "complementary",
        "navigation",
    ];
    let nodes = browser.accessible_nodes();
    let role = |node: &Value| node["role"]["value"].as_str().unwrap_or_default().to_owned();
    let nameless: Vec<&Value> = nodes
        .iter()
        .filter(|node| node["ignored"] == false && used.contains(&role(node).as_str()))
        .filter(|node| node["name"]["value"].as_str().is_none_or(str::is_empty))
        .collect();
    assert!(nameless.is_empty(), "{nameless:#?}");
    let roles: Vec<String> = nodes.iter().map(role).collect();
    for landmark in ["banner", "main", "navigation", "contentinfo", "complementary"] {
        assert!(roles.iter().any(|role| role == landmark), "no landmark `{landmark}`");
    }
    assert!(roles.iter().filter(|role| *role == "button").count() > 10, "boxes and arrows are buttons");
    let sound = browser.evaluate(
        "({language: document.documentElement.lang, title: document.title !== '', headings: document.querySelectorAll('h1').length, \
          same: [...document.querySelectorAll('[id]')].map((one) => one.id).filter((id, at, all) => all.indexOf(id) !== at)})",
    );
    assert_eq!(sound, json!({"language": "en", "title": true, "headings": 1, "same": []}));
    // Without a mouse: to the first box and into it.
    browser.evaluate("document.querySelector('.stage').focus()");
    let mut reached = false;
    for _ in 0..20 {
        browser.press("Tab");
        if browser.evaluate("document.activeElement.dataset.box !== undefined") == true {
            reached = true;
            break;
        }
    }
    assert!(reached, "Tab never comes to a box");
    browser.press("Enter");
    assert!(browser.text("#panel").contains("State 0"), "{}", browser.text("#panel"));
    // Arrow keys go to the next box in their direction, and Escape closes what was opened.
    let right = browser.evaluate("document.querySelector('svg.picture').dataset.flow") == "right";
    browser.press(if right { "ArrowRight" } else { "ArrowDown" });
    assert_eq!(browser.evaluate("document.activeElement.dataset.box"), "1");
    browser.press("Enter");
    assert!(browser.text("#panel").contains("State 1 isEmpty"), "{}", browser.text("#panel"));
    browser.press("Escape");
    assert!(browser.text("#panel").contains("How to read it"), "{}", browser.text("#panel"));
    browser.press(if right { "ArrowLeft" } else { "ArrowUp" });
    assert_eq!(browser.evaluate("document.activeElement.dataset.box"), "0");
    // The Tab key meets boxes as they are read, each followed by what leads away from it.
    let order = browser.evaluate("[...document.querySelector('svg.picture').querySelectorAll('[tabindex]')].map((one) => one.dataset.box ?? 'arrow')");
    assert_eq!(order, json!(["0", "arrow", "1", "arrow", "2", "arrow"]));
    assert_silent(&browser, &page);
}

/// Names that choose a part by voice, sizes of what is clicked, and names of landmarks: the kinds of fault
/// that axe-core 4.14 once found here.
#[test]
fn names_sizes_and_landmarks() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = stack();
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join("newer");
    fs::create_dir(&copy).unwrap();
    fs::copy(folder.path().join("model.json"), copy.join("model.json")).unwrap();
    let (_one, single) = report(&[folder.path().to_str().unwrap()]);
    let (_two, double) = report(&[folder.path().to_str().unwrap(), copy.to_str().unwrap()]);
    for (page, width) in [(&single, 1280), (&single, 400), (&double, 1280), (&double, 400)] {
        browser.resize(width, 900);
        browser.open(page);
        // A title begins with what is written, and so does every label.
        let unlike = browser.evaluate(
            "(() => { const plain = (text) => text.replace(/[\\s,]+/g, ' ').trim().toLowerCase(); \
             const parts = [...document.querySelectorAll('svg.picture [role=button]')].map((one) => \
               [plain(one.querySelector('title').textContent), plain([...one.querySelectorAll('text')].map((line) => line.textContent).join(' '))]); \
             const labels = [...document.querySelectorAll('button[aria-label]')].filter((one) => /\\w/.test(one.textContent)).map((one) => [plain(one.ariaLabel), plain(one.textContent)]); \
             return [...parts, ...labels].filter(([name, seen]) => !name.includes(seen)); })()",
        );
        assert_eq!(unlike, json!([]), "at {width}");
        let small = browser.evaluate(
            "[...document.querySelectorAll('nav a, .zoom button, #theme')].map((one) => one.getBoundingClientRect()).filter((box) => box.width < 24 || box.height < 24).length",
        );
        assert_eq!(small, 0, "too small to be hit, at {width}");
        let regions = browser.evaluate(
            "[...document.querySelectorAll('[role=region], aside, nav')].map((one) => one.ariaLabel)",
        );
        let names: std::collections::BTreeSet<&str> =
            regions.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(names.len(), regions.as_array().unwrap().len(), "{regions}");
        assert_eq!(
            browser.evaluate("document.documentElement.scrollWidth <= innerWidth"),
            true,
            "at {width}"
        );
    }
    // Two of one class are named after their folders and, where there is room, stand beside each other.
    browser.resize(1280, 900);
    browser.open(&double);
    assert!(browser.text("h1").contains("com.acme.Stack (newer)"), "{}", browser.text("h1"));
    let beside = "(() => { const [one, two] = [...document.querySelectorAll('.figure')].map((one) => one.getBoundingClientRect()); return one.top === two.top; })()";
    assert_eq!(browser.evaluate(beside), true);
    // The button that switches colors stays in the row of the title.
    assert_eq!(
        browser.evaluate("document.querySelector('header').getBoundingClientRect().height < 90"),
        true
    );
}

/// A ring of phases that can be left from each of them.
fn ring(states: usize) -> String {
    let all: Vec<Value> = (0..states)
        .map(|id| json!({"id": id, "accepting": true, "name": if id > states / 2 { "isLate, isStarted" } else { "isStarted, not isLate" },
            "predicates": if id > states / 2 { ["isLate", "isStarted"] } else { ["isStarted", "not isLate"] }}))
        .collect();
    let names: Vec<String> = (0..states).map(|state| format!("enterPhase{state:02}")).collect();
    let mut edges = Vec::new();
    for (state, name) in names.iter().enumerate() {
        edges.push((state, name.as_str(), (state + 1) % states));
        if state > 1 {
            edges.push((state, "abort", 0));
        }
    }
    model("a ring", &all, &edges)
}

#[test]
fn what_leads_home_from_everywhere_is_a_note_and_finding_goes_there() {
    let Some(mut browser) = Browser::start() else { return };
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("ring.json");
    fs::write(&file, ring(50)).unwrap();
    let (_page, page) = report(&[file.to_str().unwrap()]);
    browser.resize(1280, 900);
    browser.open(&page);
    browser.screenshot("ring-light.png");
    assert_eq!(browser.count("[data-arrow]"), 50);
    assert_eq!(browser.count("[data-note]"), 48);
    assert!(
        browser.text("[data-box='0']").contains("← abort from 48 states"),
        "{}",
        browser.text("[data-box='0']")
    );
    assert!(
        browser.text("[data-box='40'] .name").contains("40 isLate"),
        "{}",
        browser.text("[data-box='40'] .name")
    );
    browser.click("[data-note] .strip");
    assert!(browser.text("#panel").contains("abort"), "{}", browser.text("#panel"));
    assert_eq!(browser.count(".ghost"), 1);
    // What is found comes into view.
    let inside = "(() => { const one = document.querySelector('.hit .plate').getBoundingClientRect(); const stage = document.querySelector('.stage').getBoundingClientRect(); \
        return one.left >= stage.left && one.right <= stage.right && one.top >= stage.top && one.bottom <= stage.bottom; })()";
    browser.type_into("#find", "enterPhase48");
    assert_eq!(browser.text("#found"), "1 box or arrow: enterPhase48");
    assert_eq!(browser.evaluate(inside), true);
    browser.screenshot("ring-found.png");
    // All of it is there as a table too.
    browser.click(".states summary");
    assert!(browser.text(".states table").contains("enterPhase48 → 49"), "{}", browser.text(".states table"));
    assert_silent(&browser, &page);
}

#[test]
fn long_names_stay_inside_and_marks_of_direction_are_seen() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let long = "aVeryLongNameOfAMethod".repeat(14);
    let turned = "is\u{202e}neddih";
    let states: Vec<Value> = (0..2).map(|id| json!({"id": id, "accepting": true})).collect();
    fs::write(folder.path().join("model.json"), model("a.B", &states, &[(0, &long, 1), (1, turned, 1)]))
        .unwrap();
    let claim = property("NF", &long, turned, json!({"fate": "survived", "attacked": 1, "abandoned": false}));
    fs::write(folder.path().join("properties.json"), properties(&[], &[claim])).unwrap();
    let (_page, page) = report(&[folder.path().to_str().unwrap()]);
    for width in [400, 1280] {
        browser.resize(width, 900);
        browser.open(&page);
        browser.click("[data-arrow] .plate");
        browser.type_into("#follow", &long);
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), width, "at {width}");
    }
    browser.click("[data-box='1'] .name");
    browser.click(".states summary");
    let seen = browser.evaluate(
        "[...document.querySelectorAll('main')].map((one) => one.textContent).join('').includes('\u{202e}')",
    );
    assert_eq!(seen, false);
    assert!(browser.text("#panel").contains("is\u{fffd}neddih"), "{}", browser.text("#panel"));
    assert!(browser.text("svg.picture").contains("is\u{fffd}neddih"));
}

#[test]
fn large_models_load_and_say_what_is_folded() {
    let Some(mut browser) = Browser::start() else { return };
    let place = tempfile::tempdir().unwrap();
    for states in [10usize, 60, 200] {
        let file = place.path().join(format!("{states}.json"));
        fs::write(&file, large(states)).unwrap();
        let (_page, page) = report(&[file.to_str().unwrap()]);
        browser.prefer("light");
        let took = browser.open(&page);
        eprintln!("a page of {states} states was loaded after {took:.0} ms");
        browser.screenshot(&format!("{states}-light.png"));
        let boxes = browser.count("[data-box]");
        let folded = browser.text("#panel").contains("Folded");
        let wanted = if states > 60 { (60, true) } else { (states as u64, false) };
        assert_eq!((boxes, folded), wanted);
        browser.click(".zoom [aria-label^='Fit']");
        browser.prefer("dark");
        browser.screenshot(&format!("{states}-dark-whole.png"));
        assert_silent(&browser, &page);
        browser.requests.clear();
    }
}

#[test]
fn two_models_stand_side_by_side() {
    let Some(mut browser) = Browser::start() else { return };
    let place = tempfile::tempdir().unwrap();
    let states: Vec<Value> = (0..2).map(|id| json!({"id": id, "accepting": true})).collect();
    let (old, new) = (place.path().join("old.json"), place.path().join("new.json"));
    fs::write(&old, model("v1", &states, &[(0, "open", 1), (1, "read", 1), (1, "close", 0)])).unwrap();
    fs::write(&new, model("v2", &states, &[(0, "open", 1), (1, "read", 1), (1, "write", 1)])).unwrap();
    let (_page, page) = report(&[old.to_str().unwrap(), new.to_str().unwrap()]);
    browser.open(&page);
    assert_eq!(browser.count(".figure"), 2);
    let told = browser.text("#differences");
    assert!(told.contains("Only in v1open close") && told.contains("Only in v2open write"), "{told}");
    browser.click("#differences .link");
    let walk = browser.text("#walk");
    assert!(walk.contains("v1: ✓ Allowed") && walk.contains("v2: ✗ Leaves the model at call 2"), "{walk}");
    browser.screenshot("two-light.png");
    assert_silent(&browser, &page);
}

/// Twenty thousand properties: the page says them in few sentences, opens soon, stays small, and every one
/// can be found.
#[test]
fn many_properties_are_few_sentences() {
    let folder = stack();
    let label = |number: usize| format!("call{number:02}");
    let mut claims = Vec::new();
    for a in 0..60 {
        for b in 0..60 {
            for template in ["NF", "NIF", "AP", "AF", "AIF"] {
                let fate = match (a * 7 + b * 3) % 10 {
                    0 => json!({"fate": "refuted", "test": "script1", "found_after_tests": a * b}),
                    1 => json!({"fate": "not_attacked"}),
                    _ => json!({"fate": "survived", "attacked": a + b, "abandoned": false}),
                };
                let mut one = property(template, &label(a), &label(b), fate);
                one["support"] = b.into();
                claims.push(one);
            }
        }
    }
    let survived = json!({"fate": "survived", "attacked": 1, "abandoned": false});
    claims.extend((0..2000).map(|at| property("NF", "pop", &format!("other{at}"), survived.clone())));
    let all = claims.len();
    assert_eq!(all, 20_000);
    fs::write(folder.path().join("properties.json"), properties(&[], &claims)).unwrap();
    let (_place, page) = report(&[folder.path().to_str().unwrap()]);
    let bytes = fs::metadata(&page).unwrap().len();
    assert!(bytes < 2_000_000, "{bytes} bytes");
    let Some(mut browser) = Browser::start() else { return };
    let begun = std::time::Instant::now();
    browser.open(&page);
    let seconds = begun.elapsed().as_secs_f64();
    assert!(seconds < 5.0, "{seconds} s on a machine that does other things too");
    let count = browser.text("#property-count");
    assert!(count.ends_with(" for 20,000 of 20,000 properties"), "{count}");
    browser.evaluate("document.getElementById('properties').scrollIntoView({behavior: 'instant'})");
    browser.screenshot("many-properties.png");
    // A sentence unfolds into its properties.
    browser.click("#property-list > li > details > summary");
    // The browser tells the page of it in its own time.
    assert!((0..200).any(|_| browser.count("#property-list .inside > li") > 0));
    // Each can be found.
    browser.type_into("#property-find", "`call17` `call23`");
    assert_eq!(browser.count("#property-list > li"), 10);
    browser.type_into("#property-find", "`other1999`");
    assert_eq!(browser.count("#property-list > li"), 1);
    assert_eq!(browser.text("#property-count"), "1 of 20,000 properties");
    assert_silent(&browser, &page);
}

/// Rounds stand one after the other in the charts, with a line between them.
#[test]
fn seams_between_rounds_can_be_seen() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = stack();
    let point = |at: u32| {
        let round = at / 10 + 1;
        json!({"round": round, "phase": if at % 10 < 4 { "explore" } else { "attack" }, "seconds": f64::from(at) / 2.0, "tests": at * 100, "states": at % 10 + 1, "refuted": at, "open": null, "covered": null})
    };
    let rounds: Vec<Value> = (0..3).map(|at| json!({"round": at + 1, "seconds": f64::from(at) * 5.0 - 0.2, "tests": at * 1000, "stop": "time"})).collect();
    let search = json!({"version": 2, "points": (0..30).map(point).collect::<Vec<_>>(), "rounds": rounds});
    fs::write(folder.path().join("search.json"), search.to_string()).unwrap();
    let (_place, page) = report(&[folder.path().to_str().unwrap()]);
    browser.open(&page);
    assert_eq!((browser.count(".charts figure"), browser.count(".charts .seam")), (3, 6));
    let text = browser.text("#search");
    assert!(text.contains("has 3 rounds") && text.contains("round 2"), "{text}");
    browser.evaluate("document.getElementById('search').scrollIntoView({behavior: 'instant'})");
    browser.screenshot("rounds.png");
    assert_silent(&browser, &page);
}

/// An order, and the same one that can be paid without items.
fn orders() -> [String; 2] {
    let state = |id: usize, name: &str, refuses: &[&str]| json!({"id": id, "name": name, "accepting": true, "predicates": [name], "refuses": refuses});
    let threw = ["pay!IllegalStateException", "ship!IllegalStateException"];
    let states = [
        json!({"id": 0, "accepting": true}),
        state(1, "isEmpty", &threw),
        state(2, "not isEmpty", &threw[1..]),
        state(3, "isPaid", &threw[..1]),
    ];
    let edges = [(0, "Order", 1), (1, "add", 2), (2, "add", 2), (2, "pay", 3), (3, "ship", 3)];
    let also = [&edges[..], &[(1, "pay", 3)]].concat();
    [model("a.Order", &states, &edges), model("b.Order", &states, &also)]
}

#[test]
fn calls_are_filtered_addresses_kept_and_java_understood() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("order.json");
    fs::write(&file, &orders()[0]).unwrap();
    let (_place, page) = report(&[file.to_str().unwrap()]);
    browser.open(&page);
    let hidden = "[...document.querySelectorAll('[data-arrow]')].filter(one => getComputedStyle(one).visibility === 'hidden').length";
    assert_eq!(browser.evaluate(hidden), 0);
    browser.click("#methods summary");
    browser.click("#methods [aria-label='only pay']");
    assert!(browser.text("#methods summary").contains("1 of 4"), "{}", browser.text("#methods summary"));
    assert_eq!(browser.evaluate(hidden), 2, "of Order, add and pay one is left");
    browser.evaluate("document.querySelector('#methods .buttons button').click()");
    assert_eq!(browser.evaluate(hidden), 0);
    browser.type_into("#states", "isPaid");
    assert_eq!(browser.count("[data-box].aside"), 3);
    browser.type_into("#states", "");

    browser.click("[data-box='1'] .name");
    assert_eq!(browser.evaluate("location.hash"), "#state=1");
    let panel = browser.text("#panel");
    assert!(panel.contains("Refused with IllegalStateException"), "{panel}");
    assert_eq!(panel.matches("IllegalStateException").count(), 1, "named once for both: {panel}");
    browser.evaluate("location.hash = '#transition=2,pay,3'");
    browser.evaluate("new Promise(done => setTimeout(done, 50))");
    assert!(browser.text("#panel").contains("pay"), "{}", browser.text("#panel"));

    let place = "document.getElementById('workbench').getBoundingClientRect().top";
    let before = browser.evaluate(place);
    browser.type_into("#follow", "Order order = new Order(); order.add(\"a, b\"); order.pay();");
    assert!(browser.text("#walk").contains("Now in 3 isPaid"), "{}", browser.text("#walk"));
    assert_eq!(browser.evaluate(place), before, "nothing jumps while typing");
    browser.click("#walk [aria-label='One call back']");
    assert!(browser.text("#walk .step").contains("2 of 3: add → 2 not isEmpty"), "{}", browser.text("#walk"));
    let mermaid = browser.text(".export");
    assert!(["SVG", "PNG", "Mermaid"].iter().all(|form| mermaid.contains(form)), "{mermaid}");
    assert_silent(&browser, &page);
}

#[test]
fn differences_of_two_models_are_colored() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let files = ["one.json", "two.json"].map(|name| folder.path().join(name));
    files.iter().zip(orders()).for_each(|(file, text)| fs::write(file, text).unwrap());
    let (_place, page) = report(&[files[0].to_str().unwrap(), files[1].to_str().unwrap()]);
    browser.open(&page);
    assert_eq!(browser.count("[data-model='0'] .only"), 0);
    assert_eq!(browser.count("[data-model='1'] [data-arrow].only"), 1);
    browser.click("[data-model='1'] [data-box='3'] .name");
    assert!(browser.text("#panel").contains("In the other model: 3 isPaid"), "{}", browser.text("#panel"));
    assert_silent(&browser, &page);
}

#[test]
fn a_folder_of_models_has_an_index() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in ["a.Order", "b.Map$Entry"].iter().zip(orders()) {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("model.json"), text).unwrap();
    }
    let (_place, page) = report(&[folder.path().to_str().unwrap()]);
    let text = fs::read_to_string(page).unwrap();
    assert!(text.contains("<a href=\"b.Map%24Entry/model.json\">Map$Entry</a>"), "{text}");
    assert!(text.contains("2 models"), "{text}");
}
