//! Walks the syntax tree: every command that bash would run becomes a part, wherever it hides, and the working
//! folder is followed through `cd`, so that relative paths mean what they will mean.

use super::cover::{self, Cover};
use super::judge::{self, Assign, Inner};
use super::word::{self, Word};
use super::{MAX_BYTES, MAX_NESTING, Parsed, Part, PathWord, Verdict};
use shuck_ast as ast;
use std::collections::BTreeSet;

mod expand;
mod folder;
mod sinks;

pub(super) use folder::Folders;
pub(super) use sinks::is_harmless_sink;

/// What is known so far about the whole command.
#[derive(Default)]
pub(super) struct State {
    pub parts: Vec<Part>,
    problem: Option<String>,
    /// Names that mean something else from now on.
    functions: BTreeSet<String>,
    /// Variables that the command itself sets to numbers, and those that it gives any other content.
    numbers: BTreeSet<String>,
    filled: BTreeSet<String>,
    /// Variables that arithmetic evaluates: content like `a[$(x)]` would run x.
    evaluated: BTreeSet<String>,
    /// Standard output or error is named as a file.
    streams: bool,
    /// What these descriptors are may have changed.
    descriptors_move: bool,
}

impl State {
    pub fn problem(&mut self, why: &str) {
        self.problem.get_or_insert_with(|| why.to_string());
    }
    pub fn finish(mut self) -> Parsed {
        let unsafe_name = self.evaluated.iter().find(|name| !self.is_number(name)).cloned();
        if let Some(name) = unsafe_name {
            self.problem(&format!("arithmetic on `{name}` would run commands that its content may hold"));
        }
        if self.streams && self.descriptors_move {
            self.problem("`/dev/stdout` or `/dev/stderr` may be a file that was opened for reading");
        }
        for part in &mut self.parts {
            let name = part.words.first().cloned().flatten();
            if name.is_some_and(|name| self.functions.contains(&name)) {
                part.verdict = Verdict::Unknown;
            }
        }
        Parsed { parts: self.parts, unparsed: self.problem }
    }
    /// Is it known to hold a number? What the command did not set itself may hold anything: `$_`, `$REPLY`, `$1`.
    fn is_number(&self, name: &str) -> bool {
        const ALWAYS: &[&str] = &["#", "?", "$", "!", "LINENO", "RANDOM", "SECONDS", "UID", "EUID", "PPID", "BASHPID"];
        !self.filled.contains(name) && (self.numbers.contains(name) || ALWAYS.contains(&name))
    }
}

/// What a walk gives: parts, and scripts to be parsed in their turn.
pub(super) enum Item {
    Part(Box<Part>),
    Script(Box<Script>),
}

pub(super) struct Script {
    text: String,
    pub level: usize,
    folders: Folders,
    inside: Vec<String>,
}

impl Item {
    pub fn script(text: String) -> Item {
        Item::Script(Box::new(Script { text, level: 0, folders: Folders::start(), inside: vec![] }))
    }
}

/// Parses one script and walks it.
pub(super) fn script(state: &mut State, script: Script) -> Vec<Item> {
    let source = script.text.as_str();
    if source.len() > MAX_BYTES {
        state.problem("it is too long to be taken apart");
        return vec![];
    }
    if cover::nesting(source) > MAX_NESTING {
        state.problem("it is nested too deeply");
        return vec![];
    }
    if let Some(c) = cover::hidden_character(source) {
        state.problem(&format!("it holds the character U+{:04X}, which cannot be seen", u32::from(c)));
    }
    let profile = shuck_parser::ShellProfile::native(shuck_parser::ShellDialect::Bash);
    let result = shuck_parser::parser::Parser::with_limits_and_profile(source, 40, 200_000, profile).parse();
    if result.is_err() {
        let why =
            result.terminal_error.map(|e| e.to_string()).or(result.diagnostics.first().map(|d| d.message.clone()));
        state.problem(&format!("bash syntax: {}", why.unwrap_or_else(|| "not understood".into())));
    }
    let mut walk = Walk {
        source,
        items: vec![],
        cover: Cover::new(source.len()),
        folders: script.folders.clone(),
        inside: script.inside.clone(),
        level: script.level,
        in_operand: false,
        moves: false,
        state,
    };
    walk.seq(&result.file.body);
    let Walk { items, cover, state, .. } = walk;
    if let Some(text) = cover.unexplained(source) {
        state.problem(&format!("`{text}` was not understood"));
    }
    items
}

/// Redirections of one statement.
#[derive(Default)]
struct Redirected {
    writes: Vec<PathWord>,
    reads: Vec<PathWord>,
}

struct Walk<'a> {
    source: &'a str,
    items: Vec<Item>,
    cover: Cover,
    folders: Folders,
    inside: Vec<String>,
    level: usize,
    /// Inside `${…}`, where quotes and processes mean other things.
    in_operand: bool,
    /// A command was met that may change the folder.
    moves: bool,
    state: &'a mut State,
}

impl Walk<'_> {
    fn problem(&mut self, why: &str) {
        self.state.problem(why);
    }

    fn mark(&mut self, span: ast::Span) {
        self.cover.mark(span.start.offset(), span.end.offset());
    }

    fn slice(&mut self, span: ast::Span) -> String {
        let (start, end) = (span.start.offset(), span.end.offset());
        match self.source.get(start..end).filter(|_| start < end) {
            Some(text) => text.to_string(),
            None => {
                self.problem("a word could not be found in the source");
                String::new()
            }
        }
    }

    fn seq(&mut self, seq: &ast::StmtSeq) -> Folders {
        let mut good = self.folders.clone();
        for stmt in &seq.stmts {
            good = match stmt.terminator {
                Some(ast::StmtTerminator::Background(_)) => self.apart(|walk| {
                    walk.stmt(stmt);
                }),
                Some(ast::StmtTerminator::Semicolon) | None => self.stmt(stmt),
            };
        }
        good
    }

    /// In a process of its own: `cd` in there moves nobody out here.
    fn apart(&mut self, walk: impl FnOnce(&mut Self)) -> Folders {
        let before = self.folders.clone();
        let (in_operand, moves) = (std::mem::replace(&mut self.in_operand, false), self.moves);
        walk(self);
        (self.in_operand, self.moves) = (in_operand, moves);
        self.folders = before.clone();
        before
    }

    /// Walks one statement; gives the folders we may be in if it succeeded. `self.folders` holds those of either end.
    fn stmt(&mut self, stmt: &ast::Stmt) -> Folders {
        let good = self.statement(stmt);
        // `! cd x` succeeds where cd failed.
        if stmt.negated { self.folders.clone() } else { good }
    }

    fn statement(&mut self, stmt: &ast::Stmt) -> Folders {
        if let ast::Command::Binary(_) = &stmt.command {
            let redirected = self.redirects(&stmt.redirects);
            self.emit_redirects(redirected);
            return self.chain(stmt);
        }
        let redirected = self.redirects(&stmt.redirects);
        match &stmt.command {
            ast::Command::Simple(simple) => return self.simple(simple, redirected),
            ast::Command::Decl(decl) => self.declaration(decl),
            ast::Command::Builtin(builtin) => self.builtin(builtin),
            ast::Command::Compound(compound) => {
                self.emit_redirects(redirected);
                return self.compound(compound);
            }
            ast::Command::Function(function) => self.function(function),
            ast::Command::Binary(_) | ast::Command::AnonymousFunction(_) => self.problem("a function without a name"),
        }
        self.emit_redirects(redirected);
        self.folders.clone()
    }

    /// `a && b || c | d …` without recursion: chains can be long.
    fn chain(&mut self, stmt: &ast::Stmt) -> Folders {
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
        let mut good = self.link(first, pipes(links.first()));
        for (at, (op, right)) in links.iter().enumerate() {
            let piped = pipes(links.get(at)) || pipes(links.get(at + 1));
            let after_left = self.folders.clone();
            good = match op {
                ast::BinaryOp::And => {
                    self.folders = good;
                    let good = self.link(right, piped);
                    self.folders = self.folders.or(&after_left);
                    good
                }
                ast::BinaryOp::Or => self.link(right, piped).or(&good),
                ast::BinaryOp::Pipe | ast::BinaryOp::PipeAll => self.link(right, piped),
            };
        }
        good
    }

    fn link(&mut self, stmt: &ast::Stmt, piped: bool) -> Folders {
        match piped {
            true => self.apart(|walk| {
                walk.stmt(stmt);
            }),
            false => self.stmt(stmt),
        }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand) -> Folders {
        use ast::CompoundCommand as C;
        match compound {
            C::BraceGroup(body) => return self.seq(body),
            C::Subshell(body) => {
                return self.apart(|walk| {
                    walk.seq(body);
                });
            }
            C::Time(time) => {
                if let Some(stmt) = &time.command {
                    return self.stmt(stmt);
                }
            }
            C::Coproc(coproc) => {
                if let Some(span) = coproc.name_span {
                    self.mark(span);
                    let name = self.slice(span);
                    self.looped(&name);
                }
                return self.apart(|walk| {
                    walk.stmt(&coproc.body);
                });
            }
            C::If(branches) => self.branches(branches),
            C::While(l) => self.repeated(&[&l.condition, &l.body]),
            C::Until(l) => self.repeated(&[&l.condition, &l.body]),
            C::For(l) => self.for_loop(l),
            C::Select(l) => {
                self.mark(l.variable_span);
                self.looped(&l.variable);
                l.words.iter().for_each(|word| self.look_into(word));
                self.repeated(&[&l.body]);
            }
            C::ArithmeticFor(l) => self.arithmetic_for(l),
            C::Arithmetic(a) => {
                self.mark(a.span);
                self.arithmetic(a.expr_ast.as_ref(), a.expr_span);
            }
            C::Case(case) => self.case(case),
            C::Conditional(test) => self.condition(&test.expression),
            C::Repeat(_) | C::Foreach(_) | C::Always(_) => self.problem("a loop of another shell"),
        }
        self.folders.clone()
    }

    fn branches(&mut self, branches: &ast::IfCommand) {
        self.seq(&branches.condition);
        let mut ends = self.folders.clone();
        let bodies = branches.elif_branches.iter().flat_map(|(c, b)| [c, b]).chain(&branches.else_branch);
        for body in [&branches.then_branch].into_iter().chain(bodies) {
            self.folders = ends.clone();
            self.seq(body);
            ends = ends.or(&self.folders);
        }
        self.folders = ends;
    }

    /// A `cd` in a loop moves on with every round.
    fn repeated(&mut self, bodies: &[&ast::StmtSeq]) {
        let before = self.folders.clone();
        bodies.iter().for_each(|body| {
            self.seq(body);
        });
        if self.folders != before {
            if bodies.iter().any(|body| !body.is_empty()) {
                self.problem("a loop changes the working folder");
            }
            self.folders = Folders::unknown();
        }
    }

    fn for_loop(&mut self, l: &ast::ForCommand) {
        for target in &l.targets {
            self.mark(target.span);
            match &target.name {
                Some(name) => self.looped(name),
                None => self.problem("a loop sets a variable whose name is computed"),
            }
        }
        l.words.iter().flatten().for_each(|word| self.look_into(word));
        self.repeated(&[&l.body]);
    }

    /// A variable that `for`, `select` or `coproc` sets.
    fn looped(&mut self, name: &str) {
        if steers(name) {
            self.problem("a loop or coprocess sets a variable that steers programs");
        }
        self.state.filled.insert(name.to_string());
    }

    fn arithmetic_for(&mut self, l: &ast::ArithmeticForCommand) {
        self.cover.mark(l.left_paren_span.start.offset(), l.right_paren_span.end.offset());
        self.arithmetic(l.init_ast.as_ref(), l.init_span);
        self.arithmetic(l.condition_ast.as_ref(), l.condition_span);
        self.arithmetic(l.step_ast.as_ref(), l.step_span);
        self.repeated(&[&l.body]);
    }

    fn case(&mut self, case: &ast::CaseCommand) {
        self.look_into(&case.word);
        let mut ends = self.folders.clone();
        for item in &case.cases {
            // `;&` falls into the next body, `;;&` to the next patterns, in the folder where the last one ended.
            self.folders = ends.clone();
            item.patterns.iter().for_each(|pattern| {
                self.mark(pattern.span);
                self.pattern(pattern);
            });
            self.seq(&item.body);
            ends = ends.or(&self.folders);
        }
        self.folders = ends;
    }

    fn function(&mut self, function: &ast::FunctionDef) {
        for entry in &function.header.entries {
            self.mark(entry.word.span);
            match &entry.static_name {
                Some(name) => {
                    if judge::is_known(name) || *name == *"command_not_found_handle" {
                        // It would stand in for a command that we believe to know, or be called by bash itself.
                        self.problem("a function takes the place of a command");
                    }
                    self.state.functions.insert(name.to_string());
                }
                None => self.problem("a function whose name is computed"),
            }
        }
        // Nobody can say in which folder it is called.
        let before = std::mem::replace(&mut self.folders, Folders::unknown());
        let moves = std::mem::replace(&mut self.moves, false);
        self.stmt(&function.body);
        if self.moves {
            self.problem("a function changes the working folder");
        }
        (self.folders, self.moves) = (before, moves);
    }

    fn builtin(&mut self, builtin: &ast::BuiltinCommand) {
        use ast::BuiltinCommand as B;
        let (word, extra, assignments, span) = match builtin {
            B::Break(b) => (&b.depth, &b.extra_args, &b.assignments, b.span),
            B::Continue(b) => (&b.depth, &b.extra_args, &b.assignments, b.span),
            B::Return(b) => (&b.code, &b.extra_args, &b.assignments, b.span),
            B::Exit(b) => (&b.code, &b.extra_args, &b.assignments, b.span),
        };
        let name = self.slice(span);
        let len = name.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(name.len());
        self.cover.mark(span.start.offset(), span.start.offset() + len);
        word.iter().chain(extra).for_each(|word| self.look_into(word));
        if !assignments.is_empty() {
            self.problem("an assignment before a control word");
        }
    }

    /// `export A=1`, `local x`, `declare -r y=2`: fine for names that steer nothing.
    fn declaration(&mut self, decl: &ast::DeclClause) {
        self.mark(decl.variant_span);
        let mut fine = decl.assignments.is_empty();
        let exports = decl.variant.as_str() == "export";
        let mut texts = vec![decl.variant.to_string()];
        for operand in &decl.operands {
            match operand {
                ast::DeclOperand::Flag(flag) => {
                    let text = self.slice(flag.span);
                    self.mark(flag.span);
                    fine &= text.starts_with('-') && text[1..].bytes().all(|b| b"rxpaAg".contains(&b));
                    fine &= !text.contains('x');
                    texts.push(text);
                }
                ast::DeclOperand::Name(name) => {
                    self.mark(name.span);
                    self.reference(name, &mut vec![]);
                    fine &= (!exports || is_harmless(name.name.as_ref())) && name.subscript.is_none();
                    self.state.filled.insert(name.name.to_string());
                    texts.push(self.slice(name.span));
                }
                ast::DeclOperand::Assignment(assignment) => {
                    let assign = self.assignment(assignment);
                    fine &= is_plain_value(assignment, &assign.text);
                    fine &= if exports { is_harmless(&assign.text) } else { !steers(&assign.name) };
                    texts.push(assign.text);
                }
                ast::DeclOperand::Dynamic(word) => {
                    self.look_into(word);
                    fine = false;
                    texts.push(self.slice(word.span));
                }
            }
        }
        let verdict = if fine { Verdict::ReadOnly } else { Verdict::Unknown };
        let words = texts.iter().map(|text| word::read(text)).collect();
        self.push(Found { words, ..Found::new(verdict) });
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, redirected: Redirected) -> Folders {
        let assigns: Vec<Assign> = simple.assignments.iter().map(|a| self.assignment(a)).collect();
        let has_name = simple.name.span.start.offset() < simple.name.span.end.offset();
        if !has_name {
            if !simple.args.is_empty() {
                self.problem("a command without a name");
            }
            self.only_assigns(assigns);
            self.emit_redirects(redirected);
            return self.folders.clone();
        }
        let words: Vec<Word> = std::iter::once(&simple.name).chain(&simple.args).map(|w| self.word(w)).collect();
        self.note_filled(&words);
        let good = self.folders.after(&words);
        self.command(words, assigns, redirected);
        match good {
            Some(good) => {
                self.moves = true;
                self.folders = self.folders.or(&good);
                good
            }
            None => self.folders.clone(),
        }
    }

    /// Variables of the shell itself: harmless unless their name steers programs that run later.
    fn only_assigns(&mut self, assigns: Vec<Assign>) {
        if assigns.is_empty() {
            return;
        }
        let fine = assigns.iter().all(|assign| !steers(&assign.name));
        let verdict = if fine { Verdict::ReadOnly } else { Verdict::Unknown };
        let assigns = assigns.into_iter().map(|a| a.text).collect();
        self.push(Found { assigns, ..Found::new(verdict) });
    }

    /// `read x` and its like fill variables from outside.
    fn note_filled(&mut self, words: &[Word]) {
        let name = words.first().and_then(|w| w.literal.as_deref());
        if matches!(
            name,
            Some("read" | "mapfile" | "readarray" | "getopts" | "printf" | "export" | "declare" | "local")
        ) {
            let names = words.iter().skip(1).filter_map(|w| w.literal.clone()).filter(|n| word::is_name(n));
            self.state.filled.extend(names);
        }
    }

    /// A simple command with all that it runs; wrappers are opened up one after the other.
    fn command(&mut self, words: Vec<Word>, assigns: Vec<Assign>, redirected: Redirected) {
        let mut redirected = Some(redirected);
        let mut waiting = vec![(words, assigns, self.inside.clone())];
        let mut rounds = 0;
        while let Some((words, assigns, inside)) = waiting.pop() {
            rounds += 1;
            if rounds > 50 {
                self.problem("too many commands run each other");
                break;
            }
            let mut judged = judge::judge(&words);
            let mut found = Found { words, ..Found::new(judged.verdict) };
            found.assigns = assigns.iter().map(|a| a.text.clone()).collect();
            if !assigns.iter().all(|a| is_harmless(&a.text)) {
                // The parts of a script that runs with them do not show them: so the wrapper counts itself.
                judged.own |= judged.inner.iter().any(|inner| !matches!(inner, Inner::Command { .. }));
                if !matches!(found.verdict, Verdict::Writes(_)) {
                    found.verdict = Verdict::Unknown;
                }
            }
            let program = found.words.first().and_then(|w| w.literal.as_deref()).and_then(judge::program);
            if program == Some("git") && !self.folders.at_start() && found.verdict == Verdict::ReadOnly {
                // A folder somebody prepared may be a repository whose settings run programs.
                found.verdict = Verdict::Unknown;
            }
            let mut deeper = inside.clone();
            deeper.push(found.text());
            for inner in judged.inner.into_iter().rev() {
                match inner {
                    Inner::Command { words, assigns: more } => {
                        let all = assigns.iter().cloned().chain(more).collect();
                        waiting.push((words, all, deeper.clone()));
                    }
                    Inner::Script(text) => {
                        let folders = self.folders.clone();
                        self.deeper(text, folders, &deeper);
                    }
                    Inner::Later(text) => self.deeper(text, Folders::unknown(), &deeper),
                }
            }
            if judged.own {
                found.reads = self.folders.all(&judged.reads);
                found.writes = self.folders.all(&judged.writes);
                found.named = self.folders.all(&judged.named);
                if let Some(Redirected { writes, reads }) = redirected.take() {
                    found.redirects = writes;
                    found.reads.extend(reads);
                }
                found.inside = inside;
                self.items.push(Item::Part(Box::new(found.part())));
            }
        }
        if let Some(redirected) = redirected {
            self.emit_redirects(redirected);
        }
    }

    fn deeper(&mut self, text: String, folders: Folders, inside: &[String]) {
        let (level, inside) = (self.level + 1, inside.to_vec());
        self.items.push(Item::Script(Box::new(Script { text, level, folders, inside })));
    }

    fn push(&mut self, found: Found) {
        let found = Found { inside: self.inside.clone(), ..found };
        self.items.push(Item::Part(Box::new(found.part())));
    }

    /// Redirections of something that is no simple command, as of the command `:`.
    fn emit_redirects(&mut self, redirected: Redirected) {
        if redirected.writes.is_empty() && redirected.reads.is_empty() {
            return;
        }
        let words = vec![Word::of_literal(":")];
        let Redirected { writes: redirects, reads } = redirected;
        self.push(Found { words, redirects, reads, ..Found::new(Verdict::ReadOnly) });
    }
}

/// A part that is being put together.
struct Found {
    words: Vec<Word>,
    assigns: Vec<String>,
    inside: Vec<String>,
    verdict: Verdict,
    writes: Vec<PathWord>,
    redirects: Vec<PathWord>,
    reads: Vec<PathWord>,
    named: Vec<PathWord>,
}

impl Found {
    fn new(verdict: Verdict) -> Found {
        Found {
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
    fn text(&self) -> String {
        let words = self.words.iter().map(|w| w.text.as_str());
        self.assigns.iter().map(String::as_str).chain(words).collect::<Vec<_>>().join(" ")
    }
    fn part(self) -> Part {
        let text = self.words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
        let words = self.words.into_iter().map(|w| w.literal).collect();
        let Found { assigns, inside, verdict, writes, redirects, reads, named, .. } = self;
        Part { text, assigns, inside, words, verdict, writes, redirects, reads, named }
    }
}

/// `NAME=value` of a variable that changes nothing but looks: a command with only these set is still the same command.
pub(super) fn is_harmless(assignment: &str) -> bool {
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
    // The C library looks for languages and zones in folders: a path there is a file that somebody made.
    let leads = value.contains("..") || value.trim_matches(['\'', '"', ':']).starts_with(['/', '~']);
    let computed = value.contains(['$', '`']);
    match name {
        "TZ" => !leads && !computed,
        _ if language => !value.contains('/') && !computed,
        _ => NAMES.contains(&name),
    }
}

/// A declared array takes a value like `($(x))` for its elements, quoted or not, and runs x.
fn is_plain_value(assignment: &ast::Assignment, text: &str) -> bool {
    match &assignment.value {
        ast::AssignmentValue::Compound(_) => true,
        ast::AssignmentValue::Scalar(_) => {
            let value = text.split_once('=').map_or("", |(_, value)| value);
            !value.contains(['$', '`', '('])
        }
    }
}

/// Variables that steer the shell or what it runs: by their names, and by how these begin or end.
const STEERING: &[&str] = &[
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
const STEERING_STARTS: &[&str] = &[
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
const STEERING_ENDS: &[&str] =
    &["FLAGS", "OPTIONS", "OPTS", "WRAPPER", "_PATH", "_HOME", "_CONFIG", "_COMMAND", "_EDITOR", "_PAGER"];

/// Variables by which programs find other programs, libraries, settings or options.
pub(super) fn steers(name: &str) -> bool {
    STEERING.contains(&name)
        || STEERING_STARTS.iter().any(|start| name.starts_with(start))
        || (name.bytes().all(|b| !b.is_ascii_lowercase()) && STEERING_ENDS.iter().any(|end| name.ends_with(end)))
}
