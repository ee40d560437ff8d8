//! `dehusk-lab train --decision`.

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
    let gold = format!("'{}/corpora/news-gold'", REPOSITORY);
    let train = format!("lab train --decision {} --gold {gold} --quiet -o", news());
    let table = sandbox.expect(0, &format!("{train} one/model.yaml")).stdout;
    assert!(table.contains("sources left out") && table.contains("share of boilerplate by probability"), "{table}");
    assert_eq!(sandbox.expect(0, &format!("{train} two.yaml --threads 1")).stdout, table);
    let model = sandbox.read("one/model.yaml");
    assert!(model.starts_with("# A decision model of dehusk") && model.contains("6 sources"), "{model}");
    assert_eq!(model, sandbox.read("two.yaml"));
    let village = mined();
    village.write("model.yaml", &model);
    village.expect(0, "clean corpus -p patterns -o out --decision-model model.yaml --quiet");
    assert_eq!(village.tree("out").len(), 12);
    village
        .expect(2, "clean corpus -p patterns -o no --decision-model model.yaml --recurrence-alone")
        .says("cannot be used with");
    assert!(!village.read("out/village/00003.txt").contains(SHARE_LINE));
}

#[test]
fn training_needs_gold_text_of_two_sources() {
    let sandbox = Sandbox::new();
    sandbox.write("corpus/tide/1.txt", "A boat.");
    sandbox.write("gold/tide/1.txt", "A boat.");
    sandbox.expect(2, "lab train corpus -o model.yaml").says("say what to learn: --decision, --pages");
    sandbox.expect(2, "lab train --decision corpus -o model.yaml").says("--gold");
    sandbox.expect(1, "lab train --decision corpus --gold gold -o model.yaml").says("2 sources or more");
    let more = "lab train --decision corpus --gold gold --gold gold -o model.yaml";
    sandbox.expect(1, more).says("the number of corpora is 1, and that of --gold is 2");
    assert!(!sandbox.path("model.yaml").exists());
    sandbox.expect(2, "lab train --decision corpus --gold gold").says("--output");
}
