//! Notes instead of arrows: transitions written inside their source box where arrows would hide the picture.
//!
//! There are two reasons for a note. A call that leads to the same state from nearly everywhere is clearer as
//! a line of text in each box than as dozens of arrows; UML would draw it once, from a box around all others.
//! And nobody can follow a line in a picture with many more arrows than boxes: then only the shortest arrows
//! are drawn, with at least one to every box, so that the path from the start to each state remains visible.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::DrawnCall;

/// A call from one box to another, and the transitions that it stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Passage {
    pub(crate) call: DrawnCall,
    pub(crate) edges: Vec<usize>,
}

/// All transitions from one box to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) passages: Vec<Passage>,
}

/// Minimum number of boxes for which a common call becomes a note.
const NEARLY_ALL: usize = 5;

/// Number of arrows that can be followed in any picture.
const FEW: usize = 30;

/// Returns the maximum number of arrows in a picture with this many boxes.
fn most_arrows(boxes: usize) -> usize {
    FEW.max(boxes + boxes / 4)
}

/// Divides transitions into arrows and notes. `roots` are the boxes of initial states.
pub(crate) fn divide(ways: Vec<Way>, boxes: usize, roots: &[usize]) -> (Vec<Way>, Vec<Way>) {
    let (level, tree) = levels(&ways, boxes, roots);
    let everywhere = everywhere(&ways, boxes);
    let (mut arrows, mut notes) = (Vec::new(), Vec::new());
    for way in ways {
        let Way { from, to, passages } = way;
        let is_common = |one: &Passage| everywhere.contains(&(one.call.label.clone(), to));
        // The only way that shows how a box is reached stays, whatever it consists of.
        let all_common = passages.iter().all(is_common);
        let (common, rest) = if all_common && tree.contains(&(from, to)) {
            (Vec::new(), passages)
        } else {
            passages.into_iter().partition(is_common)
        };
        for (list, passages) in [(&mut notes, common), (&mut arrows, rest)] {
            if !passages.is_empty() {
                list.push(Way { from, to, passages });
            }
        }
    }
    let most = most_arrows(boxes);
    if arrows.len() > most {
        // Those that matter most come first: how boxes are reached, then what leads to a neighbor, forth or
        // back.
        arrows.sort_by_key(|way| {
            let (from, to) = (level[way.from], level[way.to]);
            let far = match (from.abs_diff(to), from < to) {
                (1, true) => 0,
                (1, false) => 1,
                (0, _) => 2,
                (span, _) => 1 + span,
            };
            (!tree.contains(&(way.from, way.to)), far, way.from, way.to)
        });
        notes.extend(arrows.split_off(most));
    }
    arrows.sort_by_key(|way| (way.from, way.to));
    notes.sort_by_key(|way| (way.from, way.to));
    (arrows, joined(notes))
}

/// Returns the calls that lead to the same box from most of the others.
fn everywhere(ways: &[Way], boxes: usize) -> BTreeSet<(String, usize)> {
    let mut from: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for way in ways {
        for passage in &way.passages {
            *from.entry((&passage.call.label, way.to)).or_default() += 1;
        }
    }
    let many = |count: usize| count >= NEARLY_ALL && 2 * count >= boxes;
    let common = from.into_iter().filter(|(_, count)| many(*count));
    common.map(|((label, to), _)| (label.to_owned(), to)).collect()
}

/// Returns the distance of each box from the start, and the transition by which a search first reaches it.
fn levels(ways: &[Way], boxes: usize, roots: &[usize]) -> (Vec<usize>, BTreeSet<(usize, usize)>) {
    let mut next = vec![Vec::new(); boxes];
    for way in ways {
        next[way.from].push(way.to);
    }
    let mut level = vec![None; boxes];
    let mut tree = BTreeSet::new();
    let mut queue = VecDeque::new();
    for &root in roots {
        level[root] = Some(0);
        queue.push_back((root, 0));
    }
    while let Some((number, steps)) = queue.pop_front() {
        for &to in &next[number] {
            if level[to].is_none() {
                level[to] = Some(steps + 1);
                tree.insert((number, to));
                queue.push_back((to, steps + 1));
            }
        }
    }
    (level.into_iter().map(|level| level.unwrap_or(0)).collect(), tree)
}

/// Merges notes with the same source and target.
fn joined(ways: Vec<Way>) -> Vec<Way> {
    let mut all: Vec<Way> = Vec::new();
    for way in ways {
        match all.last_mut() {
            Some(last) if (last.from, last.to) == (way.from, way.to) => last.passages.extend(way.passages),
            _ => all.push(way),
        }
    }
    all
}

/// Returns for each box a summary of the notes that lead to it: `← abort from 40 states`.
pub(crate) fn heard(notes: &[Way], boxes: usize, states: impl Fn(usize) -> usize) -> Vec<Option<String>> {
    (0..boxes)
        .map(|to| {
            let coming: Vec<&Way> = notes.iter().filter(|way| way.to == to).collect();
            let count: usize = coming.iter().map(|way| states(way.from)).sum();
            let calls: BTreeSet<&str> =
                coming.iter().flat_map(|way| &way.passages).map(|one| one.call.shown.as_str()).collect();
            // A single one is as easily found as said.
            match calls.len() {
                _ if count < 2 => None,
                1 => calls.first().map(|call| format!("← {call} from {count} states")),
                _ => Some(format!("← from {count} more states")),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ways such as `0 open 1`, one a line.
    fn ways(text: &str) -> Vec<Way> {
        let way = |(edge, line): (usize, &str)| {
            let [from, label, to]: [&str; 3] =
                line.split(' ').collect::<Vec<_>>().try_into().expect("three words");
            let call = DrawnCall {
                label: label.to_owned(),
                shown: label.to_owned(),
                pure: false,
                maybe: false,
                edge: Some(edge),
            };
            let passages = vec![Passage { call, edges: vec![edge] }];
            Way { from: from.parse().unwrap(), to: to.parse().unwrap(), passages }
        };
        text.lines().enumerate().map(way).collect()
    }

    fn told(ways: &[Way]) -> Vec<String> {
        let calls =
            |way: &Way| way.passages.iter().map(|one| one.call.shown.clone()).collect::<Vec<_>>().join(",");
        ways.iter().map(|way| format!("{} {} {}", way.from, calls(way), way.to)).collect()
    }

    #[test]
    fn what_leads_home_from_everywhere_is_a_note() {
        let mut text = "0 new 1".to_owned();
        for state in 1..8 {
            text += &format!("\n{state} go {}\n{state} abort 1", state + 1);
        }
        let text = text.replace("\n1 abort 1", "");
        let (arrows, notes) = divide(ways(&text), 9, &[0]);
        assert_eq!(arrows.len(), 8, "{arrows:?}");
        assert_eq!(notes.len(), 6);
        assert_eq!(told(&notes)[0], "2 abort 1");
        let heard = heard(&notes, 9, |_| 1);
        assert_eq!(heard[1].as_deref(), Some("← abort from 6 states"));
        assert_eq!(heard[2], None);
    }

    #[test]
    fn how_a_box_is_reached_is_never_only_a_note() {
        // `close` leads to 6 from everywhere, and nothing else does.
        let mut text = "0 new 1".to_owned();
        for state in 1..6 {
            text += &format!("\n{state} close 6");
            if state < 5 {
                text += &format!("\n{state} go {}", state + 1);
            }
        }
        let (arrows, notes) = divide(ways(&text), 7, &[0]);
        assert!(told(&arrows).contains(&"1 close 6".to_owned()), "{arrows:?}");
        assert_eq!(told(&notes), ["2 close 6", "3 close 6", "4 close 6", "5 close 6"]);
    }

    #[test]
    fn a_web_keeps_a_way_to_every_box() {
        let mut text = Vec::new();
        for from in 0..20 {
            for to in (0..20).filter(|to| *to != from) {
                text.push(format!("{from} c{from}x{to} {to}"));
            }
        }
        let all = text.len();
        let (arrows, notes) = divide(ways(&text.join("\n")), 20, &[0]);
        assert_eq!((arrows.len(), arrows.len() + notes.len()), (30, all));
        let reached: BTreeSet<usize> = arrows.iter().map(|way| way.to).collect();
        assert!((1..20).all(|number| reached.contains(&number)), "{reached:?}");
    }

    #[test]
    fn a_small_picture_keeps_its_arrows() {
        let text = "0 a 1\n1 b 2\n2 c 0\n2 c 1";
        let (arrows, notes) = divide(ways(text), 3, &[0]);
        assert_eq!((told(&arrows).join("\n"), notes.len()), (text.to_owned(), 0));
    }
}
