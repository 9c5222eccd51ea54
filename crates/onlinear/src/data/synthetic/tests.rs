//! Tests of the artificial sets.

use super::*;
use crate::data::{Batch, Input, ReadOptions, open};

/// The first `rows` rows with their labels.
fn rows(text: &str, seed: u64, rows: usize) -> Vec<(Vec<f64>, Label)> {
    let mut generator = Generator::new(text, seed).unwrap();
    let mut next = || {
        let example = generator.next_example();
        (example.x.values().to_vec(), example.y)
    };
    (0..rows).map(|_| next()).collect()
}

fn text_of(text: &str, seed: u64, rows: u64) -> String {
    let mut out = Vec::new();
    write_libsvm(&mut out, rows, &mut Generator::new(text, seed).unwrap()).unwrap();
    String::from_utf8(out).unwrap()
}

/// Mean and variance of component `i` over the rows that `chosen` chooses.
fn moments(rows: &[(Vec<f64>, Label)], i: usize, chosen: impl Fn(&[f64], Label) -> bool) -> (f64, f64) {
    let values: Vec<f64> = rows.iter().filter(|(x, y)| chosen(x, *y)).map(|(x, _)| x[i]).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64)
}

#[track_caller]
fn near((mean, variance): (f64, f64), expected: (f64, f64)) {
    assert!((mean - expected.0).abs() < 0.05, "mean {mean}, expected {}", expected.0);
    assert!((variance / expected.1 - 1.0).abs() < 0.06, "variance {variance}, expected {}", expected.1);
}

fn share_positive(rows: &[(Vec<f64>, Label)]) -> f64 {
    rows.iter().filter(|(_, y)| *y == Label::Positive).count() as f64 / rows.len() as f64
}

#[test]
fn a_seed_is_a_text() {
    for set in SETS {
        let text = text_of(set.name, 7, 20);
        assert_eq!(text.lines().count(), 20);
        assert_eq!(text, text_of(set.name, 7, 20), "{}", set.name);
        let is_drawn = set.name != "slow";
        assert_eq!(text != text_of(set.name, 8, 20), is_drawn, "{}", set.name);
        assert!(text_of(set.name, 7, 30).starts_with(&text), "a longer run begins like a shorter one");
        assert_eq!(find(set.name).unwrap().name, set.name);
    }
}

#[test]
fn settings_read_back_from_what_they_print() {
    for text in SETS.iter().map(|set| set.name).chain(["artificial:noise=0.1", "second-order-toy:set=2,margin=0.5"]) {
        let canonical = Generator::new(text, 1).unwrap().settings().to_string();
        assert_eq!(Generator::new(&canonical, 1).unwrap().settings().to_string(), canonical);
        assert_eq!(text_of(text, 1, 3), text_of(&canonical, 1, 3));
    }
    let canonical = Generator::new("artificial:noise=0.1", 1).unwrap().settings().to_string();
    assert_eq!(canonical, "artificial:features=500,relevant=50,margin=0.005,noise=0.1");
}

#[test]
fn every_default_is_legal() {
    for set in SETS {
        for parameter in set.parameters {
            assert_eq!(parameter.kind.parse(&parameter.default.to_string()), Ok(parameter.default));
            assert!(!parameter.help.is_empty());
        }
    }
}

#[test]
fn errors_name_the_offender() {
    for (text, message) in [
        (
            "artificial:nois=0.1",
            "artificial: no parameter 'nois'; it has features, relevant, margin, noise; did you mean 'noise'?",
        ),
        ("artificial:noise=2", "artificial: noise=2 is out of range; expected a number >= 0 and <= 1"),
        ("artificial:features=10", "artificial: relevant=50 is more than features=10"),
        (
            "artificial:margin=0.5",
            "artificial: margin=0.5 is out of range; expected a number >= 0 and <= 0.0447 (1/√features), else most \
             rows are rejected",
        ),
        (
            "sparse-experts:relevant=4",
            "sparse-experts: relevant=4 is even; expected an odd number, so that no vote ties",
        ),
        (
            "sparse-experts:features=1e18",
            "sparse-experts: features=1e18 is out of range; expected a whole number >= 1 and <= 1000000",
        ),
        ("second-order-toy:set=3", "second-order-toy: set=3 is out of range; expected a whole number >= 1 and <= 2"),
        (
            "second-order-toy:features=1",
            "second-order-toy: features=1 is out of range; expected a whole number >= 2 and <= 1000000",
        ),
        ("ringnorm:features=3", "ringnorm: no parameter 'features'; it has no parameters"),
        ("xor:spread=0,spread=1", "xor: 'spread' is given twice"),
        ("xor:", "xor: '' is not of the form key=value"),
    ] {
        let error = Generator::new(text, 1).unwrap_err();
        assert!(error.is_usage());
        assert_eq!(error.to_string(), message);
    }
    let unknown = Generator::new("yingyang", 1).unwrap_err().to_string();
    assert!(
        unknown.starts_with("no artificial set is called 'yingyang'; there are ringnorm, threenorm, "),
        "{unknown}"
    );
    assert!(unknown.ends_with("; did you mean 'yinyang'?"), "{unknown}");
}

#[test]
fn ringnorm_is_a_wide_gaussian_around_a_narrow_one() {
    let rows = rows("ringnorm", 1, 20_000);
    assert_eq!(rows[0].0.len(), 20);
    assert!((share_positive(&rows) - 0.5).abs() < 0.02);
    for i in 0..20 {
        near(moments(&rows, i, |_, y| y == Label::Positive), (0.0, 4.0));
        near(moments(&rows, i, |_, y| y == Label::Negative), (1.0 / 20f64.sqrt(), 1.0));
    }
}

#[test]
fn threenorm_is_two_gaussians_against_one() {
    let rows = rows("threenorm", 1, 20_000);
    let a = 2.0 / 20f64.sqrt();
    assert!((share_positive(&rows) - 0.5).abs() < 0.02);
    for i in 0..20 {
        near(moments(&rows, i, |_, y| y == Label::Positive), (0.0, 1.0 + a * a));
        near(moments(&rows, i, |_, y| y == Label::Negative), (if i % 2 == 0 { a } else { -a }, 1.0));
    }
    // One coin for all components of a positive row: they vary together.
    let products: Vec<f64> = rows.iter().filter(|(_, y)| *y == Label::Positive).map(|(x, _)| x[0] * x[7]).collect();
    assert!((products.iter().sum::<f64>() / products.len() as f64 - a * a).abs() < 0.05);
}

#[test]
fn yinyang_is_the_sign() {
    for (x1, x2, white) in [
        (0.5, 0.0, true),    // the right dot
        (0.5, 0.17, true),   // still in it
        (0.5, 0.3, false),   // the right head around it
        (0.5, -0.3, false),  //
        (-0.5, 0.0, false),  // the left dot
        (-0.5, 0.17, false), // still in it
        (-0.5, 0.3, true),   // the left head around it
        (-0.5, -0.3, true),  //
        (0.0, 0.8, true),    // the upper half
        (0.0, -0.8, false),  // the lower half
    ] {
        assert_eq!(in_yang(x1, x2), white, "({x1}, {x2})");
    }
    let rows = rows("yinyang", 1, 20_000);
    for (x, y) in &rows {
        assert!(x[0].hypot(x[1]) <= 1.1 + 1e-12);
        assert_eq!(*y == Label::Positive, in_yang(x[0], x[1]));
    }
    // By the symmetry of the sign, half of it is white.
    assert!((share_positive(&rows) - 0.5).abs() < 0.02);
    // A coordinate uniform in a disc has a quarter of the squared radius as its variance.
    (0..2).for_each(|i| near(moments(&rows, i, |_, _| true), (0.0, 1.21 / 4.0)));
}

#[test]
fn two_gaussians_have_their_means_and_variances() {
    let clean = rows("two-gaussians:noise=0", 1, 20_000);
    for (y, mean) in [(Label::Positive, 1.0), (Label::Negative, -1.0)] {
        near(moments(&clean, 0, |_, label| label == y), (mean, 0.2));
        near(moments(&clean, 1, |_, label| label == y), (mean, 2.0));
    }
    let noisy = rows("two-gaussians", 1, 20_000);
    let flips = clean.iter().zip(&noisy).filter(|(a, b)| a.1 != b.1).count();
    assert!((1_800..2_200).contains(&flips), "{flips}");
    assert!(clean.iter().zip(&noisy).all(|(a, b)| a.0 == b.0), "noise changes labels only");
}

#[test]
fn second_order_toy_is_labelled_by_an_axis() {
    for (text, axis, margin) in [
        ("second-order-toy", 0, 0.0),
        ("second-order-toy:set=2", 1, 0.0),
        ("second-order-toy:set=2,margin=0.5,features=5", 1, 0.5),
    ] {
        let rows = rows(text, 1, 10_000);
        for (x, y) in &rows {
            assert!(x[axis] * y.sign() > 0.0 && x[axis].abs() >= margin);
        }
        assert!((share_positive(&rows) - 0.5).abs() < 0.02);
        near(moments(&rows, 0, |_, _| true), (0.0, 8.0));
        near(moments(&rows, 2, |_, _| true), (0.0, 1.0));
    }
    near(moments(&rows("second-order-toy:ratio=2,features=3", 1, 10_000), 0, |_, _| true), (0.0, 2.0));
}

#[test]
fn artificial_has_a_sparse_target_and_a_margin() {
    let (features, relevant) = (40, 6);
    let text = "artificial:features=40,relevant=6,margin=0.1";
    let clean = rows(text, 3, 2_000);
    // The signs of the target show in the mean of y x.
    let mean = |i: usize| clean.iter().map(|(x, y)| y.sign() * x[i]).sum::<f64>() / clean.len() as f64;
    let means: Vec<f64> = (0..features).map(mean).collect();
    assert!(means[..relevant].iter().all(|m| m.abs() > 0.03), "{means:?}");
    assert!(means[relevant..].iter().all(|m| m.abs() < 0.02), "{means:?}");
    for (x, y) in &clean {
        assert!((Row::Dense(x).norm(2.0) - 1.0).abs() < 1e-14);
        let u_x: f64 = means[..relevant].iter().zip(x).map(|(m, x_i)| m.signum() * x_i).sum::<f64>() / 6f64.sqrt();
        assert!(u_x * y.sign() >= 0.1 - 1e-12);
    }
    let noisy = rows(&format!("{text},noise=0.1"), 3, 2_000);
    let flips = clean.iter().zip(&noisy).filter(|(a, b)| a.1 != b.1).count();
    assert!((150..250).contains(&flips), "{flips}");
    assert_eq!(rows("artificial", 1, 1)[0].0.len(), 500);
}

#[test]
fn extreme_settings_of_artificial_still_give_rows() {
    for text in ["artificial:features=1,relevant=1,margin=1", "artificial:features=500,relevant=1,margin=0.0447"] {
        assert_eq!(rows(text, 1, 50).len(), 50);
    }
}

#[test]
fn sparse_experts_vote() {
    let rows = rows("sparse-experts:features=12,relevant=5", 1, 5_000);
    for (x, y) in &rows {
        assert!(x.iter().all(|x_i| x_i.abs() == 1.0));
        let votes = x[..5].iter().filter(|&&x_i| x_i > 0.0).count();
        assert_eq!(*y == Label::Positive, votes >= 3);
    }
    (0..12).for_each(|i| near(moments(&rows, i, |_, _| true), (0.0, 1.0)));
    assert!((share_positive(&rows) - 0.5).abs() < 0.03);
}

#[test]
fn xor_is_positive_when_one_sign_is() {
    let corners = rows("xor", 1, 4_000);
    for (x, y) in &corners {
        assert!(x.iter().all(|x_i| x_i.abs() == 1.0));
        assert_eq!(*y == Label::Positive, (x[0] > 0.0) != (x[1] > 0.0));
    }
    assert!((share_positive(&corners) - 0.5).abs() < 0.03);
    let spread = rows("xor:spread=0.3", 1, 4_000);
    assert!(corners.iter().zip(&spread).all(|(a, b)| a.1 == b.1), "spread moves rows, not labels");
    near(moments(&spread, 0, |_, _| true), (0.0, 1.09));
}

#[test]
fn libsvm_text_reads_back_to_the_same_rows() {
    use std::io::Write as _;
    for (text, count) in [("artificial", 10), ("xor", 4), ("second-order-toy:features=3,ratio=1e6", 1_000)] {
        let mut file = tempfile::Builder::new().suffix(".svm").tempfile().unwrap();
        file.write_all(text_of(text, 5, count as u64).as_bytes()).unwrap();
        let (mut reader, _) = open(&Input::File(file.path().into()), &ReadOptions::default()).unwrap();
        let (mut batch, mut read) = (Batch::default(), Vec::new());
        while reader.read(&mut batch).unwrap() {
            read.extend((0..batch.len()).map(|i| batch.rows.row(i).values().to_vec()));
            batch.clear();
        }
        let written: Vec<Vec<f64>> = rows(text, 5, count).into_iter().map(|(x, _)| x).collect();
        assert_eq!(read, written, "{text}");
    }
}

#[test]
fn libsvm_text_is_short_and_leaves_zeros_out() {
    let set: &'static Set = &XOR;
    let mut values = [0.0, 0.5, -0.0, 1e-300, 1e300, -2.0].into_iter().cycle();
    let mut generator = Generator {
        settings: Settings::defaults(set.name, set.parameters),
        random: Random::new(1),
        draw: Box::new(move |_, x| {
            x.fill_with(|| values.next().unwrap());
            Label::Negative
        }),
        row: vec![0.0; 6],
    };
    let mut out = Vec::new();
    write_libsvm(&mut out, 1, &mut generator).unwrap();
    assert_eq!(out, b"-1 2:0.5 4:1e-300 5:1e300 6:-2\n");
}

#[test]
fn the_slow_set_takes_exponentially_many_updates() {
    for features in [1, 3, 5, 7] {
        let mut generator = Generator::new(&format!("slow:features={features}"), 1).unwrap();
        let (mut w, mut updates, mut right) = (vec![0.0; features], 0, 0);
        while right < features {
            let Example { x, y, .. } = generator.next_example();
            if y.sign() * x.dot(&w) > 0.0 {
                right += 1;
            } else {
                x.add_to(&mut w, y.sign());
                (updates, right) = (updates + 1, 0);
            }
        }
        assert_eq!(updates, (4u64.pow(features as u32) - 1) / 3);
        assert_eq!(w, (0..features).map(|i| 2f64.powi(i as i32)).collect::<Vec<_>>());
    }
}
