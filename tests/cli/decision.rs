//! The flags that say what cleaning and mining go by.

use super::*;

/// A source and its patterns.
fn mined() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("village", 0..12);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

#[test]
fn a_file_that_is_no_model_is_wrong_usage_and_named() {
    let sandbox = mined();
    sandbox.write("bad.yaml", "model: decision\nversion: 1\n---\nmodel: luck\nversion: 1\n");
    sandbox.write("text.yaml", "A boat.\n");
    for file in ["bad.yaml", "text.yaml", "missing.yaml"] {
        sandbox.expect(2, &format!("clean corpus -p patterns -o out --decision-model {file}")).says(file);
    }
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
fn by_recurrence_alone_what_recurs_nowhere_stays() {
    let sandbox = with_teasers();
    sandbox.expect(0, "clean corpus -p patterns -o matched --quiet --recurrence-alone");
    sandbox.expect(0, "clean corpus -p patterns -o accepted --quiet --only accepted");
    let text = |folder: &str| sandbox.read(&format!("{folder}/tide/3.txt"));
    assert!(!text("matched").contains(COPYRIGHT_LINE), "{}", text("matched"));
    let of_its_own =
        |text: String| text.lines().filter(|line| !line.is_empty() && *line == line.to_uppercase()).count();
    assert_eq!(of_its_own(text("matched")), of_its_own(text("accepted")));
    assert_eq!(sandbox.tree("accepted"), sandbox.tree("corpus"), "nothing was accepted");
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
    let slot = "{…20}";
    let [with, without, thin] = ["with", "without", "thin"].map(|at| sandbox.read(&format!("{at}/tide.yaml")));
    assert!(with.contains(slot) && !without.contains(slot), "{with}\n{without}");
    let evidence = |yaml: &str| yaml.matches("\n  - {documents: ").count();
    assert!(evidence(&thin) < evidence(&with), "{thin}\n{with}");
}
