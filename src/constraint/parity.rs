//! Parities: two nodes a variable.

use super::WHAT;
use crate::{bdd::Bdd, builder::BuilderNode, error::Result, model::check_variable, store::Store};

impl Store {
    /// The function that is true where an odd number of `variables` is: their exclusive or. Negated, an even number.
    ///
    /// In any order; a variable given twice cancels out, and the parity of no variables is false. n different variables take
    /// 2n − 1 nodes, added level by level, and one sweep down and up; while they are read, up to 12 bytes of memory each.
    ///
    /// # Errors
    /// [`Error::VariableOutOfRange`](crate::Error::VariableOutOfRange) beyond 2^24 − 1,
    /// [`Error::BudgetExceeded`](crate::Error::BudgetExceeded) for more variables than the budget has room for, and those of
    /// the disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(store.parity([1, 0])?, x.xor(&y)?);
    /// assert_eq!(store.parity([0, 1, 0])?, y);
    /// assert_eq!(store.parity(0..1000)?.node_count(), 1999);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn parity(&self, variables: impl IntoIterator<Item = u32>) -> Result<Bdd> {
        let variables = variables.into_iter().map(|variable| check_variable(variable).map(|()| variable));
        let mut charge = self.space().pool.account(WHAT);
        let mut variables = charge.collect(variables)?;
        variables.sort_unstable();
        let mut left = variables.chunk_by(PartialEq::eq).filter(|same| same.len() % 2 == 1).map(|same| same[0]);
        let Some(first) = left.next() else { return Ok(self.constant(false)) };
        let mut builder = self.builder()?;
        // Of the variables below.
        let [mut even, mut odd] = [BuilderNode::from(false), true.into()];
        while let Some(variable) = left.next_back() {
            [even, odd] = [builder.add_node(variable, even, odd)?, builder.add_node(variable, odd, even)?];
        }
        builder.add_node(first, even, odd)?;
        builder.build()
    }
}
