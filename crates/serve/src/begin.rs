//! What a server begins with.

use std::path::PathBuf;

use onlinear::workshop::Feed;
use onlinear::{ClassWeights, LabelChoice, Model, ReadOptions, Recipe, Result, StageSpec};
use serde_json::{Value as Json, json};

use crate::store::Store;

/// What a server begins with.
pub enum Begin {
    /// A model that has learned, from this file.
    Model(PathBuf),
    /// A learner that has learned nothing yet.
    Fresh(Box<FreshLearner>),
}

/// A learner that has learned nothing yet, and what is known of the rows to come.
pub struct FreshLearner {
    /// The learner and its stages.
    pub recipe: Recipe,
    /// Its labels.
    pub labels: LabelChoice,
    /// How features are known.
    pub read: ReadOptions,
}

impl Begin {
    /// Where there is a store: notes what it begins with, or refuses what it was not begun with.
    pub(crate) fn note(&self, store: &Store) -> Result<()> {
        match self {
            Begin::Fresh(fresh) => store.begin(&fresh.as_json(), None),
            Begin::Model(path) => {
                let mut model = Model::load(path)?;
                let bytes = model.to_bytes()?;
                let total = model.counts.total();
                let print = fingerprint(&bytes);
                let with = json!({"spec": model.spec.to_string(), "trials": total.trials, "model": print});
                store.begin(&with, Some(&mut model))
            }
        }
    }

    /// Refuses what no server can begin with, before anything is written.
    pub(crate) fn check(&self, max_memory: u64) -> Result<()> {
        match self {
            Begin::Fresh(fresh) => {
                Feed::fresh(&fresh.recipe, &fresh.labels, self.read(max_memory)?, max_memory).map(drop)
            }
            Begin::Model(path) => Feed::behind(Model::load(path)?, self.read(max_memory)?, max_memory).map(drop),
        }
    }

    /// A run that begins so.
    pub(crate) fn feed(&self, store: &Store, max_memory: u64) -> Result<Feed> {
        match self {
            Begin::Fresh(fresh) => Feed::fresh(&fresh.recipe, &fresh.labels, self.read(max_memory)?, max_memory),
            Begin::Model(_) => Feed::behind(Model::load(&store.begin_model())?, self.read(max_memory)?, max_memory),
        }
    }

    /// How rows of the log are read.
    pub(crate) fn read(&self, max_memory: u64) -> Result<ReadOptions> {
        let read = match self {
            Begin::Fresh(fresh) => fresh.read.clone(),
            Begin::Model(_) => ReadOptions::default(),
        };
        let (format, keep) = (Some("jsonl".parse()?), vec!["id".to_string()]);
        Ok(ReadOptions { format, keep, max_memory: Some(max_memory), ..read })
    }
}

impl FreshLearner {
    /// All that the model depends on, besides the rows.
    fn as_json(&self) -> Json {
        let Recipe { spec, stages, calibrate, class_weights, .. } = &self.recipe;
        json!({
            "spec": spec.to_string(),
            "stages": stages.iter().map(StageSpec::to_string).collect::<Vec<_>>(),
            "calibrate": calibrate,
            "class_weights": class_weights.as_ref().map(|weights: &ClassWeights| format!("{weights:?}")),
            "labels": self.labels.labels,
            "positive": self.labels.positive,
            "hash": self.read.hash,
            "features": self.read.features,
        })
    }
}

/// A text that differs for different bytes: FNV-1a, 64 bits.
fn fingerprint(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}
