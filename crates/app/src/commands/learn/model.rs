//! A Mealy machine as a model: an automaton over labels, with what its states refuse.
//!
//! | output | in the model |
//! |---|---|
//! | `ok` | a transition `open` |
//! | `true`, `false` | a transition `isOpen:TRUE` |
//! | `!Error`, and the state stays | the state refuses `open!Error` |
//! | `!Error`, and the state changes | a transition `open!Error` |
//! | `blocked`, `skipped` | nothing: the call cannot be made there |
//! | `died`, `timed out` | a transition `open!died` to a state without calls |
//! | any other, such as `250` | a transition `NOOP/250` |

use adit_adapter::LAST_OUTPUTS;
use adit_automata::{Builder, Fsa};
use adit_learn::mealy::{Mealy, OutputSymbol};
use adit_trace::Label;

/// Fate of a call in a model.
enum Fate {
    Transition(String),
    Failure(String),
    Absent,
}

/// The model of a minimal machine; states are numbered as in the machine, without those out of reach.
pub(super) fn of(machine: &Mealy, inputs: &[String], outputs: &[String]) -> Fsa<String> {
    let fate = |input: usize, output: OutputSymbol| fate(&inputs[input], &outputs[output as usize]);
    let is_end = |output: OutputSymbol| LAST_OUTPUTS.contains(&outputs[output as usize].as_str());
    // After its end an object has no state, but every call has the same output again.
    let is_gone = |state: usize| (0..machine.inputs()).all(|input| is_end(machine.step(state, input).0));
    let mut number = vec![None; machine.len()];
    number[0] = Some(0);
    let mut order = vec![0];
    let mut builder = Builder::new();
    builder.state(true);
    builder.initial(0);
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        let mut refused = Vec::new();
        for input in 0..if is_gone(state) { 0 } else { machine.inputs() } {
            let (output, to) = machine.step(state, input);
            let label = match fate(input, output) {
                Fate::Absent => continue,
                Fate::Failure(label) if to == state => {
                    refused.push(label);
                    continue;
                }
                Fate::Failure(label) | Fate::Transition(label) => label,
            };
            let target = *number[to].get_or_insert_with(|| {
                order.push(to);
                builder.state(true)
            });
            builder.edge(at, label, target);
        }
        builder.refusals(at, refused);
        at += 1;
    }
    builder.build()
}

fn fate(input: &str, output: &str) -> Fate {
    match output {
        "ok" => Fate::Transition(Label::call(input).to_string()),
        "true" | "false" => Fate::Transition(Label::answered(input, output == "true").to_string()),
        "blocked" | "skipped" => Fate::Absent,
        "died" => Fate::Failure(Label::thrown(input, "died").to_string()),
        "timed out" => Fate::Failure(Label::thrown(input, "timedOut").to_string()),
        _ => match output.strip_prefix('!') {
            Some(class) if !class.is_empty() => Fate::Failure(Label::thrown(input, class).to_string()),
            _ => Fate::Transition(format!("{input}/{output}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_become_labels() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let outputs = names(&["ok", "!Stuck", "true", "died", "blocked", "250"]);
        // Closed, open, dead.
        let machine = Mealy::new(
            4,
            vec![
                vec![(0, 1), (1, 0), (5, 0), (4, 2)],
                vec![(1, 1), (0, 0), (2, 1), (3, 2)],
                vec![(3, 2), (3, 2), (3, 2), (3, 2)],
            ],
        );
        let model = of(&machine, &names(&["open", "close", "isOpen", "kick"]), &outputs);
        let edges: Vec<String> =
            model.all_edges().map(|edge| format!("{} {} {}", edge.from, edge.label, edge.to)).collect();
        assert_eq!(edges, ["0 isOpen/250 0", "0 open 1", "1 close 0", "1 isOpen:TRUE 1", "1 kick!died 2"]);
        assert_eq!(model.refusals(0), ["close!Stuck"]);
        assert_eq!(model.refusals(1), ["open!Stuck"]);
        assert!(model.refusals(2).is_empty());
    }
}
