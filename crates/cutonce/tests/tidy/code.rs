//! The repository as the rules see it: texts, and Rust code as tokens and items.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A text file of the repository; the path is relative to its root, with `/`.
#[derive(Debug, Clone)]
pub struct Text {
    pub path: String,
    pub text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

pub fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}

/// Every text file of the repository, read once.
pub fn texts() -> &'static [Text] {
    static TEXTS: OnceLock<Vec<Text>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let mut found = Vec::new();
        collect(&root(), "", &mut found);
        assert!(!found.is_empty(), "no files found below {}", root().display());
        found
    })
}

fn collect(folder: &Path, name: &str, found: &mut Vec<Text>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")).collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let Ok(file) = entry.file_name().into_string() else { continue };
        let path = if name.is_empty() { file.clone() } else { format!("{name}/{file}") };
        let kind = entry.file_type().expect("a file type");
        let hidden = file.starts_with('.') && file != ".ci" && file != ".gitignore";
        if hidden || (file == "target" && kind.is_dir()) || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &path, found);
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            found.push(Text { path, text });
        }
    }
}

/// Every Rust file of the crates: products, tests, benches and examples.
pub fn rust_files() -> Vec<Text> {
    texts().iter().filter(|text| text.path.starts_with("crates/") && text.path.ends_with(".rs")).cloned().collect()
}

/// The dependencies of a manifest with their lines, whatever the section.
pub fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            inside = section.ends_with("dependencies");
            if let Some((_, name)) = section.split_once("dependencies.") {
                found.push((number + 1, name.to_owned()));
            }
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.push((number + 1, name.trim_matches('"').to_owned()));
        }
    }
    found
}

/// The ids of all clauses in docs/contract.
pub fn clauses() -> BTreeSet<String> {
    let contract = texts().iter().filter(|text| text.path.starts_with("docs/contract/"));
    let mut found = BTreeSet::new();
    for text in contract {
        for line in text.text.lines() {
            let word = line.split(' ').next().unwrap_or_default();
            let (letters, digits) = word.split_once('-').unwrap_or_default();
            let is_id = letters.len() == 2 && letters.chars().all(|c| c.is_ascii_uppercase());
            if is_id && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

/// The clause ids that a line cites: `PM-12`, or `pm_12_…` as a function's name.
pub fn clause_ids(line: &str, prefixes: &BTreeSet<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for prefix in prefixes {
        let written = format!("{prefix}-");
        let named = format!("fn {}_", prefix.to_lowercase());
        for (needle, in_a_name) in [(&written, false), (&named, true)] {
            for (at, _) in line.match_indices(needle.as_str()) {
                let before = line[..at].chars().next_back();
                let rest = &line[at + needle.len()..];
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                let after = rest[digits.len()..].chars().next();
                let starts = !before.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
                let ends = if in_a_name { after == Some('_') } else { !after.is_some_and(char::is_alphanumeric) };
                if starts && ends && !digits.is_empty() {
                    found.push(format!("{prefix}-{digits}"));
                }
            }
        }
    }
    found
}

/// Does the needle stand in the line as a word of its own, not as the middle of a longer path?
pub fn stands_alone(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !needle.starts_with('/') || !before.is_some_and(|c| c.is_alphanumeric() || "._-~$}*/".contains(c))
    })
}

/// The name of the item that a line makes public; a field or a re-export is none.
pub fn public_item(line: &str) -> Option<&str> {
    let mut words = line.trim_start().strip_prefix("pub ")?.split_whitespace();
    let kind = words.find(|word| !["async", "unsafe"].contains(word))?;
    let kinds = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
    let name = kinds.contains(&kind).then(|| words.next())??;
    // `const fn name`
    let name = if name == "fn" { words.next()? } else { name };
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// One path as it stands in the code: `std::fs::write`, `Command::new`; a method is `.name`.
#[derive(Debug, Clone)]
pub struct PathUse {
    pub line: usize,
    pub text: String,
    /// Followed by `(…)`.
    pub called: bool,
    /// Followed by `!`.
    pub macro_call: bool,
    /// Stands after `fn`.
    pub defined: bool,
    /// Comes from a `use`, its braces resolved.
    pub imported: bool,
}

impl PathUse {
    /// Does this path hold the segments of `name`, in order and side by side?
    pub fn names(&self, name: &str) -> bool {
        let segments: Vec<_> = self.text.split("::").collect();
        let wanted: Vec<_> = name.split("::").collect();
        segments.windows(wanted.len()).any(|window| window == wanted)
    }
}

/// A Rust file, parsed. Test code knows which of its lines are tests.
pub struct Code {
    file: syn::File,
    tokens: TokenStream,
    test_lines: Vec<(usize, usize)>,
    all_test: bool,
}

impl Code {
    pub fn parse(text: &Text) -> Self {
        let tokens: TokenStream = text.text.parse().unwrap_or_else(|error| panic!("{}: {error}", text.path));
        let file = syn::parse_file(&text.text).unwrap_or_else(|error| panic!("{}: {error}", text.path));
        let mut tests = TestLines::default();
        tests.visit_file(&file);
        let name = text.path.rsplit('/').next().unwrap_or_default();
        let all_test = name == "tests.rs" || name.ends_with("_tests.rs") || text.path.contains("/tests/");
        Self { file, tokens, test_lines: tests.0, all_test }
    }

    fn is_test(&self, line: usize) -> bool {
        self.all_test || self.test_lines.iter().any(|(from, to)| (*from..=*to).contains(&line))
    }

    /// Every path of the file, tests included.
    pub fn all_paths(&self) -> Vec<PathUse> {
        let mut found = Vec::new();
        runs(&self.tokens, &mut found);
        let mut imports = Imports::default();
        imports.visit_file(&self.file);
        found.extend(imports.0);
        found
    }

    /// The paths of the product's own code.
    pub fn product_paths(&self) -> Vec<PathUse> {
        self.all_paths().into_iter().filter(|path| !self.is_test(path.line)).collect()
    }

    /// (line, name, length) of each function, its attributes not counted.
    pub fn functions(&self) -> Vec<(usize, String, usize)> {
        let mut functions = Functions::default();
        functions.visit_file(&self.file);
        functions.0
    }

    /// Lines outside tests where a value of this struct is made by its fields.
    pub fn constructions(&self, name: &str) -> Vec<usize> {
        let mut made = Constructions { name, own: false, lines: Vec::new() };
        made.visit_file(&self.file);
        made.lines.into_iter().filter(|line| !self.is_test(*line)).collect()
    }

    /// The types that implement a trait here, tests left out.
    pub fn implementors(&self, name: &str) -> Vec<String> {
        let impls = self.file.items.iter().filter_map(|item| match item {
            syn::Item::Impl(item) if !self.is_test(item.span().start().line) => Some(item),
            _ => None,
        });
        let ours = impls.filter(|item| {
            item.generics.type_params().next().is_none()
                && item
                    .trait_
                    .as_ref()
                    .is_some_and(|(_, path, _)| path.segments.last().is_some_and(|s| s.ident == name))
        });
        ours.map(|item| match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map_or_else(String::new, |s| s.ident.to_string()),
            _ => "?".to_owned(),
        })
        .collect()
    }

    /// The lines where an attribute stands.
    pub fn attributes(&self, name: &str) -> Vec<usize> {
        let mut attributes = Attributes { name, lines: Vec::new() };
        attributes.visit_file(&self.file);
        attributes.lines
    }

    /// What `include_str!("…")` names.
    pub fn included_texts(&self) -> Vec<String> {
        let mut found = Vec::new();
        included(&self.tokens, &mut found);
        found
    }
}

/// Runs of `a::b::c` at every depth, macros included.
fn runs(tokens: &TokenStream, found: &mut Vec<PathUse>) {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        match &trees[at] {
            TokenTree::Group(group) => runs(&group.stream(), found),
            TokenTree::Ident(first) => {
                let mut text = first.to_string();
                let before = at.checked_sub(1).map(|before| trees[before].to_string()).unwrap_or_default();
                while let Some(next) = next_segment(&trees, at) {
                    text = format!("{text}::{}", trees[next]);
                    at = next;
                }
                let after = trees.get(at + 1);
                found.push(PathUse {
                    line: first.span().start().line,
                    text: if before == "." { format!(".{text}") } else { text },
                    called: matches!(after, Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis),
                    macro_call: matches!(after, Some(TokenTree::Punct(p)) if p.as_char() == '!' && p.spacing() == Spacing::Alone),
                    defined: before == "fn",
                    imported: false,
                });
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        at += 1;
    }
}

/// The index of the identifier after `::`, if the path goes on.
fn next_segment(trees: &[TokenTree], at: usize) -> Option<usize> {
    let colon = |index: usize| matches!(trees.get(index), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let name = matches!(trees.get(at + 3), Some(TokenTree::Ident(_)));
    (colon(at + 1) && colon(at + 2) && name).then_some(at + 3)
}

fn included(tokens: &TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else { continue };
        let is_include = at >= 2 && trees[at - 2].to_string() == "include_str" && trees[at - 1].to_string() == "!";
        match group.stream().into_iter().next() {
            Some(TokenTree::Literal(name)) if is_include => found.push(name.to_string().trim_matches('"').to_owned()),
            _ => included(&group.stream(), found),
        }
    }
}

fn only_for_tests(condition: &str) -> bool {
    condition.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test") && !condition.contains("not")
}

/// The lines of items and functions that are only for tests.
#[derive(Default)]
struct TestLines(Vec<(usize, usize)>);

impl TestLines {
    fn note(&mut self, attributes: &[syn::Attribute], span: proc_macro2::Span) {
        let for_tests = attributes.iter().any(|attribute| match &attribute.meta {
            syn::Meta::List(list) => list.path.is_ident("cfg") && only_for_tests(&list.tokens.to_string()),
            syn::Meta::Path(path) => path.segments.last().is_some_and(|segment| segment.ident == "test"),
            syn::Meta::NameValue(_) => false,
        });
        if for_tests {
            self.0.push((span.start().line, span.end().line));
        }
    }
}

impl<'ast> Visit<'ast> for TestLines {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Mod(item) => self.note(&item.attrs, item.span()),
            syn::Item::Fn(item) => self.note(&item.attrs, item.span()),
            syn::Item::Impl(item) => self.note(&item.attrs, item.span()),
            syn::Item::Use(item) => self.note(&item.attrs, item.span()),
            syn::Item::Struct(item) => self.note(&item.attrs, item.span()),
            _ => {}
        }
        visit::visit_item(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.note(&item.attrs, item.span());
        visit::visit_impl_item_fn(self, item);
    }
}

#[derive(Default)]
struct Functions(Vec<(usize, String, usize)>);

impl Functions {
    fn note(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (from, to) = (signature.fn_token.span().start().line, block.span().end().line);
        self.0.push((from, signature.ident.to_string(), to - from + 1));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.note(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.note(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.note(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

/// `use a::{b, c::d as e}` as the paths it brings in.
#[derive(Default)]
struct Imports(Vec<PathUse>);

impl Imports {
    fn tree(&mut self, prefix: &str, tree: &syn::UseTree) {
        let join = |name: &dyn std::fmt::Display| {
            if prefix.is_empty() { name.to_string() } else { format!("{prefix}::{name}") }
        };
        let text = match tree {
            syn::UseTree::Path(path) => return self.tree(&join(&path.ident), &path.tree),
            syn::UseTree::Group(group) => return group.items.iter().for_each(|item| self.tree(prefix, item)),
            syn::UseTree::Name(name) => join(&name.ident),
            syn::UseTree::Rename(rename) => join(&rename.ident),
            syn::UseTree::Glob(_) => join(&"*"),
        };
        let line = tree.span().start().line;
        self.0.push(PathUse { line, text, called: false, macro_call: false, defined: false, imported: true });
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree("", &item.tree);
    }
}

struct Constructions<'a> {
    name: &'a str,
    /// Inside `impl NAME`, where `Self { … }` makes one too.
    own: bool,
    lines: Vec<usize>,
}

impl<'ast> Visit<'ast> for Constructions<'_> {
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let before = self.own;
        self.own = matches!(&*item.self_ty, syn::Type::Path(path) if path.path.is_ident(self.name));
        visit::visit_item_impl(self, item);
        self.own = before;
    }
    fn visit_expr_struct(&mut self, made: &'ast syn::ExprStruct) {
        let last = made.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if last == self.name || (self.own && last == "Self") {
            self.lines.push(made.span().start().line);
        }
        visit::visit_expr_struct(self, made);
    }
}

struct Attributes<'a> {
    name: &'a str,
    lines: Vec<usize>,
}

impl<'ast> Visit<'ast> for Attributes<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident(self.name) {
            self.lines.push(attribute.span().start().line);
        }
    }
}
