//! Drawings for Graphviz, read back by a small parser.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    iter::Peekable,
    str::Chars,
};

use common::{
    default_store,
    disk::Disk,
    functions::{bits, of_table, random_function},
    limits, store_on, store_with,
};
use strata_bdd::{Bdd, Error, LARGEST_VARIABLE, Result};

/// A token of Graphviz's language.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Sign(char),
    Arrow,
    Quoted(String),
}

fn token(chars: &mut Peekable<Chars<'_>>) -> Option<Token> {
    while chars.next_if(|c| c.is_whitespace()).is_some() {}
    Some(match chars.next()? {
        '-' => {
            assert_eq!(chars.next(), Some('>'));
            Token::Arrow
        }
        '"' => {
            let mut text = String::new();
            loop {
                match chars.next().expect("the string ends") {
                    '"' => break Token::Quoted(text),
                    '\\' => match chars.next() {
                        Some(plain @ ('"' | '\\')) => text.push(plain),
                        other => panic!("\\{other:?} would not be shown as it is"),
                    },
                    '&' => {
                        let entity: String = chars.by_ref().take_while(|&letter| letter != ';').collect();
                        assert_eq!(entity, "amp", "&{entity}; would not be shown as it is");
                        text.push('&');
                    }
                    plain => text.push(plain),
                }
            }
        }
        sign if "{}[]=;".contains(sign) => Token::Sign(sign),
        first => {
            let mut word = String::from(first);
            while let Some(letter) = chars.next_if(|c| c.is_alphanumeric()) {
                word.push(letter);
            }
            Token::Word(word)
        }
    })
}

/// A drawing that was read back.
#[derive(Debug, Default)]
struct Drawing {
    /// The label of each node.
    labels: BTreeMap<String, String>,
    low: BTreeMap<String, String>,
    high: BTreeMap<String, String>,
    /// The nodes of each row, from the top. The last row has the terminals.
    rows: Vec<Vec<String>>,
    /// Invisible arcs, which keep the rows apart.
    unseen: Vec<(String, String)>,
}

impl Drawing {
    fn parse(text: &str) -> Self {
        let mut chars = text.chars().peekable();
        let tokens: Vec<Token> = std::iter::from_fn(|| token(&mut chars)).collect();
        let [Token::Word(graph), Token::Sign('{'), inner @ .., Token::Sign('}')] = &tokens[..] else {
            panic!("{text}")
        };
        assert_eq!(graph, "digraph");
        let mut drawing = Self::default();
        let mut rest = inner;
        let mut in_row = false;
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            match first {
                Token::Sign('{') => {
                    in_row = true;
                    drawing.rows.push(Vec::new());
                }
                Token::Sign('}') => in_row = false,
                Token::Word(word) => {
                    let end = rest.iter().position(|token| token == &Token::Sign(';')).unwrap();
                    drawing.statement(word, &rest[..end], in_row);
                    rest = &rest[end + 1..];
                }
                other => panic!("{other:?} in {text}"),
            }
        }
        drawing
    }

    fn statement(&mut self, word: &str, rest: &[Token], in_row: bool) {
        use Token::{Arrow, Quoted, Sign, Word};
        let own = |text: &String| text.clone();
        match (word, rest) {
            ("rank", [Sign('='), Word(how)]) => assert!(in_row && ["same", "sink"].contains(&how.as_str())),
            ("node", [Sign('['), Word(key), Sign('='), Word(shape), Sign(']')]) => {
                assert_eq!((key.as_str(), shape.as_str(), in_row), ("shape", "box", true));
            }
            (node, [Sign('['), Word(key), Sign('='), Quoted(label), Sign(']')]) => {
                assert!(key == "label" && in_row);
                assert!(self.labels.insert(node.into(), own(label)).is_none(), "{node} is drawn twice");
                self.rows.last_mut().unwrap().push(node.into());
            }
            (node, [Arrow, Word(to)]) => {
                assert!(!in_row && self.high.insert(node.into(), own(to)).is_none());
            }
            (node, [Arrow, Word(to), Sign('['), Word(key), Sign('='), Word(style), Sign(']')]) => {
                assert!(key == "style" && !in_row);
                match style.as_str() {
                    "dashed" => assert!(self.low.insert(node.into(), own(to)).is_none()),
                    "invis" => self.unseen.push((node.into(), own(to))),
                    other => panic!("{other}"),
                }
            }
            other => panic!("{other:?}"),
        }
    }

    /// The node to which no arc leads.
    fn root(&self) -> &str {
        let led_to: BTreeSet<&String> = self.low.values().chain(self.high.values()).collect();
        let mut roots = self.labels.keys().filter(|node| !led_to.contains(node));
        let root = roots.next().unwrap();
        assert!(roots.next().is_none(), "one root");
        root
    }

    /// The value of the function where the variable with a label has the value that `assignment` gives that label.
    fn eval(&self, assignment: impl Fn(&str) -> bool) -> bool {
        let mut node = self.root();
        while let Some(high) = self.high.get(node) {
            node = if assignment(&self.labels[node]) { high } else { &self.low[node] };
        }
        match self.labels[node].as_str() {
            "0" => false,
            "1" => true,
            other => panic!("{other} is no value"),
        }
    }

    /// Checks that the rows are the levels of `f` in order and are kept apart, that every node is labelled with the
    /// `name` of its variable, and that all arcs lead down.
    fn check(&self, f: &Bdd, name: impl Fn(u32) -> String) {
        let (boxes, levels) = self.rows.split_last().unwrap();
        assert_eq!(levels.len(), f.support().len());
        for (row, variable) in levels.iter().zip(f.support()) {
            assert!(!row.is_empty() && row.iter().all(|node| self.labels[node] == name(variable)));
        }
        assert_eq!(boxes.len(), if f.is_constant() { 1 } else { 2 });
        assert_eq!(levels.iter().map(Vec::len).sum::<usize>() as u64, f.node_count());
        assert_eq!(self.low.len() as u64, f.node_count());
        let row_of = |node: &String| self.rows.iter().position(|row| row.contains(node)).unwrap();
        assert!(self.low.keys().eq(self.high.keys()));
        assert!(self.low.iter().chain(&self.high).all(|(from, to)| row_of(from) < row_of(to)));
        let kept_apart = self.unseen.iter().map(|(from, to)| (row_of(from), row_of(to)));
        assert!(kept_apart.eq((0..levels.len()).map(|row| (row, row + 1))));
    }
}

fn text_of(f: &Bdd, name: impl Fn(u32) -> String) -> String {
    let mut text = Vec::new();
    f.to_dot(&mut text, name).unwrap();
    String::from_utf8(text).unwrap()
}

fn plain(variable: u32) -> String {
    format!("x{variable}")
}

#[test]
fn the_drawing_of_every_function_of_three_variables_has_its_truth_table() -> Result<()> {
    let store = default_store();
    for variables in [[0, 1, 2], [3, 4000, LARGEST_VARIABLE]] {
        for number in 0..=u8::MAX {
            let table = bits(number.into(), 3);
            let f = of_table(&store, &table, &variables)?;
            for (f, negated) in [(&f, false), (&!&f, true)] {
                let drawing = Drawing::parse(&text_of(f, plain));
                drawing.check(f, plain);
                for (at, &value) in table.iter().enumerate() {
                    let point = |label: &str| {
                        let level = variables.iter().position(|&variable| plain(variable) == label).unwrap();
                        at >> (2 - level) & 1 == 1
                    };
                    assert_eq!(drawing.eval(point), value != negated, "{number:08b} at {at}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn an_implication_is_drawn_as_exactly_this_text() -> Result<()> {
    let store = default_store();
    let f = store.variable(3)?.imp(&store.variable(5)?)?;
    let expected = r#"digraph {
  { rank=same;
    n3 [label="x3"];
  }
  n3 -> n2 [style=invis];
  n3 -> n0 [style=dashed];
  n3 -> n2;
  { rank=same;
    n2 [label="x5"];
  }
  n2 -> n0 [style=invis];
  n2 -> n1 [style=dashed];
  n2 -> n0;
  { rank=sink; node [shape=box];
    n0 [label="1"];
    n1 [label="0"];
  }
}
"#;
    assert_eq!(text_of(&f, plain), expected);
    Ok(())
}

#[test]
fn names_with_quotes_and_backslashes_are_shown_as_they_are() -> Result<()> {
    let store = default_store();
    let f = store.variable(0)?.xor(&store.variable(7)?)?;
    for odd in ["\"", "\\", "\\\"", "\\n\\N\\", "a \"b\" {c}; [d] -> e", "&#65;&lt;&amp;&", "ü", ""] {
        let name = |variable: u32| format!("{odd}{variable}{odd}");
        Drawing::parse(&text_of(&f, name)).check(&f, name);
    }
    assert!(!text_of(&f, |variable| format!("\0{variable}")).contains('\0'), "Graphviz takes no null character");
    Ok(())
}

#[test]
fn a_drawing_is_the_same_for_nodes_in_memory_and_on_disk() {
    let expected = text_of(&random_function(&default_store(), 3, 10), plain);
    for (diagrams, narrow_ids, block) in [(0, 1 << 30, 256), (0, 4, 256), (1 << 20, 4, 8192), (0, 4, 8192)] {
        let store = store_with(limits(|limits| {
            (limits.diagrams, limits.narrow_ids, limits.block) = (diagrams, narrow_ids, block);
        }));
        let f = random_function(&store, 3, 10);
        assert_eq!(f.disk_bytes() > 0, diagrams == 0);
        assert!(text_of(&f, plain) == expected);
    }
}

/// An output that takes `room` bytes and then fails.
struct Short {
    room: usize,
}

impl io::Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.room {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "a short output"));
        }
        self.room -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_fails_is_reported() {
    let f = random_function(&default_store(), 3, 10);
    let length = text_of(&f, plain).len();
    assert!(f.to_dot(&mut Short { room: length }, plain).is_ok());
    for room in [0, 1, 10_000, length / 2, length - 1] {
        let error = f.to_dot(&mut Short { room }, plain).unwrap_err();
        assert!(matches!(&error, Error::Output { source } if source.kind() == io::ErrorKind::StorageFull), "{error:?}");
        assert!(error.to_string().contains("a short output"));
    }
    // A trait object is accepted as an output.
    let some: &mut dyn io::Write = &mut io::sink();
    assert!(f.to_dot(some, plain).is_ok());
}

#[test]
fn a_disk_that_fails_is_reported() {
    let disk = Disk::new();
    let forced = limits(|limits| (limits.diagrams, limits.block) = (0, 256));
    let store = store_on(&disk, forced, 1);
    let f = random_function(&store, 3, 10);
    let before = disk.calls("read");
    let expected = text_of(&f, plain);
    let calls = disk.calls("read") - before;
    assert!(calls > 1);
    for k in 1..=calls {
        disk.fail("read", k);
        let error = f.to_dot(&mut io::sink(), plain).unwrap_err();
        assert!(disk.heal());
        assert!(matches!(error, Error::Io { action: "read", .. }), "{error:?}");
    }
    assert_eq!(text_of(&f, plain), expected);
}
