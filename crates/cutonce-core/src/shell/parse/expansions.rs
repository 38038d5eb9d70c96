//! Walks words, redirections, assignments, arithmetic and conditions: every place that can contain a substitution.

use super::coverage::{has_metacharacter, has_opener};
use super::sinks::{is_harmless_sink, is_stream};
use super::word::{self, ShellWord};
use super::{NestedScript, RedirectPaths, SyntaxWalker, WalkItem, is_steering_variable};
use crate::shell::PathWord;
use crate::shell::analyze::EnvAssignment;
use shuck_ast as ast;

impl SyntaxWalker<'_> {
    /// Decodes the word and walks everything inside it.
    pub(super) fn walk_word(&mut self, word: &ast::Word) -> ShellWord {
        self.walk_substitutions(word);
        let raw = self.source_text(word.span);
        let word = match word.parts.as_slice() {
            [part] if matches!(part.kind, ast::WordPart::ProcessSubstitution { .. }) => {
                ShellWord { path: PathWord::Pipe, may_be_flag: false, is_single: true, ..ShellWord::unknown(&raw) }
            }
            _ => word::decode_word(&raw),
        };
        self.state.names_streams |= is_stream(&word.path);
        word
    }

    /// Walks the substitutions of a word and checks that its source contains no other.
    pub(super) fn walk_substitutions(&mut self, word: &ast::Word) {
        self.check_word(word, false);
    }

    fn check_word(&mut self, word: &ast::Word, regex: bool) {
        self.mark(word.span);
        let raw = self.source_text(word.span);
        let redirects = self.source.get(word.span.end.offset()..).is_some_and(|rest| rest.starts_with(['<', '>']));
        if redirects && raw.starts_with('{') && raw.ends_with('}') {
            // `{a[x]}<file`: bash sets this variable and evaluates the subscript.
            self.add_problem("a redirection sets a variable with a computed name");
        }
        let mut left: Vec<u8> = raw.into_bytes();
        let start = word.span.start.offset();
        let mut found = Vec::new();
        for part in &word.parts {
            match part.kind {
                ast::WordPart::SingleQuoted { .. } => found.push(part.span),
                // `<(` has no meaning in double quotes.
                ast::WordPart::DoubleQuoted { .. } => blank_angles(&mut left, start, part.span),
                ast::WordPart::Literal(_) => {
                    let text = self.source.get(part.span.start.offset()..part.span.end.offset()).unwrap_or("");
                    if has_metacharacter(text, regex) {
                        self.add_problem("a word continues where bash would end it");
                    }
                }
                _ => {}
            }
        }
        self.walk_word_parts(&word.parts, &mut found);
        for span in found {
            let (from, to) = (span.start.offset().saturating_sub(start), span.end.offset().saturating_sub(start));
            if let Some(hidden) = left.get_mut(from..to) {
                hidden.fill(b' ');
            }
        }
        if has_unexplained_opener(&String::from_utf8_lossy(&left)) {
            self.add_problem("unsupported expansion");
        }
    }

    /// Walks the parts of a word; `found` collects the spans of all walked substitutions.
    fn walk_word_parts(&mut self, parts: &[ast::WordPartNode], found: &mut Vec<ast::Span>) {
        for node in parts {
            self.walk_word_part(&node.kind, node.span, found);
        }
    }

    fn walk_word_part(&mut self, part: &ast::WordPart, span: ast::Span, found: &mut Vec<ast::Span>) {
        use ast::WordPart as W;
        match part {
            W::Literal(_) | W::SingleQuoted { .. } | W::Variable(_) | W::PrefixMatch { .. } => {}
            W::DoubleQuoted { parts, .. } => self.walk_word_parts(parts, found),
            W::CommandSubstitution { body, syntax } => {
                found.push(span);
                self.walk_substitution(body, *syntax, span);
            }
            // In a quoted default value this would be plain text, including its quotes.
            W::ProcessSubstitution { .. } if self.in_operand => {
                self.add_problem("a process substitution inside an expansion")
            }
            W::ProcessSubstitution { body, .. } => {
                found.push(span);
                self.cover.unmark_inside(span.start.offset(), span.end.offset());
                self.in_subprocess(|walk| {
                    walk.walk_sequence(body);
                });
            }
            W::ArithmeticExpansion { expression_ast, expression_word_ast, .. } => {
                self.walk_word_parts(&expression_word_ast.parts, found);
                self.walk_arithmetic(expression_ast.as_deref(), Some(span));
            }
            W::Parameter(parameter) => {
                let outer = std::mem::replace(&mut self.in_operand, true);
                self.walk_parameter(parameter, found);
                self.in_operand = outer;
            }
            W::Length(r) | W::ArrayAccess(r) | W::ArrayLength(r) | W::ArrayIndices(r) => self.walk_subscript(r, found),
            W::ParameterExpansion { .. }
            | W::Substring { .. }
            | W::ArraySlice { .. }
            | W::IndirectExpansion { .. }
            | W::Transformation { .. }
            | W::ZshQualifiedGlob(_) => self.add_problem("unsupported expansion"),
        }
    }

    fn walk_substitution(&mut self, body: &ast::StmtSeq, syntax: ast::CommandSubstitutionSyntax, span: ast::Span) {
        self.check_brackets(syntax, span);
        match syntax {
            ast::CommandSubstitutionSyntax::DollarParen => {
                self.cover.unmark_inside(span.start.offset(), span.end.offset());
                self.in_subprocess(|walk| {
                    walk.walk_sequence(body);
                });
            }
            // bash removes backslashes inside backticks before parsing, so parse the result again.
            ast::CommandSubstitutionSyntax::Backtick => {
                let raw = self.source_text(span);
                let body = raw.strip_prefix('`').and_then(|r| r.strip_suffix('`')).unwrap_or_default();
                if body.contains("\\\"") {
                    // The meaning differs inside and outside double quotes.
                    self.add_problem("an escaped quote inside backticks");
                }
                let text = unescape_backticks(body);
                self.items.push(WalkItem::Script(Box::new(NestedScript {
                    text,
                    level: self.level + 1,
                    folders: self.folders.clone(),
                    inside: self.inside.clone(),
                })));
            }
        }
    }

    /// Checks that the substitution starts and ends where the parser says, not at an escaped bracket.
    fn check_brackets(&mut self, syntax: ast::CommandSubstitutionSyntax, span: ast::Span) {
        let raw = self.source_text(span);
        let before = self.source.get(..span.start.offset()).unwrap_or_default();
        let escaped = before.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        let fits = match syntax {
            ast::CommandSubstitutionSyntax::DollarParen => raw.starts_with("$(") && raw.ends_with(')'),
            ast::CommandSubstitutionSyntax::Backtick => raw.len() > 1 && raw.starts_with('`') && raw.ends_with('`'),
        };
        if escaped || !fits {
            self.add_problem("a substitution with unclear delimiters");
        }
    }

    fn walk_parameter(&mut self, parameter: &ast::ParameterExpansion, found: &mut Vec<ast::Span>) {
        use ast::BourneParameterExpansion as B;
        // The outer `${` is explained; its content is checked separately.
        found.push(ast::Span::from_positions(parameter.span.start, parameter.raw_body.span().start));
        let Some(bourne) = parameter.bourne() else {
            self.add_problem("an expansion that bash does not have");
            return;
        };
        match bourne {
            B::Access { reference } | B::Length { reference } | B::Indices { reference } => {
                self.walk_subscript(reference, found)
            }
            B::PrefixMatch { .. } => {}
            B::Indirect { .. } => self.add_problem("an indirect expansion"),
            B::Slice { reference, offset_ast, offset_word_ast, length_ast, length, length_word_ast, .. } => {
                self.walk_subscript(reference, found);
                self.walk_word_parts(&offset_word_ast.parts, found);
                self.walk_arithmetic(offset_ast.as_deref(), Some(offset_word_ast.span));
                if let Some(word) = length_word_ast {
                    self.walk_word_parts(&word.parts, found);
                }
                if length.is_some() {
                    self.walk_arithmetic(length_ast.as_deref(), Some(parameter.span));
                }
            }
            B::Operation { reference, operator, operand_word_ast, .. } => {
                self.walk_subscript(reference, found);
                if let Some(word) = operand_word_ast {
                    self.walk_word_parts(&word.parts, found);
                }
                self.walk_parameter_operator(reference, operator, found);
            }
            B::Transformation { reference, operator } => {
                self.walk_subscript(reference, found);
                if *operator == 'P' {
                    self.add_problem("`@P` runs the variable's value");
                }
            }
        }
    }

    fn walk_parameter_operator(
        &mut self,
        reference: &ast::VarRef,
        operator: &ast::ParameterOp,
        found: &mut Vec<ast::Span>,
    ) {
        use ast::ParameterOp as O;
        match operator {
            O::AssignDefault => {
                if is_steering_variable(&reference.name) {
                    self.add_problem("an expansion sets a variable that controls other programs");
                }
                self.state.set_to_unknown.insert(reference.name.to_string());
            }
            O::RemovePrefixShort { pattern }
            | O::RemovePrefixLong { pattern }
            | O::RemoveSuffixShort { pattern }
            | O::RemoveSuffixLong { pattern } => self.pattern_parts(pattern, found),
            O::ReplaceFirst { pattern, replacement_word_ast, .. }
            | O::ReplaceAll { pattern, replacement_word_ast, .. } => {
                self.pattern_parts(pattern, found);
                self.walk_word_parts(&replacement_word_ast.parts, found);
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

    pub(super) fn walk_subscript(&mut self, reference: &ast::VarRef, found: &mut Vec<ast::Span>) {
        let Some(subscript) = &reference.subscript else { return };
        if subscript.is_array_selector() {
            return;
        }
        if let Some(word) = &subscript.word_ast {
            self.walk_word_parts(&word.parts, found);
        }
        self.walk_arithmetic(subscript.arithmetic_ast.as_ref(), Some(subscript.span()));
    }

    /// Walks a standalone pattern, as in `case`.
    pub(super) fn walk_pattern(&mut self, pattern: &ast::Pattern) {
        let mut found = Vec::new();
        self.pattern_parts(pattern, &mut found);
        let raw = self.source_text(pattern.span);
        if found.is_empty() && has_opener(&raw.replace('\'', "")) {
            self.add_problem("unsupported pattern");
        }
    }

    fn pattern_parts(&mut self, pattern: &ast::Pattern, found: &mut Vec<ast::Span>) {
        for node in &pattern.parts {
            match &node.kind {
                ast::PatternPart::Word(word) => self.walk_word_parts(&word.parts, found),
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

    pub(super) fn walk_assignment(&mut self, assignment: &ast::Assignment) -> EnvAssignment {
        self.mark_assignment(assignment);
        let name = assignment.target.name.to_string();
        let mut found = Vec::new();
        self.walk_subscript(&assignment.target, &mut found);
        let raw = self.source_text(assignment.span);
        let text = match &assignment.value {
            ast::AssignmentValue::Scalar(value) if value.span.start.offset() < value.span.end.offset() => {
                let value = self.walk_word(value);
                self.note_value(&name, value.literal.as_deref());
                let operator = if assignment.append { "+=" } else { "=" };
                if assignment.target.subscript.is_some() { raw } else { format!("{name}{operator}{}", value.text) }
            }
            ast::AssignmentValue::Scalar(_) => raw,
            ast::AssignmentValue::Compound(array) => {
                self.note_value(&name, None);
                array.elements.iter().for_each(|element| self.walk_array_element(element));
                raw
            }
        };
        EnvAssignment { name, text }
    }

    /// Marks the assignment; for an array only name and parentheses, because elements are walked separately.
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

    fn walk_array_element(&mut self, element: &ast::ArrayElem) {
        match element {
            ast::ArrayElem::Sequential(value) => self.walk_substitutions(&value.word),
            ast::ArrayElem::Keyed { value, .. } | ast::ArrayElem::KeyedAppend { value, .. } => {
                self.add_problem("an array with computed indices");
                self.walk_substitutions(&value.word);
            }
        }
    }

    fn note_value(&mut self, name: &str, value: Option<&str>) {
        let number = value.is_some_and(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()));
        let set = if number { &mut self.state.numbers } else { &mut self.state.set_to_unknown };
        set.insert(name.to_string());
    }

    pub(super) fn walk_redirects(&mut self, redirects: &[ast::Redirect]) -> RedirectPaths {
        let mut redirected = RedirectPaths::default();
        for redirect in redirects {
            self.mark(redirect.span);
            if let Some(span) = redirect.fd_var_span {
                self.cover.mark(span.start.offset().saturating_sub(1), span.end.offset() + 1);
                self.descriptor_variable(span);
            }
            self.state.note_descriptor(redirect, self.source);
            match &redirect.target {
                ast::RedirectTarget::Heredoc(heredoc) => self.walk_heredoc(heredoc),
                ast::RedirectTarget::Word(word) => self.add_redirect(redirect.kind, word, &mut redirected),
            }
        }
        redirected
    }

    /// Handles `{name}<file`, which sets the variable to a number.
    fn descriptor_variable(&mut self, span: ast::Span) {
        let name = self.source_text(span);
        let name = name.trim_start_matches('{').trim_end_matches('}');
        if !word::is_name(name) || is_steering_variable(name) {
            self.add_problem("a redirection sets an unsafe variable");
        }
        self.state.set_to_unknown.insert(name.to_string());
    }

    fn add_redirect(&mut self, kind: ast::RedirectKind, target: &ast::Word, out: &mut RedirectPaths) {
        use ast::RedirectKind as K;
        if matches!(kind, K::DupOutput | K::DupInput) && is_descriptor(target, self.source) {
            return;
        }
        let word = self.walk_word(target);
        let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "._-+/~".contains(c));
        if matches!(kind, K::DupOutput | K::DupInput) && !word.literal.as_deref().is_some_and(plain) {
            // bash expands the target of `>&` twice: `>& 'x$(y)'` runs y.
            self.add_problem("the target of `>&` is expanded twice");
        }
        let paths = self.folders.resolve_all(std::slice::from_ref(&word.path));
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
            K::HereDoc | K::HereDocStrip => self.add_problem("a here-document without a body"),
        }
    }

    /// Walks a here-document. The delimiter's quotes decide whether its body expands.
    fn walk_heredoc(&mut self, heredoc: &ast::Heredoc) {
        self.mark(heredoc.delimiter.span);
        self.mark(heredoc.body.span);
        let delimiter = self.source_text(heredoc.delimiter.span);
        // bash joins a continued line before it looks for the body, so that line may be a command.
        let line = self.source.get(heredoc.delimiter.span.end.offset()..heredoc.body.span.start.offset());
        if line.is_none_or(|line| line.contains("\\\n")) {
            self.add_problem("a here-document begins on a continued line");
        }
        self.mark_heredoc_end(heredoc);
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
                    self.walk_substitution(body, *syntax, node.span);
                }
                ast::HeredocBodyPart::ArithmeticExpansion { expression_ast, expression_word_ast, .. } => {
                    self.walk_word_parts(&expression_word_ast.parts, &mut found);
                    self.walk_arithmetic(expression_ast.as_deref(), Some(node.span));
                }
                ast::HeredocBodyPart::Parameter(parameter) => self.walk_parameter(parameter, &mut found),
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
            self.add_problem("unsupported here-document");
        }
    }

    /// Marks the line with the closing delimiter.
    fn mark_heredoc_end(&mut self, heredoc: &ast::Heredoc) {
        let end = heredoc.body.span.end.offset();
        let rest = self.source.get(end..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        if line.trim_start_matches('\t') == heredoc.delimiter.cooked.as_str() {
            self.cover.mark(end, end + line.len());
        }
    }

    /// Walks arithmetic, which evaluates the values of variables. `span` is its source.
    pub(super) fn walk_arithmetic(&mut self, node: Option<&ast::ArithmeticExprNode>, span: Option<ast::Span>) {
        match (node, span) {
            (Some(node), span) => {
                let text = span.and_then(|span| self.source.get(span.start.offset()..span.end.offset()));
                let text = text.unwrap_or_default().to_string();
                let outer = std::mem::replace(&mut self.state.expression, text);
                self.arithmetic_node(node);
                self.state.expression = outer;
            }
            (None, Some(_)) => self.add_problem("unsupported arithmetic"),
            (None, None) => {}
        }
    }

    fn arithmetic_node(&mut self, node: &ast::ArithmeticExprNode) {
        use ast::ArithmeticExpr as A;
        match &node.kind {
            A::Number(_) => {}
            A::Variable(name) => self.state.note_evaluated(name.to_string()),
            A::Indexed { name, index } => {
                self.state.note_evaluated(name.to_string());
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

    /// Walks an assignment target: `x = …` makes x a number; `x += …` evaluates its value first.
    fn arithmetic_target(&mut self, target: &ast::ArithmeticLvalue, op: ast::ArithmeticAssignOp) {
        let name = match target {
            ast::ArithmeticLvalue::Variable(name) => name,
            ast::ArithmeticLvalue::Indexed { name, index } => {
                self.arithmetic_node(index);
                name
            }
        };
        if is_steering_variable(name) {
            self.add_problem("arithmetic sets a variable that controls other programs");
        }
        if matches!(op, ast::ArithmeticAssignOp::Assign) {
            self.state.numbers.insert(name.to_string());
        } else {
            self.state.note_evaluated(name.to_string());
        }
    }

    /// Walks `$x`, `$#`, `"3"`, or a substitution, whose output bash would evaluate again.
    fn arithmetic_word(&mut self, word: &ast::Word) {
        if word.parts.len() > 1 {
            // `a$x` is the name of another variable.
            self.walk_substitutions(word);
            self.add_problem("arithmetic on a computed name");
        }
        for node in &word.parts {
            match &node.kind {
                ast::WordPart::Variable(name) => self.state.note_evaluated(name.to_string()),
                ast::WordPart::Literal(_) => {
                    let text = self.source_text(node.span);
                    if !text.bytes().all(|b| b.is_ascii_digit()) {
                        self.state.note_evaluated(text);
                    }
                }
                ast::WordPart::Parameter(p) => match p.bourne() {
                    Some(ast::BourneParameterExpansion::Length { .. }) => {}
                    Some(ast::BourneParameterExpansion::Access { reference }) if reference.subscript.is_none() => {
                        self.state.note_evaluated(reference.name.to_string());
                    }
                    Some(_) | None => self.add_problem("arithmetic on an expansion"),
                },
                _ => {
                    // Walk its commands; its output stays unknown.
                    self.walk_substitutions(word);
                    self.add_problem("arithmetic on the output of a command");
                }
            }
        }
    }

    pub(super) fn walk_condition(&mut self, test: &ast::ConditionalExpr) {
        use ast::ConditionalExpr as E;
        self.mark(test.span());
        match test {
            E::Word(word) => self.walk_substitutions(word),
            E::Regex(word) => self.check_word(word, true),
            E::Pattern(pattern) => self.walk_pattern(pattern),
            E::VarRef(reference) => {
                let mut found = Vec::new();
                self.walk_subscript(reference, &mut found);
            }
            E::Parenthesized(inner) => self.walk_condition(&inner.expr),
            E::Unary(unary) => {
                if matches!(unary.op, ast::ConditionalUnaryOp::VariableSet | ast::ConditionalUnaryOp::ReferenceVariable)
                {
                    let raw = self.source_text(unary.expr.span());
                    if !word::is_name(&raw) {
                        self.add_problem("`-v` on a computed name");
                    }
                }
                self.walk_condition(&unary.expr);
            }
            E::Binary(binary) => {
                self.mark(binary.op_span);
                self.walk_condition(&binary.left);
                self.walk_condition(&binary.right);
                if is_arithmetic(binary.op) {
                    self.note_compared(&binary.left);
                    self.note_compared(&binary.right);
                }
            }
        }
    }

    /// Notes an operand of `-eq` or a similar operator, which bash evaluates as arithmetic.
    fn note_compared(&mut self, side: &ast::ConditionalExpr) {
        let raw = self.source_text(side.span());
        let inner = raw.trim_matches('"');
        let name = inner.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
        let number = inner.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        match name {
            "#" | "?" => {}
            name if word::is_name(name) => {
                self.state.expression = raw.clone();
                self.state.note_evaluated(name.to_string());
            }
            _ if number => {}
            _ => self.add_problem("a comparison evaluates a computed value"),
        }
    }
}

fn is_arithmetic(op: ast::ConditionalBinaryOp) -> bool {
    matches!(op.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
}

/// True for a descriptor as target: `2>&1`, `>&-`, `3>&1-`.
fn is_descriptor(target: &ast::Word, source: &str) -> bool {
    target.try_static_text(source).is_some_and(|text| {
        let digits = text.strip_suffix('-').unwrap_or(&text);
        !text.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// True if a substitution or expansion remains after all walked ones were blanked. `$((`, `$[` and `${` were
/// walked in place; backticks and command substitutions never are.
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
