//! Targets that can be written without changing anything. Not every descriptor is one: on Linux, opening
//! `/dev/fd/3` reopens its file for writing, even if `3< file` opened it for reading.

use super::WalkState;
use crate::shell::PathWord;
use shuck_ast as ast;

/// True for /dev/null, the pipe of a process substitution, and the standard streams unless they were replaced
/// (checked when the walk finishes).
pub(in crate::shell) fn is_harmless_sink(path: &PathWord) -> bool {
    *path == PathWord::Pipe || *path == PathWord::Exact("/dev/null".into()) || is_stream(path)
}

/// True for standard output and error by name.
pub(super) fn is_stream(path: &PathWord) -> bool {
    let PathWord::Exact(path) = path else { return false };
    matches!(path.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2")
}

impl WalkState {
    /// Notes a redirection after which descriptor 1 or 2 may be a file opened for reading.
    pub(super) fn note_descriptor(&mut self, redirect: &ast::Redirect, source: &str) {
        use ast::RedirectKind as K;
        let ast::RedirectTarget::Word(target) = &redirect.target else { return };
        let copied = target.try_static_text(source);
        self.descriptors_changed |= match redirect.kind {
            K::DupOutput | K::DupInput => !matches!(copied.as_deref(), Some("1" | "2")),
            K::Input => redirect.fd_var.is_some() || !matches!(redirect.fd, None | Some(0)),
            K::Output | K::Clobber | K::Append | K::ReadWrite | K::OutputBoth => false,
            K::HereString | K::HereDoc | K::HereDocStrip => false,
        };
    }
}
