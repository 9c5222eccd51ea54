//! The soft-margin linear support vector machine.
//!
//! Cortes and Vapnik (1995); solved by dual coordinate descent: Hsieh, Chang, Lin, Keerthi and
//! Sundararajan (2008), until all projected gradients are within 10⁻² and the objective is within 10⁻³ of its least.
//! Trades a wide margin for few rows within it.
//!
//! min ½‖w‖² + Σ Cᵢ max(0, 1 − yᵢ⟨w,xᵢ⟩),   Cᵢ = C Nφᵢ
//!
//! The steps are in [`dual_descent`](super::dual_descent). At the end every row has the margin it has at the optimum
//! to about 10⁻² of 1, below what the 0/1 loss can see; each further digit costs several times as many passes. What the
//! objective is above its least is no more than the gap to the dual one; where that is wide, the gradients have to be
//! within 10⁻³.
//! Where there are few features and the descent has cost more than they would, the steps of
//! [`proximal_newton`](super::proximal_newton) lead on, and the descent sees whether all conditions hold.
//!
//! `cost=cv` tries C = 2⁻⁵, 2⁻³ … 2⁷ on 5 folds, the rows of each class dealt out in a random order fixed
//! for all time, and takes the one with the fewest errors in all, by weight; of equals, the smallest. Each cost
//! starts where the one before it ended.

use super::dual_descent::{DescentSpace, DualDescent, RowConstants};
use super::proximal_newton::ProximalNewton;
use super::{BATCH, BatchRule, Linear, report, tell};
use crate::error::Result;
use crate::learner::{Epochs, Fact, Facts, Sample};
use crate::parallel;
use crate::random::Random;
use crate::space::{Row, fetch};
use crate::spec::{Algorithm, New, Parameters, PythonClass, Range, number_or, parameters};
use crate::state::State;

parameters! {
    struct SvmParameters {
        cost: Option<f64> = number_or(
            "cost",
            Some(1.0),
            "cv",
            Range::POSITIVE,
            "C, the price of an error; cv: the best of 2⁻⁵, 2⁻³ … 2⁷ in 5-fold cross-validation",
        )
        .alias(&["c"]),
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "svm",
    title: "Soft-margin linear SVM",
    summary: "Trades a wide margin for few rows within it.",
    rule: "w minimizes ½‖w‖² + C Σ Nφᵢ max(0, 1 − yᵢ⟨w,xᵢ⟩)",
    paper: "Cortes and Vapnik (1995); Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), Algorithm 1; Yan and Li \
            (2020)",
    cost: "O(non-zeros) per row and pass; where thousands of passes were needed, O(m³ + non-zeros) per Newton step \
           instead, for m ≤ 1000 features; cost=cv: 35 costs and folds more, on all cores",
    bound: "none is known for the 0/1 loss",
    differs: "the bias is the weight of x₀ and so is part of ‖w‖ (Li compares with LIBSVM, where it is free); the end \
              is when the projected gradients themselves are within 0.01, not just near each other, and the gap \
              between primal and dual is within 0.001 of the primal (or the gradients within 0.001)",
    python: PythonClass::own("LinearSVM"),
    parameters: SvmParameters::TABLE,
    grid: &["cost=0.001..100*10"],
    new: New::AllAtOnce(|settings| {
        let SvmParameters { cost: given } = Parameters::read(settings);
        Ok(Box::new(Linear::new(Svm { given, cost: 0.0, short_after: None })))
    }),
    ..BATCH
};

/// The soft-margin linear support vector machine.
///
/// ```
/// use onlinear::{Label, Row, Rows, Sample, Spec};
/// let mut rows = Rows::default();
/// for x in [2.0, 3.0, -2.0] {
///     rows.push_row(Row::Dense(&[1.0, x]));
/// }
/// let y = [Label::Positive, Label::Positive, Label::Negative];
/// let sample = Sample::new("three rows", rows, &y, &[1.0; 3], true)?;
/// let mut learner = "svm:cost=10".parse::<Spec>()?.fits_all()?;
/// learner.fit(&sample, &mut ())?;
/// let leaves = learner.leaves();
/// let w = leaves.weights().expect("a weight vector");
/// assert!(w[0].abs() < 1e-2 && (w[1] - 0.5).abs() < 1e-2); // the rows at 2 and -2 are right by 1
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Svm {
    /// C, unless it is to be found.
    given: Option<f64>,
    /// The C learned with; 0 before.
    cost: f64,
    /// How many passes were made, where they were not enough.
    short_after: Option<u64>,
}

/// All projected gradients are within this at the end, and the gap between primal and dual is no larger share of the
/// primal than that; or the gradients are within so much less.
const TOLERANCE: f64 = 1e-2;
const GAP: f64 = 1e-3;
const FINER: f64 = 0.1;
/// A cost far too large for rows that no weights get right makes the way to the end arbitrarily long: the passes are
/// bounded, and so are the rows passed over in all, as long as that leaves passes enough for any sensible cost.
const MOST_PASSES: u64 = 100_000;
const MOST_VISITS: u64 = 1_000_000_000;
const PASSES_ENOUGH: u64 = 1000;
/// Newton steps are taken up to so many features, after as many multiplications as this many of them cost: so they
/// never take much more than the descent has.
const MOST_FEATURES: usize = 1000;
const USUAL_STEPS: f64 = 60.0;
/// So many rows are passed over between two looks of the watch.
const ROWS_AT_A_TIME: u64 = 100_000;
/// Of the folds: the same for all time.
const PERMUTATIONS: u64 = 1;

impl BatchRule for Svm {
    fn fit(&mut self, sample: &Sample, watch: &mut dyn Epochs) -> Result<Vec<f64>> {
        self.cost = match self.given {
            Some(cost) => cost,
            None => cross_validated(sample, watch)?,
        };
        let mut machine = Machine::new(sample, (0..sample.len()).collect(), self.cost, TOLERANCE);
        tell(watch, 0, sample.errors(machine.w())?, machine.w())?;
        let most = most_passes(sample);
        for pass in 1..=most {
            machine.step();
            let is_last = machine.is_done() || pass == most;
            report(watch, pass, is_last, || machine.w().to_vec(), sample)?;
            if is_last {
                break;
            }
        }
        self.short_after = (!machine.is_done()).then_some(most);
        Ok(machine.w().to_vec())
    }

    fn facts(&self) -> Facts {
        let warning =
            |passes| format!("svm: {passes} passes were not enough; scale the rows or set a smaller cost").into();
        Facts {
            further: if self.cost > 0.0 { vec![("cost", Fact::Number(self.cost))] } else { Vec::new() },
            warnings: self.short_after.map(warning).into_iter().collect(),
            ..Facts::default()
        }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        let load = |state: &mut State| {
            let mut cost = 0.0;
            state.f64("cost", &mut cost).map(|()| cost)
        };
        let Some(all) = state.apart(load)? else { return state.f64("cost", &mut self.cost) };
        let mut costs = all.parts.iter().map(|(_, cost)| *cost);
        let first = costs.next().unwrap_or(0.0);
        // Where each found its own, there is none.
        self.cost = if costs.all(|cost| cost == first) { first } else { 0.0 };
        Ok(())
    }
}

/// Rows of a sample, and w.
pub(super) struct SampleSpace<'a> {
    pub(super) sample: &'a Sample,
    /// Of each row, side by side: rows are met in any order, and memory is far.
    constants: Vec<RowConstants>,
    pub(super) w: Vec<f64>,
}

impl DescentSpace for SampleSpace<'_> {
    fn len(&self) -> usize {
        self.sample.len()
    }

    fn constants(&self, i: usize) -> RowConstants {
        self.constants[i]
    }

    fn score(&self, i: usize) -> f64 {
        self.sample.row(i).dot(&self.w)
    }

    fn add(&mut self, i: usize, step: f64) {
        self.sample.row(i).add_to(&mut self.w, step);
    }

    fn foresee(&self, i: usize) {
        fetch(&self.constants[i..=i]);
        self.sample.rows().foresee(i);
    }

    fn announce(&self, i: usize) {
        let (indices, values) = self.sample.rows().parts(i);
        fetch(indices);
        fetch(values);
    }
}

/// A machine on its way to the optimum.
struct Machine<'a> {
    descent: DualDescent<SampleSpace<'a>>,
    /// The tolerance that is fine whatever the gap.
    finest: f64,
    /// The visits of rows after which the descent gives way to Newton steps.
    patience: f64,
    /// Whether it did at an earlier cost.
    is_slow: bool,
    /// The Newton steps under way.
    newton: Option<ProximalNewton>,
}

impl<'a> Machine<'a> {
    /// A machine over the rows in `places`, at w = 0.
    fn new(sample: &'a Sample, places: Vec<usize>, cost: f64, tolerance: f64) -> Machine<'a> {
        let square = |i: usize| sample.row(i).squared_norm();
        let of_row = |i| RowConstants { y: sample.y()[i], weight: sample.weights()[i], square: square(i) };
        let constants = (0..sample.len()).map(of_row).collect();
        let space = SampleSpace { sample, constants, w: vec![0.0; sample.dimension()] };
        let (features, row) = (sample.dimension(), sample.rows().non_zeros() as f64 / sample.len() as f64);
        let steps = if features <= MOST_FEATURES { USUAL_STEPS } else { f64::INFINITY };
        let patience = steps * ProximalNewton::price(features, places.len(), row) / row;
        let descent = DualDescent::new(space, places, cost, tolerance);
        Machine { descent, finest: FINER * tolerance, patience, is_slow: false, newton: None }
    }

    /// Goes on at another cost from where it stands.
    fn set_cost(&mut self, cost: f64) {
        self.descent.set_cost(cost);
        self.descent.set_tolerance(self.finest / FINER);
        self.is_slow |= self.descent.visits as f64 > self.patience;
        self.descent.visits = 0;
        self.newton = self.is_slow.then(|| ProximalNewton::new(&self.descent));
    }

    /// A pass of the descent, or a Newton step.
    fn step(&mut self) {
        if let Some(newton) = &mut self.newton {
            if newton.step(&mut self.descent) {
                self.newton = None;
            }
            return;
        }
        let before = self.descent.visits as f64;
        self.descent.pass();
        if self.is_done() && self.descent.tolerance() > self.finest && self.gap() > GAP {
            self.descent.set_tolerance(self.finest);
        }
        let is_due = before <= self.patience && self.descent.visits as f64 > self.patience;
        self.newton = (is_due && !self.is_done()).then(|| ProximalNewton::new(&self.descent));
    }

    /// How far primal and dual are apart, as a share of the primal.
    fn gap(&self) -> f64 {
        let DualDescent { space, alpha, .. } = &self.descent;
        let half_square = Row::Dense(&space.w).squared_norm() / 2.0;
        let (mut loss, mut sum) = (0.0, 0.0);
        for &i in self.descent.places() {
            let RowConstants { y, weight, .. } = space.constants(i);
            loss += weight * (1.0 - y * space.score(i)).max(0.0);
            sum += alpha[i];
        }
        let primal = half_square + self.descent.cost() * loss;
        (primal - (sum - half_square)) / primal
    }

    /// So many steps, fewer if it is done.
    fn run(&mut self, steps: u64) {
        for _ in 0..steps {
            if self.is_done() {
                return;
            }
            self.step();
        }
    }

    fn is_done(&self) -> bool {
        self.descent.is_done
    }

    fn w(&self) -> &[f64] {
        self.newton.as_ref().map_or(&self.descent.space.w, ProximalNewton::w)
    }
}

/// The passes after which a descent ends, done or not.
fn most_passes(sample: &Sample) -> u64 {
    (MOST_VISITS / sample.len() as u64).clamp(PASSES_ENOUGH, MOST_PASSES)
}

/// The costs that `cost=cv` tries.
fn costs() -> [f64; 7] {
    [-5, -3, -1, 1, 3, 5, 7].map(|exponent| 2f64.powi(exponent))
}

/// The cost with the fewest errors, by weight, on rows left out.
fn cross_validated(sample: &Sample, watch: &mut dyn Epochs) -> Result<f64> {
    let folds = folds(sample)?;
    let mut machines: Vec<Machine<'_>> = (0..folds.len()).map(|left_out| without(sample, &folds, left_out)).collect();
    let errors_of = |machine: &Machine<'_>, left_out: &Vec<usize>| {
        let is_wrong = |i: usize| sample.y()[i] * sample.row(i).dot(machine.w()) <= 0.0;
        left_out.iter().filter(|&&i| is_wrong(i)).map(|&i| sample.units()[i]).sum::<i64>()
    };
    // A few passes at a time: the watch can end it in between.
    let some = (ROWS_AT_A_TIME / sample.len() as u64).clamp(1, MOST_PASSES);
    let (costs, most) = (costs(), most_passes(sample));
    let mut best: Option<(f64, i64)> = None;
    for (k, &cost) in costs.iter().enumerate() {
        watch.search(k * folds.len(), costs.len() * folds.len())?;
        machines.iter_mut().for_each(|machine| machine.set_cost(cost));
        let mut passes = 0;
        while passes < most && machines.iter().any(|machine| !machine.is_done()) {
            parallel::map_mut(true, &mut machines, |_, machine| machine.run(some.min(most - passes)));
            passes += some;
            watch.tick()?;
        }
        let errors: i64 = machines.iter().zip(&folds).map(|(machine, left_out)| errors_of(machine, left_out)).sum();
        if best.is_none_or(|(_, fewest)| errors < fewest) {
            best = Some((cost, errors));
        }
    }
    watch.search(costs.len() * folds.len(), costs.len() * folds.len())?;
    Ok(best.map_or(1.0, |(cost, _)| cost))
}

/// A machine over the rows of all folds but one, at the least of the costs.
fn without<'a>(sample: &'a Sample, folds: &[Vec<usize>], left_out: usize) -> Machine<'a> {
    let kept = folds.iter().enumerate().filter(|(fold, _)| *fold != left_out).flat_map(|(_, places)| places);
    Machine::new(sample, kept.copied().collect(), costs()[0], TOLERANCE)
}

/// Five folds, fewer if there are fewer rows; what is left without a fold has both classes.
fn folds(sample: &Sample) -> Result<Vec<Vec<usize>>> {
    let mut places: Vec<usize> = (0..sample.len()).collect();
    Random::new(PERMUTATIONS).shuffle(&mut places);
    let (mut dealt, negative): (Vec<usize>, Vec<usize>) = places.into_iter().partition(|&i| sample.y()[i] > 0.0);
    if dealt.len().min(negative.len()) < 2 {
        return Err(sample.refusal("cost=cv needs at least two rows of each class; give a cost"));
    }
    dealt.extend(negative); // class after class, so that two rows of a class are never in one fold alone
    let count = dealt.len().min(5);
    Ok((0..count).map(|fold| dealt.iter().copied().skip(fold).step_by(count).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Label;
    use crate::space::Rows;

    fn sample(points: &[(Vec<f64>, f64)], weights: &[f64]) -> Sample {
        let mut rows = Rows::default();
        points.iter().for_each(|(x, _)| rows.push_row(Row::Dense(x)));
        let label = |&(_, y): &(Vec<f64>, f64)| if y > 0.0 { Label::Positive } else { Label::Negative };
        Sample::new("points", rows, &points.iter().map(label).collect::<Vec<_>>(), weights, true).unwrap()
    }

    fn random_points(seed: u64, rows: usize, features: usize) -> Vec<(Vec<f64>, f64)> {
        let mut random = Random::new(seed);
        let mut point = || {
            let x: Vec<f64> = (0..=features).map(|j| if j == 0 { 1.0 } else { random.symmetric() }).collect();
            let y = if x[1] + 0.3 * random.gauss() > 0.1 { 1.0 } else { -1.0 };
            (x, y)
        };
        (0..rows).map(|_| point()).collect()
    }

    fn solved(sample: &Sample, cost: f64, tolerance: f64) -> DualDescent<SampleSpace<'_>> {
        let mut machine = Machine::new(sample, (0..sample.len()).collect(), cost, tolerance);
        machine.run(MOST_PASSES);
        assert!(machine.is_done());
        machine.descent
    }

    /// ½‖w‖² + Σ Cᵢ max(0, 1 − yᵢ⟨w,xᵢ⟩).
    fn primal(sample: &Sample, cost: f64, w: &[f64]) -> f64 {
        let loss = |i: usize| sample.weights()[i] * (1.0 - sample.y()[i] * sample.row(i).dot(w)).max(0.0);
        w.iter().map(|w| w * w / 2.0).sum::<f64>() + cost * (0..sample.len()).map(loss).sum::<f64>()
    }

    /// Σ αᵢ − ½‖Σ αᵢ yᵢ xᵢ‖².
    fn dual(sample: &Sample, alpha: &[f64]) -> f64 {
        let mut w = vec![0.0; sample.dimension()];
        alpha.iter().enumerate().for_each(|(i, alpha)| sample.row(i).add_to(&mut w, alpha * sample.y()[i]));
        alpha.iter().sum::<f64>() - w.iter().map(|w| w * w / 2.0).sum::<f64>()
    }

    #[test]
    fn primal_and_dual_meet_and_nothing_nearby_is_better() {
        for (seed, rows, features) in [(1, 40, 1), (2, 80, 3), (3, 30, 50), (4, 200, 8)] {
            let points = random_points(seed, rows, features);
            let mut random = Random::new(seed + 10);
            let weights: Vec<f64> = (0..rows).map(|_| random.uniform() + 0.1).collect();
            for (weights, cost) in [(vec![1.0; rows], 0.1), (vec![1.0; rows], 3.0), (weights, 1.0)] {
                let sample = sample(&points, &weights);
                let descent = solved(&sample, cost, 1e-9);
                let least = primal(&sample, cost, &descent.space.w);
                assert!(least - dual(&sample, &descent.alpha) < 1e-6 * least, "{least}");
                for size in [1e-4, 1e-2, 1.0] {
                    for _ in 0..100 {
                        let other: Vec<f64> = descent.space.w.iter().map(|w| w + size * random.gauss()).collect();
                        assert!(primal(&sample, cost, &other) > least - 1e-6 * least);
                    }
                }
                for (i, &alpha) in descent.alpha.iter().enumerate() {
                    let margin = sample.y()[i] * sample.row(i).dot(&descent.space.w);
                    let most = cost * sample.weights()[i];
                    assert!((0.0..=most).contains(&alpha));
                    assert!(alpha == 0.0 || margin < 1.0 + 1e-6, "{alpha} {margin}");
                    assert!(alpha == most || margin > 1.0 - 1e-6, "{alpha} {margin}");
                }
                let rough = solved(&sample, cost, TOLERANCE);
                let excess = primal(&sample, cost, &rough.space.w) - least;
                assert!(excess < 0.01 * least, "{excess} above {least}");
            }
        }
    }

    #[test]
    fn solutions_known_by_hand_come_out() {
        let close = |w: &[f64], expected: [f64; 2]| w.iter().zip(expected).all(|(w, e)| (w - e).abs() < 1e-7);
        // (1, 1) and (1, -1): w = (0, 1) once C ≥ ½, else α = C on both and w = (0, 2C).
        let pair = sample(&[(vec![1.0, 1.0], 1.0), (vec![1.0, -1.0], -1.0)], &[1.0; 2]);
        assert!(close(&solved(&pair, 5.0, 1e-9).space.w, [0.0, 1.0]));
        assert!(close(&solved(&pair, 0.5, 1e-9).space.w, [0.0, 1.0]));
        assert!(close(&solved(&pair, 0.1, 1e-9).space.w, [0.0, 0.2]));
        // (1, 1) and (1, 3), of different classes, hold margin 1 exactly: w₀ + w₁ = 1, w₀ + 3w₁ = -1.
        let apart = sample(&[(vec![1.0, 1.0], 1.0), (vec![1.0, 3.0], -1.0)], &[1.0; 2]);
        assert!(close(&solved(&apart, 100.0, 1e-9).space.w, [2.0, -1.0]));
        // A third row far beyond its margin changes nothing.
        let far = sample(&[(vec![1.0, 1.0], 1.0), (vec![1.0, 3.0], -1.0), (vec![1.0, 90.0], -1.0)], &[1.0; 3]);
        assert!(close(&solved(&far, 100.0, 1e-9).space.w, [2.0, -1.0]));
        // A row of zeros is passed over.
        let zero = sample(&[(vec![0.0, 0.0], 1.0), (vec![1.0, 1.0], 1.0), (vec![1.0, -1.0], -1.0)], &[1.0; 3]);
        assert!(close(&solved(&zero, 5.0, 1e-9).space.w, [0.0, 1.0]));
    }

    #[test]
    fn a_weight_is_as_many_rows() {
        let points = random_points(5, 60, 4);
        let weights: Vec<f64> = (0..60).map(|i| (i % 3 + 1) as f64).collect();
        let repeated: Vec<_> = points.iter().zip(&weights).flat_map(|(p, &w)| vec![p.clone(); w as usize]).collect();
        let (weighted, repeated) = (sample(&points, &weights), sample(&repeated, &vec![1.0; repeated.len()]));
        // Nφ has mean 1, and the weights have mean 2.
        let [a, b] = [(&weighted, 1.0), (&repeated, 0.5)].map(|(sample, cost)| {
            let descent = solved(sample, cost, 1e-9);
            (primal(sample, cost, &descent.space.w), descent.space.w)
        });
        assert!((a.0 - b.0).abs() < 1e-6 * a.0, "{} {}", a.0, b.0);
        assert!(a.1.iter().zip(&b.1).all(|(a, b)| (a - b).abs() < 1e-6));
    }

    /// Ends the work at the second look.
    struct Impatient(u64);

    /// Notes how far the search has come.
    #[derive(Default)]
    struct SearchLog(Vec<(usize, usize)>);

    impl Epochs for SearchLog {
        fn search(&mut self, done: usize, of: usize) -> Result<()> {
            self.0.push((done, of));
            Ok(())
        }
    }

    #[test]
    fn the_search_for_a_cost_tells_how_far_it_is() {
        let sample = sample(&random_points(1, 40, 3), &[1.0; 40]);
        let mut log = SearchLog::default();
        cross_validated(&sample, &mut log).unwrap();
        let all = costs().len() * 5;
        assert_eq!((log.0[0], log.0[log.0.len() - 1]), ((0, all), (all, all)));
        assert!(log.0.is_sorted() && log.0.len() > 2, "{:?}", log.0);
    }

    /// Rows that contradict each other, and a cost that nothing is too much for; the last feature is in all of them.
    fn contradictory(last: u32) -> Sample {
        let (mut rows, mut labels) = (Rows::default(), Vec::new());
        for (x, y) in random_points(2, 60, 4) {
            for (factor, label) in [(1.0, y > 0.0), (1.01, y < 0.0)] {
                let values: Vec<f64> = x.iter().map(|v| v * factor).collect();
                rows.push_row(Row::Sparse { indices: &[0, 1, 2, 3, last], values: &values });
                labels.push(Label::one_of(label));
            }
        }
        Sample::new("points", rows, &labels, &[1.0; 120], true).unwrap()
    }

    #[test]
    fn a_foolish_cost_ends_and_is_told() {
        let mut svm = Svm { given: Some(1e9), cost: 0.0, short_after: None };
        let w = svm.fit(&contradictory(MOST_FEATURES as u32), &mut ()).unwrap();
        assert!(w.iter().all(|w| w.is_finite()));
        assert_eq!(svm.short_after, Some(MOST_PASSES));
        assert_eq!(svm.facts().warnings.len(), 1);
    }

    /// A descent alone is nowhere near after as many passes.
    #[test]
    fn newton_steps_bring_a_foolish_cost_to_its_end() {
        let sample = contradictory(4);
        for cost in [1e3, 1e6, 1e9] {
            let descent = solved(&sample, cost, TOLERANCE);
            for (i, &alpha) in descent.alpha.iter().enumerate() {
                let margin = sample.y()[i] * sample.row(i).dot(&descent.space.w);
                assert!(alpha == 0.0 || margin < 1.0 + 2.0 * TOLERANCE, "{alpha} {margin}");
                assert!(alpha == cost || margin > 1.0 - 2.0 * TOLERANCE, "{alpha} {margin}");
            }
            let least = primal(&sample, cost, &descent.space.w);
            assert!(least - dual(&sample, &descent.alpha) < GAP * least, "{least}");
        }
    }

    impl Epochs for Impatient {
        fn tick(&mut self) -> Result<()> {
            self.0 += 1;
            if self.0 < 2 { Ok(()) } else { Err(crate::Error::Interrupted) }
        }
    }

    #[test]
    fn the_search_for_a_cost_can_be_ended() {
        let sample = sample(&random_points(1, 120, 3), &[1.0; 120]);
        let mut watch = Impatient(0);
        assert!(matches!(cross_validated(&sample, &mut watch), Err(crate::Error::Interrupted)));
        assert_eq!(watch.0, 2);
    }

    #[test]
    fn every_fold_leaves_rows_of_both_classes() {
        for positive in 2..9 {
            for negative in 2..9 {
                let point = |i: usize| (vec![1.0, i as f64], if i < positive { 1.0 } else { -1.0 });
                let points: Vec<_> = (0..positive + negative).map(point).collect();
                let sample = sample(&points, &vec![1.0; points.len()]);
                let folds = folds(&sample).unwrap();
                assert_eq!(folds.len(), points.len().min(5));
                let mut all: Vec<usize> = folds.concat();
                all.sort_unstable();
                assert_eq!(all, (0..points.len()).collect::<Vec<_>>());
                for (left_out, fold) in folds.iter().enumerate() {
                    let positives = |fold: &Vec<usize>| fold.iter().filter(|&&i| i < positive).count();
                    assert!(
                        positives(fold) < positive && fold.len() - positives(fold) < negative,
                        "{left_out}: {folds:?}"
                    );
                    assert!(positives(fold).abs_diff(positive / folds.len()) <= 1);
                }
            }
        }
        let lone = sample(&[(vec![1.0, 1.0], 1.0), (vec![1.0, 2.0], -1.0), (vec![1.0, 3.0], -1.0)], &[1.0; 3]);
        let message = folds(&lone).unwrap_err().to_string();
        assert_eq!(message, "points: cost=cv needs at least two rows of each class; give a cost");
    }

    #[test]
    fn the_cost_found_has_the_fewest_errors_on_rows_left_out() {
        let mut found = Vec::new();
        for seed in 0..8 {
            let points = random_points(seed, 70, 3);
            let sample = sample(&points, &[1.0; 70]);
            let folds = folds(&sample).unwrap();
            let mut machines: Vec<_> = (0..folds.len()).map(|left_out| without(&sample, &folds, left_out)).collect();
            let errors = costs().map(|cost| {
                let of_fold = |(machine, left_out): (&mut Machine<'_>, &Vec<usize>)| {
                    machine.set_cost(cost);
                    machine.run(MOST_PASSES);
                    left_out.iter().filter(|&&i| sample.y()[i] * sample.row(i).dot(machine.w()) <= 0.0).count()
                };
                machines.iter_mut().zip(&folds).map(of_fold).sum::<usize>()
            });
            let least = errors.iter().min().unwrap();
            let first = costs()[errors.iter().position(|e| e == least).unwrap()];
            assert_eq!(cross_validated(&sample, &mut ()).unwrap(), first, "{errors:?}");
            found.push(first);
        }
        assert!(found.iter().any(|cost| *cost != found[0]), "{found:?}");
    }
}
