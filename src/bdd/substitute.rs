//! Functions in the place of all variables, by nested sweeps.

use std::collections::BTreeMap;

use super::Bdd;
use crate::{
    error::Result,
    sweep::{
        build::build_nested,
        copy::Copy,
        ops::substitute::{Image, Substitute},
    },
};

impl Bdd {
    /// The variable that this function is, if it is one.
    pub(super) fn variable(&self) -> Option<u32> {
        self.as_image().variable()
    }

    /// The variable that this function or its negation is, if one of them is.
    pub(super) fn literal_of(&self) -> Option<u32> {
        Image { complement: false, ..self.as_image() }.variable()
    }

    /// This function in the place of a variable.
    fn as_image(&self) -> Image<'_> {
        Image { file: &self.file, complement: self.complement }
    }

    /// This function with `images` in place of all its variables at once.
    pub(super) fn substitute(&self, images: &BTreeMap<u32, Self>) -> Result<Self> {
        let _charge = self.charge_lists(images.len(), "a function for each variable")?;
        let result = self.eval(|variable| images[&variable].complement)?;
        let nest =
            Substitute { images: images.iter().map(|(&variable, image)| (variable, image.as_image())).collect() };
        let copy = Copy { complement: self.complement != result, as_is: false };
        let functions: Vec<_> = images.values().collect();
        self.made("substitute", &functions, result, |run| build_nested(&copy, &nest, &[&self.file], run))
    }
}
