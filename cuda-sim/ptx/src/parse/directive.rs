//! Directives of a module, and declarations (PTX ISA, "Directives").

use super::Parser;
use super::lex::Token;
use crate::ast::{Operand, Space, Type, Variable};
use crate::error::{Error, Result};

/// What a declaration says before its name.
pub(super) struct Declared {
    space: Space,
    align: Option<usize>,
    pub element: Type,
    vector: usize,
    is_extern: bool,
}

/// More bytes than any memory of a device has.
const LARGEST: u64 = 1 << 40;

impl<'s> Parser<'s> {
    /// The whole source.
    pub(super) fn module(&mut self) -> Result<()> {
        let mut is_extern = false;
        while let Some(token) = self.peek() {
            let Token::Dotted(word) = token else {
                if self.takes_sign(';') {
                    continue;
                }
                return self.unexpected("a directive");
            };
            self.at += 1;
            let linkage = std::mem::take(&mut is_extern);
            match word {
                "version" => self.version()?,
                "target" => self.target()?,
                "address_size" => self.address_size()?,
                "visible" | "weak" | "common" => is_extern = linkage,
                "extern" => is_extern = true,
                "entry" | "func" => self.function(word == "entry")?,
                "global" | "const" | "shared" | "local" => {
                    let space = Space::named(word).unwrap_or(Space::Global);
                    self.module_variables(space, linkage)?;
                }
                "file" => self.file()?,
                "section" => self.section()?,
                "pragma" => self.skip_statement()?,
                "alias" => self.alias()?,
                "tex" | "texref" | "surfref" | "samplerref" => {
                    return Err(Error::lacking(self.line(), format!(".{word}")));
                }
                _ => return Err(self.error(format!("an unknown directive .{word}"))),
            }
        }
        Ok(())
    }

    fn version(&mut self) -> Result<()> {
        // `8.8` is a number for the lexer; its parts are what counts.
        let Token::Double(bits) = self.next()? else { return self.unexpected("a version such as 8.0") };
        let tenths = (f64::from_bits(bits) * 10.0).round();
        self.module.version = ((tenths / 10.0) as u32, (tenths % 10.0) as u32);
        Ok(())
    }

    fn target(&mut self) -> Result<()> {
        self.module.target = self.word("an architecture such as sm_70")?.to_owned();
        while self.takes_sign(',') {
            self.word("an option of the target")?;
        }
        Ok(())
    }

    fn address_size(&mut self) -> Result<()> {
        match self.next()? {
            Token::Integer(64) => Ok(()),
            _ => Err(Error::lacking(self.line(), "an address size other than 64")),
        }
    }

    fn file(&mut self) -> Result<()> {
        while matches!(self.peek(), Some(Token::Integer(_) | Token::Text(_) | Token::Sign(','))) {
            self.at += 1;
        }
        Ok(())
    }

    fn section(&mut self) -> Result<()> {
        while !self.takes_sign('{') {
            self.next()?;
        }
        self.skip_braces()
    }

    fn alias(&mut self) -> Result<()> {
        let alias = self.word("a name")?.to_owned();
        self.expect_sign(',')?;
        let target = self.word("the name of a function")?.to_owned();
        self.module.aliases.push((alias, target));
        self.expect_sign(';')
    }

    fn module_variables(&mut self, space: Space, is_extern: bool) -> Result<()> {
        let declared = self.declared(space, is_extern)?;
        loop {
            let (_, variable) = self.variable(&declared)?;
            self.module.variables.push(variable);
            if !self.takes_sign(',') {
                return self.expect_sign(';');
            }
        }
    }

    /// What stands between the space and the name: alignment, attributes, vector and type.
    pub(super) fn declared(&mut self, space: Space, is_extern: bool) -> Result<Declared> {
        let (mut align, mut vector) = (None, 1);
        loop {
            match self.dotted() {
                Some("align") => align = Some(self.alignment()?),
                Some("attribute") => self.skip_attribute()?,
                Some("v2") => vector = 2,
                Some("v4") => vector = 4,
                Some("v8") => vector = 8,
                Some(name) => {
                    let Some(element) = Type::named(name) else {
                        return Err(self.error(format!("an unknown type .{name}")));
                    };
                    self.skip_pointer()?;
                    return Ok(Declared { space, align, element, vector, is_extern });
                }
                None => return self.unexpected("a type"),
            }
        }
    }

    fn alignment(&mut self) -> Result<usize> {
        match self.next()? {
            Token::Integer(align) if align.is_power_of_two() && align <= 4096 => Ok(align as usize),
            _ => Err(self.error("expected an alignment: a power of two up to 4096")),
        }
    }

    /// `.attribute(.managed)`
    fn skip_attribute(&mut self) -> Result<()> {
        self.expect_sign('(')?;
        while !self.takes_sign(')') {
            self.next()?;
        }
        Ok(())
    }

    /// `.ptr .global .align 4` of a kernel's parameter: what a pointer points to.
    fn skip_pointer(&mut self) -> Result<()> {
        if !self.takes(Token::Dotted("ptr")) {
            return Ok(());
        }
        while let Some(word) = self.dotted() {
            if word == "align" {
                self.alignment()?;
            }
        }
        Ok(())
    }

    /// A name, its dimensions and what it holds at first.
    pub(super) fn variable(&mut self, declared: &Declared) -> Result<(&'s str, Variable)> {
        let line = self.line();
        let name = self.word("a name")?;
        let element = declared.element.size() * declared.vector;
        let mut variable = Variable {
            name: name.to_owned(),
            space: declared.space,
            align: declared.align.unwrap_or(element.max(1)),
            size: self.array_size(element)?,
            initial: Vec::new(),
            relocations: Vec::new(),
            is_extern: declared.is_extern,
            line,
        };
        if self.takes_sign('=') {
            self.initial(&mut variable, declared.element)?;
            if variable.size == 0 {
                variable.size = variable.initial.len();
            }
        }
        Ok((name, variable))
    }

    /// The bytes of all elements: `[3][4]` has twelve, `[]` says 0.
    fn array_size(&mut self, element: usize) -> Result<usize> {
        let mut size = element as u64;
        while self.takes_sign('[') {
            if self.takes_sign(']') {
                size = 0;
                continue;
            }
            let Operand::Integer(count) = self.constant()? else {
                return self.unexpected("a number of elements");
            };
            self.expect_sign(']')?;
            size = size
                .checked_mul(count)
                .filter(|&size| size <= LARGEST)
                .ok_or_else(|| self.error("an array too large"))?;
        }
        Ok(size as usize)
    }
}
