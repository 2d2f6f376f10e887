//! The grammar of DOT: what Graphviz's own parser takes, down to nodes and edges with the attributes we look
//! at.
//!
//! Subgraphs nest without recursion, because a file may nest a million braces, and the edges between two
//! groups of nodes are counted before they are made.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::error::FormatError;
use super::scan::{Comments, File, Remark, Scanner};

/// A parsed graph.
#[derive(Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Arrow>,
    pub(super) remarks: Vec<Remark<'a>>,
}

/// A node with its attributes, those set for all nodes included.
pub(super) struct Node {
    pub(super) id: Rc<str>,
    pub(super) attributes: Attributes,
}

/// An edge between nodes, by their indices.
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) attributes: Attributes,
    /// The offset of the statement in the file.
    pub(super) at: usize,
}

/// The attributes that say something about an automaton; all others are about its looks.
#[derive(Clone, Default)]
pub(super) struct Attributes {
    pub(super) label: Option<Text>,
    pub(super) shape: Option<Text>,
    pub(super) style: Option<Text>,
    pub(super) peripheries: Option<Text>,
    pub(super) event: Option<Text>,
    pub(super) guard: Option<Text>,
    pub(super) modality: Option<Text>,
}

impl Attributes {
    fn set(&mut self, key: &str, value: Text) {
        let place = match key {
            "label" => &mut self.label,
            "shape" => &mut self.shape,
            "style" => &mut self.style,
            "peripheries" => &mut self.peripheries,
            "event" => &mut self.event,
            "guard" => &mut self.guard,
            "modality" => &mut self.modality,
            _ => return,
        };
        *place = Some(value);
    }

    /// Returns whether the attribute's value is `wanted`, in any case.
    pub(super) fn is(value: &Option<Text>, wanted: &str) -> bool {
        value.as_ref().is_some_and(|value| value.raw.eq_ignore_ascii_case(wanted))
    }
}

/// An id or a value. `raw` still holds backslash sequences, which only mean something in labels.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) raw: Rc<str>,
    pub(super) html: bool,
}

/// Parses `file`.
pub(super) fn parse(file: File<'_>) -> Result<Graph<'_>, FormatError> {
    let comments = Comments { line: &["//", "#"], block: true, nested: false };
    let mut parser = Parser {
        scanner: Scanner::new(file, comments),
        graph: Graph::default(),
        index: FxHashMap::default(),
        frames: Vec::new(),
    };
    parser.graph()?;
    parser.graph.remarks = std::mem::take(&mut parser.scanner.remarks);
    Ok(parser.graph)
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    graph: Graph<'a>,
    index: FxHashMap<Rc<str>, usize>,
    /// The graph and the subgraphs that are open.
    frames: Vec<Frame>,
}

/// An open graph or subgraph.
#[derive(Clone, Default)]
struct Frame {
    nodes: Attributes,
    edges: Attributes,
    members: Vec<usize>,
    /// The statement that was under way in the frame around when this one was opened.
    outer: Statement,
}

/// A node or edge statement as far as it was read: the groups of nodes between its arrows.
#[derive(Clone, Default)]
struct Statement {
    at: usize,
    groups: Vec<Vec<usize>>,
    /// One of the groups is a subgraph, which has no attributes of its own.
    subgraph: bool,
}

impl<'a> Parser<'a> {
    fn graph(&mut self) -> Result<(), FormatError> {
        self.keyword("strict");
        if self.keyword("graph") {
            let at = self.scanner.at();
            let help = "write `digraph`, and `->` for its edges";
            return Err(self.scanner.file.error(
                at - 5..at,
                "the edges of this graph have no direction",
                help,
            ));
        }
        if !self.keyword("digraph") {
            return Err(self.scanner.unexpected("`digraph`"));
        }
        if !self.scanner.eat("{") {
            self.id("a name or `{`")?;
            self.scanner.expect("{", "after the graph's name")?;
        }
        self.frames.push(Frame::default());
        self.statements()?;
        self.scanner.expect_end("graph")
    }

    /// Reads statements until the graph's own brace is closed.
    fn statements(&mut self) -> Result<(), FormatError> {
        let mut statement = Statement::default();
        // An arrow was read, so a node or subgraph has to follow.
        let mut arrow = false;
        loop {
            self.scanner.skip();
            let at = self.scanner.at();
            if !arrow && self.scanner.eat("}") {
                let frame = self.frames.pop().expect("the graph's own frame ends the loop below");
                if self.frames.is_empty() {
                    return Ok(());
                }
                statement = frame.outer;
                statement.subgraph = true;
                statement.groups.push(frame.members);
            } else if !arrow && (self.scanner.eat(";") || self.scanner.eat(",")) {
                continue;
            } else if self.open_subgraph()? {
                let around = self.frames.last().expect("the graph's own frame is open");
                let mut frame =
                    Frame { nodes: around.nodes.clone(), edges: around.edges.clone(), ..Frame::default() };
                frame.outer = if arrow {
                    std::mem::take(&mut statement)
                } else {
                    Statement { at, ..Statement::default() }
                };
                self.frames.push(frame);
                (arrow, statement) = (false, Statement::default());
                continue;
            } else {
                if !arrow {
                    if self.defaults()? {
                        continue;
                    }
                    statement = Statement { at, ..Statement::default() };
                }
                let id = self.id(if arrow { "a node after `->`" } else { "a node, an edge or `}`" })?;
                if !arrow && self.scanner.eat("=") {
                    self.id("a value")?;
                    continue;
                }
                self.port()?;
                let node = self.node(id.raw);
                statement.groups.push(vec![node]);
            }
            arrow = self.scanner.eat("->");
            if !arrow {
                self.end(std::mem::take(&mut statement))?;
            }
        }
    }

    /// Reads the start of a subgraph, if one comes next.
    fn open_subgraph(&mut self) -> Result<bool, FormatError> {
        if self.scanner.eat("{") {
            return Ok(true);
        }
        if !self.keyword("subgraph") {
            return Ok(false);
        }
        if !self.scanner.eat("{") {
            self.id("a name or `{`")?;
            self.scanner.expect("{", "after the subgraph's name")?;
        }
        Ok(true)
    }

    /// Reads `node [..]`, `edge [..]` or `graph [..]`, if it comes next.
    fn defaults(&mut self) -> Result<bool, FormatError> {
        for (word, which) in [("node", 0), ("edge", 1), ("graph", 2)] {
            if self.keyword(word) {
                let mut attributes = Attributes::default();
                let frame = self.frames.last().expect("the graph's own frame is open");
                match which {
                    0 => attributes.clone_from(&frame.nodes),
                    1 => attributes.clone_from(&frame.edges),
                    _ => {}
                }
                self.attributes(&mut attributes)?;
                let frame = self.frames.last_mut().expect("the graph's own frame is open");
                match which {
                    0 => frame.nodes = attributes,
                    1 => frame.edges = attributes,
                    _ => {}
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends a statement: its attributes, then its edges.
    fn end(&mut self, statement: Statement) -> Result<(), FormatError> {
        let file = self.scanner.file;
        self.scanner.skip();
        if self.scanner.rest().starts_with("--") {
            let at = self.scanner.at();
            return Err(file.error(at..at + 2, "this edge has no direction", "write `->`"));
        }
        let edge = statement.groups.len() > 1;
        if !edge && !statement.subgraph {
            let node = statement.groups[0][0];
            let mut attributes = std::mem::take(&mut self.graph.nodes[node].attributes);
            self.attributes(&mut attributes)?;
            self.graph.nodes[node].attributes = attributes;
        } else if edge {
            let mut attributes = self.frames.last().expect("the graph's own frame is open").edges.clone();
            self.attributes(&mut attributes)?;
            for pair in statement.groups.windows(2) {
                let count = pair[0].len().saturating_mul(pair[1].len());
                if self.graph.edges.len().saturating_add(count) > file.most_edges() {
                    let help = "an edge between groups stands for one between each two of their nodes; use smaller groups";
                    let at = statement.at;
                    return Err(file.error(at..at + 1, "the groups make too many edges", help));
                }
                for &from in &pair[0] {
                    for &to in &pair[1] {
                        let attributes = attributes.clone();
                        self.graph.edges.push(Arrow { from, to, attributes, at: statement.at });
                    }
                }
            }
        }
        let members = &mut self.frames.last_mut().expect("the graph's own frame is open").members;
        for mut group in statement.groups {
            // The smaller list moves, so that deep nesting does not copy every node at every level.
            if members.len() < group.len() {
                std::mem::swap(members, &mut group);
            }
            members.extend(group);
        }
        Ok(())
    }

    /// The node called `id`, a new one when it was not seen before.
    fn node(&mut self, id: Rc<str>) -> usize {
        if let Some(&node) = self.index.get(&id) {
            return node;
        }
        let node = self.graph.nodes.len();
        let attributes = self.frames.last().expect("the graph's own frame is open").nodes.clone();
        self.index.insert(id.clone(), node);
        self.graph.nodes.push(Node { id, attributes });
        node
    }

    /// Reads `[key=value, …]`, any number of times.
    fn attributes(&mut self, attributes: &mut Attributes) -> Result<(), FormatError> {
        while self.scanner.eat("[") {
            while !self.scanner.eat("]") {
                let key = self.id("an attribute or `]`")?;
                if self.scanner.eat("=") {
                    let value = self.id("the attribute's value")?;
                    attributes.set(&key.raw, value);
                }
                while self.scanner.eat(",") || self.scanner.eat(";") {}
            }
        }
        Ok(())
    }

    /// Passes over a port, which says where on a node's border an edge ends.
    fn port(&mut self) -> Result<(), FormatError> {
        while self.scanner.eat(":") {
            self.id("a port")?;
        }
        Ok(())
    }

    /// Takes a keyword, which DOT reads in any case.
    fn keyword(&mut self, word: &str) -> bool {
        self.scanner.skip();
        let rest = self.scanner.rest();
        let found = rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && !rest[word.len()..].starts_with(is_bare);
        if found {
            self.scanner.advance(word.len());
        }
        found
    }

    /// Takes an id in any of its four forms: a word, a number, a quoted string, HTML.
    fn id(&mut self, wanted: &str) -> Result<Text, FormatError> {
        self.scanner.skip();
        let plain = |raw: &str| Ok(Text { raw: raw.into(), html: false });
        match self.scanner.peek() {
            Some('"') => self.quoted(),
            Some('<') => self.html(),
            Some('0'..='9' | '-' | '.') => {
                let rest = self.scanner.rest();
                let digits = rest.strip_prefix('-').unwrap_or(rest);
                let end = digits.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(digits.len());
                let number = &rest[..rest.len() - digits.len() + end];
                if !number.contains(|c: char| c.is_ascii_digit()) || number.matches('.').count() > 1 {
                    return Err(self.scanner.unexpected(wanted));
                }
                self.scanner.advance(number.len());
                plain(number)
            }
            Some(c) if is_bare(c) => plain(self.scanner.take_while(is_bare).unwrap_or_default().0),
            _ => Err(self.scanner.unexpected(wanted)),
        }
    }

    /// A quoted string; `"a" + "b"` is one string.
    fn quoted(&mut self) -> Result<Text, FormatError> {
        let mut raw = String::new();
        loop {
            let start = self.scanner.at();
            self.scanner.bump();
            loop {
                raw.push_str(self.scanner.take_while(|c| !matches!(c, '"' | '\\')).unwrap_or_default().0);
                let next = match self.scanner.bump() {
                    Some('"') => break,
                    Some(_) => self.scanner.bump(),
                    None => None,
                };
                match next {
                    Some('"') => raw.push('"'),
                    Some('\n') => {}
                    Some(c) => raw.extend(['\\', c]),
                    None => {
                        let help = "close it with `\"`; write a quote inside it as \\\"";
                        return Err(self.scanner.file.error(
                            start..start + 1,
                            "this string is never closed",
                            help,
                        ));
                    }
                }
            }
            if !self.scanner.eat("+") {
                return Ok(Text { raw: raw.into(), html: false });
            }
            self.scanner.skip();
            if self.scanner.peek() != Some('"') {
                return Err(self.scanner.unexpected("a quoted string after `+`"));
            }
        }
    }

    /// `<…>` with balanced angle brackets.
    fn html(&mut self) -> Result<Text, FormatError> {
        let rest = self.scanner.rest();
        let mut depth = 0usize;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                self.scanner.advance(at + 1);
                return Ok(Text { raw: rest[1..at].into(), html: true });
            }
        }
        let at = self.scanner.at();
        Err(self.scanner.file.error(
            at..at + 1,
            "this HTML string is never closed",
            "balance its `<` and `>`",
        ))
    }
}

/// Returns whether `c` can stand in an id without quotes. DOT takes every character beyond ASCII for a
/// letter.
fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()
}
