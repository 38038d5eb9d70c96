//! The repository as the rules see it: texts, and Rust code as tokens and items.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
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

/// True if a file or folder of this path exists in the repository.
pub fn exists(path: &str) -> bool {
    root().join(path).exists()
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

/// The dependencies of a manifest with their lines, in every section.
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

/// The clause ids cited in a line: `PM-12`, or `pm_12_…` in a function name.
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

/// True if the line contains the needle as a path of its own, not as the middle of a longer one.
pub fn stands_alone(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !needle.starts_with('/') || !before.is_some_and(|c| c.is_alphanumeric() || "._-~$}*/".contains(c))
    })
}

/// The name of the item that a line makes public; fields and re-exports have none.
pub fn public_item(line: &str) -> Option<&str> {
    let mut words = line.trim_start().strip_prefix("pub ")?.split_whitespace();
    let kind = words.find(|word| !["async", "unsafe"].contains(word))?;
    let kinds = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
    let name = kinds.contains(&kind).then(|| words.next())??;
    // `const fn name`
    let name = if name == "fn" { words.next()? } else { name };
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// One path in the code: `std::fs::write`, `Command::new`; a method is `.name`.
#[derive(Debug, Clone)]
pub struct PathUse {
    pub line: usize,
    pub text: String,
    /// Followed by `(…)`.
    pub called: bool,
    /// Followed by `!`.
    pub macro_call: bool,
    /// Comes after `fn`.
    pub defined: bool,
    /// Comes from a `use`, its braces resolved.
    pub imported: bool,
}

impl PathUse {
    /// True if this path contains the segments of `name`, consecutively.
    pub fn names(&self, name: &str) -> bool {
        let segments: Vec<_> = self.text.split("::").collect();
        let wanted: Vec<_> = name.split("::").collect();
        segments.windows(wanted.len()).any(|window| window == wanted)
    }
}

/// What the rules need to know of a Rust file. It is plain data, so that each file is parsed once for all rules.
pub struct Code {
    paths: Vec<PathUse>,
    functions: Vec<(usize, String, usize)>,
    constructions: Vec<Construction>,
    implementations: Vec<(usize, String, String)>,
    attributes: Vec<(usize, String)>,
    included: Vec<String>,
    method_calls: Vec<(usize, String, String)>,
    macros: Vec<(usize, String, String)>,
    literals: Vec<(usize, String)>,
    types: Vec<TypeItem>,
    tests: Vec<(usize, String)>,
    identifiers: BTreeSet<String>,
    product_identifiers: BTreeSet<String>,
    test_lines: Vec<(usize, usize)>,
    all_test: bool,
}

/// The parsed form of a file of the repository.
pub fn parsed(file: &Text) -> &'static Code {
    static CODES: OnceLock<BTreeMap<String, Code>> = OnceLock::new();
    let codes = CODES.get_or_init(|| {
        let files = rust_files();
        let parse = |files: &[Text]| -> Vec<(String, Code)> {
            files.iter().map(|file| (file.path.clone(), Code::parse(file))).collect()
        };
        std::thread::scope(|scope| {
            let parts: Vec<_> =
                files.chunks(files.len() / 2 + 1).map(|part| scope.spawn(move || parse(part))).collect();
            parts.into_iter().flat_map(|part| part.join().expect("a parsed file")).collect()
        })
    });
    codes.get(&file.path).expect("a file of the repository")
}

impl Code {
    pub fn parse(text: &Text) -> Self {
        let tokens: TokenStream = text.text.parse().unwrap_or_else(|error| panic!("{}: {error}", text.path));
        let file = syn::parse_file(&text.text).unwrap_or_else(|error| panic!("{}: {error}", text.path));
        let mut items = Items::default();
        items.visit_file(&file);
        let mut paths = Vec::new();
        runs(&tokens, &mut paths);
        paths.extend(items.imports.0);
        let name = text.path.rsplit('/').next().unwrap_or_default();
        let mut code = Self {
            paths,
            functions: items.functions,
            constructions: items.constructions,
            implementations: items.implementations,
            attributes: items.attributes,
            included: Vec::new(),
            method_calls: Vec::new(),
            macros: Vec::new(),
            literals: Vec::new(),
            types: items.types,
            tests: items.tests,
            identifiers: BTreeSet::new(),
            product_identifiers: BTreeSet::new(),
            test_lines: items.test_lines,
            all_test: name == "tests.rs" || name.ends_with("_tests.rs") || text.path.contains("/tests/"),
        };
        code.read_tokens(&tokens);
        code
    }

    fn is_test(&self, line: usize) -> bool {
        self.all_test || self.test_lines.iter().any(|(from, to)| (*from..=*to).contains(&line))
    }

    /// Every path of the file, tests included.
    pub fn all_paths(&self) -> &[PathUse] {
        &self.paths
    }

    /// The paths of the product's own code.
    pub fn product_paths(&self) -> Vec<&PathUse> {
        self.paths.iter().filter(|path| !self.is_test(path.line)).collect()
    }

    /// (line, name, length) of each function, without attributes.
    pub fn functions(&self) -> &[(usize, String, usize)] {
        &self.functions
    }

    /// Lines outside tests where this struct is constructed by its fields.
    pub fn constructions(&self, name: &str) -> Vec<usize> {
        let made = self
            .constructions
            .iter()
            .filter(|made| made.name == name || (made.name == "Self" && made.implementing.as_deref() == Some(name)));
        made.map(|made| made.line).filter(|line| !self.is_test(*line)).collect()
    }

    /// Types that implement a trait here, without tests and generic implementations.
    pub fn implementors(&self, name: &str) -> Vec<String> {
        let ours = self.implementations.iter().filter(|(line, of, _)| of == name && !self.is_test(*line));
        ours.map(|(.., implementor)| implementor.clone()).collect()
    }

    /// The lines of an attribute.
    pub fn attributes(&self, name: &str) -> Vec<usize> {
        self.attributes.iter().filter(|(_, known)| known == name).map(|(line, _)| *line).collect()
    }

    /// The files that `include_str!("…")` names.
    pub fn included_texts(&self) -> &[String] {
        &self.included
    }

    /// Product lines where `method` is called on something named `receiver`, such as `self.turn.step(…)`. Macros are
    /// included.
    pub fn method_calls(&self, receiver: &str, method: &str) -> Vec<usize> {
        let calls = self
            .method_calls
            .iter()
            .filter(|(line, of, name)| of == receiver && name == method && !self.is_test(*line));
        calls.map(|(line, ..)| *line).collect()
    }

    /// (line, method) of each product call of a method on something with this name. Macros are included.
    pub fn calls_on(&self, receiver: &str) -> Vec<(usize, &str)> {
        let calls = self.method_calls.iter().filter(|(line, of, _)| of == receiver && !self.is_test(*line));
        calls.map(|(line, _, method)| (*line, method.as_str())).collect()
    }

    /// (line, receiver) of each product call of `method`; the receiver is empty if it has no name. Macros are included.
    pub fn receivers_of(&self, method: &str) -> Vec<(usize, &str)> {
        let calls = self.method_calls.iter().filter(|(line, _, name)| name == method && !self.is_test(*line));
        calls.map(|(line, receiver, _)| (*line, receiver.as_str())).collect()
    }

    /// Product lines that use the function at this path: calls, and other uses such as a function pointer. An import
    /// counts only if it brings the name itself into scope, because an alias would hide its calls.
    pub fn uses_of(&self, path: &str) -> Vec<usize> {
        let ends = |text: &str| text == path || text.ends_with(&format!("::{path}"));
        let all = path.rsplit_once("::").map(|(module, _)| format!("{module}::*"));
        let everything =
            |text: &str| all.as_ref().is_some_and(|all| text == all || text.ends_with(&format!("::{all}")));
        let uses = self.paths.iter().filter(|used| !self.is_test(used.line) && !used.defined);
        uses.filter(|used| ends(&used.text) || used.imported && everything(&used.text)).map(|used| used.line).collect()
    }

    /// (line, body) of each call of a macro in product code, by the macro's last name.
    pub fn macro_bodies(&self, name: &str) -> Vec<(usize, &str)> {
        let macros = self.macros.iter().filter(|(line, known, _)| known == name && !self.is_test(*line));
        macros.map(|(line, _, body)| (*line, body.as_str())).collect()
    }

    /// The types that product code defines.
    pub fn types(&self) -> Vec<&TypeItem> {
        self.types.iter().filter(|item| !self.is_test(item.line)).collect()
    }

    /// (line, name) of each test function.
    pub fn tests(&self) -> &[(usize, String)] {
        &self.tests
    }

    /// Every identifier of the file, macros included.
    pub fn identifiers(&self) -> &BTreeSet<String> {
        &self.identifiers
    }

    /// (line, text) of each string outside tests.
    pub fn product_strings(&self) -> impl Iterator<Item = &(usize, String)> {
        self.literals.iter().filter(|(line, _)| !self.is_test(*line))
    }

    /// Every identifier outside tests.
    pub fn product_identifiers(&self) -> &BTreeSet<String> {
        &self.product_identifiers
    }

    fn read_tokens(&mut self, tokens: &TokenStream) {
        let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let ident = |at: usize| match trees.get(at) {
            Some(TokenTree::Ident(ident)) => Some(ident),
            _ => None,
        };
        let punct = |at: usize, c: char| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
        let called =
            |at: usize| matches!(trees.get(at), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => {
                    if let Some(method) = ident(at + 2).filter(|_| called(at + 3) && punct(at + 1, '.')) {
                        let line = group.span_close().start().line;
                        self.method_calls.push((line, String::new(), method.to_string()));
                    }
                    if let Some(name) = at.checked_sub(2).and_then(ident).filter(|_| punct(at - 1, '!')) {
                        self.read_macro(name, &group.stream());
                    }
                    self.read_tokens(&group.stream());
                }
                TokenTree::Ident(receiver) => {
                    self.identifiers.insert(receiver.to_string());
                    if !self.is_test(receiver.span().start().line) {
                        self.product_identifiers.insert(receiver.to_string());
                    }
                    if let Some(method) = ident(at + 2).filter(|_| called(at + 3) && punct(at + 1, '.')) {
                        let line = receiver.span().start().line;
                        self.method_calls.push((line, receiver.to_string(), method.to_string()));
                    }
                }
                TokenTree::Literal(literal) => {
                    let line = literal.span().start().line;
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        self.literals.push((line, text.value()));
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn read_macro(&mut self, name: &proc_macro2::Ident, body: &TokenStream) {
        if name == "include_str"
            && let Some(TokenTree::Literal(file)) = body.clone().into_iter().next()
        {
            self.included.push(file.to_string().trim_matches('"').to_owned());
        }
        if name == "select" || name == "select_biased" {
            self.macros.push((name.span().start().line, name.to_string(), body.to_string()));
        }
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

/// The index of the identifier after `::`, if the path continues.
fn next_segment(trees: &[TokenTree], at: usize) -> Option<usize> {
    let colon = |index: usize| matches!(trees.get(index), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let name = matches!(trees.get(at + 3), Some(TokenTree::Ident(_)));
    (colon(at + 1) && colon(at + 2) && name).then_some(at + 3)
}

fn only_for_tests(condition: &str) -> bool {
    condition.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test") && !condition.contains("not")
}

/// A struct, enum, union, trait or type alias.
#[derive(Debug, Clone)]
pub struct TypeItem {
    pub line: usize,
    pub name: String,
    /// Number of named fields of a struct; 0 for other types.
    pub fields: usize,
}

/// A struct that is built by its fields.
struct Construction {
    line: usize,
    name: String,
    /// The type of the `impl` block around it, where `Self { … }` constructs one too.
    implementing: Option<String>,
}

/// The items of a file, found in one walk.
#[derive(Default)]
struct Items {
    imports: Imports,
    functions: Vec<(usize, String, usize)>,
    constructions: Vec<Construction>,
    /// (line, trait, type) of implementations without type parameters.
    implementations: Vec<(usize, String, String)>,
    attributes: Vec<(usize, String)>,
    types: Vec<TypeItem>,
    tests: Vec<(usize, String)>,
    test_lines: Vec<(usize, usize)>,
    implementing: Option<String>,
}

impl Items {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (from, to) = (signature.fn_token.span().start().line, block.span().end().line);
        self.functions.push((from, signature.ident.to_string(), to - from + 1));
    }

    /// Notes the lines of an item that exists for tests only.
    fn note_test(&mut self, attributes: &[syn::Attribute], span: proc_macro2::Span) {
        let for_tests = attributes.iter().any(|attribute| match &attribute.meta {
            syn::Meta::List(list) => list.path.is_ident("cfg") && only_for_tests(&list.tokens.to_string()),
            syn::Meta::Path(path) => path.segments.last().is_some_and(|segment| segment.ident == "test"),
            syn::Meta::NameValue(_) => false,
        });
        if for_tests {
            self.test_lines.push((span.start().line, span.end().line));
        }
    }

    fn type_item(&mut self, item: &syn::Item) {
        let (ident, fields) = match item {
            syn::Item::Struct(item) => {
                let named = matches!(item.fields, syn::Fields::Named(_));
                (&item.ident, if named { item.fields.len() } else { 0 })
            }
            syn::Item::Enum(item) => (&item.ident, 0),
            syn::Item::Union(item) => (&item.ident, 0),
            syn::Item::Trait(item) => (&item.ident, 0),
            syn::Item::Type(item) => (&item.ident, 0),
            _ => return,
        };
        self.types.push(TypeItem { line: ident.span().start().line, name: ident.to_string(), fields });
    }
}

fn last_segment(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

impl<'ast> Visit<'ast> for Items {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Mod(item) => self.note_test(&item.attrs, item.span()),
            syn::Item::Fn(item) => self.note_test(&item.attrs, item.span()),
            syn::Item::Impl(item) => self.note_test(&item.attrs, item.span()),
            syn::Item::Use(item) => self.note_test(&item.attrs, item.span()),
            syn::Item::Struct(item) => self.note_test(&item.attrs, item.span()),
            syn::Item::Enum(item) => self.note_test(&item.attrs, item.span()),
            _ => {}
        }
        self.type_item(item);
        visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        if item.attrs.iter().any(|attribute| last_segment(attribute.path()) == "test") {
            self.tests.push((item.sig.ident.span().start().line, item.sig.ident.to_string()));
        }
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.note_test(&item.attrs, item.span());
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name = match &*item.self_ty {
            syn::Type::Path(path) => last_segment(&path.path),
            _ => "?".to_owned(),
        };
        if let Some((_, of, _)) = item.trait_.as_ref().filter(|_| item.generics.type_params().next().is_none()) {
            self.implementations.push((item.span().start().line, last_segment(of), name.clone()));
        }
        let before = self.implementing.replace(name);
        visit::visit_item_impl(self, item);
        self.implementing = before;
    }

    fn visit_expr_struct(&mut self, made: &'ast syn::ExprStruct) {
        let (line, name) = (made.span().start().line, last_segment(&made.path));
        self.constructions.push(Construction { line, name, implementing: self.implementing.clone() });
        visit::visit_expr_struct(self, made);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.imports.tree("", &item.tree);
        visit::visit_item_use(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let Some(ident) = attribute.path().get_ident() {
            self.attributes.push((attribute.span().start().line, ident.to_string()));
        }
    }
}

/// The paths that `use a::{b, c::d as e}` imports.
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
