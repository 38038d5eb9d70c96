//! What an image is, told by its first bytes (TL-2, AG-4): a provider answers 400 to one that it can't decode or that is too large,
//! and a conversation that holds such an image is refused again at every request. So nothing goes along that has no header.

use crate::conversation::Image;
use base64::Engine;

/// Providers take no more in either direction.
pub const MOST_PIXELS: u32 = 8_000;
/// Providers take images of up to 5 MB in base64.
pub const LARGEST: usize = (5 << 20) / 4 * 3;

/// The forms that providers take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Png,
    Jpeg,
    Gif,
    Webp,
}

/// Why an image can't be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    #[error("its data are empty or no base64")]
    NoBase64,
    #[error("it is no PNG, JPEG, GIF or WebP image")]
    NoImage,
    #[error("it begins like a {0} image, but has no size: it is broken or cut off")]
    NoSize(&'static str),
    #[error("it has {width} x {height} pixels; at most {MOST_PIXELS} each way can be sent: make it smaller first")]
    TooLarge { width: u32, height: u32 },
    #[error("it has {}.{:02} MB; at most 3.75 MB can be sent: make it smaller first", hundredths / 100, hundredths % 100)]
    TooLong { hundredths: u64 },
}

impl Form {
    /// By the first bytes alone.
    pub fn of(bytes: &[u8]) -> Option<Form> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Form::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Form::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Form::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Form::Webp),
            _ => None,
        }
    }
    pub fn media_type(self) -> &'static str {
        match self {
            Form::Png => "image/png",
            Form::Jpeg => "image/jpeg",
            Form::Gif => "image/gif",
            Form::Webp => "image/webp",
        }
    }
    fn name(self) -> &'static str {
        match self {
            Form::Png => "PNG",
            Form::Jpeg => "JPEG",
            Form::Gif => "GIF",
            Form::Webp => "WebP",
        }
    }
    /// Width and height, as the header says.
    fn size(self, bytes: &[u8]) -> Option<(u32, u32)> {
        match self {
            Form::Png => png(bytes),
            Form::Jpeg => jpeg(bytes),
            Form::Gif => Some((little(bytes, 6, 2)?, little(bytes, 8, 2)?)),
            Form::Webp => webp(bytes),
        }
    }
}

/// The form of an image that can be sent, or why it can't.
pub fn check(bytes: &[u8]) -> Result<Form, ImageError> {
    let form = Form::of(bytes).ok_or(ImageError::NoImage)?;
    match form.size(bytes) {
        None | Some((0, _) | (_, 0)) => Err(ImageError::NoSize(form.name())),
        Some((width, height)) if width.max(height) > MOST_PIXELS => Err(ImageError::TooLarge { width, height }),
        Some(_) => Ok(form),
    }
}

/// What is said of a file that is too long to be looked at.
pub fn too_long(bytes: u64) -> ImageError {
    ImageError::TooLong { hundredths: bytes.saturating_mul(100) >> 20 }
}

/// An image as it is sent.
pub fn encode(bytes: &[u8]) -> Result<Image, ImageError> {
    if bytes.len() > LARGEST {
        return Err(too_long(bytes.len() as u64));
    }
    let media_type = check(bytes)?.media_type().to_string();
    Ok(Image { media_type, data: base64::engine::general_purpose::STANDARD.encode(bytes) })
}

/// An image that came as base64 (HO-1, HO-5): its type is what its bytes are, whatever it was called.
pub fn given(data: String) -> Result<Image, ImageError> {
    let length = data.len() / 4 * 3;
    if length > LARGEST + 3 {
        return Err(too_long(length as u64));
    }
    let bytes = base64::engine::general_purpose::STANDARD.decode(&data).map_err(|_| ImageError::NoBase64)?;
    match bytes.len() {
        0 => Err(ImageError::NoBase64),
        length if length > LARGEST => Err(too_long(length as u64)),
        _ => Ok(Image { media_type: check(&bytes)?.media_type().to_string(), data }),
    }
}

/// The first chunk of a PNG is its header.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.get(12..16) == Some(b"IHDR");
    header.then(|| Some((big(bytes, 16, 4)?, big(bytes, 20, 4)?))).flatten()
}

/// Segments are walked until the one that starts a frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            // A marker may be filled up with any number of these.
            0xff => at += 1,
            // Markers without a length.
            0x01 | 0xd0..=0xd8 => at += 2,
            // The picture ends or its data begins, and no frame was named.
            0xd9 | 0xda => return None,
            0xc4 | 0xc8 | 0xcc => at += segment(bytes, at)?,
            0xc0..=0xcf => return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?)),
            _ => at += segment(bytes, at)?,
        }
    }
}

/// The marker, and its segment with the two bytes of its length.
fn segment(bytes: &[u8], at: usize) -> Option<usize> {
    let length = big(bytes, at + 2, 2)? as usize;
    (length >= 2).then_some(2 + length)
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        b"VP8L" if bytes.get(20) == Some(&0x2f) => {
            let sizes = little(bytes, 21, 4)?;
            Some(((sizes & 0x3fff) + 1, ((sizes >> 14) & 0x3fff) + 1))
        }
        b"VP8 " if bytes.get(23..26) == Some(&[0x9d, 0x01, 0x2a]) => {
            Some((little(bytes, 26, 2)? & 0x3fff, little(bytes, 28, 2)? & 0x3fff))
        }
        _ => None,
    }
}

fn big(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().rev().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn png_of(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &size, &[8, 6, 0, 0, 0]].concat()
    }

    const JPEG: &[u8] =
        b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc4\x00\x03h\xff\xc2\x00\x0b\x08\x00\x07\x00\x09\x01\x01\x11\x00";
    const GIF: &[u8] = b"GIF89a\x09\x00\x07\x00\x80";
    const VP8: &[u8] = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0abc\x9d\x01\x2a\x09\x40\x07\x00";
    const VP8L: &[u8] = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x08\x80\x01\x00";
    const VP8X: &[u8] = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0abcd\x08\x00\x00\x06\x00\x00";

    #[test]
    fn tl_2_the_size_is_in_the_header_of_each_form() {
        let png = png_of(9, 7);
        let images: [(&[u8], Form); 6] = [
            (&png, Form::Png),
            (JPEG, Form::Jpeg),
            (GIF, Form::Gif),
            (VP8, Form::Webp),
            (VP8L, Form::Webp),
            (VP8X, Form::Webp),
        ];
        for (bytes, form) in images {
            assert_eq!((check(bytes), form.size(bytes)), (Ok(form), Some((9, 7))), "{form:?}");
            // Cut off before the size ends: never an image.
            let first = (0..bytes.len()).find(|end| check(&bytes[..*end]).is_ok()).unwrap_or(bytes.len());
            assert!(first >= 10 && form.size(&bytes[..first]).is_some() || first == bytes.len(), "{form:?} {first}");
        }
    }

    #[test]
    fn ag_4_what_a_provider_would_refuse_does_not_pass() {
        assert_eq!(check(b"\x89PNG\r\n\x1a\n"), Err(ImageError::NoSize("PNG")));
        assert_eq!(check(b"\x89PNG\r\n\x1a\nno header at all, but long enough"), Err(ImageError::NoSize("PNG")));
        assert_eq!(check(b"\xff\xd8\xff\xd9"), Err(ImageError::NoSize("JPEG")));
        assert_eq!(check(b"\xff\xd8\xff\xe0\x00\x00\xff\xc0"), Err(ImageError::NoSize("JPEG")));
        assert_eq!(check(&png_of(0, 5)), Err(ImageError::NoSize("PNG")));
        assert_eq!(check(b"<svg>"), Err(ImageError::NoImage));
        assert_eq!(check(&png_of(8_000, 1)), Ok(Form::Png));
        assert_eq!(check(&png_of(1, 8_001)), Err(ImageError::TooLarge { width: 1, height: 8_001 }));
        let told = check(&png_of(1, 8_001)).map_err(|error| error.to_string());
        assert_eq!(
            told.unwrap_err(),
            "it has 1 x 8001 pixels; at most 8000 each way can be sent: make it smaller first"
        );
    }

    #[test]
    fn ho_1_what_comes_as_base64_is_checked_like_a_file() {
        let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
        assert_eq!(given(base64(GIF)).map(|image| image.media_type), Ok("image/gif".into()));
        assert_eq!(given(base64(&png_of(9_000, 1))), Err(ImageError::TooLarge { width: 9_000, height: 1 }));
        assert_eq!(given(base64(b"A")), Err(ImageError::NoImage));
        for data in ["", "no base64!", "QQ="] {
            assert_eq!(given(data.into()), Err(ImageError::NoBase64), "{data}");
        }
        assert!(matches!(given(base64(&[GIF, &vec![0; LARGEST]].concat())), Err(ImageError::TooLong { .. })));
        assert!(matches!(given("A".repeat(64 << 20)), Err(ImageError::TooLong { .. })));
    }

    proptest! {
        #[test]
        fn ag_4_no_bytes_hold_it_up(start in 0..5usize, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let starts: [&[u8]; 5] = [b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBPVP8", b"GIF89a", b"\x89PNG\r\n\x1a\n", b""];
            let _ = check(&[starts[start], &bytes].concat());
        }
    }
}
