//! What sort of file it is, by its first bytes; names decide only for notebooks, which are JSON.

use cutonce_core::image::Form;
use encoding_rs::Encoding;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sort {
    Text,
    /// By its beginning; whether it is whole enough to be sent is for `core::image`.
    Image,
    Pdf,
    Notebook,
    Utf16(&'static Encoding),
    /// What it seems to be.
    Binary(&'static str),
}

/// How far the bytes are looked at.
const HEAD: usize = 8 << 10;

const BINARIES: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O program"),
    (b"MZ", "a Windows program"),
    (b"PK\x03\x04", "a zip archive, or a document in one"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0asm", "WebAssembly"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"\0\x01\0\0", "a font"),
    (b"!<arch>\n", "an archive of object files"),
];

impl Sort {
    pub fn of(start: &[u8], path: &Path) -> Sort {
        let head = &start[..start.len().min(HEAD)];
        if Form::of(head).is_some() {
            return Sort::Image;
        }
        if head.starts_with(b"%PDF-") {
            return Sort::Pdf;
        }
        if let Some(encoding) = utf16(head) {
            return Sort::Utf16(encoding);
        }
        if is_binary(head) {
            let known = BINARIES.iter().find(|(magic, _)| head.starts_with(magic));
            return Sort::Binary(known.map_or("of an unknown type", |(_, what)| what));
        }
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb")) {
            return Sort::Notebook;
        }
        Sort::Text
    }
}

/// Only with its mark: guessing would take some binary files for Chinese.
fn utf16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(encoding_rs::UTF_16LE),
        [0xfe, 0xff, ..] => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// A NUL, as grep has it, or so many control characters that it can't be text in any encoding.
fn is_binary(head: &[u8]) -> bool {
    let odd = head.iter().filter(|byte| matches!(byte, 0x01..=0x07 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)).count();
    memchr::memchr(0, head).is_some() || odd * 10 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_2_sorts_by_content() {
        let cases: &[(&[u8], &str, Sort)] = &[
            (b"fn main() {}", "a.rs", Sort::Text),
            (b"", "a.png", Sort::Text),
            (b"not an image", "a.png", Sort::Text),
            (b"MZ is how this text begins", "a.txt", Sort::Text),
            (b"\x89PNG\r\n\x1a\n....", "a.txt", Sort::Image),
            (b"\xff\xd8\xff\xe0", "a", Sort::Image),
            (b"GIF89a", "a", Sort::Image),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", "a", Sort::Image),
            (b"%PDF-1.7", "a", Sort::Pdf),
            (b"{}", "a.ipynb", Sort::Notebook),
            (b"\xff\xfea\0", "a", Sort::Utf16(encoding_rs::UTF_16LE)),
            (b"\x7fELF\x02\x01\x01\0\0", "a.txt", Sort::Binary("an ELF program or library")),
            (b"ab\0cd", "a.txt", Sort::Binary("of an unknown type")),
            (b"\x01\x02\x03\x04\x05", "a", Sort::Binary("of an unknown type")),
            (b"caf\xe9 in Latin-1", "a", Sort::Text),
            (b"\x1b[31mred\x1b[0m", "a.log", Sort::Text),
        ];
        for (bytes, name, sort) in cases {
            assert_eq!(Sort::of(bytes, Path::new(name)), *sort, "{bytes:?}");
        }
    }
}
