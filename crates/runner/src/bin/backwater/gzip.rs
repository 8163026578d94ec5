//! Files that `gzip` has compressed.
//!
//! Invariant: a member whose length or checksum differs from its trailer, or that ends early, is an error, never a
//! shorter text. Several members, one after the other, are one text (RFC 1952, 2.2).

use std::io::{BufRead, Error, ErrorKind, Read, Result};

use crc::{CRC_32_ISO_HDLC, Crc, Digest};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

static CHECK: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Bits of the header's flags: a checksum of the header, further fields, the file's name, a comment.
const CHECKED: u8 = 2;
const FURTHER: u8 = 4;
const NAMED: u8 = 8;
const COMMENTED: u8 = 16;

/// The text inside a compressed source.
pub(crate) struct Unzipped<R> {
    source: R,
    /// The member that is being read.
    member: Option<Member>,
}

struct Member {
    state: Box<InflateState>,
    check: Digest<'static, u32>,
    length: u32,
}

impl<R: BufRead> Unzipped<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, member: None }
    }

    /// Reads the header of a member.
    fn begin(&mut self) -> Result<Member> {
        let mut head = [0; 10];
        self.source.read_exact(&mut head)?;
        let [0x1F, 0x8B, 8, flags, ..] = head else { return Err(damaged("a header")) };
        if flags & FURTHER != 0 {
            let mut length = [0; 2];
            self.source.read_exact(&mut length)?;
            self.skip(u64::from(u16::from_le_bytes(length)))?;
        }
        for flag in [NAMED, COMMENTED] {
            if flags & flag != 0 && self.source.skip_until(0)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        if flags & CHECKED != 0 {
            self.skip(2)?;
        }
        Ok(Member { state: InflateState::new_boxed(DataFormat::Raw), check: CHECK.digest(), length: 0 })
    }

    fn skip(&mut self, bytes: u64) -> Result<()> {
        let skipped = std::io::copy(&mut self.source.by_ref().take(bytes), &mut std::io::sink())?;
        if skipped == bytes { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    /// Compares the trailer of a member with its text.
    fn end(&mut self, member: Member) -> Result<()> {
        let mut trailer = [0; 8];
        self.source.read_exact(&mut trailer)?;
        let [a, b, c, d, e, f, g, h] = trailer;
        let expected = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        let found = (member.check.finalize(), member.length);
        if found == expected { Ok(()) } else { Err(damaged("a checksum")) }
    }
}

impl<R: BufRead> Read for Unzipped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            let mut member = match self.member.take() {
                Some(member) => member,
                None if self.source.fill_buf()?.is_empty() => return Ok(0),
                None => self.begin()?,
            };
            let input = self.source.fill_buf()?;
            let is_last = input.is_empty();
            let result = inflate(&mut member.state, input, buffer, MZFlush::None);
            self.source.consume(result.bytes_consumed);
            let written = result.bytes_written;
            member.check.update(&buffer[..written]);
            // The trailer has the length modulo 2^32.
            member.length = member.length.wrapping_add(written as u32);
            match result.status {
                Ok(MZStatus::StreamEnd) => self.end(member)?,
                Ok(_) => self.member = Some(member),
                // No progress without further input, which there is none of.
                Err(_) if is_last => return Err(ErrorKind::UnexpectedEof.into()),
                Err(_) => return Err(damaged("the data")),
            }
            if written > 0 || buffer.is_empty() {
                return Ok(written);
            }
            if is_last && self.member.is_some() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

fn damaged(part: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("it is compressed, and {part} of it is damaged"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec;

    fn zipped(text: &[u8], name: Option<&str>) -> Vec<u8> {
        let flags = if name.is_some() { NAMED } else { 0 };
        let mut bytes = vec![0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3];
        bytes.extend(name.into_iter().flat_map(|name| name.bytes().chain([0])));
        bytes.extend(compress_to_vec(text, 6));
        bytes.extend(CHECK.checksum(text).to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        Unzipped::new(bytes).read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn a_text_comes_back_whole_or_not_at_all() {
        let text = "0x0001 001 # a line\n".repeat(20_000).into_bytes();
        let one = zipped(&text, Some("cluster.lfts"));
        assert_eq!(read(&one).expect("it is whole"), text);
        let two = [one.clone(), zipped(b"more\n", None), zipped(b"", None)].concat();
        assert_eq!(read(&two).expect("it is whole"), [&text[..], b"more\n"].concat());
        for end in 1..one.len() {
            assert!(read(&one[..end]).is_err(), "cut at {end}");
        }
        for at in [0, 2, 30, one.len() - 9, one.len() - 1] {
            let mut wrong = one.clone();
            wrong[at] ^= 0x55;
            assert!(read(&wrong).map_or(true, |read| read != text), "changed at {at}");
        }
        let mut wrong = one.clone();
        let last = wrong.len() - 5;
        wrong[last] ^= 1;
        assert_eq!(read(&wrong).expect_err("a checksum differs").kind(), ErrorKind::InvalidData);
    }
}
