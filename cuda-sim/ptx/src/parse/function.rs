//! Kernels and functions.

use super::lex::Token;
use super::scope::Scopes;
use super::{DEEPEST, Parser};
use crate::ast::{Function, Operand, Space, Type, Variable};
use crate::error::{Error, Result};

/// A function and what is known while it is read.
pub(super) struct Draft<'s> {
    pub function: Function,
    pub scopes: Scopes<'s>,
}

impl<'s> Parser<'s> {
    /// A declaration or a definition, behind `.entry` or `.func`.
    pub(super) fn function(&mut self, is_entry: bool) -> Result<()> {
        let mut draft = Draft { function: Function::default(), scopes: Scopes::default() };
        draft.scopes.begin();
        let results = if self.takes_sign('(') { self.parameters()? } else { Vec::new() };
        let line = self.line();
        let name = self.word("the name of a function")?;
        let params = if self.takes_sign('(') { self.parameters()? } else { Vec::new() };
        for (name, variable) in results.iter().chain(&params) {
            draft.scopes.add_variable(name, variable.clone());
        }
        let variables = |all: Vec<(&str, Variable)>| all.into_iter().map(|(_, variable)| variable).collect();
        draft.function = Function {
            name: name.to_owned(),
            is_entry,
            line,
            results: variables(results),
            params: variables(params),
            ..Function::default()
        };
        self.limits(&mut draft.function)?;
        if self.takes_sign('{') {
            draft.function.has_body = true;
            self.body(&mut draft)?;
        } else {
            self.expect_sign(';')?;
        }
        let Scopes { parents, registers, variables, .. } = draft.scopes;
        self.add(Function { scopes: parents, registers, variables, ..draft.function })
    }

    /// A definition takes the place of a declaration.
    fn add(&mut self, function: Function) -> Result<()> {
        let known = self.module.functions.iter_mut().find(|known| known.name == function.name);
        match known {
            Some(known) if known.has_body && function.has_body => {
                Err(Error::new(function.line, format!("{} is defined twice", function.name)))
            }
            Some(known) if function.has_body => {
                *known = function;
                Ok(())
            }
            Some(_) => Ok(()),
            None => {
                self.module.functions.push(function);
                Ok(())
            }
        }
    }

    /// Parameters up to the closing parenthesis.
    fn parameters(&mut self) -> Result<Vec<(&'s str, Variable)>> {
        let mut found = Vec::new();
        while !self.takes_sign(')') {
            let space = self.dotted();
            if space == Some("reg") {
                return Err(Error::lacking(self.line(), "a parameter in a register"));
            }
            if space != Some("param") {
                return self.unexpected(".param");
            }
            let declared = self.declared(Space::Param, false)?;
            found.push(self.variable(&declared)?);
            if !self.takes_sign(',') && self.peek() != Some(Token::Sign(')')) {
                return self.unexpected(", or )");
            }
        }
        Ok(found)
    }

    /// What stands between the parameters and the body.
    fn limits(&mut self, function: &mut Function) -> Result<()> {
        while let Some(word) = self.dotted() {
            let mut numbers = Vec::new();
            while let Some(Token::Integer(value)) = self.peek() {
                self.at += 1;
                numbers.push(u32::try_from(value).unwrap_or(u32::MAX));
                if !self.takes_sign(',') {
                    break;
                }
            }
            let product = || numbers.iter().fold(1_u32, |product, &n| product.saturating_mul(n));
            match word {
                "maxntid" => function.max_threads = Some(product()),
                "reqntid" => {
                    let at = |index: usize| numbers.get(index).copied().unwrap_or(1);
                    function.required_block = Some([at(0), at(1), at(2)]);
                }
                "maxnreg" | "minnctapersm" | "maxnctapersm" | "noreturn" | "explicitcluster" => {}
                "reqnctapercluster" | "maxclusterrank" => {
                    return Err(Error::lacking(self.line(), format!(".{word}")));
                }
                "pragma" => self.skip_statement()?,
                _ => return Err(self.error(format!("an unknown directive .{word}"))),
            }
        }
        Ok(())
    }

    /// Statements up to the brace that ends the function.
    fn body(&mut self, draft: &mut Draft<'s>) -> Result<()> {
        loop {
            if self.takes_sign('}') {
                if draft.scopes.depth() == 1 {
                    return Ok(());
                }
                draft.scopes.end();
            } else if self.takes_sign('{') {
                if draft.scopes.depth() > DEEPEST {
                    return Err(self.error("braces are nested too deep"));
                }
                draft.scopes.begin();
            } else if !self.takes_sign(';') {
                self.statement(draft)?;
            }
        }
    }

    fn statement(&mut self, draft: &mut Draft<'s>) -> Result<()> {
        if let (Some(Token::Word(label)), Some(Token::Sign(':'))) = (self.peek(), self.peek_after(1)) {
            self.at += 2;
            return self.label(draft, label);
        }
        match self.dotted() {
            None => self.instruction(draft),
            Some("reg") => self.registers(draft),
            Some("pragma" | "loc") => self.skip_location(),
            Some(word) => match Space::named(word) {
                Some(space) => self.variables(draft, space),
                None => Err(self.error(format!("an unknown directive .{word}"))),
            },
        }
    }

    fn label(&mut self, draft: &mut Draft<'s>, name: &str) -> Result<()> {
        let scope = draft.scopes.current();
        match self.peek() {
            Some(Token::Dotted("branchtargets")) => {
                self.at += 1;
                let mut labels = vec![self.word("a label")?.to_owned()];
                while self.takes_sign(',') {
                    labels.push(self.word("a label")?.to_owned());
                }
                draft.function.tables.push((scope, name.to_owned(), labels));
                self.expect_sign(';')
            }
            // What an indirect call may call is known when it is called.
            Some(Token::Dotted("callprototype" | "calltargets")) => self.skip_statement(),
            _ => {
                draft.function.labels.push((scope, name.to_owned(), draft.function.body.len()));
                Ok(())
            }
        }
    }

    /// `.loc` goes to the end of its line and has no semicolon.
    fn skip_location(&mut self) -> Result<()> {
        let line = self.tokens[self.at - 1].1;
        while self.tokens.get(self.at).is_some_and(|&(_, at)| at == line) {
            if self.takes_sign(';') {
                break;
            }
            self.at += 1;
        }
        Ok(())
    }

    fn registers(&mut self, draft: &mut Draft<'s>) -> Result<()> {
        let name = self.dotted().unwrap_or_default();
        if matches!(name, "v2" | "v4") {
            return Err(Error::lacking(self.line(), "a register of several elements"));
        }
        let Some(ty) = Type::named(name) else { return self.unexpected("a type") };
        loop {
            let name = self.word("the name of a register")?;
            let count = self.family()?;
            if !draft.scopes.declare(name, ty, count) {
                return Err(self.error("too many registers"));
            }
            if !self.takes_sign(',') {
                return self.expect_sign(';');
            }
        }
    }

    fn family(&mut self) -> Result<Option<u32>> {
        if !self.takes_sign('<') {
            return Ok(None);
        }
        let Operand::Integer(count) = self.constant()? else {
            return self.unexpected("a number of registers");
        };
        self.expect_sign('>')?;
        Ok(Some(u32::try_from(count).unwrap_or(u32::MAX)))
    }

    fn variables(&mut self, draft: &mut Draft<'s>, space: Space) -> Result<()> {
        let declared = self.declared(space, false)?;
        loop {
            let (name, variable) = self.variable(&declared)?;
            draft.scopes.add_variable(name, variable);
            if !self.takes_sign(',') {
                return self.expect_sign(';');
            }
        }
    }
}
