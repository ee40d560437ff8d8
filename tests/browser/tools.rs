//! The programs and the script that these tests need in addition to Rust.
//!
//! If one is missing, tests are skipped, and the first of them says what to install. With `DEHUSK_BROWSER=required`
//! they fail.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::in_target;

/// The paths of the tools.
pub struct Tools {
    /// Chromium, or a browser based on it.
    pub chromium: PathBuf,
    /// Its driver, of the same version.
    pub chromedriver: PathBuf,
    /// The script that finds barriers in pages.
    pub axe: PathBuf,
}

/// The tools. `None` if this test is skipped.
pub fn found() -> Option<&'static Tools> {
    static TOOLS: LazyLock<Option<Tools>> = LazyLock::new(|| look_for_all().map_err(|missing| tell(&missing)).ok());
    TOOLS.as_ref()
}

fn look_for_all() -> Result<Tools, String> {
    let on_path = |names: &[&str]| {
        let missing = || format!("{} is not on the path; on Debian: apt install chromium chromium-driver", names[0]);
        names.iter().find_map(|name| program(name)).ok_or_else(missing)
    };
    Ok(Tools {
        chromium: on_path(&["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])?,
        chromedriver: on_path(&["chromedriver"])?,
        axe: script(&in_target("browser/node_modules/axe-core/axe.min.js"))?,
    })
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .find(|path| path.is_file())
}

fn script(path: &Path) -> Result<PathBuf, String> {
    let missing = || {
        let (from, to) = ("tests/browser/package*.json", in_target("browser"));
        let to = to.display();
        format!("{} is missing; mkdir -p {to} && cp {from} {to} && npm ci --prefix {to}", path.display())
    };
    path.is_file().then(|| path.to_owned()).ok_or_else(missing)
}

/// Writes directly to the terminal, because the test runner shows the output of a test only if it fails.
fn tell(missing: &str) {
    let is_required = std::env::var_os("DEHUSK_BROWSER").is_some_and(|value| value == "required");
    assert!(!is_required, "{missing}");
    let _ = writeln!(std::io::stderr(), "tests in a browser are skipped: {missing}");
}
