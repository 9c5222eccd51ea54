//! What the rows of each class weigh, besides their sample weights.

use std::str::FromStr;

use super::source::Source;
use crate::data::{Classes, Classifier};
use crate::error::{Error, Message, Request, Result};
use crate::space::Scratch;
use crate::spec::{Spec, did_you_mean};

/// What users say of the weights of classes.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassWeights {
    /// n/(k·nᵢ) for each of k classes: all of them weigh the same together.
    Balanced,
    /// These labels weigh so much, all others 1.
    Given(Vec<(String, f64)>),
}

impl FromStr for ClassWeights {
    type Err = Error;

    /// Reads `balanced` or `label=weight,…`.
    fn from_str(text: &str) -> Result<ClassWeights> {
        if text == "balanced" {
            return Ok(ClassWeights::Balanced);
        }
        let pair = |part: &str| {
            let (label, weight) = part.rsplit_once('=')?;
            Some((label.to_string(), weight.parse().ok()?))
        };
        let pairs: Option<Vec<(String, f64)>> = text.split(',').map(pair).collect();
        let weights = pairs.map(ClassWeights::Given).ok_or_else(|| {
            let got = format!(": expected 'balanced' or label=weight,…, not '{text}'");
            Error::usage(Message::from(Request::ClassWeights).and(got))
        })?;
        weights.check()?;
        Ok(weights)
    }
}

impl ClassWeights {
    /// Refuses weights that are none.
    pub fn check(&self) -> Result<()> {
        let ClassWeights::Given(pairs) = self else { return Ok(()) };
        match pairs.iter().find(|(_, weight)| !weight.is_finite() || *weight <= 0.0) {
            Some((label, weight)) => {
                let wrong = format!(": label '{label}' has weight {weight}; expected a finite number > 0");
                Err(Error::usage(Message::from(Request::ClassWeights).and(wrong)))
            }
            None => Ok(()),
        }
    }

    /// The weight of each class; `rows` are there to be counted where that is needed.
    pub(crate) fn resolve(&self, spec: &Spec, classes: &Classes, rows: Option<&mut dyn Source>) -> Result<Vec<f64>> {
        if !spec.takes_weights() {
            let why = format!("{} takes no sample weights, and so none of classes", spec.algorithm().name);
            return Err(Error::usage(Message::from(Request::ClassWeights).and(": ").and(why)));
        }
        let pairs = match (self, rows) {
            (ClassWeights::Given(pairs), _) => pairs,
            (ClassWeights::Balanced, Some(rows)) => return balanced(classes, rows),
            (ClassWeights::Balanced, None) => {
                let why = " 'balanced' has to count all rows first; give each label its weight";
                return Err(Error::usage(Message::from(Request::ClassWeights).and(why)));
            }
        };
        let mut weights = vec![1.0; classes.len()];
        for (label, weight) in pairs {
            let Some(class) = classes.class_of(label) else {
                let known: Vec<&str> = classes.names().iter().map(String::as_str).collect();
                let near = did_you_mean(label, &known);
                let message = format!(": there is no label '{label}' (there are {}){near}", classes.shown());
                return Err(Error::usage(Message::from(Request::ClassWeights).and(message)));
            };
            weights[class] = *weight;
        }
        Ok(weights)
    }
}

/// n/(k·nᵢ) of the rows of class i.
fn balanced(classes: &Classes, rows: &mut dyn Source) -> Result<Vec<f64>> {
    let about = rows.about().clone();
    let mut classifier = Classifier::new(classes.clone());
    let (mut counts, mut scratch) = (vec![0u64; classes.len()], Scratch::default());
    for i in 0..rows.len() {
        let label = rows.entry(i, None, &mut scratch)?.label;
        classifier.class_of(label, &about.labels).into_iter().for_each(|class| counts[class] += 1);
    }
    let all: u64 = counts.iter().sum();
    let weight = |&count: &u64| all as f64 / (classes.len() as f64 * count.max(1) as f64);
    Ok(counts.iter().map(weight).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_refused() {
        assert_eq!("balanced".parse::<ClassWeights>().unwrap(), ClassWeights::Balanced);
        let given: ClassWeights = "a=b=2,no=0.5".parse().unwrap();
        assert_eq!(given, ClassWeights::Given(vec![("a=b".to_string(), 2.0), ("no".to_string(), 0.5)]));
        for (text, wrong) in [
            ("balance", "expected 'balanced' or label=weight,…, not 'balance'"),
            ("a=1,b", "expected 'balanced' or label=weight,…, not 'a=1,b'"),
            ("a=0", "label 'a' has weight 0; expected a finite number > 0"),
            ("a=inf", "label 'a' has weight inf; expected a finite number > 0"),
        ] {
            assert_eq!(text.parse::<ClassWeights>().unwrap_err().to_string(), format!("weights of classes: {wrong}"));
        }
    }
}
