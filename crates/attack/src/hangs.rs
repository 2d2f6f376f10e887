//! Blame for hangs and crashes: on the method, or on the construction of its object.
//!
//! A call that blocks is no such thing. It waits for what another thread would give, which depends on the
//! state of the object and is found out within a millisecond; like a call that throws, it is not possible in
//! that state, and may be in the next. So it is counted, and made again.
//!
//! Each such end costs as much as thousands of calls, so few must be enough. Blame falls on a method together
//! with the construction of its object (`acquire` on a semaphore made with zero); on the method alone when it
//! mostly hangs, whatever the construction; and on the construction when more methods hang on such objects
//! than return: a scanner that reads from an endless source hangs in every method that reads, and none of
//! them is at fault. Calls on endless sources compute where others wait, so few of them tell: two methods
//! that loop on objects of one construction, never return on them and return on others. And where a method
//! hangs with some values and returns with others, as a wait of an hour and one of no time do, it is the
//! values.
//!
//! Paper: none; bookkeeping.
//! Cost: nothing until something hangs; then a hash of the construction for every object of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use adit_trace::{Argument, CallKind, Callable, End, Run, Script, Statement, StepResult};
use rustc_hash::FxHasher;

use crate::moves::kind_of;

/// Bad ends after which a method is no longer called on objects of the same construction, if at least one in
/// [`RARELY`] of its calls on them ended that way.
const MOST_ON_CONSTRUCTION: u64 = 2;

/// A method that ends badly in fewer than one of so many calls is worth its price.
const RARELY: u64 = 10;

/// Bad ends after which a method is no longer called at all, if at least half of its calls ended that way.
const MOST_EVERYWHERE: u64 = 3;

/// Kinds of values that may hang a method before only those are passed that are known to return.
const MOST_VALUES: usize = 8;

/// Names by which a static factory makes objects that may hang in a method before the method is to blame.
const MOST_NAMES: usize = 5;

/// Number of method names that must hang on objects of one construction, more than return, before the
/// construction is given up. A class has few ways to wait for one thing, and they share a name.
const NAMES: usize = 3;

/// Number of method names that must loop on objects of one construction, and return on others, before the
/// construction counts as endless.
const LOOPING_NAMES: usize = 2;

/// Number of constructions by one maker that must turn out endless before all that it makes count as endless.
const ENDLESS_BY_MAKER: usize = 2;

/// Hash of the call that made an object and of the kinds of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ConstructionHash(u64);

/// Calls of a method, those of them that hung or crashed, and those that blocked.
#[derive(Clone, Copy, Debug, Default)]
struct CallStats {
    all: u64,
    bad: u64,
    blocked: u64,
    /// Those of the bad ends in which the call computed and waited for nothing.
    looped: u64,
    /// Calls that returned and did not throw.
    returned: u64,
}

impl CallStats {
    /// Tells whether there were too many bad ends, and at least one in `rarely` calls.
    fn is_too_bad(self, most: u64, rarely: u64) -> bool {
        self.bad >= most && self.bad * rarely >= self.all
    }

    /// The same without these calls.
    fn without(self, other: Self) -> Self {
        let less = |all: u64, part: u64| all.saturating_sub(part);
        Self {
            all: less(self.all, other.all),
            bad: less(self.bad, other.bad),
            blocked: less(self.blocked, other.blocked),
            looped: less(self.looped, other.looped),
            returned: less(self.returned, other.returned),
        }
    }
}

/// Calls on objects of one construction, on some of which a call hung.
#[derive(Clone, Debug, Default)]
struct ConstructionStats {
    /// The construction in words.
    description: String,
    /// A static factory made the object by a name, which is then to blame, and not the method.
    is_named: bool,
    /// The call that made the object.
    maker: Option<Arc<Callable>>,
    calls: BTreeMap<Arc<Callable>, CallStats>,
    /// The same for each kind of values that a method was given.
    with_values: BTreeMap<Arc<Callable>, BTreeMap<ValuesHash, CallStats>>,
}

impl ConstructionStats {
    /// Counts a call that returned, or threw.
    fn count(&mut self, script: &Script, statement: &Statement, returned: bool) {
        let calls = self.calls.entry(statement.callable.clone()).or_default();
        calls.all += 1;
        calls.returned += u64::from(returned);
        if let Some(values) = ValuesHash::of(script, statement) {
            let with_values = self.with_values.entry(statement.callable.clone()).or_default();
            with_values.entry(values).or_default().all += 1;
        }
    }

    /// Counts a bad end for the values of a call.
    fn count_bad_values(&mut self, script: &Script, culprit: &Statement) {
        let Some(values) = ValuesHash::of(script, culprit) else { return };
        let calls = self.with_values.entry(culprit.callable.clone()).or_default().entry(values).or_default();
        calls.all += 1;
        calls.bad += 1;
    }

    /// The calls of a method with values that are to blame for its bad ends: with others, it returned.
    fn excused(&self, callable: &Arc<Callable>) -> CallStats {
        let Some(with_values) = self.with_values.get(callable) else { return CallStats::default() };
        if !with_values.values().any(|calls| calls.bad == 0) {
            return CallStats::default();
        }
        let add = |sum: CallStats, calls: &CallStats| CallStats {
            all: sum.all + calls.all,
            bad: sum.bad + calls.bad,
            blocked: sum.blocked + calls.blocked,
            looped: sum.looped + calls.looped,
            returned: sum.returned + calls.returned,
        };
        with_values.values().filter(|calls| calls.bad > 0).fold(CallStats::default(), add)
    }

    /// The calls of a method for which neither the construction nor values are to blame.
    fn own_calls(&self, callable: &Arc<Callable>) -> CallStats {
        self.calls.get(callable).copied().unwrap_or_default().without(self.excused(callable))
    }

    /// Tells whether this call must not be made on such objects.
    fn hangs_in(&self, script: &Script, statement: &Statement) -> bool {
        if self.own_calls(&statement.callable).is_too_bad(MOST_ON_CONSTRUCTION, RARELY) {
            return true;
        }
        let Some(with_values) = self.with_values.get(&statement.callable) else { return false };
        let known = ValuesHash::of(script, statement).and_then(|values| with_values.get(&values));
        let guilty = with_values.values().filter(|calls| calls.bad > 0).count();
        match known {
            Some(calls) => calls.is_too_bad(MOST_ON_CONSTRUCTION, RARELY),
            None => guilty > MOST_VALUES,
        }
    }

    /// Tells whether the construction is to blame, and not the methods.
    fn is_to_blame(&self) -> bool {
        let hung = self.calls.iter().filter(|(_, calls)| calls.bad > 0);
        let hung: BTreeSet<&str> = hung.map(|(callable, _)| callable.name.as_str()).collect();
        let all: BTreeSet<&str> = self.calls.keys().map(|callable| callable.name.as_str()).collect();
        hung.len() >= NAMES && 2 * hung.len() > all.len()
    }

    /// Methods that loop on such objects and never return.
    fn looping(&self) -> impl Iterator<Item = &Arc<Callable>> {
        let loops = |calls: &CallStats| calls.looped > 0 && calls.returned == 0;
        self.calls.iter().filter(move |(_, calls)| loops(calls)).map(|(callable, _)| callable)
    }
}

/// Methods and constructions that are to blame for hangs and crashes.
#[derive(Clone, Debug, Default)]
pub(crate) struct HangBlame {
    constructions: BTreeMap<ConstructionHash, ConstructionStats>,
    /// Every method that once ended badly, with all its calls since.
    total: BTreeMap<Arc<Callable>, CallStats>,
    /// Methods that returned on objects by each maker, of those that once ended badly.
    returned: BTreeMap<Arc<Callable>, BTreeSet<Arc<Callable>>>,
    /// Constructions of objects with an endless source, and makers of nothing else.
    endless: BTreeSet<ConstructionHash>,
    endless_makers: BTreeSet<Arc<Callable>>,
}

/// A method that hung or killed its machine on objects of one construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadEnd<'a> {
    /// The method.
    pub callable: &'a Arc<Callable>,
    /// The construction in words: `Scanner(function giving zero)`.
    pub construction: &'a str,
    /// Number of times.
    pub times: u64,
    /// Number of times that it blocked instead: it waited for what nobody was there to give.
    pub blocked: u64,
}

impl HangBlame {
    /// Learns from a run, and tells whether it ended badly. A script that was cut counts: whoever cut it
    /// knows that the next call hangs.
    pub(crate) fn learn(&mut self, script: &Script, run: &Run) -> bool {
        let looped = run.end == End::Looped;
        let bad = looped || matches!(run.end, End::TimedOut | End::Died { .. } | End::Cut { .. });
        let blocked = run.end == End::Blocked;
        if !bad && !blocked && self.total.is_empty() {
            return false;
        }
        let mut constructions = Constructions::of(script);
        let at = run.steps.len();
        let culprit = script.statements.get(at).filter(|_| bad || blocked);
        if let Some(culprit) = culprit {
            // First of all, so that the calls before it count.
            let stats = self.constructions.entry(constructions.of_call(at)).or_default();
            if stats.description.is_empty() {
                let object = culprit.receiver.unwrap_or(at);
                stats.description = describe(script, object);
                stats.is_named = culprit.receiver.is_some() && is_named(&script.statements[object]);
                stats.maker = culprit.receiver.map(|_| script.statements[object].callable.clone());
            }
        }
        for (at, (statement, step)) in script.statements.iter().zip(&run.steps).enumerate() {
            let returned = matches!(step.result, StepResult::Returned(_) | StepResult::Object { .. });
            if let Some(stats) = self.constructions.get_mut(&constructions.of_call(at)) {
                stats.count(script, statement, returned);
            }
            if let Some(total) = self.total.get_mut(&statement.callable) {
                total.all += 1;
                total.returned += u64::from(returned);
                if let Some(made) = statement.receiver.filter(|_| returned) {
                    let maker = script.statements[made].callable.clone();
                    self.returned.entry(maker).or_default().insert(statement.callable.clone());
                }
            }
        }
        if let Some(culprit) = culprit {
            let stats = self.constructions.entry(constructions.of_call(at)).or_default();
            if bad {
                stats.count_bad_values(script, culprit);
            }
            for calls in [
                stats.calls.entry(culprit.callable.clone()).or_default(),
                self.total.entry(culprit.callable.clone()).or_default(),
            ] {
                calls.all += 1;
                calls.bad += u64::from(bad);
                calls.blocked += u64::from(blocked);
                calls.looped += u64::from(looped);
            }
            if looped {
                self.find_endless(constructions.of_call(at));
            }
        }
        bad
    }

    /// Finds out whether objects of a construction have an endless source: several methods loop on them,
    /// which return on others. What waits is something else, because somebody else may end it.
    fn find_endless(&mut self, construction: ConstructionHash) {
        let Some(stats) = self.constructions.get(&construction) else { return };
        let returns_elsewhere =
            |callable: &&Arc<Callable>| self.total.get(*callable).is_some_and(|calls| calls.returned > 0);
        let names: BTreeSet<&str> =
            stats.looping().filter(returns_elsewhere).map(|callable| callable.name.as_str()).collect();
        if names.len() < LOOPING_NAMES {
            return;
        }
        let maker = stats.maker.clone();
        self.endless.insert(construction);
        let alike = || {
            let endless = self.endless.iter().filter_map(|hash| self.constructions.get(hash));
            endless.filter(|stats| stats.maker == maker)
        };
        let returned = maker.as_ref().and_then(|maker| self.returned.get(maker));
        let returns = |callable: &Arc<Callable>| returned.is_some_and(|all| all.contains(callable));
        if alike().count() >= ENDLESS_BY_MAKER && !alike().flat_map(ConstructionStats::looping).any(returns) {
            self.endless_makers.extend(maker);
        }
    }

    /// Tells whether a construction is to blame, and not the methods.
    fn is_to_blame(&self, hash: ConstructionHash, stats: &ConstructionStats) -> bool {
        let is_endless = |maker: &Arc<Callable>| self.endless_makers.contains(maker);
        self.endless.contains(&hash) || stats.maker.as_ref().is_some_and(is_endless) || stats.is_to_blame()
    }

    /// Number of statements before the first that must not be run; nothing if all may.
    pub(crate) fn cut(&self, script: &Script) -> Option<usize> {
        if self.total.is_empty() {
            return None;
        }
        let mut constructions = Constructions::of(script);
        (0..script.statements.len()).find(|&at| {
            let statement = &script.statements[at];
            let construction = constructions.of_statement(at);
            let made = self.constructions.get(&construction);
            let object = self.constructions.get(&constructions.of_call(at));
            made.is_some_and(|stats| self.is_to_blame(construction, stats))
                || self.endless_makers.contains(&statement.callable)
                || object.is_some_and(|stats| stats.hangs_in(script, statement))
                || self.is_given_up(&statement.callable)
        })
    }

    /// Tells whether the method is no longer called, whatever the construction of its object.
    pub(crate) fn is_given_up(&self, callable: &Arc<Callable>) -> bool {
        let Some(&(mut total)) = self.total.get(callable) else { return false };
        let mut names = 0;
        for (&hash, stats) in &self.constructions {
            let calls = stats.calls.get(callable).copied().unwrap_or_default();
            // One name after the other may be to blame, but not any number of them.
            let is_named =
                stats.is_named && calls.bad > 0 && 2 * calls.bad >= calls.all && names < MOST_NAMES;
            names += usize::from(is_named);
            let blameless =
                if is_named || self.is_to_blame(hash, stats) { calls } else { stats.excused(callable) };
            total = total.without(blameless);
        }
        total.is_too_bad(MOST_EVERYWHERE, 2)
    }

    /// Methods that are no longer called on any object.
    pub(crate) fn methods_everywhere(&self) -> impl Iterator<Item = &Arc<Callable>> {
        self.total.keys().filter(|callable| self.is_given_up(callable))
    }

    /// Methods that hang often enough that a generator should rather call others.
    pub(crate) fn methods_to_avoid(&self) -> impl Iterator<Item = &Arc<Callable>> {
        self.total.keys().filter(|callable| {
            let excused = self.constructions.iter().map(|(&hash, stats)| {
                if self.is_to_blame(hash, stats) {
                    stats.calls.get(*callable).copied().unwrap_or_default()
                } else {
                    stats.excused(callable)
                }
            });
            let own = excused.fold(self.total[*callable], CallStats::without);
            own.is_too_bad(MOST_EVERYWHERE, RARELY)
        })
    }

    /// Methods that are no longer called, at least on some objects, without those where the construction is
    /// to blame.
    pub(crate) fn methods(&self) -> BTreeSet<&Arc<Callable>> {
        let not_to_blame = self.constructions.iter().filter(|(hash, stats)| !self.is_to_blame(**hash, stats));
        let there = not_to_blame.flat_map(|(_, stats)| {
            let is_too_bad = |callable: &&Arc<Callable>| {
                stats.own_calls(callable).is_too_bad(MOST_ON_CONSTRUCTION, RARELY)
            };
            stats.calls.keys().filter(is_too_bad)
        });
        there.chain(self.methods_everywhere()).collect()
    }

    /// Every bad end.
    pub(crate) fn bad_ends(&self) -> Vec<BadEnd<'_>> {
        let mut ends = Vec::new();
        for stats in self.constructions.values() {
            for (callable, calls) in stats.calls.iter().filter(|(_, calls)| calls.bad + calls.blocked > 0) {
                let (construction, CallStats { bad: times, blocked, .. }) = (&*stats.description, *calls);
                ends.push(BadEnd { callable, construction, times, blocked });
            }
        }
        ends
    }

    /// Descriptions of the constructions that are to blame.
    pub(crate) fn constructions(&self) -> BTreeSet<&str> {
        let to_blame = self.constructions.iter().filter(|(hash, stats)| self.is_to_blame(**hash, stats));
        to_blame.map(|(_, stats)| stats.description.as_str()).collect()
    }
}

/// Hash of the kinds of the values that a call is given, and of the constants among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ValuesHash(u64);

impl ValuesHash {
    /// Nothing for a call without values.
    fn of(script: &Script, statement: &Statement) -> Option<Self> {
        let mut hasher = FxHasher::default();
        for argument in &statement.args {
            kind_of(argument).hash(&mut hasher);
            // How long ten of it are depends on the unit.
            if let Argument::Earlier(at) = argument
                && let Some(made) = script.statements.get(*at)
                && made.callable.kind == CallKind::Constant
            {
                made.callable.name.hash(&mut hasher);
            }
        }
        (!statement.args.is_empty()).then(|| Self(hasher.finish()))
    }
}

/// Constructions of the objects of a script, each hashed once.
struct Constructions<'a> {
    script: &'a Script,
    known: Vec<Option<ConstructionHash>>,
}

impl<'a> Constructions<'a> {
    fn of(script: &'a Script) -> Self {
        Self { script, known: vec![None; script.statements.len()] }
    }

    /// Construction of the object that a call is made on; of a call on nothing, that of its own result.
    fn of_call(&mut self, at: usize) -> ConstructionHash {
        self.of_statement(self.script.statements[at].receiver.unwrap_or(at))
    }

    /// Construction of the result of a statement.
    fn of_statement(&mut self, at: usize) -> ConstructionHash {
        *self.known[at].get_or_insert_with(|| {
            let mut hasher = FxHasher::default();
            hash_statement(self.script, at, 0, &mut hasher);
            ConstructionHash(hasher.finish())
        })
    }
}

fn is_named(statement: &Statement) -> bool {
    let is_name = |argument: &Argument| match argument {
        Argument::Text(text) => text.len() > 1 && !text.contains(char::is_whitespace),
        _ => false,
    };
    statement.callable.kind == CallKind::Function && statement.args.iter().any(is_name)
}

/// Depth to which the arguments of a construction, and their arguments, tell it from others.
const DEEPEST: usize = 3;

fn hash_statement(script: &Script, at: usize, depth: usize, hasher: &mut FxHasher) {
    let Some(statement) = script.statements.get(at) else { return };
    statement.callable.hash(hasher);
    // What a static factory makes by name is another thing for each name: one kind of key takes a second to
    // make, and another no time.
    if statement.callable.kind == CallKind::Function {
        for argument in &statement.args {
            if let Argument::Text(name) = argument {
                name.hash(hasher);
            }
        }
    }
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

/// Describes the construction by a statement: `Scanner(function giving zero)`.
fn describe(script: &Script, at: usize) -> String {
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
    use adit_trace::{CallKind, Statement, Step, Value};
    use expect_test::{Expect, expect};

    use super::*;

    fn statement(name: &str, receiver: Option<usize>, args: Vec<Argument>) -> Statement {
        let kind = if receiver.is_some() { CallKind::Method } else { CallKind::Constructor };
        let name = if receiver.is_some() { name } else { "Reader" };
        Statement { callable: Arc::new(Callable::new(kind, "a.Reader", name)), receiver, args }
    }

    /// `function: read!` makes a reader from a function and hangs in `read`; without the mark it returns.
    fn learn(blame: &mut HangBlame, run: &str) {
        let (script, hung) = script(run);
        let step = Step::new(StepResult::Returned(Value::Void));
        let count = script.statements.len() - usize::from(hung);
        let end = if hung { End::TimedOut } else { End::Complete };
        blame.learn(&script, &Run { steps: vec![step; count], end, leaked: false, passed: None });
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
        let mut blame = HangBlame::default();
        runs.iter().for_each(|run| learn(&mut blame, run));
        let methods: Vec<&str> = blame.methods().iter().map(|callable| callable.name.as_str()).collect();
        let bad: u64 = blame.bad_ends().iter().map(|end| end.times).sum();
        assert_eq!(bad as usize, runs.iter().filter(|run| run.ends_with('!')).count(), "every hang is told");
        let mut told = format!("methods {methods:?} constructions {:?}\n", blame.constructions());
        for asked in ["word: close read", "function: close read", "null: close read"] {
            told += &format!("{asked}: {:?}\n", blame.cut(&script(asked).0));
        }
        expected.assert_eq(&told);
    }

    #[test]
    fn twice_on_one_kind_of_object_is_enough_there() {
        check(
            &["null: read!", "null: close read!"],
            expect![[r#"
            methods ["read"] constructions {}
            word: close read: None
            function: close read: None
            null: close read: Some(2)
        "#]],
        );
    }

    #[test]
    fn what_blocks_is_called_again() {
        let mut blame = HangBlame::default();
        for _ in 0..100 {
            let (script, _) = script("null: read!");
            let run = Run {
                steps: vec![Step::new(StepResult::Returned(Value::Void))],
                end: End::Blocked,
                leaked: false,
                passed: None,
            };
            assert!(!blame.learn(&script, &run), "it costs little");
        }
        let ends: Vec<(u64, u64)> = blame.bad_ends().iter().map(|end| (end.times, end.blocked)).collect();
        assert_eq!(ends, [(0, 100)]);
        assert_eq!(blame.cut(&script("null: close read").0), None);
        assert!(blame.methods().is_empty() && blame.methods_to_avoid().next().is_none());
    }

    #[test]
    fn what_hangs_on_every_kind_of_object_is_given_up() {
        check(
            &["null: read!", "word: read!", "function: read!"],
            expect![[r#"
            methods ["read"] constructions {}
            word: close read: Some(2)
            function: close read: Some(2)
            null: close read: Some(2)
        "#]],
        );
    }

    #[test]
    fn a_factory_is_blamed_by_the_names_that_it_is_given() {
        let script = |name: &str| {
            let factory = Callable::new(CallKind::Function, "a.Keys", "named");
            let args = vec![Argument::Text(name.to_owned())];
            let made = Statement { callable: Arc::new(factory), receiver: None, args };
            Script { statements: vec![made, statement("make", Some(0), Vec::new())] }
        };
        let mut blame = HangBlame::default();
        let hang = |blame: &mut HangBlame, name: &str| {
            let steps = vec![Step::new(StepResult::Returned(Value::Void))];
            blame.learn(&script(name), &Run { steps, end: End::TimedOut, leaked: false, passed: None });
        };
        for name in ["rsa", "dsa", "dh", "rsa"] {
            hang(&mut blame, name);
        }
        assert_eq!(blame.cut(&script("rsa")), Some(1));
        assert_eq!(blame.cut(&script("ec")), None);
        for number in 0..9 {
            hang(&mut blame, &format!("key{number}"));
        }
        assert_eq!(blame.cut(&script("ec")), Some(1), "too many names: the method is to blame");
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
                methods [] constructions {"Reader(function giving small)"}
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
                methods ["read"] constructions {}
                word: close read: None
                function: close read: Some(2)
                null: close read: None
            "#]],
        );
    }

    /// Like [`learn`], for calls that compute until their time is over.
    fn learn_loop(blame: &mut HangBlame, run: &str) {
        let (script, looped) = script(run);
        let count = script.statements.len() - usize::from(looped);
        let steps = vec![Step::new(StepResult::Returned(Value::Void)); count];
        let end = if looped { End::Looped } else { End::Complete };
        blame.learn(&script, &Run { steps, end, leaked: false, passed: None });
    }

    /// Runs of which two methods hang on objects made from functions, and return on those made from words.
    const HANGING_ON_FUNCTIONS: [&str; 5] = [
        "function: map filter limit peek count!",
        "word: map filter limit peek count max",
        "function: max!",
        "word: count max",
        "function: max!",
    ];

    /// Most methods return on an endless stream, so the rule about most of them does not see it.
    #[test]
    fn objects_on_which_two_methods_loop_are_endless() {
        let mut blame = HangBlame::default();
        HANGING_ON_FUNCTIONS.iter().for_each(|run| learn_loop(&mut blame, run));
        let cut = |asked: &str| blame.cut(&script(asked).0);
        assert_eq!((cut("function: map"), cut("word: max"), cut("null: max")), (Some(0), None, None));
        assert!(blame.methods().is_empty() && blame.methods_to_avoid().next().is_none());
        assert_eq!(blame.constructions(), BTreeSet::from(["Reader(function giving small)"]));
    }

    /// Calls on a pipe wait for its other end, on objects of one kind more often than on others.
    #[test]
    fn objects_on_which_two_methods_wait_are_not_endless() {
        let mut blame = HangBlame::default();
        HANGING_ON_FUNCTIONS.iter().for_each(|run| learn(&mut blame, run));
        assert_eq!(blame.cut(&script("function: map").0), None);
    }

    /// What loops everywhere is the method.
    #[test]
    fn methods_that_never_return_do_not_make_objects_endless() {
        let mut blame = HangBlame::default();
        for run in ["function: map count!", "function: max!", "word: max!", "function: max!"] {
            learn_loop(&mut blame, run);
        }
        assert_eq!(blame.cut(&script("function: map").0), None);
    }

    /// What is endless for two kinds of values is so for others, unless what loops on them has returned.
    #[test]
    fn a_maker_of_endless_objects_is_given_up() {
        let other_maker = |blame: &mut HangBlame| {
            let maker = Callable::new(CallKind::Function, "a.Readers", "of");
            let made = Statement { callable: Arc::new(maker), receiver: None, args: Vec::new() };
            let calls = ["count", "max"].map(|name| statement(name, Some(0), Vec::new()));
            let script = Script { statements: std::iter::once(made).chain(calls).collect() };
            let steps = vec![Step::new(StepResult::Returned(Value::Void)); 3];
            blame.learn(&script, &Run { steps, end: End::Complete, leaked: false, passed: None });
        };
        let cut = |returns: &[&str]| {
            let mut blame = HangBlame::default();
            for kind in ["function", "null"] {
                for call in ["count", "max", "max"] {
                    learn_loop(&mut blame, &format!("{kind}: {call}!"));
                    other_maker(&mut blame);
                    returns.iter().for_each(|run| learn_loop(&mut blame, run));
                }
            }
            blame.cut(&script("word: map").0)
        };
        assert_eq!(cut(&[]), Some(0));
        assert_eq!(cut(&["word: max"]), None);
    }

    /// `await(1, HOURS)` waits where `await(0, HOURS)` and `await(1, NANOSECONDS)` return.
    #[test]
    fn values_are_to_blame_where_others_return() {
        let script = |time: i64, unit: &str| {
            let unit = Callable::new(CallKind::Constant, "a.Unit", unit);
            let unit = Statement { callable: Arc::new(unit), receiver: None, args: Vec::new() };
            let wait = statement("await", Some(0), vec![Argument::Int(time), Argument::Earlier(1)]);
            Script { statements: vec![statement("", None, vec![Argument::Null]), unit, wait] }
        };
        let mut blame = HangBlame::default();
        let mut learn = |time: i64, unit: &str, hung: bool| {
            let steps = vec![Step::new(StepResult::Returned(Value::Void)); if hung { 2 } else { 3 }];
            let end = if hung { End::TimedOut } else { End::Complete };
            blame.learn(&script(time, unit), &Run { steps, end, leaked: false, passed: None });
        };
        for _ in 0..2 {
            learn(1, "HOURS", true);
            learn(0, "HOURS", false);
        }
        for unit in ["DAYS", "SECONDS", "DAYS"] {
            learn(1, unit, true);
        }
        let cut = |time: i64, unit: &str| blame.cut(&script(time, unit));
        assert_eq!((cut(1, "HOURS"), cut(5, "DAYS")), (Some(2), Some(2)));
        assert_eq!((cut(1, "SECONDS"), cut(0, "HOURS"), cut(1, "NANOSECONDS")), (None, None, None));
        assert!(blame.methods().is_empty() && blame.methods_to_avoid().next().is_none());
    }

    #[test]
    fn what_hangs_once_or_rarely_is_kept() {
        let mut rarely = vec!["word: read!", "word: read!"];
        rarely.resize(30, "word: read");
        for runs in [&["null: read!"], rarely.as_slice()] {
            check(
                runs,
                expect![[r#"
                    methods [] constructions {}
                    word: close read: None
                    function: close read: None
                    null: close read: None
                "#]],
            );
        }
    }
}
