//! Selective sampling: what it must become, and what is refused.

use onlinear::Spec;

use crate::support::{Storage, noisy, ready, run, spec};

#[test]
fn with_every_label_asked_for_it_is_its_base() {
    let points = noisy(1, 150, 6, 0.2);
    let bases = ["averaged", "passive-aggressive:variant=pa2", "second-order", "voted:kernel=gaussian", "rbp:budget=5"];
    for base in bases {
        let (name, settings) = base.split_once(':').map_or((base, String::new()), |(name, rest)| {
            (name, rest.split(',').map(|setting| format!(",base.{setting}")).collect())
        });
        let eager = spec(&format!("selective:base={name}{settings},eagerness=inf"));
        let (mut ours, mut theirs) = (ready(&eager, &points), ready(&spec(base), &points));
        let [a, b] = [&mut ours, &mut theirs].map(|learner| run(learner.as_mut(), &points, Storage::Sparse));
        for (a, b) in a.iter().zip(&b) {
            assert_eq!((a.score, a.step, a.asked, b.asked), (b.score, b.step, Some(true), None), "{base}");
        }
        for point in &points {
            let x = point.row(Storage::Sparse);
            assert_eq!(ours.leaves().score(x), theirs.leaves().score(x), "{base}");
        }
    }
}

#[test]
fn the_surer_it_is_the_less_it_asks() {
    let points = noisy(2, 400, 6, 0.0);
    let asked = |eagerness: &str| {
        let mut learner = ready(&spec(&format!("selective:eagerness={eagerness}")), &points);
        run(learner.as_mut(), &points, Storage::Dense).iter().filter(|round| round.asked == Some(true)).count()
    };
    let counts = ["0.01", "1", "100", "inf"].map(asked);
    assert!(counts.is_sorted_by(|a, b| a < b) && counts[0] < 100 && counts[3] == 400, "{counts:?}");
}

#[test]
fn a_base_that_needs_all_rows_is_refused_by_name() {
    for (text, reason) in [
        ("selective:base=fld", "base=fld learns from all rows at once; expected a learner that learns row by row"),
        ("selective:base=whitened", "base=whitened must be shown all rows first"),
        ("selective:b=0", "b=0 is out of range; expected inf or a number > 0"),
    ] {
        let error = text.parse::<Spec>().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
