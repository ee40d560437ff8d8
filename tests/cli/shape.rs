//! `dehusk train`, and the flags that say what cleaning and mining go by.

use super::*;

/// A source and its patterns.
fn mined() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("village", 0..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

#[test]
fn a_trained_model_is_taken_and_the_same_each_time() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &format!("train {} -o one/model.yaml --quiet", news()));
    sandbox.expect(0, &format!("train {} -o two.yaml --quiet --threads 1", news()));
    let model = sandbox.read("one/model.yaml");
    assert!(model.starts_with("shape: 1\nintercept: "), "{model}");
    assert_eq!(model, sandbox.read("two.yaml"));
    let village = mined();
    village.write("model.yaml", &model);
    village.expect(0, "clean corpus -p patterns -o out --without trust --shape model.yaml --quiet");
    assert_eq!(village.tree("out").len(), 12);
    village.expect(2, "clean corpus -p patterns -o no --shape model.yaml --no-shape").says("cannot be used with");
    assert!(!village.read("out/village/00003.txt").contains(SHARE_LINE));
}

#[test]
fn training_needs_a_source_with_templates_and_rounds() {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/tide/1.txt", "A boat.");
    sandbox.expect(1, "train corpus -o model.yaml").says("no source has templates to learn from");
    assert!(!sandbox.path("model.yaml").exists());
    sandbox.expect(2, "train corpus -o model.yaml --rounds 0").says("the number of rounds must be from 1 to 100");
    sandbox.expect(2, "train corpus").says("--out");
}

#[test]
fn what_is_no_news_is_no_lesson() {
    let sandbox = Sandbox::new();
    let list = format!("'{}/corpora/kinds/mailing-list'", env!("CARGO_MANIFEST_DIR"));
    let ran = sandbox.expect(1, &format!("train {list} -o model.yaml"));
    ran.says("warning: nothing is learned from source 'mailing-list', because ")
        .says("no source is left to learn from");
    assert!(!sandbox.path("model.yaml").exists());
    sandbox.expect(0, &format!("train {} -o news.yaml --quiet", news()));
    let ran = sandbox.expect(0, &format!("train {} {list} -o both.yaml", news()));
    ran.says("source 'mailing-list'");
    assert_eq!(sandbox.read("news.yaml"), sandbox.read("both.yaml"));
}

#[test]
fn a_file_that_is_no_model_is_wrong_usage_and_named() {
    let sandbox = mined();
    sandbox.write("bad.yaml", "shape: 1\nintercept: 0.5\nweights: {luck: 1.0}\n");
    sandbox.write("text.yaml", "A boat.\n");
    for file in ["bad.yaml", "text.yaml", "missing.yaml"] {
        sandbox.expect(2, &format!("clean corpus -p patterns -o out --shape {file}")).says(file);
    }
    sandbox.expect(2, "clean corpus -p patterns -o out --shape bad.yaml").says("there is no weight for 'words'");
    assert!(!sandbox.path("out").exists());
}

/// A menu that recurs, a story, and a teaser that does not recur but looks like boilerplate.
fn with_teasers() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..12u64 {
        let mut story = Story(number);
        let mut teaser = || format!("{} {} {}", story.word(), story.word(), story.word()).to_uppercase();
        let teasers: Vec<String> = (0..10).map(|_| teaser()).collect();
        let body: Vec<String> = (0..3).map(|_| story.paragraph()).collect();
        let text = format!(
            "Home | News | Sport | Weather and tides | Letters | Jobs | Boats | Homes | About us\n{SHARE_LINE}\n\n{}\n\nMore from the harbour\n{}\n{COPYRIGHT_LINE}\n",
            body.join("\n\n"),
            teasers.join("\n")
        );
        sandbox.write(&format!("corpus/tide/{number}.txt"), text);
    }
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

#[test]
fn without_shape_what_recurs_nowhere_stays() {
    let sandbox = with_teasers();
    sandbox.expect(0, "clean corpus -p patterns -o shaped --quiet");
    sandbox.expect(0, "clean corpus -p patterns -o matched --quiet --no-shape");
    sandbox.expect(0, "clean corpus -p patterns -o accepted --quiet --only accepted");
    let lines = |folder: &str| sandbox.read(&format!("{folder}/tide/3.txt")).lines().filter(|l| !l.is_empty()).count();
    assert_eq!([lines("shaped"), lines("matched"), lines("accepted")], [3, 13, 17]);
    assert_eq!(sandbox.tree("accepted"), sandbox.tree("corpus"), "nothing was accepted");
}

#[test]
fn kinds_of_evidence_can_be_left_out() {
    let sandbox = with_teasers();
    for kind in ["length", "lines", "pairs", "passages", "proof", "documents", "headline", "prior", "article", "end"] {
        sandbox.expect(0, &format!("clean corpus -p patterns -o {kind} --quiet --without {kind}"));
    }
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet --without headline,prior,article --without proof");
    sandbox.expect(2, "clean corpus -p patterns -o out --without luck").says("'luck'").says("headline");
}

#[test]
fn without_slots_no_line_with_a_slot_is_mined() {
    let sandbox = Sandbox::new();
    for number in 0..20u64 {
        let mut story = Story(number);
        let (first, name, last) = (story.paragraph(), story.word(), story.paragraph());
        let menu = if number.is_multiple_of(2) { "Home | News\n" } else { "" };
        let text = format!("{menu}{SHARE_LINE}\n\n{first}\n\nWritten by {name} for our readers\n\n{last}\n");
        sandbox.write(&format!("corpus/tide/{number}.txt"), text);
    }
    sandbox.expect(0, "mine corpus -o with --quiet --all-patterns");
    sandbox.expect(0, "mine corpus -o without --quiet --all-patterns --no-slots");
    sandbox.expect(0, "mine corpus -o thin --quiet");
    let slot = r"[^\S\n]+\S[^\n]{0,20}?";
    let [with, without, thin] = ["with", "without", "thin"].map(|at| sandbox.read(&format!("{at}/tide.yaml")));
    assert!(with.contains(slot) && !without.contains(slot), "{with}\n{without}");
    let patterns = |yaml: &str| yaml.matches("\n  - id: ").count();
    assert!(patterns(&thin) < patterns(&with) && patterns(&thin) > 0, "{thin}\n{with}");
}
