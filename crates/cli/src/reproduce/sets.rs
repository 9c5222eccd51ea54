//! The sets that experiments run on: files of the data folder, or artificial ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onlinear::data::synthetic::{Generator, write_libsvm};
use onlinear::data::{Input, Keep, LabelChoice, ReadOptions};
use onlinear::evaluate::Held;

use super::experiment::{Data, Kind};
use crate::progress::Loading;
use crate::rows::most_of_memory;

/// Rows to learn from, and of kind `given` rows to test on.
pub struct Set {
    pub held: Held,
    pub test: Option<Held>,
}

impl Set {
    /// The artificial set of a column.
    pub fn generate(name: &str, rows: u64, seed: u64) -> anyhow::Result<Set> {
        let mut text = Vec::new();
        write_libsvm(&mut text, rows, &mut Generator::new(name, seed)?)?;
        let input = Input::Memory { name: name.into(), bytes: text.into() };
        Ok(Set { held: load(&input, ReadOptions::default(), &LabelChoice::default(), true)?, test: None })
    }

    /// Rows, features and rows of each class: what tells sets of the same name apart.
    pub fn size(&self) -> (usize, usize, Vec<usize>) {
        let mut classes = vec![0; self.held.classes().len()];
        (0..self.held.len()).for_each(|row| classes[self.held.class(row)] += 1);
        (self.held.len(), self.held.features(), classes)
    }
}

/// A set, or why there is none: it is drawn anew in each repeat, or cannot be had.
pub enum Found {
    Set(Set),
    Drawn,
    Missing(String),
}

/// All sets of some experiments, each loaded once.
pub struct Shelf<'a> {
    folder: Option<&'a Path>,
    quiet: bool,
    sets: BTreeMap<String, Found>,
}

impl<'a> Shelf<'a> {
    /// An empty shelf, to be filled from a folder.
    pub fn new(folder: Option<&'a Path>, quiet: bool) -> Shelf<'a> {
        Shelf { folder, quiet, sets: BTreeMap::new() }
    }

    /// Loads the set of a column, unless it is there.
    pub fn fetch(&mut self, data: &Data, kind: Kind) -> anyhow::Result<()> {
        let key = key(data, kind);
        if !self.sets.contains_key(&key) {
            let found = self.find(data, kind)?;
            self.sets.insert(key, found);
        }
        Ok(())
    }

    /// The set of a column that was fetched.
    pub fn get(&self, data: &Data, kind: Kind) -> Option<&Found> {
        self.sets.get(&key(data, kind))
    }

    /// Loads the set of a column.
    fn find(&self, data: &Data, kind: Kind) -> anyhow::Result<Found> {
        if let (Some(name), Some(rows)) = (&data.generate, data.rows) {
            return Ok(if data.fresh { Found::Drawn } else { Found::Set(Set::generate(name, rows, 1)?) });
        }
        let name = data.set.as_deref().unwrap_or_default();
        let positive = (!data.positive.is_empty()).then(|| data.positive.join(","));
        let labels = LabelChoice { positive, labels: None };
        let file = match self.file(&train_file(name)) {
            Ok(file) => file,
            Err(reason) => return Ok(Found::Missing(reason)),
        };
        let test_file = match kind == Kind::Given {
            true => match self.file(&data.test_set.as_ref().map_or_else(|| test_file(name), |name| train_file(name))) {
                Ok(file) => Some(file),
                Err(reason) => return Ok(Found::Missing(reason)),
            },
            false => None,
        };
        let held = load(&Input::File(file), ReadOptions::default(), &labels, self.quiet)?;
        let test = test_file.map(|file| {
            let vocabulary = Some(held.about().vocabulary.clone().frozen());
            load(&Input::File(file), ReadOptions { vocabulary, ..ReadOptions::default() }, &labels, self.quiet)
        });
        let test = test.transpose()?;
        Ok(Found::Set(Set { held, test }))
    }

    /// The file of that name in the data folder, or where it should be put.
    fn file(&self, name: &str) -> Result<PathBuf, String> {
        let Some(folder) = self.folder else {
            return Err(format!("put {name} (or {name}.gz) into a folder and name that with --data or in ONLINEAR_DATA"));
        };
        let mut files = ["", ".gz", ".zst"].into_iter().map(|end| folder.join(format!("{name}{end}")));
        files.find(|file| file.is_file()).ok_or_else(|| format!("put {name} (or {name}.gz) into {}", folder.display()))
    }
}

/// The same for columns whose rows come from one place.
fn key(data: &Data, kind: Kind) -> String {
    let given = (kind == Kind::Given).then_some(&data.test_set);
    format!("{:?}", (&data.set, given, &data.generate, data.rows, data.fresh, &data.positive))
}

/// The file of a set's training rows, without the ending of a compressed one.
fn train_file(set: &str) -> String {
    if set == "mnist" { "mnist-train-images-idx3-ubyte".to_string() } else { format!("{set}.svm") }
}

/// The file of its test rows.
fn test_file(set: &str) -> String {
    if set == "mnist" { "mnist-t10k-images-idx3-ubyte".to_string() } else { format!("{set}.t.svm") }
}

/// Reads all rows of a file.
fn load(input: &Input, read: ReadOptions, labels: &LabelChoice, quiet: bool) -> anyhow::Result<Held> {
    let keep = Keep { limit: None, cache: false, max_memory: most_of_memory() };
    Ok(Held::load(input, &read, labels, &keep, &mut Loading::new(quiet))?)
}
