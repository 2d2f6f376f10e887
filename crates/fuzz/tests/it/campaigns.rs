//! Campaigns against the FTP server with planted bugs.

use adit_automata::Fsa;
use adit_automata::format::{Format, Spelling};
use adit_fuzz::alphabet::{Alphabet, AnswerClass};
use adit_fuzz::campaign::{self, Campaign, CampaignRules};
use adit_fuzz::findings::{FindingKind, shows};
use adit_fuzz::generate::ScriptLimits;
use adit_fuzz::guide::{Guide, GuideError, ModelGuide};
use adit_fuzz::runner::{Direct, Pace, SessionRunner};
use adit_fuzz::script::Message;
use adit_fuzz::server::ServerError;
use adit_fuzz::session::{Exchange, SessionEnd, SessionRun};

use crate::guides::{exchange, guide};
use crate::{command, ftp, root};

const SPELLING: Spelling =
    Spelling { from_word: str::to_owned, from_identifier: str::to_owned, call: |_| None };

fn model() -> Fsa<String> {
    let file = root().join("examples/ftp.model.json");
    SPELLING.read(&std::fs::read(file).unwrap(), "ftp", Some(Format::Json)).unwrap()
}

fn rules(seed: u64) -> CampaignRules {
    CampaignRules { seed, limits: ScriptLimits { way: 8, tried: 4 }, confirmations: 3, only_seen: false }
}

#[test]
fn a_model_with_unknown_labels_is_refused_by_name() {
    let mut builder = model().to_builder();
    builder.edge(0, "PASSWORT".to_owned(), 0);
    builder.edge(0, "frobnicate".to_owned(), 0);
    let error = ModelGuide::new(&builder.build(), &ftp()).unwrap_err();
    let GuideError::UnknownLabels { labels, help } = &error else { panic!("{error}") };
    assert_eq!(labels, &["PASSWORT", "frobnicate"]);
    assert_eq!(error.to_string(), "the alphabet lacks 2 labels of the model: `PASSWORT`, `frobnicate`");
    assert!(help.starts_with("did you mean `password`?"), "{help}");
}

#[test]
fn a_sound_server_agrees_with_its_model() {
    let Some(command) = command("ftpd", &["--no-bugs"]) else { return };
    let (alphabet, guide) = (ftp(), Guide::Model(ModelGuide::new(&model(), &ftp()).unwrap()));
    let runner = Direct { command: &command, alphabet: &alphabet };
    let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(1));
    for _ in 0..400 {
        campaign.step(0.0).unwrap();
    }
    campaign.judge_transitions(0.0);
    let found: Vec<_> = campaign.findings().iter().map(|finding| &finding.key).collect();
    assert!(found.is_empty(), "{found:#?}");
    let (reached, all) = campaign.states();
    assert!(reached >= 18, "{reached} of {all:?}");
}

#[test]
fn planted_bugs_are_found_and_made_small() {
    let Some(command) = command("ftpd", &[]) else { return };
    let (alphabet, guide) = (ftp(), Guide::Model(ModelGuide::new(&model(), &ftp()).unwrap()));
    let runner = Direct { command: &command, alphabet: &alphabet };
    let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(1));
    let wanted = |campaign: &Campaign<'_>| {
        let has = |kind: FindingKind, label: &str| {
            campaign.findings().iter().any(|found| found.key.kind == kind && found.key.label == label)
        };
        has(FindingKind::Crash, "MKD")
            && has(FindingKind::Crash, "PROT")
            && has(FindingKind::NewTransition, "DELE")
    };
    while !wanted(&campaign) && campaign.sessions() < 6000 {
        campaign.step(0.0).unwrap();
    }
    assert!(wanted(&campaign), "{:#?}", campaign.findings());
    campaign.minimize(80, || false).unwrap();
    let length = |label: &str| {
        let found = campaign.findings().iter().find(|found| found.key.label == label).unwrap();
        assert!(shows(&runner, 1, &alphabet, &guide, &found.script, &found.key).unwrap());
        let labels: Vec<&str> = found.script.iter().map(|message| message.label.as_str()).collect();
        labels.join(" ")
    };
    assert_eq!(length("MKD"), "USER PASS MKD");
    assert_eq!(length("PROT"), "AUTH ADAT PBSZ PROT");
}

fn scripts(campaign: &mut Campaign<'_>, sessions: usize) -> Vec<Vec<Message>> {
    (0..sessions)
        .map(|_| {
            let script = campaign.next_script();
            campaign.step(0.0).unwrap();
            script
        })
        .collect()
}

#[test]
fn the_same_seed_makes_the_same_choices_also_after_a_break() {
    let Some(command) = command("ftpd", &["--no-bugs"]) else { return };
    for guide in [Guide::Model(ModelGuide::new(&model(), &ftp()).unwrap()), Guide::Codes] {
        let alphabet = ftp();
        let runner = Direct { command: &command, alphabet: &alphabet };
        let fresh = || Campaign::new(&alphabet, &guide, &runner, rules(7));
        let whole = scripts(&mut fresh(), 60);
        let folder = tempfile::tempdir().unwrap();
        let mut first = fresh();
        let mut parts = scripts(&mut first, 30);
        campaign::save(&first, folder.path(), "x", 1.5).unwrap();
        let mut second = fresh();
        assert!(campaign::load(&mut second, folder.path(), "x").unwrap());
        assert_eq!((second.sessions(), second.earlier()), (30, 1.5));
        assert_eq!(second.corpus(), first.corpus());
        parts.extend(scripts(&mut second, 30));
        assert_eq!(parts, whole);
        let other = scripts(&mut Campaign::new(&alphabet, &guide, &runner, rules(8)), 60);
        assert_ne!(other, whole);
        assert!(campaign::load(&mut fresh(), folder.path(), "y").is_err());
    }
}

#[test]
fn few_sessions_go_where_a_session_is_over() {
    let Some(command) = command("ftpd", &["--no-bugs"]) else { return };
    let (alphabet, guide) = (ftp(), Guide::Model(ModelGuide::new(&model(), &ftp()).unwrap()));
    let runner = Direct { command: &command, alphabet: &alphabet };
    let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(3));
    let scripts = scripts(&mut campaign, 200);
    let over = |script: &&Vec<Message>| script.iter().rev().skip(1).any(|message| message.label == "QUIT");
    let wasted = scripts.iter().filter(over).count();
    // The state after QUIT is always the one in which least was tried.
    assert!(wasted < 30, "{wasted} of 200 sessions go on after QUIT");
}

/// A server that answers everything but one label.
struct SilentTo<'a>(&'a str, &'a Alphabet);

impl SessionRunner for SilentTo<'_> {
    fn run(&self, script: &[Message], _: &Pace) -> Result<SessionRun, ServerError> {
        let mut exchanges = Vec::new();
        let mut end = SessionEnd::Finished;
        for (at, message) in script.iter().enumerate() {
            let is_silent = message.label == self.0;
            exchanges.push(Exchange {
                label: self.1.label(&message.label).unwrap(),
                message: Some(at),
                sent: Vec::new(),
                answer: Vec::new(),
                code: if is_silent { String::new() } else { "200".to_owned() },
                class: if is_silent { AnswerClass::Silent } else { AnswerClass::Ok },
                data: 0,
                unasked: Vec::new(),
            });
            if is_silent {
                end = SessionEnd::Hung { message: at, partial: Vec::new(), idle: false };
                break;
            }
        }
        Ok(SessionRun { exchanges, end, edges: Vec::new() })
    }
}

/// Each costs the whole limit for an answer, and shows nothing new.
#[test]
fn labels_that_are_never_answered_become_rare() {
    let (alphabet, guide) = (ftp(), Guide::Codes);
    let runner = SilentTo("RMD", &alphabet);
    let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(1));
    let scripts = scripts(&mut campaign, 600);
    let with = |label: &str| {
        let has = |script: &&Vec<Message>| script.iter().any(|message| message.label == label);
        scripts[300..].iter().filter(has).count()
    };
    // MKD has as many values to try, and is answered.
    assert!(4 * with("RMD") < with("MKD"), "{} of 300, {} with MKD", with("RMD"), with("MKD"));
    let folder = tempfile::tempdir().unwrap();
    campaign::save(&campaign, folder.path(), "x", 0.0).unwrap();
    let mut again = Campaign::new(&alphabet, &guide, &runner, rules(1));
    campaign::load(&mut again, folder.path(), "x").unwrap();
    assert_eq!(again.next_script(), campaign.next_script());
}

/// A server that answers each label with a code, and all others with `500`.
struct Answers<'a>(&'a [(&'a str, &'a str)], &'a Alphabet);

impl SessionRunner for Answers<'_> {
    fn run(&self, script: &[Message], _: &Pace) -> Result<SessionRun, ServerError> {
        let answer = |(at, message): (usize, &Message)| {
            let code =
                self.0.iter().find(|(label, _)| *label == message.label).map_or("500", |(_, code)| code);
            exchange(self.1, &message.label, code, at)
        };
        let exchanges = script.iter().enumerate().map(answer).collect();
        Ok(SessionRun { exchanges, end: SessionEnd::Finished, edges: Vec::new() })
    }
}

#[test]
fn sessions_go_on_where_the_server_contradicts_the_model() {
    let alphabet = ftp();
    let guide = guide("0 USER 1\n1 PASS 2\n2 DELE 2", &alphabet);
    let runner = Answers(&[("USER", "331"), ("PASS", "230"), ("DELE", "250")], &alphabet);
    let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(1));
    let scripts = scripts(&mut campaign, 400);
    // The model has DELE after a login only.
    let goes_on = |script: &&Vec<Message>| script.len() > 1 && script[0].label == "DELE";
    let beyond = scripts.iter().filter(goes_on).count();
    assert!(beyond > 8, "{beyond} of 400 sessions go on after the contradiction");
    let folder = tempfile::tempdir().unwrap();
    campaign::save(&campaign, folder.path(), "x", 0.0).unwrap();
    let mut again = Campaign::new(&alphabet, &guide, &runner, rules(1));
    campaign::load(&mut again, folder.path(), "x").unwrap();
    assert_eq!(again.next_script(), campaign.next_script());
}

#[test]
fn a_message_that_is_repeated_counts_once_against_the_model() {
    let alphabet = ftp();
    let guide = guide("0 USER 1", &alphabet);
    let runner = Answers(&[], &alphabet);
    for seed in 0..10 {
        let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(seed));
        scripts(&mut campaign, 11);
        assert_eq!(campaign.judge_transitions(0.0), [], "refuted by less than twelve sessions");
    }
}

/// A server that does what its model says, and refuses everything else.
struct Obeys<'a>(&'a Guide, &'a Alphabet);

impl SessionRunner for Obeys<'_> {
    fn run(&self, script: &[Message], _: &Pace) -> Result<SessionRun, ServerError> {
        let Guide::Model(model) = self.0 else { unreachable!("tests give a model") };
        let mut place = self.0.start();
        let answer = |(at, message): (usize, &Message)| {
            let label = self.1.label(&message.label).unwrap();
            let state = Guide::state(&place).unwrap();
            let code = if model.next(state, label, self.1).is_some() { "200" } else { "500" };
            let exchange = exchange(self.1, &message.label, code, at);
            place = self.0.step(&place, &exchange, self.1).0;
            exchange
        };
        let exchanges = script.iter().enumerate().map(answer).collect();
        Ok(SessionRun { exchanges, end: SessionEnd::Finished, edges: Vec::new() })
    }
}

/// Scripts against a server that has a login, a rename in two steps, and a way back to the start.
fn scripts_of_renames(sessions: usize) -> Vec<String> {
    let alphabet = ftp();
    let guide = guide("0 USER 1\n1 PASS 2\n2 RNFR 3\n3 RNTO 2\n3 REIN 0\n2 REIN 0", &alphabet);
    let runner = Obeys(&guide, &alphabet);
    let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(1));
    let text = |script: &Vec<Message>| {
        let labels: Vec<&str> = script.iter().map(|message| message.label.as_str()).collect();
        labels.join(" ")
    };
    scripts(&mut campaign, sessions).iter().map(text).collect()
}

#[test]
fn what_only_a_state_that_was_left_allows_is_tried_after_it() {
    let scripts = scripts_of_renames(600);
    // A server that forgets the client and not the name to change would now change it.
    let stale = scripts.iter().filter(|script| script.contains("RNFR REIN USER PASS RNTO")).count();
    assert!(stale > 0, "of 600 sessions");
}

#[test]
fn ways_have_messages_that_are_refused() {
    let scripts = scripts_of_renames(300);
    let on_the_way = |script: &&String| {
        let labels: Vec<&str> = script.split(' ').collect();
        let between = |window: &[&str]| window[0] == "USER" && window[2] == "PASS" && window[1] != "REIN";
        labels.windows(3).any(between)
    };
    let probed = scripts.iter().filter(on_the_way).count();
    let straight = scripts.iter().filter(|script| script.contains("USER PASS")).count();
    assert!(probed > 20 && straight > 100, "{probed} of 300 sessions, {straight} without");
}

/// A server that answers one label only to those who wait.
struct LateTo<'a>(SilentTo<'a>, Answers<'a>);

impl SessionRunner for LateTo<'_> {
    fn run(&self, script: &[Message], pace: &Pace) -> Result<SessionRun, ServerError> {
        if pace.patience > 1 { self.1.run(script, pace) } else { self.0.run(script, pace) }
    }
}

#[test]
fn a_late_answer_is_counted_and_no_hang() {
    let (alphabet, guide) = (ftp(), Guide::Codes);
    let runner = LateTo(SilentTo("RMD", &alphabet), Answers(&[], &alphabet));
    let mut campaign = Campaign::new(&alphabet, &guide, &runner, rules(1));
    scripts(&mut campaign, 200);
    assert_eq!(campaign.findings(), []);
    assert_eq!(campaign.late().get("RMD"), Some(&2), "{:?}", campaign.late());
    let folder = tempfile::tempdir().unwrap();
    campaign::save(&campaign, folder.path(), "x", 0.0).unwrap();
    let mut again = Campaign::new(&alphabet, &guide, &runner, rules(1));
    campaign::load(&mut again, folder.path(), "x").unwrap();
    assert_eq!(again.late(), campaign.late());
}
