//! Which rows a learner meets and what happens to them: what `learn`, `compare` and `tune` share.

use clap::Args;

use onlinear::workshop::synthetic::{Generator, write_libsvm};
use onlinear::workshop::{Slot, StageChoices};
use onlinear::{Format, Input, Keep, LabelChoice, ReadOptions, Recipe, Spec};

use crate::machine::most_of_memory;
use crate::values::{Labels, Missing, StageName, YesNo, bytes, finite, labels};

/// Rows, their stages and their labels.
#[derive(Args)]
pub struct RowArguments {
    /// Learn from the first N rows only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    /// Send rows through this stage, NAME or NAME:key=value; may be repeated, and the order counts
    #[arg(long, value_name = "STAGE", value_parser = StageName, hide_possible_values = true)]
    pub stage: Vec<String>,

    /// Divide each row by its length (lp: in the learner's own norm)
    #[arg(long, value_parser = StageChoices::words(Slot::Normalize).collect::<Vec<_>>())]
    pub normalize: Option<String>,

    /// Bring features to one scale (minmax: -1 to 1, standard: mean 0 and deviation 1); none unless
    /// given, but minmax for batch learners
    #[arg(long, value_parser = StageChoices::words(Slot::Scale).collect::<Vec<_>>())]
    pub scale: Option<String>,

    /// Give every row a constant feature [1]
    #[arg(long, value_name = "VALUE", num_args = 0..=1, default_missing_value = "1", value_parser = finite)]
    #[arg(allow_negative_numbers = true)]
    pub bias: Option<f64>,

    /// The number of features, where it cannot be seen in time
    #[arg(long, value_name = "N")]
    pub features: Option<usize>,

    /// Hash features into 2^BITS places instead of keeping their names
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=31))]
    pub hash: Option<u32>,

    /// Refuse to use more memory than this for rows and weights, such as 500M or 2G [80 % of the machine's]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_memory: Option<u64>,

    /// This label (or each of these, A,B,…) is +1, all others are -1
    #[arg(long, value_name = "LABEL", conflicts_with = "labels")]
    pub positive: Option<String>,

    /// All labels there are; of two the larger (or later in sort order) is +1
    #[arg(long, value_name = "A,B,…", value_parser = labels)]
    pub labels: Option<Labels>,

    #[command(flatten)]
    pub columns: ColumnArguments,

    #[command(flatten)]
    pub read: ReadArguments,
}

/// What CSV columns mean; a model remembers it.
#[derive(Args)]
#[command(next_help_heading = "CSV")]
pub struct ColumnArguments {
    /// The column of the label: its name, or its number counting from 1
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,

    /// The column of the sample weight
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,

    /// Whether the first line names the columns
    #[arg(long, value_enum)]
    pub header: Option<YesNo>,
}

/// How DATA are read.
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArguments {
    /// The format, where it cannot be told from content and name
    #[arg(long, value_parser = Format::names().collect::<Vec<_>>())]
    pub format: Option<String>,

    /// What an empty CSV cell means
    #[arg(long, value_enum, default_value_t = Missing::Refuse)]
    pub missing: Missing,

    /// Leave rows that are wrong out, tell of each and go on; their number is told at the end
    #[arg(long)]
    pub skip_bad_rows: bool,
}

impl ReadArguments {
    /// Adds what the user said to `options`.
    pub fn apply(&self, options: &mut ReadOptions) -> onlinear::Result<()> {
        options.format = self.format.as_deref().map(str::parse::<Format>).transpose()?;
        options.missing_zero = self.missing == Missing::Zero;
        options.skip_bad_rows = self.skip_bad_rows;
        Ok(())
    }
}

impl RowArguments {
    /// A learner with the stages that were asked for, or that it has by itself.
    pub fn fresh(&self, spec: Spec, shuffle: Option<u64>) -> onlinear::Result<Recipe> {
        Ok(Recipe { stages: self.stage_choices().resolve(&spec)?, shuffle, spec })
    }

    fn stage_choices(&self) -> StageChoices {
        let RowArguments { stage, scale, normalize, bias, .. } = self;
        let bias = bias.map(|bias| bias.to_string());
        StageChoices { stages: stage.clone(), scale: scale.clone(), normalize: normalize.clone(), bias }
    }

    /// The stages in words, for reports.
    pub fn stages(&self) -> String {
        if !self.stage.is_empty() {
            return self.stage.join(", ");
        }
        let scale = self.scale.as_deref().unwrap_or("minmax for batch learners");
        let normalize = self.normalize.as_deref().unwrap_or("none");
        let bias = self.bias.map_or("1 for batch learners".to_string(), |bias| bias.to_string());
        format!("scale {scale}, normalize {normalize}, bias {bias}")
    }

    /// How the data are read.
    pub fn read_options(&self) -> onlinear::Result<ReadOptions> {
        let columns = &self.columns;
        let mut read = ReadOptions {
            hash: self.hash,
            features: self.features,
            label: columns.label.clone(),
            weight: columns.weight.clone(),
            header: columns.header.map(|header| header == YesNo::Yes),
            max_memory: Some(self.max_memory()),
            ..ReadOptions::default()
        };
        self.read.apply(&mut read)?;
        Ok(read)
    }

    /// What was said of the labels.
    pub fn label_choice(&self) -> LabelChoice {
        LabelChoice { positive: self.positive.clone(), labels: self.labels.clone() }
    }

    /// How much memory may be used.
    pub fn max_memory(&self) -> u64 {
        self.max_memory.unwrap_or_else(most_of_memory)
    }

    /// How the rows are kept, where they are met more than once.
    pub fn keep(&self, cache: bool) -> Keep {
        Keep { limit: self.limit, cache, max_memory: self.max_memory() }
    }
}

/// The built-in set: what it is called, how many rows are learned from (as many again are tested
/// on), and its seed.
const BUILT_IN: (&str, u64, u64) = ("artificial:features=100,relevant=10,noise=0.05", 2000, 1);

/// The artificial set that stands in for DATA, and a test set of the same kind.
pub fn built_in_set() -> anyhow::Result<(Input, Input)> {
    let (name, rows, seed) = BUILT_IN;
    let mut generator = Generator::new(name, seed)?;
    let mut part = |name: &str| -> anyhow::Result<Input> {
        let mut text = Vec::new();
        write_libsvm(&mut text, rows, &mut generator)?;
        Ok(Input::Memory { name: name.into(), bytes: text.into() })
    };
    Ok((part("<built-in>")?, part("<built-in test>")?))
}

/// What the data are called: the built-in set by its name and seed.
pub fn data_name(input: &Input, built_in: bool) -> String {
    let (name, rows, seed) = BUILT_IN;
    match built_in {
        true => format!("built-in artificial set: {name}, {rows} rows, seed {seed} (name a file to use your own)"),
        false => input.name().to_string(),
    }
}
