//! Words of `adit mine` about a class with a status: names, constructors, exceptions of arguments, and tests
//! that people would commit.

mod driver;

use std::fs;

use driver::adit;
use driver::java::java;

/// An order whose state is the constant of an enum.
const ORDER: &str = "
package shop;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
public class Order {
    public enum Status { OPEN, PAID }
    private final List<String> items = new ArrayList<>();
    private Status status = Status.OPEN;
    public Order() {}
    public Order(List<String> items) { this.items.addAll(items); }
    public void addItem(String item) {
        if (status != Status.OPEN) throw new IllegalStateException();
        items.add(Objects.requireNonNull(item));
    }
    public void pay() {
        if (status != Status.OPEN || items.isEmpty()) throw new IllegalStateException();
        status = Status.PAID;
    }
    public Status getStatus() { return status; }
    public boolean isEmpty() { return items.isEmpty(); }
}
";

#[test]
fn a_class_with_a_status_is_told_as_people_would() {
    let Some(java) = java() else { return };
    let classes = java.compile(&[("Order.java", ORDER)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out");
    let folder = out.display().to_string();
    let run = adit(&["mine", "shop.Order", "-c", &path, "--budget", "20000tests", "-o", &folder]);
    assert_eq!(run.code, 0, "{}", run.err);
    for line in ["(PAID)", "    refuses with IllegalStateException: addItem, pay"] {
        assert!(run.out.contains(line), "{line} is missing in\n{}", run.out);
    }
    for part in [
        "constructors seen: Order() makes 1 (OPEN, isEmpty); Order(List) makes ",
        "throw for some arguments: addItem (NullPointerException)",
    ] {
        assert!(run.err.contains(part), "{part} is missing in\n{}", run.err);
    }
    // A test asserts the state that it leads to, by its constant.
    let source = out.join("tests/OrderMinedTest.java");
    let tests = fs::read_to_string(&source).unwrap();
    let pay = tests.split("void payLeadsToPaid()").nth(1).expect("a test of pay");
    let pay = pay.split("@Test").next().unwrap();
    assert!(pay.contains("assertEquals(Order.Status.PAID, order"), "{pay}");
    assert!(tests.contains("    @Nested\n    class InPaid {\n        @Test\n"), "{tests}");
    assert!(!tests.contains(".name()") && !tests.contains("import shop."), "{tests}");
    // They pass, the nested ones too.
    let passed = java.tests_pass(&source, "shop.Order", &path);
    let written = tests.matches("@Test").count() as u64;
    assert!(passed.is_none_or(|passed| passed == written), "{passed:?} of {written}");
}

#[test]
fn calls_that_never_succeed_are_named_beside_no_protocol() {
    let Some(java) = java() else { return };
    let source = "public class Codec { public int size() { return 3; }
                  public void decode(String s) { throw new UnsupportedOperationException(); } }";
    let classes = java.compile(&[("Codec.java", source)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    let run = adit(&["mine", "Codec", "-c", &path, "--budget", "4000tests", "-o", &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    let said = "every call that ever succeeded is possible at any time";
    let never = "not known for calls that never succeeded: decode";
    let shown = adit(&["show", &out]).out;
    for text in [&run.out, &shown] {
        assert!(text.contains(said) && text.contains(never), "{text}");
    }
    assert!(fs::read_to_string(classes.path().join("out/report.html")).unwrap().contains(said));
}

#[test]
fn a_class_whose_constructors_throw_says_why_with_any_budget() {
    let Some(java) = java() else { return };
    let source =
        "public class Client { public Client(int port) { throw new IllegalStateException(\"no server\"); }
                  public void send() {} }";
    let classes = java.compile(&[("Client.java", source)]);
    let path = classes.path().display().to_string();
    let out = classes.path().join("out").display().to_string();
    for budget in ["200tests", "3000tests"] {
        let run = adit(&["mine", "Client", "-c", &path, "--budget", budget, "-o", &out, "--fresh"]);
        assert_eq!(run.code, 4, "{}", run.err);
        assert!(run.err.contains("Client(int)") && run.err.contains("no server"), "{budget}: {}", run.err);
    }
}
