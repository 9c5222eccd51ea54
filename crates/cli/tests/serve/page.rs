//! The page and what it reads.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::browser::{FLAGS, browser};
use crate::folder::Folder;
use crate::running::{Random, Running};

#[test]
fn the_page_loads_nothing_from_elsewhere_and_runs_nothing_that_is_data() {
    let folder = Folder::new();
    let server = Running::start(&folder, "arow --labels 0,1 --learn --store store");
    let page = server.get("/").ok();
    let policy = page.head.lines().find(|line| line.to_lowercase().starts_with("content-security-policy")).unwrap();
    assert!(policy.contains("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    let text = page.text();
    assert!(!text.contains("http") && !text.contains("style=") && text.matches("<script").count() == 1);
    let script = server.get("/page.js").ok().text();
    assert!(!script.contains("innerHTML") && !script.contains("eval(") && !script.contains("insertAdjacent"));
}

#[test]
fn what_the_page_shows_is_what_was_learned() {
    let folder = Folder::new();
    let hostile = "<img/src=x/onerror=alert(1)>";
    let server = Running::start(&folder, &format!("arow --labels {hostile},b --learn --store store"));
    let first = format!("{{\"label\":\"{hostile}\",\"features\":{{\"<script>\":1}}}}\n");
    let second = "{\"label\":\"b\",\"features\":{\"<script>\":-3}}\n";
    server.rows("/learn", first + second).ok();
    let live = &server.get("/live").ok().lines()[0];
    assert_eq!((live["learned"].as_u64(), live["features"].as_u64()), (Some(2), Some(1)));
    assert_eq!(live["classes"].as_array().unwrap().iter().map(|class| class["rows"].as_u64().unwrap()).sum::<u64>(), 2);
    assert_eq!(live["weights"][0]["weights"][0][0], "<script>");
    assert!(live["last_mistakes"].as_array().unwrap().iter().any(|mistake| mistake["label"] == hostile));
}

#[test]
fn metrics_are_those_of_the_rows() {
    let folder = Folder::new();
    let server = Running::start(&folder, "arow --labels 0,1 --learn --store store");
    assert!(server.get("/metrics").ok().text().contains("\nonlinear_error_ratio_last{rows=\"1000\"} NaN\n"));
    let mut random = Random(12);
    let rows: String = (0..1500).map(|_| random.row(None)).collect();
    let mistakes = server.rows("/learn", rows).ok().lines().iter().filter(|line| line["mistake"] == true).count();
    server.rows("/predict", "{\"features\":{\"a\":1}}\n".repeat(3)).ok();
    let text = server.get("/metrics").ok().text();
    let value = |name: &str| -> f64 {
        let line =
            text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap_or_else(|| panic!("{name}: {text}"));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(value("onlinear_rows_learned_total"), 1500.0);
    assert_eq!(value("onlinear_rows_predicted_total"), 3.0);
    assert_eq!(value("onlinear_mistakes_total"), mistakes as f64);
    assert_eq!(value("onlinear_error_ratio"), mistakes as f64 / 1500.0);
    assert_eq!(value("onlinear_request_seconds_count{request=\"learn\"}"), 1.0);
    assert!(value("onlinear_error_ratio_last{rows=\"1000\"}") < value("onlinear_error_ratio"));
    folder.run("learn arow store/log/000000000001.jsonl --labels 0,1 --json").json()["mistakes"]
        .as_u64()
        .map(|offline| assert_eq!(offline, mistakes as u64))
        .unwrap();
}

/// In a real browser, by day and by night, wide and narrow, while rows come in.
#[test]
fn the_page_lives_in_a_browser_and_shows_hostile_labels_as_text() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium on PATH and ONLINEAR_CHROMIUM is not set");
        return;
    };
    let folder = Folder::new();
    let hostile = "<img/src=x/onerror=alert(1)>";
    let server = Running::start(&folder, &format!("arow --labels {hostile},b --learn --store store"));
    let mut row = format!("{{\"label\":\"{hostile}\",\"features\":{{\"<b>bold</b>\":1}}}}\n");
    row += "{\"label\":\"b\",\"features\":{\"<b>bold</b>\":-2,\"plain\":1}}\n";
    for (width, dark) in [(1300, false), (500, true)] {
        let before = server.rows("/learn", &row).ok().lines()[1]["row"].as_u64().unwrap();
        let is_shown = AtomicBool::new(false);
        let (dom, said) = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_shown.load(Ordering::Relaxed) {
                    server.rows("/learn", &row).ok();
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
            });
            let mut command = Command::new(&browser);
            command.args(FLAGS).arg(format!("--user-data-dir={}", folder.path("profile").display()));
            command.args(["--enable-logging=stderr", &format!("--window-size={width},900")]);
            command.arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)));
            let output = command.arg(format!("http://{}/", server.address)).output().unwrap();
            is_shown.store(true, Ordering::Relaxed);
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            (text(output.stdout), text(output.stderr))
        });
        assert!(!said.contains("CONSOLE"), "{said}");
        assert!(dom.contains("role=\"status\" class=\"\">live</p>"), "{dom}");
        let shown = dom.split("<dt>rows learned</dt><dd>").nth(1).and_then(|rest| rest.split('<').next()).unwrap();
        let shown: u64 = shown.replace(',', "").parse().unwrap();
        assert!(shown > before, "the page shows {shown} rows, {before} were there before it was opened");
        assert!(dom.contains("&lt;img/src=x/onerror=alert(1)&gt;") && !dom.contains("<img"), "{dom}");
        assert!(dom.contains("&lt;b&gt;bold") && !dom.contains("<b>"), "{dom}");
        assert_eq!(dom.matches("<path ").count(), 4, "two charts of two lines");
    }
}
