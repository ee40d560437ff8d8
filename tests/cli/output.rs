//! Where results are written: only to the right places, and complete.

use super::*;

fn sources() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_pages("tide", 0..6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    sandbox
}

#[test]
fn output_that_meets_input_is_refused() {
    let sandbox = sources();
    let before = sandbox.tree("");
    for (output, relation) in [
        ("corpus", "the same as"),
        ("./corpus/../corpus", "the same as"),
        ("corpus/new/deep", "inside"),
        ("corpus/tide", "inside"),
        (".", "a parent folder of"),
    ] {
        for command in ["mine corpus", "clean corpus -p patterns", "clean corpus -p patterns --spans"] {
            let ran = sandbox.expect(1, &format!("{command} -o {output}"));
            ran.says(&format!("is {relation} the input \"corpus\": choose another one"));
        }
    }
    sandbox.expect(1, "run corpus -o corpus").says("is the same as the input");
    sandbox.expect(1, "clean corpus/tide/00001.txt -p patterns -o corpus/tide").says("a parent folder of");
    assert_eq!(sandbox.tree(""), before);
    assert!(!sandbox.path("corpus/new").exists());
}

#[test]
fn a_report_takes_the_place_of_no_document() {
    let sandbox = sources();
    sandbox.write("corpus/tide/page.html", "<p>Nobody saw the ferry.");
    for report in ["out/tide/00001.txt", "./out/../out/tide/page.txt", "out/tide/page.html"] {
        let ran = sandbox.expect(1, &format!("clean corpus -p patterns -o out --report {report}"));
        ran.says("error: the report would overwrite the output of \"corpus/tide/").says("name another report");
        assert!(sandbox.tree("out").is_empty());
    }
    sandbox.expect(0, "clean corpus -p patterns -o out --report out/report.jsonl --quiet");
    assert_eq!(sandbox.read("out/report.jsonl").lines().count(), 7);
}

#[test]
#[cfg(unix)]
fn links_do_not_hide_that_output_meets_input() {
    let sandbox = sources();
    std::os::unix::fs::symlink("corpus", sandbox.path("link")).expect("a link");
    sandbox.expect(1, "clean corpus -p patterns -o link/new").says("is inside the input");
    fs::create_dir(sandbox.path("out")).expect("a folder");
    std::os::unix::fs::symlink("../corpus/tide", sandbox.path("out/tide")).expect("a link");
    let before = sandbox.tree("corpus");
    sandbox.expect(1, "clean corpus -p patterns -o out").says("already exists");
    sandbox.expect(1, "clean corpus -p patterns -o out --force").says("not a path below the output folder");
    assert_eq!(sandbox.tree("corpus"), before);
}

#[test]
fn cleaning_again_replaces_what_is_there_and_leaves_the_rest() {
    let sandbox = sources();
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    let first = sandbox.tree("out");
    sandbox.write("out/tide/00001.txt", "old");
    sandbox.write("out/mine.txt", "mine");
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    let mut second = sandbox.tree("out");
    assert_eq!(second.remove("mine.txt").as_deref(), Some(&b"mine"[..]));
    assert_eq!(first, second);
}

#[test]
fn the_hidden_folder_is_no_pattern_file_and_no_source() {
    let sandbox = sources();
    assert_eq!(sandbox.tree("patterns").into_keys().collect::<Vec<_>>(), ["_mutable.yaml", "tide.yaml"]);
    sandbox.write("patterns/.dehusk/run-dead/lock", "");
    sandbox.write("patterns/.dehusk/run-dead/half.yaml", "half");
    sandbox.write("corpus/.dehusk/run-dead/half.txt", "half");
    sandbox.expect(0, "check patterns");
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    assert_eq!(sandbox.tree("out").len(), 6);
    sandbox.expect(0, "mine corpus -o patterns --quiet");
    assert!(!sandbox.path("patterns/.dehusk/run-dead").exists());
    assert!(sandbox.path("corpus/.dehusk/run-dead/half.txt").exists(), "input is never touched");
}

#[test]
fn what_is_in_the_way_of_the_output_is_named() {
    let sandbox = sources();
    sandbox.write("file", "in the way");
    fs::create_dir_all(sandbox.path("out/tide/00003.txt")).expect("a folder");
    sandbox.expect(1, "clean corpus -p patterns -o file").says("cannot write \"file\"");
    sandbox.expect(1, "clean corpus -p patterns -o out").says("00003.txt");
    assert_eq!(sandbox.read("file"), "in the way");
    assert!(!sandbox.tree("out").keys().any(|name| name.contains(".dehusk-")));
}

#[test]
#[cfg(unix)]
fn an_output_folder_that_nobody_may_write_to_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sources();
    fs::create_dir(sandbox.path("out")).expect("a folder");
    fs::set_permissions(sandbox.path("out"), fs::Permissions::from_mode(0o555)).expect("the permissions");
    if fs::write(sandbox.path("out/try"), "").is_ok() {
        eprintln!("notice: this user may write everywhere; not tried");
        return;
    }
    let ran = sandbox.expect(1, "clean corpus -p patterns -o out");
    ran.says("Permission denied").says("choose an output folder that you may write to");
}

/// Limits the size of each file, as on a full disk, for any user.
#[test]
#[cfg(target_os = "linux")]
fn a_write_that_fails_leaves_no_half_file() {
    let sandbox = sources();
    sandbox.write("corpus/tide/long.txt", page(7, 500));
    let limited = format!(
        "trap '' XFSZ; ulimit -f 16; exec '{}' clean corpus -p patterns -o out --threads 1",
        env!("CARGO_BIN_EXE_dehusk")
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &limited])
        .current_dir(sandbox.path(""))
        .output()
        .expect("a shell");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot write \"out/tide/long.txt\"") && stderr.contains("too large"), "{stderr}");
    assert_whole(&sandbox);
}

/// A small file system of its own, if this user may create one.
#[cfg(target_os = "linux")]
pub struct SmallDisk(PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// Mounts it at `path`, where nothing exists yet.
    pub fn mount(path: PathBuf) -> Option<SmallDisk> {
        fs::create_dir_all(&path).expect("a folder");
        let mount =
            std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&path).output();
        mount.is_ok_and(|output| output.status.success()).then_some(SmallDisk(path))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_named_and_leaves_whole_files() {
    let sandbox = sources();
    sandbox.write_pages("tide", 6..100);
    let Some(disk) = SmallDisk::mount(sandbox.path("out")) else {
        eprintln!("notice: no file system can be mounted here; a full disk is not tried");
        return;
    };
    let ran = sandbox.expect(1, "clean corpus -p patterns -o out");
    ran.says("No space left on device").says("free some space, or choose an output folder on another disk");
    assert_whole(&sandbox);
    drop(disk);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_on_another_disk_is_written_to() {
    let sandbox = sources();
    let Some(disk) = SmallDisk::mount(sandbox.path("out/tide")) else {
        eprintln!("notice: no file system can be mounted here; a folder on another disk is not tried");
        return;
    };
    sandbox.expect(0, "clean corpus -p patterns -o out --quiet");
    let written = sandbox.tree("out/tide");
    sandbox.expect(0, "clean corpus -p patterns -o undisturbed --quiet");
    assert_eq!(written, sandbox.tree("undisturbed/tide"));
    drop(disk);
}

/// Every file of `out` is as in an undisturbed run. There are some, but not all.
#[cfg(unix)]
pub fn assert_whole(sandbox: &Sandbox) {
    let written = sandbox.tree("out");
    sandbox.expect(0, "clean corpus -p patterns -o undisturbed --quiet");
    let undisturbed = sandbox.tree("undisturbed");
    assert!(!written.is_empty() && written.len() < undisturbed.len(), "{} files", written.len());
    for (name, bytes) in &written {
        assert!(!name.contains(".dehusk-"), "{name} is left");
        assert!(undisturbed.get(name) == Some(bytes), "{name} is not what it should be");
    }
}

#[test]
fn a_document_that_would_lose_too_much_is_kept_and_named() {
    let sandbox = sources();
    let page = sandbox.read("corpus/tide/00001.txt");
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out --max-removed 0.01");
    ran.says("txt: kept whole");
    assert!(ran.stdout.contains("6 documents kept whole"), "{}", ran.stdout);
    assert_eq!(sandbox.read("out/tide/00001.txt"), page);
    let ran = sandbox.expect(0, "clean corpus -p patterns -o out");
    assert!(!ran.stderr.contains("kept whole"), "{}", ran.stderr);
    assert_ne!(sandbox.read("out/tide/00001.txt"), page);
    sandbox.expect(2, "clean corpus -p patterns -o out --max-removed 2").says("a share is a number from 0 to 1");
}
