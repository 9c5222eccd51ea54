//! The report of a comparison.

use onlinear_charts::{Align, Cell, Chart, Column, Confusion, Figure, Page, Part, Section, Table};

use super::comparison::{Comparison, LearnerSummary};
use super::table;
use super::verdict::Verdict;
use crate::boundary;
use crate::figures::{self, Runs};
use crate::machine::threads;
use crate::output;

/// With more learners than this only the best is drawn as parts of the plane.
const PLANES: usize = 4;

/// Why the numbers can be compared.
const SAME: &str = "Each repeat shuffled the rows anew; every learner met the same rows in the same order.";

impl Comparison<'_> {
    /// What was found, ready to be read.
    pub fn report(&self) -> Page {
        let verdict = self
            .verdict()
            .into_iter()
            .flat_map(|Verdict { sentence, command, .. }| [("recommended", sentence), ("to learn it", command.line())]);
        let mut about: Vec<_> = verdict.chain(self.about()).collect();
        about.extend([
            (
                "settings",
                self.rows
                    .iter()
                    .map(|row| format!("{} {}", row.typed, row.settings()).trim_end().to_string())
                    .collect::<Vec<_>>()
                    .join("\n"),
            ),
            ("version", format!("onlinear {}", env!("CARGO_PKG_VERSION"))),
            ("time", format!("{:.2} s on {}", self.seconds, threads())),
        ]);
        let mut sections =
            vec![Section::new("Result", vec![Part::Text(SAME.to_string()), Part::Table(table::of(self))])];
        let sets = [
            ("Trial by trial", vec![self.online_error(), figures::support(&self.runs())]),
            ("Error and size", vec![self.error_against_support()]),
            ("Epoch by epoch", vec![figures::epochs(&self.runs()), figures::tested_epochs(&self.runs())]),
            ("Class by class", vec![self.confusion()]),
            ("In the plane", self.planes()),
        ];
        for (heading, figures) in sets {
            sections.push(Section::new(heading, figures.into_iter().flatten().map(Part::Figure).collect()));
        }
        sections.push(Section::new("Learners in full", vec![Part::Table(self.specs())]));
        sections.retain(|section| !section.parts.is_empty());
        Page {
            title: match self.rows.len() {
                1 => "1 learner".to_string(),
                many => format!("{many} learners compared"),
            },
            about: output::about(about),
            sections,
        }
    }

    fn runs(&self) -> Vec<Runs<'_>> {
        let all = self.rows.iter().enumerate();
        all.map(|(place, row)| {
            let curves = row.runs.iter().map(|run| &run.curve).collect();
            Runs { name: row.typed.to_string(), place, curves }
        })
        .collect()
    }

    fn online_error(&self) -> Option<Figure> {
        let held = self.plan.held;
        let mut counts = vec![0u64; held.classes().len()];
        (0..held.len()).for_each(|row| counts[held.class(row)] += 1);
        // With many classes it is so far off that the curves would be squeezed.
        let most = counts.iter().max().filter(|_| counts.len() == 2).map(|most| 1.0 - *most as f64 / held.len() as f64);
        let pass = self.rows.iter().any(|row| row.passes > 1).then_some(self.plan.splits[0].train.len() as u64);
        figures::online_error(&self.runs(), most, pass)
    }

    fn error_against_support(&self) -> Option<Figure> {
        let all = self.rows.iter().enumerate();
        let support = |row: &LearnerSummary| row.summary(|run| Some(run.support? as f64));
        let points = all.filter_map(|(i, row)| Some((i, row.typed.to_string(), support(row)?, row.test_error)));
        let points: Vec<_> = points.collect();
        if points.len() > 1 { figures::error_against_support(points) } else { None }
    }

    /// What the best learner took the test rows of each class for, in all repeats together.
    fn confusion(&self) -> Option<Figure> {
        let best = &self.rows[self.best()?];
        let labels = self.plan.held.classes().names().to_vec();
        let mut counts = vec![vec![0; labels.len()]; labels.len()];
        for one in best.runs.iter().map(|run| &run.metrics.confusion) {
            let cells = one.iter().flatten().zip(counts.iter_mut().flatten());
            cells.for_each(|(count, sum)| *sum += count);
        }
        let title = format!("Confusion of {}", best.typed);
        let caption = "Test rows of all repeats together, by the learner that is recommended.";
        Some(Figure::new("confusion", &title, caption, Chart::Confusion(Confusion { labels, counts })))
    }

    /// The plane as each learner sees it, or as the best does where there are many.
    fn planes(&self) -> Vec<Option<Figure>> {
        let spots = self.plan.spots();
        let few = self.rows.len() <= PLANES;
        let drawn = self.rows.iter().enumerate().filter(|(i, _)| few || Some(*i) == self.best());
        let plane = |(i, row): (usize, &LearnerSummary)| {
            let model = row.runs.first()?.model.as_ref()?;
            let (name, title) = (format!("boundary-{}", i + 1), format!("Decision boundary of {}", row.typed));
            Some(boundary::figure(&name, &title, model, &spots))
        };
        drawn.map(plane).collect()
    }

    fn specs(&self) -> Table {
        let row = |row: &LearnerSummary| vec![Cell::new(row.typed), Cell::new(&row.spec)];
        Table {
            caption: "Every learner with all its settings.".to_string(),
            columns: ["learner", "spec"].map(|name| Column::new(name, Align::Left)).into(),
            rows: self.rows.iter().map(row).collect(),
            notes: Vec::new(),
        }
    }
}
