//! Guards for readers: minimized, in source syntax, and checked to mean the same.
//!
//! Paper: none; minimization of logic functions with several values per variable.
//! Every term that a guard compares with constants is a variable whose values are the regions between those
//! constants; every other atom is a variable with two values. Combinations of regions that no arguments have
//! may be covered or not. Boxes that hold some combination of the guard are grown while they hold none
//! outside of it, until they cover the guard.
//! Cost: exponential in the number of terms of one guard, which is limited; a solver call for each
//! combination of regions of terms that share a parameter, and one to check the result.

use std::collections::{BTreeMap, BTreeSet};

use adit_smt::{Expr, Node, Sort, Var};

use crate::component::{Kind, value};
use crate::refinement::atoms;
use crate::symbolic::{Analysis, Guarded};

/// Most combinations of regions that are looked at. A guard with more is printed as it is.
const MOST_ROWS: usize = 4_096;

/// A term that a guard compares, and the regions that it distinguishes.
struct Term {
    expr: Expr,
    /// The values at which regions begin, the first at the smallest value. A boolean term has the regions
    /// false and true.
    starts: Vec<i128>,
    /// The largest value.
    last: i128,
    /// Regions that some arguments reach.
    feasible: BTreeSet<usize>,
}

/// A box: for each term the regions that belong to it.
type Block = Vec<BTreeSet<usize>>;

/// Replaces each guard by a minimal one and returns all of them as text, `true` where there is no condition.
///
/// A guard that cannot be minimized, or whose minimal form the solver does not confirm, stays as it is.
pub fn minimize(analysis: &mut Analysis<'_>, symbols: &mut [Guarded]) -> Vec<String> {
    symbols.iter_mut().map(|symbol| minimize_one(analysis, symbol)).collect()
}

/// A part of a condition that is a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardPart {
    /// A number lies between two others.
    Range {
        /// The number, in source syntax.
        term: String,
        /// The least and the largest value that it may have.
        range: (i128, i128),
        /// The least and the largest value of its type.
        whole: (i128, i128),
    },
    /// Anything else, in source syntax.
    Other(String),
}

/// The parts of a condition on the parameters of `method`, if it is a conjunction whose numbers lie in one
/// interval each.
pub fn parts(analysis: &mut Analysis<'_>, method: usize, condition: Expr) -> Option<Vec<GuardPart>> {
    if let Some(range) = interval(analysis, method, condition) {
        return Some(vec![range]);
    }
    let (terms, boxes) = cover(analysis, condition, None)?;
    let [only] = &boxes[..] else { return None };
    let mut parts = Vec::new();
    for (term, regions) in terms.iter().zip(only).filter(|(term, regions)| regions.len() < term.starts.len())
    {
        let text = describe(analysis, Some(method), term, regions);
        let is_number = matches!(analysis.component.arena.sort(term.expr), Sort::Bits(_));
        parts.push(match term.intervals(regions)[..] {
            [range] if is_number && !text.contains("null") => {
                let named = with_source_names(analysis, method, term.expr);
                let term_text = analysis.component.arena.show(named).to_string();
                GuardPart::Range { term: term_text, range, whole: (term.starts[0], term.last) }
            }
            _ if text.contains(" || ") => GuardPart::Other(format!("({text})")),
            _ => GuardPart::Other(text),
        });
    }
    Some(parts)
}

/// The interval of a condition that is about one number only, however it says so: `-x >= 0` and `x < 1` both
/// bound `x` by zero. Nothing if the values that satisfy it are no interval.
fn interval(analysis: &mut Analysis<'_>, method: usize, condition: Expr) -> Option<GuardPart> {
    let [var] = analysis.component.arena.variables(condition)[..] else { return None };
    let parameter = analysis.component.methods[method].parameters.iter().find(|one| one.var == var)?;
    let (Sort::Bits(width), true) = (parameter.kind.sort(), parameter.kind != Kind::Reference) else {
        return None;
    };
    let name = parameter.name.clone();
    let whole = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let arena = &analysis.component.arena;
    let mut points: BTreeSet<i128> = BTreeSet::from([whole.0, 0, whole.1]);
    for part in arena.parts(&[condition]) {
        if let Some(constant) = arena.as_value(part).and_then(adit_smt::Value::as_number) {
            points.extend([constant, -constant].into_iter().flat_map(|point| [point - 1, point, point + 1]));
        }
    }
    points.retain(|point| (whole.0..=whole.1).contains(point));
    let holds = |&point: &i128| {
        let value = value(Sort::Bits(width), i64::try_from(point).expect("at most 64 bits"));
        arena.satisfies(&adit_smt::Model::from_iter([(var, value)]), &[condition]) == Ok(true)
    };
    let good: Vec<i128> = points.iter().copied().filter(holds).collect();
    let range = (*good.first()?, *good.last()?);
    let arena = &mut analysis.component.arena;
    let expr = arena.var_expr(var);
    let bound = |arena: &mut adit_smt::Arena, point: i128| {
        arena.bits(width, i64::try_from(point).expect("at most 64 bits"))
    };
    let (least, most) = (bound(arena, range.0), bound(arena, range.1));
    let (above, below) = (arena.ge(expr, least), arena.le(expr, most));
    let within = arena.and(&[above, below]);
    let (without, otherwise) = (arena.not(within), arena.not(condition));
    (analysis.refuted(&[condition, without]) && analysis.refuted(&[within, otherwise]))
        .then_some(GuardPart::Range { term: name, range, whole })
}

/// A condition on the parameters of `method` as text, minimized if possible.
pub fn readable(analysis: &mut Analysis<'_>, method: usize, condition: Expr) -> String {
    minimize_one(analysis, &mut Guarded { method, guard: condition, representative: Vec::new() })
}

/// A short condition on fields that holds wherever `on` does and nowhere where `off` does, if there are not
/// too many combinations to look at.
pub(crate) fn separation(analysis: &mut Analysis<'_>, on: Expr, off: Expr) -> Option<String> {
    let (terms, boxes) = cover(analysis, on, Some(off))?;
    Some(text(analysis, None, &terms, &boxes))
}

fn minimize_one(analysis: &mut Analysis<'_>, symbol: &mut Guarded) -> String {
    let Some((terms, boxes)) = cover(analysis, symbol.guard, None) else {
        let named = with_source_names(analysis, symbol.method, symbol.guard);
        return analysis.component.arena.show(named).to_string();
    };
    let minimal = expression(analysis, &terms, &boxes);
    let arena = &mut analysis.component.arena;
    let (not_old, not_new) = (arena.not(symbol.guard), arena.not(minimal));
    if minimal != symbol.guard
        && !(analysis.refuted(&[symbol.guard, not_new]) && analysis.refuted(&[minimal, not_old]))
    {
        let named = with_source_names(analysis, symbol.method, symbol.guard);
        return analysis.component.arena.show(named).to_string();
    }
    symbol.guard = minimal;
    text(analysis, Some(symbol.method), &terms, &boxes)
}

/// Terms and boxes that hold every combination of a guard and none of its complement, or of `other` if there
/// is one. Nothing if there are too many combinations.
fn cover(analysis: &mut Analysis<'_>, guard: Expr, other: Option<Expr>) -> Option<(Vec<Term>, Vec<Block>)> {
    let mut terms = terms(analysis, guard, other);
    for term in &mut terms {
        if other.is_some() {
            continue;
        }
        let possible = |region: &usize| {
            let condition = in_regions(analysis, term, &BTreeSet::from([*region]));
            !analysis.refuted(&[condition])
        };
        term.feasible = (0..term.starts.len()).filter(possible).collect();
    }
    let rows: usize = terms.iter().try_fold(1usize, |rows, term| rows.checked_mul(term.starts.len()))?;
    if rows > MOST_ROWS {
        return None;
    }
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let regions = regions_of(row, &terms);
        let conditions: Vec<Expr> = terms
            .iter()
            .zip(&regions)
            .map(|(term, &region)| in_regions(analysis, term, &BTreeSet::from([region])))
            .collect();
        // Where two conditions are told apart, a combination that is impossible is in neither of them.
        if other.is_some() || !analysis.refuted(&conditions) {
            let truth = decide(analysis, guard, &terms, &regions)?;
            let falsity = match other {
                Some(other) => decide(analysis, other, &terms, &regions)?,
                None => !truth,
            };
            if truth {
                inside.push(regions);
            } else if falsity {
                outside.push(regions);
            }
        }
    }
    if other.is_some() {
        // What lies in neither of the two conditions does not happen.
        for (at, term) in terms.iter_mut().enumerate() {
            term.feasible = inside.iter().chain(&outside).map(|row| row[at]).collect();
        }
    }
    let mut boxes: Vec<Block> = Vec::new();
    for row in &inside {
        if boxes.iter().any(|known| holds(known, row)) {
            continue;
        }
        let mut grown: Block = row.iter().map(|&region| BTreeSet::from([region])).collect();
        for (at, term) in terms.iter().enumerate() {
            for region in 0..term.starts.len() {
                let mut larger = grown.clone();
                larger[at].insert(region);
                if !outside.iter().any(|row| holds(&larger, row)) {
                    grown = larger;
                }
            }
        }
        boxes.push(grown);
    }
    // A box all of whose rows lie in others says nothing.
    let mut at = boxes.len();
    while at > 0 {
        at -= 1;
        let others = |row: &Vec<usize>| {
            boxes.iter().enumerate().any(|(other, known)| other != at && holds(known, row))
        };
        if inside.iter().all(others) {
            boxes.remove(at);
        }
    }
    Some((terms, boxes))
}

fn holds(known: &Block, row: &[usize]) -> bool {
    known.iter().zip(row).all(|(regions, region)| regions.contains(region))
}

fn regions_of(mut row: usize, terms: &[Term]) -> Vec<usize> {
    terms
        .iter()
        .map(|term| {
            let region = row % term.starts.len();
            row /= term.starts.len();
            region
        })
        .collect()
}

/// The terms of a guard with their regions.
fn terms(analysis: &Analysis<'_>, guard: Expr, other: Option<Expr>) -> Vec<Term> {
    let arena = &analysis.component.arena;
    let mut cuts: BTreeMap<Expr, BTreeSet<i128>> = BTreeMap::new();
    for atom in [guard].into_iter().chain(other).flat_map(|condition| atoms(arena, condition)) {
        match compared(analysis, atom) {
            Some((term, starts)) => cuts.entry(term).or_default().extend(starts),
            None => {
                cuts.entry(atom).or_default();
            }
        }
    }
    // Terms in the order in which their parameters are declared read best.
    let mut order: Vec<(Expr, BTreeSet<i128>)> = cuts.into_iter().collect();
    order.sort_by_key(|(term, _)| (arena.variables(*term).to_vec(), *term));
    order
        .into_iter()
        .map(|(expr, mut starts)| match arena.sort(expr) {
            Sort::Bits(width) => {
                let (least, last) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
                starts.retain(|&start| start > least && start <= last);
                starts.insert(least);
                Term { expr, starts: starts.into_iter().collect(), last, feasible: BTreeSet::new() }
            }
            _ => Term { expr, starts: vec![0, 1], last: 1, feasible: BTreeSet::new() },
        })
        .collect()
}

/// The term that an atom compares with a constant, and where the regions that it tells apart begin.
fn compared(analysis: &Analysis<'_>, atom: Expr) -> Option<(Expr, Vec<i128>)> {
    let arena = &analysis.component.arena;
    let constant = |expr: Expr| arena.as_value(expr).and_then(adit_smt::Value::as_number);
    match *arena.node(atom) {
        Node::Eq(term, other) if arena.sort(term) != Sort::Bool => {
            constant(other).map(|number| (term, vec![number, number + 1]))
        }
        Node::Less(left, right) => match (constant(left), constant(right)) {
            (None, Some(number)) => Some((left, vec![number])),
            (Some(number), None) => Some((right, vec![number + 1])),
            _ => None,
        },
        _ => None,
    }
}

/// The truth of a formula when each term lies in a region. Nothing if a region does not decide an atom.
fn decide(analysis: &Analysis<'_>, formula: Expr, terms: &[Term], regions: &[usize]) -> Option<bool> {
    let arena = &analysis.component.arena;
    match arena.node(formula) {
        Node::Bool(truth) => Some(*truth),
        Node::Not(inner) => decide(analysis, *inner, terms, regions).map(|truth| !truth),
        Node::And(members) => {
            for &member in members {
                if !decide(analysis, member, terms, regions)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        Node::Eq(left, right) if arena.sort(*left) == Sort::Bool => {
            Some(decide(analysis, *left, terms, regions)? == decide(analysis, *right, terms, regions)?)
        }
        node => {
            let place = |expr: Expr| terms.iter().position(|term| term.expr == expr);
            if let Some(at) = place(formula) {
                return Some(regions[at] == 1);
            }
            let (term, _) = compared(analysis, formula)?;
            let at = place(term)?;
            let start = terms[at].starts[regions[at]];
            let constant = |expr: Expr| arena.as_value(expr).and_then(adit_smt::Value::as_number);
            match *node {
                Node::Eq(_, other) => Some(constant(other)? == start),
                Node::Less(left, right) if left == term => Some(start < constant(right)?),
                Node::Less(left, _) => Some(constant(left)? < start),
                _ => None,
            }
        }
    }
}

/// The condition that a term lies in one of the regions.
fn in_regions(analysis: &mut Analysis<'_>, term: &Term, regions: &BTreeSet<usize>) -> Expr {
    let arena = &mut analysis.component.arena;
    let Sort::Bits(width) = arena.sort(term.expr) else {
        return match (regions.contains(&0), regions.contains(&1)) {
            (true, true) => arena.bool(true),
            (false, false) => arena.bool(false),
            (false, true) => term.expr,
            (true, false) => arena.not(term.expr),
        };
    };
    let number = |value: i128| i64::try_from(value).expect("a bit-vector has at most 64 bits");
    let mut any = Vec::new();
    for &region in regions {
        let (first, last) = term.bounds(region);
        let (first, last) = (arena.bits(width, number(first)), arena.bits(width, number(last)));
        let (above, below) = (arena.ge(term.expr, first), arena.le(term.expr, last));
        any.push(arena.and(&[above, below]));
    }
    arena.or(&any)
}

impl Term {
    /// The smallest and the largest value of a region.
    fn bounds(&self, region: usize) -> (i128, i128) {
        (self.starts[region], self.starts.get(region + 1).map_or(self.last, |next| next - 1))
    }
}

/// The boxes as an expression.
fn expression(analysis: &mut Analysis<'_>, terms: &[Term], boxes: &[Block]) -> Expr {
    let mut any = Vec::new();
    for known in boxes {
        let all: Vec<Expr> =
            terms.iter().zip(known).map(|(term, regions)| in_regions(analysis, term, regions)).collect();
        any.push(analysis.component.arena.and(&all));
    }
    analysis.component.arena.or(&any)
}

/// The boxes as a reader would write them.
fn text(analysis: &mut Analysis<'_>, method: Option<usize>, terms: &[Term], boxes: &[Block]) -> String {
    let mut any: Vec<String> = Vec::new();
    for known in boxes {
        let mut all = Vec::new();
        for (term, regions) in terms.iter().zip(known) {
            if regions.len() < term.starts.len() {
                all.push(describe(analysis, method, term, regions));
            }
        }
        // A disjunction inside of a conjunction needs parentheses, alone it does not.
        let alone = all.len() == 1;
        let all: Vec<String> = all
            .into_iter()
            .map(|part| if part.contains(" || ") && !alone { format!("({part})") } else { part })
            .collect();
        any.push(if all.is_empty() { "true".to_owned() } else { all.join(" && ") });
    }
    let many = any.len() > 1;
    any.sort_by_key(|part| part.len());
    let parts: Vec<String> = any
        .into_iter()
        .map(|part| if many && part.contains(" && ") { format!("({part})") } else { part })
        .collect();
    if parts.is_empty() { "false".to_owned() } else { parts.join(" || ") }
}

/// The condition that a term lies in one of the regions, as text: the shorter of saying where it lies and
/// where it does not.
fn describe(
    analysis: &mut Analysis<'_>,
    method: Option<usize>,
    term: &Term,
    regions: &BTreeSet<usize>,
) -> String {
    let named = match method {
        Some(method) => with_source_names(analysis, method, term.expr),
        None => term.expr,
    };
    let arena = &analysis.component.arena;
    if arena.sort(term.expr) == Sort::Bool {
        let negated = regions.contains(&0);
        let shown = arena.show(named).to_string();
        return match (negated, arena.node(named)) {
            (false, _) => shown,
            (true, Node::Var(_)) => format!("!{shown}"),
            (true, Node::Less(left, right)) => format!("{} <= {}", arena.show(*right), arena.show(*left)),
            (true, Node::Eq(left, right)) => format!("{} != {}", arena.show(*left), arena.show(*right)),
            (true, _) => format!("!({shown})"),
        };
    }
    let variables = arena.variables(term.expr);
    let is_reference = |var: Var, kind: Kind| variables == [var] && kind == Kind::Reference;
    let component = &analysis.component;
    let reference = matches!(arena.node(term.expr), Node::Var(_))
        && (component.fields.iter().any(|field| is_reference(field.var, field.kind))
            || method.is_some_and(|method| {
                let mut parameters = component.methods[method].parameters.iter();
                parameters.any(|parameter| is_reference(parameter.var, parameter.kind))
            }));
    let shown = arena.show(named).to_string();
    let shown = match arena.node(term.expr) {
        Node::Var(_) => shown,
        // Java compares before it applies bitwise operators.
        _ if [" & ", " | ", " ^ ", " ? "].iter().any(|operator| shown.contains(operator)) => {
            format!("({shown})")
        }
        _ => shown,
    };
    if let Some(text) = about_text(analysis, &shown, term, regions) {
        return text;
    }
    let number = |value: i128| if reference && value == 0 { "null".to_owned() } else { value.to_string() };
    let possible: BTreeSet<usize> = regions & &term.feasible;
    let impossible: BTreeSet<usize> = &term.feasible - regions;
    let point = |regions: &BTreeSet<usize>| {
        let only = regions.iter().next().filter(|_| regions.len() == 1)?;
        let (first, last) = term.bounds(*only);
        (first == last).then_some(first)
    };
    if let Some(only) = point(&possible) {
        return format!("{shown} == {}", number(only));
    }
    if let Some(only) = point(&impossible) {
        return format!("{shown} != {}", number(only));
    }
    let complement: BTreeSet<usize> =
        (0..term.starts.len()).filter(|region| !regions.contains(region)).collect();
    let (inside, outside) = (term.intervals(regions), term.intervals(&complement));
    // Numbers that are left out read best one by one.
    if outside.len() < inside.len() && outside.iter().all(|(first, last)| first == last) {
        let parts: Vec<String> =
            outside.into_iter().map(|(first, _)| format!("{shown} != {}", number(first))).collect();
        return parts.join(" && ");
    }
    let parts: Vec<String> = inside.into_iter().map(|range| term.interval(&shown, range, &number)).collect();
    let many = parts.len() > 1;
    let parts: Vec<String> = parts
        .into_iter()
        .map(|part| if many && part.contains(" && ") { format!("({part})") } else { part })
        .collect();
    parts.join(" || ")
}

/// Most string constants that a condition lists.
const MOST_TEXTS: usize = 4;

/// The condition that a string equals one of some constants, or none of them, as Java says it. Nothing if the
/// term is not the content of a string, or if the condition tells strings apart that no constant equals.
fn about_text(
    analysis: &Analysis<'_>,
    shown: &str,
    term: &Term,
    regions: &BTreeSet<usize>,
) -> Option<String> {
    let name = shown.strip_suffix(".text")?;
    let texts = &analysis.component.texts;
    let constants = texts.len() as i128;
    let region_of = |number: i128| term.starts.partition_point(|&start| start <= number).checked_sub(1);
    let has = |number: i128| region_of(number).is_some_and(|region| regions.contains(&region));
    // Strings that equal no constant have numbers beyond theirs.
    let mut others = (0..term.starts.len())
        .filter(|&region| {
            let (first, last) = term.bounds(region);
            first < 0 || last >= constants
        })
        .map(|region| regions.contains(&region));
    let with_others = others.next()?;
    if others.any(|other| other != with_others) {
        return None;
    }
    let listed: Vec<&String> = (0..constants)
        .zip(texts)
        .filter(|&(number, _)| has(number) != with_others)
        .map(|(_, text)| text)
        .collect();
    if listed.len() > MOST_TEXTS {
        let (count, sign) = (listed.len(), if with_others { "none" } else { "one" });
        return Some(format!("{name} equals {sign} of {count} constants of the code"));
    }
    let one = |text: &&String| {
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("{}{name}.equals(\"{quoted}\")", if with_others { "!" } else { "" })
    };
    let parts: Vec<String> = listed.iter().map(one).collect();
    Some(parts.join(if with_others { " && " } else { " || " }))
}

impl Term {
    /// Regions that follow each other, joined.
    fn intervals(&self, regions: &BTreeSet<usize>) -> Vec<(i128, i128)> {
        let mut joined: Vec<(i128, i128)> = Vec::new();
        for &region in regions {
            let (first, last) = self.bounds(region);
            match joined.last_mut() {
                Some((_, end)) if *end + 1 == first => *end = last,
                _ => joined.push((first, last)),
            }
        }
        joined
    }

    fn interval(&self, shown: &str, (first, last): (i128, i128), number: &impl Fn(i128) -> String) -> String {
        match (first == self.starts[0], last == self.last) {
            _ if first == last => format!("{shown} == {}", number(first)),
            (true, true) => "true".to_owned(),
            (true, false) => self.at_most(shown, last),
            (false, true) => self.at_least(shown, first),
            (false, false) => format!("{} && {}", self.at_least(shown, first), self.at_most(shown, last)),
        }
    }

    /// `x <= last` or `x < last + 1`, whichever number is rounder, or stands alone in the guard.
    fn at_most(&self, shown: &str, last: i128) -> String {
        if self.taste(last + 1) > self.taste(last) {
            format!("{shown} < {}", last + 1)
        } else {
            format!("{shown} <= {last}")
        }
    }

    fn at_least(&self, shown: &str, first: i128) -> String {
        if self.taste(first - 1) > self.taste(first) {
            format!("{shown} > {}", first - 1)
        } else {
            format!("{shown} >= {first}")
        }
    }

    /// Readers like round numbers, and numbers that the guard treats on their own.
    fn taste(&self, number: i128) -> (u32, bool) {
        let alone = (0..self.starts.len()).any(|region| self.bounds(region) == (number, number));
        (roundness(number), alone)
    }
}

/// Zeros at the end; zero itself is the roundest number.
fn roundness(number: i128) -> u32 {
    if number == 0 {
        return u32::MAX;
    }
    let mut rest = number;
    let mut zeros = 0;
    while rest % 10 == 0 {
        rest /= 10;
        zeros += 1;
    }
    zeros
}

/// The expression with parameters under the names that they have in the source.
pub(crate) fn with_source_names(analysis: &mut Analysis<'_>, method: usize, expr: Expr) -> Expr {
    let parameters: Vec<(Var, String, Sort)> = analysis.component.methods[method]
        .parameters
        .iter()
        .map(|parameter| (parameter.var, parameter.name.clone(), parameter.kind.sort()))
        .collect();
    let arena = &mut analysis.component.arena;
    let by: BTreeMap<Var, Expr> =
        parameters.into_iter().map(|(var, name, sort)| (var, arena.var(&name, sort))).collect();
    arena.substitute(expr, &by)
}
