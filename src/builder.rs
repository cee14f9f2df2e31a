//! `BddBuilder`: a diagram built bottom-up, node by node.

use std::{
    collections::HashMap,
    fmt,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use crate::{
    bdd::Bdd,
    disk::{charge::Charge, pool::Share, space::Space},
    error::{Error, Result},
    file::{node_file::NodeFile, writer::NodeWriter},
    model::{FALSE, TRUE, check_variable, value},
    progress::{Progress, Sweep},
    store::{Store, outside_callback},
    sweep::{
        build::{build, build_below},
        identity::Identity,
    },
};

/// Builds a diagram bottom-up, or several: nodes of the largest variable first, each from children that are there already.
///
/// Nodes are streamed to the store as they come. What is built is reduced and canonical like every other diagram: a node that
/// is there already is given again, one whose children are equal is its child, and [`build`](Self::build) brings every level
/// into order with one sweep where it must.
///
/// Memory: a table of the level in the making, up to 3/32 of the budget, from what is left for tables, of which three quarters are
/// left to others. A level that outgrows it is not remembered whole: a node added again much later may then be given as a new one,
/// which [`build`](Self::build) still merges. Only if nothing leads to that duplicate is it taken for a second root.
///
/// ```
/// use strata_bdd::{Config, Store};
///
/// // x0 and not x2, as one chain.
/// let store = Store::new(Config::default())?;
/// let mut builder = store.builder()?;
/// let lower = builder.add_node(2, true, false)?;
/// builder.add_node(0, false, lower)?;
/// let chain = builder.build()?;
/// assert_eq!(chain, store.variable(0)?.and(&!&store.variable(2)?)?);
/// # Ok::<(), strata_bdd::Error>(())
/// ```
pub struct BddBuilder {
    store: Store,
    space: Space,
    number: u64,
    /// The nodes so far; wide, since their number is not known yet. Sealing makes them as narrow as they can be.
    writer: NodeWriter<u64>,
    /// The first node of the level in the making: most levels of a chain have no other.
    first: Option<((u64, u64), u64)>,
    /// The other nodes of that level.
    level: HashMap<(u64, u64), u64>,
    /// The charge for that table, with room for more entries.
    entries: Charge,
    /// The charge for the tables of finished levels.
    levels: Charge,
    variable: Option<u32>,
    /// The node written last.
    top: Option<BuilderNode>,
    /// What `add_node` gave last.
    last: Option<BuilderNode>,
    /// Whether every node leads to the one before it: then each is alone on its level, and nothing is out of order.
    chain: bool,
}

/// A node of a [`BddBuilder`], or a terminal of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuilderNode {
    /// The builder's number; 0 for a terminal, which belongs to all.
    builder: u64,
    id: u64,
    /// `u32::MAX` for a terminal.
    variable: u32,
    /// The value on the path of low arcs.
    at_zero: bool,
}

impl From<bool> for BuilderNode {
    fn from(value: bool) -> Self {
        Self { builder: 0, id: if value { TRUE } else { FALSE }, variable: u32::MAX, at_zero: value }
    }
}

/// Bytes of an entry in the table of a level while the table grows.
const ENTRY_BYTES: usize = 96;

/// Entries that the table has room for at first.
const FEW: usize = 64;

/// Levels that are charged at once, at first.
const STEP: usize = 16;

impl Store {
    /// A builder for diagrams of this store. Constant time.
    ///
    /// # Errors
    /// Those of the budget.
    pub fn builder(&self) -> Result<BddBuilder> {
        BddBuilder::new(self.clone())
    }
}

impl BddBuilder {
    fn new(store: Store) -> Result<Self> {
        static BUILDERS: AtomicU64 = AtomicU64::new(1);
        let space = store.space();
        let writer = NodeWriter::new(&space)?;
        let number = BUILDERS.fetch_add(1, Relaxed);
        let [entries, levels] =
            ["the table of a builder", "the level table of a builder"].map(|of| space.pool.account(of));
        Ok(Self {
            store,
            space,
            number,
            writer,
            first: None,
            level: HashMap::new(),
            entries,
            levels,
            variable: None,
            top: None,
            last: None,
            chain: true,
        })
    }

    /// Adds the node that tests `variable` and goes on to `low` where it is false, to `high` where it is true.
    ///
    /// A child is a node that this builder gave, or a `bool`.
    ///
    /// # Errors
    /// [`Error::LevelOrder`] when the variable is larger than that of the last node made (one whose children are equal is its child,
    /// and makes none), [`Error::ChildNotBelow`] when a child's variable is not larger than the node's, [`Error::ForeignNode`] for a
    /// child from another builder, [`Error::VariableOutOfRange`] beyond 2^24 − 1, [`Error::Stopped`] by the progress callback, which
    /// is told of every level when the next one begins, and those of the disk and the budget. The builder goes on as if the node had
    /// not been added.
    pub fn add_node(
        &mut self,
        variable: u32,
        low: impl Into<BuilderNode>,
        high: impl Into<BuilderNode>,
    ) -> Result<BuilderNode> {
        let (low, high) = (low.into(), high.into());
        check_variable(variable)?;
        if let Some(previous) = self.variable.filter(|&previous| variable > previous) {
            return Err(Error::LevelOrder { variable, previous });
        }
        for child in [low, high] {
            if child.builder != 0 && child.builder != self.number {
                return Err(Error::ForeignNode { node: child.id });
            }
            if child.variable <= variable {
                return Err(Error::ChildNotBelow { variable, child: child.variable });
            }
        }
        let node = if low == high { low } else { self.number_of(variable, low, high)? };
        self.last = Some(node);
        Ok(node)
    }

    /// The node with two different children on the level of `variable`, new or there already.
    fn number_of(&mut self, variable: u32, low: BuilderNode, high: BuilderNode) -> Result<BuilderNode> {
        let begun = self.variable == Some(variable);
        if let Some(id) = self.known((low.id, high.id)).filter(|_| begun) {
            return Ok(BuilderNode { builder: self.number, id, variable, at_zero: low.at_zero });
        }
        if let Some(done) = self.variable.filter(|_| !begun) {
            let nodes = self.writer.nodes();
            self.store.report(&Progress { operation: "builder", sweep: Sweep::Build, variable: done, nodes })?;
        }
        self.writer.reserve(&self.space)?;
        if !begun {
            let levels = self.writer.levels();
            if levels * NodeWriter::<u64>::BYTES_A_LEVEL == self.levels.bytes() {
                self.levels.grow((levels / 8).max(STEP) * NodeWriter::<u64>::BYTES_A_LEVEL)?;
            }
            self.end_level();
            self.variable = Some(variable);
        }
        if self.first.is_some() && self.level.len() >= self.room() && !self.make_room() {
            self.level.clear();
        }
        let id = self.writer.push(low.id, high.id, &self.space)?;
        match self.first {
            None => self.first = Some(((low.id, high.id), id)),
            Some(_) => drop(self.level.insert((low.id, high.id), id)),
        }
        self.chain &= self.top.is_none_or(|before| before.id == low.id || before.id == high.id);
        let node = BuilderNode { builder: self.number, id, variable, at_zero: low.at_zero };
        self.top = Some(node);
        Ok(node)
    }

    /// The id of the node with these children on the level in the making, if there is one.
    fn known(&self, children: (u64, u64)) -> Option<u64> {
        let first = self.first.filter(|first| first.0 == children).map(|first| first.1);
        first.or_else(|| if self.level.is_empty() { None } else { self.level.get(&children).copied() })
    }

    /// The number of entries that the table has room for.
    fn room(&self) -> usize {
        self.entries.bytes() / ENTRY_BYTES
    }

    /// Makes room in the table for twice as many entries, if there is memory for them; answers whether there is.
    fn make_room(&mut self) -> bool {
        let Space { pool, limits, .. } = &self.space;
        let bytes = self.room().max(FEW) * ENTRY_BYTES;
        // Operations of the store cannot do without the share of tables; the builder can.
        let spare = self.entries.bytes() + bytes <= limits.building && bytes <= pool.room(Share::Tables) / 4;
        spare && self.entries.grow(bytes).is_ok()
    }

    fn end_level(&mut self) {
        self.first = None;
        if self.level.capacity() > 4 * self.level.len() + FEW {
            self.level = HashMap::new();
            self.entries.clear();
        }
        self.level.clear();
        if let Some(variable) = self.variable {
            self.writer.end_level(variable);
        }
    }

    /// The diagram whose root is the node added last, the one that no other leads to.
    ///
    /// One expand and one reduce sweep over the nodes added; none for a chain, in which every node leads to the one before it, that
    /// is false on the path of low arcs. Where all nodes came out as a terminal, that constant.
    ///
    /// # Errors
    /// [`Error::ManyRoots`] when there are others that it does not lead to, as when the last node added came out as a child or as a
    /// terminal (then [`build_root`](Self::build_root) is what you want), [`Error::NoNodes`] when nothing was added, and those of
    /// the disk and the budget.
    pub fn build(self) -> Result<Bdd> {
        let root = self.last.ok_or(Error::NoNodes)?;
        let Some(top) = self.top else { return Ok(self.store.constant(root.at_zero)) };
        let chain = self.chain;
        let (store, nodes) = self.into_nodes()?;
        if root.builder == 0 {
            // The last node came out as a terminal, and leads to no node.
            return Err(Error::ManyRoots { unreachable: nodes.node_count(), nodes: nodes.node_count() });
        }
        if chain && root == top && !root.at_zero {
            outside_callback()?;
            return Ok(Bdd::new(store, nodes, false));
        }
        let file = store.run_beside("build", nodes.node_count(), |run| {
            let file = if root == top {
                build(&Identity { complement: root.at_zero, as_is: false }, &[&nodes], run)
            } else {
                build_below(&nodes, root.id, root.at_zero, run)
            }?;
            match nodes.node_count() - run.counters.unreduced {
                0 => Ok(file),
                unreachable => Err(Error::ManyRoots { unreachable, nodes: nodes.node_count() }),
            }
        })?;
        Ok(Bdd::new(store, file, root.at_zero))
    }

    /// The diagram whose root is `root`, one of the nodes added, whichever comes last; those that it does not lead to are dropped.
    ///
    /// One expand and one reduce sweep over the nodes it leads to, however few; [`build`](Self::build) is faster for small
    /// diagrams.
    ///
    /// # Errors
    /// [`Error::ForeignNode`] for a node of another builder, and those of the disk and the budget.
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// let store = Store::new(Config::default())?;
    /// let mut builder = store.builder()?;
    /// let x2 = builder.add_node(2, false, true)?;
    /// let either = builder.add_node(1, x2, true)?;
    /// builder.add_node(1, true, x2)?;
    /// assert_eq!(builder.build_root(either)?, store.variable(1)?.or(&store.variable(2)?)?);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn build_root(self, root: impl Into<BuilderNode>) -> Result<Bdd> {
        Ok(self.build_roots([root])?.remove(0))
    }

    /// The diagrams whose roots are `roots`, in the same order: the outputs of a circuit, or what another package keeps in one
    /// file.
    ///
    /// As [`build_root`](Self::build_root) for each, on the nodes added once: each takes time and tables for all levels of the
    /// builder beside the nodes it leads to. Diagrams share no nodes, but equal roots give one.
    ///
    /// # Errors
    /// Those of [`build_root`](Self::build_root).
    ///
    /// ```
    /// # use strata_bdd::{Config, Store};
    /// // Sum and carry of a half adder.
    /// let store = Store::new(Config::default())?;
    /// let mut builder = store.builder()?;
    /// let [y, not_y] = [builder.add_node(1, false, true)?, builder.add_node(1, true, false)?];
    /// let [sum, carry] = [builder.add_node(0, y, not_y)?, builder.add_node(0, false, y)?];
    /// let built = builder.build_roots([sum, carry])?;
    /// let (x, y) = (store.variable(0)?, store.variable(1)?);
    /// assert_eq!(built, [x.xor(&y)?, x.and(&y)?]);
    /// # Ok::<(), strata_bdd::Error>(())
    /// ```
    pub fn build_roots(self, roots: impl IntoIterator<Item = impl Into<BuilderNode>>) -> Result<Vec<Bdd>> {
        let roots: Vec<BuilderNode> = roots.into_iter().map(Into::into).collect();
        if let Some(foreign) = roots.iter().find(|root| ![0, self.number].contains(&root.builder)) {
            return Err(Error::ForeignNode { node: foreign.id });
        }
        let (store, nodes) = self.into_nodes()?;
        let mut built: HashMap<u64, Bdd> = HashMap::new();
        let build = |BuilderNode { id, at_zero, .. }| {
            if let Some(value) = value(id) {
                return Ok(store.constant(value));
            }
            if let Some(built) = built.get(&id) {
                return Ok(built.clone());
            }
            let file = store.run_beside("build", nodes.node_count(), |run| build_below(&nodes, id, at_zero, run))?;
            Ok(built.entry(id).or_insert(Bdd::new(store.clone(), file, at_zero)).clone())
        };
        roots.into_iter().map(build).collect()
    }

    /// All nodes, of which several may be roots.
    fn into_nodes(mut self) -> Result<(Store, NodeFile)> {
        self.end_level();
        let Self { store, space, writer, level, entries, levels, .. } = self;
        drop((level, entries, levels));
        Ok((store, writer.seal(&space)?))
    }
}

impl fmt::Debug for BddBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BddBuilder")
            .field("nodes", &self.writer.nodes())
            .field("variable", &self.variable)
            .finish_non_exhaustive()
    }
}
