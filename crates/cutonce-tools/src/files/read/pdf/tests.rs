//! Tests with handmade and hostile pages.

use super::*;
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;

/// Builds a file of these objects, numbered from 1; the first is the catalog.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    for (index, object) in objects.iter().enumerate() {
        out.extend(format!("{} 0 obj\n", index + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    out.extend(b"trailer\n<< /Root 1 0 R >>\n%%EOF");
    out
}

fn stream(dict: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {dict} /Length {} >>\nstream\n", bytes.len()).into_bytes();
    out.extend(bytes);
    out.extend(b"\nendstream");
    out
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Builds one page with this content and font.
fn one_page(font: &str, content: &[u8]) -> Vec<u8> {
    pdf(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /Resources << /Font << /F1 5 0 R >> >> >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_vec(),
        stream("/Filter /FlateDecode", &packed(content)),
        font.as_bytes().to_vec(),
    ])
}

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 32 /Widths [278] >>";

#[test]
fn tl_2_positions_separate_words_and_lines() {
    let content = b"BT /F1 10 Tf 50 700 Td (Hello) Tj 100 0 Td (there) Tj -100 -12 Td [(ne) -20 (xt) -500 (word)] TJ \
        0 -40 Td (caf\\351 \\(x\\)) Tj ET q 1 0 0 1 0 0 cm BT /F1 10 Tf 1 0 0 1 50 600 Tm <414243> Tj ET Q";
    let out = pdf_text(&one_page(HELVETICA, content), 1, None).unwrap();
    assert_eq!(out, "[page 1]\nHello there\nnext word\n\ncafé (x)\n\nABC");
}

#[test]
fn tl_2_custom_font_codes_use_their_maps() {
    let differences = "<< /Type /Font /Subtype /Type1 /Encoding << /Differences [1 /H /eacute /fi /uni4E2D] >> >>";
    let out = pdf_text(&one_page(differences, b"BT /F1 10 Tf (\\001\\002\\003\\004) Tj ET"), 1, None).unwrap();
    assert_eq!(out, "[page 1]\nHéfi中");
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Contents [4 0 R] /Resources << /Font << /F1 5 0 R >> >> >>".to_vec(),
        stream("", b"BT /F1 10 Tf <000100020010> Tj ET"),
        b"<< /Type /Font /Subtype /Type0 /ToUnicode 6 0 R /DescendantFonts [<< /DW 500 /W [1 [600 700]] >>] >>"
            .to_vec(),
    ];
    let map = "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0001> <D83DDE00> endbfchar \
        2 beginbfrange <0002> <0003> <0041> <0010> <0011> [<00660066> <0062>] endbfrange";
    objects.push(stream("/Filter /FlateDecode", &packed(map.as_bytes())));
    assert_eq!(pdf_text(&pdf(&objects), 1, None).unwrap(), "[page 1]\n😀Aff");
}

#[test]
fn tl_2_object_streams_and_page_ranges() {
    let mut body = String::new();
    let parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] >>",
        "<< /Type /Page /Contents 7 0 R /Resources 8 0 R >>",
        "<< /Type /Page /Contents 7 0 R /Resources 8 0 R >>",
        "<< /Type /Page >>",
    ];
    let mut header = String::new();
    for (index, part) in parts.iter().enumerate() {
        header.push_str(&format!("{} {} ", index + 1, body.len()));
        body.push_str(part);
        body.push(' ');
    }
    let packed_objects = packed(format!("{header}{body}").as_bytes());
    let dict = format!("/Type /ObjStm /N 5 /First {} /Filter /FlateDecode", header.len());
    let mut file = b"%PDF-1.7\n6 0 obj\n".to_vec();
    file.extend(stream(&dict, &packed_objects));
    file.extend(b"\nendobj\n7 0 obj\n");
    file.extend(stream("", b"BT /F 9 Tf (same) Tj ET"));
    file.extend(b"\nendobj\n8 0 obj\n<< /Font << /F << /Type /Font /Subtype /TrueType >> >> >>\nendobj\n");
    file.extend(b"9 0 obj\n");
    file.extend(stream("/Type /XRef /Root 1 0 R", b""));
    let all = pdf_text(&file, 1, None).unwrap();
    assert_eq!(all, "[page 1]\nsame\n\n[page 2]\nsame\n\n[page 3]\n(no text on this page; it may be an image)");
    assert_eq!(pdf_text(&file, 2, Some(1)).unwrap(), "[page 2]\nsame\n\n[Pages 2-2 of 3. Read on with offset=3.]");
    assert_eq!(pdf_text(&file, 4, None), Err("`offset`: expected a page from 1 to 3, got 4".into()));
}

#[test]
fn tl_2_hostile_pdfs_get_an_error() {
    let mut encrypted = one_page(HELVETICA, b"");
    encrypted.extend(b"trailer << /Encrypt 9 0 R /Root 1 0 R >>");
    assert_eq!(pdf_text(&encrypted, 1, None), Err("an encrypted PDF; its text can't be read".into()));
    assert!(pdf_text(b"%PDF-1.7", 1, None).unwrap_err().contains("without pages"));
    // A tree that contains itself, a reference to itself, a form that draws itself.
    let looped = pdf(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [2 0 R 3 0 R] >>".to_vec(),
        b"<< /Type /Page /Contents 4 0 R /Resources << /XObject << /X 4 0 R >> /Font 5 0 R >> >>".to_vec(),
        stream("/Subtype /Form", b"/X Do /X Do BT /F1 9 Tf (x) Tj ET"),
        b"5 0 R".to_vec(),
    ]);
    assert!(pdf_text(&looped, 1, None).unwrap().contains("no text"));
    // A bomb: unpacks to far more than the limit.
    let bomb = one_page(HELVETICA, &vec![b' '; 64 << 20]);
    assert!(pdf_text(&bomb, 1, None).unwrap().contains("no text"));
    let deep = one_page(HELVETICA, &b"[".repeat(1 << 20));
    assert!(pdf_text(&deep, 1, None).is_ok());
    let deep = [b"%PDF-1.7 1 0 obj ".to_vec(), b"<</A ".repeat(1 << 18)].concat();
    assert!(pdf_text(&deep, 1, None).is_err());
}

proptest::proptest! {
    /// No damage causes a panic, which would end the program (TL-2).
    #[test]
    fn tl_2_damaged_pdfs_never_panic(at in 0usize..2_000, bytes: Vec<u8>, cut in 0usize..2_000) {
        let content = b"BT /F1 10 Tf 50 700 Td (Hello) Tj [(a) -500 <4142>] TJ T* (x) ' 1 2 (y) \" ET BI /W 1 ID xx EI";
        let mut file = one_page(HELVETICA, content);
        let at = at.min(file.len());
        let end = (at + bytes.len()).min(file.len());
        file.splice(at..end, bytes);
        file.truncate(file.len().saturating_sub(cut));
        let _ = pdf_text(&file, 1, None);
    }
}
