//! Writing a node file bottom-up.

use twox_hash::XxHash3_128;

use super::{
    labels::Labels,
    levels::Levels,
    node_file::{Body, NodeFile, Unlabelled, Width, hash_of, word_of},
    reader::LevelReader,
};
use crate::{
    disk::{
        checked::CheckedFile,
        lane::{Lane, words_of},
        pool::{Block, Class, Share},
        space::Space,
        spool::Sink,
    },
    error::Result,
    model::TERMINALS,
};

/// A node file in the making. Nodes come level by level, the deepest first, in the order of (low, high) within each.
///
/// Nodes stay in RAM while their share of the budget lasts; then all nodes go to disk, the earlier ones too.
pub struct NodeWriter<I> {
    levels: Levels,
    /// The variable of every level so far.
    variables: Vec<u32>,
    /// Full blocks in RAM; `on_disk` more follow them in `file`.
    blocks: Vec<Block>,
    on_disk: usize,
    file: Option<CheckedFile>,
    /// Whether the diagram goes to disk.
    spills: bool,
    tail: Option<Block>,
    /// Nodes in the tail.
    used: usize,
    /// The id of the next node.
    next: u64,
    /// The hash of the full blocks so far, if there are any.
    hash: Option<Box<XxHash3_128>>,
    marker: std::marker::PhantomData<I>,
}

impl<I: Lane> NodeWriter<I> {
    /// Bytes that a level takes in the tables.
    const BYTES_RESERVED: usize = size_of::<u64>() + size_of::<u32>();
    /// Bytes that a level takes in the tables while these grow: in the old ones, and in the new ones, which are twice as long.
    pub const BYTES_A_LEVEL: usize = 3 * Self::BYTES_RESERVED;

    /// An empty file of the width of `I`.
    pub fn new(space: &Space) -> Result<Self> {
        let mut writer = Self::empty();
        for terminal in 0..TERMINALS {
            writer.push(I::of(terminal), I::of(terminal), space)?;
        }
        Ok(writer)
    }

    fn empty() -> Self {
        Self {
            levels: Levels::new(TERMINALS),
            variables: Vec::new(),
            blocks: Vec::new(),
            on_disk: 0,
            file: None,
            spills: false,
            tail: None,
            used: 0,
            next: 0,
            hash: None,
            marker: std::marker::PhantomData,
        }
    }

    /// Makes sure that the next `push` cannot fail.
    #[inline(always)]
    pub fn reserve(&mut self, space: &Space) -> Result<()> {
        let room = self.tail.as_ref().map_or(0, |tail| tail.words().len() / words_of::<I>(2));
        if self.used < room { Ok(()) } else { self.make_room(space) }
    }

    /// Appends a node to the level in the making and gives its id.
    #[inline(always)]
    pub fn push(&mut self, low: I, high: I, space: &Space) -> Result<I> {
        self.room(space)?[0] = [low, high];
        self.advance(1);
        Ok(I::of(self.next - 1))
    }

    /// Appends nodes to the level in the making, which get the next ids.
    pub fn push_all(&mut self, mut nodes: &[[I; 2]], space: &Space) -> Result<()> {
        while !nodes.is_empty() {
            let room = self.room(space)?;
            let (now, later) = nodes.split_at(nodes.len().min(room.len()));
            room[..now.len()].copy_from_slice(now);
            self.advance(now.len());
            nodes = later;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, space: &Space) -> Result<()> {
        let pool = &space.pool;
        let class = self.tail.as_ref().map_or(Class::Small, |tail| tail.class().next());
        let block = if self.spills { None } else { pool.take(Share::Diagrams, class) };
        match self.tail.take() {
            Some(tail) if size_of_val(tail.words()) == pool.block_bytes() => self.file_tail(tail, block, space)?,
            tail => self.enlarge_tail(tail, block, space),
        }
        Ok(())
    }

    /// Goes on in `block` where the tail is full; where there is none, the tail goes to disk and is used again.
    fn file_tail(&mut self, tail: Block, block: Option<Block>, space: &Space) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(tail.words());
        if block.is_none()
            && let Err(error) = self.spill(bytes, space)
        {
            // The tail stays as it was: the caller may try again.
            self.tail = Some(tail);
            return Err(error);
        }
        self.hash.get_or_insert_default().write(bytes);
        self.used = 0;
        self.tail = match block {
            Some(block) => {
                self.blocks.push(tail);
                Some(block)
            }
            None => Some(tail),
        };
        Ok(())
    }

    /// Goes on in `block` with the nodes of a smaller tail, if there is one; where there is no `block`, in one beyond the share,
    /// which the writer needs to go to disk.
    fn enlarge_tail(&mut self, tail: Option<Block>, block: Option<Block>, space: &Space) {
        self.spills |= block.is_none();
        let mut block = block.unwrap_or_else(|| space.pool.take_anyway(Share::Diagrams, Class::Full));
        if let Some(tail) = tail {
            let words = words_of::<I>(2 * self.used);
            block.words_mut()[..words].copy_from_slice(&tail.words()[..words]);
        }
        self.tail = Some(block);
    }

    /// Writes `bytes` to the file, behind all full blocks, and before that the full blocks in RAM: they would be written in the end
    /// in any case, and the sweep can use their memory now. Where that fails, it can be tried again.
    fn spill(&mut self, bytes: &[u8], space: &Space) -> Result<()> {
        while let Some(block) = self.blocks.pop() {
            let at = self.blocks.len();
            if let Err(error) = self.write(at, bytemuck::cast_slice(block.words()), space) {
                self.blocks.push(block);
                return Err(error);
            }
            self.on_disk += 1;
        }
        self.write(self.on_disk, bytes, space)?;
        self.on_disk += 1;
        Ok(())
    }

    /// Writes block number `at` to the file, which is made if there is none.
    fn write(&mut self, at: usize, bytes: &[u8], space: &Space) -> Result<()> {
        self.spills = true;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(CheckedFile::new(space)),
        };
        file.write(at, bytes)
    }

    /// Makes room for `levels` more levels.
    pub fn reserve_levels(&mut self, levels: usize) {
        self.levels.reserve(levels);
        self.variables.reserve(levels);
    }

    /// The number of nodes written so far.
    pub fn nodes(&self) -> u64 {
        self.next - TERMINALS
    }

    /// The id of the next node.
    pub fn end(&self) -> u64 {
        self.next
    }

    /// The number of levels that were ended.
    pub fn levels(&self) -> usize {
        self.variables.len()
    }

    /// Ends the level in the making, that of `variable`; a level without nodes is left out.
    pub fn end_level(&mut self, variable: u32) {
        let count = self.next - self.levels.end();
        if count > 0 {
            self.levels.push(count);
            self.variables.push(variable);
        }
    }

    /// The variable of the topmost level so far, the smallest of all.
    pub fn top(&self) -> Option<u32> {
        self.variables.last().copied()
    }

    /// The finished nodes, several of which may be roots, in the width that their number asks for.
    pub fn seal(mut self, space: &Space) -> Result<NodeFile> {
        // Invariant 7. A narrow sweep always makes fewer nodes than this, however it went.
        if !I::WIDE || self.nodes() == 0 || self.nodes() >= space.limits.narrow_ids {
            return self.seal_in_width(space);
        }
        match self.tail.take() {
            Some(tail) if self.blocks.is_empty() && self.file.is_none() => self.narrowed(tail).seal_in_width(space),
            tail => {
                let wide = Self { tail, ..self }.seal_in_width(space)?;
                rewrite::<u32>(&wide, space, |_, _| Ok(()))?.seal_in_width(space)
            }
        }
    }

    /// The writer in the narrow width, its nodes narrowed in place; all of them are in `tail`.
    fn narrowed(self, mut tail: Block) -> NodeWriter<u32> {
        let words = tail.words_mut();
        for node in 0..self.used {
            words[node] = word_of([words[2 * node], words[2 * node + 1]]);
        }
        let Self { levels, variables, spills, used, next, .. } = self;
        NodeWriter { levels, variables, spills, tail: Some(tail), used, next, ..NodeWriter::empty() }
    }

    /// Keeps the diagram, `words` words that are all in the tail, in memory of its own although the share is used up, if it takes
    /// no more than the smallest block: on disk it would take an extent. Gives the bytes of that memory, to be charged, or 0.
    fn keep_small(&mut self, words: usize, space: &Space) -> usize {
        let smallest = space.pool.smallest();
        if !self.spills || self.file.is_some() || 8 * words > smallest || smallest == space.pool.block_bytes() {
            return 0;
        }
        let mut kept = vec![0; words.next_power_of_two()];
        if let Some(tail) = self.tail.take() {
            kept[..words].copy_from_slice(&tail.words()[..words]);
        }
        self.spills = false;
        let bytes = size_of_val(&kept[..]);
        self.tail = Some(Block::counted_elsewhere(kept));
        bytes
    }

    /// The finished nodes, several of which may be roots, in the width they were written in: for work that goes on in that width.
    pub fn seal_in_width(mut self, space: &Space) -> Result<NodeFile> {
        assert!(
            self.next == self.levels.end(),
            "invariant 2: every node is on a level, and the last one was not ended"
        );
        if self.nodes() == 0 {
            return Ok(NodeFile::empty());
        }
        self.levels.seal();
        let used = 8 * words_of::<I>(2 * self.used);
        let tail: &[u8] = self.tail.as_ref().map_or(&[], |tail| bytemuck::cast_slice(tail.words()));
        let hash = hash_of(self.hash.take().map(|hash| *hash), &tail[..used], &self.levels);
        let width = if I::WIDE { Width::Wide } else { Width::Narrow };
        let kept = self.keep_small(used / 8, space);
        if self.spills
            && let Some(tail) = self.tail.take()
        {
            self.spill(&bytemuck::cast_slice(tail.words())[..used], space)?;
        }
        let on_disk = self.file.as_mut().map_or(0, CheckedFile::fitted);
        let blocks = self.blocks.capacity().max(self.blocks.len() + 1) * size_of::<Block>();
        let tables = self.levels.bytes() + NodeFile::BYTES + blocks + on_disk + kept;
        let charge = space.pool.charge(tables, "the level table of a diagram, beside those alive,")?;
        let labels = Labels::new(std::mem::take(&mut self.variables), space)?;
        let body = if let Some(file) = self.file {
            Body::Disk(file)
        } else {
            if self.blocks.is_empty() {
                self.tail = self.tail.map(|tail| space.pool.fitted(tail, used / 8, Share::Diagrams));
            }
            self.blocks.reserve_exact(1);
            self.blocks.extend(self.tail);
            let words = self.blocks.first().map_or(1, |block| block.words().len());
            Body::Ram { blocks: self.blocks, shift: words.ilog2() }
        };
        let nodes = Unlabelled { levels: self.levels, width, body, hash, _charge: Some(charge) };
        Ok(NodeFile::new(nodes, labels))
    }
}

/// A copy of `file`, which lies in any space, in `space`; `told` hears of the variable of each finished level and of the nodes
/// so far, but not of a single node, which is not copied.
///
/// One pass over the nodes; memory: a reader's blocks, and the tables of the levels, which are charged before they are made.
pub fn copy(file: &NodeFile, space: &Space, told: impl FnMut(u32, u64) -> Result<()>) -> Result<NodeFile> {
    match file.node_count() {
        nodes if nodes >= space.limits.narrow_ids => copy_in::<u64>(file, space, told),
        1 => Ok(NodeFile::of_variable(file.variable(1))),
        _ => copy_in::<u32>(file, space, told),
    }
}

fn copy_in<I: Lane>(file: &NodeFile, space: &Space, told: impl FnMut(u32, u64) -> Result<()>) -> Result<NodeFile> {
    let bytes = file.levels().ranks() * NodeWriter::<I>::BYTES_RESERVED;
    let charge = space.charge_sweep(bytes, "the level table of a copy, beside those alive,")?;
    let writer = rewrite::<I>(file, space, told)?;
    // The diagram's own tables are charged next.
    drop(charge);
    writer.seal(space)
}

/// The nodes of `file` written once more in the width of `I`, which they fit; `told` hears of each level.
fn rewrite<I: Lane>(
    file: &NodeFile,
    space: &Space,
    mut told: impl FnMut(u32, u64) -> Result<()>,
) -> Result<NodeWriter<I>> {
    let mut writer = NodeWriter::new(space)?;
    writer.reserve_levels(file.levels().ranks());
    let mut reader = LevelReader::in_order(file);
    for (rank, variable) in (1..).zip(file.variables()) {
        reader.enter(rank);
        reader.each(|nodes: &[[u64; 2]]| {
            nodes.iter().try_for_each(|&[low, high]| writer.push(I::of(low), I::of(high), space).map(drop))
        })?;
        writer.end_level(variable);
        told(variable, writer.nodes())?;
    }
    Ok(writer)
}

impl<I: Lane> Sink<I> for NodeWriter<I> {
    #[inline(always)]
    fn room(&mut self, space: &Space) -> Result<&mut [[I; 2]]> {
        self.reserve(space)?;
        let lanes: &mut [I] = self.tail.as_mut().map_or(&mut [], |tail| bytemuck::cast_slice_mut(tail.words_mut()));
        Ok(lanes[2 * self.used..].as_chunks_mut().0)
    }

    #[inline(always)]
    fn advance(&mut self, nodes: usize) {
        self.used += nodes;
        self.next += nodes as u64;
    }
}

impl<I> std::fmt::Debug for NodeWriter<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeWriter").field("next", &self.next).finish_non_exhaustive()
    }
}
