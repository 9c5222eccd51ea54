//! Texts that try to break out of their places.

use onlinear_charts::*;

use crate::demo;

/// A page whose every text tries to break out of its place.
pub fn page() -> Page {
    let bad = || {
        format!("</script><script>console.error(1)</script>\"'>&amp;<!--]]> {} Ünïcödé 漢字 \u{1}", "long".repeat(60))
    };
    let axis = || Axis { label: bad(), unit: Some(bad()), log: false };
    let mut lines = demo::online_error(3, 400);
    (lines.x, lines.y) = (axis(), axis());
    lines.series[1].name = bad();
    lines.references[0].name = bad();
    let mut heat = demo::heat();
    heat.x.settings[0] = bad();
    heat.y.settings[1] = bad();
    (heat.x.name, heat.y.name, heat.value) = (bad(), bad(), axis());
    let mut plane = demo::plane();
    (plane.x_label, plane.y_label, plane.classes) = (bad(), bad(), [bad(), bad()]);
    let mut confusion = demo::confusion(3, 50.0);
    confusion.labels[1] = bad();
    let mut table = demo::table(3);
    table.caption = bad();
    table.columns[1].unit = Some(bad());
    table.columns[2].about = Some(bad());
    table.rows[0][0].text = bad();
    table.rows[0][1].mark = Some("<b>".to_string());
    let charts = [Chart::Lines(lines), Chart::Heat(heat), Chart::Plane(plane), Chart::Confusion(confusion)];
    let figures = charts.into_iter().map(|chart| Part::Figure(Figure::new(&bad(), &bad(), &bad(), chart)));
    let parts = [Part::Text(bad()), Part::Table(table)].into_iter().chain(figures).collect();
    Page { title: bad(), about: vec![(bad(), bad())], sections: vec![Section { heading: bad(), parts }] }
}
