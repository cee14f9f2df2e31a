//! `substitute`: functions in place of all variables at once, by nested sweeps.
//!
//! The way up replaces a node of a variable by "if the variable's function, then high, else low", computed over the finished
//! part. Where the function is a variable above all of that part, the node stays one and takes that name.

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

/// A function for every variable of a diagram.
pub struct Substitute<'a> {
    /// In ascending order of variables.
    pub images: Vec<(u32, Image<'a>)>,
}

/// What takes the place of a variable.
pub struct Image<'a> {
    /// The function, but for its complement.
    pub file: &'a NodeFile,
    /// Whether the function is the negation of what the file holds.
    pub complement: bool,
}

impl Image<'_> {
    /// The variable that this function is, if it is one.
    pub fn variable(&self) -> Option<u32> {
        (self.file.node_count() == 1 && !self.complement).then(|| self.file.variable(1))
    }
}

impl Substitute<'_> {
    fn image(&self, variable: u32) -> &Image<'_> {
        let at = self.images.binary_search_by_key(&variable, |image| image.0);
        &self.images[at.expect("every variable of the diagram has an image")].1
    }
}

impl Covers for Substitute<'_> {
    fn covers(&self, variable: u32, top: Option<u32>) -> bool {
        self.image(variable).variable().is_none_or(|name| top.is_some_and(|top| top <= name))
    }

    fn name(&self, variable: u32) -> u32 {
        self.image(variable).variable().expect("what is not covered has a name")
    }

    fn settle(&self, _: u64, _: u64) -> Option<u64> {
        None
    }
}

impl Nest for Substitute<'_> {
    fn files(&self) -> Vec<&NodeFile> {
        self.images.iter().map(|(_, image)| image.file).collect()
    }

    fn resume<I: Lane>(&self, variable: u32, pause: Pause<I>, run: &mut Run<'_>) -> Result<Unreduced<I>> {
        let image = self.image(variable);
        let spec = Ite { complement: [image.complement, false, false], result: false };
        let [root, truth, falsity] = [image.file.root(), if image.complement { FALSE } else { TRUE }, FALSE].map(I::of);
        let space = run.space;
        let Pause { above, forest, mut pairs, mut singles } = pause;
        let ask_all = |ask: &mut dyn FnMut(Request<I>) -> Result<()>| {
            pairs.drain(space, |block| block.iter().try_for_each(|&[low, high, slot]| ask([root, high, low, slot])))?;
            singles.drain(space, |block| block.iter().try_for_each(|&[id, slot]| ask([truth, id, falsity, slot])))
        };
        expand(&spec, &[image.file, &forest, &forest], above, Until::DONE, ask_all, run)
    }
}
