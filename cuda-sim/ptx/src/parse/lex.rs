//! Source text to tokens (PTX ISA, "Syntax").

use crate::error::{Error, Result};

/// The smallest piece of source that means something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// An identifier or a keyword without a dot: `add`, `%r1`, `$L__BB0_2`.
    Word(&'a str),
    /// A word that follows a dot, without it: `entry`, `f32`, `shared::cta`.
    Dotted(&'a str),
    /// An integer.
    Integer(u64),
    /// A floating-point number as the bits of an f64.
    Double(u64),
    /// The bits of an f32 (`0f3f800000`).
    Single(u32),
    /// The text between two quotes.
    Text(&'a str),
    /// One character that stands for itself.
    Sign(char),
}

/// A token and its line.
pub type Placed<'a> = (Token<'a>, u32);

/// All tokens of a source.
pub fn tokens(source: &str) -> Result<Vec<Placed<'_>>> {
    let mut lexer = Lexer { rest: source, line: 1 };
    let mut found = Vec::new();
    while let Some(token) = lexer.next()? {
        found.push(token);
    }
    Ok(found)
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Option<Placed<'a>>> {
        self.skip_blank()?;
        let line = self.line;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let token = match first {
            '0'..='9' => self.number()?,
            '"' => self.text()?,
            '.' if self.rest[1..].starts_with(is_word) => {
                self.take(1);
                Token::Dotted(self.dotted())
            }
            '%' if !self.rest[1..].starts_with(is_word) => self.sign(first),
            '%' => Token::Word(self.take(1 + word_length(&self.rest[1..]))),
            _ if is_word(first) => Token::Word(self.take(word_length(self.rest))),
            _ if first.is_ascii_graphic() => self.sign(first),
            _ => return Err(Error::new(line, format!("a character that PTX has no use for: {first:?}"))),
        };
        Ok(Some((token, line)))
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn sign(&mut self, sign: char) -> Token<'a> {
        self.take(sign.len_utf8());
        Token::Sign(sign)
    }

    /// A word with its qualifiers, as in `shared::cta` and `L2::128B`.
    fn dotted(&mut self) -> &'a str {
        let mut length = word_length(self.rest);
        while let Some(more) = self.rest[length..].strip_prefix("::").filter(|more| more.starts_with(is_word))
        {
            length += 2 + word_length(more);
        }
        self.take(length)
    }

    fn skip_blank(&mut self) -> Result<()> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.skip(blank);
            if self.rest.starts_with("//") || self.rest.starts_with('#') {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let end =
                    self.rest.find("*/").ok_or_else(|| Error::new(self.line, "a comment without an end"))?;
                self.skip(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn skip(&mut self, length: usize) {
        self.line += self.take(length).matches('\n').count() as u32;
    }

    fn text(&mut self) -> Result<Token<'a>> {
        let end = self.rest[1..].find('"').ok_or_else(|| Error::new(self.line, "a text without an end"))?;
        let whole = self.take(end + 2);
        self.line += whole.matches('\n').count() as u32;
        Ok(Token::Text(&whole[1..=end]))
    }

    fn number(&mut self) -> Result<Token<'a>> {
        let mut length = word_length(self.rest);
        let word = &self.rest[..length];
        let is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
        if !is_hexadecimal {
            length = decimal_length(self.rest, length);
        }
        let text = self.take(length);
        value(text).ok_or_else(|| Error::new(self.line, format!("{text} is no number")))
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

/// The length of a number that may go on after a point, or a sign of its exponent.
fn decimal_length(text: &str, mut length: usize) -> usize {
    if let Some(fraction) =
        text[length..].strip_prefix('.').filter(|more| more.starts_with(|c: char| c.is_ascii_digit()))
    {
        length += 1 + word_length(fraction);
    }
    let number = &text[..length];
    let has_exponent = number.ends_with(['e', 'E']) && !number.starts_with("0f") && !number.starts_with("0d");
    if let Some(exponent) = text[length..].strip_prefix(['+', '-']).filter(|_| has_exponent) {
        length += 1 + word_length(exponent);
    }
    length
}

fn value(text: &str) -> Option<Token<'_>> {
    let digits = |skip: usize, radix| u64::from_str_radix(text[skip..].trim_end_matches('U'), radix).ok();
    match text.get(..2) {
        Some("0x" | "0X") => digits(2, 16).map(Token::Integer),
        Some("0b" | "0B") => digits(2, 2).map(Token::Integer),
        Some("0f" | "0F") => u32::from_str_radix(&text[2..], 16).ok().map(Token::Single),
        Some("0d" | "0D") => digits(2, 16).map(Token::Double),
        _ if text.contains(['.', 'e', 'E']) => {
            text.parse::<f64>().ok().map(|value| Token::Double(value.to_bits()))
        }
        _ if text.len() > 1 && text.starts_with('0') => digits(1, 8).map(Token::Integer),
        _ => digits(0, 10).map(Token::Integer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(source: &str) -> Vec<Token<'_>> {
        tokens(source).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn an_instruction_falls_into_words_and_signs() {
        use Token::{Dotted, Sign, Word};
        let found = lex("@!%p1 ld.shared::cta.f32 %f1, [%r1+4];");
        let expected = [
            Sign('@'),
            Sign('!'),
            Word("%p1"),
            Word("ld"),
            Dotted("shared::cta"),
            Dotted("f32"),
            Word("%f1"),
            Sign(','),
            Sign('['),
            Word("%r1"),
            Sign('+'),
            Token::Integer(4),
            Sign(']'),
            Sign(';'),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_have_their_forms() {
        use Token::{Double, Integer, Single};
        let found = lex("42 0x1F 0b101 017 7U 0f3F800000 0d3FF0000000000000 1.5 2e-3 0");
        let expected = [
            Integer(42),
            Integer(31),
            Integer(5),
            Integer(15),
            Integer(7),
            Single(0x3f80_0000),
            Double(1f64.to_bits()),
            Double(1.5f64.to_bits()),
            Double(2e-3f64.to_bits()),
            Integer(0),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_are_counted_through_comments_and_texts() {
        let found = tokens("// one\n/* two\n three */ a \"x\ny\" b").unwrap();
        assert_eq!(found, [(Token::Word("a"), 3), (Token::Text("x\ny"), 3), (Token::Word("b"), 4)]);
    }

    #[test]
    fn what_has_no_end_is_named_with_its_line() {
        for (source, line) in [("\n/* x", 2), ("\n\n\"x", 3), ("a\n0xfg", 2), ("é", 1)] {
            assert_eq!(tokens(source).unwrap_err().line, line, "{source}");
        }
    }
}
