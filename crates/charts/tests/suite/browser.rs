//! A page in a real browser. Skipped, saying so, where there is none.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

/// What is asked of the browser so that it starts fast and talks to nobody.
pub const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=20000",
    "--dump-dom",
];
/// Stands before everything else in the page.
const LISTEN: &str = "<script>
window.trouble = [];
window.addEventListener('error', event => window.trouble.push(event.message));
window.addEventListener('unhandledrejection', event => window.trouble.push(String(event.reason)));
window.addEventListener('securitypolicyviolation', event => window.trouble.push(`loads ${event.blockedURI}`));
console.error = (...words) => window.trouble.push(words.join(' '));
</script>";
const CHECK: &str = include_str!("browser.js");

/// The browser, if there is one.
pub fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("ONLINEAR_CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// What a page says about itself when it is shown so wide. A window cannot be as narrow as a telephone, a frame can.
fn verdict(browser: &Path, html: &str, width: u32, dark: bool) -> Json {
    let folder = tempfile::tempdir().unwrap();
    let page = html.replacen("<head>", &format!("<head>\n{LISTEN}"), 1);
    let page = page.replacen("</body>\n</html>", &format!("<script>\n{CHECK}</script>\n</body>\n</html>"), 1);
    std::fs::write(folder.path().join("page.html"), page).unwrap();
    let frame = format!(
        "<!DOCTYPE html><body style='margin:0'><pre id=verdict></pre><script>
        addEventListener('message', event => document.getElementById('verdict').textContent = event.data);
        </script><iframe src=page.html style='border:0;width:{width}px;height:900px'></iframe>"
    );
    let start = folder.path().join("frame.html");
    std::fs::write(&start, frame).unwrap();
    let mut command = Command::new(browser);
    command.args(FLAGS).arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    command.arg("--window-size=1300,1000").arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)));
    let output = command.arg(format!("file://{}", start.display())).output().unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let (from, to) = (dom.find("<pre id=\"verdict\">").unwrap(), dom.find("</pre>").unwrap());
    let text =
        dom[from + "<pre id=\"verdict\">".len()..to].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("no verdict: {error}\n{text}"))
}

/// Checks a page with so many line charts among its figures, on telephones and on desks, by day and by night.
pub fn check(html: &str, lines: usize, figures: usize) {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium on PATH and ONLINEAR_CHROMIUM is not set");
        return;
    };
    for width in [320, 360, 1200] {
        for dark in [false, true] {
            let verdict = verdict(&browser, html, width, dark);
            let place = format!("{width} px, dark {dark}: {verdict:#}");
            assert_eq!(verdict["width"], width, "{place}");
            assert_eq!(verdict["dark"], dark, "{place}");
            assert_eq!(verdict["trouble"], serde_json::json!([]), "{place}");
            assert_eq!(verdict["figures"], figures, "{place}");
            assert_eq!(verdict["switched"], lines, "{place}");
        }
    }
}
