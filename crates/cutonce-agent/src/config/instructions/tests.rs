use super::*;

struct World {
    user: tempfile::TempDir,
    base: PathBuf,
}

impl World {
    fn new() -> Self {
        let user = tempfile::tempdir().unwrap();
        let base = user.path().canonicalize().unwrap();
        for dir in [".cutonce", ".claude", "repo/.git", "repo/app/src/deep"] {
            std::fs::create_dir_all(base.join(dir)).unwrap();
        }
        Self { user, base }
    }
    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.base.join(path), text).unwrap();
        self
    }
    fn instructions(&self) -> InstructionLoader {
        InstructionLoader::new(
            self.base.join(".cutonce"),
            Some(self.user.path().to_path_buf()),
            self.base.join("repo/app"),
        )
    }
    fn texts(&self) -> Vec<String> {
        self.instructions().load().into_iter().map(|one| one.text).collect()
    }
    fn notes(&self) -> String {
        let mut instructions = self.instructions();
        instructions.load();
        instructions.take_notes().join("\n")
    }
}

#[test]
fn cl_5_user_instructions_precede_the_project() {
    let world = World::new();
    world.write(".cutonce/AGENTS.md", "user").write(".claude/CLAUDE.md", "user claude");
    world
        .write("AGENTS.md", "above the repository")
        .write("repo/AGENTS.md", "root")
        .write("repo/CLAUDE.md", "root claude");
    world.write("repo/app/AGENTS.md", "app").write("repo/app/src/AGENTS.md", "src");
    let found = world.instructions().load();
    let texts: Vec<_> = found.iter().map(|one| (one.scope, one.text.as_str())).collect();
    assert_eq!(
        texts,
        [
            (InstructionScope::User, "user"),
            (InstructionScope::User, "user claude"),
            (InstructionScope::Project, "root"),
            (InstructionScope::Project, "root claude"),
            (InstructionScope::Project, "app"),
        ]
    );
}

#[test]
fn cl_5_without_repository_only_working_folder_is_read() {
    let world = World::new();
    std::fs::remove_dir(world.base.join("repo/.git")).unwrap();
    world.write("repo/AGENTS.md", "root").write("repo/app/AGENTS.md", "app");
    assert_eq!(world.texts(), ["app"]);
}

#[test]
fn cl_5_nested_instructions_load_once_on_read() {
    let world = World::new();
    world.write("repo/app/src/CLAUDE.md", "src").write("repo/app/src/deep/AGENTS.md", "deep");
    let mut instructions = world.instructions();
    assert_eq!(instructions.load(), []);
    let texts = |found: Vec<InstructionFile>| found.into_iter().map(|one| one.text).collect::<Vec<_>>();
    assert_eq!(texts(instructions.nested_for(&world.base.join("repo/app/src/deep/x.rs"))), ["src", "deep"]);
    assert!(instructions.nested_for(&world.base.join("repo/app/src/y.rs")).is_empty());
    assert!(instructions.nested_for(&world.base.join("repo/app/z.rs")).is_empty());
    assert!(instructions.nested_for(Path::new("/etc/passwd")).is_empty());
    assert!(instructions.nested_for(&world.base.join("repo/app/src/../../gone/x")).is_empty());
}

#[cfg(unix)]
#[test]
fn cl_5_duplicate_texts_load_once() {
    let world = World::new();
    world.write("repo/AGENTS.md", "same");
    std::os::unix::fs::symlink("AGENTS.md", world.base.join("repo/CLAUDE.md")).unwrap();
    world.write("repo/app/AGENTS.md", "the real one").write("repo/app/CLAUDE.md", "@AGENTS.md\n");
    assert_eq!(world.texts(), ["same", "the real one"]);
    world.write("repo/app/CLAUDE.md", "the real one\n");
    assert_eq!(world.texts(), ["same", "the real one"]);
}

#[test]
fn cl_5_imports_follow_their_file_without_cycles() {
    let world = World::new();
    world.write("repo/AGENTS.md", "root: see @docs.md. And @app/a.md, @noone");
    world
        .write("repo/docs.md", "docs, back to @AGENTS.md")
        .write("repo/app/a.md", "a: @b.md")
        .write("repo/app/b.md", "b: @a.md");
    let expected = ["root: see @docs.md. And @app/a.md, @noone", "docs, back to @AGENTS.md", "a: @b.md", "b: @a.md"];
    assert_eq!(world.texts(), expected);
    assert_eq!(world.notes(), "");
}

#[test]
fn cl_5_imports_are_limited_to_five_levels() {
    let world = World::new();
    world.write("repo/AGENTS.md", "0 @1.md");
    for level in 1..8 {
        world.write(&format!("repo/{level}.md"), format!("{level} @{}.md", level + 1));
    }
    assert_eq!(world.texts().len(), 6);
    assert!(world.notes().contains("6.md is imported more than 5 levels deep"), "{}", world.notes());
}

#[cfg(unix)]
#[test]
fn cl_5_project_imports_nothing_from_outside() {
    let world = World::new();
    world.write("other.txt", "outside").write("repo/.env", "KEY=1").write("repo/id_rsa", "key");
    world.write("repo/AGENTS.md", "@../other.txt @~/other.txt @link.txt @.env @id_rsa @/etc/hostname");
    std::os::unix::fs::symlink(world.base.join("other.txt"), world.base.join("repo/link.txt")).unwrap();
    std::os::unix::fs::symlink(world.base.join("other.txt"), world.base.join("repo/app/AGENTS.md")).unwrap();
    assert_eq!(world.texts().len(), 1);
    let notes = world.notes();
    assert!(
        notes.contains("other.txt leads out of the project") && notes.contains(".env is or leads to a file with keys"),
        "{notes}"
    );
    world.write(".cutonce/AGENTS.md", "mine: @~/other.txt");
    assert_eq!(world.texts()[..2], ["mine: @~/other.txt", "outside"]);
}

#[test]
fn cl_5_long_files_are_shortened_with_a_note() {
    let world = World::new();
    world.write("repo/AGENTS.md", format!("x{}", "ä".repeat(50 << 10)));
    let found = world.texts();
    assert_eq!((found[0].len(), world.notes().contains("longer than 64 KB and was cut")), (MAX_FILE_SIZE - 1, true));
    for (at, path) in
        [".cutonce/AGENTS.md", ".claude/CLAUDE.md", "repo/CLAUDE.md", "repo/app/AGENTS.md"].iter().enumerate()
    {
        world.write(path, format!("{at}{}", "y".repeat(60 << 10)));
    }
    let total: usize = world.texts().iter().map(String::len).sum();
    assert_eq!(total, MAX_TOTAL_SIZE);
    assert!(world.notes().contains("together are over 200 KB"), "{}", world.notes());
}

#[cfg(unix)]
#[test]
fn cl_5_special_files_are_noted_without_blocking() {
    let world = World::new();
    std::fs::create_dir(world.base.join("repo/AGENTS.md")).unwrap();
    let fifo = std::ffi::CString::new(world.base.join("repo/CLAUDE.md").into_os_string().into_encoded_bytes()).unwrap();
    // SAFETY: the path is valid and null-terminated.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    world.write("repo/app/AGENTS.md", b"\xff\xfe binary").write("repo/app/CLAUDE.md", b"zero\0byte");
    world.write(".cutonce/AGENTS.md", "  \n");
    assert!(world.texts().is_empty());
    assert_eq!(world.notes().lines().count(), 4, "{}", world.notes());
}

#[cfg(unix)]
#[test]
fn sb_6_instruction_links_to_closed_files_are_not_read() {
    for (name, target, text) in [
        ("AGENTS.md", ".env", "KEY=closed"),
        ("CLAUDE.md", ".git/config", "[remote] url = https://u:closed@x"),
        ("AGENTS.md", "certs/server.key", "closed"),
        ("CLAUDE.md", "deploy/prod.tfvars", "closed"),
    ] {
        let world = World::new();
        std::fs::create_dir_all(world.base.join("repo").join(target).parent().unwrap()).unwrap();
        world.write(&format!("repo/{target}"), text);
        std::os::unix::fs::symlink(target, world.base.join("repo").join(name)).unwrap();
        assert!(world.texts().is_empty(), "{name} -> {target}");
        assert!(world.notes().contains("was not read"), "{}", world.notes());
        std::fs::remove_file(world.base.join("repo").join(name)).unwrap();
        std::os::unix::fs::symlink(target, world.base.join("repo/notes.md")).unwrap();
        world.write("repo/AGENTS.md", "see @notes.md");
        assert_eq!(world.texts(), ["see @notes.md"], "@notes.md -> {target}");
        assert!(world.notes().contains("notes.md is or leads to"), "{}", world.notes());
    }
}

#[cfg(unix)]
#[test]
fn sb_6_hard_linked_instructions_are_not_read() {
    let world = World::new();
    world.write("repo/.env", "KEY=closed").write("repo/AGENTS.md", "see @notes.md").write(".cutonce/shared.md", "mine");
    let link = |from: &str, to: &str| std::fs::hard_link(world.base.join(from), world.base.join(to)).unwrap();
    link("repo/.env", "repo/app/CLAUDE.md");
    link("repo/.env", "repo/notes.md");
    link(".cutonce/shared.md", ".cutonce/AGENTS.md");
    assert_eq!(world.texts(), ["mine", "see @notes.md"], "the user's own files may have several names");
    let notes = world.notes();
    assert!(notes.contains("app/CLAUDE.md has another name") && notes.contains("notes.md has another name"), "{notes}");
    // Both names of the instructions are often one file.
    link("repo/AGENTS.md", "repo/CLAUDE.md");
    assert_eq!(world.texts(), ["mine", "see @notes.md"]);
    link("repo/AGENTS.md", "repo/third.md");
    assert_eq!(world.texts(), ["mine"]);
}

#[test]
fn sb_4_a_placeholder_counts_as_missing() {
    use std::os::unix::fs::DirBuilderExt;
    let world = World::new();
    world.write("repo/AGENTS.md", "Be brief.");
    for name in ["CLAUDE.md", "settings.json"] {
        std::fs::DirBuilder::new().mode(0o1700).create(world.base.join("repo").join(name)).unwrap();
    }
    assert_eq!((world.notes(), world.texts()), (String::new(), vec!["Be brief.".to_string()]));
    let settings = world.base.join("repo/settings.json");
    assert_eq!(crate::storage::paths::read_bounded_text(&settings, 10).unwrap(), None);
    std::fs::create_dir(world.base.join("repo/app/CLAUDE.md")).unwrap();
    assert!(world.notes().contains("is not a file"), "{}", world.notes());
}
