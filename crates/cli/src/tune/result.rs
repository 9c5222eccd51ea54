//! What a search found, as JSON and text.

use serde_json::{Value as Json, json};

use onlinear::workshop::Summary;
use onlinear::{Error, Errors, RowsInMemory};
use onlinear_charts::{Align, Cell, Column, Table};

use super::arguments::Folds;
use super::{Grid, Setting, TuneArguments};
use crate::output::{self, percent, summary_as_json};
use crate::wording::Flags;

/// Every setting with its error.
pub struct TuningResult<'a> {
    pub arguments: &'a TuneArguments,
    pub held: &'a RowsInMemory,
    pub grids: Vec<Grid>,
    pub settings: Vec<Setting>,
    /// The error of each setting over the folds, or why it has none.
    pub errors: Vec<Result<Summary, String>>,
    /// The place of the setting with the fewest rows wrong, the first of several.
    pub best: usize,
    /// What the data are called.
    pub data: String,
}

impl<'a> TuningResult<'a> {
    pub fn new(
        arguments: &'a TuneArguments,
        held: &'a RowsInMemory,
        grids: Vec<Grid>,
        settings: Vec<Setting>,
        mut errors: Vec<onlinear::Result<Vec<Errors>>>,
        data: String,
    ) -> onlinear::Result<TuningResult<'a>> {
        // Folds may differ by a row: what counts is how many rows were wrong in all of them.
        let wrong = |folds: &Vec<Errors>| folds.iter().map(|fold| fold.errors).sum::<u64>();
        let sound = errors.iter().enumerate().filter_map(|(place, folds)| Some((place, wrong(folds.as_ref().ok()?))));
        let Some((best, _)) = sound.min_by_key(|(_, wrong)| *wrong) else {
            return errors.swap_remove(0).and(Err(Error::usage("there is no setting to try")));
        };
        let summary = |folds: Vec<Errors>| Summary::of(&folds.iter().map(Errors::rate).collect::<Vec<_>>());
        let shown = |folds: onlinear::Result<Vec<Errors>>| match folds.map(summary) {
            Ok(summary) => summary.ok_or_else(|| "there are no folds".to_string()),
            Err(error) => Err(error.worded(&Flags)),
        };
        let errors = errors.into_iter().map(shown).collect();
        Ok(TuningResult { arguments, held, grids, settings, errors, best, data })
    }

    /// The error of the winner.
    fn least(&self) -> Option<Summary> {
        self.errors[self.best].as_ref().ok().copied()
    }

    pub fn as_json(&self) -> Json {
        let row = |(setting, error): (&Setting, &Result<Summary, String>)| {
            let chosen = self.grids.iter().zip(&setting.places);
            let values: Json = chosen.map(|(grid, &i)| (grid.key.clone(), json!(grid.values[i]))).collect();
            let mut row = json!({"spec": setting.spec.to_string(), "settings": values});
            match error {
                Ok(error) => row["error"] = summary_as_json(Some(*error)),
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
            "error": summary_as_json(self.least()),
            "rows": self.settings.iter().zip(&self.errors).map(row).collect::<Vec<_>>(),
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
        vec![
            ("data", self.data.clone()),
            ("rows", format!("{}, {} features", self.held.len(), self.held.features())),
            ("learner", self.arguments.spec.clone()),
            ("settings", self.settings.len().to_string()),
            ("folds", folds),
        ]
    }

    pub fn as_text(&self) -> String {
        let about = output::pairs(&self.about());
        format!("{about}\n{}\nbest:\n{}\n", output::table(&self.table()), self.settings[self.best].spec)
    }

    /// A line for each setting.
    pub fn table(&self) -> Table {
        let keys = self.grids.iter().map(|grid| {
            let align = if grid.numbers().is_some() { Align::Right } else { Align::Left };
            Column::new(&grid.key, align)
        });
        let error = Column { unit: Some("%".to_string()), ..Column::new("error", Align::Right) };
        let rows = self.settings.iter().zip(&self.errors).enumerate().map(|(i, (setting, error))| {
            let values = self.grids.iter().zip(&setting.places).map(|(grid, &i)| Cell::new(&grid.values[i]));
            let mark = (i == self.best).then(|| "*".to_string());
            let text = error.as_ref().map_or("failed".to_string(), |error| percent(*error));
            values.chain([Cell { text, best: i == self.best, mark, ..Cell::default() }]).collect()
        });
        let failure = |(setting, error): (&Setting, &Result<Summary, String>)| {
            error.as_ref().err().map(|why| format!("{} failed: {why}", setting.spec))
        };
        let failed = self.settings.iter().zip(&self.errors).filter_map(failure);
        let folds = self.folds();
        let legend = format!("± is the standard error of the mean over {folds} folds; * has the fewest rows wrong, ");
        Table {
            caption: "Cross-validated error of every setting.".to_string(),
            columns: keys.chain([error]).collect(),
            rows: rows.collect(),
            notes: failed.chain([legend + "the first of several."]).collect(),
        }
    }
}
