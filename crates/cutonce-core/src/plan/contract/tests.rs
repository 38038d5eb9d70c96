use super::*;

/// An empty disk with every program.
pub struct NoFiles;

impl PlanFacts for NoFiles {
    fn root(&self) -> &str {
        "/home/me/project"
    }
    fn file(&self, _: &str) -> FileFact {
        FileFact::Missing
    }
    fn has_match(&self, _: &str) -> bool {
        false
    }
    fn has_program(&self, _: &str) -> bool {
        true
    }
}

fn parse(text: &str) -> PlanContract {
    PlanContract::parse(text, &NoFiles).expect("a contract").with_findings(text, &NoFiles)
}

fn paths(contract: &PlanContract) -> Vec<&str> {
    contract.steps.iter().flat_map(|step| &step.files).map(|file| file.path.as_str()).collect()
}

fn kinds(contract: &PlanContract) -> Vec<FindingKind> {
    contract.findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn pc_2_paths_never_leave_the_workspace() {
    let text = "## Steps\n\n1. a\n   - files: ../../etc/passwd, /etc/passwd, ~/.ssh/config, $HOME/x, src/../../x, a\u{7}b.rs, `x\u{202e}y.rs`, C:/x.rs, src/../ok.rs\n";
    let contract = parse(text);
    assert_eq!(paths(&contract), ["ok.rs"]);
    assert_eq!(kinds(&contract), [FindingKind::BadReference; 8]);
    assert!(contract.findings.iter().all(|finding| !finding.text.contains(['\u{7}', '\u{202e}'])));
    let own = parse("## Steps\n\n1. a\n   - files: /home/me/project/src/a.rs, /home/me/project2/b.rs\n");
    assert_eq!((paths(&own), kinds(&own).len()), (vec!["src/a.rs"], 1));
}

#[test]
fn pc_1_front_matter_is_no_part_of_the_plan() {
    for (open, end) in [("---\n", "\n"), ("---\r\n", "\r\n"), ("\u{feff}---\n", "\n"), ("--- \n", "\n")] {
        let text = format!("{open}1. a key{end}---{end}## Steps{end}{end}1. a{end}");
        assert_eq!(parse(&text).steps.iter().map(|step| step.title.as_str()).collect::<Vec<_>>(), ["a"], "{text:?}");
    }
    let two_rules = format!("---\n\n## Steps\n\n1. a\n{}---\n", "\n".repeat(200));
    assert_eq!(parse(&two_rules).steps.len(), 1);
}

#[test]
fn pc_6_globs_over_everything_are_findings() {
    for glob in ["**", "**/*", ".", "./", "*/../**", "/home/me/project", "**/**/*", "?*/**"] {
        let contract = parse(&format!("## Steps\n\n1. a\n   - files: `{glob}`\n"));
        assert_eq!(kinds(&contract), [FindingKind::BadReference], "{glob}");
    }
    for glob in ["**", "**/*", "./"] {
        let contract = parse(&format!("## Steps\n\n1. a\n   - **files:** src/a.rs, {glob}\n"));
        assert_eq!(kinds(&contract), [FindingKind::BadReference], "{glob}");
    }
    let deep = format!("## Steps\n\n1. a\n   - files: `{}*{}`\n", "{a,".repeat(100), "}".repeat(100));
    assert_eq!((paths(&parse(&deep)).len(), kinds(&parse(&deep))), (0, vec![FindingKind::BadReference]));
}

#[test]
fn pc_2_stars_belong_to_patterns_or_emphasis() {
    let cases = [
        ("- files: **/*.rs, src/*, *.md", vec!["**/*.rs", "src/*", "*.md"]),
        ("- **Files:** **src/a.rs**, *src/b.rs*, `src/*`", vec!["src/a.rs", "src/b.rs", "src/*"]),
        (
            "- **Files**: __init__.py, src/__main__.py, _config.yml",
            vec!["__init__.py", "src/__main__.py", "_config.yml"],
        ),
        ("- __files:__ _src/c.rs_", vec!["src/c.rs"]),
    ];
    for (line, expected) in cases {
        assert_eq!(paths(&parse(&format!("## Steps\n\n1. a\n   {line}\n"))), expected, "{line}");
    }
}

#[test]
fn pc_1_lists_continue_behind_headings() {
    let text = "# P\n\n## Implementation Steps\n\n### Phase 1\n1. One in `src/a.rs`\n2. Two\n\n### Phase 2\n\nIt uses `src/x.rs`.\n\n3. Three in `src/b.rs`\n\n## Open questions\n4. Why?\n";
    let contract = parse(text);
    let steps: Vec<(&str, [u32; 2])> = contract.steps.iter().map(|step| (step.id.as_str(), step.lines)).collect();
    assert_eq!(
        (steps, paths(&contract)),
        (vec![("1", [6, 6]), ("2", [7, 7]), ("3", [13, 13])], vec!["src/a.rs", "src/b.rs"])
    );
    // Without continued numbers it is another list.
    assert_eq!(parse("## Steps\n1. a\n2. b\n### Later\n1. c\n").steps.len(), 2);
}

#[test]
fn pc_1_options_and_questions_are_no_steps() {
    for text in [
        "# Memory\n\n## Options\n\n1. An LRU\n2. A TTL\n\n## Recommendation\n\nThe LRU.\n",
        "## Design decisions\n\n1. No cache\n2. One file\n",
        "## Optionen\n\n1. Eins\n2. Zwei\n",
        "I need answers first:\n\n1. Which database?\n2. 哪个区域？\n",
    ] {
        assert_eq!(PlanContract::parse(text, &NoFiles), None, "{text}");
    }
    let both = parse("Questions:\n\n1. Which one?\n\nThen:\n\n1. Is it `a.rs`? Change it\n2. And `b.rs`?\n");
    assert_eq!(paths(&both), ["a.rs", "b.rs"]);
}

#[test]
fn pc_2_checks_in_indented_code_and_none() {
    let text = "## Steps\n\n1. a\n   - verify: none\n2. b\n   - check: n/a\n\n## Verification\n\nRun:\n\n    $ make all\n    ok\n\n- by hand\n\n      make not-code-of-a-list\n";
    let contract = parse(text);
    assert_eq!(
        (contract.checks.as_slice(), contract.check_lines.as_slice()),
        (["make all".to_string()].as_slice(), [12].as_slice())
    );
    assert!(contract.steps.iter().all(|step| step.checks.is_empty()), "{:?}", contract.steps);
}

#[test]
fn pc_1_too_many_steps_are_cut() {
    let text: String = "## Steps\n\n".to_string() + &"1. do it in `src/a.rs`\n".repeat(100_000);
    let contract = PlanContract::parse(&text, &NoFiles).expect("a contract");
    assert_eq!((contract.steps.len(), contract.cut_at), (MAX_STEPS, Some(1_003)));
    assert_eq!(kinds(&contract.with_findings(&text, &NoFiles)), [FindingKind::BadReference]);
}

#[test]
fn pc_2_too_many_files_are_a_finding() {
    let files: Vec<String> = (0..201).map(|n| format!("src/{n}.rs")).collect();
    let contract = parse(&format!("1. a\n   files: {}\n", files.join(", ")));
    assert_eq!((paths(&contract).len(), kinds(&contract)), (200, vec![FindingKind::BadReference]));
}

#[test]
fn pc_6_destructive_checks_are_findings() {
    let commands = [
        "rm -rf .",
        "rm -rf /",
        "rm -rf ~",
        "cargo test && rm -rf *",
        "git reset --hard",
        "git clean -fdx",
        "git push",
        "git checkout .",
        "dd if=/dev/zero of=/dev/sda",
        "mkfs.ext4 /dev/sda",
        "find . -delete",
        "sh -c 'rm -rf ..'",
    ];
    for command in commands {
        let contract = parse(&format!("## Steps\n\n1. a\n   - check: `{command}`\n"));
        assert_eq!(kinds(&contract), [FindingKind::BadCheck], "{command}");
        assert_eq!(contract.steps[0].checks, [command]);
    }
    for command in ["rm -rf target/tmp && cargo test", "git status --short", "git diff --exit-code", "find . -name x"] {
        let contract = parse(&format!("## Steps\n\n1. a\n   - check: `{command}`\n"));
        assert_eq!(kinds(&contract), [], "{command}");
    }
}

#[test]
fn pc_1_titles_and_ids() {
    let text = "### Step 4: **Rotate** `my_key` now:\n\nx\n\n### Step 5 — _Done_\n\nafter: 4\n";
    let contract = parse(text);
    let steps: Vec<(&str, &str)> = contract.steps.iter().map(|step| (step.id.as_str(), step.title.as_str())).collect();
    assert_eq!(steps, [("1", "Rotate `my_key` now"), ("2", "Done")]);
    assert_eq!(contract.steps[1].after, ["1"]);
    let hidden = parse("1. a\u{1b}[8mb\u{202e}c\n");
    assert_eq!(hidden.steps[0].title, "a\\u{1b}[8mb\\u{202e}c");
    assert_eq!(parse(&format!("1. {}\n", "é".repeat(500))).steps[0].title.chars().count(), 201);
}

#[test]
fn pc_38_contracts_have_the_agreed_form() {
    let contract = parse("1. a `src/a.rs`\n   - check: `cargo test`\n   - after: 7\n");
    let value = serde_json::to_value(&contract).expect("JSON");
    let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["sha256", "steps", "checks", "findings"]);
    let step = &value["steps"][0];
    let expected = serde_json::json!({"id": "1", "title": "a `src/a.rs`", "lines": [1, 3],
        "files": [{"path": "src/a.rs", "kind": "any"}], "checks": ["cargo test"], "after": ["7"]});
    assert_eq!(*step, expected);
    let finding = &value["findings"][0];
    assert_eq!(
        (finding["kind"].as_str(), finding["step"].as_str(), finding["line"].as_u64()),
        (Some("bad-after"), Some("1"), Some(3))
    );
}

proptest::proptest! {
    #[test]
    fn pc_1_any_text_parses_the_same_twice(text in "(?s)([#>*` \\-\\[\\]x(){}:：.,0-9a-z/~$|\\\\\n\t]|Steps|Task |files:|check:|after:|\\PC){0,200}") {
        let one = PlanContract::parse(&text, &NoFiles).map(|contract| contract.with_findings(&text, &NoFiles));
        let other = PlanContract::parse(&text, &NoFiles).map(|contract| contract.with_findings(&text, &NoFiles));
        proptest::prop_assert_eq!(&one, &other);
        for file in one.iter().flat_map(|contract| &contract.steps).flat_map(|step| &step.files) {
            proptest::prop_assert!(!file.path.starts_with('/') && !file.path.split('/').any(|part| part == ".."), "{}", file.path);
        }
    }

    #[test]
    fn pc_1_any_lines_parse_as_steps(lines in proptest::collection::vec("(### Step [0-9]: |[0-9]{1,3}\\. |   - (files|check|after|risk|Create): |```|  |- \\[ \\] |## (Steps|Verify)|)[ -~é`]{0,30}", 0..40)) {
        let text = lines.join("\n");
        if let Some(contract) = PlanContract::parse(&text, &NoFiles) {
            let count = u32::try_from(text.lines().count()).expect("few lines");
            for (at, step) in contract.steps.iter().enumerate() {
                proptest::prop_assert_eq!(&step.id, &(at + 1).to_string());
                proptest::prop_assert!(step.lines[0] >= 1 && step.lines[0] <= step.lines[1] && step.lines[1] <= count);
            }
            lint_contract(&text, &contract, &NoFiles);
        }
    }
}
