//! What may be written without changing anything. Not every descriptor: on Linux opening `/dev/fd/3` opens the file behind
//! it anew, for writing, although `3< file` opened it only for reading.

use super::super::PathWord;
use super::State;
use shuck_ast as ast;

/// /dev/null, the pipe of a process substitution and the standard streams, as long as nothing else was put in their place
/// ([`State::finish`] sees to that).
pub(in super::super) fn is_harmless_sink(path: &PathWord) -> bool {
    *path == PathWord::Pipe || *path == PathWord::Exact("/dev/null".into()) || is_stream(path)
}

/// Standard output and error by their names.
pub(super) fn is_stream(path: &PathWord) -> bool {
    let PathWord::Exact(path) = path else { return false };
    matches!(path.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2")
}

impl State {
    /// Notes a redirection after which descriptor 1 or 2 may be a file that was opened for reading.
    pub(super) fn note_descriptor(&mut self, redirect: &ast::Redirect, source: &str) {
        use ast::RedirectKind as K;
        let ast::RedirectTarget::Word(target) = &redirect.target else { return };
        let copied = target.try_static_text(source);
        self.descriptors_move |= match redirect.kind {
            K::DupOutput | K::DupInput => !matches!(copied.as_deref(), Some("1" | "2")),
            K::Input => redirect.fd_var.is_some() || !matches!(redirect.fd, None | Some(0)),
            K::Output | K::Clobber | K::Append | K::ReadWrite | K::OutputBoth => false,
            K::HereString | K::HereDoc | K::HereDocStrip => false,
        };
    }
}
