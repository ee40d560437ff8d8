//! `dehusk export`: selectors for other programs.

use super::*;

#[test]
fn a_value_with_a_line_break_is_no_directive() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "patterns/tide.yaml",
        "dehusk: 1\nsource: tide\nmined: {documents: 9, tokens: 99, cutoff: 0.5, tokenizer: words}\npatterns:\n\
         - {id: bad, status: accepted, drop: '[id=\"x\\a prune: no\\a y\"]', example: x}\n\
         - {id: good, status: accepted, drop: 'footer', example: x}\n",
    );
    let ran = sandbox.expect(0, "export -p patterns --to ftr -o sites");
    ran.says("source 'tide': the selector").says("is left out").says("use --to css or --to xpath");
    let written = sandbox.read("sites/tide.txt");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 2, "{written}");
    assert!(lines[1].starts_with("strip: "), "{written}");
    for form in ["css", "xpath"] {
        let ran = sandbox.expect(0, &format!("export -p patterns --to {form} -o -"));
        assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
        assert!(ran.stdout.contains("prune") && !ran.stderr.contains("left out"), "{ran:?}");
    }
}
