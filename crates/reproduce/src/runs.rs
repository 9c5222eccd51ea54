//! One run of one learner, as an experiment describes it.

use std::collections::{BTreeMap, BTreeSet};

use onlinear::workshop::{
    Epoch, Fact, Log, Order, Random, Risk, Run, Scratch, Split, StageChoices, Stop, TestPoints, Value, permutation,
};
use onlinear::{Error, Errors, Label, Model, Passes, Recipe, Round, Spec, StageSpec, Step, Watch};

use crate::deflation;
use crate::experiment::{DataColumn, LearnerRow, Repeat, Splitting};
use crate::measure::Measure;
use crate::options::RunOptions;
use crate::sets::RowSet;
use crate::track::{Measurements, Track, TrackStop};

/// A run that should end when a pass has no mistake ends after so many passes all the same.
const MOST_PASSES: u64 = 1000;

/// A learner on the rows of one repeat.
pub struct Job<'a> {
    pub options: &'a RunOptions,
    pub data: &'a DataColumn,
    pub repeat_is: Repeat,
    /// The rows; `None` where they are drawn for this repeat.
    pub set: Option<&'a RowSet>,
    pub fresh: Recipe,
    pub passes: u64,
    pub repeat: u64,
    pub wanted: BTreeSet<Measure>,
    pub stops: BTreeSet<TrackStop>,
}

impl Job<'_> {
    /// Jobs with the same key are the same run.
    pub fn key(&self) -> String {
        let Recipe { spec, stages, shuffle, .. } = &self.fresh;
        let stages = stages.iter().map(StageSpec::to_string).collect::<Vec<_>>().join("/");
        let learner = format!("{spec} {stages} {shuffle:?} {:?}", self.passes());
        format!("{learner} {:?} {} {}", self.repeat_is, self.data.key(), self.repeat)
    }

    /// What tells this run, of this version on these rows and looked at in this way, from all others.
    pub fn full_key(&self) -> String {
        let rows = self.set.map(|set| &set.checksum);
        format!("{} {} {rows:?} {:?} {:?}", env!("CARGO_PKG_VERSION"), self.key(), self.wanted, self.stops)
    }

    /// Learns, and measures what is wanted.
    pub fn run(&self) -> anyhow::Result<Track> {
        let drawn = match (self.set, &self.data.generate, self.data.rows) {
            (None, Some(name), Some(rows)) => {
                let seed = self.data.seed_of(self.repeat);
                Some(RowSet::generate(name, rows, seed, self.options.max_memory)?)
            }
            _ => None,
        };
        match self.set.or(drawn.as_ref()) {
            Some(set) => self.run_to_its_end(set),
            None => Ok(Track::default()),
        }
    }

    /// Learns from a set. A learner whose numbers grow too large on these rows fails alone; other runs go on.
    fn run_to_its_end(&self, set: &RowSet) -> anyhow::Result<Track> {
        match self.run_on(set, &self.split(set.held.len())) {
            Err(error @ (Error::Row { .. } | Error::Data { .. })) => {
                Ok(Track { failure: Some(error.to_string()), ..Track::default() })
            }
            ended => Ok(ended?),
        }
    }

    /// Learns from these rows of a set.
    fn run_on(&self, set: &RowSet, split: &Split) -> onlinear::Result<Track> {
        let (epochs, (held, rows)) = (self.epochs(), set.tested(&split.test));
        let checkpoints = (!rows.is_empty()).then_some(TestPoints { epochs: &epochs, held, rows: &rows });
        let run = Run { checkpoints, ..self.run_over(&split.train) };
        let mut looker = Recorder::new(self, set, split);
        let outcome = set.held.learn(&run, &mut looker)?;
        let Recorder { mut stops, log, .. } = looker;
        for &(epoch, tested) in &outcome.tested {
            let value = |measure: &Measure| Some((*measure, error(*measure, None, Some(tested))?));
            stops.entry(TrackStop::Epochs(epoch)).or_default().extend(self.wanted.iter().filter_map(value));
        }
        let mut end = self.measured(set, split, &outcome.model, outcome.train)?;
        if let Some(log) = log.as_ref().filter(|_| self.wanted.iter().any(|measure| measure.is_of_deflation())) {
            end.extend(self.deflation(set, split, log)?);
        }
        if let Some(log) = log.as_ref().filter(|_| self.wants(&[Measure::Certificate])) {
            let bound = set
                .held
                .certify(&run, &outcome, log, Risk::CONFIDENCE, &mut Stopper(&self.options.stop))?
                .self_check
                .bound;
            end.extend(bound.map(|bound| (Measure::Certificate, bound)));
        }
        if self.wants(&[Measure::LooError]) {
            end.insert(Measure::LooError, self.leave_one_out(set, &split.train)?);
        }
        Ok(Track { stops, end, failure: None })
    }

    /// What the matrices of HO_2 made of the rows it was mistaken on.
    fn deflation(&self, set: &RowSet, split: &Split, log: &Log) -> onlinear::Result<Measurements> {
        let mut scratch = Scratch::default();
        let mut dense = |row: &usize| {
            let mut x = vec![0.0; set.held.features()];
            if let Some(row) = set.held.row(*row, &mut scratch) {
                row.for_each(|j, value| x[j] = value);
            }
            deflation::unit(x)
        };
        let rows: Vec<_> = split.train.iter().map(&mut dense).collect();
        let y: Vec<f64> = split.train.iter().map(|row| 2.0 * set.held.class(*row) as f64 - 1.0).collect();
        let mut order = match self.fresh.shuffle {
            Some(seed) => Order::shuffled_after_first(rows.len(), seed)?,
            None => Order::file(rows.len()),
        };
        let met: Vec<usize> = (0..self.passes).flat_map(|_| order.next_pass().collect::<Vec<_>>()).collect();
        let mistakes: Vec<usize> =
            met.into_iter().zip(0..).filter(|(_, t)| log.is_mistake(*t)).map(|(place, _)| place).collect();
        let c = match self.fresh.spec.get("deflation") {
            Some(Value::Number(c)) => c,
            _ => 0.0,
        };
        let found = deflation::measured(&rows, &y, &mistakes, c);
        Ok(found.into_iter().filter(|(measure, _)| self.wanted.contains(measure)).collect())
    }

    /// A run over these rows.
    fn run_over<'r>(&'r self, rows: &'r [usize]) -> Run<'r> {
        let max_memory = self.options.max_memory;
        Run { fresh: &self.fresh, rows, passes: self.passes(), max_memory, checkpoints: None }
    }

    /// How often the rows are passed over.
    fn passes(&self) -> Passes {
        match self.data.leave_one_out {
            true => Passes::UntilSeparated(MOST_PASSES),
            false => Passes::Exactly(if self.fresh.spec.is_batch() { 1 } else { self.passes }),
        }
    }

    /// The epochs after which a batch learner is tested.
    fn epochs(&self) -> Vec<u64> {
        let wanted = self.wants(&[Measure::TestError, Measure::TestMistakes]);
        let epoch = |stop: &TrackStop| match *stop {
            TrackStop::Epochs(epoch @ 1..) if wanted => Some(epoch),
            _ => None,
        };
        self.stops.iter().filter_map(epoch).collect()
    }

    /// The percentage of rows that a run without them gets wrong.
    fn leave_one_out(&self, set: &RowSet, rows: &[usize]) -> onlinear::Result<f64> {
        let mut wrong = 0;
        for (i, row) in rows.iter().enumerate() {
            let others = [&rows[..i], &rows[i + 1..]].concat();
            let model = set.held.learn(&self.run_over(&others), &mut Stopper(&self.options.stop))?.model;
            wrong += set.held.test(&model, &[*row])?.errors;
        }
        Ok(100.0 * wrong as f64 / rows.len() as f64)
    }

    /// What is wanted of a model; `trained` are its errors on the training rows, where they are known.
    fn measured(
        &self,
        set: &RowSet,
        split: &Split,
        model: &Model,
        trained: Option<Errors>,
    ) -> onlinear::Result<Measurements> {
        let trained = match trained {
            None if self.wants(&[Measure::TrainError]) => Some(set.held.test(model, &split.train)?),
            trained => trained,
        };
        let (held, rows) = set.tested(&split.test);
        let tested = match self.wants(&[Measure::TestError, Measure::TestMistakes]) && !rows.is_empty() {
            true => Some(held.test(model, &rows)?),
            false => None,
        };
        let value = |measure: &Measure| Some((*measure, measured(*measure, model, trained, tested)?));
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
        match (self.repeat_is, self.data.split) {
            (Repeat::Files, _) if self.data.train.is_none() => Split { train: (0..rows).collect(), test: Vec::new() },
            (Repeat::Files, _) => Split { train: (0..train).collect(), test: (train..train + test).collect() },
            (Repeat::Split, Splitting::First) => {
                Split { train: permutation(train, &mut random), test: (train..train + test).collect() }
            }
            (repeat, _) => {
                let order = permutation(rows, &mut random);
                let test = if repeat == Repeat::Split { order[train..train + test].to_vec() } else { Vec::new() };
                Split { train: order[..train].to_vec(), test }
            }
        }
    }
}

/// Looks at a run where its job wants that, and ends it when that is asked for.
struct Recorder<'a> {
    job: &'a Job<'a>,
    set: &'a RowSet,
    split: &'a Split,
    /// The stops yet to come of a learner that makes trials, the next one last, with their trials.
    due: Vec<(u64, TrackStop)>,
    stops: BTreeMap<TrackStop, Measurements>,
    /// The trials, where a certificate is wanted.
    log: Option<Log>,
}

impl<'a> Recorder<'a> {
    fn new(job: &'a Job<'a>, set: &'a RowSet, split: &'a Split) -> Recorder<'a> {
        let place = |stop: &TrackStop| (stop.trials(split.train.len() as u64, job.passes), *stop);
        let mut due: Vec<(u64, TrackStop)> = job.stops.iter().map(place).filter(|(trials, _)| *trials > 0).collect();
        due.sort_unstable_by(|a, b| b.cmp(a));
        let wants_log = |measure: &Measure| *measure == Measure::Certificate || measure.is_of_deflation();
        let log = job.wanted.iter().any(wants_log).then(Log::default);
        Recorder { job, set, split, due, stops: BTreeMap::new(), log }
    }
}

impl Watch for Recorder<'_> {
    fn trial(&mut self, _t: u64, y: Label, round: &Round) -> onlinear::Result<()> {
        if let Some(log) = &mut self.log {
            log.push(round.is_mistake(y), round.step != Step::Stay);
        }
        Ok(())
    }

    fn pause(&mut self, model: &Model) -> onlinear::Result<bool> {
        let trials = model.counts.total().trials;
        while let Some((_, stop)) = self.due.pop_if(|(due, _)| *due <= trials) {
            self.stops.insert(stop, self.job.measured(self.set, self.split, model, None)?);
        }
        self.tick().map(|()| false)
    }

    fn next_pause(&self) -> u64 {
        self.due.last().map_or(u64::MAX, |(trials, _)| *trials)
    }

    fn wants_epochs(&self) -> bool {
        self.job.wants(&[Measure::TrainError]) && !self.job.stops.is_empty()
    }

    fn epoch(&mut self, epoch: &Epoch) -> onlinear::Result<()> {
        let stop = TrackStop::Epochs(epoch.epoch);
        if self.job.stops.contains(&stop) && self.wants_epochs() {
            self.stops.insert(stop, Measurements::from([(Measure::TrainError, 100.0 * epoch.errors.rate())]));
        }
        self.tick()
    }

    fn tick(&mut self) -> onlinear::Result<()> {
        Stopper(&self.job.options.stop).tick()
    }
}

/// A measure of a run; `None` where the learner does not have it.
fn measured(measure: Measure, model: &Model, trained: Option<Errors>, tested: Option<Errors>) -> Option<f64> {
    let total = model.counts.total();
    let fact = |wanted: &str| {
        let facts = model.learner.facts().further;
        facts.into_iter().find(|(name, _)| *name == wanted).and_then(|(_, fact)| match fact {
            Fact::Number(number) => Some(number),
            Fact::Text(_) => None,
        })
    };
    let online = |value: f64| (total.trials > 0).then_some(value);
    match measure {
        Measure::MistakeRate => online(100.0 * total.mistakes as f64 / total.trials as f64),
        Measure::Mistakes => online(total.mistakes as f64),
        Measure::Updates => online(total.updates as f64),
        Measure::Support => model.learner.support().map(|count| count as f64),
        Measure::MatrixUpdates => model.learner.facts().matrix_updates.map(|count| count as f64),
        Measure::Evaluations => fact("evaluations"),
        Measure::Rounds => fact("rounds_used"),
        _ => error(measure, trained, tested),
    }
}

/// A measure of errors; `None` where they are not known or it takes more than them.
fn error(measure: Measure, trained: Option<Errors>, tested: Option<Errors>) -> Option<f64> {
    match measure {
        Measure::TrainError => trained.map(|errors| 100.0 * errors.rate()),
        Measure::TestError => tested.map(|errors| 100.0 * errors.rate()),
        Measure::TestMistakes => tested.map(|errors| errors.errors as f64),
        _ => None,
    }
}

/// The spec of a learner on a column, `{…}` filled in.
pub fn spec(
    learner: &LearnerRow,
    data: &DataColumn,
    settings: &[(String, f64)],
    repeat: u64,
) -> onlinear::Result<Spec> {
    let mut text = learner.template(&data.column).replace("{seed}", &repeat.to_string());
    for (name, value) in data.values.iter().chain(settings.iter().map(|(n, v)| (n, v))) {
        text = text.replace(&format!("{{{name}}}"), &value.to_string());
    }
    text.parse()
}

/// A learner with its stages: its own, else the column's, else those it has by itself.
pub fn fresh(learner: &LearnerRow, data: &DataColumn, spec: Spec, shuffle: Option<u64>) -> onlinear::Result<Recipe> {
    let (own, column) = (&learner.stages, &data.stages);
    let choices = StageChoices {
        stages: Vec::new(),
        scale: own.scale.clone().or_else(|| column.scale.clone()),
        normalize: own.normalize.clone().or_else(|| column.normalize.clone()),
        map: own.map.clone().or_else(|| column.map.clone()),
        bias: own.bias.clone().or_else(|| column.bias.clone()),
        brought: Vec::new(),
    };
    let stages = choices.resolve(&spec)?;
    Ok(Recipe { shuffle: shuffle.filter(|_| !spec.is_batch()), ..Recipe::of(spec, stages) })
}

/// Ends a run when that is asked for.
struct Stopper<'a>(&'a Stop);

impl Watch for Stopper<'_> {
    fn pause(&mut self, _model: &Model) -> onlinear::Result<bool> {
        self.tick().map(|()| false)
    }

    fn epoch(&mut self, _epoch: &Epoch) -> onlinear::Result<()> {
        self.tick()
    }

    fn tick(&mut self) -> onlinear::Result<()> {
        if self.0.is_asked() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
