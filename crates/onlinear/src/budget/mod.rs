//! Kernel learners whose support set is bounded: one file each, named as in its paper.

pub(crate) mod bpa;
pub(crate) mod forgetron;
pub(crate) mod projectron;
pub(crate) mod projectron_plus_plus;
pub(crate) mod rbp;
pub(crate) mod stoptron;

use crate::bound::{Evidence, Theorem};
use crate::error::Result;
use crate::hypothesis::{Output, Trajectory};
use crate::space::{Expansion, Finite, Overflow, Row, SupportSet};
use crate::spec::{Declaration, whole};
use crate::state::State;

/// B.
pub(crate) const BUDGET: Declaration<u64> = whole("budget", 1000, 1, 1 << 30, "the most support vectors there may be");

/// Refuses the average of a learner that throws vectors away.
fn refuse_averaging(output: Output) -> std::result::Result<(), String> {
    match output {
        Output::Averaged => {
            Err("output=averaged would keep every vector ever stored; expected output=last or longest".to_string())
        }
        Output::Last | Output::Longest => Ok(()),
    }
}

/// The Perceptron's theorem for as long as the budget was enough; `beyond` says what is the case from then on.
fn theorem_within(budget: u64, evidence: &Evidence<'_>, beyond: &str) -> std::result::Result<Theorem, String> {
    let is_within = evidence.steps() <= budget as f64;
    if is_within { Ok(Theorem::perceptron()) } else { Err(beyond.to_string()) }
}

/// The support set of a hypothesis that has one.
fn set(f: &Trajectory) -> &SupportSet {
    expansion(f).set()
}

fn expansion(f: &Trajectory) -> &Expansion {
    f.f().expansion().expect("a budget learner keeps a support set whatever the kernel")
}

/// Takes the rows of a union of support sets in again, one after another: `join` is given each, whose trial has begun,
/// with its coefficient and its part of u, and K(x,x).
fn refold(f: &mut Trajectory, mut join: impl FnMut(&mut Trajectory, Row<'_>, (f64, f64), f64) -> Finite) -> Result<()> {
    let (set, numbers) = f.unfold();
    for (place, numbers) in numbers.into_iter().enumerate().filter(|(_, (last, late))| *last != 0.0 || *late != 0.0) {
        let x = set.row(place);
        f.begin_column(x, None);
        join(f, x, numbers, set.with_itself(x)).map_err(Overflow::refusal)?;
    }
    Ok(())
}

/// While loading, refuses a support set that exceeds its budget.
fn require_budget(f: &Trajectory, budget: usize, state: &State) -> Result<()> {
    state.require(set(f).len() <= budget, "there are more support vectors than the budget allows")
}
