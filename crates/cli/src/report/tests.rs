//! Charts and pages for data that is plain, empty, broken or hostile.

use super::canvas::Sheet;
use super::colour::Colour;
use super::demo::{self, axis, figure};
use super::scale::{Limits, Scale};
use super::*;
use super::{contour, curve, number, text};

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

fn svg(chart: Chart) -> String {
    figure("chart", "A chart", "", chart).svg()
}

fn lines(series: Vec<Vec<Point>>) -> Lines {
    let series =
        series.into_iter().enumerate().map(|(i, points)| Series { name: format!("series {i}"), style: None, points });
    Lines { x: axis("trials", None), y: axis("error", Some("%")), series: series.collect(), references: Vec::new() }
}

#[test]
fn every_figure_is_a_sound_file_of_its_own_name() {
    for report in [demo::report(), demo::hostile_report()] {
        let files = report.svg_files();
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
    assert_eq!(demo::report().html(), demo::report().html());
}

#[test]
fn hostile_texts_stay_texts() {
    let html = demo::hostile_report().html();
    assert!(!html.contains("<script>console.error"));
    assert!(!html.contains('\u{1}'));
    assert_eq!(html.matches("<script").count(), 2, "the data of the curves and the script of the page");
    assert_eq!(html.matches("</script>").count(), 2);
    let data = html.split("<script type=\"application/json\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert!(data["series"][1]["name"].as_str().unwrap().starts_with("</script><script>"));
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
                lines.references.push(Reference { name: "nowhere".to_string(), place: Place::Y(nan) });
                let hover = lines.hover().to_string();
                assert!(!hover.contains("NaN"), "{hover}");
                assert_sound(&svg(Chart::Lines(lines)));
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
            let heat = Heat { x: key(columns), y: key(rows), value: axis("error", None), values, best: Some((7, 1)) };
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
fn ticks_are_round_and_labelled_as_short_as_can_be() {
    let labels = |low: f64, high: f64, log: bool| {
        let scale = Scale { limits: Limits { low, high, log }, from: 0.0, to: 500.0 };
        let ticks = scale.ticks(|label| text::width(label, 12.0) + 12.0);
        ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(labels(0.0, 32_561.0, false), "0 5k 10k 15k 20k 25k 30k");
    assert_eq!(labels(0.0, 2000.0, false), "0 500 1,000 1,500 2,000");
    assert_eq!(labels(0.0, 3.5e6, false), "0 0.5M 1.0M 1.5M 2.0M 2.5M 3.0M 3.5M");
    assert_eq!(labels(-0.3, 0.4, false), "−0.3 −0.2 −0.1 0 0.1 0.2 0.3 0.4");
    assert_eq!(labels(12.5, 18.0, false), "13 14 15 16 17 18");
    assert_eq!(labels(1.0, 1000.0, true), "1 2 5 10 20 50 100 200 500 1k");
    assert_eq!(labels(1.0, 20_000.0, true), "1 10 100 1k 10k");
    assert_eq!(labels(1e-8, 1e8, true), "10⁻⁸ 10⁻⁶ 0.0001 0.01 1 100 10k 1M 100M");
    assert_eq!(labels(3.0, 8.0, true), "3 4 5 6 7 8");
    assert_eq!(labels(0.0, 4e-7, false), "0 5×10⁻⁸ 10⁻⁷ 1.5×10⁻⁷ 2×10⁻⁷ 2.5×10⁻⁷ 3×10⁻⁷ 3.5×10⁻⁷ 4×10⁻⁷");
}

#[test]
fn numbers_are_written_with_four_digits() {
    let written = [0.0, 1.0, 12.345_6, 0.001_234_56, 1234.56, -1_234_567.0, 2e-9, f64::NAN].map(number::value);
    assert_eq!(written, ["0", "1", "12.35", "0.001235", "1,235", "−1,234,567", "2×10⁻⁹", "–"]);
    assert_eq!([999.0, 1234.0, 25_000.0, 3.4e6].map(number::compact), ["999", "1.2k", "25k", "3.4M"]);
}

#[test]
fn axes_start_at_zero_unless_that_wastes_the_plot() {
    let limits = |low: f64, high: f64| Limits { low, high, log: false }.starting_at_zero(0.5).to_whole_ticks(100.0);
    assert_eq!(limits(12.0, 34.0), Limits { low: 0.0, high: 35.0, log: false });
    assert_eq!(limits(21.3, 24.9), Limits { low: 21.0, high: 25.0, log: false });
    assert_eq!(limits(3.0, 99.0), Limits { low: 0.0, high: 100.0, log: false });
}

#[test]
fn long_curves_are_thinned_alike() {
    let points = |height: f64| -> Vec<Point> {
        (1..=100_000).map(|i| Point::new(f64::from(i), height * f64::from(i % 7))).collect()
    };
    for log in [false, true] {
        let scale = Scale { limits: Limits { low: 1.0, high: 1e5, log }, from: 0.0, to: 600.0 };
        let kept = curve::thinned(&points(1.0), &scale, 200);
        let count = kept.iter().filter(|kept| **kept).count();
        assert!((200..=402).contains(&count), "{count}");
        assert!(kept[0] && kept[99_999]);
        assert_eq!(kept, curve::thinned(&points(-3.0), &scale, 200));
    }
}

#[test]
fn names_are_shortened_in_the_middle_and_keep_their_room() {
    let name = "perceptron:kernel=rbf,gamma=0.5";
    assert_eq!(text::shorten(name, 1000.0, 12.0), name);
    let short = text::shorten(name, 120.0, 12.0);
    assert!(short.starts_with("percep") && short.ends_with("=0.5") && short.contains('…'), "{short}");
    assert!(text::width(&short, 12.0) <= 120.0);
    assert_eq!(text::shorten("漢字漢字", 0.0, 12.0), "…");
    assert_eq!(
        [text::stem("a9a.svm: Error (%)"), text::stem("../漢")],
        ["a9a-svm-error".to_string(), "figure".to_string()]
    );
}

#[test]
fn contours_cut_squares_where_the_score_is_zero() {
    let rows = vec![vec![-1.0, 1.0], vec![-1.0, 1.0]];
    assert_eq!(contour::line(&rows, 0.0, |spot| spot), "M0.5 1L0.5 0");
    assert_eq!(contour::area(&rows, 0.0, |spot| spot), "M0.5 0L1 0L1 1L0.5 1Z");
    // A saddle: both high corners belong together, and each low one is cut off.
    let saddle = vec![vec![-1.0, 1.0], vec![1.0, -1.0]];
    assert_eq!(contour::line(&saddle, 0.0, |spot| spot), "M1 0.5L0.5 1M0 0.5L0.5 0");
}

#[test]
fn colours_grow_lighter_evenly() {
    let lightness = |i: u8| Colour::of(f64::from(i) / 8.0).luminance().cbrt();
    let steps: Vec<f64> = (0..8).map(|i| lightness(i + 1) - lightness(i)).collect();
    assert!(steps.iter().all(|step| (0.04..0.13).contains(step)), "{steps:?}");
}

#[test]
fn drawings_for_telephones_are_narrow() {
    let sheet = Sheet { width: 340.0, log: false, id: "narrow".to_string() };
    assert!(sheet.is_narrow());
    let canvas = demo::online_error(16, 500).draw(&sheet);
    // The legend has a line for each of its seventeen names.
    assert!(canvas.height > 17.0 * 19.0 + 220.0);
}

#[test]
fn tables_name_their_rows_and_columns() {
    let column = |name: &str, align| Column { name: name.to_string(), unit: None, about: None, align };
    let best =
        Cell { text: "1.5".to_string(), best: true, mark: Some("*".to_string()), below: Some("2 < 3".to_string()) };
    let columns = vec![column("learner", Align::Left), column("error", Align::Right)];
    let rows = vec![vec![Cell::new("romma"), best], vec![Cell::new("alma")]];
    let html = Table { caption: "Errors".to_string(), columns, rows, notes: vec!["* better".to_string()] }.html();
    assert!(html.contains("<th scope=\"col\" class=\"number\">error</th>"), "{html}");
    assert!(html.contains("<th scope=\"row\">romma</th><td class=\"number\"><strong>1.5</strong><sup>*</sup><span class=\"below\">2 &lt; 3</span></td>"), "{html}");
    assert!(html.contains("<th scope=\"row\">alma</th><td class=\"number\"></td>"), "{html}");
    assert!(html.contains("<li>* better</li>"), "{html}");
}
