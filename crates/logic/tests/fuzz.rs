//! Damaged formulas and template files: the parser must answer, with a place that exists, and never panic.
//!
//! The seed and the number of inputs are fixed, so a failure is found again by running the test again.

use adit_logic::{Formula, templates};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

/// A small generator of numbers (xorshift); nothing here needs good randomness.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Cuts, doubles and replaces stretches of `bytes`, and inserts `pieces`.
fn damage(numbers: &mut Numbers, bytes: &mut Vec<u8>, pieces: &[&str]) {
    for _ in 0..=numbers.below(4) {
        let from = numbers.below(bytes.len() + 1);
        let to = (from + numbers.below(8)).min(bytes.len());
        match numbers.below(5) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let stretch = bytes[from..to].to_vec();
                bytes.splice(from..from, stretch);
            }
            2 => bytes.truncate(from),
            3 => drop(bytes.splice(from..from, [numbers.below(256) as u8])),
            _ => drop(bytes.splice(from..to, numbers.pick(pieces).bytes())),
        }
    }
}

/// An error must be printable, with its mark inside its text.
fn check_report(error: &dyn Diagnostic, text: &str) {
    for label in error.labels().into_iter().flatten() {
        assert!(text.get(label.offset()..label.offset() + label.len()).is_some(), "{label:?} in {text:?}");
    }
    assert!(error.help().is_some(), "{error}");
    let mut report = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::none())
        .render_report(&mut report, error)
        .expect("it is printed");
}

const PIECES: [&str; 40] = [
    "G", "F", "X", "U", "W", "R", "M", "o", "[]", "<>", "()", "!", "&", "&&", "|", "->", "=>", "<->", "(",
    ")", "[end]", "X[!]", "X[?]", "true", "\"", "'", "\\", "<init>", "add:TRUE", "pop!E", "□", "∧", "é", " ",
    "\n", "=", "{a}", "[[", "template", "pure",
];

#[test]
fn damaged_formulas_are_answered() {
    let seeds = [
        "G(open -> X F close)",
        "[](y && <>x => (x U (y && o x)))",
        "!a W \"b c\" | X[!] pop!EmptyStackException & <init>",
        "□(a → ○¬b) ∧ [end]",
    ];
    let mut numbers = Numbers(0x5eed_0001);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut bytes = numbers.pick(&seeds).as_bytes().to_vec();
        damage(&mut numbers, &mut bytes, &PIECES);
        let text = String::from_utf8_lossy(&bytes);
        match Formula::parse(&text) {
            Ok(formula) => {
                read += 1;
                assert_eq!(Formula::parse(&formula.to_string()).as_ref(), Ok(&formula), "{text:?}");
                let truths = formula.truths(&["a".to_owned(), "open".to_owned()]);
                assert_eq!(truths[0], formula.holds(&["a".to_owned(), "open".to_owned()]));
            }
            Err(error) => {
                assert!((1..=text.chars().count() + 1).contains(&error.column), "{error}");
                check_report(&error, &text);
            }
        }
    }
    // Else the test would show nothing about formulas that are read.
    assert!((2_000..18_000).contains(&read), "{read} of 20,000 were formulas");
}

#[test]
fn damaged_template_files_are_answered() {
    let seed = "
[[template]]
name = 'AF'
placeholders = ['a', 'b']
formula = 'G(a -> X F b)'
sentence = '`{a}` is followed by `{b}`'

[[template]]
name = \"mine\"
formula = \"\"\"G(a ->
  pure U \\\"c d\\\")\"\"\"
note = \"é\"
";
    let mut numbers = Numbers(0x5eed_0002);
    let mut read = 0;
    for _ in 0..10_000 {
        let mut bytes = seed.as_bytes().to_vec();
        damage(&mut numbers, &mut bytes, &PIECES);
        match templates::read("mine.toml", &bytes) {
            Ok(made) => {
                read += 1;
                for template in made {
                    let events = vec!["{e}"; template.placeholders.len()];
                    template
                        .formula(&events, &["p".to_owned()].into())
                        .expect("as many events as placeholders");
                    template.sentence(&events).expect("as many events as placeholders");
                }
            }
            Err(error) => check_report(&error, error.file.inner()),
        }
    }
    assert!((500..9_500).contains(&read), "{read} of 10,000 were templates");
}
