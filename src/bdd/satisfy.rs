//! Walks along one path: the value at a point.

use super::Bdd;
use crate::{
    error::Result,
    model::{TERMINALS, TRUE},
};

impl Bdd {
    /// The value where every variable has the value that `assignment` gives it.
    ///
    /// Reads one node a level; no sweep.
    ///
    /// # Errors
    /// Those of the disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(3)?.imp(&store.variable(5)?)?;
    /// assert!(f.eval(|variable| variable == 5)?);
    /// assert!(!f.eval(|variable| variable == 3)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn eval(&self, assignment: impl Fn(u32) -> bool) -> Result<bool> {
        let space = self.store.space();
        let mut id = self.file.root();
        while id >= TERMINALS {
            let [low, high] = self.file.children(id, &space)?;
            id = if assignment(self.file.variable(self.file.levels().rank_of(id))) { high } else { low };
        }
        Ok((id == TRUE) != self.complement)
    }
}
