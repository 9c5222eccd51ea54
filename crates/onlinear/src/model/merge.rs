//! One model out of several that learned from different rows: parameter mixing.

use std::collections::BTreeMap;

use super::{Counts, Model, PassCounts};
use crate::ensemble::Learners;
use crate::error::{Error, Result};
use crate::spec::{Algorithm, Spec};
use crate::state::{State, Tensor, refusal};

impl Model {
    /// The model whose weight vectors are Σ cᵢ wᵢ of these models'. It goes on learning as they do where
    /// their weights are all that they are made of, else as a Perceptron.
    ///
    /// McDonald, Hall and Mann (2010), "Distributed training strategies for the structured perceptron".
    pub fn merge(models: &[&Model], mix: &[f64]) -> Result<Model> {
        let Some((first, others)) = models.split_first() else {
            return Err(Error::usage("there is no model to merge"));
        };
        if mix.len() != models.len() || mix.iter().any(|share| !share.is_finite()) {
            return Err(Error::usage("each model needs a finite number to be multiplied with"));
        }
        if let Some(difference) = others.iter().find_map(|other| differs(first, other)) {
            return Err(Error::usage(format!(
                "models can be merged only where they agree: they differ in {difference}"
            )));
        }
        let tensors = mixed(models, mix)?;
        let (spec, learner) = match holding(&first.spec, first.classes.len(), tensors.clone()) {
            Ok(learner) => (first.spec.clone(), learner),
            Err(_) => {
                let spec = Spec::of(Algorithm::named("perceptron")?);
                let learner = holding(&spec, first.classes.len(), tensors)?;
                (spec, learner)
            }
        };
        let mut merged = Model {
            spec,
            learner,
            classes: first.classes.clone(),
            vocabulary: first.vocabulary.clone(),
            features: first.features,
            csv: first.csv.clone(),
            encoding: first.encoding,
            stages: first.stages.clone(),
            shuffle: None,
            calibrate: None, // the merged model has met no trial
            class_weights: first.class_weights.clone(),
            counts: counted(models),
            margin: None,
        };
        merged.require_countable()?;
        Ok(merged)
    }
}

/// What keeps two models apart, if anything does.
fn differs(a: &Model, b: &Model) -> Option<&'static str> {
    let parts = [
        ("their learner", a.spec != b.spec),
        ("their classes", a.classes != b.classes),
        ("their features", a.features != b.features || a.vocabulary != b.vocabulary),
        ("the weights of their classes", a.class_weights != b.class_weights),
        ("how they scale, normalize or extend rows", a.stages != b.stages),
    ];
    parts.into_iter().find(|(_, differ)| *differ).map(|(what, _)| what)
}

/// Σ cᵢ wᵢ for each class, by the name that a learner made of its weights saves them under.
fn mixed(models: &[&Model], mix: &[f64]) -> Result<BTreeMap<String, Tensor>> {
    let classes = models[0].learner.len();
    let mut tensors = BTreeMap::new();
    for class in 0..classes {
        let mut sum: Vec<f64> = Vec::new();
        for (model, share) in models.iter().zip(mix) {
            let leaves = model.learner.leaves_of(class);
            let Some(weights) = leaves.weights() else {
                return Err(Error::usage(format!("{} has no weight vector to merge", model.spec.algorithm().name)));
            };
            sum.resize(sum.len().max(weights.len()), 0.0);
            sum.iter_mut().zip(weights.iter()).for_each(|(sum, weight)| *sum += share * weight);
        }
        if sum.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::usage("the weights of the models add up to a number that is not finite"));
        }
        let name = if classes == 1 { "learner.weights".to_string() } else { format!("learner.{class}.weights") };
        tensors.insert(name, Tensor::F64(sum));
    }
    Ok(tensors)
}

/// Learners with these tensors for their whole state: what an older file may lack is part of it too.
fn holding(spec: &Spec, classes: usize, tensors: BTreeMap<String, Tensor>) -> Result<Learners> {
    let mut learner = Learners::new(spec, classes);
    learner.state(&mut State::loading(tensors.clone()))?;
    let mut whole = State::saving();
    learner.state(&mut whole)?;
    if !whole.into_tensors().keys().eq(tensors.keys()) {
        return Err(refusal("it is made of more than its weights"));
    }
    Ok(learner)
}

/// The trials of all models, as of one pass.
fn counted(models: &[&Model]) -> Counts {
    let mut counts = Counts::default();
    let mut pass = PassCounts::default();
    for model in models {
        let total = model.counts.total();
        pass.trials = pass.trials.saturating_add(total.trials);
        pass.mistakes = pass.mistakes.saturating_add(total.mistakes);
        pass.updates = pass.updates.saturating_add(total.updates);
        counts.rows = counts.rows.saturating_add(model.counts.rows);
        counts.multiclass_mistakes = counts.multiclass_mistakes.saturating_add(model.counts.multiclass_mistakes);
    }
    if models.iter().all(|model| !model.counts.classes.is_empty()) {
        let rows = |class: usize| models.iter().map(move |model| model.counts.classes[class]);
        counts.classes = (0..models[0].classes.len()).map(|class| rows(class).fold(0, u64::saturating_add)).collect();
    }
    counts.passes.extend((pass.trials > 0).then_some(pass));
    counts
}
