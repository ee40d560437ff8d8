//! What `--verbose` adds on stderr.

use super::*;

#[test]
fn who_asks_is_told_what_is_done_and_why() {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..8);
    let ran = sandbox.expect(0, "mine corpus -o patterns -v --memory 2G --threads 2 --source-by folder --html markup");
    for line in [
        "no dehusk.toml is used\n",
        "threads: 2; memory for documents: 2.0 GB\n",
        "found 8 files: HTML is read as markup; the source of a document is its folder; a document may have 256.0 MB\n",
        "source 'tide': ",
        " from 8 documents, 0 of them near-duplicates\n",
    ] {
        ran.says(line);
    }
    let stages = ran.stderr.lines().filter(|line| line.ends_with(" s") && line.contains(": "));
    let stages: Vec<&str> = stages.filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(stages, ["list", "mine", "compare sources", "choose patterns"]);
    let clean = "clean corpus -p patterns -o";
    let ran = sandbox.expect(0, &format!("{clean} cleaned --verbose"));
    ran.says("3/4 of what is free\n").says("loaded 1 pattern file from patterns\n");
    // Nothing else changes, and without it none of this is printed.
    let plain = sandbox.expect(0, &format!("{clean} plain"));
    assert_eq!(sandbox.tree("cleaned"), sandbox.tree("plain"));
    assert!(!plain.stderr.contains("memory for documents"), "{}", plain.stderr);
    sandbox.expect(2, &format!("{clean} other -v -q")).says("cannot be used with");
}
