//! The sets that experiments run on: files of the data folder, or artificial ones.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use onlinear::workshop::synthetic::{Generator, write_libsvm};
use onlinear::workshop::unpacked;
use onlinear::{Input, Keep, LabelChoice, ReadOptions, RowsInMemory, Watch};

use crate::experiment::{DataColumn, ExperimentKind};
use crate::options::{Host, RunOptions};
use crate::{prepare, rcv1};

/// Rows to learn from, and of kind `given` rows to test on.
pub struct RowSet {
    pub held: RowsInMemory,
    pub test: Option<RowsInMemory>,
    /// What tells these rows from others, of the same name and number though they be.
    pub checksum: String,
}

impl RowSet {
    fn new(held: RowsInMemory, test: Option<RowsInMemory>) -> RowSet {
        let checksum = format!("{:032x} {:032x?}", held.checksum(), test.as_ref().map(RowsInMemory::checksum));
        RowSet { held, test, checksum }
    }

    /// The artificial set of a column.
    pub fn generate(name: &str, rows: u64, seed: u64, max_memory: u64) -> anyhow::Result<RowSet> {
        let mut text = Vec::new();
        write_libsvm(&mut text, rows, &mut Generator::new(name, seed)?)?;
        let input = Input::Memory { name: name.into(), bytes: text.into() };
        let (read, labels) = (ReadOptions::default(), LabelChoice::default());
        Ok(RowSet::new(load(&input, read, &labels, max_memory, &mut ())?, None))
    }

    /// The rows to test on: those of the test file, or these, kept for it.
    pub fn tested(&self, kept: &[usize]) -> (&RowsInMemory, Vec<usize>) {
        match &self.test {
            Some(test) => (test, (0..test.len()).collect()),
            None => (&self.held, kept.to_vec()),
        }
    }
}

/// A set, or why there is none: it is drawn anew in each repeat, or cannot be had.
pub enum Availability {
    Set(Box<RowSet>),
    Drawn,
    Missing(String),
}

/// All sets of some experiments, each loaded once.
pub struct Shelf<'a> {
    options: &'a RunOptions,
    host: &'a dyn Host,
    sets: BTreeMap<String, Availability>,
}

impl<'a> Shelf<'a> {
    /// An empty shelf, to be filled from the data folder.
    pub fn new(options: &'a RunOptions, host: &'a dyn Host) -> Shelf<'a> {
        Shelf { options, host, sets: BTreeMap::new() }
    }

    /// Loads the set of a column, unless it is there.
    pub fn fetch(&mut self, data: &DataColumn, kind: ExperimentKind) -> anyhow::Result<()> {
        let key = key(data, kind);
        if !self.sets.contains_key(&key) {
            let found = self.find(data, kind)?;
            self.sets.insert(key, found);
        }
        Ok(())
    }

    /// The set of a column that was fetched.
    pub fn get(&self, data: &DataColumn, kind: ExperimentKind) -> Option<&Availability> {
        self.sets.get(&key(data, kind))
    }

    /// Loads the set of a column.
    fn find(&self, data: &DataColumn, kind: ExperimentKind) -> anyhow::Result<Availability> {
        if let (Some(name), Some(rows)) = (&data.generate, data.rows) {
            return Ok(match data.is_drawn_again() {
                true => Availability::Drawn,
                false => Availability::Set(RowSet::generate(name, rows, 1, self.options.max_memory)?.into()),
            });
        }
        let name = data.set.as_deref().unwrap_or_default();
        let positive = (!data.positive.is_empty()).then(|| data.positive.join(","));
        let labels = LabelChoice { positive, labels: None };
        let [train, test] = files(name);
        let test = data.test_set.as_ref().map_or(test, |name| files(name)[0].clone());
        // A size to learn from means that what follows in the same file is for testing.
        let wanted = [Some(train), (kind == ExperimentKind::Given && data.train.is_none()).then_some(test)];
        let needed: Vec<String> = wanted.iter().flatten().flat_map(|file| with_labels(file)).collect();
        if let Some(reason) = self.missing(&needed) {
            return Ok(Availability::Missing(reason));
        }
        let [file, test_file] = wanted.map(|name| name.and_then(|name| self.file(&name)));
        let Some(file) = file else { return Ok(Availability::Missing(format!("{name} has gone"))) };
        let load = |input: &Input, read: ReadOptions| {
            load(input, read, &labels, self.options.max_memory, &mut *self.host.reading())
        };
        let memory = |bytes: Vec<u8>| Input::Memory { name: name.into(), bytes: bytes.into() };
        let input = match name {
            rcv1::SET => memory(rcv1::labelled(&self.text(rcv1::VECTORS)?, &self.text(rcv1::TOPICS)?)?),
            _ => Input::File(file),
        };
        let mut held = load(&input, ReadOptions::default())?;
        if !data.prepare.is_empty() {
            let missing = prepare::places(&self.text(&format!("{name}.missing.txt"))?).context(name.to_string())?;
            let rows = prepare::prepared(&held, &data.prepare, &missing).context(name.to_string())?;
            held = load(&memory(rows), ReadOptions::default())?;
        }
        let test = test_file.map(|file| {
            let vocabulary = Some(held.about().vocabulary.clone().frozen());
            load(&Input::File(file), ReadOptions { vocabulary, ..ReadOptions::default() })
        });
        let test = test.transpose()?;
        Ok(Availability::Set(RowSet::new(held, test).into()))
    }

    /// The text of a file in the data folder; none where there is no such file.
    fn text(&self, name: &str) -> anyhow::Result<String> {
        let text = |file| anyhow::Ok(String::from_utf8(unpacked(&Input::File(file))?)?);
        self.file(name).map_or(Ok(String::new()), |file| text(file).with_context(|| name.to_string()))
    }

    /// The file of that name in the data folder, compressed or not.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let folder = self.options.data.as_ref()?;
        let mut files = ["", ".gz", ".zst"].into_iter().map(|end| folder.join(format!("{name}{end}")));
        files.find(|file| file.is_file())
    }

    /// Which of these files should be put where; `None` where all are there.
    fn missing(&self, names: &[String]) -> Option<String> {
        let missing =
            names.iter().filter(|name| self.file(name).is_none()).map(|name| format!("{name} (or {name}.gz)"));
        let missing = missing.collect::<Vec<_>>().join(", ");
        let folder = self.options.data.as_ref().map(|folder| folder.display().to_string());
        let folder = folder.unwrap_or("a folder and name that with --data or in ONLINEAR_DATA".to_string());
        (!missing.is_empty()).then(|| format!("put {missing} into {folder}"))
    }
}

/// What tells the place that a column's rows come from from others.
fn key(data: &DataColumn, kind: ExperimentKind) -> String {
    let given = (kind == ExperimentKind::Given).then_some(&data.test_set);
    let drawn = (&data.generate, data.rows, data.is_drawn_again());
    format!("{:?}", (&data.set, given, drawn, &data.positive, &data.prepare))
}

/// The files of a set's training rows and of its test rows, without the ending of compressed ones.
fn files(set: &str) -> [String; 2] {
    match set {
        rcv1::SET => [rcv1::VECTORS.to_string(), String::new()],
        "mnist" => ["train", "t10k"].map(|part| format!("mnist-{part}-images-idx3-ubyte")),
        _ => ["svm", "t.svm"].map(|ending| format!("{set}.{ending}")),
    }
}

/// A file and, where it has no labels itself, that of its labels.
fn with_labels(file: &str) -> Vec<String> {
    let labels = match file {
        rcv1::VECTORS => Some(rcv1::TOPICS.to_string()),
        _ => file.contains("-images-idx3-").then(|| file.replace("-images-idx3-", "-labels-idx1-")),
    };
    std::iter::once(file.to_string()).chain(labels).collect()
}

/// Reads all rows of a file.
fn load(
    input: &Input,
    read: ReadOptions,
    labels: &LabelChoice,
    max_memory: u64,
    watch: &mut dyn Watch,
) -> anyhow::Result<RowsInMemory> {
    Ok(RowsInMemory::load(input, &read, labels, &Keep { limit: None, cache: false, max_memory }, watch)?)
}
