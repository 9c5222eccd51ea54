//! Which rows a learner meets and what happens to them: what `learn`, `compare` and `tune` share.

use clap::Args;

use onlinear::workshop::synthetic::{Generator, write_libsvm};
use onlinear::workshop::{About, ColumnKind, Decimal, Practice, Slot, StageChoices, most_of_memory};
use onlinear::{
    Aliases, ClassWeights, ColumnOptions, Encoding, Format, Input, Keep, LabelChoice, Metric, Missing, ReadOptions,
    Recipe, RowsInMemory, Spec,
};

use crate::progress::LoadingWatch;
use crate::values::{Labels, MAP, STAGE, aliases, bytes, class_weights, column, constant, encodings, labels, pair};

/// Rows, their stages and their labels.
#[derive(Args)]
pub struct RowArguments {
    /// Learn from the first N rows only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    #[command(flatten)]
    pub learner: LearnerArguments,

    /// paper: add nothing that is not asked for. Otherwise tables, and rows of any kind in compare and tune, are
    /// scaled, get a constant feature and are passed over, shuffled, as often as is best for rows held out
    #[arg(long, value_parser = ["paper"])]
    pub protocol: Option<String>,

    #[command(flatten)]
    pub columns: ColumnArguments,

    #[command(flatten)]
    pub read: ReadArguments,
}

/// What a learner is told before it meets a row: its stages, its labels, and how features are known.
#[derive(Args)]
pub struct LearnerArguments {
    /// Send rows through this stage, NAME or NAME:key=value; may be repeated, and the order counts
    #[arg(long, value_name = "STAGE", value_parser = STAGE, hide_possible_values = true)]
    pub stage: Vec<String>,

    /// Divide each row by its length (lp: in the learner's own norm)
    #[arg(long, value_parser = StageChoices::words(Slot::Normalize).collect::<Vec<_>>())]
    pub normalize: Option<String>,

    /// Bring features to one scale (minmax: -1 to 1, standard: mean 0 and deviation 1, maxabs: zeros stay zeros,
    /// range: minmax or, for sparse rows, maxabs); none unless given, but range for batch learners
    #[arg(long, value_parser = StageChoices::words(Slot::Scale).collect::<Vec<_>>())]
    pub scale: Option<String>,

    /// Map rows so that a linear learner has a kernel, NAME or NAME:key=value
    #[arg(long, value_name = "MAP", value_parser = MAP, hide_possible_values = true)]
    pub map: Option<String>,

    /// Give every row a constant feature [1], or none
    #[arg(long, value_name = "VALUE", num_args = 0..=1, default_missing_value = "1", value_parser = constant)]
    #[arg(allow_negative_numbers = true)]
    pub bias: Option<String>,

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
    #[arg(long, value_name = "LABEL", conflicts_with = "labels", allow_hyphen_values = true)]
    pub positive: Option<String>,

    /// All labels there are; of two the larger (or later in sort order) is +1
    #[arg(long, value_name = "A,B,…", value_parser = labels, allow_hyphen_values = true)]
    pub labels: Option<Labels>,

    /// Weigh the rows of each class: balanced (all classes the same together) or LABEL=WEIGHT,… [1 each]
    #[arg(long, value_name = "WEIGHTS", value_parser = class_weights, allow_hyphen_values = true)]
    pub class_weight: Option<ClassWeights>,
}

/// Probabilities.
#[derive(Args)]
pub struct CalibrationArguments {
    /// Make the scores probabilities, by the last WINDOW trials: see predict --probabilities [10000]
    #[arg(long, value_name = "WINDOW", num_args = 0..=1, default_missing_value = "10000")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub calibrate: Option<u64>,
}

/// What --calibrate means without a number.
const WINDOW: u64 = 10_000;

/// So many trials tell the probabilities that a figure takes, of a learner that can have them.
pub fn calibration_for(metric: &Metric, spec: &Spec) -> Option<u64> {
    (metric.needs_probabilities && !spec.is_batch() && !spec.is_direct()).then_some(WINDOW)
}

/// What columns mean; a model remembers it.
#[derive(Args)]
#[command(next_help_heading = "Tables")]
pub struct ColumnArguments {
    /// The column of the label: its name, or its number counting from 1
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub label: Option<String>,

    /// The column of the sample weight
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub weight: Option<String>,

    /// Whether the first line names the columns
    #[arg(long, value_parser = ["yes", "no"])]
    pub header: Option<String>,

    /// Leave these columns out
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub ignore: Vec<String>,

    /// Leave all other columns out
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub only: Vec<String>,

    /// What a column holds: number, boolean, category[=VALUES], words[=IN-A-ROW], date[=ymd|dmy|mdy] or ignored; may
    /// be repeated
    #[arg(long, value_name = "COLUMN:KIND", value_parser = column, allow_hyphen_values = true)]
    pub column: Vec<(String, ColumnKind)>,

    /// Multiply the features of two columns with each other; may be repeated
    #[arg(long, value_name = "A,B", value_parser = pair, allow_hyphen_values = true)]
    pub interact: Vec<(String, String)>,
}

/// How DATA are read.
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArguments {
    /// The format, where it cannot be told from content and name
    #[arg(long, value_parser = Format::names().collect::<Vec<_>>())]
    pub format: Option<String>,

    /// How text is encoded [utf8, or utf16 where a byte-order mark says so; with a model as what it learned from]
    #[arg(long, ignore_case = true, value_parser = encodings())]
    pub encoding: Option<String>,

    /// Labels to be read as others; of several = in a pair the one counts that leaves its sides most alike
    #[arg(long, value_name = "OLD=NEW,…", value_parser = aliases, allow_hyphen_values = true)]
    pub alias: Option<Aliases>,

    /// Indices of LIBSVM text count from 0, as scikit-learn writes them; a model remembers it
    #[arg(long)]
    pub zero_based: bool,

    /// What an empty cell of a table becomes: the mean of its column and a feature that tells (indicator, the default),
    /// the mean or median alone, zero, or an error (refuse)
    #[arg(long, value_parser = Missing::ALL.map(|(_, name)| name))]
    pub missing: Option<String>,

    /// What stands before the fraction of numbers in a table [as its numbers tell]
    #[arg(long, value_parser = Decimal::ALL.map(|(_, name)| name))]
    pub decimal: Option<String>,

    /// Leave rows that are wrong out and go on; the first ten are told of, then what is wrong with most, and how many
    #[arg(long)]
    pub skip_bad_rows: bool,
}

impl ReadArguments {
    /// What the user said, and `others`.
    pub fn and(&self, others: ReadOptions) -> onlinear::Result<ReadOptions> {
        let format = self.format.as_deref().map(str::parse).transpose()?;
        let encoding = self.encoding.as_deref().map(Encoding::named).transpose()?.or(others.encoding);
        let missing = self.missing.as_deref().and_then(Missing::named);
        let decimal = self.decimal.as_deref().and_then(Decimal::named);
        let columns = ColumnOptions { missing, decimal, ..others.columns };
        let aliases = self.alias.clone().unwrap_or_default();
        let (zero_based, skip_bad_rows) = (self.zero_based, self.skip_bad_rows);
        Ok(ReadOptions { format, encoding, columns, aliases, zero_based, skip_bad_rows, ..others })
    }
}

impl ColumnArguments {
    /// What the user said.
    pub fn options(&self) -> ColumnOptions {
        ColumnOptions {
            label: self.label.clone(),
            weight: self.weight.clone(),
            header: self.header.as_ref().map(|header| header == "yes"),
            ignore: self.ignore.clone(),
            only: self.only.clone(),
            kinds: self.column.clone(),
            interactions: self.interact.clone(),
            ..ColumnOptions::default()
        }
    }
}

/// The stages that are typed before a learner, and the learner.
pub fn brought(typed: &str) -> (Vec<&str>, &str) {
    match typed.rsplit_once('/') {
        Some((stages, learner)) => (stages.split('/').collect(), learner),
        None => (Vec::new(), typed),
    }
}

impl LearnerArguments {
    /// A learner with the stages that were asked for, that suit the rows, or that it has by itself; `typed` may have
    /// some of its own before it, with slashes between them.
    pub fn fresh(&self, typed: &str, practice: Practice) -> onlinear::Result<Recipe> {
        let (brought, learner) = brought(typed);
        let spec: Spec = learner.parse()?;
        let stages = practice.choices(&self.choices(&brought), &spec).resolve(&spec)?;
        Ok(Recipe { class_weights: self.class_weight.clone(), ..Recipe::of(spec, stages) })
    }

    fn choices(&self, brought: &[&str]) -> StageChoices {
        StageChoices {
            stages: self.stage.clone(),
            scale: self.scale.clone(),
            normalize: self.normalize.clone(),
            map: self.map.clone(),
            bias: self.bias.clone(),
            brought: brought.iter().map(|stage| stage.to_string()).collect(),
        }
    }

    /// How features are known.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            hash: self.hash,
            features: self.features,
            max_memory: Some(self.max_memory()),
            ..ReadOptions::default()
        }
    }

    /// What was said of the labels.
    pub fn label_choice(&self) -> LabelChoice {
        LabelChoice { positive: self.positive.clone(), labels: self.labels.clone() }
    }

    /// How much memory may be used.
    pub fn max_memory(&self) -> u64 {
        self.max_memory.unwrap_or_else(most_of_memory)
    }

    /// The first flag of what a model remembers, if one was given.
    pub fn remembered(&self) -> Option<&'static str> {
        let flags = [
            ("--stage", !self.stage.is_empty()),
            ("--normalize", self.normalize.is_some()),
            ("--scale", self.scale.is_some()),
            ("--map", self.map.is_some()),
            ("--bias", self.bias.is_some()),
            ("--hash", self.hash.is_some()),
            ("--features", self.features.is_some()),
            ("--positive", self.positive.is_some()),
            ("--labels", self.labels.is_some()),
            ("--class-weight", self.class_weight.is_some()),
        ];
        flags.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
    }
}

impl RowArguments {
    /// A learner with what was asked for, that suits the rows, or that it has by itself.
    pub fn fresh(&self, typed: &str, shuffle: Option<u64>, practice: Practice) -> onlinear::Result<Recipe> {
        Ok(Recipe { shuffle, ..self.learner.fresh(typed, practice)? })
    }

    /// What suits rows that are held, unless they are to be taken as the papers do.
    pub fn practice(&self, rows: &RowsInMemory) -> Practice {
        if self.is_paper() { Practice::default() } else { Practice::of(rows) }
    }

    /// Whether nothing is to be chosen that was not asked for.
    pub fn is_paper(&self) -> bool {
        self.protocol.as_deref() == Some("paper")
    }

    /// The flags of what was chosen for a learner beyond what was asked for.
    pub fn chosen(&self, typed: &str, practice: Practice) -> onlinear::Result<Vec<(&'static str, String)>> {
        let (brought, learner) = brought(typed);
        let asked = self.learner.choices(&brought);
        let chosen = practice.choices(&asked, &learner.parse()?);
        let new = |flag, chosen: Option<String>, asked: &Option<String>| {
            chosen.filter(|_| asked.is_none()).map(|value| (flag, value))
        };
        let scale = new("scale", chosen.scale, &asked.scale);
        Ok(scale.into_iter().chain(new("bias", chosen.bias, &asked.bias)).collect())
    }

    /// How the data are read.
    pub fn read_options(&self) -> onlinear::Result<ReadOptions> {
        self.read.and(ReadOptions { columns: self.columns.options(), ..self.learner.read_options() })
    }

    /// All rows of `input`; those to test on are read like those to learn from.
    pub fn load(&self, input: &Input, like: Option<&About>, quiet: bool) -> onlinear::Result<RowsInMemory> {
        let (mut read, mut keep) = (self.read_options()?, self.keep(false));
        if let Some(About { vocabulary, csv, .. }) = like {
            (read.vocabulary, read.schema) = (Some(vocabulary.clone().frozen()), csv.clone());
            keep.limit = None;
        }
        RowsInMemory::load(input, &read, &self.label_choice(), &keep, &mut LoadingWatch::new(quiet))
    }

    /// What was said of the labels.
    pub fn label_choice(&self) -> LabelChoice {
        self.learner.label_choice()
    }

    /// How much memory may be used.
    pub fn max_memory(&self) -> u64 {
        self.learner.max_memory()
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

/// The data that are named, or the artificial set.
pub fn named_or_built_in(data: &[String]) -> anyhow::Result<Input> {
    if data.is_empty() { Ok(built_in_set()?.0) } else { Ok(Input::all(data)) }
}

/// What the data are called: the built-in set by its name and seed.
pub fn data_name(input: &Input) -> String {
    let (name, rows, seed) = BUILT_IN;
    match input {
        Input::Memory { .. } => {
            format!("built-in artificial set: {name}, {rows} rows, seed {seed} (name a file to use your own)")
        }
        _ => input.name().to_string(),
    }
}
