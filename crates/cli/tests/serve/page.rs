//! The page and what it reads.

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
    let row = format!(
        "{{\"label\":\"{hostile}\",\"features\":{{\"<script>\":1}}}}\n{{\"label\":\"b\",\"features\":{{\"<script>\":-3}}}}\n"
    );
    server.rows("/learn", row).ok();
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
