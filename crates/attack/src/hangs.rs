//! Who is to blame when a script hangs or kills its machine: the method, or the way its object was made.
//!
//! Each such end costs as much as thousands of calls, so that few must be enough. Blame falls on a method together with how its
//! object was made (`acquire` on a semaphore made with zero); on the method alone when it mostly hangs, however its object
//! was made; and on the making when more methods hang on such objects than return: a scanner that reads from what
//! never ends hangs in whatever reads, and none of these methods is at fault.
//!
//! Paper: none; bookkeeping.
//! Cost: nothing until something hangs; then a hash of the making for every object of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use adit_trace::{Argument, Callable, End, Run, Script};
use rustc_hash::FxHasher;

use crate::moves::kind_of;

/// After so many bad ends, and when at least one in [`RARE`] calls ends so, a method is no longer called on objects made like those.
const PATIENCE: u64 = 2;

/// A method that ends badly more rarely than this is worth its price.
const RARE: u64 = 10;

/// After so many bad ends, and when at least every other call ends so, a method is no longer called at all.
const PATIENCE_WITH_ALL: u64 = 3;

/// When methods of so many names hang on objects that were made in one way, and fewer return, no more are made like that. Ways
/// to wait for one thing are few, and have one name.
const NAMES: usize = 3;

/// How an object was made: a number for the call and the kinds of its arguments.
type Making = u64;

/// How often a call ended well or not at all.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    all: u64,
    bad: u64,
}

impl Calls {
    fn is_too_bad(self, patience: u64, rare: u64) -> bool {
        self.bad >= patience && self.bad * rare >= self.all
    }
}

/// What was learned of objects that were made in one way, on some of which a call hung.
#[derive(Clone, Debug, Default)]
struct Made {
    /// The making in words.
    said: String,
    calls: BTreeMap<Arc<Callable>, Calls>,
}

impl Made {
    /// Whether the making is to blame, and not what was called.
    fn is_to_blame(&self) -> bool {
        let hung = self.calls.iter().filter(|(_, calls)| calls.bad > 0);
        let hung: BTreeSet<&str> = hung.map(|(callable, _)| callable.name.as_str()).collect();
        let all: BTreeSet<&str> = self.calls.keys().map(|callable| callable.name.as_str()).collect();
        hung.len() >= NAMES && 2 * hung.len() > all.len()
    }
}

/// What hangs, and whom to blame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hangs {
    made: BTreeMap<Making, Made>,
    /// Every call that once ended badly, with all its calls since.
    total: BTreeMap<Arc<Callable>, Calls>,
}

impl Hangs {
    /// Learns from a run, and tells whether it ended badly. A script that was cut counts: whoever cut it knows that the next
    /// call hangs.
    pub(crate) fn learn(&mut self, script: &Script, run: &Run) -> bool {
        let bad = matches!(run.end, End::TimedOut | End::Died { .. } | End::Cut { .. });
        if !bad && self.total.is_empty() {
            return false;
        }
        let mut makings = Makings::of(script);
        let at = run.steps.len();
        let culprit = script.statements.get(at).filter(|_| bad);
        if let Some(culprit) = culprit {
            // First of all, so that the calls before it count.
            let made = self.made.entry(makings.of_call(at)).or_default();
            if made.said.is_empty() {
                made.said = said(script, culprit.receiver.unwrap_or(at));
            }
        }
        for (at, statement) in script.statements.iter().enumerate().take(run.steps.len()) {
            if let Some(made) = self.made.get_mut(&makings.of_call(at)) {
                made.calls.entry(statement.callable.clone()).or_default().all += 1;
            }
            if let Some(total) = self.total.get_mut(&statement.callable) {
                total.all += 1;
            }
        }
        if let Some(culprit) = culprit {
            let made = self.made.entry(makings.of_call(at)).or_default();
            for calls in [
                made.calls.entry(culprit.callable.clone()).or_default(),
                self.total.entry(culprit.callable.clone()).or_default(),
            ] {
                calls.all += 1;
                calls.bad += 1;
            }
        }
        bad
    }

    /// How many statements of the script come before one that must not be run; nothing if all may.
    pub(crate) fn cut(&self, script: &Script) -> Option<usize> {
        if self.total.is_empty() {
            return None;
        }
        let mut makings = Makings::of(script);
        (0..script.statements.len()).find(|&at| {
            let callable = &script.statements[at].callable;
            let calls = |made: &Made| made.calls.get(callable).copied().unwrap_or_default();
            let made_badly = self.made.get(&makings.of_statement(at)).is_some_and(Made::is_to_blame);
            let hangs_there = |made: &Made| calls(made).is_too_bad(PATIENCE, RARE);
            made_badly
                || self.made.get(&makings.of_call(at)).is_some_and(hangs_there)
                || self.is_given_up(callable)
        })
    }

    /// Whether the method is no longer called, however its object was made.
    pub(crate) fn is_given_up(&self, callable: &Arc<Callable>) -> bool {
        let Some(&(mut total)) = self.total.get(callable) else { return false };
        for made in self.made.values().filter(|made| made.is_to_blame()) {
            let Calls { all, bad } = made.calls.get(callable).copied().unwrap_or_default();
            total.all = total.all.saturating_sub(all);
            total.bad = total.bad.saturating_sub(bad);
        }
        total.is_too_bad(PATIENCE_WITH_ALL, 2)
    }

    /// The methods that are no longer called at least on some objects, without those where the object is to blame.
    pub(crate) fn methods(&self) -> BTreeSet<&Arc<Callable>> {
        let blameless = self.made.values().filter(|made| !made.is_to_blame());
        let there =
            blameless.flat_map(|made| &made.calls).filter(|(_, calls)| calls.is_too_bad(PATIENCE, RARE));
        let everywhere = self.total.keys().filter(|callable| self.is_given_up(callable));
        there.map(|(callable, _)| callable).chain(everywhere).collect()
    }

    /// Every bad end: what was called, in words how its object was made, and how often.
    pub(crate) fn all(&self) -> Vec<(&Arc<Callable>, &str, u64)> {
        let made = self.made.values();
        made.flat_map(|made| {
            made.calls.iter().map(|(callable, calls)| (callable, made.said.as_str(), calls.bad))
        })
        .filter(|(_, _, bad)| *bad > 0)
        .collect()
    }

    /// In words, how the objects are made on which most calls hang.
    pub(crate) fn makings(&self) -> BTreeSet<&str> {
        self.made.values().filter(|made| made.is_to_blame()).map(|made| made.said.as_str()).collect()
    }
}

/// How the objects of a script are made, each looked at once.
struct Makings<'a> {
    script: &'a Script,
    known: Vec<Option<Making>>,
}

impl<'a> Makings<'a> {
    fn of(script: &'a Script) -> Self {
        Self { script, known: vec![None; script.statements.len()] }
    }

    /// How the object is made that a call is made on; of what is called on nothing, what it makes.
    fn of_call(&mut self, at: usize) -> Making {
        self.of_statement(self.script.statements[at].receiver.unwrap_or(at))
    }

    /// How the statement makes what it gives.
    fn of_statement(&mut self, at: usize) -> Making {
        *self.known[at].get_or_insert_with(|| {
            let mut hasher = FxHasher::default();
            hash_statement(self.script, at, 0, &mut hasher);
            hasher.finish()
        })
    }
}

/// What things are made of matters so deep.
const DEEPEST: usize = 3;

fn hash_statement(script: &Script, at: usize, depth: usize, hasher: &mut FxHasher) {
    let Some(statement) = script.statements.get(at) else { return };
    statement.callable.hash(hasher);
    if depth < DEEPEST {
        statement.args.iter().for_each(|argument| hash_argument(script, argument, depth, hasher));
    }
}

fn hash_argument(script: &Script, argument: &Argument, depth: usize, hasher: &mut FxHasher) {
    match argument {
        Argument::Earlier(at) => hash_statement(script, *at, depth + 1, hasher),
        Argument::Function(result) => {
            kind_of(argument).hash(hasher);
            hash_argument(script, result, depth, hasher);
        }
        other => kind_of(other).hash(hasher),
    }
}

/// How a statement makes what it gives: `Scanner(function giving zero)`.
fn said(script: &Script, at: usize) -> String {
    let Some(statement) = script.statements.get(at) else { return String::new() };
    let argument = |argument: &Argument| match argument {
        Argument::Earlier(from) => script
            .statements
            .get(*from)
            .map_or_else(String::new, |from| from.callable.event_name().to_owned()),
        Argument::Function(result) => format!("function giving {}", kind_of(result).trim()),
        other => kind_of(other).trim().to_owned(),
    };
    let args: Vec<String> = statement.args.iter().map(argument).collect();
    format!("{}({})", statement.callable.event_name(), args.join(", "))
}

#[cfg(test)]
mod tests {
    use adit_trace::{CallKind, Statement, Step, StepResult, Value};
    use expect_test::{Expect, expect};

    use super::*;

    fn statement(name: &str, receiver: Option<usize>, args: Vec<Argument>) -> Statement {
        let kind = if receiver.is_some() { CallKind::Method } else { CallKind::Constructor };
        let name = if receiver.is_some() { name } else { "Reader" };
        Statement { callable: Arc::new(Callable::new(kind, "a.Reader", name)), receiver, args }
    }

    /// `function: read!` makes a reader from a function and hangs in `read`; without the mark it returns.
    fn learn(hangs: &mut Hangs, run: &str) {
        let (script, hung) = script(run);
        let step = Step::new(StepResult::Returned(Value::Void));
        let count = script.statements.len() - usize::from(hung);
        let end = if hung { End::TimedOut } else { End::Complete };
        hangs.learn(&script, &Run { steps: vec![step; count], end, leaked: false, passed: None });
    }

    fn script(run: &str) -> (Script, bool) {
        let (from, calls) = run.split_once(": ").unwrap();
        let from = match from {
            "function" => Argument::Function(Box::new(Argument::Int(2))),
            "null" => Argument::Null,
            text => Argument::Text(text.to_owned()),
        };
        let hung = calls.ends_with('!');
        let calls = calls.trim_end_matches('!').split(' ').map(|name| statement(name, Some(0), Vec::new()));
        let statements = std::iter::once(statement("", None, vec![from])).chain(calls).collect();
        (Script { statements }, hung)
    }

    fn check(runs: &[&str], expected: Expect) {
        let mut hangs = Hangs::default();
        runs.iter().for_each(|run| learn(&mut hangs, run));
        let methods: Vec<&str> = hangs.methods().iter().map(|callable| callable.name.as_str()).collect();
        let bad: u64 = hangs.all().iter().map(|(_, _, times)| times).sum();
        assert_eq!(bad as usize, runs.iter().filter(|run| run.ends_with('!')).count(), "every hang is told");
        let mut told = format!("methods {methods:?} makings {:?}\n", hangs.makings());
        for asked in ["word: close read", "function: close read", "null: close read"] {
            told += &format!("{asked}: {:?}\n", hangs.cut(&script(asked).0));
        }
        expected.assert_eq(&told);
    }

    #[test]
    fn twice_on_one_kind_of_object_is_enough_there() {
        check(
            &["null: read!", "null: close read!"],
            expect![[r#"
            methods ["read"] makings {}
            word: close read: None
            function: close read: None
            null: close read: Some(2)
        "#]],
        );
        check(
            &["null: read!"],
            expect![[r#"
            methods [] makings {}
            word: close read: None
            function: close read: None
            null: close read: None
        "#]],
        );
    }

    #[test]
    fn what_hangs_on_every_kind_of_object_is_given_up() {
        check(
            &["null: read!", "word: read!", "function: read!"],
            expect![[r#"
            methods ["read"] makings {}
            word: close read: Some(2)
            function: close read: Some(2)
            null: close read: Some(2)
        "#]],
        );
    }

    #[test]
    fn where_most_methods_hang_the_object_is_to_blame() {
        check(
            &[
                "function: read!",
                "word: read",
                "function: close skip!",
                "function: peek!",
                "function: read!",
                "function: next!",
            ],
            expect![[r#"
                methods [] makings {"Reader(function giving small)"}
                word: close read: None
                function: close read: Some(0)
                null: close read: None
            "#]],
        );
        // Where as many return, the methods are.
        check(
            &[
                "function: a b c read!",
                "function: skip!",
                "function: peek!",
                "function: next!",
                "function: read!",
            ],
            expect![[r#"
                methods ["read"] makings {}
                word: close read: None
                function: close read: Some(2)
                null: close read: None
            "#]],
        );
    }

    #[test]
    fn what_hangs_rarely_is_kept() {
        let mut runs = vec!["word: read!", "word: read!"];
        runs.resize(30, "word: read");
        check(
            &runs,
            expect![[r#"
            methods [] makings {}
            word: close read: None
            function: close read: None
            null: close read: None
        "#]],
        );
    }
}
