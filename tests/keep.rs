//! Diagrams that are saved, opened and checked; files that are no diagrams, or hostile ones; disks that fail meanwhile.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::{
    collections::{BTreeSet, HashMap},
    fmt, fs,
    io::{self, Read, Write},
    ops::ControlFlow,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use common::{
    default_store,
    disk::Disk,
    functions::{bits, hidden_weighted_bit, of_table, product, queens, random_function},
    limits, tight,
};
use fastrand::Rng;
use strata_bdd::{
    Bdd, BuilderNode, Config, Error, LARGEST_VARIABLE, Progress, Result, SMALLEST_MEMORY, Store, Sweep,
    testing::{Backend, Limits, NewFile, OldFile, Os, ScratchFile, Testing},
};
use tempfile::TempDir;
use twox_hash::XxHash3_128;

/// Limits under which every diagram has wide ids.
fn wide() -> Limits {
    limits(|limits| limits.narrow_ids = 1)
}

fn store_at(backend: &Arc<impl Backend + 'static>, limits: Option<Limits>) -> Store {
    let testing = Testing { limits, backend: Some(backend.clone()) };
    Store::new(Config { testing, ..Config::default() }).unwrap()
}

/// Stores with the files of `shelf`: with default settings, of the smallest budget, and with everything on disk; and
/// two with wide ids, in memory and on disk.
fn stores_on(shelf: &Arc<Shelf>) -> [Store; 5] {
    let testing = Testing { limits: None, backend: Some(shelf.clone()) };
    let smallest = Store::new(Config { memory: SMALLEST_MEMORY, testing, ..Config::default() }).unwrap();
    let [on_disk, wide, wide_on_disk] =
        [tight(), wide(), Limits { narrow_ids: 1, ..tight() }].map(|limits| store_at(shelf, Some(limits)));
    [store_at(shelf, None), smallest, on_disk, wide, wide_on_disk]
}

/// A backend with the user's files in memory, so that no test waits for a disk to sync.
#[derive(Debug)]
struct Shelf {
    os: Os,
    files: Files,
    /// A wrong length for the next file that is opened, and what follows the bytes of the file.
    claimed: Mutex<Option<(u64, Rest)>>,
}

/// What follows the bytes of a file that is said to be longer than it is.
#[derive(Clone, Copy, Debug)]
enum Rest {
    /// Zeroes, as in a hole of a sparse file.
    Zeroes,
    /// Nothing, as if another program had cut the file short.
    Gone,
}

type Files = Arc<Mutex<HashMap<PathBuf, Vec<u8>>>>;

impl Shelf {
    fn new() -> Arc<Self> {
        Arc::new(Self { os: Os::new(std::env::temp_dir()), files: Files::default(), claimed: Mutex::default() })
    }

    fn saved(&self, f: &Bdd) -> Vec<u8> {
        f.save("saved").unwrap();
        self.files.lock().unwrap().remove(Path::new("saved")).unwrap()
    }

    fn open(&self, store: &Store, bytes: &[u8]) -> Result<Bdd> {
        self.files.lock().unwrap().insert("open".into(), bytes.into());
        store.open("open")
    }
}

impl Backend for Shelf {
    fn folder(&self) -> &Path {
        self.os.folder()
    }

    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        self.os.create()
    }

    fn sort_folder(&self) -> io::Result<TempDir> {
        self.os.sort_folder()
    }

    fn create_beside(&self, target: &Path) -> io::Result<Box<dyn NewFile>> {
        Ok(Box::new(NewBook { target: target.into(), bytes: Vec::new(), files: self.files.clone() }))
    }

    fn open(&self, path: &Path) -> io::Result<OldFile> {
        let bytes = self.files.lock().unwrap()[path].clone();
        let len = bytes.len() as u64;
        let file = io::Cursor::new(bytes);
        Ok(match self.claimed.lock().unwrap().take() {
            Some((len, Rest::Zeroes)) => (Box::new(file.chain(io::repeat(0)).take(len)), len),
            Some((len, Rest::Gone)) => (Box::new(file), len),
            None => (Box::new(file), len),
        })
    }
}

/// A new file, which is on the shelf once it is renamed.
#[derive(Debug)]
struct NewBook {
    target: PathBuf,
    bytes: Vec<u8>,
    files: Files,
}

impl Write for NewBook {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for NewBook {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn rename(&mut self) -> io::Result<()> {
        self.files.lock().unwrap().insert(self.target.clone(), std::mem::take(&mut self.bytes));
        Ok(())
    }

    fn sync_folder(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A saved file, field by field, without the checksum.
#[derive(Clone)]
struct Image {
    magic: [u8; 8],
    order: u32,
    version: u32,
    width: u32,
    flags: u32,
    levels: u64,
    nodes: u64,
    table: Vec<[u64; 2]>,
    children: Vec<[u64; 2]>,
}

impl Image {
    fn new(width: u32, table: &[[u64; 2]], children: &[[u64; 2]]) -> Self {
        Self {
            magic: *b"\x89strata\n",
            order: 0x0102_0304,
            version: 1,
            width,
            flags: 0,
            levels: table.len() as u64,
            nodes: children.len() as u64,
            table: table.into(),
            children: children.into(),
        }
    }

    /// The fields of the file with these `bytes`, whose header must have no faults.
    fn parse(bytes: &[u8]) -> Self {
        let wide = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let narrow = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (width, levels, nodes) = (narrow(16), wide(24), wide(32));
        let table: Vec<_> = (0..levels as usize).map(|level| [0, 8].map(|at| wide(40 + 16 * level + at))).collect();
        let first = 40 + 16 * table.len();
        let id = |at: usize| if width == 32 { narrow(first + 4 * at).into() } else { wide(first + 8 * at) };
        let children: Vec<_> = (0..nodes as usize).map(|node| [2 * node, 2 * node + 1].map(id)).collect();
        Self { flags: narrow(20), ..Self::new(width, &table, &children) }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.magic.to_vec();
        let words = [self.order, self.version, self.width, self.flags];
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        let counts = [self.levels, self.nodes];
        bytes.extend(counts.iter().chain(self.table.as_flattened()).flat_map(|word| word.to_le_bytes()));
        for id in self.children.as_flattened() {
            match self.width {
                64 => bytes.extend(id.to_le_bytes()),
                _ => bytes.extend((*id as u32).to_le_bytes()),
            }
        }
        signed(&bytes)
    }

    /// The variables, ascending, and the truth table over them; none if the nodes describe no function.
    fn meaning(&self) -> Option<(Vec<u32>, Vec<bool>)> {
        let variables: BTreeSet<u64> = self.table.iter().map(|level| level[0]).collect();
        let variables: Vec<u64> = variables.into_iter().collect();
        let assignments = 1 << variables.len();
        let mut functions = vec![vec![false; assignments], vec![true; assignments]];
        let mut children = self.children.iter();
        for &[variable, count] in &self.table {
            let bit = variables.len() - 1 - variables.iter().position(|&known| known == variable)?;
            for _ in 0..count {
                let [low, high] = children.next()?.map(|id| functions.get(id as usize));
                let (low, high) = (low?, high?);
                functions
                    .push((0..assignments).map(|at| if at >> bit & 1 == 1 { high[at] } else { low[at] }).collect());
            }
        }
        let root = if self.children.is_empty() { &functions[0] } else { functions.last()? };
        let complement = self.flags & 1 == 1;
        let variables = variables.iter().map(|&variable| variable.try_into().ok()).collect::<Option<_>>()?;
        children.next().is_none().then(|| (variables, root.iter().map(|&value| value != complement).collect()))
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, flags, levels, nodes, table, children, .. } = self;
        write!(f, "width {width}, flags {flags}, {levels} levels {table:?}, {nodes} nodes {children:?}")
    }
}

/// `bytes` and their checksum.
fn signed(bytes: &[u8]) -> Vec<u8> {
    [bytes, &XxHash3_128::oneshot(bytes).to_le_bytes()].concat()
}

/// The number of the invariant that a refused file breaks.
fn broken_by(outcome: Result<Bdd>) -> u8 {
    match outcome.unwrap_err() {
        Error::NotCanonical { invariant, .. } => invariant,
        other => panic!("{other}"),
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Opens in every store what every store saves, and imports what every store has. `functions` has a list for each store, of the
/// same functions in the same order.
fn check_exchange(shelf: &Shelf, stores: &[Store], functions: &[Vec<Bdd>]) {
    for at in 0..functions[0].len() {
        let files: Vec<Vec<u8>> = functions.iter().map(|same| shelf.saved(&same[at])).collect();
        for ((store, same), own_bytes) in stores.iter().zip(functions).zip(&files) {
            let f = &same[at];
            let opened = files.iter().map(|bytes| (shelf.open(store, bytes).unwrap(), true));
            // All stores share the node of a single variable.
            let imported = functions.iter().map(|same| (store.import(&same[at]).unwrap(), f.node_count() > 1));
            for (found, takes_room) in opened.chain(imported) {
                assert_eq!(&found, f);
                assert_eq!(found.content_hash(), f.content_hash());
                assert_eq!(found.node_count(), f.node_count());
                assert_eq!(found.support(), f.support());
                assert!(found.disk_bytes() == f.disk_bytes() || !takes_room, "{f:?}");
                assert!(found.store().stats().temp_bytes >= found.disk_bytes());
                found.validate().unwrap();
                assert_eq!(&shelf.saved(&found), own_bytes);
                assert_eq!(found.xor(f).unwrap().as_constant(), Some(false));
            }
        }
    }
}

#[test]
fn every_function_of_three_variables_comes_back_in_every_store_and_saves_as_the_same_bytes() {
    let shelf = Shelf::new();
    let stores = stores_on(&shelf);
    let functions = stores.each_ref().map(|store| {
        (0..256).map(|table| of_table(store, &bits(table, 3), &[4, 1000, LARGEST_VARIABLE]).unwrap()).collect()
    });
    check_exchange(&shelf, &stores, &functions);
}

#[test]
fn larger_functions_come_back_in_every_store_and_save_as_the_same_bytes() {
    let shelf = Shelf::new();
    let stores = stores_on(&shelf);
    let functions = stores.each_ref().map(|store| {
        let mut functions = product(store, 6);
        functions.extend((1..4).map(|seed| random_function(store, seed, 11)));
        functions.push(hidden_weighted_bit(store, 14));
        functions.push(queens(store, 6).unwrap().0);
        functions.iter().map(Bdd::negated).chain(functions.clone()).collect::<Vec<Bdd>>()
    });
    check_exchange(&shelf, &stores, &functions);
    // The bytes depend on the function and on the width of ids, but not on the store.
    for (at, f) in functions[0].iter().enumerate() {
        let bytes = shelf.saved(f);
        assert_eq!(shelf.saved(&functions[1][at]), bytes);
        assert_eq!(shelf.saved(&functions[2][at]), bytes);
        assert_eq!(shelf.saved(&functions[4][at]), shelf.saved(&functions[3][at]));
    }
}

#[test]
fn a_renamed_diagram_is_saved_under_its_own_names() -> Result<()> {
    let shelf = Shelf::new();
    for store in stores_on(&shelf) {
        let f = random_function(&store, 5, 6);
        for renamed in [f.shifted(70)?, f.shifted(70)?.shifted(-60)?, f.replace(|variable| 3 * variable + 1)?] {
            renamed.validate()?;
            let opened = shelf.open(&store, &shelf.saved(&renamed))?;
            assert_eq!(opened, renamed);
            assert_eq!(opened.support(), renamed.support());
            assert_ne!(opened, f);
        }
    }
    Ok(())
}

#[test]
fn a_file_is_what_the_format_says() {
    let shelf = Shelf::new();
    let [narrow, .., wide] = stores_on(&shelf);
    for (store, width) in [(narrow, 32), (wide, 64)] {
        let (x, y) = (store.variable(3).unwrap(), store.variable(9).unwrap());
        let differ = Image::new(width, &[[9, 2], [3, 1]], &[[0, 1], [1, 0], [2, 3]]);
        assert_eq!(shelf.saved(&x.xor(&y).unwrap()), differ.bytes());
        assert_eq!(shelf.saved(&x.xnor(&y).unwrap()), Image { flags: 1, ..differ.clone() }.bytes());
        assert_eq!(shelf.open(&store, &differ.bytes()).unwrap(), x.xor(&y).unwrap());
        let nothing = Image::new(32, &[], &[]);
        assert_eq!(shelf.saved(&store.constant(false)), nothing.bytes());
        assert_eq!(shelf.saved(&store.constant(true)), Image { flags: 1, ..nothing.clone() }.bytes());
        let wide_nothing = Image { width: 64, ..nothing };
        assert_eq!(shelf.open(&store, &wide_nothing.bytes()).unwrap(), store.constant(false));
    }
}

/// What was saved once must open for ever, so the checksums of these files must never change.
#[test]
fn checksums_never_change() -> Result<()> {
    let shelf = Shelf::new();
    let store = store_at(&shelf, None);
    for (f, len, sum) in [
        (store.variable(3)?, 80, 0xbf0b_096c_3db5_0a9c_ce48_6eea_8c9b_36e0),
        (store.exactly(5, 0..20)?, 1136, 0xc376_84d3_a570_3dfc_dc47_e442_1240_21c5),
    ] {
        let saved = shelf.saved(&f);
        let checksum = saved[saved.len() - 16..].try_into().map(u128::from_le_bytes).unwrap();
        assert_eq!((saved.len(), checksum), (len, sum), "{checksum:#x}");
    }
    Ok(())
}

#[test]
fn a_diagram_outlives_its_store_in_a_file() -> Result<()> {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("board.strata");
    let solutions = {
        let board = queens(&default_store(), 7)?.0;
        board.save(&path)?;
        board.sat_count(49)?
    };
    let store = store_at(&Disk::new(), Some(tight()));
    let board = store.open(&path)?;
    assert!(board.disk_bytes() > 0);
    assert_eq!(board.sat_count(49)?, solutions);
    // What happens to the file does not matter to the opened diagram.
    fs::write(&path, "something else").unwrap();
    assert_eq!(board.sat_count(49)?, solutions);
    board.validate()?;
    assert_eq!(store.stats().temp_bytes, board.disk_bytes());
    drop(board);
    assert_eq!(store.stats().temp_bytes, 0);
    Ok(())
}

#[test]
fn a_file_that_was_there_is_replaced_and_keeps_its_permissions() -> Result<()> {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x.strata");
    let store = default_store();
    let x = store.variable(0)?;
    x.save(&path)?;
    // Fewer permissions than the usual mask leaves, and more.
    for mode in [0o600, 0o666] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        x.save(&path)?;
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, mode);
    }
    let before = fs::metadata(&path).unwrap();
    let held = fs::File::open(&path).unwrap();
    (!&x).save(&path)?;
    let after = fs::metadata(&path).unwrap();
    assert_ne!(after.ino(), before.ino(), "whoever reads the old file goes on reading it");
    assert_eq!(held.metadata().unwrap().ino(), before.ino());
    assert_eq!(store.open(&path)?, !&x);
    assert_eq!(names_in(home.path()), ["x.strata"]);
    Ok(())
}

#[test]
fn paths_without_a_diagram_are_refused_by_name() {
    let home = tempfile::tempdir().unwrap();
    let store = default_store();
    let path = |name: &str| home.path().join(name);
    fs::write(path("empty"), "").unwrap();
    fs::write(path("short"), b"\x89strata").unwrap();
    fs::write(path("text"), "a diagram, I promise you; and long enough to be one").unwrap();
    for name in ["empty", "short", "text"] {
        let refused = store.open(path(name)).unwrap_err();
        assert!(matches!(&refused, Error::NotADiagram { path: named } if *named == path(name)), "{refused:?}");
        assert!(refused.to_string().contains(name), "{refused}");
    }
    fs::create_dir(path("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    std::os::unix::fs::symlink(path("nowhere"), path("link")).unwrap();
    fs::write(path("secret"), "").unwrap();
    fs::set_permissions(path("secret"), fs::Permissions::from_mode(0o000)).unwrap();
    let mut kinds = vec![
        ("missing", io::ErrorKind::NotFound),
        ("folder", io::ErrorKind::IsADirectory),
        ("pipe", io::ErrorKind::InvalidInput),
        ("link", io::ErrorKind::NotFound),
        ("text/below", io::ErrorKind::NotADirectory),
    ];
    // For the superuser, no file is secret.
    if fs::File::open(path("secret")).is_err() {
        kinds.push(("secret", io::ErrorKind::PermissionDenied));
    }
    for (name, kind) in kinds {
        let refused = store.open(path(name)).unwrap_err();
        let Error::OpenFailed { path: named, source } = &refused else { panic!("{refused:?}") };
        assert_eq!((named, source.kind()), (&path(name), kind));
        assert!(refused.to_string().contains(name), "{refused}");
    }
    let refused = store.open("/dev/zero").unwrap_err();
    assert!(matches!(refused, Error::OpenFailed { .. }), "{refused:?}");
    for refused in [store.open("").unwrap_err(), store.constant(true).save("").unwrap_err()] {
        assert!(refused.to_string().contains("a file without a name: "), "{refused}");
    }
}

#[test]
fn saving_where_no_file_can_be_is_refused_and_leaves_nothing_there() -> Result<()> {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("folder")).unwrap();
    fs::write(home.path().join("file"), "untouched").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(home.path().join("pipe")).status().unwrap().success());
    let x = default_store().variable(0)?;
    for (name, kind) in [
        ("missing/x", io::ErrorKind::NotFound),
        ("file/x", io::ErrorKind::NotADirectory),
        ("pipe/x", io::ErrorKind::NotADirectory),
        ("folder", io::ErrorKind::IsADirectory),
        ("folder/", io::ErrorKind::IsADirectory),
        ("folder/..", io::ErrorKind::IsADirectory),
        ("new/", io::ErrorKind::IsADirectory),
        ("new/.", io::ErrorKind::IsADirectory),
        ("nu\0ll", io::ErrorKind::InvalidInput),
        (&"x".repeat(300), io::ErrorKind::InvalidFilename),
        ("pipe", io::ErrorKind::InvalidInput),
    ] {
        let path = home.path().join(name);
        let refused = x.save(&path).unwrap_err();
        let Error::SaveFailed { action: "create", path: named, source } = &refused else { panic!("{refused:?}") };
        assert_eq!((named, source.kind()), (&path, kind));
        assert!(refused.to_string().contains(name) && !refused.to_string().contains(".strata-"), "{refused}");
        let mut names = names_in(home.path());
        names.sort();
        assert_eq!(names, ["file", "folder", "pipe"]);
        assert!(names_in(&home.path().join("folder")).is_empty());
    }
    assert_eq!(fs::read(home.path().join("file")).unwrap(), b"untouched");
    Ok(())
}

/// Small files with both widths of ids.
fn small_files(shelf: &Shelf, stores: &[Store]) -> Vec<Vec<u8>> {
    let table: Vec<bool> = (0..16u32).map(|at| at * at % 11 % 3 == 1).collect();
    let all = stores.iter().flat_map(|store| {
        let f = of_table(store, &table, &[0, 3, 4, 700]).unwrap();
        [f.clone(), !&f, store.variable(5).unwrap(), store.constant(true)]
    });
    let files: BTreeSet<Vec<u8>> = all.map(|f| shelf.saved(&f)).collect();
    files.into_iter().collect()
}

#[test]
fn a_file_that_is_too_short_or_too_long_is_refused() {
    let shelf = Shelf::new();
    let stores = stores_on(&shelf);
    for bytes in small_files(&shelf, &stores) {
        for store in &stores {
            shelf.open(store, &bytes).unwrap();
            for len in 0..bytes.len() {
                let refused = shelf.open(store, &bytes[..len]).unwrap_err();
                let expected = if len < 8 {
                    matches!(refused, Error::NotADiagram { .. })
                } else {
                    matches!(refused, Error::Damaged { .. })
                };
                assert!(expected, "{len} of {} bytes: {refused:?}", bytes.len());
            }
            for more in 1..40 {
                let refused = shelf.open(store, &[&bytes[..], &vec![0; more]].concat()).unwrap_err();
                assert!(matches!(refused, Error::Damaged { .. }), "{refused:?}");
            }
            assert_eq!(store.stats().temp_bytes, 0);
        }
    }
}

#[test]
fn a_file_with_any_bit_flipped_is_refused() {
    let shelf = Shelf::new();
    let stores = stores_on(&shelf);
    for bytes in small_files(&shelf, &stores) {
        for store in &stores {
            for bit in 0..8 * bytes.len() {
                let mut flipped = bytes.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                let refused = shelf.open(store, &flipped).unwrap_err();
                let expected = match (bit / 8, &refused) {
                    (0..8, Error::NotADiagram { .. })
                    | (8..12 | 20.., Error::Damaged { .. })
                    | (12..16, Error::UnknownVersion { known: 1, .. })
                    | (16..20, Error::UnknownWidth { .. }) => true,
                    (byte @ 40.., Error::NotCanonical { .. }) => byte < bytes.len() - 16,
                    _ => false,
                };
                assert!(expected, "bit {bit}: {refused:?}");
            }
            assert_eq!(store.stats().temp_bytes, 0);
        }
    }
}

#[test]
fn files_of_another_version_byte_order_or_width_are_refused_by_name() {
    let shelf = Shelf::new();
    let image = Image::new(32, &[[9, 2], [3, 1]], &[[0, 1], [1, 0], [2, 3]]);
    for store in stores_on(&shelf) {
        let open = |image: Image| shelf.open(&store, &image.bytes()).unwrap_err();
        let refused = open(Image { version: 2, ..image.clone() });
        assert!(matches!(refused, Error::UnknownVersion { found: 2, known: 1, .. }), "{refused:?}");
        assert!(refused.to_string().contains("version 2"), "{refused}");
        let refused = open(Image { order: 0x0403_0201, ..image.clone() });
        assert!(matches!(refused, Error::OtherByteOrder { .. }), "{refused:?}");
        assert!(refused.to_string().contains("big-endian"), "{refused}");
        for width in [0, 16, 33, 48, 128, u32::MAX] {
            let refused = open(Image { width, ..image.clone() });
            assert!(matches!(refused, Error::UnknownWidth { found, .. } if found == width), "{refused:?}");
            assert!(refused.to_string().contains(&format!("{width} bits")), "{refused}");
        }
        for flags in [2, 3, 1 << 31] {
            let refused = open(Image { flags, ..image.clone() });
            assert!(matches!(refused, Error::Damaged { .. }), "{refused:?}");
        }
    }
}

#[test]
fn counts_that_do_not_fit_the_file_are_refused_before_memory_is_taken() {
    let shelf = Shelf::new();
    let image = Image::new(32, &[[9, 2], [3, 1]], &[[0, 1], [1, 0], [2, 3]]);
    let huge = [4, 1 << 24, 1 << 31, 1 << 32, 1 << 59, 1 << 60, 1 << 61, 1 << 63, u64::MAX];
    for store in stores_on(&shelf) {
        for width in [32, 64] {
            for count in huge {
                for image in [
                    Image { width, levels: count, ..image.clone() },
                    Image { width, nodes: count, ..image.clone() },
                    Image { width, levels: count, nodes: count, ..image.clone() },
                ] {
                    let refused = shelf.open(&store, &image.bytes()).unwrap_err();
                    assert!(matches!(refused, Error::Damaged { .. }), "{refused:?}");
                    // The same counts in a file of the length that the counts ask for, which ends in zeroes.
                    let len = 56 + 16 * u128::from(image.levels) + u128::from(width / 4) * u128::from(image.nodes);
                    let Ok(len) = u64::try_from(len) else { continue };
                    *shelf.claimed.lock().unwrap() = Some((len, Rest::Zeroes));
                    let bytes = image.bytes();
                    let refused = shelf.open(&store, &bytes[..bytes.len() - 16]).unwrap_err();
                    let expected = matches!(refused, Error::NotCanonical { .. } | Error::BudgetExceeded { .. });
                    assert!(expected, "{refused:?}");
                }
            }
        }
        for count in huge {
            let image = Image::new(32, &[[9, count], [3, 1]], &[[0, 1], [1, 0], [2, 3]]);
            assert_eq!(broken_by(shelf.open(&store, &image.bytes())), 1);
        }
        assert_eq!(store.stats().temp_bytes, 0);
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_refused() {
    let shelf = Shelf::new();
    let store = store_at(&shelf, None);
    let bytes = shelf.saved(&random_function(&store, 1, 8));
    for len in 0..bytes.len() {
        *shelf.claimed.lock().unwrap() = Some((bytes.len() as u64, Rest::Gone));
        let refused = shelf.open(&store, &bytes[..len]).unwrap_err();
        assert!(matches!(refused, Error::Damaged { .. }), "{len}: {refused:?}");
    }
}

/// The entries of a level table, or the children of nodes.
type Pairs<'a> = &'a [[u64; 2]];

#[test]
fn signed_files_that_break_an_invariant_are_refused_by_its_number() {
    let shelf = Shelf::new();
    let largest = u64::from(LARGEST_VARIABLE);
    let two = [[9, 2], [3, 1]];
    let cases: &[(&str, u8, Pairs, Pairs)] = &[
        ("fewer nodes on levels than there are", 1, &[[9, 1], [3, 1]], &[[0, 1], [1, 0], [2, 3]]),
        ("more nodes on levels than there are", 1, &[[9, 3], [3, 1]], &[[0, 1], [1, 0], [2, 3]]),
        ("no levels, but nodes", 1, &[], &[[0, 1]]),
        ("levels, but no nodes", 1, &[[3, 1]], &[]),
        ("an empty level below", 1, &[[9, 0], [3, 1]], &[[0, 1]]),
        ("an empty level above", 1, &[[9, 1], [3, 0]], &[[0, 1]]),
        ("counts that wrap around", 1, &[[9, 4], [3, u64::MAX]], &[[0, 1], [1, 0], [2, 3]]),
        ("levels upside down", 2, &[[3, 2], [9, 1]], &[[0, 1], [1, 0], [2, 3]]),
        ("one variable twice", 2, &[[3, 2], [3, 1]], &[[0, 1], [1, 0], [2, 3]]),
        ("a variable that is too large", 2, &[[largest + 1, 2], [3, 1]], &[[0, 1], [1, 0], [2, 3]]),
        ("a variable beyond 32 bits", 2, &[[9 + (1 << 32), 2], [3, 1]], &[[0, 1], [1, 0], [2, 3]]),
        ("a child on the same level", 2, &two, &[[0, 1], [0, 2], [2, 3]]),
        ("a child that is the node itself", 2, &two, &[[0, 1], [1, 0], [2, 4]]),
        ("a child on a higher level", 2, &two, &[[0, 1], [1, 4], [2, 3]]),
        ("a child beyond the last node", 2, &two, &[[0, 1], [1, 0], [2, 5]]),
        ("a child beyond all ids", 2, &two, &[[0, 1], [1, 0], [2, u64::MAX]]),
        ("a low child beyond all ids", 2, &two, &[[0, 1], [u64::MAX, 0], [2, 3]]),
        ("two equal children", 3, &two, &[[0, 1], [1, 0], [2, 2]]),
        ("two equal terminals", 3, &two, &[[0, 0], [1, 0], [2, 3]]),
        ("a node twice", 3, &two, &[[0, 1], [0, 1], [2, 3]]),
        ("a level out of order", 4, &two, &[[1, 0], [0, 1], [2, 3]]),
        ("a level out of order by its high children", 4, &[[9, 1], [5, 2], [3, 1]], &[[0, 1], [0, 2], [0, 1], [3, 4]]),
        ("two roots", 5, &[[9, 2]], &[[0, 1], [1, 0]]),
        ("a node that nothing leads to", 5, &two, &[[0, 1], [1, 0], [0, 2]]),
        ("a level that nothing leads to", 5, &[[9, 1], [3, 1]], &[[0, 1], [0, 1]]),
        ("nodes that lead to each other alone", 5, &[[9, 1], [5, 1], [3, 1]], &[[0, 1], [0, 2], [0, 1]]),
        ("true at the end of the low arcs", 6, &[[9, 1]], &[[1, 0]]),
        ("true at the end of longer low arcs", 6, &two, &[[0, 1], [1, 0], [3, 2]]),
    ];
    for store in stores_on(&shelf) {
        for (what, invariant, table, children) in cases {
            for width in [32, 64] {
                let image = Image::new(width, table, children);
                assert_eq!(broken_by(shelf.open(&store, &image.bytes())), *invariant, "{what}, {width} bits");
            }
        }
        assert_eq!(store.stats().temp_bytes, 0);
        let message = shelf.open(&store, &Image::new(32, cases[11].2, cases[11].3).bytes()).unwrap_err().to_string();
        for part in ["open", "node 3", "a child that is not below it", "invariant 2", "another copy"] {
            assert!(message.contains(part), "{message:?} does not say {part:?}");
        }
    }
}

/// Makes one to three random changes to `image`.
fn mutate(image: &mut Image, random: &mut Rng) {
    let pick = |random: &mut Rng, len: usize| random.usize(..len);
    for _ in 0..=random.u32(..3) {
        let ids = image.children.len() as u32 + 3;
        match random.u32(..12) {
            0 if !image.children.is_empty() => {
                let at = pick(random, image.children.len());
                image.children[at][random.usize(..2)] = random.u32(..ids).into();
            }
            1 if !image.children.is_empty() => {
                let (a, b) = (pick(random, image.children.len()), pick(random, image.children.len()));
                image.children.swap(a, b);
            }
            2 if !image.children.is_empty() => {
                let at = pick(random, image.children.len());
                image.children[at].swap(0, 1);
            }
            3 if !image.children.is_empty() => {
                let at = pick(random, image.children.len());
                image.children[at] = image.children[pick(random, image.children.len())];
            }
            4 if !image.children.is_empty() => drop(image.children.remove(pick(random, image.children.len()))),
            5 => image.children.push([random.u32(..ids).into(), random.u32(..ids).into()]),
            6 if !image.table.is_empty() => {
                let at = pick(random, image.table.len());
                let variable = random.u32(..10).into();
                image.table[at][0] =
                    if random.u32(..8) == 0 { u64::from(LARGEST_VARIABLE) + variable } else { variable };
            }
            7 if !image.table.is_empty() => {
                let at = pick(random, image.table.len());
                image.table[at][1] = random.u32(..5).into();
            }
            8 if !image.table.is_empty() => drop(image.table.remove(pick(random, image.table.len()))),
            9 if image.table.len() < 6 => {
                let place = pick(random, image.table.len() + 1);
                image.table.insert(place, [random.u32(..10).into(), random.u32(..4).into()]);
            }
            10 => image.flags ^= 1,
            // One more node that may well be canonical: on a level of its own, on top.
            _ if image.table.len() < 6 => {
                let root = image.children.len() as u64 + 1;
                let variable = image.table.last().map_or(9, |level| level[0].saturating_sub(1));
                image.table.push([variable, 1]);
                image.children.push(if random.bool() { [0, root] } else { [root, 0] });
            }
            _ => {}
        }
    }
    (image.levels, image.nodes) = (image.table.len() as u64, image.children.len() as u64);
    // More often than not, corrects the level table to the number of nodes.
    if random.u32(..4) > 0 && !image.table.is_empty() {
        let others: u64 = image.table[1..].iter().map(|level| level[1]).sum();
        image.table[0][1] = image.nodes.saturating_sub(others);
    }
}

#[test]
fn a_signed_file_is_opened_if_and_only_if_its_function_is_saved_as_its_bytes() {
    let shelf = Shelf::new();
    let stores = stores_on(&shelf);
    let [narrow, .., wide] = &stores;
    let of_width = |width| if width == 32 { narrow } else { wide };
    let mut random = Rng::with_seed(2024);
    let (mut opened, mut refused) = (0, 0);
    let mut broken = BTreeSet::new();
    for round in 0..6000 {
        let variables = 1 + random.u32(..4);
        let table: Vec<bool> = (0..1 << variables).map(|_| random.bool()).collect();
        let names: Vec<u32> = (0..variables).map(|at| 2 * at).collect();
        let f = of_table(of_width(if random.bool() { 32 } else { 64 }), &table, &names).unwrap();
        let mut image = Image::parse(&shelf.saved(&f));
        mutate(&mut image, &mut random);
        let bytes = image.bytes();

        // What is expected: the function that the bytes describe, built and saved.
        let expected = image.meaning().filter(|(names, _)| names.iter().all(|&name| name <= LARGEST_VARIABLE));
        let expected = expected.map(|(names, table)| match &table[..] {
            [value] => narrow.constant(*value),
            table => of_table(of_width(image.width), table, &names).unwrap(),
        });
        let canonical = expected.filter(|f| {
            let own = shelf.saved(f);
            own == bytes || f.is_constant() && image.nodes == 0 && image.levels == 0
        });
        let store = &stores[round % stores.len()];
        match shelf.open(store, &bytes) {
            Ok(f) => {
                opened += 1;
                f.validate().unwrap();
                let expected = canonical.unwrap_or_else(|| panic!("opened: {image:?}"));
                let again = shelf.open(store, &shelf.saved(&expected)).unwrap();
                assert_eq!(f, again, "{image:?}");
                assert_eq!(f.sat_count(12).unwrap(), expected.sat_count(12).unwrap(), "{image:?}");
                assert_eq!(f.support(), expected.support(), "{image:?}");
            }
            Err(error) => {
                refused += 1;
                let Error::NotCanonical { invariant, .. } = error else { panic!("{error:?}: {image:?}") };
                broken.insert(invariant);
                assert!(canonical.is_none(), "invariant {invariant}: {image:?}");
            }
        }
    }
    assert!(opened > 300 && refused > 3000, "{opened} opened, {refused} refused");
    assert_eq!(broken, [1, 2, 3, 4, 5, 6].into());
}

#[test]
fn files_of_random_bytes_with_a_right_checksum_are_refused_or_canonical() {
    let shelf = Shelf::new();
    let stores = stores_on(&shelf);
    let files = small_files(&shelf, &stores);
    let mut random = Rng::with_seed(7);
    let mut opened = 0;
    for round in 0..8000 {
        let bytes = &files[random.usize(..files.len())];
        let mut bytes = bytes[..bytes.len() - 16].to_vec();
        for _ in 0..=random.u32(..3) {
            // The header is mostly left alone, or nearly every file would fail there.
            let first = if random.u32(..4) == 0 || bytes.len() <= 40 { 16 } else { 40 };
            let at = random.usize(first..bytes.len());
            bytes[at] = match random.u32(..3) {
                0 => random.u32(..) as u8,
                1 => random.u32(..8) as u8,
                _ => bytes[at] ^ 1 << random.u32(..8),
            };
        }
        if let Ok(f) = shelf.open(&stores[round % stores.len()], &signed(&bytes)) {
            opened += 1;
            f.validate().unwrap();
            // A file that opens is canonical: it is saved as the same bytes, but for the width of ids.
            let image = Image { width: 32, ..Image::parse(&signed(&bytes)) };
            let again = Image { width: 32, ..Image::parse(&shelf.saved(&f)) };
            assert_eq!(image.bytes(), again.bytes());
        }
    }
    assert!(opened > 50, "{opened}");
    assert!(stores.iter().all(|store| store.stats().temp_bytes == 0));
}

#[test]
fn a_file_of_more_levels_than_the_budget_holds_is_refused_for_that() -> Result<()> {
    let shelf = Shelf::new();
    let roomy = store_at(&shelf, None);
    let mut builder = roomy.builder()?;
    let mut chain = BuilderNode::from(true);
    for variable in (0..2000).rev() {
        chain = builder.add_node(variable, false, chain)?;
    }
    let chain = builder.build()?;
    let bytes = shelf.saved(&chain);
    for tables in [0, 1000, 20_000, 60_000, 120_000, 180_000, 240_000, 300_000] {
        let cramped = store_at(&shelf, Some(limits(|limits| (limits.tables, limits.common) = (tables, 0))));
        for _ in 0..2 {
            let refused = shelf.open(&cramped, &bytes).unwrap_err();
            assert!(matches!(refused, Error::BudgetExceeded { .. }), "{tables}: {refused:?}");
        }
        // No table of a file is in memory, so less will do.
        match cramped.import(&chain) {
            Ok(copy) => assert!(tables >= 60_000 && copy == chain, "{tables}"),
            Err(refused) => {
                assert!(tables < 60_000 && matches!(refused, Error::BudgetExceeded { .. }), "{tables}: {refused:?}");
            }
        }
        assert_eq!(cramped.stats().table_bytes_left, tables as u64);
        assert_eq!(shelf.open(&cramped, &Image::new(32, &[], &[]).bytes())?, roomy.constant(false));
    }
    let enough = store_at(&shelf, Some(limits(|limits| limits.tables = 1_000_000)));
    assert_eq!(shelf.open(&enough, &bytes)?, chain);
    assert_eq!(enough.import(&chain)?, chain);
    // Files of zeroes with as many levels as there can be variables, and with one more.
    for (levels, nodes) in [(1 << 24, 1 << 24), ((1 << 24) + 1, (1 << 24) + 1)] {
        let image = Image { levels, nodes, ..Image::new(32, &[], &[]) };
        *shelf.claimed.lock().unwrap() = Some((56 + 16 * levels + 8 * nodes, Rest::Zeroes));
        let bytes = image.bytes();
        let refused = shelf.open(&enough, &bytes[..bytes.len() - 16]).unwrap_err();
        let expected = if levels > 1 << 24 {
            matches!(refused, Error::NotCanonical { invariant: 2, .. })
        } else {
            matches!(refused, Error::BudgetExceeded { .. })
        };
        assert!(expected, "{levels}: {refused:?}");
    }
    Ok(())
}

/// A store on a disk that can fail, two diagrams on that disk, and a folder of the user.
struct Day {
    disk: Arc<Disk>,
    store: Store,
    home: TempDir,
    f: Bdd,
    g: Bdd,
}

impl Day {
    fn new() -> Self {
        let disk = Disk::new();
        let store = store_at(&disk, Some(tight()));
        let (f, g) = (random_function(&store, 1, 7), hidden_weighted_bit(&store, 9));
        assert!(f.disk_bytes() > 0 && g.disk_bytes() > 0);
        Self { disk, store, home: tempfile::tempdir().unwrap(), f, g }
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("kept.strata")
    }

    /// Does `work` with one call of `action` that fails: the first, then the second, and so on to the last. `look`
    /// checks each error, and what is left then. Answers how many calls there were.
    fn check<T>(&self, action: &'static str, work: impl Fn() -> Result<T>, look: impl Fn(&Error)) -> u64 {
        let before = self.disk.calls(action);
        work().unwrap();
        let calls = self.disk.calls(action) - before;
        let temp_bytes = self.store.stats().temp_bytes;
        for k in 1..=calls {
            self.disk.fail(action, k);
            let outcome = work();
            assert!(self.disk.heal(), "call {k} to {action} never came");
            look(&outcome.err().expect("a call failed, and the work succeeded"));
            assert_eq!(self.store.stats().temp_bytes, temp_bytes, "after call {k} to {action}");
            assert_eq!(self.disk.names(), 0);
            self.f.validate().unwrap();
            self.g.validate().unwrap();
        }
        work().unwrap();
        calls
    }
}

#[test]
fn a_save_that_fails_leaves_the_old_file_and_nothing_beside_it() -> Result<()> {
    let day = Day::new();
    let path = day.path();
    for (action, said) in [
        ("save: create", "create"),
        ("save: write", "write"),
        ("save: sync", "sync"),
        ("save: rename", "rename"),
        ("read", ""),
    ] {
        // Where there is an old file, and where there is none.
        for old in [Some("the old file"), None] {
            let days = day.check(
                action,
                || {
                    if path.exists() {
                        fs::remove_file(&path).unwrap();
                    }
                    if let Some(old) = old {
                        fs::write(&path, old).unwrap();
                    }
                    day.f.save(&path)
                },
                |error| {
                    match error {
                        Error::SaveFailed { action: named, path: at, source } => {
                            assert_eq!((*named, at, source.kind()), (said, &path, io::ErrorKind::StorageFull));
                        }
                        Error::Io { action: "read", .. } => assert_eq!(action, "read"),
                        other => panic!("{other:?}"),
                    }
                    let names = names_in(day.home.path());
                    match old {
                        Some(old) => {
                            assert_eq!(names, ["kept.strata"], "{action}");
                            assert_eq!(fs::read_to_string(&path).unwrap(), old, "{action}");
                        }
                        None => assert!(names.is_empty(), "{action}: {names:?}"),
                    }
                },
            );
            let several = matches!(said, "write" | "");
            assert!(if several { days > 1 } else { days == 1 }, "{days} days for {action}");
        }
    }
    assert_eq!(day.store.open(&path)?, day.f);
    Ok(())
}

#[test]
fn a_folder_that_cannot_be_synced_is_an_error_but_the_new_file_stands() {
    let day = Day::new();
    let path = day.path();
    let action = "save: sync the folder of";
    let days = day.check(
        action,
        || {
            day.g.save(&path)?;
            day.f.save(&path)
        },
        |error| {
            let Error::SaveFailed { action: "sync the folder of", path: named, .. } = error else {
                panic!("{error:?}")
            };
            assert_eq!(named, &path);
            assert_eq!(names_in(day.home.path()), ["kept.strata"]);
            let kept = day.store.open(&path).unwrap();
            assert!(kept == day.f || kept == day.g);
        },
    );
    assert_eq!(days, 2);
}

#[test]
fn a_file_that_cannot_be_read_or_kept_fails_the_opening_and_nothing_else() -> Result<()> {
    let day = Day::new();
    let path = day.path();
    day.f.save(&path)?;
    let bytes = fs::read(&path).unwrap();
    for action in ["open: open", "open: read", "write", "read"] {
        let days = day.check(
            action,
            || day.store.open(&path),
            |error| match error {
                Error::OpenFailed { path: named, source } => {
                    assert!(action.starts_with("open: "), "{error:?}");
                    assert_eq!((named, source.kind()), (&path, io::ErrorKind::StorageFull));
                }
                Error::Io { action: named, .. } => assert_eq!(*named, action),
                other => panic!("{other:?}"),
            },
        );
        assert!(days > 0, "the work never asked to {action}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    // A store with nothing on disk yet has to create a file to keep the diagram.
    let disk = Disk::new();
    let other = store_at(&disk, Some(tight()));
    disk.fail("create", 1);
    assert!(matches!(other.open(&path), Err(Error::Io { action: "create", .. })));
    assert!(disk.heal());
    assert_eq!(other.open(&path)?, day.f);
    Ok(())
}

#[test]
fn an_import_that_cannot_read_or_write_fails_and_harms_nothing() -> Result<()> {
    let (day, other) = (Day::new(), store_at(&Disk::new(), Some(tight())));
    let foreign = random_function(&other, 3, 9);
    assert!(foreign.disk_bytes() > 0);
    let held = |store: &Store| {
        let stats = store.stats();
        (stats.memory_bytes, stats.table_bytes_left, stats.temp_bytes)
    };
    for (to, f, action) in [(&other, &day.f, "read"), (&day.store, &foreign, "write")] {
        let before = held(to);
        let days = day.check(
            action,
            || to.import(f),
            |error| {
                assert!(matches!(error, Error::Io { action: named, .. } if *named == action), "{error:?}");
                assert_eq!(held(to), before);
            },
        );
        assert!(days > 0, "the work never asked to {action}");
        let copy = to.import(f)?;
        assert_eq!(&copy, f);
        assert!(copy.disk_bytes() > 0);
        let operation = to.operations().pop().map(|last| last.operation);
        assert_eq!(operation, Some("import"));
    }
    Ok(())
}

#[test]
fn a_check_that_cannot_read_fails_and_harms_nothing() {
    let day = Day::new();
    let days = day.check(
        "read",
        || day.f.validate(),
        |error| assert!(matches!(error, Error::Io { action: "read", .. }), "{error:?}"),
    );
    assert!(days > 0, "nothing was read");
}

#[test]
fn the_message_of_a_save_that_failed_says_what_happened_where_and_what_to_do() {
    let day = Day::new();
    day.disk.fail("save: write", 1);
    let message = day.f.save(day.path()).unwrap_err().to_string();
    for part in ["write", "kept.strata", "a bad day", "free some space"] {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
}

/// The operating system's files, of which one bit may read flipped.
#[derive(Debug)]
struct Rot {
    os: Os,
    /// The bit, counted from the beginning of the file; `u64::MAX` for none.
    bit: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Rotten {
    inner: Box<dyn ScratchFile>,
    bit: Arc<AtomicU64>,
}

impl Backend for Rot {
    fn folder(&self) -> &Path {
        self.os.folder()
    }

    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(Rotten { inner: self.os.create()?, bit: self.bit.clone() }))
    }

    fn sort_folder(&self) -> io::Result<TempDir> {
        self.os.sort_folder()
    }

    fn create_beside(&self, target: &Path) -> io::Result<Box<dyn NewFile>> {
        self.os.create_beside(target)
    }

    fn open(&self, path: &Path) -> io::Result<OldFile> {
        self.os.open(path)
    }
}

impl ScratchFile for Rotten {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.inner.write_at(bytes, offset)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.inner.read_at(bytes, offset)?;
        let bit = self.bit.load(Relaxed);
        if let Some(byte) = (bit / 8).checked_sub(offset).and_then(|at| bytes.get_mut(at as usize)) {
            *byte ^= 1 << (bit % 8);
        }
        Ok(())
    }
}

#[test]
fn a_bit_that_flips_on_the_scratch_disk_is_found() {
    for narrow_ids in [1 << 30, 1] {
        let bit = Arc::new(AtomicU64::new(u64::MAX));
        let rot = Arc::new(Rot { os: Os::new(std::env::temp_dir()), bit: bit.clone() });
        let limits = Limits { narrow_ids, ..tight() };
        let extent = 8 * limits.block as u64;
        let store = store_at(&rot, Some(limits));
        let f = random_function(&store, 3, 5);
        f.validate().unwrap();
        // All nodes of `f` are in one extent, somewhere in the file.
        let is_of_f = |at: &u64| {
            bit.store(8 * at, Relaxed);
            f.nodes().any(|node| node.is_err())
        };
        let place = (0..1000).map(|place| place * extent).find(is_of_f).expect("the diagram is on disk");
        bit.store(u64::MAX, Relaxed);
        let path = std::env::temp_dir().join("a diagram that is never there");
        let values = [false, true].map(|value| f.eval(|_| value).unwrap());
        for at in 0..8 * f.disk_bytes() {
            bit.store(8 * place + at, Relaxed);
            for outcome in [f.validate(), f.save(&path)] {
                let Err(Error::Io { action: "read", source, .. }) = outcome else { panic!("bit {at}: {outcome:?}") };
                assert_eq!(source.kind(), io::ErrorKind::InvalidData);
            }
            for (value, expected) in [false, true].into_iter().zip(&values) {
                match f.eval(|_| value) {
                    Ok(found) => assert_eq!(found, *expected, "bit {at}"),
                    Err(error) => assert!(matches!(error, Error::Io { action: "read", .. }), "bit {at}: {error:?}"),
                }
            }
        }
        bit.store(u64::MAX, Relaxed);
        f.validate().unwrap();
        assert!(!path.exists());
    }
}

#[test]
fn diagrams_built_and_combined_in_every_kind_of_store_are_valid() -> Result<()> {
    for store in stores_on(&Shelf::new()) {
        store.constant(true).validate()?;
        let mut functions = product(&store, 5);
        functions.push(hidden_weighted_bit(&store, 10));
        for pair in functions.windows(2) {
            pair[0].validate()?;
            pair[0].xor(&pair[1])?.validate()?;
            pair[0].ite(&pair[1], &functions[0])?.negated().validate()?;
        }
    }
    Ok(())
}

#[test]
fn saving_and_opening_tell_of_every_level_and_can_be_stopped_at_each() -> Result<()> {
    for limits in [limits(|_| ()), limits(|limits| limits.narrow_ids = 1), tight()] {
        let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let (record, levels) = (heard.clone(), left.clone());
        let store = Store::new(Config {
            progress: Some(Arc::new(move |progress| {
                record.lock().unwrap().push(*progress);
                if levels.fetch_sub(1, Relaxed) > 1 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })),
            testing: Testing { limits: Some(limits), backend: None },
            ..Config::default()
        })?;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("f.strata");
        store.variable(0)?.save(&path)?;
        let before = fs::read(&path).unwrap();
        let f = random_function(&store, 3, 12);
        let temp_bytes = store.stats().temp_bytes;
        let mut upwards = f.support();
        upwards.reverse();

        let told = |operation| {
            let heard = std::mem::take(&mut *heard.lock().unwrap());
            assert!(heard.iter().all(|told| told.operation == operation));
            let copied = heard.into_iter().filter(|told| told.sweep == Sweep::Copy);
            copied.map(|told| (told.variable, told.nodes)).unzip::<_, _, Vec<_>, Vec<_>>()
        };
        heard.lock().unwrap().clear();
        for stop in (1..=12).chain([u64::MAX]) {
            left.store(stop, Relaxed);
            let saved = f.save(&path);
            let (variables, nodes) = told("save");
            assert_eq!(variables, upwards[..stop.min(12) as usize]);
            assert!(nodes.is_sorted_by(|a, b| a < b));
            if stop == u64::MAX {
                saved?;
                assert_eq!(nodes.last(), Some(&f.node_count()));
            } else {
                let place = upwards[stop as usize - 1];
                let stopped = saved.unwrap_err();
                assert!(
                    matches!(&stopped, Error::Stopped { operation: "save", sweep: Sweep::Copy, variable } if *variable == place)
                );
                assert_eq!(fs::read(&path).unwrap(), before);
            }
            assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        }
        for stop in (1..=12).chain([u64::MAX]) {
            left.store(stop, Relaxed);
            let opened = store.open(&path);
            let (variables, nodes) = told("open");
            assert_eq!(variables, upwards[..stop.min(12) as usize]);
            if stop == u64::MAX {
                assert_eq!(nodes.last(), Some(&f.node_count()));
                assert_eq!(opened?, f);
            } else {
                assert!(matches!(opened, Err(Error::Stopped { operation: "open", sweep: Sweep::Copy, .. })));
            }
            assert_eq!(store.stats().temp_bytes, temp_bytes);
        }
    }
    Ok(())
}

#[test]
fn opening_inside_a_callback_is_refused_and_saving_is_not() -> Result<()> {
    let home = tempfile::tempdir().unwrap();
    let (path, inside) = (home.path().join("x.strata"), home.path().join("y.strata"));
    let (outcomes, held): (Arc<Mutex<Vec<bool>>>, Arc<OnceLock<Bdd>>) = Default::default();
    let outside = default_store();
    outside.variable(0)?.save(&path)?;
    let (record, place, other) = (outcomes.clone(), path.clone(), outside.clone());
    let (f, saved) = (held.clone(), inside.clone());
    let store = Store::new(Config {
        progress: Some(Arc::new(move |_| {
            let refused = matches!(other.open(&place), Err(Error::InsideCallback));
            record.lock().unwrap().push(refused && f.get().is_none_or(|f| f.save(&saved).is_ok()));
            ControlFlow::Continue(())
        })),
        ..Config::default()
    })?;
    let f = held.get_or_init(|| random_function(&store, 3, 8));
    outcomes.lock().unwrap().clear();
    assert_eq!(store.open(&path)?, outside.variable(0)?);
    // One level was read and one visited: what was saved meanwhile was not reported.
    assert_eq!(*outcomes.lock().unwrap(), [true; 2]);
    assert_eq!(outside.open(&inside)?, *f);
    Ok(())
}
