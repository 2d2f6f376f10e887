//! Random clients, verified and run: the JVM says which calls throw, and the verifier has to agree.
//!
//! A call that throws in some run must be reported, at least as unchecked. A call that returned in some run
//! must not be reported as certain. Runs that caught an exception before count for the second half only:
//! after an exception the verifier claims to know nothing. Methods are small, because a limit may make the
//! verifier forget what would be a finding.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

use adit_verify::Certainty;

use crate::java::{compile, home, verifier, verify};

/// Methods of the generated class, each run with every combination of [`FLAGS`] conditions.
const METHODS: usize = 150;
const FLAGS: u32 = 4;

/// A small generator of random numbers (xorshift), so that the test has no dependency and no surprise.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The source of a class, line by line.
#[derive(Default)]
struct Source {
    lines: Vec<String>,
}

impl Source {
    fn line(&mut self, text: String) {
        self.lines.push(text);
    }

    /// A statement that leaves a mark if it returns. The mark is an element of an array, which no typestate
    /// depends on.
    fn call(&mut self, statement: &str) {
        let number = self.lines.len() + 1;
        self.lines.push(format!("{statement} DONE[{number}] = true;"));
    }
}

/// Calls on a scanner and on an iterator. Those of the second kind change nothing else in the client.
const SCANNER: [&str; 4] = ["$.next();", "$.close();", "$.hasNext();", "if ($.hasNext()) $.next();"];
const ITERATOR: [&str; 5] = [
    "$.next();",
    "$.remove();",
    "$.hasNext();",
    "if ($.hasNext()) $.next();",
    "while ($.hasNext()) $.next();",
];
const HELPED: [&str; 4] = ["use($);", "shut($);", "same($).close();", "drain($);"];

fn statements(random: &mut Random, source: &mut Source, depth: u32) {
    for _ in 0..1 + random.below(3) {
        let condition = format!("(flags & {}) != 0", 1 << random.below(u64::from(FLAGS)));
        match random.below(if depth == 0 { 6 } else { 10 }) {
            0..=1 => source.call(&pick(random, &SCANNER).replace('$', pick(random, &["one", "two", "kept"]))),
            2..=3 => source.call(&pick(random, &ITERATOR).replace('$', "it")),
            4 => source.call(&pick(random, &HELPED).replace('$', pick(random, &["one", "two"]))),
            5 => source.line("two = one;".to_owned()),
            6 | 7 => {
                source.line(format!("if ({condition}) {{"));
                statements(random, source, depth - 1);
                if random.below(2) == 0 {
                    source.line("} else {".to_owned());
                    statements(random, source, depth - 1);
                }
                source.line("}".to_owned());
            }
            8 => {
                source.line("try {".to_owned());
                statements(random, source, depth - 1);
                if random.below(2) == 0 {
                    source.line("} finally {".to_owned());
                } else {
                    source.line(format!("}} catch (RuntimeException e{depth}) {{ DONE[0] = true;"));
                }
                statements(random, source, depth - 1);
                source.line("}".to_owned());
            }
            _ => {
                source.line(format!("for (int i{depth} = 0; i{depth} < 2; i{depth}++) {{"));
                statements(random, source, depth - 1);
                source.line("}".to_owned());
            }
        }
    }
}

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

fn client(seed: u64) -> String {
    let mut random = Random(seed);
    let mut source = Source::default();
    source.line(
        "import java.util.*; class Drawn { static final boolean[] DONE = new boolean[20000];".to_owned(),
    );
    // A finding in a helper is about one of its callers, so calls in helpers leave no mark.
    source.line("private static void use(Scanner s) { s.next(); }".to_owned());
    source.line("private static void shut(Scanner s) { s.close(); }".to_owned());
    source.line("private static Scanner same(Scanner s) { return s; }".to_owned());
    source.line("private static void drain(Scanner s) { while (s.hasNext()) s.next(); }".to_owned());
    for method in 0..METHODS {
        source.line(format!("void m{method}(int flags) {{"));
        source.line("Scanner one = new Scanner(\"a b c\"); Scanner two = new Scanner(\"d\");".to_owned());
        source.line("Scanner kept = (flags & 1) != 0 ? one : new Scanner(\"\");".to_owned());
        source.line("Iterator<String> it = new ArrayList<>(List.of(\"e\", \"f\")).iterator();".to_owned());
        statements(&mut random, &mut source, 2);
        source.line("}".to_owned());
    }
    source.line(format!(
        "public static void main(String[] a) throws Exception {{
        for (int m = 0; m < {METHODS}; m++) for (int flags = 0; flags < {}; flags++) {{
            Arrays.fill(DONE, false);
            try {{
                Drawn.class.getDeclaredMethod(\"m\" + m, int.class).invoke(new Drawn(), flags);
            }} catch (java.lang.reflect.InvocationTargetException e) {{
                for (StackTraceElement at : e.getCause().getStackTrace())
                    if (at.getClassName().equals(\"Drawn\")) {{
                        System.out.println((DONE[0] ? \"again \" : \"threw \") + at.getLineNumber());
                        break;
                    }}
            }}
            for (int i = 1; i < DONE.length; i++) if (DONE[i]) System.out.println(\"done \" + i);
        }} }} }}",
        1 << FLAGS
    ));
    let mut text = String::new();
    for line in source.lines {
        let _ = writeln!(text, "{line}");
    }
    text
}

#[test]
fn the_verifier_and_the_jvm_agree() {
    let Some(home) = home() else { return };
    for seed in [0x5eed, 0xadd1e] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Drawn.java");
        let text = client(seed);
        std::fs::write(&file, &text).unwrap();
        let classes = compile(&home, &file, folder.path());
        let output = Command::new(home.join("bin/java"))
            .args(["-XX:TieredStopAtLevel=1", "-cp"])
            .arg(folder.path())
            .arg("Drawn")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (mut threw, mut done) = (BTreeSet::new(), BTreeSet::new());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (kind, number) = line.split_once(' ').unwrap();
            let number: u16 = number.parse().unwrap();
            match kind {
                "threw" => drop(threw.insert(number)),
                "done" => drop(done.insert(number)),
                _ => {}
            }
        }
        let reports = verify(&verifier().with_unchecked(), &classes);
        assert!(reports.iter().all(|report| report.skipped.is_empty()), "{:?}", reports[0].skipped);
        let mut found: BTreeMap<u16, Certainty> = BTreeMap::new();
        for finding in reports.iter().flat_map(|report| &report.findings) {
            let grade = found.entry(finding.line.unwrap()).or_insert(finding.certainty);
            *grade = finding.certainty.min(*grade);
        }
        let shown = |lines: Vec<&u16>| -> Vec<String> {
            let source: Vec<&str> = text.lines().collect();
            lines.into_iter().map(|&line| format!("{line}: {}", source[usize::from(line) - 1])).collect()
        };
        let missed: Vec<&u16> = threw.iter().filter(|line| !found.contains_key(line)).collect();
        let certain = |line: &&u16| found.get(*line) == Some(&Certainty::Certain);
        let wrong: Vec<&u16> = done.iter().filter(certain).collect();
        assert!(wrong.is_empty(), "certain, though it returns: {:#?}\n{text}", shown(wrong));
        assert!(missed.is_empty(), "throws unreported: {:#?}\n{text}", shown(missed));
        let certain = found.values().filter(|grade| **grade == Certainty::Certain).count();
        assert!(threw.len() > 20 && certain > 5, "{} calls throw, {certain} certainly", threw.len());
    }
}
