//! Table 5 of the DICE paper: of all rules that the templates can say, how many wrong ones did no test
//! refute?
//!
//! The paper's judges are people, for three classes, and their verdicts are not at hand; ours is the
//! corrected truth, checked exactly. It has fewer events than theirs, so that there are fewer rules: the
//! shares compare, the numbers do not.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_logic::{Checker, Language, Limit, Property, Template, Verdict};

use super::Row;

/// The classes with wrong rules that DICE-Tester and EvoSuite left standing, and the rules that are wrong:
/// all less the true.
pub(super) const PRINTED: [(&str, usize, usize, usize); 3] =
    [("hashset", 51, 233, 1014 - 56), ("stackar", 39, 108, 600 - 42), ("stringtokenizer", 35, 216, 384 - 35)];

/// The properties that `adit mine` found.
#[derive(Default)]
pub(super) struct MinedProperties {
    /// Those that were not refuted.
    pub(super) standing: BTreeSet<Property<String>>,
    pub(super) pure: BTreeSet<String>,
}

/// Of all rules about events of the truth, how many are wrong, and how many of these stand.
pub(super) fn wrong(mined: &MinedProperties, truth: &Fsa<String>) -> [usize; 2] {
    let mut checker = Checker::new(truth, Language::PrefixClosed, Limit(10_000_000));
    let (mut all, mut standing) = (0, 0);
    for template in Template::ALL {
        for a in truth.alphabet() {
            for b in truth.alphabet() {
                let property = Property { template, a: a.clone(), b: b.clone() };
                if let Verdict::Fails { .. } = checker.check_property(&property, &mined.pure) {
                    all += 1;
                    standing += usize::from(mined.standing.contains(&property));
                }
            }
        }
    }
    [all, standing]
}

/// The table.
pub(super) fn print(rows: &[Row]) {
    println!("## Table 5: wrong rules that stand, of all wrong ones (means over the seeds)\n");
    let mut ways: Vec<&str> = Vec::new();
    for row in rows {
        if !ways.contains(&row.setting) {
            ways.push(row.setting);
        }
    }
    println!("| class | {} | DICE-Tester, Table 5 | EvoSuite, Table 5 |", ways.join(" | "));
    println!("|---|{}", "---|".repeat(ways.len() + 2));
    for (class, dice, evosuite, all) in PRINTED {
        let cells: Vec<String> = ways
            .iter()
            .map(|way| {
                let rows: Vec<[usize; 2]> = rows
                    .iter()
                    .filter(|row| row.class == class && row.setting == *way)
                    .filter_map(|row| row.wrong)
                    .collect();
                let mean =
                    |at: usize| rows.iter().map(|row| row[at]).sum::<usize>() as f64 / rows.len() as f64;
                if rows.is_empty() { "-".to_owned() } else { share(mean(1), mean(0)) }
            })
            .collect();
        let [dice, evosuite] = [dice, evosuite].map(|standing| share(standing as f64, all as f64));
        println!("| {class} | {} | {dice} | {evosuite} |", cells.join(" | "));
    }
    println!();
}

fn share(standing: f64, all: f64) -> String {
    format!("{standing:.1} of {all:.1} ({:.1} %)", 100.0 * standing / all.max(1.0))
}

#[cfg(test)]
mod tests {
    use adit_automata::format;

    use super::*;

    #[test]
    fn a_rule_is_wrong_when_the_truth_has_a_word_against_it() {
        let text = b"1\nnew\n1\nold\n2\nnew\told\tmake\nold\told\tuse\n";
        let truth = format::read(text, "truth.fsm.txt", None).unwrap();
        let rule = |template, a: &str, b: &str| Property { template, a: a.to_owned(), b: b.to_owned() };
        let mined = MinedProperties {
            standing: [
                rule(Template::NeverFollowed, "use", "make"),
                rule(Template::NeverFollowed, "make", "use"),
                rule(Template::NeverFollowed, "use", "unknown"),
            ]
            .into(),
            pure: BTreeSet::new(),
        };
        // A client may stop at any time, so that nothing must follow; of 'never', four rules can be wrong,
        // and of 'before' none but that something was made before making.
        let [all, standing] = wrong(&mined, &truth);
        assert_eq!((all > 4, standing), (true, 1));
    }
}
