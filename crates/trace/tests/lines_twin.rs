//! The fast reader of lines against the plainest one that could be written.

use adit_trace::read::{self, Options};
use adit_trace::{Alphabet, Event, Format, Labels, Words};
use proptest::prelude::*;

/// The traces of `text`, or the number of the line that is wrong.
fn plainly(text: &str, options: &Options) -> Result<Vec<Vec<String>>, u64> {
    let mut traces = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let spaced = line.replace("<START>", " <START> ").replace("<END>", " <END> ");
        let words = spaced.split(|char: char| char <= ' ').filter(|word| !word.is_empty());
        // The open trace and whether it is marked; none after an `<END>`.
        let mut open: Option<(Vec<String>, bool)> = Some((Vec::new(), false));
        for word in words {
            open = match (word, open) {
                ("<START>", Some((_, true))) if !options.keep_partial => return Err(number),
                ("<START>", Some((trace, true))) => {
                    traces.push(trace);
                    Some((Vec::new(), true))
                }
                ("<START>", Some((trace, false))) if !trace.is_empty() => return Err(number),
                ("<START>", _) => Some((Vec::new(), true)),
                ("<END>", Some((trace, _))) => {
                    traces.push(trace);
                    None
                }
                (_, None) => return Err(number),
                (word, Some((mut trace, marked))) => {
                    trace.push(options.labels.of(&Event::from_spelling(word)));
                    Some((trace, marked))
                }
            };
        }
        match open {
            Some((_, true)) if !options.keep_partial => return Err(number),
            Some((trace, marked)) if marked || !trace.is_empty() => traces.push(trace),
            _ => {}
        }
    }
    Ok(traces)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn agree(
        pieces in prop::collection::vec(
            prop_oneof![
                4 => prop::sample::select(vec!["<START>", "<END>", "<START> a <END>\n", "a b:TRUE\n", "<START> c!x.Y <END>"]),
                4 => prop::sample::select(vec![" ", "\n", "\r\n", "\t", "\0\0", "  "]),
                3 => prop::sample::select(vec!["a", "b:TRUE", "b_EXIT7:TRUE", "aLongerName", "aVeryMuchLongerName:FALSE", "é", "<", "END>"]),
                1 => Just("x_name_that_is_far_longer_than_any_entry_of_the_table_would_hold_in_line"),
            ],
            0..24,
        ),
        labels in prop::sample::select(vec![Labels::Method, Labels::Outcome, Labels::Exception]),
        keep_partial in any::<bool>(),
    ) {
        let text: String = pieces.concat();
        let options = Options { keep_partial, ..Options::new(labels) };
        let mut words = Words::new();
        let read = read::words(text.as_bytes(), "f", Some(Format::Lines), &options, &mut Alphabet::new(), &mut words);
        match plainly(&text, &options) {
            Ok(traces) if traces.is_empty() => prop_assert!(read.unwrap_err().place().position.is_none()),
            Err(line) => {
                let error = read.unwrap_err();
                prop_assert_eq!(error.place().position.map(|(line, _)| line), Some(line), "{}", error);
            }
            Ok(traces) => {
                prop_assert_eq!(read.unwrap().traces, traces.len() as u64);
                let mut expected = Words::new();
                for trace in &traces {
                    expected.add(trace.iter().map(String::as_str), 1);
                }
                let shown = |words: &Words| {
                    words.words.iter().map(|word| (words.labels(word).map(str::to_owned).collect::<Vec<_>>(), word.weight)).collect::<Vec<_>>()
                };
                prop_assert_eq!(shown(&words), shown(&expected));
            }
        }
    }
}
