//! `lift`: copies the upper levels on which only the first operand has nodes, and that an operation does not change.
//!
//! A sweep would have one request for every node there. Instead, requests are made only for the nodes below that these levels lead
//! to. Then the levels are put on top: their children are looked up, and their nodes numbered like those of any level.
//!
//! ```text
//!   operand   levels above ─ children ─► marks ─► requests ─► expand ─► reduce ─► what becomes of them
//!                   └────── bottom-up ── children ──────────────────────────────────────┴─► number ─► written
//! ```
//! Cost: two passes over the levels above, every node there sorted once. Memory: five eighths of a byte for every node below, and
//! an id for every node above and for every request.

use std::array;

use super::{
    down::{
        expand::{expand, root_of},
        frontier::check_ids,
        ground::Until,
    },
    marks::Marks,
    run::Run,
    spec::Spec,
    up::{
        nodes::Nodes,
        number::number_alone,
        reduce::{reduce_below, whole},
    },
};
use crate::{
    disk::{array::Array, charge::Charge, clock::Phase, dense::Dense, lane::Lane, space::Space, words::Words},
    error::Result,
    file::{levels::Levels, node_file::NodeFile, reader::LevelReader, unreduced::Unreduced, writer::NodeWriter},
    progress::Sweep,
};

/// A diagram and where it is cut.
pub struct Lift<'f> {
    file: &'f NodeFile,
    /// The rank of the highest level that is not copied, 0 where all are.
    cut: usize,
    /// One past the last id of that level, or of the terminals.
    below: u64,
    /// The nodes of the levels that are copied.
    above: u64,
    /// Memory of marks and ids.
    _charge: Charge,
}

impl<'f> Lift<'f> {
    /// A lift of the first of `operands`, if no other has nodes on its upper levels, `spec` has no rule there, and there is room.
    pub fn of<I: Lane, S: Spec<N>, const N: usize>(spec: &S, operands: &[&'f NodeFile], space: &Space) -> Option<Self> {
        let (file, levels) = (operands[0], operands[0].levels());
        let changed = file.variables().rev().find(|&variable| spec.rule(variable).is_some());
        let others = operands.iter().filter(|other| !other.is(file));
        let first = others.filter_map(|other| other.variables().next_back()).chain(changed).min()?;
        let cut = (1..levels.ranks()).rev().find(|&rank| file.variable(rank) >= first).unwrap_or(0);
        let below = levels.range(cut).end;
        let above = levels.end() - below;
        let fits = |rank| Dense::<I>::fits(2 * levels.width(rank), space);
        // Making marks and reading them counts for a thousandth of expanding and reducing a node, each.
        if above <= below / 1024 || !(cut + 1..levels.ranks()).all(fits) {
            return None;
        }
        let bytes = Marks::bytes(below) as usize + (above + below.min(2 * above)) as usize * size_of::<I>();
        // The sweeps below need tables too.
        if bytes > space.tables_room() / 4 {
            return None;
        }
        Some(Self { file, cut, below, above, _charge: space.charge_sweep(bytes, "a lift").ok()? })
    }

    /// Whether more nodes lie above than below. A lift reads its operand once more in the end: one that is given away cannot be
    /// freed before, which pays only then.
    pub fn takes_most(&self) -> bool {
        self.above > self.below
    }

    /// The diagram of `spec` for `operands`; `None` if it takes more than `most` nodes before they are reduced.
    pub fn build<I: Lane, S: Spec<N>, const N: usize>(
        self,
        spec: &S,
        operands: &[&NodeFile],
        most: u64,
        run: &mut Run<'_>,
    ) -> Result<Option<NodeFile>> {
        let (space, mut words) = (run.space, Words::default());
        let Some(most) = most.checked_sub(self.above) else { return Ok(None) };
        let marks = self.marks::<I>(&mut words, run)?;
        let mut found = vec![I::zeroed(); marks.count() as usize];
        let roots = root_of::<I, N>(operands);
        let own: [bool; N] = array::from_fn(|lane| operands.get(lane).is_some_and(|operand| operand.is(self.file)));
        // In place of a slot, a request carries its place in `found`.
        let ask_all = |ask: &mut dyn FnMut([I; N]) -> Result<()>| {
            marks.ids(|id, place| {
                let mut request = array::from_fn(|lane| if own[lane] { I::of(id) } else { roots[lane] });
                request[N - 1] = I::of(place);
                match spec.decide(&mut request) {
                    Some(value) => found[place as usize] = I::of(u64::from(value)),
                    None => ask(request)?,
                }
                Ok(())
            })
        };
        let reserved = marks.count() / 2 + 1;
        let asked = Unreduced { levels: Levels::new(reserved), ..Unreduced::new() };
        let unreduced = expand(spec, operands, asked, Until::Beyond(most), ask_all, run)?;
        if unreduced.all_nodes() > most {
            return Ok(None);
        }
        let (mut writer, mut arrived) = reduce_below(unreduced, run)?;
        check_ids::<I>(writer.end() + self.above, space)?;
        arrived.drain(space, |block| {
            for &[place, id] in block {
                found[place.get() as usize] = id;
            }
            Ok(())
        })?;
        let root = self.raise(&marks, &found, &mut writer, run)?;
        whole(writer, root, space).map(Some)
    }

    /// Marks the nodes below to which the levels above lead, and counts the marks.
    fn marks<'w, I: Lane>(&self, words: &'w mut Words, run: &mut Run<'_>) -> Result<Marks<'w>> {
        let space = run.space;
        let _expanding = space.scratch.meter.clock.start(Phase::Expand);
        let mut marks = Marks::new(words, self.below);
        let mut reader = LevelReader::in_order(self.file);
        for rank in (self.cut + 1..self.file.levels().ranks()).rev() {
            reader.enter(rank);
            reader.each(|nodes: &[[I; 2]]| {
                let below = |child: &&I| child.get() < self.below;
                nodes.as_flattened().iter().filter(below).for_each(|child| marks.set(child.get()));
                Ok(())
            })?;
            run.report(Sweep::Expand, self.file.variable(rank), 0)?;
        }
        marks.count_up();
        Ok(marks)
    }

    /// Writes the levels above on top of what `writer` has; `found` holds the new id of every marked node. Returns the root.
    fn raise<I: Lane>(
        &self,
        marks: &Marks<'_>,
        found: &[I],
        writer: &mut NodeWriter<I>,
        run: &mut Run<'_>,
    ) -> Result<I> {
        let _sweep = run.begin(Sweep::Reduce);
        let (space, levels) = (run.space, self.file.levels());
        let mut raised: Vec<I> = Vec::with_capacity(self.above as usize);
        let mut reader = LevelReader::in_order(self.file);
        for rank in self.cut + 1..levels.ranks() {
            let (first, width, desk) = (levels.first(rank), levels.width(rank), &mut run.desks[0]);
            let mut children = Array::<I>::of(desk.take_array(), 2 * width as usize);
            reader.enter(rank);
            reader.read(first, children.pairs_mut())?;
            for child in children.values_mut() {
                let id = child.get();
                *child = match id.checked_sub(self.below) {
                    Some(above) => raised[above as usize],
                    None => found[marks.before(id) as usize],
                };
            }
            let mut nodes = Nodes::new(width, Dense::Array(children), desk, space);
            number_alone(&mut nodes, writer, space)?;
            let spare = nodes.spare();
            let mut end = raised.len() + width as usize;
            raised.resize(end, I::zeroed());
            let desk = nodes.show_ids(|ids| {
                raised[end - ids.len()..end].copy_from_slice(ids);
                end -= ids.len();
                Ok(())
            })?;
            desk.give_back(spare);
            writer.end_level(self.file.variable(rank));
            run.report(Sweep::Reduce, self.file.variable(rank), writer.nodes())?;
        }
        Ok(raised.last().copied().expect("a level above"))
    }
}
