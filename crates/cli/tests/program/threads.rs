//! The same run again and again, on any number of threads: the same bytes.

use crate::folder::Folder;

/// `ONLINEAR_REPEATS=100 cargo test threads` runs each more often. (`compare` has a test of its own.)
#[test]
fn the_number_of_threads_and_their_timing_change_nothing() {
    let repeats: usize = std::env::var("ONLINEAR_REPEATS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let folder = Folder::new();
    let text = folder.run("generate artificial:features=20,relevant=5 --rows 600 --seed 5").silent().stdout;
    let classes = text.lines().enumerate().map(|(i, line)| format!("{}{}\n", i % 5, &line[2..])).collect::<String>();
    folder.write("data.svm", &text);
    folder.write("classes.svm", classes);
    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
    folder.write("data.svm.zst", packed);
    // So many support vectors that their kernel values are shared among threads.
    let many = folder.run("generate artificial:features=20,relevant=5 --rows 3000 --seed 5").silent().stdout;
    folder.write("many.svm", many);
    folder.run("learn perceptron:kernel=gaussian,sigma2=0.2 many.svm --model many").silent();
    for line in [
        "learn perceptron:kernel=gaussian,sigma2=0.2 many.svm --model result --trace trace --quiet",
        "learn rbp:budget=700,kernel=gaussian,sigma2=0.2 many.svm --model result --trace trace --quiet",
        "learn forgetron:budget=700,kernel=gaussian,sigma2=0.2 many.svm --model result --trace trace --quiet",
        "predict many many.svm --scores --quiet",
        "learn averaged data.svm.zst --model result --trace trace --quiet",
        "learn perceptron:kernel=gaussian classes.svm --model result --trace trace --quiet",
        "learn rcd-bias:epochs=20 classes.svm --model result --trace trace --quiet",
        "learn adaboost:rounds=5,base=perceptron classes.svm --model result --trace trace --quiet",
        "tune perceptron data.svm --grid rate=0.1,1,10 --folds 3 --model result --json",
    ] {
        let run = |threads: usize| {
            let ran = folder.run_in(&[("ONLINEAR_THREADS", &threads.to_string())], line, "").ok();
            let trace = folder.path("trace").exists().then(|| folder.read("trace"));
            (ran.stdout, folder.read("result"), trace)
        };
        let first = run(1);
        for i in 0..repeats {
            assert!(run(1 + (i + 1) % 4) == first, "{line}: run {i}, {} threads", 1 + (i + 1) % 4);
        }
    }
}
