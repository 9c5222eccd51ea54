use super::demo;

/// Writes the report for someone to look at.
#[test]
fn report_to_look_at() {
    let Ok(folder) = std::env::var("ONLINEAR_REPORT") else { return };
    let report = demo::report();
    std::fs::write(format!("{folder}/report.html"), report.html()).unwrap();
    for (name, svg) in report.svg_files() {
        std::fs::write(format!("{folder}/{name}"), svg).unwrap();
    }
}
