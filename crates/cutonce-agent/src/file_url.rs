//! Paths as `file://` URLs, as servers expect and send them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The path as a `file://` URL, percent-encoded.
pub(crate) fn file_url(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let coded = bytes.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") });
    format!("file://{}", coded.collect::<String>())
}

/// The path of a `file://` URL. Programs escape different characters, so URLs can't be compared as text.
pub(crate) fn path_of_url(url: &str) -> Option<PathBuf> {
    let coded = url.strip_prefix("file://")?.as_bytes();
    let mut bytes = Vec::with_capacity(coded.len());
    let mut at = 0;
    while let Some(byte) = coded.get(at) {
        if *byte == b'%' {
            let digits = std::str::from_utf8(coded.get(at + 1..at + 3)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            bytes.push(*byte);
            at += 1;
        }
    }
    bytes.starts_with(b"/").then(|| PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_roots_are_file_urls() {
        assert_eq!(file_url(Path::new("/a b/ü#.d")), "file:///a%20b/%C3%BC%23.d");
    }

    #[test]
    fn du_11_urls_in_any_spelling_name_the_path() {
        let path = Path::new("/a b/@ü#.d");
        assert_eq!(path_of_url(&file_url(path)).as_deref(), Some(path));
        assert_eq!(path_of_url("file:///a%20b/@%c3%bc%23.d").as_deref(), Some(path));
        for wrong in ["https://x/a", "file://host/a", "file:///a%2", "file:///a%zz", "untitled:1"] {
            assert_eq!(path_of_url(wrong), None, "{wrong}");
        }
    }
}
