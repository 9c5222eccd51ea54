//! Pages that commands write, in a real browser.

use crate::browser::check;
use crate::folder::Folder;

/// The page that a command writes.
fn written_by(line: &str) -> String {
    let folder = Folder::new();
    folder.run(&format!("{line} --quiet --html page.html")).silent();
    folder.text("page.html")
}

#[test]
fn a_browser_shows_a_real_comparison() {
    let learners = "-l averaged -l perceptron:kernel=polynomial -l forgetron:budget=50 -l rcd-bias:epochs=30 -l fld";
    check(&written_by(&format!("compare {learners} --repeats 3 --limit 600")), 4, 6);
}

#[test]
fn a_browser_shows_real_tuning() {
    check(&written_by("tune svm --limit 200 --grid cost=1e-3..1e3*10"), 1, 1);
    check(&written_by("tune passive-aggressive --limit 200 --grid c=1e-3..1e3*10 --grid variant=pa1,pa2"), 0, 1);
}
