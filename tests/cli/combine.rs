//! `mine --candidates` and `combine`: mining by several processes.

use super::*;

const SOURCES: [&str; 4] = ["bay", "city", "hill", "village"];

/// Four sources, of which one is too small to be mined.
fn sources() -> Sandbox {
    let sandbox = Sandbox::new();
    for (source, documents) in SOURCES.into_iter().zip([0..12, 20..32, 40..52, 60..63]) {
        sandbox.write_pages(source, documents);
    }
    sandbox
}

fn mine_each(sandbox: &Sandbox) {
    for source in SOURCES {
        sandbox.expect(0, &format!("mine corpus/{source}/* --candidates {source}.candidates --quiet"));
    }
}

#[test]
fn four_processes_mine_what_one_mines() {
    let sandbox = sources();
    sandbox.expect(0, "mine corpus -o together --quiet");
    mine_each(&sandbox);
    let combined =
        sandbox.expect(0, "combine village.candidates bay.candidates hill.candidates city.candidates -o parts");
    assert!(combined.stdout.contains("of 4 sources"), "{combined:?}");
    assert_eq!(sandbox.tree("parts"), sandbox.tree("together"));
    assert!(sandbox.path("parts/_shared.yaml").exists());
    sandbox.expect(0, "mine corpus -o together --quiet --all-patterns");
    sandbox.expect(
        0,
        "combine village.candidates bay.candidates hill.candidates city.candidates -o parts --quiet --all-patterns",
    );
    assert_eq!(sandbox.tree("parts"), sandbox.tree("together"));
}

#[test]
fn decisions_stay() {
    let sandbox = sources();
    mine_each(&sandbox);
    let combine = "combine village.candidates bay.candidates hill.candidates city.candidates -o parts --quiet";
    sandbox.expect(0, combine);
    let decided = sandbox.read("parts/bay.yaml").replacen("status: proposed", "status: rejected", 1);
    sandbox.write("parts/bay.yaml", &decided);
    sandbox.expect(0, combine);
    let rejected =
        |file: &str| file.split("\n  - id: ").find(|entry| entry.contains("status: rejected")).map(str::to_owned);
    let again = sandbox.read("parts/bay.yaml");
    assert_eq!(rejected(&again), rejected(&decided));
    sandbox.expect(0, combine);
    assert_eq!(sandbox.read("parts/bay.yaml"), again);
}

#[test]
fn files_that_do_not_fit_together_are_refused() {
    let sandbox = sources();
    mine_each(&sandbox);
    let refused = |arguments: &str, message: &str| {
        sandbox.expect(1, &format!("combine {arguments} -o parts")).says(message);
        assert!(!sandbox.path("parts/bay.yaml").exists());
    };
    refused("bay.candidates bay.candidates", "source 'bay' is in ");
    refused("bay.candidates nothing", "cannot use \"nothing\": No such file");
    sandbox.write("text", "A ferry came.\n");
    refused("text", "dehusk did not write one of its lines: copy it again, or mine it again");
    refused("corpus", "it is not a regular file");
    sandbox.expect(0, "mine corpus/hill/* --candidates other --tokenizer whitespace --quiet");
    refused("bay.candidates other", "were mined in different ways: mine them with the same options");
    let whole = fs::read(sandbox.path("bay.candidates")).expect("candidates");
    for length in [0, 10, whole.len() / 2, whole.len() - 1] {
        sandbox.write("cut", &whole[..length]);
        refused("cut", "copy it again, or mine it again");
    }
    sandbox.expect(0, "mine corpus/hill/* --candidates strict --min-documents 4 --quiet");
    refused("bay.candidates strict", "were mined in different ways: mine them with the same options");
    sandbox.expect(0, "mine corpus/hill/* --candidates alt --alt-text --quiet");
    refused("bay.candidates alt", "were mined in different ways: mine them with the same options");
    sandbox.expect(2, "mine corpus").says("--out");
    sandbox.expect(2, "mine corpus -o parts --candidates x").says("cannot be used with");
    sandbox.expect(1, "mine corpus --candidates corpus/bay/x.txt").says("corpus");
    sandbox.write("mine", "my own");
    sandbox.expect(1, "mine corpus --candidates mine").says("add --force");
}

#[test]
fn damage_of_any_byte_is_seen() {
    let sandbox = sources();
    sandbox.expect(0, "mine corpus --candidates all --quiet");
    let whole = fs::read(sandbox.path("all")).expect("candidates");
    let ends = |at: &usize| whole[*at] == b'\n';
    for at in (0..whole.len()).step_by(whole.len() / 40).chain((0..whole.len()).filter(ends).take(8)) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        sandbox.write("flipped", &flipped);
        let ran = sandbox.expect(1, "combine flipped -o parts --quiet");
        assert!(ran.stderr.contains("cannot use \"flipped\""), "byte {at}: {}", ran.stderr);
    }
    // Cut after each line, also where a source ends.
    for at in (0..whole.len() - 1).filter(ends) {
        sandbox.write("cut", &whole[..=at]);
        sandbox.expect(1, "combine cut -o parts --quiet").says("cannot use \"cut\"");
    }
}

#[test]
fn runs_of_line_breaks_travel_too() {
    let sandbox = sources();
    sandbox.expect(0, "mine corpus -o whole --min-words 0 --quiet");
    sandbox.expect(0, "mine corpus --candidates all --min-words 0 --quiet");
    sandbox.expect(0, "combine all -o parts --quiet");
    assert_eq!(sandbox.tree("whole"), sandbox.tree("parts"));
}
