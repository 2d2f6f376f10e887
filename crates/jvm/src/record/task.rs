//! The worker at a recording: creates the JVM with a recorder, runs tests or a `main`, and reports the end.

use std::fs::{self, File};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

use adit_bytecode::wrap::Witness;
use jni_sys::{jint, jvalue};

use crate::agent;
use crate::jni;
use crate::known::find_class;
use crate::message::{Greeting, receive, send};
use crate::record::intervene::Loaders;
use crate::record::junit::{self, FreshTests};
use crate::record::plan::WITNESS;
use crate::record::recorder::CallRecorder;
use crate::record::stream::RecordWriter;
use crate::record::{Assignment, Task};
use crate::sandbox::Protection;
use crate::shared::Results;
use crate::vm::{self, Env, Global, MachineOptions};
use crate::wire::Take;
use crate::worker::count_threads;

/// Name of the folder with the class of the witness.
const PATCH: &str = "witness";

/// Greets the coordinator, runs the task and reports its end. Returns when the process may exit.
pub(crate) fn perform(
    assignment: Assignment,
    mut options: MachineOptions,
    control: UnixStream,
    memory: &File,
    protection: Protection,
) -> io::Result<()> {
    let mut greeter = control.try_clone()?;
    let records: &'static RecordWriter =
        Box::leak(Box::new(RecordWriter::new(Results::map(memory)?, control, assignment.longest_life)));
    let Assignment { plan, task, directory, bench, .. } = assignment;
    let begin = |options: &mut MachineOptions| -> Result<(Env, Option<&'static CallRecorder>), String> {
        std::env::set_current_dir(&directory)
            .map_err(|error| format!("cannot enter the folder {}: {error}", directory.display()))?;
        // Tests make more classes than scripts do.
        options.flags.insert(0, "-XX:MaxMetaspaceSize=512m".to_owned());
        let recorder = match plan {
            None => None,
            Some(plan) => {
                let recorder = CallRecorder::new(plan, records);
                agent::prepare(Box::new(recorder))?;
                let patch = place_witness(&options.folder, recorder.has_states(), bench.is_some())
                    .map_err(|error| format!("cannot write to the sandbox: {error}"))?;
                options.flags.push(agent::FLAG.to_owned());
                options.flags.push(format!("--patch-module=java.base={patch}"));
                // The machine wonders who gives methods to a class of its own, and would say so on standard
                // output.
                options.flags.push("-Xlog:jni+resolve=off".to_owned());
                Some(recorder)
            }
        };
        Ok((vm::create(options)?, recorder))
    };
    let (machine, begun) = match begin(&mut options) {
        Ok(begun) => (Ok(()), Some(begun)),
        Err(why) => (Err(why), None),
    };
    send(&mut greeter, &Greeting { protection, machine, unprobed: None }.to_bytes())?;
    let Some((env, recorder)) = begun else { return Ok(()) };
    let started = recorder.map_or(Ok(()), |recorder| recorder.listen(env));
    if let (Some(loaders), Some(recorder), Ok(())) = (&bench, recorder, &started) {
        return serve(env, loaders.as_ref(), recorder, records, &mut greeter, &options.folder);
    }
    let done = started.and_then(|()| match &task {
        Task::Tests { classes } => junit::run(env, classes, records),
        Task::Main { class, args } => run_main(env, class, args),
    });
    recorder.into_iter().for_each(CallRecorder::tell_cost);
    records.done(done.as_ref().err().map(String::as_str))
}

/// Runs experiments until the coordinator hangs up.
fn serve(
    env: Env,
    loaders: Option<&Loaders>,
    recorder: &'static CallRecorder,
    records: &'static RecordWriter,
    control: &mut UnixStream,
    folder: &Path,
) -> io::Result<()> {
    let mut fresh = None;
    let mut threads = None;
    loop {
        let order = receive(control)?;
        records.begin_run();
        let mut take = Take(&order);
        let mut run = || -> Result<(), String> {
            let garbled = |_| "the experiment is malformed".to_owned();
            let (tests, classes) = (take.texts().map_err(garbled)?, take.texts().map_err(garbled)?);
            if let (None, Some(Loaders { kept, fresh: entries })) = (&fresh, loaders) {
                fresh = Some(FreshTests::new(env, kept, entries)?);
            }
            let fresh = fresh.as_ref();
            let loader = fresh.map(|fresh| fresh.loader(env)).transpose()?;
            let reference = loader.as_ref().map_or(std::ptr::null_mut(), Global::get);
            recorder.begin_run(env, &mut take, reference).map_err(garbled)?;
            let done = junit::run_some(env, fresh, &tests, &classes, records);
            if let (Some(fresh), Some(loader)) = (fresh, &loader) {
                fresh.close(env, loader);
            }
            done
        };
        let done = run();
        clean(folder);
        let count = count_threads();
        let before = *threads.get_or_insert(count);
        match done {
            Ok(()) if count > before + STRAY_THREADS => records.retire()?,
            done => records.done(done.as_ref().err().map(String::as_str))?,
        }
    }
}

/// Threads that runs may leave behind before the worker asks to be replaced. The machine starts and ends a
/// few for compiling and collecting.
const STRAY_THREADS: usize = 8;

/// Removes what tests have left in the folder for temporary files.
fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name() != PATCH) {
        let path = entry.path();
        // What cannot be removed stays, in memory that goes with the worker.
        let _ = if entry.file_type().is_ok_and(|of| of.is_dir()) {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
    }
}

/// Writes the class of the witness to where the machine takes it for one of its own.
fn place_witness(folder: &Path, arguments: bool, intervenes: bool) -> io::Result<String> {
    let patch = folder.join(PATCH);
    let file = patch.join(format!("{WITNESS}.class"));
    fs::create_dir_all(file.parent().unwrap_or(&patch))?;
    fs::write(&file, Witness { class: WITNESS.to_owned(), arguments, intervenes }.class_file())?;
    patch.into_os_string().into_string().map_err(|_| io::Error::other("its path is not valid text"))
}

/// Runs an application and waits for its threads. The machine is gone afterwards, unless the application did
/// not begin. If its `main` throws, the process ends here.
fn run_main(env: Env, class: &str, args: &[String]) -> Result<(), String> {
    let missing = |what: &str| format!("{class}: {what}");
    let main_class = find_class(env, &class.replace('.', "/"))
        .map_err(|thrown| missing(&format!("cannot load it: {}", junit::describe(env, thrown))))?;
    let main = main_class.get();
    let list = junit::strings(env, args).ok_or_else(|| missing("no memory for its arguments"))?;
    // SAFETY: the method is looked up on this class with this descriptor, and the array is one of strings.
    // Whatever is thrown is taken away. The machine is asked for its own pointer.
    unsafe {
        let method = jni!(env, GetStaticMethodID, main, c"main".as_ptr(), c"([Ljava/lang/String;)V".as_ptr());
        if method.is_null() {
            jni!(env, ExceptionClear);
            return Err(missing("it has no method `public static void main(String[])`"));
        }
        jni!(env, CallStaticVoidMethodA, main, method, [jvalue { l: list }].as_ptr());
        // As the `java` command does: the exception is shown, other threads go on, and the exit code tells of
        // it.
        let threw = jni!(env, ExceptionCheck);
        if threw {
            jni!(env, ExceptionDescribe);
            jni!(env, ExceptionClear);
        }
        // Afterwards it could not be given back.
        drop(main_class);
        // This waits for all threads that are no daemons, and runs what was registered for the end.
        let mut machine = std::ptr::null_mut();
        let code: jint = jni!(env, GetJavaVM, &raw mut machine);
        if code == 0 && !machine.is_null() {
            ((**machine).v1_2.DestroyJavaVM)(machine);
        }
        if threw {
            std::process::exit(1);
        }
    }
    Ok(())
}
