//! Constants and what variables hold at first.

use super::lex::Token;
use super::{DEEPEST, Parser};
use crate::ast::{Operand, Relocation, Type, Variable};
use crate::error::Result;

impl Parser<'_> {
    /// A constant, possibly with a sign before it: an integer, or the bits of a number.
    pub(super) fn constant(&mut self) -> Result<Operand> {
        self.constant_at(0)
    }

    fn constant_at(&mut self, depth: usize) -> Result<Operand> {
        if depth > DEEPEST {
            return Err(self.error("a constant of too many parts"));
        }
        if self.takes_sign('-') {
            return Ok(negated(self.constant_at(depth + 1)?));
        }
        if self.takes_sign('+') {
            return self.constant_at(depth + 1);
        }
        if self.takes_sign('~') {
            return Ok(match self.constant_at(depth + 1)? {
                Operand::Integer(value) => Operand::Integer(!value),
                other => other,
            });
        }
        if self.takes_sign('(') {
            // A cast such as `(s64)`.
            if let Some(Token::Dotted("s64" | "u64")) = self.peek() {
                self.at += 1;
                self.expect_sign(')')?;
                return self.constant_at(depth + 1);
            }
            let inner = self.constant_at(depth + 1)?;
            self.expect_sign(')')?;
            return Ok(inner);
        }
        let constant = match self.peek() {
            Some(Token::Integer(value)) => Operand::Integer(value),
            Some(Token::Double(bits)) => Operand::Double(bits),
            Some(Token::Single(bits)) => Operand::Single(bits),
            _ => return self.unexpected("a constant"),
        };
        self.at += 1;
        Ok(constant)
    }

    /// Whether a constant stands next.
    pub(super) fn is_constant(&self) -> bool {
        matches!(
            self.peek(),
            Some(
                Token::Integer(_) | Token::Double(_) | Token::Single(_) | Token::Sign('-' | '+' | '~' | '(')
            )
        )
    }

    /// A number of bytes to add, with its sign: nothing is 0.
    pub(super) fn offset(&mut self) -> Result<i64> {
        let mut total = 0_i64;
        loop {
            let negative = match self.peek() {
                Some(Token::Sign('+')) => false,
                Some(Token::Sign('-')) => true,
                _ => return Ok(total),
            };
            self.at += 1;
            let Operand::Integer(value) = self.constant()? else { return self.unexpected("bytes to add") };
            let value = if negative { (value as i64).wrapping_neg() } else { value as i64 };
            total = total.wrapping_add(value);
        }
    }

    /// What a variable of elements of this type holds at first, behind its `=`.
    pub(super) fn initial(&mut self, variable: &mut Variable, element: Type) -> Result<()> {
        self.initial_at(variable, element, 0)?;
        if variable.size != 0 && variable.initial.len() > variable.size {
            return Err(self.error(format!("{} is initialised beyond its size", variable.name)));
        }
        Ok(())
    }

    fn initial_at(&mut self, variable: &mut Variable, element: Type, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(self.error("an initial value of too many parts"));
        }
        if !self.takes_sign('{') {
            return self.initial_value(variable, element);
        }
        while !self.takes_sign('}') {
            self.initial_at(variable, element, depth + 1)?;
            if !self.takes_sign(',') && self.peek() != Some(Token::Sign('}')) {
                return self.unexpected(", or }");
            }
        }
        Ok(())
    }

    fn initial_value(&mut self, variable: &mut Variable, element: Type) -> Result<()> {
        let size = element.size();
        let mut shift = 0;
        let mut masked = false;
        let value = if self.is_constant() { Some(self.constant()?) } else { None };
        if let (Some(Operand::Integer(mask)), Some(Token::Sign('('))) = (&value, self.peek()) {
            // One byte of an address: `0xFF00(name)` is the second.
            shift = mask.trailing_zeros() & !7;
            masked = true;
            self.at += 1;
        }
        if let (Some(value), false) = (&value, masked) {
            let bits = bits(value, element).ok_or_else(|| self.error("a constant of another type"))?;
            variable.initial.extend_from_slice(&bits.to_le_bytes()[..size.min(8)]);
            variable.initial.resize(variable.initial.len() + size.saturating_sub(8), 0);
            return Ok(());
        }
        let mut word = self.word("a constant or a name")?;
        let mut addend = 0_i64;
        if word == "generic" && self.takes_sign('(') {
            word = self.word("a name")?;
            addend = self.offset()?;
            self.expect_sign(')')?;
        }
        addend = addend.wrapping_add(self.offset()?);
        if masked {
            self.expect_sign(')')?;
        }
        let offset = variable.initial.len();
        let symbol = word.to_owned();
        variable.relocations.push(Relocation { offset, size: size.min(8), symbol, addend, shift });
        variable.initial.resize(offset + size, 0);
        Ok(())
    }
}

fn negated(value: Operand) -> Operand {
    match value {
        Operand::Integer(value) => Operand::Integer(value.wrapping_neg()),
        Operand::Double(bits) => Operand::Double(bits ^ 1 << 63),
        Operand::Single(bits) => Operand::Single(bits ^ 1 << 31),
        other => other,
    }
}

/// The bits of a constant as a value of a type.
pub(crate) fn bits(value: &Operand, ty: Type) -> Option<u64> {
    match (value, ty.is_float(), ty.bits) {
        (&Operand::Integer(value), false, _) => Some(value),
        (&Operand::Integer(value), true, 64) => Some((value as i64 as f64).to_bits()),
        (&Operand::Integer(value), true, 32) => Some(u64::from((value as i64 as f32).to_bits())),
        (&Operand::Double(bits), true, 64) => Some(bits),
        (&Operand::Double(bits), true, 32) => Some(u64::from((f64::from_bits(bits) as f32).to_bits())),
        (&Operand::Single(bits), true, 32) => Some(u64::from(bits)),
        (&Operand::Single(bits), true, 64) => Some(f64::from(f32::from_bits(bits)).to_bits()),
        // `mov.b32 %r, 0f3F800000`: the bits as they are.
        (&Operand::Single(bits), false, 32..) => Some(u64::from(bits)),
        (&Operand::Double(bits), false, 64) => Some(bits),
        _ => None,
    }
}
