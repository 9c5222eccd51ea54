//! What a search found, as JSON and text.

use serde_json::{Value as Json, json};

use onlinear::workshop::{Baseline, Practice, Summary, counted};
use onlinear::{Error, Metric, Metrics, RowsInMemory, StageSpec};
use onlinear_charts::{Align, Cell, Column, Table};

use super::arguments::Folds;
use super::{Grid, Setting, TuneArguments};
use crate::columns::ColumnReport;
use crate::measures::{always_by, mean_figure, no_better, shown, unknown_figure};
use crate::output::{self, percent, summary_as_json};
use crate::rows::calibration_for;
use crate::typed::LearnCommand;
use crate::wording::Flags;

/// Every setting with its error.
pub struct TuningResult<'a> {
    pub arguments: &'a TuneArguments,
    pub held: &'a RowsInMemory,
    /// What suits the rows.
    pub practice: Practice,
    pub grids: Vec<Grid>,
    pub settings: Vec<Setting>,
    /// What each setting is worth over the folds, or why it is worth nothing.
    pub worth: Vec<Result<Worth, String>>,
    /// What always saying the largest class would be worth, on average over the folds …
    pub baseline: Baseline,
    /// … and by what settings are ranked by.
    always: Option<f64>,
    /// The place of the best setting, the first of several.
    pub best: usize,
    /// What the data are called.
    pub data: String,
}

/// What a setting did on a fold.
pub struct MeasuredFold {
    pub metrics: Metrics,
    pub baseline: Baseline,
}

impl MeasuredFold {
    /// What always saying the largest class would be worth.
    fn always(&self) -> Metrics {
        self.metrics.of_always(self.baseline.class)
    }
}

/// What a setting is worth over the folds.
#[derive(Clone, Copy)]
pub struct Worth {
    pub error: Summary,
    /// What settings are ranked by.
    pub figure: Summary,
    /// Folds may differ by a row: errors are ranked by how many rows were wrong in all of them.
    wrong: u64,
}

impl Worth {
    fn of(metric: &Metric, folds: &[MeasuredFold]) -> Result<Worth, String> {
        let figures: Option<Vec<f64>> = folds.iter().map(|fold| (metric.of)(&fold.metrics)).collect();
        let figures = figures.ok_or_else(|| unknown_figure(metric))?;
        let errors: Vec<f64> = folds.iter().map(|fold| fold.metrics.error()).collect();
        let wrong = folds.iter().map(|fold| fold.metrics.wrong()).sum();
        let both = Summary::of(&errors).zip(Summary::of(&figures));
        let (error, figure) = both.ok_or_else(|| "there are no folds".to_string())?;
        Ok(Worth { error, figure, wrong })
    }

    fn is_better(&self, other: &Worth, metric: &Metric) -> bool {
        match metric.name {
            "error" => self.wrong < other.wrong,
            _ => metric.is_better(self.figure.mean, other.figure.mean),
        }
    }
}

impl<'a> TuningResult<'a> {
    pub fn new(
        arguments: &'a TuneArguments,
        held: &'a RowsInMemory,
        practice: Practice,
        grids: Vec<Grid>,
        settings: Vec<Setting>,
        mut folds: Vec<onlinear::Result<Vec<MeasuredFold>>>,
        data: String,
    ) -> onlinear::Result<TuningResult<'a>> {
        let metric = arguments.metric;
        let worth = |folds: &onlinear::Result<Vec<MeasuredFold>>| match folds {
            Ok(folds) => Worth::of(metric, folds),
            Err(error) => Err(error.worded(&Flags)),
        };
        let worth: Vec<Result<Worth, String>> = folds.iter().map(worth).collect();
        let sound = worth.iter().enumerate().filter_map(|(place, worth)| Some((place, worth.as_ref().ok()?)));
        let best = sound.reduce(|best, next| if next.1.is_better(best.1, metric) { next } else { best });
        let Some((best, _)) = best else {
            let why = worth[0].clone().err().unwrap_or_default();
            return folds.swap_remove(0).and(Err(Error::usage(why)));
        };
        let baseline = folds[best].as_ref().ok().and_then(|folds| {
            let errors: Vec<f64> = folds.iter().map(|fold| fold.baseline.error).collect();
            Some(Baseline { error: Summary::of(&errors)?.mean, ..folds.first()?.baseline })
        });
        let baseline = baseline.unwrap_or(Baseline { class: 0, error: 1.0 });
        let of_folds = folds[best].as_ref().map_or(&[][..], Vec::as_slice).iter();
        let always = mean_figure(metric, of_folds.map(MeasuredFold::always));
        Ok(TuningResult { arguments, held, practice, grids, settings, worth, baseline, always, best, data })
    }

    /// What the winner is worth.
    fn winner(&self) -> Option<&Worth> {
        self.worth[self.best].as_ref().ok()
    }

    /// The winner in a sentence.
    pub fn verdict(&self) -> String {
        let metric = self.arguments.metric;
        let figure = self.winner().map_or(String::new(), |worth| match metric.name {
            "error" => shown(metric, worth.figure),
            name => format!("{name} {} (error {:.2} %)", shown(metric, worth.figure), 100.0 * worth.error.mean),
        });
        let always = always_by(metric, self.always, self.baseline, self.held.classes());
        let worth = self.winner().map(|worth| worth.figure.mean);
        let warning = no_better(metric, worth, self.always);
        format!("{}, {figure}; {always}{warning}", self.settings[self.best].typed())
    }

    /// The command that learns from all rows with the winner, as `--model` does.
    pub fn command(&self) -> LearnCommand {
        let (arguments, best) = (self.arguments, &self.settings[self.best]);
        // What is wrong with a setting was told before it became the best.
        let mut more = arguments.rows.chosen(&best.typed(), self.practice).unwrap_or_default();
        if !best.spec.is_batch() {
            match arguments.passes {
                None if !arguments.rows.is_paper() => {
                    more.push(("early-stop", String::new()));
                    let metric = Some(arguments.metric).filter(|metric| metric.name != Metric::usual().name);
                    more.extend(metric.map(|metric| ("metric", metric.name.to_string())));
                }
                passes => more.push(("passes", passes.unwrap_or(1).to_string())),
            }
            more.push(("shuffle", arguments.seed.to_string()));
        }
        more.extend(calibration_for(arguments.metric, &best.spec).map(|window| ("calibrate", window.to_string())));
        LearnCommand::new(&best.typed(), &arguments.data, &more)
    }

    pub fn as_json(&self) -> Json {
        let metric = self.arguments.metric.name.replace('-', "_");
        let row = |(setting, worth): (&Setting, &Result<Worth, String>)| {
            let chosen = self.grids.iter().zip(&setting.places);
            let values: Json = chosen.map(|(grid, &i)| (grid.key.clone(), json!(grid.values[i]))).collect();
            let mut row =
                json!({"spec": setting.spec.to_string(), "stages": texts(&setting.stages), "settings": values});
            match worth {
                Ok(worth) => {
                    row["error"] = summary_as_json(Some(worth.error));
                    row[&metric] = summary_as_json(Some(worth.figure));
                }
                Err(why) => row["failed"] = json!(why),
            }
            row
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "data": self.data,
            "examples": self.held.len(),
            "features": self.held.features(),
            "folds": self.folds(),
            "seed": self.arguments.seed,
            "passes": self.arguments.passes,
            "best": self.settings[self.best].spec.to_string(),
            "stages": texts(&self.settings[self.best].stages),
            "error": summary_as_json(self.winner().map(|worth| worth.error)),
            "metric": self.arguments.metric.name,
            "baseline": self.baseline.error,
            "verdict": self.verdict(),
            "command": self.command().line(),
            "rows": self.settings.iter().zip(&self.worth).map(row).collect::<Vec<_>>(),
        })
    }

    /// How many parts the rows were cut into.
    pub fn folds(&self) -> usize {
        match self.arguments.folds {
            Folds::Of(folds) => folds,
            Folds::Single => self.held.len(),
        }
    }

    /// What was tried on what.
    pub fn about(&self) -> Vec<(&'static str, String)> {
        let folds = match self.arguments.folds {
            Folds::Of(folds) => format!("{folds}, each with the classes in proportion (seed {})", self.arguments.seed),
            Folds::Single => format!("{}, one row each", self.folds()),
        };
        let mut about = vec![
            ("data", self.data.clone()),
            ("rows", format!("{}, {}", self.held.len(), counted(self.held.features(), "feature", "features"))),
        ];
        about.extend(ColumnReport::of(self.held.about()).map(|columns| ("columns", columns.as_text())));
        about.extend([
            ("learner", self.arguments.spec.clone()),
            ("settings", self.settings.len().to_string()),
            ("folds", folds),
        ]);
        about
    }

    pub fn as_text(&self) -> String {
        let about = output::pairs(&self.about());
        let (table, best) = (output::table(&self.table(), 0), output::pairs(&[("best", self.verdict())]));
        format!("{about}\n{table}\n{best}{}\n", self.command().text())
    }

    /// A line for each setting.
    pub fn table(&self) -> Table {
        let keys = self.grids.iter().map(|grid| {
            let align = if grid.numbers().is_some() { Align::Right } else { Align::Left };
            Column::new(&grid.key, align)
        });
        let metric = self.arguments.metric;
        let error = Column { unit: Some("%".to_string()), ..Column::new("error", Align::Right) };
        let figure = (metric.name != "error").then(|| Column::new(metric.name, Align::Right));
        let has_figure = figure.is_some();
        let rows = self.settings.iter().zip(&self.worth).enumerate().map(|(i, (setting, worth))| {
            let values = self.grids.iter().zip(&setting.places).map(|(grid, &i)| Cell::new(&grid.values[i]));
            let worth = worth.as_ref().ok();
            let said = |text: Option<String>| text.unwrap_or("failed".to_string());
            let figure = has_figure.then(|| Cell::new(said(worth.map(|worth| shown(metric, worth.figure)))));
            let error = Cell::new(said(worth.map(|worth| percent(worth.error))));
            let mut cells: Vec<Cell> = values.chain(figure).chain([error]).collect();
            if let Some(cell) = cells.get_mut(self.grids.len()).filter(|_| i == self.best) {
                (cell.best, cell.mark) = (true, Some("*".to_string()));
            }
            cells
        });
        let failure = |(setting, worth): (&Setting, &Result<Worth, String>)| {
            worth.as_ref().err().map(|why| format!("{} failed: {why}", setting.spec))
        };
        let failed = self.settings.iter().zip(&self.worth).filter_map(failure);
        let best = match metric.name {
            "error" => "has the fewest rows wrong".to_string(),
            name => format!("has the best {name}"),
        };
        let folds = self.folds();
        let legend = format!("± is the standard error of the mean over {folds} folds; * {best}, the first of several.");
        Table {
            caption: "Cross-validated error of every setting.".to_string(),
            columns: keys.chain(figure).chain([error]).collect(),
            rows: rows.collect(),
            notes: failed.chain([legend]).collect(),
        }
    }
}

/// Stages as they are typed.
fn texts(stages: &[StageSpec]) -> Vec<String> {
    stages.iter().map(StageSpec::to_string).collect()
}
