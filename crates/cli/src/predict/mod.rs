//! `onlinear predict`.

#[cfg(feature = "parquet")]
mod answer_table;
mod unseen;
mod writer;

use std::path::PathBuf;

use clap::Args;

use onlinear::workshop::{Asking, Classifier, LabelTable, NO_LABEL, Tally, counted, most_of_memory};
use onlinear::{
    Batch, Classes, ColumnOptions, Error, Errors, Input, Metrics, Model, Probabilities, ReadOptions, Row, ScoreScratch,
    open, predicted_class,
};

use crate::measures::{self, Measured};
use crate::output::{self, SkippedRows};
use crate::places::Places;
use crate::rows::ReadArguments;
use crate::values::finite;
use crate::wording::Flags;
use unseen::{UnseenCount, require_known};
use writer::{Answer, Writer};

#[derive(Args)]
#[command(after_help = "\
Examples:
  onlinear predict mail.onlinear new.vw > labels.txt
  onlinear predict churn.onlinear new.csv --keep id,city --output scored.csv
  onlinear predict mail.onlinear new.vw --probabilities
  onlinear predict mail.onlinear new.vw --scores | sort -k2 -g
  onlinear predict churn.onlinear new.csv --threshold -0.5
  tail -f log.vw | onlinear predict mail.onlinear - --line-buffered")]
pub struct PredictArguments {
    /// A model file
    pub model: PathBuf,

    /// Files, read one after another as one, or - for standard input
    #[arg(required = true, value_hint = clap::ValueHint::FilePath)]
    pub data: Vec<String>,

    /// Add the score after a tab
    #[arg(long, conflicts_with = "json")]
    pub scores: bool,

    /// Add the probability of the positive class after a tab, or of more than two that of the class told; for models
    /// learned with --calibrate
    #[arg(long)]
    pub probabilities: bool,

    /// Say in a last column which rows' labels are worth asking for: ask, or - (true or false in JSON); for models of
    /// selective
    #[arg(long)]
    pub ask: bool,

    /// Print a JSON object per row
    #[arg(long)]
    pub json: bool,

    /// Write a table with label and score to this file, of the kind that its ending says: .csv, .tsv, .jsonl or, with
    /// the feature parquet, .parquet
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scores", "json", "line_buffered"])]
    pub output: Option<PathBuf>,

    /// Columns of DATA that the table of --output has in front, as they are written there; one called label is then
    /// data.label
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', requires = "output")]
    pub keep: Vec<String>,

    /// Say the positive class where the score, or with --probabilities the probability, is at least T [0, or 0.5]
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub threshold: Option<f64>,

    /// Pass every line on at once
    #[arg(long)]
    pub line_buffered: bool,

    /// Do not tell the error and the rows skipped on standard error, only how many these are
    #[arg(long)]
    pub quiet: bool,

    /// Whether the first line of a table names its columns, which then are told by name, else by position [as in the
    /// data that the model learned from]
    #[arg(long, value_parser = ["yes", "no"], help_heading = "Reading")]
    pub header: Option<String>,

    #[command(flatten)]
    pub read: ReadArguments,
}

pub fn run(arguments: &PredictArguments) -> anyhow::Result<()> {
    let mut model = Model::load(&arguments.model)?;
    let probabilities = arguments.probabilities.then(|| known_probabilities(arguments, &model)).transpose()?;
    if arguments.ask && model.would_ask(Row::Dense(&[]), &mut Asking::default()).is_none() {
        let (file, name) = (arguments.model.display(), model.spec.algorithm().name);
        anyhow::bail!(Error::usage(format!("--ask: {file} is of {name}, which asks for no labels as selective does")));
    }
    if arguments.threshold.is_some() && !model.learner.is_alone() {
        anyhow::bail!(Error::usage(format!(
            "--threshold is for two classes; this model has {}, of which the largest score wins",
            model.classes.len()
        )));
    }
    let keep = arguments.keep.clone();
    let header = arguments.header.as_ref().map(|header| header == "yes");
    let columns = ColumnOptions { header, ..ColumnOptions::default() };
    let own = ReadOptions { max_memory: Some(most_of_memory()), keep, columns, ..model.read_options() };
    let options = arguments.read.and(own)?;
    let input = Input::all(&arguments.data);
    places(arguments, &input)?.require_writable()?;
    require_known(&model, &input, &options)?;
    let (mut reader, _) = open(&input, &options)?;
    let mut out = Writer::new(arguments, &model.classes)?;
    let mut asking = Asking::default();
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut batch, mut scratch, mut tally) = (Batch::default(), ScoreScratch::default(), Tally::of(&model));
    let (mut unknown, mut skipped) = (0u64, SkippedRows::new(arguments.quiet));
    let mut unseen = UnseenCount::default();
    loop {
        // What is known is answered before anything is said about a row that is wrong.
        let more = reader.read(&mut batch);
        if more.is_err() {
            out.flush()?;
        }
        if !more? {
            break;
        }
        unseen.look_at(&batch, model.features);
        let width = batch.kept.len() / batch.len().max(1);
        for (i, scores) in model.scores(&batch.rows, &mut scratch).chunks_exact(model.learner.len()).enumerate() {
            let shares = probabilities.as_ref().map(|probabilities| probabilities.of(scores)).unwrap_or_default();
            let Some(class) = decide(scores, &shares, arguments.threshold) else {
                out.flush()?;
                let score = scores.iter().find(|score| !score.is_finite()).unwrap_or(&f64::NAN);
                let message = format!("the score is {score}: the numbers are too large");
                let error = Error::row(reader.about().file.place(batch.lines[i]), message);
                if !options.skip_bad_rows {
                    anyhow::bail!(error);
                }
                skipped.add(&error);
                continue;
            };
            let asked = arguments.ask.then(|| model.would_ask(batch.rows.row(i), &mut asking) == Some(true));
            let kept = &batch.kept[i * width..(i + 1) * width];
            let line = reader.about().file.place(batch.lines[i]).line;
            out.write(&Answer { line, class, scores, probabilities: &shares, asked, kept })?;
            match classifier.class_of(batch.labels[i], reader.labels()) {
                Some(label) => tally.add(label, class, scores),
                None => unknown += u64::from(batch.labels[i] != NO_LABEL),
            }
        }
        for error in &batch.bad {
            out.flush()?;
            skipped.add(error);
        }
    }
    unseen.finish(reader.about());
    unseen.require_some_known(&input.name())?;
    out.finish()?;
    if !arguments.quiet {
        say(arguments, &model, &tally.finish());
        if unknown > 0 {
            say_unknown(unknown, &model.classes, reader.labels());
        }
        unseen.say();
    }
    skipped.finish();
    Ok(())
}

/// The files that are read and written.
fn places(arguments: &PredictArguments, input: &Input) -> onlinear::Result<Places> {
    let mut places = Places::default();
    places.reads("DATA", input);
    places.reads_file("MODEL", &Some(arguments.model.clone()));
    match &arguments.output {
        Some(_) => places.writes("--output", &arguments.output, "a table")?,
        None => places.writes("standard output", &Some("/dev/stdout".into()), "a file")?,
    }
    Ok(places)
}

/// What makes probabilities of the model's scores.
fn known_probabilities(arguments: &PredictArguments, model: &Model) -> onlinear::Result<Probabilities> {
    model.learner.probabilities().ok_or_else(|| {
        let file = arguments.model.display();
        Error::usage(format!("{file} knows no probabilities: it was not learned with --calibrate"))
    })
}

/// The class of a row with these scores, and probabilities where they are asked for; none where a score is not finite.
fn decide(scores: &[f64], probabilities: &[f64], threshold: Option<f64>) -> Option<usize> {
    match (scores, threshold) {
        ([score], Some(threshold)) => {
            let measured = probabilities.get(1).unwrap_or(score);
            score.is_finite().then(|| usize::from(*measured >= threshold))
        }
        _ => predicted_class(scores),
    }
}

/// The figures of the rows that have labels.
fn say(arguments: &PredictArguments, model: &Model, metrics: &Metrics) {
    let baseline = metrics.baseline(model.counts.largest_class());
    let measured = Measured { metrics, classes: &model.classes, baseline };
    let errors = Errors::from(metrics);
    if errors.examples > 0 && arguments.json {
        output::say(measured.as_json());
    } else if errors.examples > 0 {
        let rate = 100.0 * errors.rate();
        let always = measures::always(baseline, &model.classes);
        let total = format!("{} ({rate:.2} %); {always}", measures::errors(errors, "labelled rows"));
        output::lines(&format!("{total}\n{}", measured.details())).iter().for_each(output::say);
    }
}

/// How many rows have labels of the table that are none of the classes, and how they could be read.
fn say_unknown(rows: u64, classes: &Classes, labels: &LabelTable) {
    let rows = counted(rows, "row has", "rows have");
    let unknown = labels.texts().find(|text| classes.class_of(text).is_none());
    let nearest = unknown.map_or(String::new(), |text| classes.nearest(text, labels).worded(&Flags));
    let text = format!("{rows} a label that the model does not know: not counted{nearest}");
    output::lines(&text).iter().for_each(output::say);
}
