//! Diagrams under a name: the file that `Bdd::save` writes and `Store::open` reads.
//!
//! ```text
//!   header, 40 bytes                                                           levels · 16 bytes, the deepest first
//! ┌──────────────┬───────┬─────────┬───────┬───────┬────────┬───────┐        ┌──────────┬───────┐
//! │ "\x89strata\n" │ order │ version │ width │ flags │ levels │ nodes │        │ variable │ nodes │ …
//! └──── 8 ───────┴── 4 ──┴─── 4 ───┴── 4 ──┴── 4 ──┴── 8 ───┴── 8 ──┘        └─── 8 ────┴── 8 ──┘
//!
//!   nodes · 8 bytes, narrow        or 16 bytes, wide                           16 bytes
//! ┌───────────┬────────────┐     ┌───────────┬────────────┐                  ┌──────────────────────────────────┐
//! │ low child │ high child │ …   │ low child │ high child │ …                │ XXH3, 128 bits, of all before it │
//! └──── 4 ────┴──── 4 ─────┘     └──── 8 ────┴──── 8 ─────┘                  └──────────────────────────────────┘
//! ```
//! All numbers are little-endian.
//!
//! * *order* is [`BYTE_ORDER`]; a machine of the other order would have written it backwards.
//! * *width* is the number of bits of an id, 32 or 64. A reader takes either and keeps the nodes in the width that
//!   invariant 7 asks for.
//! * *flags*: bit 0 says that the function is the negation of what the nodes say; all others are 0.
//! * *nodes* are those of the node file from id 2 on, in its order; the terminals 0 and 1 are not written. A constant has no
//!   levels and no nodes.
//! * The length follows from the header: `40 + 16 · levels + width / 4 · nodes + 16`. There is nothing behind the checksum.
//!
//! The bytes keep the invariants of [`model`](crate::model), so one function has one file, up to the width: a reader refuses
//! all others, whoever wrote them and whatever their checksum.

use std::{
    io::{self, BufReader, BufWriter, Read, Take, Write},
    path::Path,
};

use twox_hash::XxHash3_128;

use super::{
    check::{NodeCheck, broken, check_levels},
    node_file::{NodeFile, Width},
    writer::NodeWriter,
};
use crate::{
    disk::{lane::Lane, named::NewFile, space::Space},
    error::{Error, Result},
    model::{LARGEST_VARIABLE, TERMINALS},
};

/// The first bytes of every saved diagram. The very first is no text, and the last is changed by a program that converts line ends.
const MAGIC: [u8; 8] = *b"\x89strata\n";
/// In a file of the other byte order, this number reads backwards.
const BYTE_ORDER: u32 = 0x0102_0304;
/// The version of the format that is written and read.
const VERSION: u32 = 1;
/// The flag of a negated function.
const COMPLEMENT: u32 = 1;

const HEADER_BYTES: usize = 40;
const LEVEL_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 16;

/// Bytes of memory for each level of a file that is read: its entry in the file's table, and its entries in those of the diagram.
const LEVEL_MEMORY: usize = LEVEL_BYTES + NodeWriter::<u64>::BYTES_A_LEVEL;

// Nodes are written as they lie in memory.
const _: () = assert!(cfg!(target_endian = "little"));

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    width: Width,
    complement: bool,
    levels: u64,
    nodes: u64,
}

impl Header {
    fn bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        let bits = 4 * self.width.node_bytes() as u32;
        let words = [BYTE_ORDER, VERSION, bits, if self.complement { COMPLEMENT } else { 0 }];
        for (place, word) in bytes[8..24].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes[24..32].copy_from_slice(&self.levels.to_le_bytes());
        bytes[32..].copy_from_slice(&self.nodes.to_le_bytes());
        bytes
    }

    /// The header of the file at `path`, which is `len` bytes long.
    fn parse(bytes: &[u8; HEADER_BYTES], len: u64, path: &Path) -> Result<Self> {
        let damaged = |what| Err(Error::Damaged { path: path.into(), what });
        let narrow = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let wide = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        match narrow(8) {
            BYTE_ORDER => {}
            order if order == BYTE_ORDER.swap_bytes() => return Err(Error::OtherByteOrder { path: path.into() }),
            order => return damaged(format!("its byte order mark is {order:08x}")),
        }
        if narrow(12) != VERSION {
            return Err(Error::UnknownVersion { path: path.into(), found: narrow(12), known: VERSION });
        }
        let width = match narrow(16) {
            32 => Width::Narrow,
            64 => Width::Wide,
            found => return Err(Error::UnknownWidth { path: path.into(), found }),
        };
        if narrow(20) & !COMPLEMENT != 0 {
            return damaged(format!("its flags are {:x}", narrow(20)));
        }
        let header = Self { width, complement: narrow(20) == COMPLEMENT, levels: wide(24), nodes: wide(32) };
        let expected = header.file_bytes();
        if expected != u128::from(len) {
            return damaged(format!("it is {len} bytes long where its header says {expected}"));
        }
        Ok(header)
    }

    fn file_bytes(&self) -> u128 {
        let [levels, nodes] = [self.levels, self.nodes].map(u128::from);
        let fixed = (HEADER_BYTES + CHECKSUM_BYTES) as u128;
        fixed + LEVEL_BYTES as u128 * levels + self.width.node_bytes() as u128 * nodes
    }
}

/// Hashes the bytes that pass through it.
struct Hashed<T> {
    inner: T,
    hash: Box<XxHash3_128>,
}

impl<T> Hashed<T> {
    fn new(inner: T) -> Self {
        Self { inner, hash: Box::new(XxHash3_128::new()) }
    }

    fn checksum(&self) -> [u8; CHECKSUM_BYTES] {
        self.hash.finish_128().to_le_bytes()
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.write(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hash.write(&bytes[..read]);
        Ok(read)
    }
}

/// Writes the nodes of `file` and the complement bit to a file at `path`, which is there whole or not at all; `told` hears of the
/// variable of each finished level and of the nodes so far.
///
/// One pass over the nodes; two blocks of memory.
///
/// # Errors
/// `SaveFailed`, `Io` where nodes cannot be read from the scratch folder, and those of `told`.
pub fn save(
    file: &NodeFile,
    complement: bool,
    path: &Path,
    space: &Space,
    told: impl FnMut(u32, u64) -> Result<()>,
) -> Result<()> {
    let fail = |action| move |source| Error::SaveFailed { action, path: path.into(), source };
    let mut new = space.scratch.backend.create_beside(path).map_err(fail("create"))?;
    write(file, complement, &mut *new, space, told, fail("write"))?;
    new.sync().map_err(fail("sync"))?;
    new.rename().map_err(fail("rename"))?;
    new.sync_folder().map_err(fail("sync the folder of"))
}

fn write(
    file: &NodeFile,
    complement: bool,
    new: &mut dyn NewFile,
    space: &Space,
    mut told: impl FnMut(u32, u64) -> Result<()>,
    fail: impl Fn(io::Error) -> Error,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(space.limits.block, Hashed::new(new));
    let levels = file.levels();
    let header =
        Header { width: file.width(), complement, levels: levels.ranks() as u64 - 1, nodes: file.node_count() };
    out.write_all(&header.bytes()).map_err(&fail)?;
    for (rank, variable) in (1..).zip(file.variables()) {
        for number in [variable.into(), levels.width(rank)] {
            out.write_all(&number.to_le_bytes()).map_err(&fail)?;
        }
    }
    let words_a_node = file.width().node_bytes() / 8;
    let mut terminals = TERMINALS as usize * words_a_node;
    let mut ends = (1..).zip(file.variables()).map(|(rank, variable)| (variable, levels.range(rank).end)).peekable();
    let mut written = 0;
    file.visit_words(|words| {
        let inner = &words[std::mem::take(&mut terminals)..];
        out.write_all(bytemuck::cast_slice(inner)).map_err(&fail)?;
        written += (words.len() / words_a_node) as u64;
        while let Some((variable, end)) = ends.next_if(|&(_, end)| end <= written) {
            told(variable, end - TERMINALS)?;
        }
        Ok(())
    })?;
    let Hashed { inner, hash } = out.into_inner().map_err(|error| fail(error.into_error()))?;
    inner.write_all(&hash.finish_128().to_le_bytes()).map_err(&fail)
}

/// Reads the diagram at `path` and its complement bit; `told` hears of the variable of each finished level and of the nodes so far.
///
/// The nodes are copied to blocks of the store or to its scratch folder as they come, in one pass, and checked on the way;
/// invariants 5 and 6 are left to `sweep::validate::check_paths`. Memory: a block, and a table of the levels, which is charged
/// before it is made.
///
/// # Errors
/// `OpenFailed`; `NotADiagram`, `UnknownVersion`, `OtherByteOrder`, `UnknownWidth` and `Damaged` for files that hold no diagram or
/// have changed; `BrokenInvariant`; those of the scratch folder and the budget; and those of `told`.
pub fn load(path: &Path, space: &Space, told: impl FnMut(u32, u64) -> Result<()>) -> Result<(NodeFile, bool)> {
    let fail = |source: io::Error| match source.kind() {
        // Another program cuts the file short while it is read.
        io::ErrorKind::UnexpectedEof => Error::Damaged { path: path.into(), what: "it ends too early".into() },
        _ => Error::OpenFailed { path: path.into(), source },
    };
    let (old, len) = space.scratch.backend.open(path).map_err(fail)?;
    // A file that is too short for both may still have its magic.
    let signed = len.saturating_sub(CHECKSUM_BYTES as u64).max(HEADER_BYTES as u64);
    let mut input = BufReader::with_capacity(space.limits.block, Hashed::new(old.take(signed)));

    let mut bytes = [0; HEADER_BYTES];
    let begun = len.min(HEADER_BYTES as u64) as usize;
    input.read_exact(&mut bytes[..begun]).map_err(fail)?;
    if bytes[..MAGIC.len()] != MAGIC {
        return Err(Error::NotADiagram { path: path.into() });
    }
    if begun < HEADER_BYTES {
        let what = format!("it is {len} bytes long, too short for a header");
        return Err(Error::Damaged { path: path.into(), what });
    }
    let header = Header::parse(&bytes, len, path)?;
    let narrow = header.nodes < space.limits.narrow_ids;
    let file = if narrow {
        load_nodes::<u32>(header, &mut input, space, told, fail)?
    } else {
        load_nodes::<u64>(header, &mut input, space, told, fail)?
    };

    let found = input.get_ref().checksum();
    let mut expected = [0; CHECKSUM_BYTES];
    input.into_inner().inner.into_inner().read_exact(&mut expected).map_err(fail)?;
    if found != expected {
        let what = "its checksum does not fit its bytes".into();
        return Err(Error::Damaged { path: path.into(), what });
    }
    Ok((file, header.complement))
}

/// Where the bytes of a file come from.
type Input = BufReader<Hashed<Take<Box<dyn Read>>>>;

/// Reads the level table and the nodes, into a file of the width of `I`.
fn load_nodes<I: Lane>(
    header: Header,
    input: &mut Input,
    space: &Space,
    mut told: impl FnMut(u32, u64) -> Result<()>,
    fail: impl Fn(io::Error) -> Error,
) -> Result<NodeFile> {
    if header.levels > u64::from(LARGEST_VARIABLE) + 1 {
        return broken(2, TERMINALS, "more levels above it than there are variables");
    }
    let levels = header.levels as usize;
    let charge = space.pool.charge(levels * LEVEL_MEMORY, "the level table of a file, beside those alive,")?;
    let mut table = Vec::with_capacity(levels);
    for _ in 0..levels {
        table.push(pair::<u64>(input).map_err(&fail)?);
    }
    check_levels(table.iter().map(|&[variable, count]| (variable, count)), header.nodes)?;

    let mut writer = NodeWriter::<I>::new(space)?;
    let mut check = NodeCheck::new();
    for &[variable, count] in &table {
        check.begin_level();
        for _ in 0..count {
            let node = match header.width {
                Width::Narrow => pair::<u32>(input),
                Width::Wide => pair::<u64>(input),
            };
            let node = node.map_err(&fail)?;
            check.node(node)?;
            writer.push(I::of(node[0]), I::of(node[1]), space)?;
        }
        writer.end_level(variable as u32);
        told(variable as u32, writer.nodes())?;
    }
    // The diagram's own tables are charged next.
    drop((table, charge));
    writer.seal(space)
}

/// The next two numbers of the width of `I`.
#[inline(always)]
fn pair<I: Lane>(input: &mut Input) -> io::Result<[u64; 2]> {
    let mut lanes = [I::zeroed(); 2];
    input.read_exact(bytemuck::bytes_of_mut(&mut lanes))?;
    Ok(lanes.map(I::get))
}
