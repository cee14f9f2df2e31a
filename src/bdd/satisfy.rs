//! Walks along paths: the value at a point, and the points where the function is true.

use super::{
    Bdd,
    cubes::{Cubes, HighFirst},
    domain::in_order,
};
use crate::{
    error::Result,
    file::walk::Walk,
    model::{Cube, TERMINALS, TRUE},
    sweep::{essential::essential, run::Run},
};

/// Low before high: the order of bits in a word.
const LOW_FIRST: HighFirst = |_| false;
const HIGH_FIRST: HighFirst = |_| true;
/// Invariant 2: the smaller id lies as deep or deeper.
const DEEP_FIRST: HighFirst = |[low, high]| high < low;

impl Bdd {
    /// The value where every variable has the value that `assignment` gives it.
    ///
    /// Reads one node a level, and where the diagram is on disk the block around it; no sweep.
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
    /// // At an assignment, or a cube whose other variables are false.
    /// let solution = f.sat_max([3, 5])?.expect("it is not false");
    /// assert!(f.eval(|variable| solution.binary_search(&(variable, true)).is_ok())?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn eval(&self, mut assignment: impl FnMut(u32) -> bool) -> Result<bool> {
        let (mut id, mut walk) = (self.file.root(), Walk::of(&self.file));
        while id >= TERMINALS {
            let [low, high] = walk.children(id)?;
            id = if assignment(self.file.variable_of(id)) { high } else { low };
        }
        Ok((id == TRUE) != self.complement)
    }

    /// The lexicographically smallest assignment to the variables of `domain` for which the function is true; `None` for the
    /// constant false.
    ///
    /// The first variable counts most, and false comes before true: so a variable that does not matter is false. Reads one
    /// node a level; no sweep. [`Store::cube`](crate::Store::cube) makes a diagram of it.
    ///
    /// # Errors
    /// Those of [`Bdd::assignments`], and of the disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(1)?.or(&store.variable(2)?)?;
    /// let smallest = f.sat_min(0..4)?.expect("f is not false");
    /// assert_eq!(smallest, [(0, false), (1, false), (2, true), (3, false)]);
    /// let diagram = store.cube(smallest)?;
    /// assert_eq!(diagram.sat_count(4)?, 1u8.into());
    /// assert_eq!(diagram.diff(&f)?.as_constant(), Some(false));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sat_min(&self, domain: impl IntoIterator<Item = u32>) -> Result<Option<Cube>> {
        self.assignments_by(domain, LOW_FIRST)?.next().transpose()
    }

    /// The lexicographically largest assignment to the variables of `domain` for which the function is true; `None` for the
    /// constant false.
    ///
    /// Like [`Bdd::sat_min`], but a variable that does not matter is true.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(1)?.nand(&store.variable(2)?)?;
    /// assert_eq!(f.sat_max(1..4)?, Some(vec![(1, true), (2, false), (3, true)]));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn sat_max(&self, domain: impl IntoIterator<Item = u32>) -> Result<Option<Cube>> {
        self.assignments_by(domain, HIGH_FIRST)?.next().transpose()
    }

    /// The first of [`Bdd::cubes`]: [`Bdd::sat_min`] without the variables that its path does not test. `None` for the
    /// constant false.
    ///
    /// Reads one node a level, and where the diagram is on disk the block around it; no sweep.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn cube_min(&self) -> Result<Option<Cube>> {
        Cubes::new(self, None, LOW_FIRST).next().transpose()
    }

    /// The last of [`Bdd::cubes`]: [`Bdd::sat_max`] without the variables that its path does not test. `None` for the
    /// constant false.
    ///
    /// Like [`Bdd::cube_min`].
    pub fn cube_max(&self) -> Result<Option<Cube>> {
        Cubes::new(self, None, HIGH_FIRST).next().transpose()
    }

    /// Some cube where the function is true, with few literals; `None` for the constant false.
    ///
    /// At every node it takes the arc that skips more levels, so it reads the fewest nodes of all these walks, as a rule. It
    /// is the same cube for the same function under every budget, in every store and in every run of this version.
    ///
    /// # Errors
    /// Those of the disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let [x, y, z] = [store.variable(0)?, store.variable(1)?, store.variable(2)?];
    /// let f = x.or(&y.and(&z)?)?;
    /// assert_eq!(f.cube_min()?, Some(vec![(0, false), (1, true), (2, true)]));
    /// assert_eq!(f.pick()?, Some(vec![(0, true)]));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn pick(&self) -> Result<Option<Cube>> {
        Cubes::new(self, None, DEEP_FIRST).next().transpose()
    }

    /// The literals that every solution has, the smallest variable first; `None` for the constant false. They are the backbone of a
    /// formula, and the core and dead features of a configuration.
    ///
    /// One pass over the nodes, from the root down, which ends where a path leads to true; no sweep of its own for each variable, as
    /// [`implies`](Self::implies) takes.
    ///
    /// # Errors
    /// Those of the disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let [x, y, z] = [store.variable(0)?, store.variable(1)?, store.variable(2)?];
    /// let f = x.and(&y.negated())?.and(&y.or(&z)?)?;
    /// assert_eq!(f.essential()?, Some(vec![(0, true), (1, false), (2, true)]));
    /// assert_eq!(x.xor(&y)?.essential()?, Some(vec![]));
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn essential(&self) -> Result<Option<Cube>> {
        if let Some(value) = self.as_constant() {
            return Ok(value.then(Cube::new));
        }
        let literals = |run: &mut Run<'_>| essential(&self.file, self.complement, run);
        self.store.run_beside("essential", self.node_count(), literals).map(Some)
    }

    /// All paths to true, each as the values of the variables it tests: disjoint cubes whose union is the function.
    ///
    /// In lexicographic order: where two paths part, the one along the low arc comes first. That is also the order of the
    /// cubes as vectors. (A variable that both skip may be anything, so the assignments of one cube need not all come before
    /// those of the next.) There are [`Bdd::path_count`] of them: for true one, the empty cube, and for false none.
    ///
    /// Lazy: the iterator keeps the diagram alive and remembers one path. A cube costs one read for every node of its path
    /// that lies below the first literal in which it differs from the cube before; no sweep.
    ///
    /// # Errors
    /// The items' own: those of the disk, after which the iterator ends.
    ///
    /// ```
    /// # use strata_bdd::{Config, Result, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(0)?.imp(&store.variable(7)?)?;
    /// let cubes: Vec<_> = f.cubes().collect::<Result<_>>()?;
    /// assert_eq!(cubes, [vec![(0, false)], vec![(0, true), (7, true)]]);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn cubes(&self) -> Cubes {
        Cubes::new(self, None, LOW_FIRST)
    }

    /// All assignments to the variables of `domain` for which the function is true, in lexicographic order.
    ///
    /// `domain` names variables in strictly ascending order, all that the function depends on among them; the first counts
    /// most, and false comes before true. There are `sat_count(domain's length)` of them: over no variables, true has one,
    /// the empty one, and false none.
    ///
    /// Lazy, and at the cost of [`Bdd::cubes`].
    ///
    /// # Errors
    /// [`Error::DomainOrder`] where a variable does not come after the one before it, [`Error::VariableOutOfRange`] beyond
    /// 2^24 − 1, [`Error::OutsideDomain`] when the function depends on a variable that is missing. The items' own are those
    /// of the disk, after which the iterator ends.
    ///
    /// [`Error::DomainOrder`]: crate::Error::DomainOrder
    /// [`Error::OutsideDomain`]: crate::Error::OutsideDomain
    /// [`Error::VariableOutOfRange`]: crate::Error::VariableOutOfRange
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.variable(0)?.xor(&store.variable(2)?)?;
    /// let mut found = Vec::new();
    /// for assignment in f.assignments(0..3)? {
    ///     found.push(assignment?.into_iter().map(|(_, value)| u8::from(value)).collect::<Vec<_>>());
    /// }
    /// assert_eq!(found, [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn assignments(&self, domain: impl IntoIterator<Item = u32>) -> Result<Cubes> {
        self.assignments_by(domain, LOW_FIRST)
    }

    /// Those of the [`assignments`](Self::assignments) that do not come before `first`: to go on where a list has ended, or for
    /// several threads, each with a list of its own.
    ///
    /// `first` gives variables their values, in strictly ascending order; one that it does not name is false, and one outside of
    /// the domain makes no difference. It need not be an assignment for which the function is true. One walk down leads there,
    /// whatever the number of those before it.
    ///
    /// # Errors
    /// Those of [`assignments`](Self::assignments), for the variables of `first` too, and of the disk.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let f = store.exactly(50, 0..100)?;
    /// let mut some = f.assignments(0..100)?.take(1000).collect::<Result<Vec<_>, _>>()?;
    /// // All from the last of these on, and without it.
    /// let mut rest = f.assignments_from(&some[999], 0..100)?;
    /// assert_eq!(rest.next().transpose()?, some.pop());
    /// // Those in which variable 0 is true come last.
    /// let first = f.assignments_from(&[(0, true)], 0..100)?.next().transpose()?;
    /// assert_eq!(first, f.and(&store.variable(0)?)?.sat_min(0..100)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn assignments_from(&self, first: &[(u32, bool)], domain: impl IntoIterator<Item = u32>) -> Result<Cubes> {
        in_order(first.iter().map(|literal| literal.0)).try_for_each(|variable| variable.map(drop))?;
        let mut assignments = self.assignments(domain)?;
        assignments.seek(first)?;
        Ok(assignments)
    }

    fn assignments_by(&self, domain: impl IntoIterator<Item = u32>, high_first: HighFirst) -> Result<Cubes> {
        let domain = self.domain(domain)?;
        Ok(Cubes::new(self, Some(domain), high_first))
    }
}
