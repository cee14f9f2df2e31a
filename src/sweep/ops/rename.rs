//! `rename`: new names for all variables at once, in any order, by nested sweeps.
//!
//! On the way up, a node whose new variable comes to lie below one of the finished part is replaced by "if the variable, then high,
//! else low", computed over that part. Where the new variable lies above all of that part, the node stays and takes the new name.

use super::ite::{Ite, Request};
use crate::{
    disk::lane::Lane,
    error::Result,
    file::{node_file::NodeFile, unreduced::Unreduced},
    model::{FALSE, TRUE},
    sweep::{
        down::{expand::expand, ground::Until},
        nest::Nest,
        run::Run,
        up::pause::{Covers, Pause},
    },
};

/// A name for every variable of a diagram.
pub struct Rename {
    /// By ascending variable, each with the diagram of the variable that it becomes.
    pub names: Vec<(u32, NodeFile)>,
}

impl Rename {
    fn of(&self, variable: u32) -> &NodeFile {
        let at = self.names.binary_search_by_key(&variable, |name| name.0);
        &self.names[at.expect("every variable of the diagram has a name")].1
    }
}

impl Covers for Rename {
    fn covers(&self, variable: u32, top: Option<u32>) -> bool {
        top.is_some_and(|top| top <= self.name(variable))
    }

    fn name(&self, variable: u32) -> u32 {
        self.of(variable).variable(1)
    }

    fn settle(&self, _: u64, _: u64) -> Option<u64> {
        None
    }
}

impl Nest for Rename {
    fn resume<I: Lane>(&self, variable: u32, pause: Pause<I>, run: &mut Run<'_>) -> Result<Unreduced<I>> {
        let (space, file) = (run.space, self.of(variable));
        let spec = Ite { complement: [false; 3], result: false };
        let [root, truth, falsity] = [file.root(), TRUE, FALSE].map(I::of);
        let Pause { above, forest, mut pairs, mut singles } = pause;
        let ask_all = |ask: &mut dyn FnMut(Request<I>) -> Result<()>| {
            pairs.drain_each(space, |[low, high, slot]| ask([root, high, low, slot]))?;
            singles.drain_each(space, |[id, slot]| ask([truth, id, falsity, slot]))
        };
        expand(&spec, &[file, &forest, &forest], above, Until::DONE, ask_all, run)
    }
}
