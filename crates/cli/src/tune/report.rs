//! The report of a search.

use onlinear_charts::{Axis, Chart, Figure, HeatMap, Key, LineChart, Page, Part, Section, Series};

use super::result::TuningResult;
use crate::figures::percent_point;
use crate::machine::threads;
use crate::output;

impl TuningResult<'_> {
    /// What was found, ready to be read.
    pub fn report(&self, seconds: f64) -> Page {
        let mut about = vec![("best", self.verdict()), ("to learn it", self.command().line())];
        about.extend(self.about());
        about.extend([
            ("version", format!("onlinear {}", env!("CARGO_PKG_VERSION"))),
            ("time", format!("{seconds:.1} s on {}", threads())),
        ]);
        let figure = match &self.grids[..] {
            [] => None,
            [grid] if grid.numbers().is_some() => Some(self.curve()),
            _ => Some(self.heat()),
        };
        let error = figure.map(|figure| Section::new("Error", vec![Part::Figure(figure)]));
        let settings = Section::new("Settings", vec![Part::Table(self.table())]);
        let sections = error.into_iter().chain([settings]).collect();
        Page { title: format!("Settings of {}", self.arguments.spec), about: output::about(about), sections }
    }

    /// The error against the only key.
    fn curve(&self) -> Figure {
        let grid = &self.grids[0];
        let numbers = grid.numbers().unwrap_or_default();
        let sound = numbers.iter().zip(&self.worth).filter_map(|(&x, worth)| Some((x, worth.as_ref().ok()?.error)));
        let mut points: Vec<_> = sound.map(|(x, error)| percent_point(x, error)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let x = Axis { log: grid.is_geometric(), ..Axis::new(&grid.key, None) };
        let series = vec![Series { name: "cross-validated error".to_string(), style: None, points }];
        let chart = LineChart { x, y: Axis::new("error", Some("%")), series, references: Vec::new() };
        let band = format!("Band: the standard error of the mean over {} folds.", self.folds());
        Figure::new("error", &format!("Error against {}", grid.key), &band, Chart::Lines(chart))
    }

    /// The error for each pair of the first two keys; the others are those of the winner.
    fn heat(&self) -> Figure {
        let best = &self.settings[self.best].places;
        let x = &self.grids[0];
        let y = self.grids.get(1).map_or(1, |grid| grid.values.len());
        let mut values = vec![vec![None; x.values.len()]; y];
        for (setting, worth) in self.settings.iter().zip(&self.worth) {
            if let (Ok(worth), true) = (worth, setting.places.iter().skip(2).eq(best.iter().skip(2))) {
                values[setting.places.get(1).copied().unwrap_or(0)][setting.places[0]] = Some(100.0 * worth.error.mean);
            }
        }
        let key = |place: usize| match self.grids.get(place) {
            Some(grid) => Key { name: grid.key.clone(), settings: grid.values.clone() },
            None => Key { name: String::new(), settings: vec![String::new()] },
        };
        let value = Axis::new("cross-validated error", Some("%"));
        let chosen = (best.get(1).copied().unwrap_or(0), best[0]);
        let chart = HeatMap { x: key(0), y: key(1), value, values, best: Some(chosen) };
        let others = self.grids.iter().zip(best).skip(2).map(|(grid, &i)| format!("{} = {}", grid.key, grid.values[i]));
        let others: Vec<String> = others.collect();
        let caption = match others.is_empty() {
            true => "The winner is outlined.".to_string(),
            false => format!("The winner is outlined. Everywhere {}.", others.join(", ")),
        };
        let names: Vec<&str> = self.grids.iter().take(2).map(|grid| grid.key.as_str()).collect();
        Figure::new("error", &format!("Error against {}", names.join(" and ")), &caption, Chart::Heat(chart))
    }
}
