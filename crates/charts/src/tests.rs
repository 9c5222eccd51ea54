//! The parts that charts and pages are made of.

use crate::canvas::Sheet;
use crate::colour::Colour;
use crate::scale::{Limits, Scale};
use crate::*;
use crate::{contour, curve, number, text};

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
    let series = |i: usize| Series {
        name: format!("forgetron:budget=500,{i}"),
        style: None,
        points: vec![Point::new(1.0, 2.0)],
    };
    let canvas = LineChart {
        x: Axis::new("trials", None),
        y: Axis::new("error", None),
        series: (0..17).map(series).collect(),
        references: Vec::new(),
    }
    .draw(&sheet);
    // The legend has a line for each of its seventeen names.
    assert!(canvas.height > 17.0 * 19.0 + 220.0);
}

#[test]
fn tables_name_their_rows_and_columns() {
    let best = Cell { best: true, mark: Some("*".to_string()), below: Some("2 < 3".to_string()), ..Cell::new("1.5") };
    let columns = vec![Column::new("learner", Align::Left), Column::new("error", Align::Right)];
    let rows = vec![vec![Cell::new("romma"), best], vec![Cell::new("alma")]];
    let html = Table { caption: "Errors".to_string(), columns, rows, notes: vec!["* better".to_string()] }.html();
    assert!(html.contains("<th scope=\"col\" class=\"number\">error</th>"), "{html}");
    let cell = "<td class=\"number\"><strong>1.5</strong><sup>*</sup><span class=\"below\">2 &lt; 3</span></td>";
    assert!(html.contains(&format!("<th scope=\"row\">romma</th>{cell}")), "{html}");
    assert!(html.contains("<th scope=\"row\">alma</th><td class=\"number\"></td>"), "{html}");
    assert!(html.contains("<li>* better</li>"), "{html}");
}

#[test]
fn tables_fit_into_the_lines_of_a_terminal() {
    let ranked = |name: &str, rank: u8| Column { rank, ..Column::new(name, Align::Right) };
    let columns = vec![Column::new("learner", Align::Left), ranked("online", 1), ranked("test", 0), ranked("size", 2)];
    let row = |name: &str| [name, "12.5", "10.25", "800"].map(Cell::new).to_vec();
    let rows = vec![row("perceptron:kernel=polynomial,degree=4"), row("svm")];
    let table = Table { caption: String::new(), columns, rows, notes: vec!["± is what it is, 5 %".to_string()] };
    assert_eq!(table.text(false, None).lines().nth(2), Some(&*format!("svm{:34}    12.5  10.25   800", "")));
    let narrow = table.text(false, Some(36));
    assert_eq!(
        narrow,
        "learner             online   test\nperceptron:k…ree=4    12.5  10.25\n\
         svm                   12.5  10.25\n± is what it is, 5 %\nNo room here for: size.\n"
    );
    for width in 0..60 {
        let text = table.text(false, Some(width));
        assert!(width < 24 || text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
    }
    // Words are cut, the longest first; figures are not.
    let columns =
        vec![Column::new("name", Align::Left), Column::new("n", Align::Right), Column::new("needs", Align::Left)];
    let rows = vec![["table-1", "1000000", "one, two, three, four"].map(Cell::new).to_vec()];
    let table = Table { caption: String::new(), columns, rows, notes: Vec::new() };
    assert_eq!(table.text(false, Some(30)).lines().last(), Some("table-1  1000000  one, two…our"));
    assert_eq!(wrapped("no more than 26.54 %", 18), ["no more than", "26.54 %"]);
    assert_eq!(wrapped("a:b=1,c=2 d", 6), ["a:b=1,", "c=2 d"]);
}
