//! Diagrams for people to look at.

use std::io::Write;

use super::Bdd;
use crate::{error::Result, text::dot};

impl Bdd {
    /// Writes the diagram in Graphviz's language, each variable under the `name` given to it.
    ///
    /// A level is a row, the smallest variable on top. Low arcs are dashed, high arcs are solid, and the boxes are the values of
    /// this function, whether or not it shares its nodes with its negation; a constant is one box. The text is the same for the
    /// same function and names. A node takes two or three lines, so it is meant for diagrams that an eye can take in.
    ///
    /// Reads the nodes once, level by level; no sweep.
    ///
    /// # Errors
    /// [`Error::Output`](crate::Error::Output) where `out` fails, and those of the disk. What was written before remains.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(3)?.imp(&store.variable(5)?)?;
    /// let mut text = Vec::new();
    /// f.to_dot(&mut text, |variable| format!("x{variable}"))?;
    /// let text = String::from_utf8(text).expect("names and digits");
    /// assert!(text.starts_with("digraph {") && text.contains("[label=\"x5\"]"));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn to_dot(&self, out: &mut (impl Write + ?Sized), name: impl FnMut(u32) -> String) -> Result<()> {
        dot::write(&self.file, self.complement, out, name)
    }
}
