//! What is shown on a terminal, and what of it elsewhere.

use std::io::Read;

use super::*;

/// A document with a template line, and bytes in it that clear the screen and ring the bell.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = "The ferry \x1b[2Jsailed at dawn.\r\n\tShare \x07this page\r\n\u{9b}31mNobody saw it.\r\n";
    sandbox.write("corpus/tide/1.txt", text);
    sandbox.write("patterns/tide.yaml", patterns("Share \u{5c}\u{5c}x07this page", "beside the sea"));
    sandbox.write("other/tide.yaml", patterns("Share", "by the sea"));
    sandbox
}

fn patterns(regex: &str, note: &str) -> String {
    format!(
        "dehusk: 1\nsource: tide\nmined: {{documents: 9, tokens: 9, cutoff: 0.5, tokenizer: words}}\npatterns:\n  \
         - {{id: mine, status: accepted, regex: \"{regex}\", example: \"Share\\n\\e[1m\", note: {note}}}\n"
    )
}

/// What the program shows on a terminal of this kind.
fn on_terminal(sandbox: &Sandbox, arguments: &str, environment: &[(&str, &str)]) -> String {
    let pty = nix::pty::openpty(None, None).expect("a terminal");
    let mut command = sandbox.command(arguments);
    command.env("TERM", "xterm").envs(environment.iter().copied()).stdout(pty.slave);
    let mut child = command.spawn().expect("it starts");
    // Reading ends when nobody holds the terminal's other side any more.
    drop(command);
    let mut shown = Vec::new();
    let mut chunk = [0; 4096];
    let mut master = fs::File::from(pty.master);
    while let Ok(bytes @ 1..) = master.read(&mut chunk) {
        shown.extend_from_slice(&chunk[..bytes]);
    }
    assert!(child.wait().expect("it ends").success());
    // The terminal writes a return before each line break, also where the document has one already.
    String::from_utf8(shown).expect("UTF-8").replace("\r\n", "\n").replace("\r\n", "\n")
}

#[test]
fn who_reads_from_a_terminal_is_told_how_to_end_it() {
    use std::io::Write;
    let pty = nix::pty::openpty(None, None).expect("a terminal");
    let sandbox = sandbox();
    let mut command = sandbox.command("clean - -p patterns -o -");
    command.stdin(pty.slave).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("it starts");
    drop(command);
    let mut terminal = fs::File::from(pty.master);
    terminal.write_all(b"{\"source\":\"tide\",\"text\":\"It was late.\"}\n\x04").expect("typed");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"source\":\"tide\",\"text\":\"It was late.\"}\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("reading from the terminal; Ctrl-D at the start of a line ends the input\n"), "{stderr}");
}

const COMMANDS: [&str; 3] = [
    "explain corpus/tide/1.txt -p patterns",
    "explain corpus/tide/1.txt -p patterns --pattern mine",
    "diff patterns other",
];

#[test]
fn text_does_not_drive_the_terminal() {
    let sandbox = sandbox();
    for command in COMMANDS {
        for color in ["auto", "never"] {
            let shown = on_terminal(&sandbox, &format!("{command} --color {color}"), &[]);
            let text = without_colours(&shown);
            assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{command}: {shown:?}");
            assert_eq!(color == "never", text == shown, "{command}: {shown:?}");
        }
    }
    let shown = on_terminal(&sandbox, COMMANDS[0], &[]);
    assert!(
        without_colours(&shown)
            .starts_with("The ferry \\u{1b}[2Jsailed at dawn.\n\tShare \\u{7}this page{mine}\n\\u{9b}31mNobody")
    );
}

#[test]
fn what_is_piped_stays_as_it_is() {
    let sandbox = sandbox();
    let marked =
        "The ferry \x1b[2Jsailed at dawn.\r\n\t[-Share \x07this page-]{mine}\r\n\u{9b}31mNobody saw it.\r\n---\n";
    let piped = sandbox.expect(0, COMMANDS[0]).stdout;
    assert!(piped.starts_with(marked), "{piped:?}");
    assert!(sandbox.expect(0, COMMANDS[1]).stdout.contains("    2: \t[-Share \x07this page-]{mine}\n"));
}

#[test]
fn colours_come_when_they_are_wanted() {
    let sandbox = sandbox();
    let has_colours = |shown: &str| shown.contains("\x1b[36mmine");
    for command in COMMANDS {
        for (environment, expected) in [
            (("NO_COLOR", ""), true),
            (("NO_COLOR", "1"), false),
            (("TERM", "dumb"), false),
            (("TERM", "xterm-256color"), true),
        ] {
            let shown = on_terminal(&sandbox, command, &[environment]);
            assert_eq!(has_colours(&shown), expected, "{command}, {environment:?}: {shown:?}");
        }
        let shown = |color| sandbox.expect(0, &format!("{command} --color {color}")).stdout;
        assert!(!has_colours(&shown("auto")) && !has_colours(&shown("never")) && has_colours(&shown("always")));
        assert!(has_colours(&on_terminal(&sandbox, &format!("{command} --color always"), &[("NO_COLOR", "1")])));
    }
}

#[test]
fn each_line_closes_its_colours() {
    let sandbox = sandbox();
    for command in COMMANDS {
        for line in sandbox.expect(0, &format!("{command} --color always")).stdout.lines() {
            let (mut is_open, mut has_text) = (false, false);
            for (code, text) in line.split("\x1b[").skip(1).filter_map(|rest| rest.split_once('m')) {
                // A style is a sequence for each of its attributes. They follow each other with no text between them.
                let is_in_another = is_open && has_text;
                match code {
                    "0" => assert!(is_in_another, "{line:?} closes no colour, or one without text"),
                    _ => assert!(!is_in_another, "{line:?} opens a colour in another"),
                }
                (is_open, has_text) = (code != "0", !text.is_empty());
            }
            assert!(!is_open, "{line:?}");
        }
    }
}

#[test]
fn colour_is_never_the_only_sign() {
    let sandbox = sandbox();
    let (plain, coloured) = (sandbox.expect(0, COMMANDS[2]).stdout, on_terminal(&sandbox, COMMANDS[2], &[]));
    assert!(plain.contains("  ~ mine  accepted\n"), "{plain}");
    assert!(without_colours(&coloured).contains("  ~ mine  accepted\n"), "{coloured}");
    let coloured = on_terminal(&sandbox, COMMANDS[0], &[]);
    assert!(without_colours(&coloured).contains("Share \\u{7}this page{mine}\n"), "{coloured}");
}

fn without_colours(shown: &str) -> String {
    regex::Regex::new("\x1b\\[[0-9;]*m").expect("a regex").replace_all(shown, "").into_owned()
}
