//! All runs of experiments that share them, and what comes out for each row and column.

use std::collections::{BTreeMap, BTreeSet};

use onlinear::workshop::{Summary, parallel};

use crate::claim;
use crate::curves;
use crate::distinct::distinct;
use crate::experiment::{CurveAxis, DataColumn, Experiment, ExperimentKind, LearnerRow, Repeat};
use crate::measure::Measure;
use crate::options::{Host, RunOptions};
use crate::result::{ExperimentResult, Omission};
use crate::row_result::RowResult;
use crate::run_file::RunFile;
use crate::runs::{Job, fresh, spec};
use crate::sets::{Availability, Shelf};
use crate::studies::Study;
use crate::track::{Track, TrackStop};

/// A learner on a column, with every setting of its grid.
pub struct Slot<'a> {
    pub data: &'a DataColumn,
    pub learner: &'a LearnerRow,
    pub measures: &'a [Measure],
    trials: Vec<GridPoint>,
}

/// One setting of a grid, and its runs by number.
struct GridPoint {
    settings: Vec<(String, f64)>,
    jobs: Vec<usize>,
}

/// The runs of some experiments, each once even where several want it.
#[derive(Default)]
struct Queue<'a> {
    jobs: Vec<Job<'a>>,
    numbers: BTreeMap<String, usize>,
}

impl<'a> Queue<'a> {
    /// The number of a run, which is added unless it is there.
    fn add(&mut self, job: Job<'a>) -> usize {
        let number = *self.numbers.entry(job.key()).or_insert(self.jobs.len());
        match self.jobs.get_mut(number) {
            Some(known) => {
                known.wanted.extend(job.wanted);
                known.stops.extend(job.stops);
            }
            None => self.jobs.push(job),
        }
        number
    }
}

/// Experiments that share runs together, in the order of the first of each.
pub fn groups(studies: &[Study]) -> Vec<Vec<&Study>> {
    let roots = distinct(studies.iter().map(Study::root));
    roots.into_iter().map(|root| studies.iter().filter(|study| study.root() == root).collect()).collect()
}

/// Loads the sets of experiments that share runs, and runs them: a result for each.
pub fn run<'a>(
    group: &[&'a Study],
    options: &RunOptions,
    host: &dyn Host,
) -> anyhow::Result<Vec<ExperimentResult<'a>>> {
    let mut shelf = Shelf::new(options, host);
    for study in group {
        for data in &study.experiment.data {
            shelf.fetch(data, study.experiment.kind)?;
        }
    }
    let rows = run_rows(group, options, host, &shelf)?;
    let result = |(study, rows): (&&'a Study, &Vec<RowResult<'a>>)| {
        let mut skipped = Omission::of(study, &shelf);
        skipped.extend(rows.iter().filter_map(Omission::of_failure));
        let scatters = curves::scatters(study, &shelf);
        Ok(ExperimentResult { scatters, ..ExperimentResult::new(study, rows, skipped)? })
    };
    group.iter().zip(&rows).map(result).collect()
}

/// Runs experiments that share runs: for each of them its rows on its columns.
fn run_rows<'a>(
    group: &[&'a Study],
    options: &RunOptions,
    host: &dyn Host,
    shelf: &Shelf,
) -> anyhow::Result<Vec<Vec<RowResult<'a>>>> {
    let mut queue = Queue::default();
    let mut slots = Vec::new();
    for study in group {
        slots.push(enqueue(study, options, shelf, &mut queue)?);
    }
    let done = host.work(queue.jobs.len());
    let finished = options.resume.as_deref().map(RunFile::open).transpose()?;
    let tracks = parallel::try_map(queue.jobs.len(), |i| {
        let job = &queue.jobs[i];
        let track = match &finished {
            Some(finished) => finished.find_or(&job.full_key(), || job.run()),
            None => job.run(),
        };
        done();
        track
    })?;
    let ran = |(slots, study): (Vec<Slot<'a>>, &&'a Study)| {
        slots.into_iter().map(|slot| slot.ran(&tracks, &study.experiment)).collect::<anyhow::Result<Vec<_>>>()
    };
    slots.into_iter().zip(group).map(ran).collect()
}

/// Puts the runs of an experiment into the queue.
fn enqueue<'a, 'b>(
    study: &'a Study,
    options: &'b RunOptions,
    shelf: &'b Shelf,
    queue: &mut Queue<'b>,
) -> anyhow::Result<Vec<Slot<'a>>>
where
    'a: 'b,
{
    let experiment = &study.experiment;
    let mut slots = Vec::new();
    for (data, learner, measures) in experiment.rows().filter(|(_, learner, _)| options.wants(&learner.row)) {
        let repeat_is = experiment.kind.repeat(data);
        let (set, repeats) = match shelf.get(data, experiment.kind) {
            Some(Availability::Set(set)) => (Some(&**set), repeats(experiment, options)),
            Some(Availability::Drawn) => (None, repeats(experiment, options)),
            Some(Availability::Missing(_)) | None => (None, 0),
        };
        let mut trials = Vec::new();
        for settings in combinations(learner, &data.column, options.full) {
            let mut jobs = Vec::new();
            for repeat in 1..=repeats {
                // A row that is left out must not change the order of the others.
                let shuffle = (repeat_is != Repeat::Files && !data.leave_one_out).then_some(repeat);
                let fresh = fresh(learner, data, spec(learner, data, &settings, repeat)?, shuffle)?;
                let stops = TrackStop::all(experiment).collect();
                let passes = learner.passes.or(data.passes).unwrap_or(1).max(experiment.epochs());
                let wanted = wanted(experiment, learner, measures);
                let job = Job { options, data, repeat_is, set, fresh, passes, repeat, wanted, stops };
                jobs.push(queue.add(job));
            }
            trials.push(GridPoint { settings, jobs });
        }
        slots.push(Slot { data, learner, measures, trials });
    }
    Ok(slots)
}

/// What has to be measured for a row.
fn wanted(experiment: &Experiment, learner: &LearnerRow, measures: &[Measure]) -> BTreeSet<Measure> {
    let support = experiment.x == Some(CurveAxis::Support);
    measures.iter().copied().chain(chosen_by(learner)).chain(support.then_some(Measure::Support)).collect()
}

/// How often an experiment is repeated.
fn repeats(experiment: &Experiment, options: &RunOptions) -> u64 {
    match options.repeats {
        _ if experiment.kind == ExperimentKind::Given => 1,
        Some(repeats) => repeats,
        None if options.full => experiment.full as u64,
        None => experiment.repeats as u64,
    }
}

/// What a choice among settings needs to know.
fn chosen_by(learner: &LearnerRow) -> Vec<Measure> {
    let measures = vec![learner.choose.unwrap_or(Measure::TestError), Measure::Mistakes];
    if learner.grid.is_empty() { Vec::new() } else { measures }
}

/// Every combination of the values of a grid that the spec on a column asks for; those of the last name change fastest.
pub fn combinations(learner: &LearnerRow, column: &str, full: bool) -> Vec<Vec<(String, f64)>> {
    let grid = learner.full_grid.as_ref().filter(|_| full).unwrap_or(&learner.grid);
    let template = learner.template(column);
    let mut all = vec![Vec::new()];
    for (name, values) in grid.iter().filter(|(name, _)| template.contains(&format!("{{{name}}}"))) {
        let longer = |settings: &Vec<(String, f64)>| -> Vec<Vec<(String, f64)>> {
            values.iter().map(|value| [&settings[..], &[(name.clone(), *value)]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

impl<'a> Slot<'a> {
    /// The setting with the least mean of what is chosen by, then with the fewest mistakes, then the first.
    fn ran(self, tracks: &[Track], experiment: &Experiment) -> anyhow::Result<RowResult<'a>> {
        let mean = |trial: &GridPoint, measure: &Measure| {
            if trial.jobs.iter().any(|job| tracks[*job].failure.is_some()) {
                return f64::INFINITY;
            }
            let values: Vec<f64> = trial.jobs.iter().filter_map(|job| tracks[*job].last(*measure)).collect();
            Summary::of(&values).map_or(f64::INFINITY, |summary| summary.mean)
        };
        let by = chosen_by(self.learner);
        let order = |a: &&GridPoint, b: &&GridPoint| {
            let unequal =
                by.iter().map(|measure| mean(a, measure).total_cmp(&mean(b, measure))).find(|order| order.is_ne());
            unequal.unwrap_or(std::cmp::Ordering::Equal)
        };
        let chosen = self.trials.iter().filter(|trial| !trial.jobs.is_empty()).min_by(order);
        let settings = chosen.iter().flat_map(|trial| &trial.settings).map(|(name, value)| format!("{name}={value}"));
        let settings = settings.collect::<Vec<_>>().join(",");
        let mut runs: Vec<Track> =
            chosen.iter().flat_map(|trial| &trial.jobs).map(|job| tracks[*job].clone()).collect();
        if let Some(bound) = &self.learner.bound {
            for run in runs.iter_mut().filter(|run| run.failure.is_none()) {
                let named =
                    |name: &str| self.data.values.get(name).copied().or_else(|| run.last(Measure::named(name)?));
                let bound = claim::number(bound, &named)?;
                run.end.insert(Measure::Bound, bound);
            }
        }
        Ok(RowResult::new((self.data, self.learner, self.measures), settings, &runs, experiment))
    }
}
