//! `adit serve`: a TCP server as an adapter.

use std::io::{self, BufRead, Write};

use adit_fuzz::adapter::ServerAdapter;
use adit_fuzz::runner::{Direct, answer_all};
use adit_suggest::nearest;
use miette::Report;

use crate::errors::{Ending, bad_input};
use crate::flags::ServeFlags;
use crate::servers;

pub(super) fn run(flags: &ServeFlags) -> Result<Ending, Report> {
    let (alphabet, _) = servers::alphabet(&flags.alphabet)?;
    for name in &flags.labels {
        if alphabet.label(name).is_none() {
            let known = alphabet.labels.iter().map(|label| label.name.as_str());
            let help = match nearest(name, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its labels are {}", known.collect::<Vec<_>>().join(", ")),
            };
            return Err(bad_input(format!("the alphabet has no label `{name}`"), help));
        }
    }
    let command = servers::command(&flags.server, flags.edges);
    if flags.sessions {
        let runner = Direct { command: &command, alphabet: &alphabet };
        // Whoever asked is gone.
        let _ = answer_all(&runner, io::stdin().lock(), io::stdout().lock());
        return Ok(Ending::Clean);
    }
    let mut adapter = ServerAdapter::new(&alphabet, &command, &flags.labels, flags.all_values);
    let (input, mut output) = (io::stdin().lock(), io::stdout().lock());
    for line in input.lines() {
        let Ok(line) = line else { break };
        let (answer, goes_on) = adapter.answer(&line);
        // Whoever asked is gone.
        if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() || !goes_on {
            break;
        }
    }
    Ok(Ending::Clean)
}
