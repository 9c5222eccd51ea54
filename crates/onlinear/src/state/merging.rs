//! One state out of several: what is loaded not from one file but from the states of parts that learned apart, all from
//! one model on.
//!
//! A learner declares in its walk how each field of several becomes one: [`State::mixed`], [`State::tally`],
//! [`State::common`], or by what [`State::apart`] has loaded of each part. A field of which nothing is said is refused,
//! so that no learner is ever merged by oversight.

use std::collections::BTreeMap;

use super::{MOST_COUNTED, State, Tensor, refusal};
use crate::error::{Error, Result};

/// How the weights of several models that went on from one become one weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mean {
    /// The mean over all models. It never goes further than one of them, and divides what one alone has learned of a
    /// rare feature by all.
    #[default]
    All,
    /// The mean over the models that moved it from where it was in the model that they went on from; it stays where
    /// none did.
    Moved,
}

impl Mean {
    /// All of them.
    pub const CHOICES: [Mean; 2] = [Mean::All, Mean::Moved];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Mean::All => "all",
            Mean::Moved => "moved",
        }
    }
}

impl std::str::FromStr for Mean {
    type Err = Error;

    fn from_str(text: &str) -> Result<Mean> {
        let unknown = || {
            Error::usage(format!("there is no mean '{text}'; there are {}", Mean::CHOICES.map(Mean::name).join(", ")))
        };
        Mean::CHOICES.into_iter().find(|mean| mean.name() == text).ok_or_else(unknown)
    }
}

/// The state of a part.
#[derive(Debug, Default)]
pub(crate) struct PartState {
    pub(crate) tensors: BTreeMap<String, Tensor>,
    /// μ, its share of what is mixed.
    pub(crate) share: f64,
    /// For each component of its rows, its place in those of the merged model, where that is another.
    pub(crate) places: Option<Vec<u32>>,
}

/// The parts of a merge.
#[derive(Debug)]
pub(super) struct Parts {
    parts: Vec<PartState>,
    base: PartState,
    mean: Mean,
}

/// One thing of each part, with its share, and of the model that they all started from.
pub(crate) struct Apart<T> {
    pub(crate) parts: Vec<(f64, T)>,
    pub(crate) base: T,
    pub(crate) mean: Mean,
}

impl<T> Apart<T> {
    /// What `part` makes of each.
    pub(crate) fn map<'a, U>(&'a self, mut part: impl FnMut(&'a T) -> U) -> Apart<U> {
        let base = part(&self.base);
        Apart { parts: self.parts.iter().map(|(share, of)| (*share, part(of))).collect(), base, mean: self.mean }
    }
}

impl Apart<Vec<f64>> {
    /// Σ μᵢ vᵢ, over all parts, or those that moved the number: then with their μ in proportion adding up to 1.
    pub(crate) fn mixed(&self) -> Vec<f64> {
        match self.mean {
            Mean::All => self.mixed_over_all(),
            Mean::Moved => self.mixed_over_moved(),
        }
    }

    fn mixed_over_all(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.longest()];
        for (share, part) in &self.parts {
            sum.iter_mut().zip(part).for_each(|(sum, v)| *sum += share * v);
        }
        sum
    }

    fn mixed_over_moved(&self) -> Vec<f64> {
        let mut whole = vec![0.0; self.longest()];
        self.each_moved(|place, share, _| whole[place] += share);
        let mut sum: Vec<f64> = whole
            .iter()
            .enumerate()
            .map(|(place, &whole)| if whole > 0.0 { 0.0 } else { self.before(place) })
            .collect();
        // What one part alone moved is that part's, to the bit.
        self.each_moved(|place, share, v| {
            if share > 0.0 {
                sum[place] += share / whole[place] * v;
            }
        });
        sum
    }

    /// Tells of every number that is not the base's its place, the share of the part, and itself.
    fn each_moved(&self, mut tell: impl FnMut(usize, f64, f64)) {
        let longest = self.longest();
        for (share, part) in &self.parts {
            for (place, &v) in part.iter().chain(std::iter::repeat(&0.0)).take(longest).enumerate() {
                if v != self.before(place) {
                    tell(place, *share, v);
                }
            }
        }
    }

    fn before(&self, place: usize) -> f64 {
        self.base.get(place).copied().unwrap_or(0.0)
    }

    /// v₀ + Σ (vᵢ − v₀): what all parts have summed up, each term once.
    pub(crate) fn summed(&self) -> Vec<f64> {
        let mut sum: Vec<f64> = (0..self.longest()).map(|place| self.before(place)).collect();
        for (_, part) in &self.parts {
            let after = part.iter().copied().chain(std::iter::repeat(0.0));
            sum.iter_mut().zip(after).enumerate().for_each(|(place, (sum, v))| *sum += v - self.before(place));
        }
        sum
    }

    fn longest(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.len()).chain([self.base.len()]).max().unwrap_or(0)
    }
}

impl Apart<u64> {
    /// n₀ + Σ (nᵢ − n₀): what all parts have counted, each thing once. `None` where a part has counted less than the
    /// model that it is said to have started from, or all of them more than any run can.
    pub(crate) fn tally(&self) -> Option<u64> {
        let more = |sum: u64, (_, n): &(f64, u64)| sum.checked_add(n.checked_sub(self.base)?);
        self.parts.iter().try_fold(self.base, more).filter(|&sum| sum <= MOST_COUNTED)
    }
}

impl State {
    /// A state to load from several at once, which all started from `base`.
    pub(crate) fn merging(parts: Vec<PartState>, base: PartState, mean: Mean) -> State {
        State { merging: Some(Parts { parts, base, mean }), loading: true, ..State::default() }
    }

    /// Whether fields are being filled from several states.
    pub(crate) fn is_merging(&self) -> bool {
        self.merging.is_some()
    }

    /// While merging, what `load` loads of each part, one by one.
    pub(crate) fn apart<T>(&self, mut load: impl FnMut(&mut State) -> Result<T>) -> Result<Option<Apart<T>>> {
        let Some(Parts { parts, base, mean }) = &self.merging else { return Ok(None) };
        let mut one = |part: &PartState| {
            let from = part.tensors.range(self.prefix.clone()..);
            let inside = from.take_while(|(key, _)| key.starts_with(&self.prefix));
            load(&mut State {
                tensors: inside.map(|(key, tensor)| (key.clone(), tensor.clone())).collect(),
                loading: true,
                prefix: self.prefix.clone(),
                places: part.places.clone(),
                ..State::default()
            })
        };
        let loaded = parts.iter().map(|part| Ok((part.share, one(part)?))).collect::<Result<_>>()?;
        Ok(Some(Apart { parts: loaded, base: one(base)?, mean: *mean }))
    }

    /// While merging, for each part the numbers that it has under this name, those of each class apart.
    pub(crate) fn of_all_classes<'a>(&'a self, name: &str) -> Vec<Vec<&'a [f64]>> {
        let is_named = |key: &str| key.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let numbers = |part: &'a PartState| {
            let named = part.tensors.iter().filter(|(key, _)| is_named(key));
            named.filter_map(|(_, tensor)| if let Tensor::F64(all) = tensor { Some(all.as_slice()) } else { None })
        };
        let parts = self.merging.iter().flat_map(|merging| &merging.parts);
        parts.map(|part| numbers(part).collect()).collect()
    }

    /// While merging, refuses what cannot be merged.
    pub(crate) fn refuse_merging(&self, reason: &str) -> Result<()> {
        if self.is_merging() { Err(refusal(reason)) } else { Ok(()) }
    }

    /// While merging by the parts that moved a weight, refuses what has nothing of that kind.
    pub(crate) fn refuse_moved(&self, reason: &str) -> Result<()> {
        match &self.merging {
            Some(Parts { mean: Mean::Moved, .. }) => Err(refusal(format!("with mean=moved {reason}"))),
            _ => Ok(()),
        }
    }

    /// All support vectors but the base's belong to one part each, and would be added up.
    pub(crate) fn refuse_moved_rows(&self) -> Result<()> {
        self.refuse_moved("a support vector, which one part alone has, would count as if all had it")
    }

    /// Precisions tell better what a part has learned of a weight than whether it moved it.
    pub(crate) fn refuse_moved_precisions(&self) -> Result<()> {
        self.refuse_moved("nothing would be another: it goes by the precision that each part has gained")
    }

    /// A number for each component of rows.
    pub(crate) fn over_features(&mut self, name: &str, field: &mut Vec<f64>) -> Result<()> {
        self.f64s(name, field)?;
        if let Some(places) = &self.places {
            *field = spread(field, places)
                .ok_or_else(|| refusal(format!("{}{name} has more numbers than there are features", self.prefix)))?;
        }
        Ok(())
    }

    /// A number for each component of rows; those of several models are mixed, as [`Mean`] says.
    pub(crate) fn mixed(&mut self, name: &str, field: &mut Vec<f64>) -> Result<()> {
        let load = |state: &mut State| {
            let mut field = Vec::new();
            state.over_features(name, &mut field).map(|()| field)
        };
        match self.apart(load)? {
            Some(all) => *field = all.mixed(),
            None => self.over_features(name, field)?,
        }
        Ok(())
    }

    /// A count of what happened; what happened to several models is counted once: n₀ + Σ (nᵢ − n₀).
    pub(crate) fn tally(&mut self, name: &str, field: &mut u64) -> Result<()> {
        match self.whole_apart(name)? {
            Some(all) => {
                let unfit = || refusal(format!("their {name} are not those of models that went on from the base"));
                *field = all.tally().ok_or_else(unfit)?;
                Ok(())
            }
            None => self.u64(name, field),
        }
    }

    /// A sum over trials, 0 where nothing is said of it; of several models each term counts once: s₀ + Σ (sᵢ − s₀).
    pub(crate) fn sum(&mut self, name: &str, field: &mut f64) -> Result<()> {
        let all = self.apart(|state| {
            let mut sum = 0.0;
            state.optional(name, |state| state.f64(name, &mut sum)).map(|()| sum)
        })?;
        let Some(all) = all else { return self.f64(name, field) };
        *field = all.parts.iter().fold(all.base, |sum, (_, part)| sum + (part - all.base));
        Ok(())
    }

    /// A number that several models must have in common.
    pub(crate) fn common(&mut self, name: &str, field: &mut u64) -> Result<()> {
        let Some(all) = self.whole_apart(name)? else { return self.u64(name, field) };
        let mut parts = all.parts.iter().map(|(_, part)| *part);
        *field = parts.next().unwrap_or(all.base);
        if parts.any(|part| part != *field) {
            return Err(refusal(format!("they differ in '{name}'")));
        }
        Ok(())
    }

    fn whole_apart(&self, name: &str) -> Result<Option<Apart<u64>>> {
        self.apart(|state| {
            let mut field = 0;
            state.u64(name, &mut field).map(|()| field)
        })
    }

    /// Where each component of the rows loaded is to be, if not where it is.
    pub(crate) fn places(&self) -> Option<&[u32]> {
        self.places.as_deref()
    }
}

/// Each number at its place, 0 elsewhere; `None` where there are fewer places than numbers.
fn spread(numbers: &[f64], places: &[u32]) -> Option<Vec<f64>> {
    let places = places.get(..numbers.len())?;
    let mut all = vec![0.0; places.iter().max().map_or(0, |&last| last as usize + 1)];
    places.iter().zip(numbers).for_each(|(&place, number)| all[place as usize] = *number);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(share: f64, tensors: &[(&str, Tensor)]) -> PartState {
        let tensors = tensors.iter().map(|(name, tensor)| (name.to_string(), tensor.clone())).collect();
        PartState { tensors, share, places: None }
    }

    #[test]
    fn fields_are_mixed_or_counted_as_declared_and_refused_where_nothing_is() {
        let of = |share, weights: &[f64], trials| {
            part(share, &[("w", Tensor::F64(weights.to_vec())), ("t", Tensor::U64(vec![trials]))])
        };
        let by =
            |mean| State::merging(vec![of(0.25, &[4.0], 12), of(0.75, &[8.0, 4.0], 15)], of(1.0, &[9.0], 10), mean);
        let merging = || by(Mean::All);
        let (mut w, mut t) = (Vec::new(), 0);
        merging().mixed("w", &mut w).unwrap();
        merging().tally("t", &mut t).unwrap();
        assert_eq!((w.as_slice(), t), (&[7.0, 3.0][..], 17));
        by(Mean::Moved).mixed("w", &mut w).unwrap();
        assert_eq!(w, [7.0, 4.0]);
        let sum = merging().apart(|state| state.f64s("w", &mut w).map(|()| w.clone())).unwrap().unwrap().summed();
        assert_eq!(sum, [9.0 - 5.0 - 1.0, 4.0]);
        let reason = |result: Result<()>| result.unwrap_err().to_string();
        assert!(reason(merging().f64s("w", &mut w)).contains("'w'"));
        assert!(reason(merging().u64("t", &mut t)).contains("'t'"));
        assert!(reason(merging().common("t", &mut t)).contains("they differ in 't'"));
        assert!(reason(merging().optional("w", |state| state.f64s("w", &mut w))).contains("'w'"));
        let mut less = State::merging(vec![of(1.0, &[], 9)], of(1.0, &[], 10), Mean::All);
        assert!(reason(less.tally("t", &mut t)).contains("went on from the base"));
    }

    #[test]
    fn features_of_a_part_go_where_they_are_in_the_whole() {
        let mut w = Vec::new();
        let mut one = part(0.5, &[("w", Tensor::F64(vec![1.0, 2.0]))]);
        one.places = Some(vec![3, 0, 1]);
        let base = || part(1.0, &[("w", Tensor::F64(vec![]))]);
        State::merging(vec![one], base(), Mean::All).mixed("w", &mut w).unwrap();
        assert_eq!(w, [1.0, 0.0, 0.0, 0.5]);
    }

    #[test]
    fn a_number_is_the_mean_of_the_parts_that_moved_it_or_stays() {
        let apart = |mean| Apart {
            parts: vec![(0.1, vec![1.0, 0.3, 7.0, 5.0]), (0.3, vec![1.0, 2.0, 3.0]), (0.6, vec![1.0, 2.0, 2.0])],
            base: vec![1.0, 2.0, 2.0],
            mean,
        };
        let mixed = apart(Mean::Moved).mixed();
        assert_eq!((mixed[0], mixed[1], mixed[3]), (1.0, 0.3, 5.0)); // nobody's, one's, one's that is new
        assert!((mixed[2] - (0.1 * 7.0 + 0.3 * 3.0) / 0.4).abs() < 1e-15);
        assert!((apart(Mean::All).mixed()[3] - 0.5).abs() < 1e-15);
        let unheard = Apart { parts: vec![(0.0, vec![4.0]), (1.0, vec![1.0])], base: vec![1.0], mean: Mean::Moved };
        assert_eq!(unheard.mixed(), [1.0]);
        assert!("most".parse::<Mean>().unwrap_err().to_string().ends_with("no mean 'most'; there are all, moved"));
    }
}
