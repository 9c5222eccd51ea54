//! The same bits on every machine: scores that were computed once, natively and in WebAssembly, and normal draws that
//! were computed natively; they never change.

use onlinear::workshop::Random;
use onlinear::{Example, Label, Row, Spec};

/// The scores of the last three trials of [`trials`]. Each learner meets functions that platforms round differently.
const SCORES: &[(&str, [f64; 3])] = &[
    ("winnow", [0.042805584640845475, 0.017826238096908736, 0.13148181205207027]),
    ("winnow:balanced=false", [0.34267161694085246, 0.16355753545223686, 0.29718855061142774]),
    ("winnow:rate=3", [0.8838619800283533, 0.019121389621025255, 0.754823466358989]),
    ("alma:p=4", [0.30582316344572696, 0.16028979327009352, 0.5696924890002025]),
    ("alma:p=8,alpha=0.5", [0.21434352761152936, -0.006240949778868044, 0.6186046530969063]),
    ("alma:p=3.3", [0.28402786442940336, 0.22830433186275126, 0.4714137720846708]),
    ("p-norm", [4.927494325303175, 2.2761603337893677, 7.52539568009012]),
    ("p-norm:p=5.5", [2.605263992811097, 1.3065343879012699, 6.474976292441322]),
    ("p-norm:p=9.62", [3.394303811664571, -0.22616173909327633, 9.159793992735674]),
    ("p-norm:p=100", [9.22574216980365, -1.9263359105163107, 16.666571860579786]),
    ("higher-order:p=3,form=implicit", [1.7556255411645205, 1.1884778815566308, 4.544644182535547]),
    ("higher-order:p=2.7,form=implicit", [1.2315786812774527, 0.6261474401646717, 5.0128369819916285]),
    ("scw", [1.7073082201036966, 0.6582527793108696, 2.5589156311567893]),
    ("scw:variant=2,matrix=full", [1.2517620168384322, 0.6965518120203187, 2.4539222240642293]),
    ("perceptron:kernel=gaussian", [0.4635214649944465, 0.5009295397003398, 0.26781914974057636]),
    ("second-order:mode=adaptive", [0.26530700332837615, 0.09698029837802888, 0.49567671100492405]),
    ("selective:base=perceptron", [5.150353995903924, 1.7825885537538282, 12.478008940036638]),
];

/// 600 rows in −1 … 1 and a noisy rule, from the bits of the generator alone.
fn trials() -> Vec<(Vec<f64>, Label)> {
    let mut random = Random::new(11);
    let mut trial = || {
        let x: Vec<f64> = (0..12).map(|_| random.symmetric()).collect();
        let side: f64 = x.iter().zip([1.0, -1.0, 0.5].iter().cycle()).map(|(x, u)| x * u).sum();
        (x, if side + random.symmetric() > 0.0 { Label::Positive } else { Label::Negative })
    };
    (0..600).map(|_| trial()).collect()
}

#[test]
fn scores_are_those_of_every_machine() {
    let trials = trials();
    for (spec, expected) in SCORES {
        let mut learner = spec.parse::<Spec>().unwrap().online().unwrap();
        let score = |(x, y): &(Vec<f64>, Label)| learner.round(&Example::new(Row::Dense(x), *y)).score;
        let scores: Vec<f64> = trials.iter().map(score).collect();
        assert_eq!(scores[597..], expected[..], "{spec}");
    }
}

#[test]
fn normal_draws_are_those_of_every_machine() {
    let mut random = Random::new(12);
    let draws: Vec<f64> = (0..10_000).map(|_| random.gauss()).collect();
    assert_eq!(draws[9_997..], [1.7638588640626611, 1.5388270238109145, -0.40453876087804314]);
    assert_eq!(draws.iter().sum::<f64>(), 10.285836400017793);
}
