//! Rules of robots.txt: the cases in `robots.txt`, which says how they are written.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use dehusk_crawler::robots::Rules;

/// Reads `\n`, `\r`, `\t` and `\xFF`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (byte, len) = match escape.as_bytes()[0] {
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            b'x' => (u8::from_str_radix(&escape[1..3], 16).unwrap(), 3),
            other => panic!("\\{}", char::from(other)),
        };
        bytes.push(byte);
        rest = &escape[len..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[test]
fn cases() {
    let mut questions = 0;
    let mut failures = Vec::new();
    let cases: Vec<&str> = include_str!("robots.txt").split("\n=== ").skip(1).collect();
    for case in &cases {
        let (name, rest) = case.split_once('\n').unwrap();
        let (file, answers) = rest.split_once("---\n").unwrap();
        for line in answers.lines().filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split(' ').collect();
            let &[answer, agent, path] = &words[..] else { panic!("{name}: {line}") };
            assert!(matches!(answer, "yes" | "no"), "{name}: {line}");
            questions += 1;
            if Rules::parse(agent, &unescaped(file)).allows(path) != (answer == "yes") {
                failures.push(format!("{name}: {line}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases.len() >= 50 && questions >= 100, "{} cases, {questions} questions", cases.len());
}
