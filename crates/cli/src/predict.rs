//! `onlinear predict`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};

use onlinear::workshop::{Classifier, NO_LABEL, most_of_memory};
use onlinear::{
    Asking, Batch, Error, Errors, Input, Model, Place, Probabilities, ReadOptions, Row, ScoreScratch, open,
    predicted_class,
};

use crate::output::{self, SkippedRows};
use crate::places::Places;
use crate::rows::ReadArguments;

#[derive(Args)]
#[command(after_help = "\
Examples:
  onlinear predict mail.onlinear new.vw > labels.txt
  onlinear predict mail.onlinear new.vw --scores | sort -k2 -g
  onlinear predict mail.onlinear new.vw --probabilities    (of a model learned with --calibrate)
  tail -f log.vw | onlinear predict mail.onlinear - --line-buffered --skip-bad-rows")]
pub struct PredictArguments {
    /// A model file
    pub model: PathBuf,

    /// A file, or - for standard input
    pub data: String,

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

    /// Pass every line on at once
    #[arg(long)]
    pub line_buffered: bool,

    /// Do not tell the error and the rows skipped on standard error, only how many these are
    #[arg(long)]
    pub quiet: bool,

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
    let options = arguments.read.and(ReadOptions { max_memory: Some(most_of_memory()), ..model.read_options() })?;
    let input = Input::named(&arguments.data);
    let mut places = Places::default();
    places.reads("DATA", &input);
    places.reads_file("MODEL", &Some(arguments.model.clone()));
    places.writes("standard output", &Some("/dev/stdout".into()), "a file")?;
    let (mut reader, _) = open(&input, &options)?;
    let mut out = output::buffered()?;
    let names: Vec<_> = model.classes.names().iter().map(|name| output::escaped(name).into_owned()).collect();
    let mut classifier = Classifier::new(model.classes.clone());
    let (mut batch, mut scratch, mut errors) = (Batch::default(), ScoreScratch::default(), Errors::default());
    let mut asking = Asking::default();
    let (mut unknown, mut skipped) = (0u64, SkippedRows::new(arguments.quiet));
    loop {
        // What is known is answered before anything is said about a row that is wrong.
        let more = reader.read(&mut batch);
        if more.is_err() {
            out.flush()?;
        }
        if !more? {
            break;
        }
        for (i, scores) in model.scores(&batch.rows, &mut scratch).chunks_exact(model.learner.len()).enumerate() {
            let Some(class) = predicted_class(scores) else {
                out.flush()?;
                let score = scores.iter().find(|score| !score.is_finite()).unwrap_or(&f64::NAN);
                let message = format!("the score is {score}: the numbers are too large");
                let place = Place { file: input.name(), line: batch.lines[i], column: 1 };
                let error = Error::row(place, message);
                if !options.skip_bad_rows {
                    anyhow::bail!(error);
                }
                skipped.add(&error);
                continue;
            };
            let (name, score) = (&names[class], scores[if scores.len() == 1 { 0 } else { class }]);
            let shares = probabilities.as_ref().map(|probabilities| probabilities.of(scores));
            let share = shares.as_ref().map(|shares| shares[if scores.len() == 1 { 1 } else { class }]);
            let asked = arguments.ask.then(|| model.would_ask(batch.rows.row(i), &mut asking) == Some(true));
            if arguments.json {
                let mut line = json!({"line": batch.lines[i], "label": model.classes.name(class), "score": score});
                let by_class = |numbers: &[f64]| -> Json {
                    model.classes.names().iter().cloned().zip(numbers.iter().map(|&number| json!(number))).collect()
                };
                if scores.len() > 1 {
                    line["scores"] = by_class(scores);
                }
                if let Some((share, shares)) = share.zip(shares) {
                    line["probability"] = json!(share);
                    line["probabilities"] = by_class(&shares);
                }
                if let Some(asked) = asked {
                    line["ask"] = json!(asked);
                }
                writeln!(out, "{line}")?;
            } else {
                out.write_all(name.as_bytes())?;
                for number in [arguments.scores.then_some(score), share].into_iter().flatten() {
                    write!(out, "\t{number}")?;
                }
                if let Some(asked) = asked {
                    out.write_all(if asked { b"\task" } else { b"\t-" })?;
                }
                out.write_all(b"\n")?;
            }
            if arguments.line_buffered {
                out.flush()?;
            }
            match classifier.class_of(batch.labels[i], reader.labels()) {
                Some(class) => errors.add(scores, class, &input.name(), batch.lines[i])?,
                None => unknown += u64::from(batch.labels[i] != NO_LABEL),
            }
        }
        for error in &batch.bad {
            out.flush()?;
            skipped.add(error);
        }
    }
    out.flush()?;
    if !arguments.quiet {
        say(&errors, unknown);
    }
    skipped.finish();
    Ok(())
}

/// What makes probabilities of the model's scores.
fn known_probabilities(arguments: &PredictArguments, model: &Model) -> onlinear::Result<Probabilities> {
    model.learner.probabilities().ok_or_else(|| {
        let file = arguments.model.display();
        Error::usage(format!("{file} knows no probabilities: it was not learned with --calibrate"))
    })
}

fn say(errors: &Errors, unknown: u64) {
    let Errors { examples, errors: wrong } = errors;
    if *examples > 0 {
        output::say(format_args!("{wrong} errors in {examples} labelled rows ({:.2} %)", 100.0 * errors.rate()));
    }
    if unknown > 0 {
        output::say(format_args!("{unknown} rows have a label that the model does not know; they are not counted"));
    }
}
