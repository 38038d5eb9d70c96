//! Read (TL-2): shows a file in a form that a model can use, or a clear error.

mod file_kind;
mod lines;
pub(crate) mod notebook;
mod pdf;

use crate::disk::{FileAccess, FileError, OpenedFile, human_size};
use crate::env::{CallContext, ToolEnv};
use crate::files::missing;
use crate::tool::{Tool, ToolError, ToolOutcome, interrupted_outcome, run_blocking};
use crate::workspace::{DecidedTarget, Workspace};
use async_trait::async_trait;
use cutonce_core::conversation::ResultPart;
use cutonce_core::image;
use cutonce_core::permission::{Access, CallRights, PathTarget};
use file_kind::FileKind;
use lines::TextPage;
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::{BufReader, Read as _};
use tokio_util::sync::CancellationToken;

/// Lines shown if no limit is given.
const DEFAULT_LINES: u64 = 2_000;
/// Files up to this size are read whole, so that their content can be compared later (TL-3); larger ones are streamed.
const MAX_WHOLE: u64 = 1 << 20;
const MAX_IMAGE: u64 = image::MAX_IMAGE_BYTES as u64;
/// Maximum size of notebooks, PDFs and UTF-16 text, which must be read whole.
const MAX_PARSED: u64 = 32 << 20;

#[derive(Debug)]
pub struct ReadTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    file_path: String,
    /// First line, from 1.
    offset: Option<u64>,
    limit: Option<u64>,
    #[serde(skip)]
    judged: DecidedTarget,
}

/// The requested part of a file.
#[derive(Debug, Clone, Copy)]
struct ReadRange {
    /// From 1.
    first: u64,
    /// The limit as given.
    limit: Option<u64>,
}

#[async_trait]
impl Tool for ReadTool {
    type Input = ReadInput;

    fn name(&self) -> &'static str {
        "Read"
    }
    fn description(&self) -> &str {
        include_str!("read.md")
    }
    fn read_only(&self, _: &ReadInput) -> bool {
        true
    }
    fn access(&self, input: &ReadInput, here: &ToolEnv) -> Result<Access, ToolError> {
        if input.limit == Some(0) {
            return Err("`limit`: expected at least 1, got 0".into());
        }
        Ok(Access::Read(vec![input.judged.resolve(&here.workspace, "file_path", &input.file_path)?]))
    }
    fn summary(&self, input: &ReadInput) -> String {
        match (input.offset, input.limit) {
            (None, None) => input.file_path.clone(),
            (offset, None) => format!("{} from {}", input.file_path, offset.unwrap_or(1)),
            (offset, Some(limit)) => {
                let first = offset.unwrap_or(1).max(1);
                format!("{} {first}-{}", input.file_path, first.saturating_add(limit).saturating_sub(1))
            }
        }
    }
    async fn run(&self, input: ReadInput, _: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let target = match input.judged.decided(&here.workspace, "file_path", &input.file_path) {
            Ok(target) => target,
            Err(why) => return ToolOutcome::error(why),
        };
        let span = ReadRange { first: input.offset.unwrap_or(1).max(1), limit: input.limit };
        let (disk, workspace) = (here.disk.clone(), here.workspace.clone());
        run_blocking(call, move |cancel| read_target(&disk, &workspace, &target, span, cancel)).await
    }
}

fn read_target(
    disk: &FileAccess,
    workspace: &Workspace,
    target: &PathTarget,
    span: ReadRange,
    cancel: &CancellationToken,
) -> ToolOutcome {
    let mut opened = match disk.open(&target.path) {
        Ok(opened) => opened,
        Err(FileError::Missing { .. }) => return ToolOutcome::error(missing::explain_missing(workspace, target)),
        Err(error) => return ToolOutcome::error(error.to_string()),
    };
    let mut start = Vec::new();
    if let Err(error) = (&mut opened.file).take(MAX_WHOLE + 1).read_to_end(&mut start) {
        return ToolOutcome::error(format!("Can't read {}: {error}.", target.given));
    }
    let whole = start.len() as u64 <= MAX_WHOLE;
    let sort = FileKind::detect(&start, &target.path);
    if whole
        && matches!(sort, FileKind::Text)
        && let Some(shown) = disk.in_editor(&target.path, target.place)
    {
        return read_from_editor(disk, target, &shown, span);
    }
    let outcome = match sort {
        FileKind::Text => read_text(start.as_slice(), whole, &mut opened, span, cancel),
        sort => read_parsed(sort, &start, &mut opened, span),
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return ToolOutcome::error(format!("{}: {why}", target.given)),
    };
    if !outcome.is_error {
        disk.remember(&target.path, opened.stamp, whole.then_some(start.as_slice()));
    }
    outcome
}

/// Reads the file as the user's editor has it, including unsaved changes (HO-5).
fn read_from_editor(disk: &FileAccess, target: &PathTarget, shown: &str, span: ReadRange) -> ToolOutcome {
    match page_outcome(shown.as_bytes(), span) {
        Ok(outcome) => {
            disk.remember_in_editor(&target.path, shown.as_bytes());
            outcome
        }
        Err(why) => ToolOutcome::error(format!("{}: {why}", target.given)),
    }
}

fn read_text(
    start: &[u8],
    whole: bool,
    opened: &mut OpenedFile,
    span: ReadRange,
    cancel: &CancellationToken,
) -> Result<ToolOutcome, ToolError> {
    let wanted = span.limit.unwrap_or(DEFAULT_LINES);
    let page = if whole {
        TextPage::from_slice(start, span.first, wanted)
    } else {
        let reader = BufReader::with_capacity(1 << 18, start.chain(&mut opened.file));
        match TextPage::from_reader(reader, span.first, wanted, &|| cancel.is_cancelled()) {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(interrupted_outcome()),
            Err(error) => return Err(format!("reading failed: {error}").into()),
        }
    };
    page.into_text(opened.stamp.size).map(ToolOutcome::text)
}

/// Reads the kinds of files that must be read whole.
fn read_parsed(
    sort: FileKind,
    start: &[u8],
    opened: &mut OpenedFile,
    span: ReadRange,
) -> Result<ToolOutcome, ToolError> {
    let rest = |limit: u64, what: &str, opened: &mut OpenedFile| -> Result<Vec<u8>, ToolError> {
        let mut bytes = start.to_vec();
        let room = (limit + 1).saturating_sub(bytes.len() as u64);
        (&mut opened.file).take(room).read_to_end(&mut bytes).map_err(|error| format!("reading failed: {error}"))?;
        if bytes.len() as u64 > limit {
            let size = human_size(opened.stamp.size.max(bytes.len() as u64));
            return Err(format!("{what} of {size}; at most {} can be read", human_size(limit)).into());
        }
        Ok(bytes)
    };
    match sort {
        FileKind::Text => Err("text is streamed".into()),
        FileKind::Image => image_outcome(&rest(MAX_IMAGE, "an image", opened)?),
        FileKind::Pdf => pdf::pdf_text(&rest(MAX_PARSED, "a PDF", opened)?, span.first, span.limit)
            .map(ToolOutcome::text)
            .map_err(ToolError::from),
        FileKind::Notebook => {
            let bytes = rest(MAX_PARSED, "a notebook", opened)?;
            match notebook::notebook_text(&bytes, span.first, span.limit) {
                Some(text) => text.map(ToolOutcome::text),
                // A broken notebook is shown as text, so that it can be repaired.
                None => page_outcome(&bytes, span),
            }
        }
        FileKind::Utf16(encoding) => {
            let bytes = rest(MAX_PARSED, "UTF-16 text", opened)?;
            let (text, _) = encoding.decode_with_bom_removal(&bytes);
            let shown = TextPage::from_slice(text.as_bytes(), span.first, span.limit.unwrap_or(DEFAULT_LINES));
            shown.into_text(bytes.len() as u64).map(|text| ToolOutcome::text(format!("{text}\n[{}]", encoding.name())))
        }
        FileKind::Binary(what) => Err(format!(
            "a binary file ({what}, {}). Use a shell command that understands it.",
            human_size(opened.stamp.size)
        )
        .into()),
    }
}

fn page_outcome(bytes: &[u8], span: ReadRange) -> Result<ToolOutcome, ToolError> {
    let page = TextPage::from_slice(bytes, span.first, span.limit.unwrap_or(DEFAULT_LINES));
    page.into_text(bytes.len() as u64).map(ToolOutcome::text)
}

fn image_outcome(bytes: &[u8]) -> Result<ToolOutcome, ToolError> {
    let image = image::encode_image(bytes).map_err(|error| format!("can't be shown as an image: {error}"))?;
    Ok(ToolOutcome::of(vec![ResultPart::Image(image)]))
}
