//! `adit ci` and `adit compare --fail-on-new`: models kept beside the code, and what changed since.

mod driver;

use std::fs;

use driver::java::java;
use driver::{adit, example, refused};
use expect_test::expect;

fn order(guard: &str) -> String {
    format!(
        "public class Order {{
            private int items; private boolean paid;
            public void add() {{ if (paid) throw new IllegalStateException(); if (items < 2) items++; }}
            public void pay() {{ if ({guard}) throw new IllegalStateException(); paid = true; }}
            public boolean isPaid() {{ return paid; }}
        }}"
    )
}

#[test]
fn a_changed_class_fails_the_build_and_an_unchanged_one_does_not() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Order.java", &order("items == 0 || paid"))]);
    let at = |name: &str| classes.path().join(name).display().to_string();
    let config = at("adit.toml");
    fs::write(&config, "budget = \"4000tests\"\n[[class]]\nname = \"Order\"\nclasspath = [\".\"]\n").unwrap();
    let out = at("out");
    let ci = |more: &[&str]| adit(&[&["ci", "--config", &config, "-o", &out], more].concat());

    refused(&ci(&[]), &["no model of Order", "adit ci --update"]);
    let updated = ci(&["--update"]);
    assert_eq!(updated.code, 0, "{}", updated.err);
    let first = fs::read(at("models/Order.json")).unwrap();
    let same = ci(&[]);
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    assert_eq!(same.out, "### `Order`\n\nThe model has not changed.\n");
    assert_eq!(ci(&["--update"]).code, 0);
    assert_eq!(fs::read(at("models/Order.json")).unwrap(), first, "a model to commit has the same bytes");

    // An order without items can be paid now.
    let changed = java.compile(&[("Order.java", &order("paid"))]);
    fs::copy(changed.path().join("Order.class"), at("Order.class")).unwrap();
    let news = ci(&["--markdown", &at("difference.md"), "--json"]);
    assert_eq!(news.code, 1, "{}{}", news.out, news.err);
    assert_eq!(news.json()["classes"][0]["new"][0], serde_json::json!(["Order", "pay"]));
    let told = fs::read_to_string(at("difference.md")).unwrap();
    assert!(told.contains("| `pay` | `Order` |  |"), "{told}");
    assert!(news.err.contains("adit ci --update"), "{}", news.err);
    let back = adit(&["compare", &at("models/Order.json"), &at("out/Order"), "--fail-on-new", "--markdown"]);
    assert_eq!(back.code, 1, "{}", back.out);
    assert!(back.out.contains("| `pay` | `Order` | throws `IllegalStateException` |"), "{}", back.out);

    // Another exception is listed, in the log too, and fails nothing.
    let other = order("items == 0 || paid")
        .replace("if (paid) throw new IllegalStateException", "if (paid) throw new SecurityException");
    let changed = java.compile(&[("Order.java", &other)]);
    fs::copy(changed.path().join("Order.class"), at("Order.class")).unwrap();
    let listed = ci(&["--markdown", &at("difference.md")]);
    assert_eq!(listed.code, 0, "{}{}", listed.out, listed.err);
    assert!(listed.out.contains("`add!IllegalStateException` | `add!SecurityException`"), "{}", listed.out);
    assert_eq!(fs::read_to_string(at("difference.md")).unwrap(), listed.out);

    // A method is new: no call that was refused is possible now.
    let more = order("items == 0 || paid")
        .replace("public boolean", "public boolean isEmpty() { return items == 0; } public boolean");
    let changed = java.compile(&[("Order.java", &more)]);
    fs::copy(changed.path().join("Order.class"), at("Order.class")).unwrap();
    let added = ci(&[]);
    assert_eq!(added.code, 1, "{}{}", added.out, added.err);
    assert!(added.out.contains("**1 new method**, which the earlier model does not have:"), "{}", added.out);
    assert!(!added.out.contains("possible now"), "{}", added.out);

    // A method that callers may use is gone.
    let less = order("items == 0 || paid").replace("public boolean isPaid", "boolean isPaid");
    let changed = java.compile(&[("Order.java", &less)]);
    fs::copy(changed.path().join("Order.class"), at("Order.class")).unwrap();
    let removed = ci(&[]);
    assert_eq!(removed.code, 1, "{}{}", removed.out, removed.err);
    expect![[r#"
        ### `Order`

        **1 method was removed from the class:**

        | method |
        |---|
        | `isPaid` |
    "#]]
    .assert_eq(&removed.out);
    let compared = adit(&["compare", &at("out/Order"), &at("models/Order.json"), "--fail-on-new", "--json"]);
    assert_eq!((compared.code, &compared.json()["removed"]), (1, &serde_json::json!(["isPaid"])));
}

#[test]
fn what_was_not_seen_is_no_failure() {
    let (model, truth) = (example("tokenizer.model.json"), example("tokenizer.dot"));
    let less = adit(&["compare", &model, &truth, "--fail-on-new"]);
    let all = adit(&["compare", &model, &truth, "--markdown"]);
    assert_eq!(less.out, all.out);
    assert_eq!(all.code, 1, "{}", all.out);
    assert_eq!(less.code, i32::from(less.out.contains("possible now") || less.out.contains("refused now")));
}

#[test]
fn a_wrong_file_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("adit.toml").display().to_string();
    refused(&adit(&["ci", "--config", &config]), &["cannot read", "adit ci --help"]);
    for (text, part) in [
        ("budget = 3\n", "adit.toml"),
        ("class = []\n", "names no class"),
        ("[[class]]\nnane = \"Order\"\n", "unknown field `nane`"),
    ] {
        fs::write(&config, text).unwrap();
        refused(&adit(&["ci", "--config", &config]), &[part, "adit ci --help"]);
    }
}
