//! Tests: the naive twin, adding up, and the figures of the papers.

use std::collections::{BTreeMap, BTreeSet};

use adit_logic::contract::Dialect;
use adit_trace::State;
use expect_test::expect;
use proptest::prelude::*;

use super::*;

const EVERYTHING: Scope = Scope { depth: 1, types: ValueTypes::ALL, elements: true };

const QUERY: InvariantQuery =
    InvariantQuery { labels: Labels::Exception, min_confidence: 0.99, min_support: 1, keep_implied: false };

const ANYTHING: InvariantQuery = InvariantQuery { min_confidence: 0.0, keep_implied: true, ..QUERY };

fn mined(traces: &[Vec<Event>], scope: Scope) -> InvariantMiner {
    let mut miner = InvariantMiner::new(scope);
    for trace in traces {
        observed_calls(trace).try_for_each(|call| miner.add(&call)).unwrap();
    }
    miner
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (-2..3_i64).prop_map(Value::Int),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => prop::sample::select(vec![Value::Null, Value::Text("a".into()), Value::Text("#1".into())]),
        1 => prop::sample::select(vec![Value::Float(0.5), Value::Float(f64::NAN)]),
    ]
}

fn state() -> impl Strategy<Value = State> {
    let size = prop_oneof![3 => (0..3_i64).prop_map(Value::Int), 1 => Just(Value::Null)];
    let reference =
        prop::sample::select(vec![Value::Null, Value::Text("#1".into()), Value::Text("#2".into())]);
    let fields =
        (prop::option::of(-2..3_i64), -2..3_i64, any::<bool>(), reference, size, prop::option::of(value()));
    fields.prop_map(|(x, y, open, next, size, other)| {
        let mut state = State::new();
        state.extend(x.map(|x| ("x".to_owned(), Value::Int(x))));
        state.insert("y".to_owned(), Value::Int(y));
        state.insert("open".to_owned(), Value::Bool(open));
        state.insert("next".to_owned(), next);
        state.insert("array.length".to_owned(), size);
        state.extend(other.map(|other| ("other".to_owned(), other)));
        state
    })
}

fn event() -> impl Strategy<Value = Event> {
    let outcome = prop_oneof![
        Just(Outcome::Returned(Value::Void)),
        value().prop_map(Outcome::Returned),
        Just(Outcome::Threw("a.Oops".into())),
    ];
    let args = prop::collection::vec(value(), 0..2);
    (0..2_u8, args, outcome, prop::option::weighted(0.9, state())).prop_map(
        |(method, args, outcome, state)| Event { args, outcome, state, ..Event::call(format!("m{method}")) },
    )
}

fn traces() -> impl Strategy<Value = Vec<Vec<Event>>> {
    prop::collection::vec(prop::collection::vec(event(), 1..8), 1..5)
}

fn clauses(miner: &InvariantMiner, query: &InvariantQuery) -> BTreeMap<ProgramPoint, BTreeSet<Clause>> {
    let class = miner.invariants(query).unwrap().remove(0);
    let canonical = |claim: &Invariant| naive::canonical(&claim.clause);
    let points = class.points.into_iter();
    points.map(|point| (point.point, point.invariants.iter().map(canonical).collect())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn counts_say_what_a_look_at_every_sample_says(traces in traces()) {
        let expected = naive::claims(&traces, Labels::Exception);
        prop_assert_eq!(clauses(&mined(&traces, EVERYTHING), &ANYTHING), expected);
    }

    /// Two halves of a log, merged in either order, or through files, give what the whole log gives.
    #[test]
    fn halves_add_up(traces in traces(), cut in 0..5_usize) {
        let cut = cut.min(traces.len());
        let whole = mined(&traces, EVERYTHING);
        let (one, another) = (mined(&traces[..cut], EVERYTHING), mined(&traces[cut..], EVERYTHING));
        for query in [ANYTHING, QUERY, InvariantQuery { labels: Labels::Method, ..ANYTHING }] {
            let expected = whole.invariants(&query).unwrap();
            for (first, second) in [(&one, &another), (&another, &one)] {
                let merged = first.clone().merge(second).unwrap();
                prop_assert_eq!(&merged.invariants(&query).unwrap(), &expected);
                let back = InvariantMiner::from_fold(&merged.to_fold()).unwrap();
                prop_assert_eq!(&back.invariants(&query).unwrap(), &expected);
                let bytes = |miner: &InvariantMiner| serde_json::to_string(&miner.to_fold()).unwrap();
                prop_assert_eq!(bytes(&back), bytes(&whole));
                let empty = InvariantMiner::new(EVERYTHING);
                prop_assert_eq!(bytes(&empty.clone().merge(&back).unwrap()), bytes(&whole));
                prop_assert_eq!(bytes(&back.merge(&empty).unwrap()), bytes(&whole));
            }
        }
    }

    /// Parts of a log add up in any grouping.
    #[test]
    fn adding_up_is_associative(parts in prop::collection::vec(traces(), 3)) {
        let [one, two, three] = [0, 1, 2].map(|part: usize| mined(&parts[part], EVERYTHING));
        let left = one.clone().merge(&two).unwrap().merge(&three).unwrap();
        let right = one.merge(&two.merge(&three).unwrap()).unwrap();
        prop_assert_eq!(left.invariants(&ANYTHING).unwrap(), right.invariants(&ANYTHING).unwrap());
        let bytes = |miner: &InvariantMiner| serde_json::to_string(&miner.to_fold()).unwrap();
        prop_assert_eq!(bytes(&left), bytes(&right));
    }

    /// Nothing that was left out as implied is contradicted, and nothing is claimed that does not hold.
    #[test]
    fn fewer_claims_are_some_of_the_claims(traces in traces()) {
        let all = clauses(&mined(&traces, EVERYTHING), &ANYTHING);
        let few = clauses(&mined(&traces, EVERYTHING), &InvariantQuery { keep_implied: false, ..ANYTHING });
        for (point, clauses) in few {
            prop_assert!(clauses.is_subset(&all[&point]));
        }
    }
}

/// A stack in an array, as Daikon's example has it.
struct Stack {
    array: i64,
    length: i64,
    top: i64,
}

impl Stack {
    fn state(&self) -> State {
        let fields = [
            ("theArray", Value::Text(format!("#{}", self.array))),
            ("theArray.length", Value::Int(self.length)),
            ("topOfStack", Value::Int(self.top)),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn call(&mut self, method: &str, args: Vec<Value>) -> Event {
        let outcome = match method {
            "push" if self.top + 1 == self.length => Outcome::Threw("java.lang.RuntimeException".into()),
            "push" => {
                self.top += 1;
                Outcome::Returned(Value::Void)
            }
            "topAndPop" if self.top < 0 => Outcome::Returned(Value::Null),
            "topAndPop" => {
                self.top -= 1;
                Outcome::Returned(Value::Text(format!("#{}", self.top + 100)))
            }
            "isEmpty" => Outcome::Returned(Value::Bool(self.top < 0)),
            "isFull" => Outcome::Returned(Value::Bool(self.top + 1 == self.length)),
            _ => Outcome::Returned(Value::Void),
        };
        Event { args, outcome, state: Some(self.state()), ..Event::call(method) }
    }
}

/// Calls on stacks of several sizes, chosen by a generator that is always the same.
fn stacks() -> Vec<Vec<Event>> {
    let mut seed = 7_u64;
    let mut next = move |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let mut traces = Vec::new();
    for array in 0..40 {
        let mut stack = Stack { array, length: next(6) as i64, top: -1 };
        let capacity = stack.length;
        let mut trace = vec![stack.call("StackAr", vec![Value::Int(capacity)])];
        for _ in 0..40 {
            let method = ["push", "push", "topAndPop", "isEmpty", "isFull"][next(5) as usize];
            let args = if method == "push" { vec![Value::Text(format!("#{}", next(9)))] } else { Vec::new() };
            trace.push(stack.call(method, args));
        }
        traces.push(trace);
    }
    traces
}

fn shown(class: &ClassInvariants, dialect: Dialect, wanted: impl Fn(&ProgramPoint) -> bool) -> String {
    let mut text = String::new();
    for point in class.points.iter().filter(|point| wanted(&point.point)) {
        text += &format!("{}\n", point.point.name(class.class.as_deref()));
        for claim in &point.invariants {
            text += &format!("  {}\n", dialect.clause(&claim.clause));
        }
    }
    text
}

/// [krka, Figure 1]: two invariants of the object, two preconditions and four postconditions of `push`. All
/// eight are there, in the same words.
#[test]
fn the_first_figure() {
    let paper = Scope { types: ValueTypes::PAPER, elements: false, ..EVERYTHING };
    let class = mined(&stacks(), paper).invariants(&QUERY).unwrap().remove(0);
    let about_push = |point: &ProgramPoint| match point {
        ProgramPoint::Object => true,
        ProgramPoint::Entry(label) | ProgramPoint::Exit(label) => label == "push",
    };
    let text = shown(&class, Dialect::Daikon, about_push);
    let figure = [
        ("StackAr:::OBJECT", "this.topOfStack >= -1"),
        ("StackAr:::OBJECT", "this.topOfStack <= size(this.theArray[..])-1"),
        ("StackAr.push:::ENTER", "this.topOfStack < size(this.theArray[..])-1"),
        ("StackAr.push:::ENTER", "this.topOfStack >= -1"),
        ("StackAr.push:::EXIT", "orig(this.topOfStack) < size(this.theArray[..])-1"),
        ("StackAr.push:::EXIT", "this.topOfStack >= 0"),
        ("StackAr.push:::EXIT", "this.topOfStack - orig(this.topOfStack) - 1 == 0"),
        ("StackAr.push:::EXIT", "size(this.theArray[..]) == orig(size(this.theArray[..]))"),
    ];
    let mut point = "";
    let pairs: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| match line.strip_prefix("  ") {
            Some(claim) => Some((point, claim)),
            None => {
                point = line;
                None
            }
        })
        .collect();
    for wanted in figure {
        assert!(pairs.contains(&wanted), "{wanted:?} is missing:\n{text}");
    }
    expect![[r#"
        StackAr:::OBJECT
          this.theArray != null
          size(this.theArray[..]) <= 5
          this.topOfStack <= 4
          this.topOfStack <= size(this.theArray[..])-1
          this.topOfStack >= -1
        StackAr.push:::ENTER
          this.theArray != null
          arg0 != null
          size(this.theArray[..]) <= 5
          size(this.theArray[..]) >= 1
          this.topOfStack <= 3
          this.topOfStack < size(this.theArray[..])-1
          this.topOfStack >= -1
        StackAr.push:::EXIT
          this.theArray != null
          size(this.theArray[..]) == orig(size(this.theArray[..]))
          size(this.theArray[..]) <= 5
          size(this.theArray[..]) >= 1
          this.topOfStack - orig(this.topOfStack) - 1 == 0
          this.topOfStack <= 4
          this.topOfStack <= size(this.theArray[..])-1
          this.topOfStack >= 0
          orig(this.topOfStack) < size(this.theArray[..])-1
          this.theArray == orig(this.theArray)
    "#]]
    .assert_eq(&text);
}

/// [krka, section 3.2]: with method distinction each outcome has its own precondition; without it, the result
/// appears in implications.
#[test]
fn outcomes_are_told_apart_or_become_implications() {
    let paper = Scope { types: ValueTypes::PAPER, elements: false, ..EVERYTHING };
    let miner = mined(&stacks(), paper);
    let about = |name: &'static str| {
        move |point: &ProgramPoint| match point {
            ProgramPoint::Object => false,
            ProgramPoint::Entry(label) | ProgramPoint::Exit(label) => label.starts_with(name),
        }
    };
    let apart = miner.invariants(&QUERY).unwrap().remove(0);
    expect![[r#"
        StackAr.isEmpty:FALSE:::ENTER
          this.theArray != null
          size(this.theArray) <= 5
          size(this.theArray) >= 1
          this.topOfStack <= size(this.theArray) - 1
          this.topOfStack >= 0
        StackAr.isEmpty:FALSE:::EXIT
          return == false
          this.theArray != null
          size(this.theArray) == orig(size(this.theArray))
          size(this.theArray) <= 5
          size(this.theArray) >= 1
          this.topOfStack == orig(this.topOfStack)
          this.topOfStack <= size(this.theArray) - 1
          this.topOfStack >= 0
          this.theArray == orig(this.theArray)
        StackAr.isEmpty:TRUE:::ENTER
          this.topOfStack == -1
          this.theArray != null
        StackAr.isEmpty:TRUE:::EXIT
          this.topOfStack == -1
          return == true
          this.theArray != null
          size(this.theArray) == orig(size(this.theArray))
          this.topOfStack == orig(this.topOfStack)
          this.theArray == orig(this.theArray)
        StackAr.isFull:FALSE:::ENTER
          this.theArray != null
          size(this.theArray) <= 5
          size(this.theArray) >= 1
          this.topOfStack < size(this.theArray) - 1
          this.topOfStack >= -1
        StackAr.isFull:FALSE:::EXIT
          return == false
          this.theArray != null
          size(this.theArray) == orig(size(this.theArray))
          size(this.theArray) <= 5
          size(this.theArray) >= 1
          this.topOfStack == orig(this.topOfStack)
          this.topOfStack < size(this.theArray) - 1
          this.topOfStack >= -1
          this.theArray == orig(this.theArray)
        StackAr.isFull:TRUE:::ENTER
          this.theArray != null
          this.topOfStack == size(this.theArray) - 1
          this.topOfStack >= -1
        StackAr.isFull:TRUE:::EXIT
          return == true
          this.theArray != null
          size(this.theArray) == orig(size(this.theArray))
          this.topOfStack == size(this.theArray) - 1
          this.topOfStack == orig(this.topOfStack)
          this.topOfStack >= -1
          this.theArray == orig(this.theArray)
    "#]]
    .assert_eq(&shown(&apart, Dialect::Plain, about("is")));
    let together = miner.invariants(&InvariantQuery { labels: Labels::Method, ..QUERY }).unwrap().remove(0);
    expect![[r#"
        StackAr.isEmpty:::ENTER
          this.theArray != null
          size(this.theArray) <= 5
          this.topOfStack <= size(this.theArray) - 1
          this.topOfStack >= -1
        StackAr.isEmpty:::EXIT
          this.theArray != null
          size(this.theArray) == orig(size(this.theArray))
          size(this.theArray) <= 5
          this.topOfStack == orig(this.topOfStack)
          this.topOfStack <= size(this.theArray) - 1
          this.topOfStack >= -1
          this.theArray == orig(this.theArray)
          (return == true) <==> (this.topOfStack == -1)
          (return == false) ==> (size(this.theArray) >= 1)
          (return == false) <==> (this.topOfStack >= 0)
        StackAr.isFull:::ENTER
          this.theArray != null
          size(this.theArray) <= 5
          this.topOfStack <= size(this.theArray) - 1
          this.topOfStack >= -1
        StackAr.isFull:::EXIT
          this.theArray != null
          size(this.theArray) == orig(size(this.theArray))
          size(this.theArray) <= 5
          this.topOfStack == orig(this.topOfStack)
          this.topOfStack <= size(this.theArray) - 1
          this.topOfStack >= -1
          this.theArray == orig(this.theArray)
          (return == true) <==> (this.topOfStack == size(this.theArray) - 1)
          (return == false) ==> (size(this.theArray) >= 1)
          (return == false) <==> (this.topOfStack < size(this.theArray) - 1)
    "#]]
    .assert_eq(&shown(&together, Dialect::Plain, about("is")));
}

#[test]
fn contracts_hold_on_the_calls_that_they_come_from() {
    use adit_logic::contract::Valuation;
    let traces = stacks();
    let paper = Scope { types: ValueTypes::PAPER, elements: false, ..EVERYTHING };
    let contracts = contracts_of(traces.iter().map(Vec::as_slice), paper, &QUERY).unwrap();
    assert_eq!(contracts.class.as_deref(), Some("StackAr"));
    assert!(contracts.calls["StackAr"].creates && !contracts.calls["push"].creates);
    assert_eq!(contracts.fields[&Variable::field_size("theArray")], Type::Int);
    let mut held = 0;
    for call in traces.iter().flat_map(|trace| observed_calls(trace)) {
        let contract = &contracts.calls[&Labels::Exception.of(call.event)];
        let (entry, exit) =
            (Valuation::of_entry(call.before, call.event), Valuation::of_exit(call.before, call.event));
        for (clauses, values) in
            [(&contract.pre, &entry), (&contract.post, &exit), (&contracts.object, &exit)]
        {
            for clause in clauses {
                assert_ne!(clause.holds(values), Some(false), "{clause}");
                held += usize::from(clause.holds(values) == Some(true));
            }
        }
    }
    assert!(held > 1000, "{held}");
}

#[test]
fn filters() {
    let state: State = [
        ("impl.port", Value::Int(7)),
        ("name", Value::Text("x".into())),
        ("rate", Value::Float(0.5)),
        ("list[..]", Value::Text("[1 2]".into())),
        ("list.size", Value::Int(2)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    let event = Event { state: Some(state), ..Event::call("m") };
    let traces = vec![vec![event; 20]];
    let text = |scope| {
        let class = mined(&traces, scope).invariants(&QUERY).unwrap().remove(0);
        let claims = class.points[0].invariants.iter().map(|claim| claim.clause.to_string());
        claims.collect::<Vec<_>>().join(", ")
    };
    let paper = Scope { types: ValueTypes::PAPER, elements: false, depth: 1 };
    expect!["size(this.list) == 2, this.list != null, this.name != null"].assert_eq(&text(paper));
    expect!["this.impl.port == 7, size(this.list) == 2, this.list != null, this.name != null"]
        .assert_eq(&text(Scope { depth: 2, ..paper }));
    expect![[r#"size(this.list) == 2, this.name == "x", this.rate == 0.5, this.list != null"#]]
        .assert_eq(&text(Scope { types: ValueTypes::ALL, ..paper }));
    expect![[r#"size(this.list) == 2, this.list[..] == "[1 2]", this.name == "x", this.rate == 0.5, this.list != null"#]].assert_eq(&text(Scope { elements: true, types: ValueTypes::ALL, ..paper }));
}

#[test]
fn folds_of_other_filters_and_damaged_ones_are_refused() {
    let miner = mined(&stacks(), EVERYTHING);
    let other = InvariantMiner::new(Scope { depth: 2, ..EVERYTHING });
    let error = miner.clone().merge(&other).unwrap_err();
    assert!(error.to_string().contains("depth 1") && error.to_string().contains("depth 2"), "{error}");
    let text = serde_json::to_string(&miner.to_fold()).unwrap();
    for (good, bad) in [
        ("adit-invariants-fold", "adit-model"),
        ("\"version\":1", "\"version\":99"),
        ("now field whole topOfStack", "now field whole theArray"),
        ("now field whole topOfStack", "sometimes field whole topOfStack"),
        ("\"together\":[[", "\"together\":[[1,1,1,1,1,1,1],["),
        ("i:-1", "i:minus one"),
    ] {
        assert!(text.contains(good), "{good} is not in {text}");
        let fold: Fold = serde_json::from_str(&text.replacen(good, bad, 1)).unwrap();
        let error = InvariantMiner::from_fold(&fold).unwrap_err();
        assert!(error.to_string().starts_with("this is no fold of `adit invariants`: "), "{error}");
    }
}
