//! Instructions and what they work on (PTX ISA, "Instruction Statements" and "Instruction Operands").

use super::function::Draft;
use super::lex::Token;
use super::{DEEPEST, Parser};
use crate::ast::{Instruction, Operand, Special};
use crate::error::Result;

impl<'s> Parser<'s> {
    /// One instruction, up to its semicolon.
    pub(super) fn instruction(&mut self, draft: &mut Draft<'s>) -> Result<()> {
        let guard = self.guard(draft)?;
        let line = self.line();
        let name = self.word("an instruction")?.to_owned();
        let mut modifiers = Vec::new();
        while let Some(modifier) = self.dotted() {
            modifiers.push(modifier.to_owned());
        }
        let mut operands = Vec::new();
        while !self.takes_sign(';') {
            operands.push(self.operand(draft, 0)?);
            if !self.takes_sign(',') && self.peek() != Some(Token::Sign(';')) {
                return self.unexpected(", or ;");
            }
        }
        draft.function.body.push(Instruction { line, guard, name, modifiers, operands });
        Ok(())
    }

    fn guard(&mut self, draft: &Draft<'s>) -> Result<Option<(crate::ast::Register, bool)>> {
        if !self.takes_sign('@') {
            return Ok(None);
        }
        let is_opposite = self.takes_sign('!');
        let name = self.word("a predicate")?;
        match draft.scopes.register(name) {
            Some(register) => Ok(Some((register, is_opposite))),
            None => Err(self.error(format!("an unknown register {name}"))),
        }
    }

    fn operand(&mut self, draft: &Draft<'s>, depth: usize) -> Result<Operand> {
        if depth > DEEPEST {
            return Err(self.error("an operand of too many parts"));
        }
        let first = match self.peek() {
            Some(Token::Sign('[')) => return self.memory(draft),
            Some(Token::Sign('{')) => return Ok(Operand::Vector(self.several(draft, '}', depth)?)),
            Some(Token::Sign('(')) if self.is_list() => {
                return Ok(Operand::List(self.several(draft, ')', depth)?));
            }
            Some(Token::Sign('!')) => return self.opposite(draft),
            Some(Token::Word(_)) => self.named(draft)?,
            _ => self.constant()?,
        };
        if self.takes_sign('|') {
            let second = self.operand(draft, depth + 1)?;
            return Ok(Operand::Pair(Box::new([first, second])));
        }
        Ok(first)
    }

    /// Arguments in parentheses, and not a constant in them.
    fn is_list(&self) -> bool {
        matches!(self.peek_after(1), Some(Token::Word(_) | Token::Sign(')')))
            || matches!(self.peek_after(2), Some(Token::Sign(',' | ')')))
    }

    fn several(&mut self, draft: &Draft<'s>, end: char, depth: usize) -> Result<Vec<Operand>> {
        self.at += 1;
        let mut operands = Vec::new();
        while !self.takes_sign(end) {
            operands.push(self.operand(draft, depth + 1)?);
            if !self.takes_sign(',') && self.peek() != Some(Token::Sign(end)) {
                return self.unexpected(&format!(", or {end}"));
            }
        }
        Ok(operands)
    }

    fn opposite(&mut self, draft: &Draft<'s>) -> Result<Operand> {
        self.at += 1;
        if self.is_constant() {
            return Ok(match self.constant()? {
                Operand::Integer(value) => Operand::Integer(u64::from(value == 0)),
                other => other,
            });
        }
        match self.named(draft)? {
            Operand::Register(register) => Ok(Operand::Not(register)),
            _ => self.unexpected("a predicate"),
        }
    }

    /// A register, a special register, a variable or a name that is looked up later.
    fn named(&mut self, draft: &Draft<'s>) -> Result<Operand> {
        let name = self.word("an operand")?;
        if name == "_" {
            return Ok(Operand::Sink);
        }
        if name == "WARP_SZ" {
            return Ok(Operand::Integer(32));
        }
        if let Some(register) = draft.scopes.register(name) {
            return Ok(Operand::Register(register));
        }
        if let Some(variable) = draft.scopes.variable(name) {
            return Ok(Operand::Variable(variable, self.offset()?));
        }
        if name.starts_with('%') {
            let part = self.dotted();
            let special = Special::named(name, part);
            let text =
                || format!("an unknown register {name}{}", part.map(|p| format!(".{p}")).unwrap_or_default());
            return special.map(Operand::Special).ok_or_else(|| self.error(text()));
        }
        Ok(Operand::Name(name.to_owned(), draft.scopes.current(), self.offset()?))
    }

    fn memory(&mut self, draft: &Draft<'s>) -> Result<Operand> {
        self.at += 1;
        let base = if self.is_constant() { self.constant()? } else { self.named(draft)? };
        let offset = self.offset()?;
        if self.takes_sign(']') {
            return Ok(Operand::Memory(Box::new(base), offset));
        }
        // A texture and its coordinates.
        while !self.takes_sign(']') {
            self.next()?;
        }
        Ok(Operand::Other)
    }
}
