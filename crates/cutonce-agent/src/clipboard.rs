//! Reads the clipboard for pasted images (UI-3) with desktop programs, so that the build needs no window system.
//! Sizes are limited, and the first bytes determine the image type.

use cutonce_core::conversation::Image;
use cutonce_core::image::MAX_IMAGE_BYTES;
use cutonce_sandbox::env::{EnvNameRules, scrub_env};
use cutonce_sandbox::{ProcessExit, SpawnSpec, StdoutMode, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Maximum size of text.
const MAX_TEXT: usize = 256 << 10;
/// Timeout, because the program that owns the clipboard may hang.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The clipboard's content.
#[derive(Debug, Clone, PartialEq)]
pub enum ClipboardContent {
    /// An image, encoded for the model.
    Image(Image),
    /// Text.
    Text(String),
}

/// A program that reads the clipboard.
struct ClipboardProgram {
    program: &'static str,
    /// The variable that is set if its window system runs; empty if not required.
    needs: &'static str,
    /// Arguments that list the available types; empty to request an image directly.
    list: &'static [&'static str],
    /// Arguments before the type; all arguments if `list` is empty.
    get: &'static [&'static str],
    /// Arguments after the type.
    end: &'static [&'static str],
    form: ImageEncoding,
}

/// The output format of an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImageEncoding {
    Bytes,
    /// `«data PNGf8950…»`
    Hex,
}

const LINUX: &[ClipboardProgram] = &[
    ClipboardProgram {
        program: "wl-paste",
        needs: "WAYLAND_DISPLAY",
        list: &["--list-types"],
        get: &["--no-newline", "--type"],
        end: &[],
        form: ImageEncoding::Bytes,
    },
    ClipboardProgram {
        program: "xclip",
        needs: "DISPLAY",
        list: &["-selection", "clipboard", "-t", "TARGETS", "-o"],
        get: &["-selection", "clipboard", "-t"],
        end: &["-o"],
        form: ImageEncoding::Bytes,
    },
];

const MACOS: &[ClipboardProgram] = &[
    ClipboardProgram { program: "pngpaste", needs: "", list: &[], get: &["-"], end: &[], form: ImageEncoding::Bytes },
    ClipboardProgram {
        program: "osascript",
        needs: "",
        list: &[],
        get: &["-e", "get the clipboard as «class PNGf»"],
        end: &[],
        form: ImageEncoding::Hex,
    },
];

const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const TEXTS: [&str; 5] = ["text/uri-list", "text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"];

crate::text_error::text_error! {
    /// Why the clipboard can't be read, and what to do.
    pub ClipboardError
}

/// Reads the clipboard, preferring an image over text. The error says why it failed and what to do.
pub async fn read_clipboard(env: &[(OsString, OsString)], cwd: &Path) -> Result<ClipboardContent, ClipboardError> {
    let sources = if cfg!(target_os = "macos") { MACOS } else { LINUX };
    ClipboardReader { env, cwd, patience: TIMEOUT }.read_any(sources).await
}

struct ClipboardReader<'a> {
    env: &'a [(OsString, OsString)],
    cwd: &'a Path,
    patience: Duration,
}

impl ClipboardReader<'_> {
    async fn read_any(&self, sources: &[ClipboardProgram]) -> Result<ClipboardContent, ClipboardError> {
        let has = |name: &str| self.env.iter().any(|(key, value)| key == name && !value.is_empty());
        let fitting: Vec<&ClipboardProgram> =
            sources.iter().filter(|source| source.needs.is_empty() || has(source.needs)).collect();
        if fitting.is_empty() {
            return Err("No clipboard is available (neither WAYLAND_DISPLAY nor DISPLAY is set). Paste the path of an image instead.".into());
        }
        let (mut words, mut why) = (None, None);
        for source in &fitting {
            let Some(program) = find_program(source.program, self.env) else { continue };
            match self.read_from(source, &program).await {
                Ok(Some(clip @ ClipboardContent::Image(_))) => return Ok(clip),
                Ok(Some(text)) => words = words.or(Some(text)),
                Ok(None) => why = why.or(Some(ClipboardError::from("There is no image on the clipboard."))),
                Err(error) => why = why.or(Some(error)),
            }
        }
        let programs: Vec<&str> = fitting.iter().map(|source| source.program).collect();
        words.ok_or_else(|| {
            why.unwrap_or_else(|| {
                let names = programs.join(" or ");
                format!("The clipboard can't be read: install {names}, or paste the path of an image.").into()
            })
        })
    }

    async fn read_from(
        &self,
        source: &ClipboardProgram,
        program: &Path,
    ) -> Result<Option<ClipboardContent>, ClipboardError> {
        let arguments = |list: &[&'static str]| list.iter().map(|word| (*word).to_string()).collect::<Vec<_>>();
        if source.list.is_empty() {
            // Hex needs twice the bytes.
            let out = self.run_with_timeout(program, arguments(source.get), 2 * MAX_IMAGE_BYTES + 64).await?;
            let bytes = match (out, source.form) {
                (None, _) => return Ok(None),
                (Some(out), ImageEncoding::Bytes) => out,
                (Some(out), ImageEncoding::Hex) => decode_hex(&out),
            };
            return encode_image(bytes).map(Some);
        }
        let Some(listed) = self.run_with_timeout(program, arguments(source.list), MAX_TEXT).await? else {
            return Ok(None);
        };
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let there = |wanted: &&&str| listed.lines().any(|line| line.trim() == **wanted);
        let get = |kind: &str| {
            let mut all = arguments(source.get);
            all.push(kind.to_string());
            all.extend(arguments(source.end));
            all
        };
        if let Some(kind) = IMAGES.iter().find(there) {
            let bytes = self.run_with_timeout(program, get(kind), MAX_IMAGE_BYTES).await?;
            return bytes.map(encode_image).transpose();
        }
        let Some(kind) = TEXTS.iter().find(there) else { return Ok(None) };
        let text = self.run_with_timeout(program, get(kind), MAX_TEXT).await?;
        let text = text.map(|text| String::from_utf8_lossy(&text).trim_end().to_string());
        Ok(text.filter(|text| !text.is_empty()).map(ClipboardContent::Text))
    }

    /// Runs a program and returns its output; `None` if it fails, which means that there is nothing.
    async fn run_with_timeout(
        &self,
        program: &Path,
        args: Vec<String>,
        most: usize,
    ) -> Result<Option<Vec<u8>>, ClipboardError> {
        let shown = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let work = self.run_program(program, args, most);
        let done = tokio::time::timeout(self.patience, work).await;
        done.map_err(|_| format!("{shown} did not answer."))?.map_err(|why| format!("{shown}: {why}").into())
    }

    async fn run_program(
        &self,
        program: &Path,
        args: Vec<String>,
        most: usize,
    ) -> Result<Option<Vec<u8>>, ClipboardError> {
        let told = |error: std::io::Error| error.to_string();
        let env = scrub_env(self.env.iter().cloned(), &EnvNameRules::default());
        let spawn = SpawnSpec::new(PathBuf::from(program), self.cwd, env).args(args).output(StdoutMode::Separate);
        let mut running = spawn.start().map_err(|error| error.to_string())?;
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let mut out = Vec::new();
        let read = async {
            match stdout {
                Some(pipe) => pipe.take(most as u64 + 1).read_to_end(&mut out).await,
                None => Ok(0),
            }
        };
        let unread = async {
            if let Some(mut pipe) = stderr {
                let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
            }
        };
        // Don't wait for the end once there is too much output.
        tokio::select! {
            read = read => drop(read.map_err(told)?),
            () = async { unread.await; std::future::pending().await } => {}
        }
        if out.len() > most {
            return Err("the clipboard content is larger than 3.75 MB".into());
        }
        match running.wait().await.map_err(told)? {
            ProcessExit::Exited(0) => Ok(Some(out)),
            ProcessExit::Exited(_) | ProcessExit::Signalled(_) => Ok(None),
        }
    }
}

fn encode_image(bytes: Vec<u8>) -> Result<ClipboardContent, ClipboardError> {
    let found = cutonce_core::image::encode_image(&bytes);
    found.map(ClipboardContent::Image).map_err(|error| format!("The clipboard content can't be sent: {error}.").into())
}

/// Decodes the longest run of hex digits.
fn decode_hex(text: &[u8]) -> Vec<u8> {
    let digits = text.split(|byte| !byte.is_ascii_hexdigit()).max_by_key(|run| run.len()).unwrap_or_default();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or_default();
    // The `f` of `PNGf` is a hex digit: drop it from an odd run.
    let digits = if digits.len().is_multiple_of(2) { digits } else { digits.get(1..).unwrap_or_default() };
    digits.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const PNG: &str = "\\211PNG\\r\\n\\032\\n\\0\\0\\0\\rIHDR\\0\\0\\0\\001\\0\\0\\0\\001";

    struct Desk {
        dir: tempfile::TempDir,
        env: Vec<(OsString, OsString)>,
    }

    /// A folder with fake programs, first in the PATH.
    fn desk(programs: &[(&str, &str)], set: &[&str]) -> Desk {
        let dir = tempfile::tempdir().unwrap();
        for (name, script) in programs {
            let path = dir.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let mut env = vec![("PATH".into(), OsString::from(format!("{}:/usr/bin:/bin", dir.path().display())))];
        env.extend(set.iter().map(|name| (OsString::from(name), OsString::from("0"))));
        Desk { dir, env }
    }

    async fn with(desk: &Desk, sources: &[ClipboardProgram], patience: Duration) -> Result<ClipboardContent, String> {
        ClipboardReader { env: &desk.env, cwd: desk.dir.path(), patience }.read_any(sources).await.map_err(String::from)
    }

    async fn on(programs: &[(&str, &str)], set: &[&str]) -> Result<ClipboardContent, String> {
        loop {
            let read = with(&desk(programs, set), LINUX, Duration::from_secs(60)).await;
            // A process that another test starts holds the new program open for a moment.
            if !read.as_ref().is_err_and(|why| why.contains("Text file busy")) {
                return read;
            }
        }
    }

    fn png() -> ClipboardContent {
        ClipboardContent::Image(
            cutonce_core::image::encode_image(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01").unwrap(),
        )
    }

    #[tokio::test]
    async fn ui_3_image_is_read_by_desktop_program() {
        let wayland = format!(
            "case \"$*\" in --list-types) printf 'text/plain\\nimage/png\\n';; '--no-newline --type image/png') printf '{PNG}';; *) exit 9;; esac"
        );
        assert_eq!(on(&[("wl-paste", &wayland)], &["WAYLAND_DISPLAY"]).await, Ok(png()));
        let x = format!(
            "case \"$*\" in '-selection clipboard -t TARGETS -o') printf 'TARGETS\\nimage/png\\n';; '-selection clipboard -t image/png -o') printf '{PNG}';; *) exit 9;; esac"
        );
        assert_eq!(on(&[("xclip", &x)], &["DISPLAY"]).await, Ok(png()));
        // The first program has nothing, the second has an image.
        assert_eq!(on(&[("wl-paste", "exit 1"), ("xclip", &x)], &["WAYLAND_DISPLAY", "DISPLAY"]).await, Ok(png()));
    }

    #[tokio::test]
    async fn ui_3_clipboard_text_is_read() {
        let text = "case \"$*\" in --list-types) printf 'text/uri-list\\ntext/plain\\n';; *uri-list) printf 'file:///a%%20b.png\\r\\n';; *) exit 9;; esac";
        assert_eq!(
            on(&[("wl-paste", text)], &["WAYLAND_DISPLAY"]).await,
            Ok(ClipboardContent::Text("file:///a%20b.png".into()))
        );
    }

    #[tokio::test]
    async fn ui_3_missing_clipboard_is_reported() {
        let none = on(&[], &[]).await.unwrap_err();
        assert!(none.contains("neither WAYLAND_DISPLAY nor DISPLAY"), "{none}");
        let empty = on(&[("wl-paste", "exit 1")], &["WAYLAND_DISPLAY"]).await.unwrap_err();
        assert_eq!(empty, "There is no image on the clipboard.");
        let desk =
            Desk { env: vec![("DISPLAY".into(), ":0".into()), ("PATH".into(), "/nowhere".into())], ..desk(&[], &[]) };
        let uninstalled = with(&desk, LINUX, TIMEOUT).await.unwrap_err();
        assert_eq!(uninstalled, "The clipboard can't be read: install xclip, or paste the path of an image.");
    }

    #[tokio::test]
    async fn ui_3_hostile_clipboards_are_limited() {
        let lies = "case \"$*\" in --list-types) echo image/png;; *) echo '<svg onload=x>';; esac";
        let error = on(&[("wl-paste", lies)], &["WAYLAND_DISPLAY"]).await.unwrap_err();
        assert!(error.contains("not a PNG"), "{error}");
        let endless = "case \"$*\" in --list-types) echo image/png;; *) exec cat /dev/zero;; esac";
        let error = on(&[("wl-paste", endless)], &["WAYLAND_DISPLAY"]).await.unwrap_err();
        assert!(error.contains("larger than 3.75 MB"), "{error}");
        let hangs = desk(&[("wl-paste", "exec sleep 600")], &["WAYLAND_DISPLAY"]);
        let error = with(&hangs, LINUX, Duration::from_millis(50)).await.unwrap_err();
        assert_eq!(error, "wl-paste did not answer.");
    }

    #[tokio::test]
    async fn ui_3_macos_script_returns_hex() {
        let hex = "[ \"$1\" = -e ] && printf '«data PNGf89504E470D0A1A0A0000000D494844520000000100000001»\\n'";
        let desk = desk(&[("pngpaste", "exit 1"), ("osascript", hex)], &[]);
        assert_eq!(with(&desk, MACOS, Duration::from_secs(60)).await, Ok(png()));
    }
}
