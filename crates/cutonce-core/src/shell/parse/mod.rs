//! Walks the syntax tree. Every command that bash would run becomes a part, at any nesting. Tracks the working
//! folder through `cd`, so that relative paths resolve correctly.

mod coverage;
mod expansions;
mod sinks;
pub(super) mod word;
mod working_folders;

use crate::shell::analyze::{self, EnvAssignment, InnerCommand};
use crate::shell::{CommandPart, CommandVerdict, MAX_BYTES, MAX_NESTING, ParsedCommand, PathWord};
use coverage::SourceCoverage;
use shuck_ast as ast;
use std::collections::{BTreeMap, BTreeSet};
use word::ShellWord;

pub(super) use sinks::is_harmless_sink;
pub(super) use working_folders::WorkingFolders;

/// Results of the walk so far, for the whole command.
#[derive(Default)]
pub(super) struct WalkState {
    pub parts: Vec<CommandPart>,
    problem: Option<String>,
    /// Functions that the command defines.
    functions: BTreeSet<String>,
    /// Variables that the command sets to numbers only, and those that it sets to anything else.
    numbers: BTreeSet<String>,
    set_to_unknown: BTreeSet<String>,
    /// Variables that arithmetic evaluates, with the expression. A value like `a[$(x)]` would run x.
    evaluated_names: BTreeMap<String, String>,
    /// The arithmetic expression that is being walked.
    expression: String,
    /// True if standard output or error is named as a file.
    names_streams: bool,
    /// True if a redirection may have changed these descriptors.
    descriptors_changed: bool,
}

impl WalkState {
    pub fn add_problem(&mut self, why: &str) {
        self.problem.get_or_insert_with(|| why.to_string());
    }
    pub fn finish(mut self) -> ParsedCommand {
        let risky = self.evaluated_names.iter().find(|(name, _)| !self.is_number(name)).map(|(name, text)| {
            if text.is_empty() || text == name { format!("arithmetic on `{name}`") } else { format!("`{text}`") }
        });
        if let Some(risky) = risky {
            self.add_problem(&format!("{risky} may execute code"));
        }
        if self.names_streams && self.descriptors_changed {
            self.add_problem("`/dev/stdout` or `/dev/stderr` may be a file that was opened for reading");
        }
        for part in &mut self.parts {
            let name = part.words.first().cloned().flatten();
            if name.is_some_and(|name| self.functions.contains(&name)) {
                part.verdict = CommandVerdict::Unknown;
            }
        }
        ParsedCommand { parts: self.parts, unparsed: self.problem }
    }
    /// Records a variable that the current arithmetic expression evaluates.
    fn note_evaluated(&mut self, name: String) {
        let text = self.expression.clone();
        self.evaluated_names.entry(name).or_insert(text);
    }
    /// True if the variable is known to be a number. Variables set elsewhere may contain anything: `$_`, `$REPLY`,
    /// `$1`.
    fn is_number(&self, name: &str) -> bool {
        const ALWAYS: &[&str] = &["#", "?", "$", "!", "LINENO", "RANDOM", "SECONDS", "UID", "EUID", "PPID", "BASHPID"];
        !self.set_to_unknown.contains(name) && (self.numbers.contains(name) || ALWAYS.contains(&name))
    }
}

/// Result of a walk: parts, and nested scripts that still have to be parsed.
pub(super) enum WalkItem {
    Part(Box<CommandPart>),
    Script(Box<NestedScript>),
}

pub(super) struct NestedScript {
    text: String,
    pub level: usize,
    folders: WorkingFolders,
    inside: Vec<String>,
}

impl WalkItem {
    pub fn from_command(text: String) -> WalkItem {
        WalkItem::Script(Box::new(NestedScript {
            text,
            level: 0,
            folders: WorkingFolders::at_command_start(),
            inside: vec![],
        }))
    }
}

/// Parses one script and walks it.
pub(super) fn walk_script(state: &mut WalkState, script: NestedScript) -> Vec<WalkItem> {
    let source = script.text.as_str();
    if source.len() > MAX_BYTES {
        state.add_problem("the command is too long");
        return vec![];
    }
    if coverage::nesting_depth(source) > MAX_NESTING {
        state.add_problem("the command is nested too deeply");
        return vec![];
    }
    if let Some(c) = coverage::hidden_character(source) {
        state.add_problem(&format!("it contains the invisible character U+{:04X}", u32::from(c)));
    }
    let profile = shuck_parser::ShellProfile::native(shuck_parser::ShellDialect::Bash);
    let result = shuck_parser::parser::Parser::with_limits_and_profile(source, 40, 200_000, profile).parse();
    if result.is_err() {
        let why =
            result.terminal_error.map(|e| e.to_string()).or(result.diagnostics.first().map(|d| d.message.clone()));
        state.add_problem(&format!("bash syntax error: {}", why.unwrap_or_else(|| "unknown".into())));
    }
    let mut walk = SyntaxWalker {
        source,
        items: vec![],
        cover: SourceCoverage::new(source.len()),
        folders: script.folders.clone(),
        inside: script.inside.clone(),
        level: script.level,
        in_operand: false,
        changes_folder: false,
        state,
    };
    walk.walk_sequence(&result.file.body);
    let SyntaxWalker { items, cover, state, .. } = walk;
    if let Some(text) = cover.unexplained(source) {
        state.add_problem(&format!("`{text}` could not be parsed"));
    }
    items
}

/// Paths that the redirections of one statement write and read.
#[derive(Default)]
struct RedirectPaths {
    writes: Vec<PathWord>,
    reads: Vec<PathWord>,
}

struct SyntaxWalker<'a> {
    source: &'a str,
    items: Vec<WalkItem>,
    cover: SourceCoverage,
    folders: WorkingFolders,
    inside: Vec<String>,
    level: usize,
    /// True inside `${…}`, where quotes and process substitutions have another meaning.
    in_operand: bool,
    /// True after a command that may change the working folder.
    changes_folder: bool,
    state: &'a mut WalkState,
}

impl SyntaxWalker<'_> {
    fn add_problem(&mut self, why: &str) {
        self.state.add_problem(why);
    }

    fn mark(&mut self, span: ast::Span) {
        self.cover.mark(span.start.offset(), span.end.offset());
    }

    fn source_text(&mut self, span: ast::Span) -> String {
        let (start, end) = (span.start.offset(), span.end.offset());
        match self.source.get(start..end).filter(|_| start < end) {
            Some(text) => text.to_string(),
            None => {
                self.add_problem("the parser lost a word");
                String::new()
            }
        }
    }

    fn walk_sequence(&mut self, seq: &ast::StmtSeq) -> WorkingFolders {
        let mut good = self.folders.clone();
        for stmt in &seq.stmts {
            good = match stmt.terminator {
                Some(ast::StmtTerminator::Background(_)) => self.in_subprocess(|walk| {
                    walk.walk_statement(stmt);
                }),
                Some(ast::StmtTerminator::Semicolon) | None => self.walk_statement(stmt),
            };
        }
        good
    }

    /// Walks commands that run in a separate process, where `cd` does not affect this shell.
    fn in_subprocess(&mut self, walk: impl FnOnce(&mut Self)) -> WorkingFolders {
        let before = self.folders.clone();
        let (in_operand, moves) = (std::mem::replace(&mut self.in_operand, false), self.changes_folder);
        walk(self);
        (self.in_operand, self.changes_folder) = (in_operand, moves);
        self.folders = before.clone();
        before
    }

    /// Walks one statement. Returns the possible folders after success; `self.folders` has those after either outcome.
    fn walk_statement(&mut self, stmt: &ast::Stmt) -> WorkingFolders {
        let good = self.walk_command_kind(stmt);
        // `! cd x` succeeds where cd failed.
        if stmt.negated { self.folders.clone() } else { good }
    }

    fn walk_command_kind(&mut self, stmt: &ast::Stmt) -> WorkingFolders {
        if let ast::Command::Binary(_) = &stmt.command {
            let redirected = self.walk_redirects(&stmt.redirects);
            self.emit_redirects(redirected);
            return self.walk_chain(stmt);
        }
        let redirected = self.walk_redirects(&stmt.redirects);
        match &stmt.command {
            ast::Command::Simple(simple) => return self.walk_simple(simple, redirected),
            ast::Command::Decl(decl) => self.walk_declaration(decl),
            ast::Command::Builtin(builtin) => self.walk_builtin(builtin),
            ast::Command::Compound(compound) => {
                self.emit_redirects(redirected);
                return self.walk_compound(compound);
            }
            ast::Command::Function(function) => self.walk_function(function),
            ast::Command::Binary(_) | ast::Command::AnonymousFunction(_) => {
                self.add_problem("a function without a name")
            }
        }
        self.emit_redirects(redirected);
        self.folders.clone()
    }

    /// Walks `a && b || c | d …` without recursion, because chains can be long.
    fn walk_chain(&mut self, stmt: &ast::Stmt) -> WorkingFolders {
        let mut links = Vec::new();
        let mut first = stmt;
        while let ast::Command::Binary(binary) = &first.command {
            links.push((binary.op, &*binary.right));
            first = &binary.left;
        }
        links.reverse();
        let pipes = |op: Option<&(ast::BinaryOp, &ast::Stmt)>| {
            op.is_some_and(|(op, _)| matches!(op, ast::BinaryOp::Pipe | ast::BinaryOp::PipeAll))
        };
        let mut good = self.walk_chain_link(first, pipes(links.first()));
        for (at, (op, right)) in links.iter().enumerate() {
            let piped = pipes(links.get(at)) || pipes(links.get(at + 1));
            let after_left = self.folders.clone();
            good = match op {
                ast::BinaryOp::And => {
                    self.folders = good;
                    let good = self.walk_chain_link(right, piped);
                    self.folders = self.folders.union(&after_left);
                    good
                }
                ast::BinaryOp::Or => self.walk_chain_link(right, piped).union(&good),
                ast::BinaryOp::Pipe | ast::BinaryOp::PipeAll => self.walk_chain_link(right, piped),
            };
        }
        good
    }

    fn walk_chain_link(&mut self, stmt: &ast::Stmt, piped: bool) -> WorkingFolders {
        match piped {
            true => self.in_subprocess(|walk| {
                walk.walk_statement(stmt);
            }),
            false => self.walk_statement(stmt),
        }
    }

    fn walk_compound(&mut self, compound: &ast::CompoundCommand) -> WorkingFolders {
        use ast::CompoundCommand as C;
        match compound {
            C::BraceGroup(body) => return self.walk_sequence(body),
            C::Subshell(body) => {
                return self.in_subprocess(|walk| {
                    walk.walk_sequence(body);
                });
            }
            C::Time(time) => {
                if let Some(stmt) = &time.command {
                    return self.walk_statement(stmt);
                }
            }
            C::Coproc(coproc) => {
                if let Some(span) = coproc.name_span {
                    self.mark(span);
                    let name = self.source_text(span);
                    self.note_loop_variable(&name);
                }
                return self.in_subprocess(|walk| {
                    walk.walk_statement(&coproc.body);
                });
            }
            C::If(branches) => self.walk_if(branches),
            C::While(l) => self.walk_loop(&[&l.condition, &l.body]),
            C::Until(l) => self.walk_loop(&[&l.condition, &l.body]),
            C::For(l) => self.walk_for(l),
            C::Select(l) => {
                self.mark(l.variable_span);
                self.note_loop_variable(&l.variable);
                l.words.iter().for_each(|word| self.walk_substitutions(word));
                self.walk_loop(&[&l.body]);
            }
            C::ArithmeticFor(l) => self.walk_arithmetic_for(l),
            C::Arithmetic(a) => {
                self.mark(a.span);
                self.walk_arithmetic(a.expr_ast.as_ref(), a.expr_span);
            }
            C::Case(case) => self.walk_case(case),
            C::Conditional(test) => self.walk_condition(&test.expression),
            C::Repeat(_) | C::Foreach(_) | C::Always(_) => self.add_problem("a loop that bash does not have"),
        }
        self.folders.clone()
    }

    fn walk_if(&mut self, branches: &ast::IfCommand) {
        self.walk_sequence(&branches.condition);
        let mut ends = self.folders.clone();
        let bodies = branches.elif_branches.iter().flat_map(|(c, b)| [c, b]).chain(&branches.else_branch);
        for body in [&branches.then_branch].into_iter().chain(bodies) {
            self.folders = ends.clone();
            self.walk_sequence(body);
            ends = ends.union(&self.folders);
        }
        self.folders = ends;
    }

    /// Walks a loop. A `cd` inside it changes the folder in every round.
    fn walk_loop(&mut self, bodies: &[&ast::StmtSeq]) {
        let before = self.folders.clone();
        bodies.iter().for_each(|body| {
            self.walk_sequence(body);
        });
        if self.folders != before {
            if bodies.iter().any(|body| !body.is_empty()) {
                self.add_problem("a loop changes the working folder");
            }
            self.folders = WorkingFolders::unknown();
        }
    }

    fn walk_for(&mut self, l: &ast::ForCommand) {
        for target in &l.targets {
            self.mark(target.span);
            match &target.name {
                Some(name) => self.note_loop_variable(name),
                None => self.add_problem("a loop variable with a computed name"),
            }
        }
        l.words.iter().flatten().for_each(|word| self.walk_substitutions(word));
        self.walk_loop(&[&l.body]);
    }

    /// Notes a variable that `for`, `select` or `coproc` sets.
    fn note_loop_variable(&mut self, name: &str) {
        if is_steering_variable(name) {
            self.add_problem("a loop or coprocess sets a variable that controls other programs");
        }
        self.state.set_to_unknown.insert(name.to_string());
    }

    fn walk_arithmetic_for(&mut self, l: &ast::ArithmeticForCommand) {
        self.cover.mark(l.left_paren_span.start.offset(), l.right_paren_span.end.offset());
        self.walk_arithmetic(l.init_ast.as_ref(), l.init_span);
        self.walk_arithmetic(l.condition_ast.as_ref(), l.condition_span);
        self.walk_arithmetic(l.step_ast.as_ref(), l.step_span);
        self.walk_loop(&[&l.body]);
    }

    fn walk_case(&mut self, case: &ast::CaseCommand) {
        self.walk_substitutions(&case.word);
        let mut ends = self.folders.clone();
        for item in &case.cases {
            // `;&` falls through to the next body, `;;&` to the next patterns, in the folder where the last one ended.
            self.folders = ends.clone();
            item.patterns.iter().for_each(|pattern| {
                self.mark(pattern.span);
                self.walk_pattern(pattern);
            });
            self.walk_sequence(&item.body);
            ends = ends.union(&self.folders);
        }
        self.folders = ends;
    }

    fn walk_function(&mut self, function: &ast::FunctionDef) {
        for entry in &function.header.entries {
            self.mark(entry.word.span);
            match &entry.static_name {
                Some(name) => {
                    if analyze::is_known(name) || *name == *"command_not_found_handle" {
                        // The function would replace a known command, or bash would call it.
                        self.add_problem("a function replaces a command");
                    }
                    self.state.functions.insert(name.to_string());
                }
                None => self.add_problem("a function with a computed name"),
            }
        }
        // The folder in which it is called is unknown.
        let before = std::mem::replace(&mut self.folders, WorkingFolders::unknown());
        let moves = std::mem::replace(&mut self.changes_folder, false);
        self.walk_statement(&function.body);
        if self.changes_folder {
            self.add_problem("a function changes the working folder");
        }
        (self.folders, self.changes_folder) = (before, moves);
    }

    fn walk_builtin(&mut self, builtin: &ast::BuiltinCommand) {
        use ast::BuiltinCommand as B;
        let (word, extra, assignments, span) = match builtin {
            B::Break(b) => (&b.depth, &b.extra_args, &b.assignments, b.span),
            B::Continue(b) => (&b.depth, &b.extra_args, &b.assignments, b.span),
            B::Return(b) => (&b.code, &b.extra_args, &b.assignments, b.span),
            B::Exit(b) => (&b.code, &b.extra_args, &b.assignments, b.span),
        };
        let name = self.source_text(span);
        let len = name.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(name.len());
        self.cover.mark(span.start.offset(), span.start.offset() + len);
        word.iter().chain(extra).for_each(|word| self.walk_substitutions(word));
        if !assignments.is_empty() {
            self.add_problem("an assignment before a control keyword");
        }
    }

    /// Walks `export A=1`, `local x`, `declare -r y=2`: harmless for names that control no program.
    fn walk_declaration(&mut self, decl: &ast::DeclClause) {
        self.mark(decl.variant_span);
        let mut fine = decl.assignments.is_empty();
        let exports = decl.variant.as_str() == "export";
        let mut texts = vec![decl.variant.to_string()];
        for operand in &decl.operands {
            match operand {
                ast::DeclOperand::Flag(flag) => {
                    let text = self.source_text(flag.span);
                    self.mark(flag.span);
                    fine &= text.starts_with('-') && text[1..].bytes().all(|b| b"rxpaAg".contains(&b));
                    fine &= !text.contains('x');
                    texts.push(text);
                }
                ast::DeclOperand::Name(name) => {
                    self.mark(name.span);
                    self.walk_subscript(name, &mut vec![]);
                    fine &= (!exports || is_cosmetic_assignment(name.name.as_ref())) && name.subscript.is_none();
                    self.state.set_to_unknown.insert(name.name.to_string());
                    texts.push(self.source_text(name.span));
                }
                ast::DeclOperand::Assignment(assignment) => {
                    let assign = self.walk_assignment(assignment);
                    fine &= is_plain_value(assignment, &assign.text);
                    fine &= if exports {
                        is_cosmetic_assignment(&assign.text)
                    } else {
                        !is_steering_variable(&assign.name)
                    };
                    texts.push(assign.text);
                }
                ast::DeclOperand::Dynamic(word) => {
                    self.walk_substitutions(word);
                    fine = false;
                    texts.push(self.source_text(word.span));
                }
            }
        }
        let verdict = if fine { CommandVerdict::ReadOnly } else { CommandVerdict::Unknown };
        let words = texts.iter().map(|text| word::decode_word(text)).collect();
        self.push_part(PartBuilder { words, ..PartBuilder::new(verdict) });
    }

    fn walk_simple(&mut self, simple: &ast::SimpleCommand, redirected: RedirectPaths) -> WorkingFolders {
        let assigns: Vec<EnvAssignment> = simple.assignments.iter().map(|a| self.walk_assignment(a)).collect();
        let has_name = simple.name.span.start.offset() < simple.name.span.end.offset();
        if !has_name {
            if !simple.args.is_empty() {
                self.add_problem("a command without a name");
            }
            self.push_assignments(assigns);
            self.emit_redirects(redirected);
            return self.folders.clone();
        }
        let words: Vec<ShellWord> =
            std::iter::once(&simple.name).chain(&simple.args).map(|w| self.walk_word(w)).collect();
        self.note_filled(&words);
        let good = self.folders.after_command(&words);
        self.walk_command(words, assigns, redirected);
        match good {
            Some(good) => {
                self.changes_folder = true;
                self.folders = self.folders.union(&good);
                good
            }
            None => self.folders.clone(),
        }
    }

    /// Adds assignments of shell variables: harmless unless the variable controls programs that run later.
    fn push_assignments(&mut self, assigns: Vec<EnvAssignment>) {
        if assigns.is_empty() {
            return;
        }
        let fine = assigns.iter().all(|assign| !is_steering_variable(&assign.name));
        let verdict = if fine { CommandVerdict::ReadOnly } else { CommandVerdict::Unknown };
        let assigns = assigns.into_iter().map(|a| a.text).collect();
        self.push_part(PartBuilder { assigns, ..PartBuilder::new(verdict) });
    }

    /// Notes variables that `read x` and similar commands set from outside.
    fn note_filled(&mut self, words: &[ShellWord]) {
        let name = words.first().and_then(|w| w.literal.as_deref());
        if matches!(
            name,
            Some("read" | "mapfile" | "readarray" | "getopts" | "printf" | "export" | "declare" | "local")
        ) {
            let names = words.iter().skip(1).filter_map(|w| w.literal.clone()).filter(|n| word::is_name(n));
            self.state.set_to_unknown.extend(names);
        }
    }

    /// Adds a simple command and everything it runs; unwraps wrappers one by one.
    fn walk_command(&mut self, words: Vec<ShellWord>, assigns: Vec<EnvAssignment>, redirected: RedirectPaths) {
        let mut redirected = Some(redirected);
        let mut waiting = vec![(words, assigns, self.inside.clone())];
        let mut rounds = 0;
        while let Some((words, assigns, inside)) = waiting.pop() {
            rounds += 1;
            if rounds > 50 {
                self.add_problem("too many nested commands");
                break;
            }
            let mut judged = analyze::judge_command(&words);
            let mut found = PartBuilder { words, ..PartBuilder::new(judged.verdict) };
            found.assigns = assigns.iter().map(|a| a.text.clone()).collect();
            if !assigns.iter().all(|a| is_cosmetic_assignment(&a.text)) {
                // Parts of an inner script don't show these assignments, so the wrapper becomes a part itself.
                judged.is_command |= judged.inner.iter().any(|inner| !matches!(inner, InnerCommand::Command { .. }));
                if !matches!(found.verdict, CommandVerdict::Writes(_)) {
                    found.verdict = CommandVerdict::Unknown;
                }
            }
            let program = found.words.first().and_then(|w| w.literal.as_deref()).and_then(analyze::program_name);
            if program == Some("git") && !self.folders.is_command_start() && found.verdict == CommandVerdict::ReadOnly {
                // A prepared folder may be a repository whose settings run programs.
                found.verdict = CommandVerdict::Unknown;
            }
            let mut deeper = inside.clone();
            deeper.push(found.full_text());
            for inner in judged.inner.into_iter().rev() {
                match inner {
                    InnerCommand::Command { words, assigns: more } => {
                        let all = assigns.iter().cloned().chain(more).collect();
                        waiting.push((words, all, deeper.clone()));
                    }
                    InnerCommand::Script(text) => {
                        let folders = self.folders.clone();
                        self.push_script(text, folders, &deeper);
                    }
                    InnerCommand::DeferredScript(text) => self.push_script(text, WorkingFolders::unknown(), &deeper),
                }
            }
            if judged.is_command {
                found.reads = self.folders.resolve_all(&judged.reads);
                found.writes = self.folders.resolve_all(&judged.writes);
                found.named = self.folders.resolve_all(&judged.mentioned);
                if let Some(RedirectPaths { writes, reads }) = redirected.take() {
                    found.redirects = writes;
                    found.reads.extend(reads);
                }
                found.inside = inside;
                self.items.push(WalkItem::Part(Box::new(found.build())));
            }
        }
        if let Some(redirected) = redirected {
            self.emit_redirects(redirected);
        }
    }

    fn push_script(&mut self, text: String, folders: WorkingFolders, inside: &[String]) {
        let (level, inside) = (self.level + 1, inside.to_vec());
        self.items.push(WalkItem::Script(Box::new(NestedScript { text, level, folders, inside })));
    }

    fn push_part(&mut self, found: PartBuilder) {
        let found = PartBuilder { inside: self.inside.clone(), ..found };
        self.items.push(WalkItem::Part(Box::new(found.build())));
    }

    /// Adds redirections of a compound command as if they belonged to the command `:`.
    fn emit_redirects(&mut self, redirected: RedirectPaths) {
        if redirected.writes.is_empty() && redirected.reads.is_empty() {
            return;
        }
        let words = vec![ShellWord::from_literal(":")];
        let RedirectPaths { writes: redirects, reads } = redirected;
        self.push_part(PartBuilder { words, redirects, reads, ..PartBuilder::new(CommandVerdict::ReadOnly) });
    }
}

/// Builds a part.
struct PartBuilder {
    words: Vec<ShellWord>,
    assigns: Vec<String>,
    inside: Vec<String>,
    verdict: CommandVerdict,
    writes: Vec<PathWord>,
    redirects: Vec<PathWord>,
    reads: Vec<PathWord>,
    named: Vec<PathWord>,
}

impl PartBuilder {
    fn new(verdict: CommandVerdict) -> PartBuilder {
        PartBuilder {
            words: vec![],
            assigns: vec![],
            inside: vec![],
            verdict,
            writes: vec![],
            redirects: vec![],
            reads: vec![],
            named: vec![],
        }
    }
    fn full_text(&self) -> String {
        let words = self.words.iter().map(|w| w.text.as_str());
        self.assigns.iter().map(String::as_str).chain(words).collect::<Vec<_>>().join(" ")
    }
    fn build(self) -> CommandPart {
        let text = self.words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
        let words = self.words.into_iter().map(|w| w.literal).collect();
        let PartBuilder { assigns, inside, verdict, writes, redirects, reads, named, .. } = self;
        CommandPart { text, assigns, inside, words, verdict, writes, redirects, reads, mentioned: named }
    }
}

/// True for `NAME=value` of a variable that only affects output format, so it does not change the command.
pub(super) fn is_cosmetic_assignment(assignment: &str) -> bool {
    const NAMES: &[&str] = &[
        "CI",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "DEBUG",
        "FORCE_COLOR",
        "LINES",
        "NO_COLOR",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "VERBOSE",
    ];
    let (name, value) = assignment.split_once('=').unwrap_or((assignment, ""));
    let name = name.trim_end_matches('+');
    let language = name.starts_with("LC_") || matches!(name, "LANG" | "LANGUAGE");
    // The C library looks up locales and zones in folders: a path could be an attacker's file.
    let leads = value.contains("..") || value.trim_matches(['\'', '"', ':']).starts_with(['/', '~']);
    let computed = value.contains(['$', '`']);
    match name {
        "TZ" => !leads && !computed,
        _ if language => !value.contains('/') && !computed,
        _ => NAMES.contains(&name),
    }
}

/// False for values that `declare -a` would evaluate: `($(x))` runs x, quoted or not.
fn is_plain_value(assignment: &ast::Assignment, text: &str) -> bool {
    match &assignment.value {
        ast::AssignmentValue::Compound(_) => true,
        ast::AssignmentValue::Scalar(_) => {
            let value = text.split_once('=').map_or("", |(_, value)| value);
            !value.contains(['$', '`', '('])
        }
    }
}

/// Variables that control the shell or the programs it runs. See also the prefixes and suffixes below.
const STEERING_VARIABLES: &[&str] = &[
    "BROWSER",
    "CDPATH",
    "COMP_WORDBREAKS",
    "DISPLAY",
    "EDITOR",
    "ENV",
    "FCEDIT",
    "FIGNORE",
    "FUNCNEST",
    "GLOBIGNORE",
    "HISTFILE",
    "EUID",
    "HOME",
    "HOSTALIASES",
    "LINENO",
    "PIPESTATUS",
    "PPID",
    "SRANDOM",
    "UID",
    "IFS",
    "INPUTRC",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "MAIL",
    "MAILPATH",
    "MANPAGER",
    "NLSPATH",
    "OLDPWD",
    "OPTARG",
    "OPTIND",
    "PAGER",
    "PATH",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "TERMINFO",
    "TEXTDOMAINDIR",
    "TIMEFORMAT",
    "TMPDIR",
    "VISUAL",
];
const STEERING_PREFIXES: &[&str] = &[
    "BASH",
    "CARGO",
    "CMAKE",
    "COMP_",
    "COPROC",
    "DIRSTACK",
    "EPOCH",
    "HIST",
    "READLINE_",
    "DOCKER",
    "DYLD_",
    "GCC_",
    "GCONV_",
    "GIT_",
    "GLIBC_",
    "GO",
    "GREP_",
    "JAVA",
    "JDK_",
    "LD_",
    "MAKE",
    "MALLOC_",
    "NODE",
    "NPM_",
    "PERL",
    "PIP_",
    "PYTHON",
    "RIPGREP_",
    "RUBY",
    "RUST",
    "SSH_",
    "TAR_",
    "XDG_",
    "npm_",
];
const STEERING_SUFFIXES: &[&str] =
    &["FLAGS", "OPTIONS", "OPTS", "WRAPPER", "_PATH", "_HOME", "_CONFIG", "_COMMAND", "_EDITOR", "_PAGER"];

/// True for a variable that makes programs find other programs, libraries, settings or options.
pub(super) fn is_steering_variable(name: &str) -> bool {
    STEERING_VARIABLES.contains(&name)
        || STEERING_PREFIXES.iter().any(|start| name.starts_with(start))
        || (name.bytes().all(|b| !b.is_ascii_lowercase()) && STEERING_SUFFIXES.iter().any(|end| name.ends_with(end)))
}
