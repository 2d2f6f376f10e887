//! Reading words on several threads.
//!
//! The calling thread reads, decompresses and cuts the file into blocks of whole lines; block `i` goes to
//! worker `i mod n` over a queue of a few blocks. So which worker sees which trace depends on the bytes and
//! on `n`, never on timing, and the error that is reported is the first one in the file.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::error::{Halt, ReadError};
use super::source::Source;
use super::target::ToWords;
use super::text::{Block, Blocks};
use super::{Options, Reading, Summary, choose, lines, run, some_traces};
use crate::{Alphabet, Format, WordSink};

/// The most blocks that may wait for a worker: enough to ride out a slow one, at a megabyte each at most.
const WAITING: usize = 4;

/// Like [`super::words`], with one thread for each of `workers`; each has a sink of its own and an alphabet
/// that names its letters. Merging them in their order is up to the caller. The workers may be handed in
/// again with the next file.
///
/// Only a format with a trace a line can be read in parallel, which is [`Format::Lines`]; any other goes to
/// the first worker alone. With no worker at all, nothing is read and the file has no traces.
pub fn parallel<S: WordSink + Send>(
    mut input: impl Read,
    name: &str,
    format: Option<Format>,
    options: &Options,
    workers: &mut [(S, Alphabet)],
) -> Result<Summary, ReadError> {
    let source = Source::open(&mut input as &mut dyn Read, name)?;
    let format = choose(&source, format, options);
    let first = match workers {
        [] => return some_traces(name, Summary::new(format)),
        [(sink, alphabet)] => Some((sink, alphabet)),
        [(sink, alphabet), ..] if format != Format::Lines => Some((sink, alphabet)),
        _ => None,
    };
    if let Some((sink, alphabet)) = first {
        let mut target = ToWords::new(options.labels, options.max_labels, alphabet, sink);
        return run(source, format, options, |decoder, source, summary| {
            (decoder.words)(Reading { source, options, target: &mut target, summary })
        });
    }
    let mut summary = Summary::new(format);
    let (source, cut_off) = source.keep_partial(options.keep_partial);
    let (read, results) = std::thread::scope(|scope| {
        let (return_buffer, buffers) = sync_channel(workers.len() * (WAITING + 2));
        let mut queues = Vec::new();
        let mut threads = Vec::new();
        for (sink, alphabet) in &mut *workers {
            let (queue, blocks) = sync_channel(WAITING);
            let return_buffer = return_buffer.clone();
            queues.push(queue);
            threads.push(scope.spawn(move || work(sink, alphabet, name, options, &blocks, &return_buffer)));
        }
        let read = distribute(source, options, queues, &buffers);
        let results: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        (read, results)
    });
    let mut failed: Vec<(u64, ReadError)> = Vec::new();
    for result in results {
        match result {
            Ok(part) => summary.add(&part),
            Err(failure) => failed.push(failure),
        }
    }
    summary.partial += u64::from(cut_off.get());
    // What the reading thread found is behind everything that the workers were given.
    match failed.into_iter().min_by_key(|&(line, _)| line) {
        Some((_, error)) => Err(error),
        None => read.and_then(|()| some_traces(name, summary)),
    }
}

/// A block on its way to a worker.
struct Parcel {
    bytes: Vec<u8>,
    first_line: u64,
}

/// Reads the file and deals out its blocks. It stops early when a worker has stopped.
fn distribute<R: Read>(
    source: Source<R>,
    options: &Options,
    queues: Vec<SyncSender<Parcel>>,
    buffers: &Receiver<Vec<u8>>,
) -> Result<(), ReadError> {
    let mut blocks = Blocks::new(source, options.max_line);
    for queue in queues.iter().cycle() {
        let Some(block) = blocks.next()? else { break };
        let mut bytes = buffers.try_recv().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(block.bytes);
        if queue.send(Parcel { bytes, first_line: block.first_line }).is_err() {
            break;
        }
    }
    Ok(())
}

/// Reads the blocks of one worker. A failure comes with the line at which its block begins.
fn work<S: WordSink>(
    sink: &mut S,
    alphabet: &mut Alphabet,
    name: &str,
    options: &Options,
    blocks: &Receiver<Parcel>,
    return_buffer: &SyncSender<Vec<u8>>,
) -> Result<Summary, (u64, ReadError)> {
    let mut summary = Summary::new(Format::Lines);
    let mut target = ToWords::new(options.labels, options.max_labels, alphabet, sink);
    let mut reader = lines::Reader::new(options);
    for Parcel { bytes, first_line } in blocks {
        let block = Block { bytes: &bytes, first_line, name, max_line: options.max_line };
        match reader.block(&block, &mut target, &mut summary) {
            Ok(()) => {}
            Err(Halt::Stopped) => break,
            Err(Halt::Failed(error)) => return Err((first_line, error)),
        }
        // A full queue of returned buffers, or a reader that is done, only means that this one is freed.
        return_buffer.try_send(bytes).ok();
    }
    Ok(summary)
}
