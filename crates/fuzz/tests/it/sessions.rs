//! Sessions with servers that behave, and with servers that do not. None may take long.

use std::time::{Duration, Instant};

use adit_fuzz::alphabet::AnswerClass;
use adit_fuzz::script::{Bytes, Message};
use adit_fuzz::server::{ServerCommand, ServerError};
use adit_fuzz::session::{self, SessionEnd, SessionRun};

use crate::{command, ftp, shipped};

fn message(label: &str, fields: &[(&str, &str)]) -> Message {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), Bytes(value.as_bytes().to_vec())));
    Message { fields: fields.collect(), ..Message::plain(label) }
}

/// Runs `labels` with the first values of their pools.
fn plain(labels: &str) -> Vec<Message> {
    labels.split_whitespace().map(Message::plain).collect()
}

fn codes(run: &SessionRun) -> Vec<&str> {
    run.exchanges.iter().map(|exchange| exchange.code.as_str()).collect()
}

#[test]
fn a_session_transfers_files_both_ways() {
    let Some(command) = command("ftpd", &["--no-bugs"]) else { return };
    let mut script = plain("USER PASS FEAT LIST RETR");
    script.push(message("STOR", &[("file", "new.txt")]));
    script.push(message("SIZE", &[("file", "new.txt")]));
    script.push(Message { prepare: Some("PORT".to_owned()), ..message("RETR", &[("file", "new.txt")]) });
    script.push(Message { prepare: Some("EPSV".to_owned()), ..Message::plain("NLST") });
    script.extend(plain("QUIT NOOP"));
    let run = session::run(&command, &ftp(), &script).unwrap();
    assert_eq!(
        codes(&run),
        [
            "331", "230", "211", "227", "226", "227", "226", "227", "226", "213", "200", "226", "229", "226",
            "221"
        ]
    );
    assert_eq!(run.end, SessionEnd::Ended(10));
    let received: Vec<usize> = run.exchanges.iter().map(|exchange| exchange.data).collect();
    assert_eq!((received[6], received[11]), (6, 11), "{received:?}");
    assert!(received[4] > 50, "{received:?}");
    assert_eq!(run.exchanges[3].message, None, "PASV was not asked for");
    assert_eq!(run.exchanges[0].class, AnswerClass::More);
}

#[test]
fn every_planted_bug_shows_itself() {
    let long = "d".repeat(300);
    let bugs: [(&str, Vec<Message>, SessionEnd); 4] = [
        (
            "long-name",
            [plain("USER PASS"), vec![message("MKD", &[("folder", &long)])]].concat(),
            SessionEnd::Crashed { message: 2, how: "SIGABRT".to_owned(), said: String::new() },
        ),
        (
            "four-in-order",
            vec![
                Message::plain("AUTH"),
                Message::plain("ADAT"),
                message("PBSZ", &[("size", "0")]),
                message("PROT", &[("level", "E")]),
            ],
            SessionEnd::Crashed { message: 3, how: "SIGFPE".to_owned(), said: String::new() },
        ),
        (
            "stale-rename",
            plain("USER PASS RNFR REIN USER PASS RNTO"),
            SessionEnd::Crashed { message: 6, how: "SIGSEGV".to_owned(), said: String::new() },
        ),
        (
            "skip-past-end",
            [plain("USER PASS"), vec![message("REST", &[("number", "4294967296")])], plain("RETR")].concat(),
            SessionEnd::Hung { message: 3, partial: Vec::new(), idle: false },
        ),
    ];
    let (Some(buggy), Some(sound)) = (command("ftpd", &[]), command("ftpd", &["--no-bugs"])) else { return };
    for (name, script, end) in bugs {
        assert_eq!(session::run(&buggy, &ftp(), &script).unwrap().end, end, "{name}");
        assert_eq!(session::run(&sound, &ftp(), &script).unwrap().end, SessionEnd::Finished, "{name}");
    }
    let deletes = plain("USER DELE");
    assert_eq!(codes(&session::run(&buggy, &ftp(), &deletes).unwrap()), ["331", "250"]);
    assert_eq!(codes(&session::run(&sound, &ftp(), &deletes).unwrap()), ["331", "530"]);
}

/// The error of a server that cannot be spoken to, which must come soon.
fn failure(words: &[&str]) -> ServerError {
    let words = words.iter().map(|&word| word.to_owned()).collect();
    let command = ServerCommand { words, launcher: Vec::new(), edges: false, patience: 1 };
    let mut alphabet = ftp();
    alphabet.session.start_limit = Duration::from_millis(300);
    let start = Instant::now();
    let error = session::run(&command, &alphabet, &plain("NOOP")).expect_err("nobody answers");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    error
}

#[test]
fn a_server_that_does_not_start_is_named() {
    assert!(failure(&["no-such-server", "{port}"]).to_string().contains("`no-such-server`"));
    let ended = failure(&["sh", "-c", "echo no config >&2; exit 7"]).to_string();
    assert!(ended.contains("ended with exit code 7") && ended.ends_with(": no config"), "{ended}");
    let deaf = failure(&["sleep", "60"]).to_string();
    assert!(deaf.contains("nothing listens on port"), "{deaf}");
}

#[test]
fn a_server_that_does_not_greet_is_named() {
    for (how, expected) in [
        ("silent", "sent no greeting for 0.3 s"),
        ("half-greeting", "stopped in the middle of its greeting: `220 hel`"),
        ("closes", "closed it without a greeting"),
        ("nonsense", "no answer of the protocol: `hello there\\r\\n`"),
    ] {
        let Some(program) = crate::compiled("misbehaves") else { return };
        let error = failure(&[&program.display().to_string(), "{port}", how]).to_string();
        assert!(error.contains(expected), "{how}: {error}");
    }
}

#[test]
fn a_server_that_breaks_off_is_named() {
    let end = |how: &str| {
        let mut alphabet = ftp();
        alphabet.session.answer_limit = Duration::from_millis(200);
        Some(session::run(&command("misbehaves", &[how])?, &alphabet, &plain("NOOP NOOP NOOP")).unwrap())
    };
    let Some(mute) = end("mute") else { return };
    assert_eq!(mute.end, SessionEnd::Hung { message: 0, partial: Vec::new(), idle: false });
    assert_eq!(
        end("half-answer").unwrap().end,
        SessionEnd::Hung { message: 0, partial: b"331 pass".to_vec(), idle: false }
    );
    assert_eq!(end("child").unwrap().end, SessionEnd::Closed { message: 1 });
    let chatty = end("chatty").unwrap();
    assert_eq!(chatty.end, SessionEnd::Finished);
    assert_eq!(chatty.exchanges[1].unasked, b"200 and done\r\n");
}

#[test]
fn no_process_and_no_folder_is_left() {
    let Some(program) = crate::compiled("ftpd") else { return };
    let noted = tempfile::NamedTempFile::new().unwrap();
    // A child of the server's shell must go, too.
    let line = format!(
        "pwd > {0}; sleep 1000 & echo $! >> {0}; exec {1} \"$1\"",
        noted.path().display(),
        program.display()
    );
    let words = ["sh", "-c", &line, "sh", "{port}"].map(str::to_owned).to_vec();
    let command = ServerCommand { words, launcher: Vec::new(), edges: false, patience: 1 };
    session::run(&command, &ftp(), &plain("USER")).unwrap();
    let noted = std::fs::read_to_string(noted.path()).unwrap();
    let (folder, process) = noted.trim().split_once('\n').unwrap();
    assert!(!std::path::Path::new(folder).exists(), "{folder}");
    // The kernel ends a killed process when it gets to it.
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if status.is_empty() || status.contains(") Z ") {
            break;
        }
        assert!(Instant::now() < until, "{status}");
        std::thread::yield_now();
    }
}

#[test]
fn every_planted_bug_of_the_second_server_shows_itself() {
    let long = "d.".repeat(300);
    let crash =
        |message, how: &str| SessionEnd::Crashed { message, how: how.to_owned(), said: String::new() };
    let null = message("MAIL", &[("sender", "<>")]);
    let postmaster = message("RCPT", &[("recipient", "<postmaster>")]);
    let bugs: [(&str, Vec<Message>, SessionEnd); 5] = [
        ("long-domain", vec![message("HELO", &[("domain", &long)])], crash(0, "SIGABRT")),
        ("late-login", plain("EHLO MAIL AUTH RCPT"), crash(3, "SIGSEGV")),
        ("many-recipients", plain("EHLO AUTH MAIL RCPT RCPT RCPT RCPT RCPT"), crash(7, "SIGABRT")),
        ("freed-twice", plain("HELO MAIL RCPT DATA MESSAGE RSET"), crash(5, "SIGABRT")),
        (
            "bounce-loop",
            [plain("HELO"), vec![null, postmaster], plain("DATA MESSAGE")].concat(),
            SessionEnd::Hung { message: 4, partial: Vec::new(), idle: false },
        ),
    ];
    let (Some(buggy), Some(sound)) = (command("smtpd", &[]), command("smtpd", &["--no-bugs"])) else {
        return;
    };
    let smtp = shipped("smtp");
    for (name, script, end) in bugs {
        assert_eq!(session::run(&buggy, &smtp, &script).unwrap().end, end, "{name}");
        assert_eq!(session::run(&sound, &smtp, &script).unwrap().end, SessionEnd::Finished, "{name}");
    }
    let lists = plain("HELO MAIL EXPN");
    assert_eq!(codes(&session::run(&buggy, &smtp, &lists).unwrap()), ["250", "250", "250"]);
    assert_eq!(codes(&session::run(&sound, &smtp, &lists).unwrap()), ["250", "250", "530"]);
}

#[test]
fn a_message_of_several_lines_may_have_several_answers() {
    let Some(command) = command("smtpd", &["--no-bugs"]) else { return };
    // Before DATA each of its lines is an unknown command; a late answer would be taken for that of HELO.
    let run = session::run(&command, &shipped("smtp"), &plain("MESSAGE HELO MESSAGE NOOP")).unwrap();
    assert_eq!(codes(&run), ["500", "250", "500", "250"]);
    assert!(run.exchanges.iter().all(|exchange| exchange.unasked.is_empty()), "{run:?}");
}

#[test]
fn a_server_that_waits_for_more_is_not_waited_for() {
    let Some(command) = command("smtpd", &["--no-bugs"]) else { return };
    let mut alphabet = shipped("smtp");
    alphabet.session.answer_limit = Duration::from_secs(60);
    let start = Instant::now();
    // After DATA every line is one of the text, which ends with that of MESSAGE.
    let run =
        session::run(&command, &alphabet, &plain("HELO MAIL RCPT DATA NOOP RSET MESSAGE NOOP")).unwrap();
    assert_eq!(codes(&run), ["250", "250", "250", "354", "", "", "250", "250"]);
    assert_eq!(run.end, SessionEnd::Finished);
    let run = session::run(&command, &alphabet, &plain("HELO MAIL RCPT DATA NOOP RSET")).unwrap();
    assert_eq!(run.end, SessionEnd::Hung { message: 4, partial: Vec::new(), idle: true });
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn a_stream_is_set_up_played_and_torn_down() {
    let Some(command) = command("rtspd", &["--no-bugs"]) else { return };
    let script = "PLAY OPTIONS DESCRIBE SETUP PLAY PAUSE PAUSE GET_PARAMETER RECORD TEARDOWN PLAY CLOSE";
    let run = session::run(&command, &shipped("rtsp"), &plain(script)).unwrap();
    assert_eq!(
        codes(&run),
        ["454", "200", "200", "200", "200", "200", "455", "200", "455", "200", "454", ""]
    );
    let sent = |at: usize| String::from_utf8_lossy(&run.exchanges[at].sent).into_owned();
    // The name of the session comes from the answer to SETUP, and every request has a number of its own.
    assert!(sent(0).contains("Session: 00000000\r\n") && sent(0).contains("CSeq: 1\r\n"), "{}", sent(0));
    assert!(sent(4).contains("Session: 41c67ea6\r\n") && sent(4).contains("CSeq: 5\r\n"), "{}", sent(4));
    assert_eq!(run.end, SessionEnd::Ended(12));
}

#[test]
fn every_planted_bug_of_the_third_server_shows_itself() {
    let crash =
        |message, how: &str| SessionEnd::Crashed { message, how: how.to_owned(), said: String::new() };
    let back = vec![message("PLAY", &[("range", "npt=9-1")])];
    let parameter = vec![message("SET_PARAMETER", &[("parameter", &"p".repeat(600))])];
    let transport = vec![message("SETUP", &[("transport", &";".repeat(500))])];
    let bugs: [(&str, Vec<Message>, SessionEnd); 5] = [
        ("long-transport", transport, crash(0, "SIGABRT")),
        ("long-parameter", [plain("SETUP PLAY"), parameter].concat(), crash(2, "SIGSEGV")),
        ("stale-stream", plain("SETUP TEARDOWN SETUP PLAY"), crash(3, "SIGABRT")),
        ("record-play", plain("ANNOUNCE SETUP RECORD PAUSE PLAY"), crash(4, "SIGSEGV")),
        (
            "seek-back",
            [plain("SETUP PLAY PAUSE"), back].concat(),
            SessionEnd::Hung { message: 3, partial: Vec::new(), idle: false },
        ),
    ];
    let (Some(buggy), Some(sound)) = (command("rtspd", &[]), command("rtspd", &["--no-bugs"])) else {
        return;
    };
    let rtsp = shipped("rtsp");
    for (name, script, end) in bugs {
        assert_eq!(session::run(&buggy, &rtsp, &script).unwrap().end, end, "{name}");
        assert_eq!(session::run(&sound, &rtsp, &script).unwrap().end, SessionEnd::Finished, "{name}");
    }
    let asks = plain("ANNOUNCE GET_PARAMETER");
    assert_eq!(codes(&session::run(&buggy, &rtsp, &asks).unwrap()), ["200", "200"]);
    assert_eq!(codes(&session::run(&sound, &rtsp, &asks).unwrap()), ["200", "454"]);
}

#[test]
fn a_mailbox_is_opened_read_and_left() {
    let Some(command) = command("pop3d", &["--no-bugs"]) else { return };
    let script = "STAT USER PASS LIST RETR CAPA DELE RETR RSET RECONNECT AUTH TOKEN UIDL LISTONE QUIT STAT";
    let run = session::run(&command, &shipped("pop3"), &plain(script)).unwrap();
    let (ok, error) = ("+OK", "-ERR");
    assert_eq!(
        codes(&run),
        [error, ok, ok, ok, ok, ok, ok, error, ok, "", "+", ok, ok, ok, ok],
        "{:?}",
        run.exchanges
    );
    // A text goes on up to a dot, and nothing of it is left for the next message.
    let text = |at: usize| String::from_utf8_lossy(&run.exchanges[at].answer).into_owned();
    assert_eq!(text(4), "+OK\r\nSubject: one\r\n\r\nhello\r\n.\r\n");
    assert!(run.exchanges.iter().all(|exchange| exchange.unasked.is_empty()));
    // The success of QUIT ends the session, though its code is that of any other.
    assert_eq!(run.end, SessionEnd::Ended(15));
}

#[test]
fn every_planted_bug_of_the_fourth_server_shows_itself() {
    let crash =
        |message, how: &str| SessionEnd::Crashed { message, how: how.to_owned(), said: String::new() };
    let login = || plain("USER PASS");
    let user = vec![message("USER", &[("user", &"u".repeat(300))])];
    let top = vec![message("TOP", &[("number", "2"), ("lines", "-1")])];
    let second = vec![message("DELE", &[("number", "2")])];
    let bugs: [(&str, Vec<Message>, SessionEnd); 5] = [
        ("long-user", user, crash(0, "SIGABRT")),
        ("negative-top", [login(), top].concat(), crash(2, "SIGSEGV")),
        ("reset-retrieve", [login(), plain("DELE RSET RETR")].concat(), crash(4, "SIGABRT")),
        (
            "all-deleted",
            [login(), plain("DELE"), second, plain("LIST")].concat(),
            SessionEnd::Hung { message: 4, partial: Vec::new(), idle: false },
        ),
        ("stale-lock", [login(), plain("DELE RECONNECT"), login()].concat(), crash(5, "SIGSEGV")),
    ];
    let (Some(buggy), Some(sound)) = (command("pop3d", &[]), command("pop3d", &["--no-bugs"])) else {
        return;
    };
    let pop3 = shipped("pop3");
    for (name, script, end) in bugs {
        assert_eq!(session::run(&buggy, &pop3, &script).unwrap().end, end, "{name}");
        assert_eq!(session::run(&sound, &pop3, &script).unwrap().end, SessionEnd::Finished, "{name}");
    }
    let asks = plain("AUTH CANCEL STAT");
    assert_eq!(codes(&session::run(&buggy, &pop3, &asks).unwrap()), ["+", "-ERR", "+OK"]);
    assert_eq!(codes(&session::run(&sound, &pop3, &asks).unwrap()), ["+", "-ERR", "-ERR"]);
}

/// While it plays, this server writes a frame and then the answer, and the second waits in the kernel until
/// the first is acknowledged: 40 ms if the client takes its time.
#[test]
fn answers_in_pieces_are_not_waited_for() {
    let Some(command) = command("rtspd", &["--no-bugs"]) else { return };
    let rtsp = shipped("rtsp");
    let script = plain(&format!("SETUP PLAY{}", " GET_PARAMETER".repeat(24)));
    let time = || {
        let start = Instant::now();
        let run = session::run(&command, &rtsp, &script).unwrap();
        assert_eq!(run.end, SessionEnd::Finished);
        start.elapsed()
    };
    let fastest = (0..3).map(|_| time()).min().unwrap();
    assert!(fastest < Duration::from_millis(24 * 40 / 2), "{fastest:?}");
}
