//! The person's clipboard, for an image that is pasted (UI-3): read by the programs that desktops have for it, so that no window
//! system has to be there when we are built. What comes out of it is bounded, and an image is what its first bytes say.

use cutonce_core::conversation::Image;
use cutonce_core::image::LARGEST;
use cutonce_sandbox::env::{Names, scrubbed};
use cutonce_sandbox::{Ended, Output, Spawn, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Lists of types and paths are shorter.
const LONGEST_TEXT: usize = 256 << 10;
/// A program whose clipboard lives in another program that hangs would wait for ever.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was on it.
#[derive(Debug, Clone, PartialEq)]
pub enum Clip {
    /// A picture, as it is sent.
    Image(Image),
    /// Words.
    Text(String),
}

/// One program that reads clipboards.
struct Source {
    program: &'static str,
    /// Set where its window system runs; empty: always.
    needs: &'static str,
    /// Arguments that list what there is; none: an image is asked for at once.
    list: &'static [&'static str],
    /// Arguments before the type; with no list, all arguments.
    get: &'static [&'static str],
    /// Arguments after it.
    end: &'static [&'static str],
    form: Form,
}

/// How it gives an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bytes,
    /// `«data PNGf8950…»`
    Hex,
}

const LINUX: &[Source] = &[
    Source {
        program: "wl-paste",
        needs: "WAYLAND_DISPLAY",
        list: &["--list-types"],
        get: &["--no-newline", "--type"],
        end: &[],
        form: Form::Bytes,
    },
    Source {
        program: "xclip",
        needs: "DISPLAY",
        list: &["-selection", "clipboard", "-t", "TARGETS", "-o"],
        get: &["-selection", "clipboard", "-t"],
        end: &["-o"],
        form: Form::Bytes,
    },
];

const MACOS: &[Source] = &[
    Source { program: "pngpaste", needs: "", list: &[], get: &["-"], end: &[], form: Form::Bytes },
    Source {
        program: "osascript",
        needs: "",
        list: &[],
        get: &["-e", "get the clipboard as «class PNGf»"],
        end: &[],
        form: Form::Hex,
    },
];

const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const TEXTS: [&str; 5] = ["text/uri-list", "text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"];

/// What is on the clipboard, an image before words. Err says why there is nothing, and what to do.
pub async fn read(env: &[(OsString, OsString)], cwd: &Path) -> Result<Clip, String> {
    let sources = if cfg!(target_os = "macos") { MACOS } else { LINUX };
    Reading { env, cwd, patience: PATIENCE }.any(sources).await
}

struct Reading<'a> {
    env: &'a [(OsString, OsString)],
    cwd: &'a Path,
    patience: Duration,
}

impl Reading<'_> {
    async fn any(&self, sources: &[Source]) -> Result<Clip, String> {
        let has = |name: &str| self.env.iter().any(|(key, value)| key == name && !value.is_empty());
        let fitting: Vec<&Source> =
            sources.iter().filter(|source| source.needs.is_empty() || has(source.needs)).collect();
        if fitting.is_empty() {
            return Err("There is no clipboard here (neither WAYLAND_DISPLAY nor DISPLAY is set). Paste the path of an image instead.".into());
        }
        let (mut words, mut why) = (None, None);
        for source in &fitting {
            let Some(program) = find_program(source.program, self.env) else { continue };
            match self.one(source, &program).await {
                Ok(Some(clip @ Clip::Image(_))) => return Ok(clip),
                Ok(Some(text)) => words = words.or(Some(text)),
                Ok(None) => why = why.or(Some("There is no image on the clipboard.".to_string())),
                Err(error) => why = why.or(Some(error)),
            }
        }
        let programs: Vec<&str> = fitting.iter().map(|source| source.program).collect();
        words.ok_or_else(|| {
            why.unwrap_or_else(|| {
                let names = programs.join(" or ");
                format!("The clipboard can't be read: install {names}, or paste the path of an image.")
            })
        })
    }

    async fn one(&self, source: &Source, program: &Path) -> Result<Option<Clip>, String> {
        let arguments = |list: &[&'static str]| list.iter().map(|word| (*word).to_string()).collect::<Vec<_>>();
        if source.list.is_empty() {
            // Room for twice the bytes: hex.
            let out = self.run(program, arguments(source.get), 2 * LARGEST + 64).await?;
            let bytes = match (out, source.form) {
                (None, _) => return Ok(None),
                (Some(out), Form::Bytes) => out,
                (Some(out), Form::Hex) => unhexed(&out),
            };
            return image(bytes).map(Some);
        }
        let Some(listed) = self.run(program, arguments(source.list), LONGEST_TEXT).await? else { return Ok(None) };
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let there = |wanted: &&&str| listed.lines().any(|line| line.trim() == **wanted);
        let get = |kind: &str| {
            let mut all = arguments(source.get);
            all.push(kind.to_string());
            all.extend(arguments(source.end));
            all
        };
        if let Some(kind) = IMAGES.iter().find(there) {
            let bytes = self.run(program, get(kind), LARGEST).await?;
            return bytes.map(image).transpose();
        }
        let Some(kind) = TEXTS.iter().find(there) else { return Ok(None) };
        let text = self.run(program, get(kind), LONGEST_TEXT).await?;
        let text = text.map(|text| String::from_utf8_lossy(&text).trim_end().to_string());
        Ok(text.filter(|text| !text.is_empty()).map(Clip::Text))
    }

    /// What it prints; None if it ends with a failure: that is how these programs say that there is nothing.
    async fn run(&self, program: &Path, args: Vec<String>, most: usize) -> Result<Option<Vec<u8>>, String> {
        let shown = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let work = self.printed(program, args, most);
        let done = tokio::time::timeout(self.patience, work).await;
        done.map_err(|_| format!("{shown} did not answer."))?.map_err(|why| format!("{shown}: {why}"))
    }

    async fn printed(&self, program: &Path, args: Vec<String>, most: usize) -> Result<Option<Vec<u8>>, String> {
        let told = |error: std::io::Error| error.to_string();
        let env = scrubbed(self.env.iter().cloned(), &Names::default());
        let spawn = Spawn::new(PathBuf::from(program), self.cwd, env).args(args).output(Output::Separate);
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
        // Once there is too much nobody waits for the end of it.
        tokio::select! {
            read = read => drop(read.map_err(told)?),
            () = async { unread.await; std::future::pending().await } => {}
        }
        if out.len() > most {
            return Err("what is on the clipboard is larger than 3.75 MB".into());
        }
        match running.wait().await.map_err(told)? {
            Ended::Exited(0) => Ok(Some(out)),
            Ended::Exited(_) | Ended::Signalled(_) => Ok(None),
        }
    }
}

fn image(bytes: Vec<u8>) -> Result<Clip, String> {
    let found = cutonce_core::image::encode(&bytes);
    found.map(Clip::Image).map_err(|error| format!("What is on the clipboard can't be sent: {error}."))
}

/// The longest run of hex digits, as bytes.
fn unhexed(text: &[u8]) -> Vec<u8> {
    let digits = text.split(|byte| !byte.is_ascii_hexdigit()).max_by_key(|run| run.len()).unwrap_or_default();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or_default();
    // `PNGf` ends with a letter that is a hex digit: an odd run begins with it.
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

    /// A folder with fake programs, first on the PATH.
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

    async fn with(desk: &Desk, sources: &[Source], patience: Duration) -> Result<Clip, String> {
        Reading { env: &desk.env, cwd: desk.dir.path(), patience }.any(sources).await
    }

    async fn on(programs: &[(&str, &str)], set: &[&str]) -> Result<Clip, String> {
        with(&desk(programs, set), LINUX, Duration::from_secs(60)).await
    }

    fn png() -> Clip {
        Clip::Image(cutonce_core::image::encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01").unwrap())
    }

    #[tokio::test]
    async fn ui_3_an_image_is_read_by_the_program_of_the_desktop() {
        let wayland = format!(
            "case \"$*\" in --list-types) printf 'text/plain\\nimage/png\\n';; '--no-newline --type image/png') printf '{PNG}';; *) exit 9;; esac"
        );
        assert_eq!(on(&[("wl-paste", &wayland)], &["WAYLAND_DISPLAY"]).await, Ok(png()));
        let x = format!(
            "case \"$*\" in '-selection clipboard -t TARGETS -o') printf 'TARGETS\\nimage/png\\n';; '-selection clipboard -t image/png -o') printf '{PNG}';; *) exit 9;; esac"
        );
        assert_eq!(on(&[("xclip", &x)], &["DISPLAY"]).await, Ok(png()));
        // The first one has nothing, the second has it.
        assert_eq!(on(&[("wl-paste", "exit 1"), ("xclip", &x)], &["WAYLAND_DISPLAY", "DISPLAY"]).await, Ok(png()));
    }

    #[tokio::test]
    async fn ui_3_words_on_the_clipboard_are_words() {
        let text = "case \"$*\" in --list-types) printf 'text/uri-list\\ntext/plain\\n';; *uri-list) printf 'file:///a%%20b.png\\r\\n';; *) exit 9;; esac";
        assert_eq!(on(&[("wl-paste", text)], &["WAYLAND_DISPLAY"]).await, Ok(Clip::Text("file:///a%20b.png".into())));
    }

    #[tokio::test]
    async fn ui_3_what_is_missing_is_said() {
        let none = on(&[], &[]).await.unwrap_err();
        assert!(none.contains("neither WAYLAND_DISPLAY nor DISPLAY"), "{none}");
        let empty = on(&[("wl-paste", "exit 1")], &["WAYLAND_DISPLAY"]).await.unwrap_err();
        assert_eq!(empty, "There is no image on the clipboard.");
        let desk =
            Desk { env: vec![("DISPLAY".into(), ":0".into()), ("PATH".into(), "/nowhere".into())], ..desk(&[], &[]) };
        let uninstalled = with(&desk, LINUX, PATIENCE).await.unwrap_err();
        assert_eq!(uninstalled, "The clipboard can't be read: install xclip, or paste the path of an image.");
    }

    #[tokio::test]
    async fn ui_3_hostile_clipboards_are_bounded() {
        let lies = "case \"$*\" in --list-types) echo image/png;; *) echo '<svg onload=x>';; esac";
        let error = on(&[("wl-paste", lies)], &["WAYLAND_DISPLAY"]).await.unwrap_err();
        assert!(error.contains("no PNG"), "{error}");
        let endless = "case \"$*\" in --list-types) echo image/png;; *) exec cat /dev/zero;; esac";
        let error = on(&[("wl-paste", endless)], &["WAYLAND_DISPLAY"]).await.unwrap_err();
        assert!(error.contains("larger than 3.75 MB"), "{error}");
        let hangs = desk(&[("wl-paste", "exec sleep 600")], &["WAYLAND_DISPLAY"]);
        let error = with(&hangs, LINUX, Duration::from_millis(50)).await.unwrap_err();
        assert_eq!(error, "wl-paste did not answer.");
    }

    #[tokio::test]
    async fn ui_3_on_macos_the_system_s_script_gives_hex() {
        let hex = "[ \"$1\" = -e ] && printf '«data PNGf89504E470D0A1A0A0000000D494844520000000100000001»\\n'";
        let desk = desk(&[("pngpaste", "exit 1"), ("osascript", hex)], &[]);
        assert_eq!(with(&desk, MACOS, Duration::from_secs(60)).await, Ok(png()));
    }
}
