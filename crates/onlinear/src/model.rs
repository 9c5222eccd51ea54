//! A model: a learner with everything needed to use it and to go on learning, and its file.
//!
//! The file is safetensors: named arrays and string metadata. `docs/model-format.md` describes it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::data::{Classes, CsvSchema, LabelRule, MOST_FEATURES, Scale, ScaleKind, Scratch, Stages, Vocabulary};
use crate::ensemble::{Learners, RestRound};
use crate::error::{Error, Result};
use crate::evaluate::{ROWS_AHEAD, Table};
use crate::learner::{Label, Leaves, Round, Step};
use crate::replacement::Replacement;
use crate::space::Rows;
use crate::spec::Spec;
use crate::state::{MOST_COUNTED, State, Tensor};

/// The value of `format` in the metadata.
const FORMAT: &str = "onlinear-model";
/// The version this program writes, and the newest it reads.
const VERSION: u32 = 1;
/// A longer header is not one; safetensors has the same limit.
const LONGEST_HEADER: u64 = 100_000_000;

/// What one pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassCounts {
    /// Trials.
    pub trials: u64,
    /// Trials with y·f(x) ≤ 0; for more than two classes those of every learner.
    pub mistakes: u64,
    /// Trials that changed the hypothesis; for more than two classes those of every learner.
    pub updates: u64,
}

/// What all trials so far did, pass by pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// One entry for each pass.
    pub passes: Vec<PassCounts>,
    /// The rows that a batch learner learned from at once.
    pub rows: u64,
    /// For more than two classes, trials whose largest score was that of a wrong class.
    pub multiclass_mistakes: u64,
}

impl Counts {
    /// Rows of a pass, or of all that a batch learner had.
    pub fn examples(&self) -> u64 {
        self.passes.last().map_or(self.rows, |pass| pass.trials)
    }

    /// All passes together.
    pub fn total(&self) -> PassCounts {
        self.passes.iter().fold(PassCounts::default(), |sum, pass| PassCounts {
            trials: sum.trials + pass.trials,
            mistakes: sum.mistakes + pass.mistakes,
            updates: sum.updates + pass.updates,
        })
    }
}

/// Memory that [`Model::scores`] uses again and again.
#[derive(Debug, Default)]
pub struct ScoreScratch {
    staged: Rows,
    scratch: Scratch,
    read: Scratch,
}

/// A learner, its classes, features and stages, and what it has done so far.
pub struct Model {
    /// The learner's name and parameters.
    pub spec: Spec,
    /// The learner itself, or one for each of more than two classes.
    pub learner: Learners,
    /// What the classes are called.
    pub classes: Classes,
    /// How features are known.
    pub vocabulary: Vocabulary,
    /// How many there are.
    pub features: usize,
    /// The columns of the CSV file it learned from, if it was one.
    pub csv: Option<CsvSchema>,
    /// What happens to rows before the learner sees them.
    pub stages: Stages,
    /// The seed that rows were shuffled with, if they were.
    pub shuffle: Option<u64>,
    /// What the trials did.
    pub counts: Counts,
    /// min y·f(x)/‖w‖ over the training rows, where it was computed and is positive.
    pub margin: Option<f64>,
}

impl Model {
    /// A fresh model of `spec` with no stages.
    pub fn new(spec: Spec, classes: Classes) -> Model {
        Model {
            learner: Learners::new(&spec, classes.len()),
            spec,
            classes,
            vocabulary: Vocabulary::Indexed,
            features: 0,
            csv: None,
            stages: Stages::default(),
            shuffle: None,
            counts: Counts::default(),
            margin: None,
        }
    }

    /// Begins a pass: the trials that follow count towards it.
    pub fn begin_pass(&mut self) {
        self.counts.passes.push(PassCounts::default());
    }

    /// Counts a trial between two classes.
    #[inline]
    pub(crate) fn count_round(&mut self, round: &Round, y: Label) {
        self.count(u64::from(round.is_mistake(y)), u64::from(round.step != Step::Stay));
    }

    /// Counts a trial among more than two classes.
    pub(crate) fn count_rest(&mut self, round: &RestRound) {
        self.count(round.mistakes, round.updates);
        self.counts.multiclass_mistakes += u64::from(round.is_mistake());
    }

    #[inline]
    fn count(&mut self, mistakes: u64, updates: u64) {
        if self.counts.passes.is_empty() {
            self.begin_pass();
        }
        if let Some(pass) = self.counts.passes.last_mut() {
            pass.trials += 1;
            pass.mistakes += mistakes;
            pass.updates += updates;
        }
    }

    /// The model's scores of rows as they were read, one after another; features it does not know
    /// are ignored. More than two classes have a score each for every row, in the order of classes;
    /// [`crate::predicted_class`] picks one.
    pub fn scores(&self, rows: &Rows, scratch: &mut ScoreScratch) -> Vec<f64> {
        self.scores_of(rows, 0..rows.len(), scratch)
    }

    /// The same of some rows of a table.
    pub fn scores_of(&self, table: &(impl Table + ?Sized), rows: Range<usize>, scratch: &mut ScoreScratch) -> Vec<f64> {
        let mut scores = Vec::with_capacity(rows.len());
        let ScoreScratch { staged, scratch, read } = scratch;
        let alone = self.learner.is_alone().then(|| self.learner.first().leaves());
        let block = alone.as_ref().map_or(usize::MAX, Leaves::block);
        for i in rows.clone() {
            if i + ROWS_AHEAD < rows.end {
                table.announce(i + ROWS_AHEAD);
            }
            let x = table.row(i, &mut read.indices, &mut read.values).within(self.features);
            let x = self.stages.apply(x, scratch);
            match &alone {
                Some(leaves) if block == 1 => scores.push(leaves.score(x)),
                Some(leaves) => {
                    staged.push_row(x);
                    if staged.len() == block || i + 1 == rows.end {
                        leaves.scores(staged, &mut scores);
                        staged.clear();
                    }
                }
                None => staged.push_row(x),
            }
        }
        if alone.is_none() {
            scores = self.learner.scores(staged);
            staged.clear();
        }
        scores
    }

    /// Writes the model to `path`: to a temporary file first, which then takes its place, so that
    /// the old file stays whole whatever happens on the way.
    pub fn save(&mut self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes().map_err(|error| about_file(error, path))?;
        let write = || {
            let mut file = Replacement::of(path)?;
            file.write_all(&bytes)?;
            file.complete()
        };
        write().map_err(|error| Error::io(path.display(), error))
    }

    /// Reads a model and verifies it.
    pub fn load(path: &Path) -> Result<Model> {
        let name = path.display().to_string();
        let about = std::fs::metadata(path).map_err(|error| Error::io(&name, error))?;
        if about.is_dir() {
            return Err(Error::data(&name, "is a directory; expected a model file"));
        }
        let bytes = File::open(path).and_then(read_file).map_err(|error| Error::io(&name, error))?;
        Model::from_bytes(&bytes).map_err(|error| about_file(error, path))
    }

    /// The model file as bytes.
    pub fn to_bytes(&mut self) -> Result<Vec<u8>> {
        let mut state = State::saving();
        self.learner.state(&mut state)?;
        if let Some(scale) = &mut self.stages.scale {
            state.within("scale", |state| scale.state(state))?;
        }
        if let Some(names) = self.vocabulary.names() {
            let mut ends: Vec<u64> = Vec::with_capacity(names.len());
            let mut bytes = Vec::new();
            for name in names {
                bytes.extend_from_slice(name);
                ends.push(bytes.len() as u64);
            }
            state.u64s("features.ends", &mut ends)?;
            state.u8s("features.names", &mut bytes)?;
        }
        let tensors = state.into_tensors();
        if let Some((name, _)) = tensors.iter().find(|(_, tensor)| !is_finite(tensor)) {
            return Err(refusal(format!("tensor '{name}' holds a number that is not finite; nothing was saved")));
        }
        let mut metadata = self.metadata();
        metadata.insert("checksum".to_string(), checksum(&metadata, &tensors));
        Ok(encode(&metadata, &tensors))
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        let (hash, named) = match &self.vocabulary {
            Vocabulary::Hashed { bits } => (Some(*bits), false),
            Vocabulary::Named { .. } => (None, true),
            Vocabulary::Indexed => (None, false),
        };
        let rule = LabelRule::ALL.iter().find(|(rule, _)| *rule == self.classes.rule()).map(|(_, name)| *name);
        let preprocessing = json!({
            "features": self.features,
            "named": named,
            "hash": hash,
            "csv": self.csv.as_ref().map(CsvSchema::to_json),
            "label_rule": rule,
            "scale": self.stages.scale.as_ref().map(|scale| scale.kind.name()),
            "normalize": self.stages.normalize,
            "bias": self.stages.bias,
            "shuffle": self.shuffle,
        });
        let total = self.counts.total();
        let per_pass: Vec<Json> = self.counts.passes.iter().map(|p| json!([p.trials, p.mistakes, p.updates])).collect();
        let mut counts = json!({
            "trials": total.trials,
            "mistakes": total.mistakes,
            "updates": total.updates,
            "per_pass": per_pass,
            "rows": self.counts.rows,
            "margin": self.margin,
        });
        if !self.learner.is_alone() {
            counts["multiclass_mistakes"] = json!(self.counts.multiclass_mistakes);
        }
        let labels = json!(self.classes.names());
        [
            ("format", FORMAT.to_string()),
            ("version", VERSION.to_string()),
            ("spec", self.spec.to_string()),
            ("labels", labels.to_string()),
            ("preprocessing", preprocessing.to_string()),
            ("counts", counts.to_string()),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_string(), value))
        .collect()
    }

    /// Reads a model file and verifies all of it: a file that is accepted is what this program would save, to the bit.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        Model::decoded(bytes).map_err(printable)
    }

    fn decoded(bytes: &[u8]) -> Result<Model> {
        let (metadata, tensors) = decode(bytes)?;
        let text =
            |key: &str| metadata.get(key).map(String::as_str).ok_or_else(|| refusal(format!("it has no '{key}'")));
        if metadata.get("format").map(String::as_str) != Some(FORMAT) {
            return Err(refusal("it is a safetensors file, but not one of onlinear's"));
        }
        match text("version")?.parse::<u32>() {
            Ok(VERSION) => {}
            Ok(newer) if newer > VERSION => {
                return Err(refusal(format!("its version {newer} is newer than this program, which knows {VERSION}")));
            }
            _ => return Err(refusal(format!("its version is '{}'", text("version")?))),
        }
        if *text("checksum")? != checksum(&metadata, &tensors) {
            return Err(refusal("the checksum does not match: the file was damaged or edited"));
        }
        if let Some((name, _)) = tensors.iter().find(|(_, tensor)| !is_finite(tensor)) {
            return Err(refusal(format!("tensor '{name}' holds a number that is not finite")));
        }
        if !bytes.starts_with(&header(&metadata, &tensors)) {
            return Err(refusal("its header is not laid out as this program writes it"));
        }
        let parse = |key: &str| -> Result<Json> {
            serde_json::from_str(text(key)?).map_err(|_| refusal(format!("'{key}' is not JSON")))
        };
        let spec: Spec =
            text("spec")?.parse().map_err(|error: Error| refusal(format!("its spec is wrong: {error}")))?;
        let mut state = State::loading(tensors);
        let about = Preprocessing::read(&parse("preprocessing")?, &parse("labels")?, &mut state)
            .ok_or_else(|| refusal("'preprocessing' or 'labels' is incomplete"))?;
        let (counts, margin) = read_counts(&parse("counts")?).ok_or_else(|| refusal("'counts' is incomplete"))?;
        about.check()?;
        let Preprocessing { features, vocabulary, csv, classes, stages, shuffle } = about;
        let most = stages.features_after(features);
        let mut learner = Learners::new(&spec, classes.len());
        check_counts(&counts, learner.len() as u64)?;
        state.limit_features(most);
        learner.state(&mut state)?;
        if let Some(name) = state.into_tensors().keys().next() {
            return Err(refusal(format!("tensor '{name}' does not belong to {}", spec.algorithm().name)));
        }
        if learner.iter().any(|learner| learner.leaves().weights().is_some_and(|weights| weights.len() > most)) {
            return Err(refusal("it has more weights than features"));
        }
        let model = Model { spec, learner, classes, vocabulary, features, csv, stages, shuffle, counts, margin };
        let ours = model.metadata();
        match metadata.iter().find(|(key, value)| *key != "checksum" && ours.get(*key) != Some(*value)) {
            Some((key, _)) if ours.contains_key(key) => {
                Err(refusal(format!("'{key}' is not as this program writes it")))
            }
            Some((key, _)) => Err(refusal(format!("'{key}' does not belong to a model"))),
            None => Ok(model),
        }
    }
}

/// All bytes of a model file, but no more than the first ones of a file that begins as none does.
fn read_file(mut file: File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    (&mut file).take(8).read_to_end(&mut bytes)?;
    if <[u8; 8]>::try_from(&bytes[..]).is_ok_and(|length| (1..=LONGEST_HEADER).contains(&u64::from_le_bytes(length))) {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The refusal without anything that would move a terminal's cursor: it may quote the file.
fn printable(error: Error) -> Error {
    match error {
        Error::Model { file, reason } => {
            let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
            Error::Model { file, reason: reason.chars().map(plain).collect() }
        }
        other => other,
    }
}

fn refusal(reason: impl Into<String>) -> Error {
    Error::Model { file: String::new(), reason: reason.into() }
}

/// The refusal with the file it is about.
fn about_file(error: Error, path: &Path) -> Error {
    let reason = match error {
        Error::Model { reason, .. } => reason,
        other => other.to_string(),
    };
    Error::Model { file: path.display().to_string(), reason }
}

/// The part of a model that is about data.
struct Preprocessing {
    features: usize,
    vocabulary: Vocabulary,
    csv: Option<CsvSchema>,
    classes: Classes,
    stages: Stages,
    shuffle: Option<u64>,
}

impl Preprocessing {
    fn read(json: &Json, labels: &Json, state: &mut State) -> Option<Preprocessing> {
        let features = usize::try_from(json.get("features")?.as_u64()?).ok()?;
        let vocabulary = match (json.get("named")?.as_bool()?, json.get("hash")?.as_u64()) {
            (true, None) => read_names(state)?,
            (false, Some(bits @ 1..=31)) => Vocabulary::Hashed { bits: bits as u32 },
            (false, None) => Vocabulary::Indexed,
            _ => return None,
        };
        let csv = match json.get("csv")? {
            Json::Null => None,
            schema => Some(CsvSchema::from_json(schema)?),
        };
        let rule = json.get("label_rule")?.as_str()?;
        let rule = LabelRule::ALL.iter().find(|(_, name)| *name == rule)?.0;
        let names = labels.as_array()?.iter().map(|name| name.as_str().map(String::from));
        let classes = Classes::from_parts(rule, names.collect::<Option<_>>()?)?;
        let scale = match json.get("scale")? {
            Json::Null => None,
            kind => {
                let kind = ScaleKind::ALL.iter().find(|(_, name)| Some(*name) == kind.as_str())?.0;
                let mut scale = Scale { kind, center: Vec::new(), factor: Vec::new() };
                state.within("scale", |state| scale.state(state)).ok()?;
                Some(scale)
            }
        };
        let stages = Stages { scale, normalize: number(json.get("normalize")?)?, bias: number(json.get("bias")?)? };
        let shuffle = match json.get("shuffle")? {
            Json::Null => None,
            seed => Some(seed.as_u64()?),
        };
        Some(Preprocessing { features, vocabulary, csv, classes, stages, shuffle })
    }

    /// Whether the parts fit together.
    fn check(&self) -> Result<()> {
        let refuse = |what: &str| Err(refusal(format!("'preprocessing': {what}")));
        if self.features > MOST_FEATURES {
            return refuse("there are more features than there can be");
        }
        if self.vocabulary.len() > self.features {
            return refuse("there are fewer features than names or places of a hash");
        }
        if self.csv.is_some() && matches!(self.vocabulary, Vocabulary::Indexed) {
            return refuse("columns have no names");
        }
        if self.stages.scale.as_ref().is_some_and(|scale| scale.center.len() > self.features) {
            return refuse("more features are scaled than there are");
        }
        if self.stages.normalize.is_some_and(|p| p < 1.0) {
            return refuse("rows are normalised by no norm");
        }
        Ok(())
    }
}

/// Whether counts can be those of so many learners.
fn check_counts(counts: &Counts, learners: u64) -> Result<()> {
    let trials = counts.passes.iter().try_fold(counts.rows, |sum, pass| sum.checked_add(pass.trials));
    let fits = |count: u64, trials: u64| count <= trials.saturating_mul(learners);
    let is_sound = trials.is_some_and(|trials| trials <= MOST_COUNTED && counts.multiclass_mistakes <= trials)
        && counts.passes.iter().all(|pass| fits(pass.mistakes, pass.trials) && fits(pass.updates, pass.trials));
    if is_sound { Ok(()) } else { Err(refusal("'counts' are not those of a run")) }
}

/// A number or null; `None` for anything else.
fn number(json: &Json) -> Option<Option<f64>> {
    match json {
        Json::Null => Some(None),
        json => json.as_f64().map(Some),
    }
}

fn read_names(state: &mut State) -> Option<Vocabulary> {
    let (mut ends, mut bytes) = (Vec::new(), Vec::new());
    state.u64s("features.ends", &mut ends).ok()?;
    state.u8s("features.names", &mut bytes).ok()?;
    let mut start = 0;
    let mut names = Vec::with_capacity(ends.len());
    for end in ends {
        let end = usize::try_from(end).ok()?;
        names.push(bytes.get(start..end)?);
        start = end;
    }
    (start == bytes.len()).then(|| Vocabulary::from_names(names))?
}

fn read_counts(json: &Json) -> Option<(Counts, Option<f64>)> {
    let passes = json.get("per_pass")?.as_array()?.iter().map(|pass| {
        let count = |i: usize| pass.get(i)?.as_u64();
        Some(PassCounts { trials: count(0)?, mistakes: count(1)?, updates: count(2)? })
    });
    let rows = json.get("rows")?.as_u64()?;
    let multiclass_mistakes = json.get("multiclass_mistakes").map_or(Some(0), Json::as_u64)?;
    Some((
        Counts { passes: passes.collect::<Option<Vec<_>>>()?, rows, multiclass_mistakes },
        number(json.get("margin")?)?,
    ))
}

fn is_finite(tensor: &Tensor) -> bool {
    match tensor {
        Tensor::F64(values) => values.iter().all(|v| v.is_finite()),
        _ => true,
    }
}

fn little_endian(tensor: &Tensor) -> Vec<u8> {
    match tensor {
        Tensor::F64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Tensor::U64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Tensor::U32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        Tensor::U8(values) => values.clone(),
    }
}

/// CRC-32 over all metadata but the checksum itself and over all tensors, in order of their names.
fn checksum(metadata: &BTreeMap<String, String>, tensors: &BTreeMap<String, Tensor>) -> String {
    let mut crc = crc32fast::Hasher::new();
    let mut part = |bytes: &[u8]| {
        crc.update(&(bytes.len() as u64).to_le_bytes());
        crc.update(bytes);
    };
    for (key, value) in metadata.iter().filter(|(key, _)| *key != "checksum") {
        part(key.as_bytes());
        part(value.as_bytes());
    }
    for (name, tensor) in tensors {
        part(name.as_bytes());
        part(tensor.kind().as_bytes());
        part(&little_endian(tensor));
    }
    format!("crc32:{:08x}", crc.finalize())
}

/// The arrays in the order of their data: wide elements first keep every array aligned.
fn in_order(tensors: &BTreeMap<String, Tensor>) -> Vec<(&String, &Tensor)> {
    let mut ordered: Vec<_> = tensors.iter().collect();
    ordered.sort_by_key(|(_, tensor)| std::cmp::Reverse(tensor.width()));
    ordered
}

/// What stands in front of the data: the length of the JSON header, and the header. The crate's own writer orders
/// metadata at random; ours gives the same bytes for the same model.
fn header(metadata: &BTreeMap<String, String>, tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".to_string(), json!(metadata));
    let mut start = 0;
    for (name, tensor) in in_order(tensors) {
        let end = start + tensor.len() * tensor.width();
        header.insert(
            name.clone(),
            json!({"dtype": tensor.kind(), "shape": [tensor.len()], "data_offsets": [start, end]}),
        );
        start = end;
    }
    let mut text = Json::Object(header).to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    [&(text.len() as u64).to_le_bytes()[..], &text].concat()
}

/// Writes the safetensors layout: header length, JSON header, arrays.
fn encode(metadata: &BTreeMap<String, String>, tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let mut file = header(metadata, tensors);
    in_order(tensors).into_iter().for_each(|(_, tensor)| file.extend_from_slice(&little_endian(tensor)));
    file
}

type Decoded = (BTreeMap<String, String>, BTreeMap<String, Tensor>);

fn decode(bytes: &[u8]) -> Result<Decoded> {
    use safetensors::{Dtype, SafeTensors};
    let wrong = |error: safetensors::SafeTensorError| refusal(format!("it is not a whole safetensors file ({error})"));
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(wrong)?;
    let file = SafeTensors::deserialize(bytes).map_err(wrong)?;
    let metadata = header.metadata().clone().unwrap_or_default().into_iter().collect();
    let mut tensors = BTreeMap::new();
    for (name, view) in file.tensors() {
        let data = view.data();
        let tensor = match view.dtype() {
            Dtype::F64 => Tensor::F64(data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
            Dtype::U64 => Tensor::U64(data.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect()),
            Dtype::U32 => Tensor::U32(data.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()),
            Dtype::U8 => Tensor::U8(data.to_vec()),
            other => return Err(refusal(format!("tensor '{name}' is of type {other:?}"))),
        };
        tensors.insert(name, tensor);
    }
    Ok((metadata, tensors))
}
