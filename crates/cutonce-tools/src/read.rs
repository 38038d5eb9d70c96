//! Read (TL-2): what is in a file, in the form a model can use, and a clear word where there is none.

mod lines;
pub(crate) mod notebook;
mod pdf;
mod sort;

use crate::disk::{Disk, DiskError, Opened, human_size};
use crate::missing;
use crate::tool::{CallContext, Here, Outcome, Tool, blocking, interrupted};
use crate::workspace::{Judged, Workspace};
use async_trait::async_trait;
use cutonce_core::conversation::ResultPart;
use cutonce_core::image;
use cutonce_core::permission::{Access, Rights, Target};
use lines::Page;
use schemars::JsonSchema;
use serde::Deserialize;
use sort::Sort;
use std::io::{BufReader, Read as _};
use tokio_util::sync::CancellationToken;

/// Lines shown when no limit is given.
const DEFAULT_LINES: u64 = 2_000;
/// A file up to this size is read whole, so that its content can be recognised later (TL-3); a larger one is streamed.
const WHOLE: u64 = 1 << 20;
const MAX_IMAGE: u64 = image::LARGEST as u64;
/// Notebooks, PDFs and UTF-16 text must be read whole to be understood.
const MAX_PARSED: u64 = 32 << 20;

#[derive(Debug)]
pub struct Read;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    file_path: String,
    /// First line, from 1.
    offset: Option<u64>,
    limit: Option<u64>,
    #[serde(skip)]
    judged: Judged,
}

/// The part of a file that was asked for.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// From 1.
    first: u64,
    /// As given.
    limit: Option<u64>,
}

#[async_trait]
impl Tool for Read {
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
    fn touches(&self, input: &ReadInput, here: &Here) -> Result<Access, String> {
        if input.limit == Some(0) {
            return Err("`limit`: expected at least 1, got 0".into());
        }
        Ok(Access::Read(vec![input.judged.judge(&here.workspace, "file_path", &input.file_path)?]))
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
    async fn run(&self, input: ReadInput, _: Rights, here: &Here, call: &CallContext) -> Outcome {
        let target = match input.judged.target(&here.workspace, "file_path", &input.file_path) {
            Ok(target) => target,
            Err(why) => return Outcome::error(why),
        };
        let span = Span { first: input.offset.unwrap_or(1).max(1), limit: input.limit };
        let (disk, workspace) = (here.disk.clone(), here.workspace.clone());
        blocking(call, move |cancel| read(&disk, &workspace, &target, span, cancel)).await
    }
}

fn read(disk: &Disk, workspace: &Workspace, target: &Target, span: Span, cancel: &CancellationToken) -> Outcome {
    let mut opened = match disk.open(&target.path) {
        Ok(opened) => opened,
        Err(DiskError::Missing { .. }) => return Outcome::error(missing::explain(workspace, target)),
        Err(error) => return Outcome::error(error.to_string()),
    };
    let mut start = Vec::new();
    if let Err(error) = (&mut opened.file).take(WHOLE + 1).read_to_end(&mut start) {
        return Outcome::error(format!("Can't read {}: {error}.", target.given));
    }
    let whole = start.len() as u64 <= WHOLE;
    let sort = Sort::of(&start, &target.path);
    if whole
        && matches!(sort, Sort::Text)
        && let Some(shown) = disk.in_editor(&target.path, target.place)
    {
        return in_editor(disk, target, &shown, span);
    }
    let outcome = match sort {
        Sort::Text => text(start.as_slice(), whole, &mut opened, span, cancel),
        sort => parsed(sort, &start, &mut opened, span),
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return Outcome::error(format!("{}: {why}", target.given)),
    };
    if !outcome.is_error {
        disk.remember(&target.path, opened.stamp, whole.then_some(start.as_slice()));
    }
    outcome
}

/// The file as the user's editor has it, unsaved changes included (HO-5).
fn in_editor(disk: &Disk, target: &Target, shown: &str, span: Span) -> Outcome {
    match plain(shown.as_bytes(), span) {
        Ok(outcome) => {
            disk.remember_in_editor(&target.path, shown.as_bytes());
            outcome
        }
        Err(why) => Outcome::error(format!("{}: {why}", target.given)),
    }
}

fn text(
    start: &[u8],
    whole: bool,
    opened: &mut Opened,
    span: Span,
    cancel: &CancellationToken,
) -> Result<Outcome, String> {
    let wanted = span.limit.unwrap_or(DEFAULT_LINES);
    let page = if whole {
        Page::of_slice(start, span.first, wanted)
    } else {
        let reader = BufReader::with_capacity(1 << 18, start.chain(&mut opened.file));
        match Page::of_reader(reader, span.first, wanted, &|| cancel.is_cancelled()) {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(interrupted()),
            Err(error) => return Err(format!("reading failed: {error}")),
        }
    };
    page.into_text(opened.stamp.size).map(Outcome::text)
}

/// The sorts that are read whole.
fn parsed(sort: Sort, start: &[u8], opened: &mut Opened, span: Span) -> Result<Outcome, String> {
    let rest = |limit: u64, what: &str, opened: &mut Opened| -> Result<Vec<u8>, String> {
        let mut bytes = start.to_vec();
        let room = (limit + 1).saturating_sub(bytes.len() as u64);
        (&mut opened.file).take(room).read_to_end(&mut bytes).map_err(|error| format!("reading failed: {error}"))?;
        if bytes.len() as u64 > limit {
            let size = human_size(opened.stamp.size.max(bytes.len() as u64));
            return Err(format!("{what} of {size}; at most {} can be read", human_size(limit)));
        }
        Ok(bytes)
    };
    match sort {
        Sort::Text => Err("text is streamed".into()),
        Sort::Image => image(&rest(MAX_IMAGE, "an image", opened)?),
        Sort::Pdf => pdf::text(&rest(MAX_PARSED, "a PDF", opened)?, span.first, span.limit).map(Outcome::text),
        Sort::Notebook => {
            let bytes = rest(MAX_PARSED, "a notebook", opened)?;
            match notebook::text(&bytes, span.first, span.limit) {
                Some(text) => text.map(Outcome::text),
                // Broken: shown as it is, so that it can be repaired.
                None => plain(&bytes, span),
            }
        }
        Sort::Utf16(encoding) => {
            let bytes = rest(MAX_PARSED, "UTF-16 text", opened)?;
            let (text, _) = encoding.decode_with_bom_removal(&bytes);
            let shown = Page::of_slice(text.as_bytes(), span.first, span.limit.unwrap_or(DEFAULT_LINES));
            shown.into_text(bytes.len() as u64).map(|text| Outcome::text(format!("{text}\n[{}]", encoding.name())))
        }
        Sort::Binary(what) => Err(format!(
            "a binary file ({what}, {}). Use a shell command that understands it.",
            human_size(opened.stamp.size)
        )),
    }
}

fn plain(bytes: &[u8], span: Span) -> Result<Outcome, String> {
    let page = Page::of_slice(bytes, span.first, span.limit.unwrap_or(DEFAULT_LINES));
    page.into_text(bytes.len() as u64).map(Outcome::text)
}

fn image(bytes: &[u8]) -> Result<Outcome, String> {
    let image = image::encode(bytes).map_err(|error| format!("can't be shown as an image: {error}"))?;
    Ok(Outcome { content: vec![ResultPart::Image(image)], is_error: false, display: None })
}
