//! Words, redirections, assignments, arithmetic and conditions: every place where a substitution can hide.

use super::super::PathWord;
use super::super::cover::{has_metacharacter, has_opener};
use super::super::judge::Assign;
use super::super::word::{self, Word};
use super::sinks::{is_harmless_sink, is_stream};
use super::{Item, Redirected, Script, Walk, steers};
use shuck_ast as ast;

impl Walk<'_> {
    /// The word, with what is inside it walked.
    pub(super) fn word(&mut self, word: &ast::Word) -> Word {
        self.look_into(word);
        let raw = self.slice(word.span);
        let word = match word.parts.as_slice() {
            [part] if matches!(part.kind, ast::WordPart::ProcessSubstitution { .. }) => {
                Word { path: PathWord::Pipe, may_be_flag: false, one: true, ..Word::open(&raw) }
            }
            _ => word::read(&raw),
        };
        self.state.streams |= is_stream(&word.path);
        word
    }

    /// Walks the substitutions of a word and checks that no other is left in its source.
    pub(super) fn look_into(&mut self, word: &ast::Word) {
        self.look(word, false);
    }

    fn look(&mut self, word: &ast::Word, regex: bool) {
        self.mark(word.span);
        let raw = self.slice(word.span);
        let redirects = self.source.get(word.span.end.offset()..).is_some_and(|rest| rest.starts_with(['<', '>']));
        if redirects && raw.starts_with('{') && raw.ends_with('}') {
            // `{a[x]}<file`: to bash a variable that the redirection sets, and it evaluates the subscript.
            self.problem("a redirection sets a variable that is computed");
        }
        let mut left: Vec<u8> = raw.into_bytes();
        let start = word.span.start.offset();
        let mut found = Vec::new();
        for part in &word.parts {
            match part.kind {
                ast::WordPart::SingleQuoted { .. } => found.push(part.span),
                // `<(` means nothing in double quotes.
                ast::WordPart::DoubleQuoted { .. } => blank_angles(&mut left, start, part.span),
                ast::WordPart::Literal(_) => {
                    let text = self.source.get(part.span.start.offset()..part.span.end.offset()).unwrap_or("");
                    if has_metacharacter(text, regex) {
                        self.problem("a word goes on where bash would end it");
                    }
                }
                _ => {}
            }
        }
        self.parts(&word.parts, &mut found);
        for span in found {
            let (from, to) = (span.start.offset().saturating_sub(start), span.end.offset().saturating_sub(start));
            if let Some(hidden) = left.get_mut(from..to) {
                hidden.fill(b' ');
            }
        }
        if has_unexplained_opener(&String::from_utf8_lossy(&left)) {
            self.problem("an expansion was not understood");
        }
    }

    /// Walks the parts of a word; `found` collects the spans of all substitutions that were walked.
    fn parts(&mut self, parts: &[ast::WordPartNode], found: &mut Vec<ast::Span>) {
        for node in parts {
            self.part(&node.kind, node.span, found);
        }
    }

    fn part(&mut self, part: &ast::WordPart, span: ast::Span, found: &mut Vec<ast::Span>) {
        use ast::WordPart as W;
        match part {
            W::Literal(_) | W::SingleQuoted { .. } | W::Variable(_) | W::PrefixMatch { .. } => {}
            W::DoubleQuoted { parts, .. } => self.parts(parts, found),
            W::CommandSubstitution { body, syntax } => {
                found.push(span);
                self.substitution(body, *syntax, span);
            }
            // In a quoted default it would be plain text, and the quotes in it none.
            W::ProcessSubstitution { .. } if self.in_operand => self.problem("a process inside an expansion"),
            W::ProcessSubstitution { body, .. } => {
                found.push(span);
                self.cover.open_up(span.start.offset(), span.end.offset());
                self.apart(|walk| {
                    walk.seq(body);
                });
            }
            W::ArithmeticExpansion { expression_ast, expression_word_ast, .. } => {
                self.parts(&expression_word_ast.parts, found);
                self.arithmetic(expression_ast.as_deref(), Some(span));
            }
            W::Parameter(parameter) => {
                let outer = std::mem::replace(&mut self.in_operand, true);
                self.parameter(parameter, found);
                self.in_operand = outer;
            }
            W::Length(r) | W::ArrayAccess(r) | W::ArrayLength(r) | W::ArrayIndices(r) => self.reference(r, found),
            W::ParameterExpansion { .. }
            | W::Substring { .. }
            | W::ArraySlice { .. }
            | W::IndirectExpansion { .. }
            | W::Transformation { .. }
            | W::ZshQualifiedGlob(_) => self.problem("an expansion of a kind that is not followed"),
        }
    }

    fn substitution(&mut self, body: &ast::StmtSeq, syntax: ast::CommandSubstitutionSyntax, span: ast::Span) {
        self.check_brackets(syntax, span);
        match syntax {
            ast::CommandSubstitutionSyntax::DollarParen => {
                self.cover.open_up(span.start.offset(), span.end.offset());
                self.apart(|walk| {
                    walk.seq(body);
                });
            }
            // Backslashes inside backticks are taken off before bash reads the command: so it is read again here.
            ast::CommandSubstitutionSyntax::Backtick => {
                let raw = self.slice(span);
                let body = raw.strip_prefix('`').and_then(|r| r.strip_suffix('`')).unwrap_or_default();
                if body.contains("\\\"") {
                    // Means one thing in double quotes and another outside.
                    self.problem("an escaped quote inside backticks");
                }
                let text = unescape_backticks(body);
                self.items.push(Item::Script(Box::new(Script {
                    text,
                    level: self.level + 1,
                    folders: self.folders.clone(),
                    inside: self.inside.clone(),
                })));
            }
        }
    }

    /// It must really begin and end where the parser says: not with an escaped bracket.
    fn check_brackets(&mut self, syntax: ast::CommandSubstitutionSyntax, span: ast::Span) {
        let raw = self.slice(span);
        let before = self.source.get(..span.start.offset()).unwrap_or_default();
        let escaped = before.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        let fits = match syntax {
            ast::CommandSubstitutionSyntax::DollarParen => raw.starts_with("$(") && raw.ends_with(')'),
            ast::CommandSubstitutionSyntax::Backtick => raw.len() > 1 && raw.starts_with('`') && raw.ends_with('`'),
        };
        if escaped || !fits {
            self.problem("a substitution has odd ends");
        }
    }

    fn parameter(&mut self, parameter: &ast::ParameterExpansion, found: &mut Vec<ast::Span>) {
        use ast::BourneParameterExpansion as B;
        // The outer `${` is explained; what is inside is checked on its own.
        found.push(ast::Span::from_positions(parameter.span.start, parameter.raw_body.span().start));
        let Some(bourne) = parameter.bourne() else {
            self.problem("an expansion of another shell");
            return;
        };
        match bourne {
            B::Access { reference } | B::Length { reference } | B::Indices { reference } => {
                self.reference(reference, found)
            }
            B::PrefixMatch { .. } => {}
            B::Indirect { .. } => self.problem("an indirect expansion"),
            B::Slice { reference, offset_ast, offset_word_ast, length_ast, length, length_word_ast, .. } => {
                self.reference(reference, found);
                self.parts(&offset_word_ast.parts, found);
                self.arithmetic(offset_ast.as_deref(), Some(offset_word_ast.span));
                if let Some(word) = length_word_ast {
                    self.parts(&word.parts, found);
                }
                if length.is_some() {
                    self.arithmetic(length_ast.as_deref(), Some(parameter.span));
                }
            }
            B::Operation { reference, operator, operand_word_ast, .. } => {
                self.reference(reference, found);
                if let Some(word) = operand_word_ast {
                    self.parts(&word.parts, found);
                }
                self.operator(reference, operator, found);
            }
            B::Transformation { reference, operator } => {
                self.reference(reference, found);
                if *operator == 'P' {
                    self.problem("`@P` runs what the variable holds");
                }
            }
        }
    }

    fn operator(&mut self, reference: &ast::VarRef, operator: &ast::ParameterOp, found: &mut Vec<ast::Span>) {
        use ast::ParameterOp as O;
        match operator {
            O::AssignDefault => {
                if steers(&reference.name) {
                    self.problem("an expansion sets a variable that steers programs");
                }
                self.state.filled.insert(reference.name.to_string());
            }
            O::RemovePrefixShort { pattern }
            | O::RemovePrefixLong { pattern }
            | O::RemoveSuffixShort { pattern }
            | O::RemoveSuffixLong { pattern } => self.pattern_parts(pattern, found),
            O::ReplaceFirst { pattern, replacement_word_ast, .. }
            | O::ReplaceAll { pattern, replacement_word_ast, .. } => {
                self.pattern_parts(pattern, found);
                self.parts(&replacement_word_ast.parts, found);
            }
            O::UseDefault
            | O::UseReplacement
            | O::Error
            | O::UpperFirst
            | O::UpperAll
            | O::LowerFirst
            | O::LowerAll => {}
        }
    }

    pub(super) fn reference(&mut self, reference: &ast::VarRef, found: &mut Vec<ast::Span>) {
        let Some(subscript) = &reference.subscript else { return };
        if subscript.is_array_selector() {
            return;
        }
        if let Some(word) = &subscript.word_ast {
            self.parts(&word.parts, found);
        }
        self.arithmetic(subscript.arithmetic_ast.as_ref(), Some(subscript.span()));
    }

    /// A pattern that stands alone, as in `case`.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern) {
        let mut found = Vec::new();
        self.pattern_parts(pattern, &mut found);
        let raw = self.slice(pattern.span);
        if found.is_empty() && has_opener(&raw.replace('\'', "")) {
            self.problem("a pattern was not understood");
        }
    }

    fn pattern_parts(&mut self, pattern: &ast::Pattern, found: &mut Vec<ast::Span>) {
        for node in &pattern.parts {
            match &node.kind {
                ast::PatternPart::Word(word) => self.parts(&word.parts, found),
                ast::PatternPart::Group { patterns, .. } => {
                    patterns.iter().for_each(|pattern| self.pattern_parts(pattern, found));
                }
                ast::PatternPart::Literal(_)
                | ast::PatternPart::AnyString
                | ast::PatternPart::AnyChar
                | ast::PatternPart::CharClass(_) => {}
            }
        }
    }

    pub(super) fn assignment(&mut self, assignment: &ast::Assignment) -> Assign {
        self.mark_assignment(assignment);
        let name = assignment.target.name.to_string();
        let mut found = Vec::new();
        self.reference(&assignment.target, &mut found);
        let raw = self.slice(assignment.span);
        let text = match &assignment.value {
            ast::AssignmentValue::Scalar(value) if value.span.start.offset() < value.span.end.offset() => {
                let value = self.word(value);
                self.note_value(&name, value.literal.as_deref());
                let operator = if assignment.append { "+=" } else { "=" };
                if assignment.target.subscript.is_some() { raw } else { format!("{name}{operator}{}", value.text) }
            }
            ast::AssignmentValue::Scalar(_) => raw,
            ast::AssignmentValue::Compound(array) => {
                self.note_value(&name, None);
                array.elements.iter().for_each(|element| self.element(element));
                raw
            }
        };
        Assign { name, text }
    }

    /// All of it, but of an array only name and parentheses: its elements are looked at one by one.
    fn mark_assignment(&mut self, assignment: &ast::Assignment) {
        let (start, end) = (assignment.span.start.offset(), assignment.span.end.offset());
        match &assignment.value {
            ast::AssignmentValue::Scalar(_) => self.cover.mark(start, end),
            ast::AssignmentValue::Compound(array) => {
                self.cover.mark(start, array.span.start.offset() + 1);
                self.cover.mark(end.saturating_sub(1), end);
            }
        }
    }

    fn element(&mut self, element: &ast::ArrayElem) {
        match element {
            ast::ArrayElem::Sequential(value) => self.look_into(&value.word),
            ast::ArrayElem::Keyed { value, .. } | ast::ArrayElem::KeyedAppend { value, .. } => {
                self.problem("an array with computed places");
                self.look_into(&value.word);
            }
        }
    }

    fn note_value(&mut self, name: &str, value: Option<&str>) {
        let number = value.is_some_and(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()));
        let set = if number { &mut self.state.numbers } else { &mut self.state.filled };
        set.insert(name.to_string());
    }

    pub(super) fn redirects(&mut self, redirects: &[ast::Redirect]) -> Redirected {
        let mut redirected = Redirected::default();
        for redirect in redirects {
            self.mark(redirect.span);
            if let Some(span) = redirect.fd_var_span {
                self.cover.mark(span.start.offset().saturating_sub(1), span.end.offset() + 1);
                self.descriptor_variable(span);
            }
            self.state.note_descriptor(redirect, self.source);
            match &redirect.target {
                ast::RedirectTarget::Heredoc(heredoc) => self.heredoc(heredoc),
                ast::RedirectTarget::Word(word) => self.redirect(redirect.kind, word, &mut redirected),
            }
        }
        redirected
    }

    /// `{name}<file` puts a number into the variable.
    fn descriptor_variable(&mut self, span: ast::Span) {
        let name = self.slice(span);
        let name = name.trim_start_matches('{').trim_end_matches('}');
        if !word::is_name(name) || steers(name) {
            self.problem("a redirection sets a variable that is computed, or steers programs");
        }
        self.state.filled.insert(name.to_string());
    }

    fn redirect(&mut self, kind: ast::RedirectKind, target: &ast::Word, out: &mut Redirected) {
        use ast::RedirectKind as K;
        if matches!(kind, K::DupOutput | K::DupInput) && is_descriptor(target, self.source) {
            return;
        }
        let word = self.word(target);
        let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "._-+/~".contains(c));
        if matches!(kind, K::DupOutput | K::DupInput) && !word.literal.as_deref().is_some_and(plain) {
            // bash expands the target of `>&` twice: `>& 'x$(y)'` runs y.
            self.problem("the target of `>&` is expanded twice");
        }
        let paths = self.folders.all(std::slice::from_ref(&word.path));
        let opens_network =
            word.literal.as_deref().is_some_and(|p| p.starts_with("/dev/tcp") || p.starts_with("/dev/udp"));
        match kind {
            K::HereString => {}
            K::Output | K::Clobber | K::Append | K::ReadWrite | K::DupOutput | K::OutputBoth => {
                out.writes.extend(paths.into_iter().filter(|path| !is_harmless_sink(path)));
            }
            K::Input | K::DupInput if opens_network => out.writes.extend(paths),
            K::Input | K::DupInput => {
                out.reads.extend(paths.into_iter().filter(|p| *p != PathWord::Exact("/dev/null".into())))
            }
            K::HereDoc | K::HereDocStrip => self.problem("a here-document without a body"),
        }
    }

    /// Whether its body expands is told by the delimiter's quotes, which are looked at here again.
    fn heredoc(&mut self, heredoc: &ast::Heredoc) {
        self.mark(heredoc.delimiter.span);
        self.mark(heredoc.body.span);
        let delimiter = self.slice(heredoc.delimiter.span);
        // bash joins a continued line before it looks for the body: what stands there may be a command.
        let line = self.source.get(heredoc.delimiter.span.end.offset()..heredoc.body.span.start.offset());
        if line.is_none_or(|line| line.contains("\\\n")) {
            self.problem("a here-document begins on a continued line");
        }
        self.cover_end_of(heredoc);
        if delimiter.contains(['\'', '"', '\\']) {
            return;
        }
        let start = heredoc.body.span.start.offset();
        let end = heredoc.body.span.end.offset();
        let raw = self.source.get(start..end).unwrap_or_default().to_string();
        let mut found = Vec::new();
        for node in &heredoc.body.parts {
            match &node.kind {
                ast::HeredocBodyPart::Literal(_) | ast::HeredocBodyPart::Variable(_) => {}
                ast::HeredocBodyPart::CommandSubstitution { body, syntax } => {
                    found.push(node.span);
                    self.substitution(body, *syntax, node.span);
                }
                ast::HeredocBodyPart::ArithmeticExpansion { expression_ast, expression_word_ast, .. } => {
                    self.parts(&expression_word_ast.parts, &mut found);
                    self.arithmetic(expression_ast.as_deref(), Some(node.span));
                }
                ast::HeredocBodyPart::Parameter(parameter) => self.parameter(parameter, &mut found),
            }
        }
        let mut left = raw.into_bytes();
        blank_angles(&mut left, start, heredoc.body.span);
        for span in found {
            let (from, to) = (span.start.offset().saturating_sub(start), span.end.offset().saturating_sub(start));
            if let Some(hidden) = left.get_mut(from..to) {
                hidden.fill(b' ');
            }
        }
        if has_unexplained_opener(&String::from_utf8_lossy(&left)) {
            self.problem("a here-document was not understood");
        }
    }

    /// The line with the closing delimiter.
    fn cover_end_of(&mut self, heredoc: &ast::Heredoc) {
        let end = heredoc.body.span.end.offset();
        let rest = self.source.get(end..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        if line.trim_start_matches('\t') == heredoc.delimiter.cooked.as_str() {
            self.cover.mark(end, end + line.len());
        }
    }

    /// Arithmetic evaluates the content of variables. `span` is its source, for when the tree is missing.
    pub(super) fn arithmetic(&mut self, node: Option<&ast::ArithmeticExprNode>, span: Option<ast::Span>) {
        match (node, span) {
            (Some(node), _) => self.arithmetic_node(node),
            (None, Some(_)) => self.problem("arithmetic was not understood"),
            (None, None) => {}
        }
    }

    fn arithmetic_node(&mut self, node: &ast::ArithmeticExprNode) {
        use ast::ArithmeticExpr as A;
        match &node.kind {
            A::Number(_) => {}
            A::Variable(name) => {
                self.state.evaluated.insert(name.to_string());
            }
            A::Indexed { name, index } => {
                self.state.evaluated.insert(name.to_string());
                self.arithmetic_node(index);
            }
            A::ShellWord(word) => self.arithmetic_word(word),
            A::Parenthesized { expression } => self.arithmetic_node(expression),
            A::Unary { expr, .. } | A::Postfix { expr, .. } => self.arithmetic_node(expr),
            A::Binary { left, right, .. } => {
                self.arithmetic_node(left);
                self.arithmetic_node(right);
            }
            A::Conditional { condition, then_expr, else_expr } => {
                [condition, then_expr, else_expr].into_iter().for_each(|node| self.arithmetic_node(node));
            }
            A::Assignment { target, op, value } => {
                self.arithmetic_target(target, *op);
                self.arithmetic_node(value);
            }
        }
    }

    /// `x = …` makes x a number; `x += …` evaluates its content first.
    fn arithmetic_target(&mut self, target: &ast::ArithmeticLvalue, op: ast::ArithmeticAssignOp) {
        let name = match target {
            ast::ArithmeticLvalue::Variable(name) => name,
            ast::ArithmeticLvalue::Indexed { name, index } => {
                self.arithmetic_node(index);
                name
            }
        };
        if steers(name) {
            self.problem("arithmetic sets a variable that steers programs");
        }
        let plain = matches!(op, ast::ArithmeticAssignOp::Assign);
        let set = if plain { &mut self.state.numbers } else { &mut self.state.evaluated };
        set.insert(name.to_string());
    }

    /// `$x`, `$#`, `"3"`, or a substitution, whose output would be evaluated once more.
    fn arithmetic_word(&mut self, word: &ast::Word) {
        if word.parts.len() > 1 {
            // `a$x` is the name of yet another variable.
            self.look_into(word);
            self.problem("arithmetic on a name that is put together");
        }
        for node in &word.parts {
            match &node.kind {
                ast::WordPart::Variable(name) => {
                    self.state.evaluated.insert(name.to_string());
                }
                ast::WordPart::Literal(_) => {
                    let text = self.slice(node.span);
                    if !text.bytes().all(|b| b.is_ascii_digit()) {
                        self.state.evaluated.insert(text);
                    }
                }
                ast::WordPart::Parameter(p) => match p.bourne() {
                    Some(ast::BourneParameterExpansion::Length { .. }) => {}
                    Some(ast::BourneParameterExpansion::Access { reference }) if reference.subscript.is_none() => {
                        self.state.evaluated.insert(reference.name.to_string());
                    }
                    Some(_) | None => self.problem("arithmetic on an expansion"),
                },
                _ => {
                    // Walked for its commands by the caller where it has spans; its output stays unknown.
                    self.look_into(word);
                    self.problem("arithmetic on the output of a command");
                }
            }
        }
    }

    pub(super) fn condition(&mut self, test: &ast::ConditionalExpr) {
        use ast::ConditionalExpr as E;
        self.mark(test.span());
        match test {
            E::Word(word) => self.look_into(word),
            E::Regex(word) => self.look(word, true),
            E::Pattern(pattern) => self.pattern(pattern),
            E::VarRef(reference) => {
                let mut found = Vec::new();
                self.reference(reference, &mut found);
            }
            E::Parenthesized(inner) => self.condition(&inner.expr),
            E::Unary(unary) => {
                if matches!(unary.op, ast::ConditionalUnaryOp::VariableSet | ast::ConditionalUnaryOp::ReferenceVariable)
                {
                    let raw = self.slice(unary.expr.span());
                    if !word::is_name(&raw) {
                        self.problem("`-v` on a computed name");
                    }
                }
                self.condition(&unary.expr);
            }
            E::Binary(binary) => {
                self.mark(binary.op_span);
                self.condition(&binary.left);
                self.condition(&binary.right);
                if is_arithmetic(binary.op) {
                    self.compared(&binary.left);
                    self.compared(&binary.right);
                }
            }
        }
    }

    /// An operand of `-eq` and its like is evaluated as arithmetic.
    fn compared(&mut self, side: &ast::ConditionalExpr) {
        let raw = self.slice(side.span());
        let inner = raw.trim_matches('"');
        let name = inner.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
        let number = inner.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        match name {
            "#" | "?" => {}
            name if word::is_name(name) => {
                self.state.evaluated.insert(name.to_string());
            }
            _ if number => {}
            _ => self.problem("a comparison evaluates something computed"),
        }
    }
}

fn is_arithmetic(op: ast::ConditionalBinaryOp) -> bool {
    matches!(op.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
}

/// `2>&1`, `>&-`, `3>&1-`.
fn is_descriptor(target: &ast::Word, source: &str) -> bool {
    target.try_static_text(source).is_some_and(|text| {
        let digits = text.strip_suffix('-').unwrap_or(&text);
        !text.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Substitutions and expansions left in a word's source after all that was walked has been blanked. `$((`, `$[` and
/// `${` stand for what was walked in place; a backtick or a command substitution never does.
fn has_unexplained_opener(left: &str) -> bool {
    let blanked = left.replace("$((", "   ").replace("$[", "  ").replace("\\\\", "  ");
    has_opener(&blanked)
}

fn blank_angles(text: &mut [u8], start: usize, span: ast::Span) {
    let (from, to) = (span.start.offset().saturating_sub(start), span.end.offset().saturating_sub(start));
    for byte in text.get_mut(from..to).into_iter().flatten() {
        if matches!(byte, b'<' | b'>') {
            *byte = b' ';
        }
    }
}

fn unescape_backticks(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek().is_some_and(|next| "`\\$".contains(*next)) => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}
