//! Charts and pages for data that is plain, empty, broken or hostile.

use onlinear_charts::*;

use crate::{browser, demo, hostile};

/// Panics unless every tag is closed in order and no number is broken.
#[track_caller]
fn assert_sound(svg: &str) {
    for broken in ["NaN", "inf\"", "inf ", "-inf"] {
        assert!(!svg.contains(broken), "{broken} in {svg}");
    }
    let style = svg.find("<style>").unwrap()..svg.find("</style>").unwrap();
    let svg = format!("{}{}", &svg[..style.start], &svg[style.end + "</style>".len()..]);
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.split_whitespace().next().unwrap();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.to_string()));
        } else if !tag.ends_with('/') {
            open.push(name.to_string());
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty(), "{open:?}");
}

/// What the page's script is told of the first chart.
fn hover(html: &str) -> serde_json::Value {
    let data = html.split("<script type=\"application/json\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"))
}

fn svg(chart: Chart) -> String {
    Figure::new("chart", "A chart", "", chart).svg()
}

fn lines(series: Vec<Vec<Point>>) -> LineChart {
    let series =
        series.into_iter().enumerate().map(|(i, points)| Series { name: format!("series {i}"), style: None, points });
    LineChart {
        x: Axis::new("trials", None),
        y: Axis::new("error", Some("%")),
        series: series.collect(),
        references: Vec::new(),
    }
}

#[test]
fn every_figure_is_a_sound_file_of_its_own_name() {
    for page in [demo::page(), hostile::page()] {
        let files = page.svg_files();
        for (name, svg) in &files {
            assert_sound(svg);
            assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
            assert_eq!(files.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b)), "{name}");
        }
    }
}

#[test]
fn the_same_data_give_the_same_page() {
    assert_eq!(demo::page().html(), demo::page().html());
}

#[test]
fn hostile_texts_stay_texts() {
    let html = hostile::page().html();
    assert!(!html.contains("<script>console.error"));
    assert!(!html.contains('\u{1}'));
    assert_eq!(html.matches("<script").count(), 2, "the data of the curves and the script of the page");
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(hover(&html)["series"][1]["name"].as_str().unwrap().starts_with("</script><script>"));
}

#[test]
fn series_without_sense_are_drawn_in_peace() {
    let nan = f64::NAN;
    let odd: Vec<Vec<Point>> = vec![
        vec![],
        vec![Point::new(nan, nan)],
        vec![Point::new(5.0, 3.0)],
        vec![Point { x: 5.0, y: 3.0, low: Some(2.0), high: Some(4.0) }],
        vec![Point::new(1.0, 2.0), Point::new(2.0, nan), Point::new(3.0, 2.0), Point::new(4.0, 2.0)],
        vec![Point::new(0.0, 0.0), Point::new(0.0, 0.0)],
        vec![Point::new(-3.0, 1e300), Point::new(f64::INFINITY, -1e300), Point::new(7.0, f64::NEG_INFINITY)],
        vec![Point::new(1.0, 1e-12), Point::new(1e12, 1e12)],
        vec![Point { x: 1.0, y: 1.0, low: Some(nan), high: Some(f64::INFINITY) }, Point::new(2.0, -0.0)],
        vec![Point::new(1.0, 1.0), Point::new(1.0 + 1e-16, 1.0 + 1e-16)],
    ];
    for log_x in [false, true] {
        for log_y in [false, true] {
            for series in odd.iter().map(|points| vec![points.clone()]).chain([vec![], odd.clone()]) {
                let mut lines = lines(series);
                (lines.x.log, lines.y.log) = (log_x, log_y);
                lines.references.push(Reference { name: "nowhere".to_string(), place: Position::Y(nan) });
                let figure = Figure::new("chart", "A chart", "", Chart::Lines(lines));
                assert_sound(&figure.svg());
                let sections = vec![Section::new("", vec![Part::Figure(figure)])];
                hover(&Page { title: String::new(), about: Vec::new(), sections }.html());
            }
        }
    }
    assert!(svg(Chart::Lines(lines(vec![]))).contains("no data"));
}

#[test]
fn other_charts_without_sense_are_drawn_in_peace() {
    let key = |count: usize| Key { name: "key".to_string(), settings: (0..count).map(|i| i.to_string()).collect() };
    for (columns, rows) in [(0, 0), (1, 1), (3, 2), (60, 60)] {
        for value in [None, Some(f64::NAN), Some(5.0), Some(f64::INFINITY)] {
            let values = vec![vec![value; columns]; rows];
            let heat =
                HeatMap { x: key(columns), y: key(rows), value: Axis::new("error", None), values, best: Some((7, 1)) };
            assert_sound(&svg(Chart::Heat(heat)));
        }
    }
    for classes in [0, 1, 2, 100] {
        assert_sound(&svg(Chart::Confusion(demo::confusion(classes, 0.0))));
    }
    let ragged = Confusion { labels: vec!["a".to_string(), "b".to_string()], counts: vec![vec![u64::MAX / 4]] };
    assert_sound(&svg(Chart::Confusion(ragged)));
    for rows in
        [vec![], vec![vec![1.0]], vec![vec![f64::NAN; 3]; 3], vec![vec![0.0; 3]; 3], vec![vec![1.0], vec![1.0, -1.0]]]
    {
        let mut plane = demo::plane();
        plane.scores.rows = rows;
        plane.points[0].x = f64::NAN;
        assert_sound(&svg(Chart::Plane(plane)));
    }
}

#[test]
fn a_browser_shows_every_chart() {
    browser::check(&demo::page().html(), 4, 9);
}

#[test]
fn a_browser_is_not_fooled_by_names() {
    browser::check(&hostile::page().html(), 1, 4);
}

#[test]
fn a_page_of_many_sections_has_contents_and_one_of_few_has_none() {
    let page = |sections: usize| Page {
        title: "A page".to_string(),
        about: Vec::new(),
        sections: (1..=sections).map(|i| Section::new(&format!("Part <{i}>"), Vec::new())).collect(),
    };
    let html = page(3).html();
    for i in 1..=3 {
        assert!(html.contains(&format!("<a href=\"#section-{i}\">Part &lt;{i}&gt;</a>")), "{html}");
        assert_eq!(html.matches(&format!("<section id=\"section-{i}\">")).count(), 1);
    }
    assert!(!page(2).html().contains("<nav"));
}

#[test]
fn verdicts_are_told_apart_by_sign_and_colour() {
    let cell = |tone, word: &str| Cell { verdict: Some((tone, word.to_string())), ..Cell::new("1.5") };
    let table = Table {
        caption: "Cells".to_string(),
        columns: ["a", "b", "c"].map(|name| Column::new(name, Align::Right)).into(),
        rows: vec![vec![cell(Tone::Good, "agrees"), cell(Tone::Bad, "differs"), cell(Tone::Plain, "shown")]],
        notes: Vec::new(),
    };
    assert!(table.markdown().contains("| 1.5 (agrees) | 1.5 (differs) | 1.5 (shown) |"), "{}", table.markdown());
    let sections = vec![Section::new("Cells", vec![Part::Table(table)])];
    let html = Page { title: String::new(), about: Vec::new(), sections }.html();
    for shown in ["good\">✓ agrees<", "bad\">✗ differs<", "plain\">shown<"] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
}

#[test]
fn the_legend_has_the_order_of_the_curves() {
    let rising = |end: f64| vec![Point::new(1.0, 1.0), Point::new(2.0, end)];
    let svg = svg(Chart::Lines(lines(vec![rising(3.0), rising(9.0), rising(5.0)])));
    let legend = svg.rsplit("class=\"entry\"").map(|entry| entry.split("series ").nth(1).map(|rest| &rest[..1]));
    let mut names: Vec<&str> = legend.take(3).flatten().collect();
    names.reverse();
    assert_eq!(names, ["1", "2", "0"], "{svg}");
}
