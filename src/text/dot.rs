//! Diagrams as Graphviz draws them.
//!
//! ```text
//!   digraph {
//!     { rank=same;
//!       n4 [label="x0"];                                a level: its nodes in one row,
//!     }
//!     n4 -> n3 [style=invis];                           which is above the next
//!     n4 -> n3 [style=dashed];                          the low arc
//!     n4 -> n1;                                         the high arc
//!     …
//!     { rank=sink; node [shape=box];
//!       n0 [label="0"];
//!       n1 [label="1"];
//!     }
//!   }
//! ```

use std::io::{BufWriter, Write};

use crate::{
    error::{Error, Result},
    file::{node_file::NodeFile, reader::LevelReader},
    model::{FALSE, TERMINALS, TRUE},
};

/// Writes the function of `file`, or its negation where `complement` says so.
pub fn write(
    file: &NodeFile,
    complement: bool,
    out: &mut (impl Write + ?Sized),
    mut name: impl FnMut(u32) -> String,
) -> Result<()> {
    let _span = tracing::debug_span!("dot").entered();
    let fail = |source| Error::Output { source };
    let mut out = BufWriter::new(out);
    let mut reader = LevelReader::in_order(file);
    writeln!(out, "digraph {{").map_err(fail)?;
    for rank in (1..file.levels().ranks()).rev() {
        let label = escaped(&name(file.variable(rank)));
        let ids = file.levels().range(rank);
        writeln!(out, "  {{ rank=same;").map_err(fail)?;
        for id in ids.clone() {
            writeln!(out, "    n{id} [label=\"{label}\"];").map_err(fail)?;
        }
        let [first, below] = [rank, rank - 1].map(|rank| file.levels().first(rank));
        writeln!(out, "  }}\n  n{first} -> n{below} [style=invis];").map_err(fail)?;
        reader.enter(rank);
        for id in ids {
            let [low, high]: [u64; 2] = reader.children(id)?;
            writeln!(out, "  n{id} -> n{low} [style=dashed];\n  n{id} -> n{high};").map_err(fail)?;
        }
    }
    writeln!(out, "  {{ rank=sink; node [shape=box];").map_err(fail)?;
    // A constant has one terminal, false in the file; every other function has both.
    let terminals = if file.node_count() == 0 { TRUE } else { TERMINALS };
    for id in FALSE..terminals {
        let value = u8::from((id == TRUE) != complement);
        writeln!(out, "    n{id} [label=\"{value}\"];").map_err(fail)?;
    }
    writeln!(out, "  }}\n}}").map_err(fail)?;
    out.flush().map_err(fail)
}

/// `name` between quotes such that Graphviz shows it letter by letter, but for the null character, which it does not take.
fn escaped(name: &str) -> String {
    name.replace('\\', r"\\").replace('"', "\\\"").replace('&', "&amp;").replace('\0', "␀")
}
