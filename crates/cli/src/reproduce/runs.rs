//! One run of one learner, as an experiment describes it.

use std::collections::{BTreeMap, BTreeSet};

use onlinear::data::{Random, ScaleKind};
use onlinear::evaluate::{Epoch, Errors, Fresh, Normalize, Outcome, Passes, Run, Split, Watch, permutation};
use onlinear::{Error, Fact, Model, Spec};

use super::experiment::{BiasStage, Data, Entry, Kind, NormalizeStage, ScaleStage, Splitting};
use super::measure::Measure;
use super::sets::Set;
use crate::interrupt;
use crate::rows::most_of_memory;

/// What a run found.
pub type Measured = BTreeMap<Measure, f64>;

/// A learner on the rows of one repeat.
pub struct Job<'a> {
    pub data: &'a Data,
    pub kind: Kind,
    /// The rows; `None` where they are drawn for this repeat.
    pub set: Option<&'a Set>,
    pub fresh: Fresh,
    pub passes: u64,
    pub repeat: u64,
    pub wanted: BTreeSet<Measure>,
}

impl Job<'_> {
    /// Jobs with the same key are the same run.
    pub fn key(&self) -> String {
        format!("{:?} {} {:?} {} {}", self.kind, self.data.key(), self.fresh, self.passes, self.repeat)
    }

    /// Learns, and measures what is wanted.
    pub fn run(&self) -> anyhow::Result<Measured> {
        let drawn = match (self.set, &self.data.generate, self.data.rows) {
            (None, Some(name), Some(rows)) => Some(Set::generate(name, rows, self.repeat)?),
            _ => None,
        };
        let Some(set) = self.set.or(drawn.as_ref()) else { return Ok(Measured::new()) };
        let split = self.split(set.held.len());
        let passes = Passes::Exactly(if self.fresh.spec.is_batch() { 1 } else { self.passes });
        let run = Run { fresh: &self.fresh, rows: &split.train, passes, max_memory: most_of_memory() };
        let outcome = set.held.learn(&run, &mut Stopper)?;
        let trained = match outcome.train {
            None if self.wants(&[Measure::TrainError]) => Some(set.held.test(&outcome.model, &split.train)?),
            train => train,
        };
        let tested = match self.wants(&[Measure::TestError, Measure::TestMistakes]) {
            true => tested(set, &outcome.model, &split.test)?,
            false => None,
        };
        let value = |measure: &Measure| Some((*measure, measured(*measure, &outcome, trained, tested)?));
        Ok(self.wanted.iter().filter_map(value).collect())
    }

    /// Whether one of these is wanted.
    fn wants(&self, measures: &[Measure]) -> bool {
        measures.iter().any(|measure| self.wanted.contains(measure))
    }

    /// The rows of this repeat, of so many.
    fn split(&self, rows: usize) -> Split {
        let mut random = Random::new(self.repeat);
        let train = self.data.train.map_or(rows, |size| size.of(rows));
        let test = self.data.test.map_or(rows - train, |size| size.of(rows)).min(rows - train);
        match (self.kind, self.data.split) {
            (Kind::Given, _) => Split { train: (0..rows).collect(), test: Vec::new() },
            (Kind::Split, Splitting::First) => {
                Split { train: permutation(train, &mut random), test: (train..train + test).collect() }
            }
            (kind, _) => {
                let order = permutation(rows, &mut random);
                let test = if kind == Kind::Split { order[train..train + test].to_vec() } else { Vec::new() };
                Split { train: order[..train].to_vec(), test }
            }
        }
    }
}

/// The errors on the test file, or on rows kept for testing; `None` where there are none.
fn tested(set: &Set, model: &Model, rows: &[usize]) -> onlinear::Result<Option<Errors>> {
    match &set.test {
        Some(test) => test.test(model, &(0..test.len()).collect::<Vec<_>>()).map(Some),
        None if rows.is_empty() => Ok(None),
        None => set.held.test(model, rows).map(Some),
    }
}

/// A measure of a run; `None` where the learner does not have it.
fn measured(measure: Measure, outcome: &Outcome, trained: Option<Errors>, tested: Option<Errors>) -> Option<f64> {
    let model = &outcome.model;
    let total = model.counts.total();
    let fact = |wanted: &str| {
        let facts = model.learner.facts();
        facts.iter().find(|(name, _)| *name == wanted).and_then(|(_, fact)| match fact {
            Fact::Number(number) => Some(*number),
            Fact::Text(_) => None,
        })
    };
    let online = |value: f64| (total.trials > 0).then_some(value);
    match measure {
        Measure::MistakeRate => online(100.0 * total.mistakes as f64 / total.trials as f64),
        Measure::Mistakes => online(total.mistakes as f64),
        Measure::Updates => online(total.updates as f64),
        Measure::Support => model.learner.support().map(|count| count as f64),
        Measure::MatrixUpdates => model.learner.matrix_updates().map(|count| count as f64),
        Measure::Evaluations => fact("evaluations"),
        Measure::Rounds => fact("rounds_used"),
        Measure::TrainError => trained.map(|errors| 100.0 * errors.rate()),
        Measure::TestError => tested.map(|errors| 100.0 * errors.rate()),
        Measure::TestMistakes => tested.map(|errors| errors.errors as f64),
        // Of experiments that cannot be run yet.
        Measure::Certificate | Measure::LooError | Measure::Bound => None,
    }
}

/// The spec of a learner on a column, `{…}` filled in.
pub fn spec(entry: &Entry, data: &Data, settings: &[(String, f64)], repeat: u64) -> onlinear::Result<Spec> {
    let template = entry.specs.get(&data.column).or(entry.spec.as_ref());
    let mut text = template.cloned().unwrap_or_default().replace("{seed}", &repeat.to_string());
    for (name, value) in data.values.iter().chain(settings.iter().map(|(n, v)| (n, v))) {
        text = text.replace(&format!("{{{name}}}"), &value.to_string());
    }
    text.parse()
}

/// A learner with its stages: its own, else the column's, else those it has by itself.
pub fn fresh(entry: &Entry, data: &Data, spec: Spec, shuffle: Option<u64>) -> Fresh {
    let (own, column) = (&entry.stages, &data.stages);
    let batch = spec.is_batch();
    Fresh {
        scale: match own.scale.or(column.scale) {
            Some(ScaleStage::None) => None,
            Some(ScaleStage::Minmax) => Some(ScaleKind::MinMax),
            Some(ScaleStage::Standard) => Some(ScaleKind::Standard),
            None => batch.then_some(ScaleKind::MinMax),
        },
        normalize: match own.normalize.or(column.normalize) {
            None | Some(NormalizeStage::None) => Normalize::None,
            Some(NormalizeStage::L2) => Normalize::L2,
            Some(NormalizeStage::Lp) => Normalize::Lp,
        },
        bias: match own.bias.or(column.bias) {
            Some(BiasStage::One(wanted)) => wanted.then_some(1.0),
            Some(BiasStage::Value(value)) => Some(value),
            None => batch.then_some(1.0),
        },
        shuffle: shuffle.filter(|_| !batch),
        spec,
    }
}

/// Stops a run on Ctrl-C.
struct Stopper;

impl Watch for Stopper {
    fn pause(&mut self, _model: &Model) -> onlinear::Result<bool> {
        self.tick().map(|()| false)
    }

    fn epoch(&mut self, _epoch: &Epoch) -> onlinear::Result<()> {
        self.tick()
    }

    fn tick(&mut self) -> onlinear::Result<()> {
        if interrupt::requested() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
