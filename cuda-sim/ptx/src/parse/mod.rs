//! Source text to a [`Module`].

mod constant;
mod directive;
mod function;
mod instruction;
mod lex;
mod scope;

use lex::{Placed, Token, tokens};

use crate::ast::Module;
use crate::error::{Error, Result};

/// How deep braces and parentheses may be nested.
const DEEPEST: usize = 64;

/// Reads a whole module.
pub fn parse(source: &str) -> Result<Module> {
    let tokens = tokens(source)?;
    let mut parser = Parser { tokens: &tokens, at: 0, module: Module::default() };
    parser.module()?;
    Ok(parser.module)
}

struct Parser<'s> {
    tokens: &'s [Placed<'s>],
    at: usize,
    module: Module,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Option<Token<'s>> {
        self.tokens.get(self.at).map(|&(token, _)| token)
    }

    fn peek_after(&self, skipped: usize) -> Option<Token<'s>> {
        self.tokens.get(self.at + skipped).map(|&(token, _)| token)
    }

    /// The line of the next token, or of the last.
    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |&(_, line)| line)
    }

    fn next(&mut self) -> Result<Token<'s>> {
        let token = self.peek().ok_or_else(|| self.error("the source ends too early"))?;
        self.at += 1;
        Ok(token)
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.line(), message)
    }

    /// What stands next in place of what was expected.
    fn unexpected<T>(&self, expected: &str) -> Result<T> {
        let found = self.peek().map_or("the end of the source".to_owned(), |token| match token {
            Token::Word(word) => word.to_owned(),
            Token::Dotted(word) => format!(".{word}"),
            Token::Integer(value) => value.to_string(),
            Token::Double(_) | Token::Single(_) => "a number".to_owned(),
            Token::Text(text) => format!("\"{text}\""),
            Token::Sign(sign) => sign.to_string(),
        });
        Err(self.error(format!("expected {expected}, found {found}")))
    }

    fn takes(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn takes_sign(&mut self, sign: char) -> bool {
        self.takes(Token::Sign(sign))
    }

    fn expect_sign(&mut self, sign: char) -> Result<()> {
        if self.takes_sign(sign) { Ok(()) } else { self.unexpected(&sign.to_string()) }
    }

    fn word(&mut self, what: &str) -> Result<&'s str> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.unexpected(what),
        }
    }

    fn dotted(&mut self) -> Option<&'s str> {
        match self.peek() {
            Some(Token::Dotted(word)) => {
                self.at += 1;
                Some(word)
            }
            _ => None,
        }
    }

    /// Skips to behind the next semicolon.
    fn skip_statement(&mut self) -> Result<()> {
        while self.next()? != Token::Sign(';') {}
        Ok(())
    }

    /// Skips what stands in braces, the first of which was taken.
    fn skip_braces(&mut self) -> Result<()> {
        let mut open = 1;
        while open > 0 {
            match self.next()? {
                Token::Sign('{') => open += 1,
                Token::Sign('}') => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
