//! Driving the built `adit` as a user would: how each benchmark class is named, found and supplied, and what
//! came out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use adit_automata::{Fsa, format};
use adit_logic::{Property, Template};
use miette::{IntoDiagnostic, Result, WrapErr, bail, miette};
use serde::Deserialize;
use serde_json::Value;

use super::rules::MinedProperties;

/// Flags and names of a class for `adit mine`. None of this is in the program itself.
pub(crate) struct Driven {
    /// Name in the data files.
    pub(crate) file: &'static str,
    /// Name in Java.
    pub(super) class: &'static str,
    /// The methods that its truth speaks of; empty means all.
    only: &'static [&'static str],
    /// Other flags.
    flags: &'static [&'static str],
    /// A file below `subjects/fixtures`.
    fixtures: Option<&'static str>,
    /// A file below `subjects` that holds the class.
    source: Option<&'static str>,
    /// Methods that supply a new object, where the truth has a constructor.
    renamed: &'static [(&'static str, &'static str)],
}

/// The papers label calls by name alone.
pub(super) const MERGED: [&str; 2] = ["--labels", "name"];

const PLAIN: Driven =
    Driven { file: "", class: "", only: &[], flags: &[], fixtures: None, source: None, renamed: &[] };

/// All eleven, in the order of the papers' tables.
pub(crate) const DRIVEN: &[Driven] = &[
    Driven {
        file: "arraylist",
        class: "java.util.ArrayList",
        only: &[
            "add",
            "addAll",
            "clear",
            "get",
            "indexOf",
            "isEmpty",
            "iterator",
            "listIterator",
            "remove",
            "set",
            "size",
            "toArray",
        ],
        ..PLAIN
    },
    Driven {
        file: "hashmap",
        class: "java.util.HashMap",
        only: &["put", "get", "containsKey", "size", "values", "putAll", "entrySet", "remove(Object)"],
        ..PLAIN
    },
    Driven {
        file: "hashset",
        class: "java.util.HashSet",
        only: &["add", "remove", "contains", "isEmpty", "size", "iterator"],
        ..PLAIN
    },
    Driven {
        file: "hashtable",
        class: "java.util.Hashtable",
        only: &["put", "get", "remove(Object)", "isEmpty", "clone", "hashCode"],
        flags: &["--object-methods"],
        ..PLAIN
    },
    Driven {
        file: "linkedlist",
        class: "java.util.LinkedList",
        only: &["remove", "add", "addLast", "size", "toArray", "listIterator"],
        ..PLAIN
    },
    Driven {
        file: "numberformatstringtokenizer",
        class: "org.apache.xalan.templates.ElemNumber$NumberFormatStringTokenizer",
        only: &["nextToken", "hasMoreTokens", "isLetterOrDigitAhead", "nextIsSep"],
        // Where Debian's libxalan2-java puts it.
        flags: &["--non-public", "-c", "/usr/share/java/xalan2.jar"],
        ..PLAIN
    },
    Driven {
        file: "signature",
        class: "java.security.Signature",
        only: &["initVerify", "update", "verify"],
        fixtures: Some("SignatureFixtures.java"),
        renamed: &[("signature", "Signature"), ("getInstance", "Signature")],
        ..PLAIN
    },
    Driven {
        file: "socket",
        class: "java.net.Socket",
        only: &[
            "getRemoteSocketAddress",
            "setSoTimeout",
            "getInputStream",
            "setSendBufferSize",
            "setReceiveBufferSize",
            "connect",
            "isBound",
            "isConnected",
            "setKeepAlive",
            "getReceiveBufferSize",
            "getPort",
            "setTcpNoDelay",
            "isClosed",
            "getSendBufferSize",
            "getOutputStream",
            "close",
        ],
        fixtures: Some("SocketFixtures.java"),
        renamed: &[("connected", "Socket")],
        ..PLAIN
    },
    Driven { file: "stackar", class: "StackAr", source: Some("StackAr.java"), ..PLAIN },
    Driven {
        file: "stringtokenizer",
        class: "java.util.StringTokenizer",
        only: &["nextToken()", "hasMoreTokens"],
        ..PLAIN
    },
    Driven {
        file: "zipoutputstream",
        class: "java.util.zip.ZipOutputStream",
        only: &["putNextEntry", "closeEntry", "write", "close"],
        ..PLAIN
    },
];

/// The program, and where it finds and leaves things.
pub(crate) struct Adit {
    pub(crate) program: PathBuf,
    /// The folder with our Java sources.
    pub(crate) subjects: PathBuf,
    /// A folder of our own.
    pub(crate) work: PathBuf,
    pub(crate) budget: String,
}

/// Results of `adit mine`.
pub(crate) struct Mined {
    pub(crate) said: Said,
    /// With constructors named as in the truth.
    pub(crate) model: Fsa<String>,
    pub(super) properties: MinedProperties,
    /// Path of the model.
    path: PathBuf,
}

/// The summary of `adit mine --json`, as far as it is told on.
#[derive(Clone, Deserialize)]
pub(crate) struct Said {
    pub(crate) tests: u64,
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    pub(crate) seconds: f64,
    pub(crate) stop: Value,
    pub(crate) properties: Properties,
}

/// Number of mined properties, and of the refuted ones.
#[derive(Clone, Deserialize)]
pub(crate) struct Properties {
    pub(crate) mined: u64,
    pub(crate) refuted: u64,
}

impl Driven {
    /// A model with constructors named as in the truth.
    pub(super) fn renamed(&self, model: &Fsa<String>) -> Fsa<String> {
        model.map(|label| {
            let new = self.renamed.iter().find(|(old, _)| old == label);
            new.map_or_else(|| label.clone(), |(_, new)| (*new).to_owned())
        })
    }
}

impl Mined {
    /// The file of the model.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Everything that `adit mine` wrote; gone with the next class.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().expect("the model lies in a folder")
    }
}

impl Adit {
    /// Returns true if the program has this command.
    pub(crate) fn has(&self, command: &str) -> bool {
        Command::new(&self.program)
            .args([command, "--help"])
            .output()
            .is_ok_and(|output| output.status.success())
    }

    /// Mines a model of the class.
    pub(crate) fn mine(&self, driven: &Driven, setting: &[&str], seed: u64) -> Result<Mined> {
        let folder = self.work.join("mined");
        if folder.exists() {
            fs::remove_dir_all(&folder).into_diagnostic()?;
        }
        let mut command = Command::new(&self.program);
        command.args(["mine", driven.class]).args(MERGED).args(setting).args(["--seed", &seed.to_string()]);
        command.args(["--budget", &self.budget, "--json", "-o"]).arg(&folder);
        let said = answer(command.args(self.flags(driven)?))?;
        let said =
            serde_json::from_value(said).into_diagnostic().wrap_err("not the summary of `adit mine`")?;
        let path = folder.join("model.json");
        let text =
            fs::read(&path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))?;
        let model = format::read(&text, "model.json", None)?;
        let model = driven.renamed(&model);
        let properties = mined_properties(&folder.join("properties.json"))?;
        Ok(Mined { said, model, properties, path })
    }

    /// Returns the share of the model's walks that can really happen, and the share of real runs that the
    /// model allows.
    pub(crate) fn validate(&self, driven: &Driven, mined: &Mined, seed: u64) -> Result<[f64; 2]> {
        self.validate_path(driven, &mined.path, &[], seed)
    }

    /// The same for a model in a file, with more flags.
    pub(super) fn validate_path(
        &self,
        driven: &Driven,
        model: &Path,
        flags: &[&str],
        seed: u64,
    ) -> Result<[f64; 2]> {
        let mut command = Command::new(&self.program);
        command.arg("validate").arg(model).args(flags).args(MERGED).args([
            driven.class,
            "--json",
            "--seed",
            &seed.to_string(),
        ]);
        let said = answer(command.args(["--budget", &self.budget]).args(self.flags(driven)?))?;
        let share =
            |name: &str| said[name].as_f64().ok_or_else(|| miette!("`adit validate` says nothing of {name}"));
        Ok([share("precision")?, share("recall")?])
    }

    pub(super) fn flags(&self, driven: &Driven) -> Result<Vec<String>> {
        let mut flags: Vec<String> = driven.flags.iter().map(|&flag| flag.to_owned()).collect();
        if !driven.only.is_empty() {
            flags.extend(["--only".to_owned(), driven.only.join(",")]);
        }
        if let Some(file) = driven.fixtures {
            let path = self.subjects.join("fixtures").join(file);
            flags.extend(["--fixtures".to_owned(), path.display().to_string()]);
        }
        if let Some(file) = driven.source {
            flags.extend(["-c".to_owned(), self.compiled(&self.subjects.join(file))?.display().to_string()]);
        }
        Ok(flags)
    }

    /// A folder with the compiled classes of a source.
    fn compiled(&self, source: &Path) -> Result<PathBuf> {
        let folder = self.work.join("classes");
        if !folder.exists() {
            let home = std::env::var_os("JAVA_HOME");
            let compiler = home.map_or_else(|| "javac".into(), |home| Path::new(&home).join("bin/javac"));
            let output = Command::new(&compiler)
                .arg("-d")
                .arg(&folder)
                .arg(source)
                .output()
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot run {}; a JDK is needed", compiler.display()))?;
            if !output.status.success() {
                bail!("{} does not compile: {}", source.display(), String::from_utf8_lossy(&output.stderr));
            }
        }
        Ok(folder)
    }
}

/// Reads `properties.json`.
fn mined_properties(path: &Path) -> Result<MinedProperties> {
    let text =
        fs::read(path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))?;
    let said: Value = serde_json::from_slice(&text).into_diagnostic()?;
    let mut mined = MinedProperties::default();
    mined.pure.extend(texts(&said["pure"]));
    for one in said["properties"].as_array().into_iter().flatten() {
        let text = |name: &str| one[name].as_str().map(str::to_owned);
        let template = text("template").as_deref().and_then(Template::from_short);
        let (Some(template), Some(a), Some(b)) = (template, text("a"), text("b")) else {
            bail!("{} has a property without a template or an event: {one}", path.display());
        };
        if one["fate"] != "refuted" {
            mined.standing.insert(Property { template, a, b });
        }
    }
    Ok(mined)
}

fn texts(list: &Value) -> impl Iterator<Item = String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned))
}

/// Runs a command of which only its files are wanted. A finding (exit 1) is no failure.
pub(super) fn is_done(command: &mut Command) -> Result<()> {
    let Output { status, stderr, .. } =
        command.output().into_diagnostic().wrap_err_with(|| format!("cannot run {command:?}"))?;
    if !matches!(status.code(), Some(0 | 1)) {
        bail!("{command:?} ended with {status}: {}", String::from_utf8_lossy(&stderr).trim());
    }
    Ok(())
}

/// Returns the JSON that the program prints. A finding (exit 1) is an answer too.
pub(crate) fn answer(command: &mut Command) -> Result<Value> {
    let Output { status, stdout, stderr } =
        command.output().into_diagnostic().wrap_err_with(|| format!("cannot run {command:?}"))?;
    if !matches!(status.code(), Some(0 | 1)) {
        bail!("{command:?} ended with {status}: {}", String::from_utf8_lossy(&stderr).trim());
    }
    serde_json::from_slice(&stdout)
        .into_diagnostic()
        .wrap_err_with(|| format!("{command:?} printed no JSON: {}", String::from_utf8_lossy(&stderr).trim()))
}
