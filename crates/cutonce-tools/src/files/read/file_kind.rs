//! Detects the kind of a file by its first bytes; names matter only for notebooks, which are JSON.

use cutonce_core::image::ImageFormat;
use encoding_rs::Encoding;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FileKind {
    Text,
    /// Detected by its beginning; `core::image` checks whether it is complete.
    Image,
    Pdf,
    Notebook,
    Utf16(&'static Encoding),
    /// A description of the detected format.
    Binary(&'static str),
}

/// Number of bytes to look at.
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

impl FileKind {
    pub fn detect(start: &[u8], path: &Path) -> FileKind {
        let head = &start[..start.len().min(HEAD)];
        if ImageFormat::detect(head).is_some() {
            return FileKind::Image;
        }
        if head.starts_with(b"%PDF-") {
            return FileKind::Pdf;
        }
        if let Some(encoding) = detect_utf16(head) {
            return FileKind::Utf16(encoding);
        }
        if is_binary(head) {
            let known = BINARIES.iter().find(|(magic, _)| head.starts_with(magic));
            return FileKind::Binary(known.map_or("of an unknown type", |(_, what)| what));
        }
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb")) {
            return FileKind::Notebook;
        }
        FileKind::Text
    }
}

/// Detects UTF-16 only by its mark: guessing would take some binary files for Chinese.
fn detect_utf16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(encoding_rs::UTF_16LE),
        [0xfe, 0xff, ..] => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// True for a NUL byte, as in grep, or too many control characters for any text encoding.
fn is_binary(head: &[u8]) -> bool {
    let odd = head.iter().filter(|byte| matches!(byte, 0x01..=0x07 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)).count();
    memchr::memchr(0, head).is_some() || odd * 10 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_2_detects_kinds_by_content() {
        let cases: &[(&[u8], &str, FileKind)] = &[
            (b"fn main() {}", "a.rs", FileKind::Text),
            (b"", "a.png", FileKind::Text),
            (b"not an image", "a.png", FileKind::Text),
            (b"MZ is how this text begins", "a.txt", FileKind::Text),
            (b"\x89PNG\r\n\x1a\n....", "a.txt", FileKind::Image),
            (b"\xff\xd8\xff\xe0", "a", FileKind::Image),
            (b"GIF89a", "a", FileKind::Image),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", "a", FileKind::Image),
            (b"%PDF-1.7", "a", FileKind::Pdf),
            (b"{}", "a.ipynb", FileKind::Notebook),
            (b"\xff\xfea\0", "a", FileKind::Utf16(encoding_rs::UTF_16LE)),
            (b"\x7fELF\x02\x01\x01\0\0", "a.txt", FileKind::Binary("an ELF program or library")),
            (b"ab\0cd", "a.txt", FileKind::Binary("of an unknown type")),
            (b"\x01\x02\x03\x04\x05", "a", FileKind::Binary("of an unknown type")),
            (b"caf\xe9 in Latin-1", "a", FileKind::Text),
            (b"\x1b[31mred\x1b[0m", "a.log", FileKind::Text),
        ];
        for (bytes, name, sort) in cases {
            assert_eq!(FileKind::detect(bytes, Path::new(name)), *sort, "{bytes:?}");
        }
    }
}
