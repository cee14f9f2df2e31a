//! The one error of the library: what happened, where, and what to do about it.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use rustix::io::Errno;

use crate::progress::Sweep;

/// What an operation answers when it cannot give the exact result.
///
/// An operation that fails leaves nothing behind: its operands stay good, but for handles that it was given (`f & g`) and for a
/// builder, its temporary files are gone, and the next operation works.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum Error {
    /// A file in the scratch folder could not be created, written or read (a full disk, for example), or it gave other
    /// bytes than were written to it.
    #[error("cannot {action} a temporary file in {}: {source}; {}", folder.display(), way_out(source))]
    Io {
        /// What was being done: "create", "write", "read", "sort in".
        action: &'static str,
        /// The scratch folder of the store.
        folder: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// [`Config::memory`](crate::Config::memory) is below what any operation needs.
    #[error("a memory budget of {given} bytes is too small; give at least {minimum} bytes")]
    BudgetTooSmall {
        /// The budget asked for, in bytes.
        given: usize,
        /// The smallest budget there is, in bytes.
        minimum: usize,
    },

    /// One structure that cannot be spilled does not fit its share of the memory budget, nor what is left of the common one.
    #[error(
        "{what} needs {needed} bytes at least, perhaps many more, where the memory budget leaves {available} for what cannot go to \
         disk; drop diagrams that are no longer needed, or give the store a larger budget: an eighth of what you add, or more, is \
         for this"
    )]
    BudgetExceeded {
        /// The structure, in words.
        what: &'static str,
        /// Bytes it needs at least, by what is known so far: a structure that grows with what it finds may need many times as many.
        needed: u64,
        /// Bytes the budget has for it: what it has already, and what other structures leave of an eighth of the budget and 8 MiB
        /// (where there are several threads, of seven eighths of that), and of the common share, five parts in 32 of the budget.
        available: u64,
    },

    /// [`Config::threads`](crate::Config::threads) is zero.
    #[error("a store needs at least one thread; set `Config::threads` to 1 or more")]
    NoThreads,

    /// The system does not start as many threads as [`Config::threads`](crate::Config::threads) asks for.
    #[error("the system does not start {threads} threads; give the store fewer")]
    NotEnoughThreads {
        /// The threads that the store would have, the calling one among them.
        threads: usize,
        /// What the system said.
        source: io::Error,
    },

    /// Two operands belong to different stores.
    #[error("the operands belong to different stores; build both in one, or bring one over with `Store::import`")]
    DifferentStores,

    /// A variable is beyond the largest there is, or, shifted, below 0.
    #[error("variable {variable} is out of range; variables are from 0 to {largest}")]
    VariableOutOfRange {
        /// The variable asked for.
        variable: i64,
        /// The largest variable allowed.
        largest: u32,
    },

    /// A variable was given two values, or two functions, at once.
    #[error("variable {variable} is given twice, and not the same; give each variable once")]
    Contradiction {
        /// The variable.
        variable: u32,
    },

    /// The output that a text was written to failed.
    #[error("cannot write to the output given: {source}; what is there is not all")]
    Output {
        /// What the output said.
        source: io::Error,
    },

    /// The variables of a domain, or of the point from which assignments are listed, do not come in strictly ascending order.
    #[error("variable {variable} comes after variable {previous}: name the variables in ascending order, each once")]
    DomainOrder {
        /// The variable that is not larger than the one before it.
        variable: u32,
        /// The variable before it.
        previous: u32,
    },

    /// A domain lacks a variable that the diagram depends on.
    #[error("the diagram depends on variable {variable}, which the domain lacks; take in all that `support` gives")]
    OutsideDomain {
        /// The smallest such variable.
        variable: u32,
    },

    /// A renaming gives two variables of a diagram one name.
    #[error("variables {first} and {second} would both be named {variable}; give each a name of its own, or compose")]
    NotInjective {
        /// The name.
        variable: u32,
        /// The largest variable that would have it.
        first: u32,
        /// Another.
        second: u32,
    },

    /// A variable is in two pairs of current and next variables, or paired with itself.
    #[error(
        "variable {variable} of the pair {pair:?} is in another pair already, or paired with itself; each variable is the \
         current or the next one of a single pair"
    )]
    PairedTwice {
        /// The variable.
        variable: u32,
        /// The pair, current and next, that was given last.
        pair: (u32, u32),
    },

    /// States whose neighbours are asked for depend on a next variable of the relation.
    #[error("the states depend on the next variable {variable}; give them over current variables")]
    NextVariable {
        /// The largest such variable.
        variable: u32,
    },

    /// The system does not give the memory for the samples asked for.
    #[error("{count} samples do not fit in memory; draw fewer at a time, each time with another seed")]
    TooManySamples {
        /// The number asked for.
        count: usize,
    },

    /// A function was to be simplified by a care set that is false everywhere.
    #[error("the care set is false, so every function agrees with every other; check it before, or take any function")]
    NothingToCareFor,

    /// A weight is infinite or no number.
    #[error("the weight of variable {variable} is not finite; give each variable a finite weight")]
    WeightNotFinite {
        /// The variable.
        variable: u32,
    },

    /// A weight is below zero where weights stand for probabilities.
    #[error(
        "a weight of variable {variable} is below zero, so it stands for no probability; give each value a weight from 0 up"
    )]
    WeightNegative {
        /// The variable.
        variable: u32,
    },

    /// Floating-point weights whose magnitudes add up to 2^126 times the largest power of two that divides all of them, or more.
    #[error(
        "the weights are too far apart, or have too many digits, for sums that are exact; round them to fewer digits, or leave out \
         the smallest"
    )]
    WeightsTooFarApart,

    /// `sat_count` was asked over fewer variables than the diagram depends on.
    #[error(
        "solutions cannot be counted over {given} variables, since the diagram depends on {support}; give the number of all variables, \
         at least {support}"
    )]
    TooFewVariables {
        /// The number of variables given.
        given: u64,
        /// The number of variables the diagram depends on.
        support: u64,
    },

    /// `sat_count`, `sat_count_ln` or `sat_count_f64` was asked over more variables than there can be.
    #[error("solutions cannot be counted over {given} variables; there are {most} at most")]
    TooManyVariables {
        /// The number of variables given.
        given: u64,
        /// The number of variables there can be.
        most: u64,
    },

    /// A node handed to a builder comes from another builder.
    #[error("node {node} belongs to another builder; use only nodes that this builder's add_node gave")]
    ForeignNode {
        /// The number of the node in its own builder.
        node: u64,
    },

    /// A builder was given a node of a level that it had already left behind, below the one at hand.
    #[error("variable {variable} comes after variable {previous}: add nodes bottom-up, the largest variable first")]
    LevelOrder {
        /// The variable of the rejected node.
        variable: u32,
        /// The variable of the last node made.
        previous: u32,
    },

    /// A child of a new node lies on the node's own level or above it.
    #[error(
        "a child with variable {child} is not below a node with variable {variable}; a child's variable must be larger"
    )]
    ChildNotBelow {
        /// The variable of the rejected node.
        variable: u32,
        /// The variable of the offending child.
        child: u32,
    },

    /// A builder holds nodes that the last node does not reach.
    #[error(
        "{}; build it again and name the root (build_root) or the roots (build_roots), or add no other nodes than those below it",
        what_is_loose(*unreachable, *nodes)
    )]
    ManyRoots {
        /// Nodes that the last added node does not reach; all of them where it came out as a terminal.
        unreachable: u64,
        /// All nodes added.
        nodes: u64,
    },

    /// A builder was asked for a diagram before any node was added.
    #[error("nothing was added to the builder; add a node first, or take a constant from the store")]
    NoNodes,

    /// The external sorter gave back another number of records than it took.
    #[error("the external sort in {} took {expected} records and gave back {found}; check the disk", folder.display())]
    LostRecords {
        /// Records handed to the sorter.
        expected: u64,
        /// Records it gave back.
        found: u64,
        /// The scratch folder of the store.
        folder: PathBuf,
    },

    /// The progress callback stopped the operation.
    #[error(
        "the progress callback stopped {operation} in its {sweep} sweep at variable {variable}; operands that are held are as they \
         were"
    )]
    Stopped {
        /// The operation, as in [`Progress`](crate::Progress).
        operation: &'static str,
        /// The sweep, as in [`Progress`](crate::Progress).
        sweep: Sweep,
        /// The variable of the level that the callback was told of last.
        variable: u32,
    },

    /// A progress callback called an operation of a store.
    #[error(
        "an operation was called from inside a progress callback; record what it reports, and say whether to go on"
    )]
    InsideCallback,

    /// A diagram could not be saved. The file that was there before is as it was, unless the action is "sync the folder of":
    /// then the new file is in its place already, and only a power cut might still undo that.
    #[error("cannot save {}: could not {action} the new file: {source}; {}", shown(path), way_to_save(source))]
    SaveFailed {
        /// What was being done: "create", "write", "sync", "rename", "sync the folder of".
        action: &'static str,
        /// The file that was to be written.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// A file could not be opened or read.
    #[error("cannot read {}: {source}; check its name, its permissions and the disk", shown(path))]
    OpenFailed {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// A file does not begin as a saved diagram does.
    #[error("{} is not a diagram that `Bdd::save` wrote; name another file", shown(path))]
    NotADiagram {
        /// The file.
        path: PathBuf,
    },

    /// A diagram was saved in another version of the format.
    #[error(
        "{} is in version {found} of the format, this program reads version {known}; use the one that wrote it",
        shown(path)
    )]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: u32,
        /// The version this library reads and writes.
        known: u32,
    },

    /// A diagram was saved in another order of bytes.
    #[error("{} has its bytes in big-endian order; save it again on a little-endian machine", shown(path))]
    OtherByteOrder {
        /// The file.
        path: PathBuf,
    },

    /// A diagram was saved with ids of an unknown width.
    #[error("{} has ids of {found} bits where 32 or 64 are known; use the program that wrote it", shown(path))]
    UnknownWidth {
        /// The file.
        path: PathBuf,
        /// Bits of an id in the file.
        found: u32,
    },

    /// A saved diagram is not as it was written: cut short, or changed since.
    #[error("{} is damaged: {what}; take another copy or save the diagram again", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, in words.
        what: String,
    },

    /// A saved diagram breaks a rule that every diagram keeps: it is damaged, or another program wrote it.
    #[error(
        "{} holds no valid diagram: node {node} has {what} (invariant {invariant}); take another copy or save the diagram again",
        shown(path)
    )]
    NotCanonical {
        /// The file.
        path: PathBuf,
        /// The number of the invariant:
        ///
        /// 1. A node's id is its position in its file; ids 0 and 1 are the terminals false and true.
        /// 2. Levels lie bottom-up: a child's id is smaller than its parent's, and its variable is larger.
        /// 3. No node has two equal children, and no two nodes of a level have the same children.
        /// 4. Within a level, nodes are ordered by (low, high).
        /// 5. The last node is the root, and every node lies below it.
        /// 6. The path of only low arcs ends in false.
        /// 7. Ids are 32 bits wide if and only if all of them fit that width.
        /// 8. The hash of a diagram is that of its bytes; of [`BrokenInvariant`](Self::BrokenInvariant) only.
        invariant: u8,
        /// The id of the first node that breaks it.
        node: u64,
        /// What is wrong with that node, in words.
        what: &'static str,
    },

    /// A diagram of a store breaks a rule that every diagram keeps. This is a fault of the memory, the scratch disk or this
    /// library; nothing computed from the diagram can be trusted.
    #[error("node {node} has {what} (invariant {invariant}): check memory and disk, or report a fault of the library")]
    BrokenInvariant {
        /// The number of the invariant, as in [`NotCanonical`](Self::NotCanonical).
        invariant: u8,
        /// The id of the first node that breaks it.
        node: u64,
        /// What is wrong with that node, in words.
        what: &'static str,
    },

    /// The result has more nodes than an id can number.
    #[error(
        "the diagram has more than {limit} nodes, more than an id can number: divide the function, or choose another order of \
         variables"
    )]
    TooManyNodes {
        /// The largest number of nodes.
        limit: u64,
    },
}

/// The same words as `Display`: a `main` that returns an error says what to do, and so does a panic.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The result of an operation that may touch a disk.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The name of a file in a sentence.
fn shown(path: &Path) -> String {
    if path.as_os_str().is_empty() { "a file without a name".into() } else { path.display().to_string() }
}

/// Says which nodes of a builder lie outside of its diagram.
fn what_is_loose(unreachable: u64, nodes: u64) -> String {
    if unreachable == nodes {
        return format!(
            "the last node added came out as a terminal, and the number of nodes that are not below it is {nodes}"
        );
    }
    format!("{unreachable} of {nodes} nodes are not below the last one added")
}

/// What to do about a temporary file that could not be had.
fn way_out(error: &io::Error) -> &'static str {
    use io::ErrorKind::{
        FileTooLarge, InvalidData, InvalidFilename, NotADirectory, NotFound, OutOfMemory, PermissionDenied,
        ReadOnlyFilesystem, UnexpectedEof,
    };
    match error.kind() {
        FileTooLarge => "allow larger files (ulimit -f), or name a scratch folder on a disk that has them",
        _ if too_many_files(error) => "close some files, or allow more open ones (ulimit -n)",
        InvalidData | UnexpectedEof => "look after the disk, or name a scratch folder on another one",
        NotFound => "make this folder, or name another scratch folder",
        NotADirectory | InvalidFilename => "name a folder as the scratch folder",
        ReadOnlyFilesystem => "name a scratch folder that can be written to",
        PermissionDenied => "make this folder writable, or name another scratch folder",
        OutOfMemory => "let the process have more memory, or give the store a smaller budget",
        _ => "drop diagrams that are no longer needed, free some space or name another scratch folder",
    }
}

/// What to do about a diagram that could not be saved.
fn way_to_save(error: &io::Error) -> &'static str {
    use io::ErrorKind::{
        FileTooLarge, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied,
        ReadOnlyFilesystem,
    };
    match error.kind() {
        FileTooLarge => "allow larger files (ulimit -f), or name a folder on a disk that has them",
        NotFound => "make its folder, or name another one",
        NotADirectory | IsADirectory | InvalidInput => "name a file in a folder that there is",
        InvalidFilename => "give it a shorter name",
        ReadOnlyFilesystem => "name a folder that can be written to",
        PermissionDenied => "make its folder writable, or name another one",
        _ => "free some space or name another folder",
    }
}

/// Whether this is what the system says when a program has as many files open as it may.
fn too_many_files(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::MFILE)
}
