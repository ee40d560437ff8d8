//! Another reader of WARC files, warcio, reads what the crawler writes, and finds all digests right.

#![allow(clippy::print_stderr)] // a test that cannot run where it is says so

mod crawling;
mod server;

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crawling::{crawled, options, pages};
use dehusk_crawler::archive::Packing;
use dehusk_crawler::crawl::{Options, Seed};
use dehusk_crawler::frontier::Kind;
use server::{Behaviour, Sent, Server, Sites};

const SCRIPT: &str = "
import sys
from warcio.archiveiterator import ArchiveIterator
for path in sys.argv[1:]:
    with open(path, 'rb') as file:
        for record in ArchiveIterator(file, check_digests='raise'):
            body = record.content_stream().read()
            checked = record.digest_checker.passed
            assert checked is not False, record.rec_headers
            value = record.rec_headers.get_header
            status = record.http_headers.get_statuscode() if record.rec_type in ('response', 'revisit') else ''
            print(record.rec_type, status, (value('WARC-Profile') or '').rpartition('/')[2] or '-',
                  value('WARC-Identified-Payload-Type') or '-', len(body) > 0, checked is True)
";

/// Python with warcio: that of `.ci/run`, or the one on the path. An error says what is missing.
fn python() -> Result<PathBuf, &'static str> {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let installed = temporary.parent().unwrap_or(temporary).join("recipes/python/bin/python3");
    let has_warcio = |python: &PathBuf| {
        let output = Command::new(python).args(["-c", "import warcio"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    [installed, PathBuf::from("python3")].into_iter().find(has_warcio).ok_or("Python has no module 'warcio'")
}

#[test]
fn warcio_reads_all_records() {
    let python = match python() {
        Ok(python) => python,
        Err(missing) => {
            let is_required = env::var_os("DEHUSK_RECIPES").is_some_and(|value| value == "required");
            assert!(!is_required, "{missing}; pip install --no-deps -r tests/recipes/python.txt");
            // The test runner shows what a test prints only if it fails.
            let _ = writeln!(std::io::stderr(), "warcio is skipped: {missing}");
            return;
        }
    };
    const PAPER: &str = "tideline-wire.example";
    let mut sites = Sites::news(&[PAPER]);
    sites.robots(PAPER, "User-agent: *\nDisallow: /private/\n");
    let ways =
        [("plain", Sent::Plain), ("gzip", Sent::Gzip), ("chunked", Sent::Chunked), ("closed", Sent::UntilClosed)];
    for (name, sent) in ways {
        let host = format!("{name}.example");
        sites.page(&host, "/", "<p>A page. <a href=/gone>Gone</a>").sent(&host, sent);
        sites.page(&host, "/again", "<p>Always the same.").behave(&host, "/again", Behaviour::CharsetUnknown);
        sites.page(&host, "/empty", "").behave(&host, "/moved", Behaviour::Redirect(301, "/empty".to_owned()));
        sites.page(&host, "/odd", "<p>Odd.").behave(&host, "/odd", Behaviour::FoldedHeaders);
    }
    let server = Server::start(sites);
    let mut seeds = vec![Seed { url: server.url(PAPER, "/feed.xml"), kind: Kind::Feed }];
    for (name, _) in ways {
        let urls = ["/", "/again", "/moved", "/odd"].map(|path| server.url(&format!("{name}.example"), path));
        seeds.extend(pages(&urls));
    }
    // A file for each record and its request, and one for all.
    for file_size in [1, 1 << 30] {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options {
            depth: 1,
            delay: Duration::from_millis(5),
            file_size,
            packing: Packing::Gzip,
            ..options(&server)
        };
        crawled(folder.path(), options.clone(), seeds.clone());
        crawled(folder.path(), options, seeds.clone());
        let files = std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("a file").path());
        let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
        files.sort();
        let output = Command::new(&python).args(["-c", SCRIPT]).args(&files).output().expect("Python");
        let read = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for record in [
            "warcinfo  - - True",
            "request  - - ",
            "response 200 - - True True",
            "response 200 - application/atom+xml True True",
            "response 200 - text/x-robots True True",
            "response 301 - - ",
            "response 404 - - ",
            "revisit 200 identical-payload-digest - False",
            "revisit 304 server-not-modified - False",
        ] {
            assert!(read.lines().any(|line| line.starts_with(record)), "{record}\n{read}");
        }
        // Only what has no body may have no digest that was checked.
        assert!(!read.lines().any(|line| line.ends_with("True False")), "{read}");
    }
}
