//! All runs of experiments that share them, and what comes out for each row and column.

use std::collections::{BTreeMap, BTreeSet};

use onlinear::evaluate::Summary;
use onlinear::parallel;

use super::ReproduceArguments;
use super::claim;
use super::experiment::{Along, Data, Entry, Experiment, Kind, Repeat};
use super::finished::Finished;
use super::library::Ready;
use super::measure::Measure;
use super::ran::Ran;
use super::runs::{Job, fresh, spec};
use super::sets::{Found, Shelf};
use super::track::{Stop, Track};
use crate::progress::Work;

/// A learner on a column, with every setting of its grid.
pub struct Slot<'a> {
    pub data: &'a Data,
    pub entry: &'a Entry,
    pub measures: &'a [Measure],
    trials: Vec<Trial>,
}

/// One setting of a grid, and its runs by number.
struct Trial {
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

/// Runs experiments that share runs: for each of them its rows on its columns.
pub fn run<'a>(
    group: &[&'a Ready],
    arguments: &ReproduceArguments,
    shelf: &Shelf,
) -> anyhow::Result<Vec<Vec<Ran<'a>>>> {
    let mut queue = Queue::default();
    let mut slots = Vec::new();
    for ready in group {
        slots.push(enqueue(ready, arguments, shelf, &mut queue)?);
    }
    let work = Work::new(queue.jobs.len(), arguments.quiet);
    let finished = arguments.resume.as_deref().map(Finished::open).transpose()?;
    let tracks = parallel::try_map(queue.jobs.len(), |i| {
        let job = &queue.jobs[i];
        let track = match &finished {
            Some(finished) => finished.find_or(&job.full_key(), || job.run()),
            None => job.run(),
        };
        work.done();
        track
    })?;
    let ran = |(slots, ready): (Vec<Slot<'a>>, &&'a Ready)| {
        slots.into_iter().map(|slot| slot.ran(&tracks, &ready.experiment)).collect::<anyhow::Result<Vec<_>>>()
    };
    slots.into_iter().zip(group).map(ran).collect()
}

/// Puts the runs of an experiment into the queue.
fn enqueue<'a, 'b>(
    ready: &'a Ready,
    arguments: &ReproduceArguments,
    shelf: &'b Shelf,
    queue: &mut Queue<'b>,
) -> anyhow::Result<Vec<Slot<'a>>>
where
    'a: 'b,
{
    let experiment = &ready.experiment;
    let mut slots = Vec::new();
    for data in &experiment.data {
        let repeat_is = experiment.kind.repeat(data);
        for entry in
            experiment.learner.iter().filter(|entry| entry.runs_on(&data.column) && arguments.wants(&entry.row))
        {
            let measures = entry.measures.as_deref().unwrap_or(&experiment.measures);
            let set = match shelf.get(data, experiment.kind) {
                Some(Found::Set(set)) => Some(Some(set)),
                Some(Found::Drawn) => Some(None),
                Some(Found::Missing(_)) | None => None,
            };
            let mut trials = Vec::new();
            for settings in combinations(entry, arguments.full) {
                let mut jobs = Vec::new();
                for repeat in 1..=set.map_or(0, |_| repeats(ready, arguments)) as u64 {
                    // A row that is left out must not change the order of the others.
                    let shuffle = (repeat_is != Repeat::Files && !data.leave_one_out).then_some(repeat);
                    let fresh = fresh(entry, data, spec(entry, data, &settings, repeat)?, shuffle);
                    let stops: BTreeSet<Stop> = experiment.stops().collect();
                    let passes = entry.passes.or(data.passes).unwrap_or(1).max(experiment.epochs());
                    let wanted = wanted(experiment, entry, measures);
                    jobs.push(queue.add(Job {
                        data,
                        repeat_is,
                        set: set.flatten(),
                        fresh,
                        passes,
                        repeat,
                        wanted,
                        stops,
                    }));
                }
                trials.push(Trial { settings, jobs });
            }
            slots.push(Slot { data, entry, measures, trials });
        }
    }
    Ok(slots)
}

/// What has to be measured for a row.
fn wanted(experiment: &Experiment, entry: &Entry, measures: &[Measure]) -> BTreeSet<Measure> {
    let support = experiment.x == Some(Along::Support);
    measures.iter().copied().chain(chosen_by(entry)).chain(support.then_some(Measure::Support)).collect()
}

/// How often an experiment is repeated.
fn repeats(ready: &Ready, arguments: &ReproduceArguments) -> usize {
    let experiment = &ready.experiment;
    match arguments.repeats {
        _ if experiment.kind == Kind::Given => 1,
        Some(repeats) => repeats as usize,
        None if arguments.full => experiment.full,
        None => experiment.repeats,
    }
}

/// What a choice among settings needs to know.
fn chosen_by(entry: &Entry) -> Vec<Measure> {
    let measures = vec![entry.choose.unwrap_or(Measure::TestError), Measure::Mistakes];
    if entry.grid.is_empty() { Vec::new() } else { measures }
}

/// Every combination of the values of a grid; the values of the last name change fastest.
pub fn combinations(entry: &Entry, full: bool) -> Vec<Vec<(String, f64)>> {
    let grid = entry.full_grid.as_ref().filter(|_| full).unwrap_or(&entry.grid);
    let mut all = vec![Vec::new()];
    for (name, values) in grid {
        let longer = |settings: &Vec<(String, f64)>| -> Vec<Vec<(String, f64)>> {
            values.iter().map(|value| [&settings[..], &[(name.clone(), *value)]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

impl<'a> Slot<'a> {
    /// The setting with the least mean of what is chosen by, then with the fewest mistakes, then the first.
    fn ran(self, tracks: &[Track], experiment: &Experiment) -> anyhow::Result<Ran<'a>> {
        let mean = |trial: &Trial, measure: &Measure| {
            let values: Vec<f64> = trial.jobs.iter().filter_map(|job| tracks[*job].last(*measure)).collect();
            Summary::of(&values).map_or(f64::INFINITY, |summary| summary.mean)
        };
        let by = chosen_by(self.entry);
        let order = |a: &&Trial, b: &&Trial| {
            let unequal =
                by.iter().map(|measure| mean(a, measure).total_cmp(&mean(b, measure))).find(|order| order.is_ne());
            unequal.unwrap_or(std::cmp::Ordering::Equal)
        };
        let chosen = self.trials.iter().filter(|trial| !trial.jobs.is_empty()).min_by(order);
        let settings = chosen.iter().flat_map(|trial| &trial.settings).map(|(name, value)| format!("{name}={value}"));
        let settings = settings.collect::<Vec<_>>().join(",");
        let mut runs: Vec<Track> =
            chosen.iter().flat_map(|trial| &trial.jobs).map(|job| tracks[*job].clone()).collect();
        if let Some(bound) = &self.entry.bound {
            for run in &mut runs {
                let named =
                    |name: &str| self.data.values.get(name).copied().or_else(|| run.last(Measure::named(name)?));
                let bound = claim::number(bound, &named)?;
                run.end.insert(Measure::Bound, bound);
            }
        }
        Ok(Ran::new((self.data, self.entry, self.measures), settings, &runs, experiment))
    }
}
