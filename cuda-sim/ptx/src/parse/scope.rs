//! Names in a function: each pair of braces is a scope.

use std::collections::HashMap;

use crate::ast::{Register, Type, Variable};

/// The names that are known where the parser is.
#[derive(Default)]
pub(super) struct Scopes<'s> {
    open: Vec<Scope<'s>>,
    /// The scope around each scope.
    pub parents: Vec<usize>,
    /// How many registers were declared.
    pub registers: u32,
    /// All variables.
    pub variables: Vec<Variable>,
}

#[derive(Default)]
struct Scope<'s> {
    id: usize,
    registers: HashMap<&'s str, Register>,
    /// `%r<10>`: ten registers by their common beginning.
    families: HashMap<&'s str, (Register, u32)>,
    variables: HashMap<&'s str, usize>,
}

/// More are no program, but an attack on memory.
const MOST_REGISTERS: u32 = 1 << 16;

impl<'s> Scopes<'s> {
    pub fn begin(&mut self) {
        let id = self.parents.len();
        self.parents.push(self.current());
        self.open.push(Scope { id, ..Scope::default() });
    }

    pub fn end(&mut self) {
        self.open.pop();
    }

    pub fn depth(&self) -> usize {
        self.open.len()
    }

    pub fn current(&self) -> usize {
        self.open.last().map_or(0, |scope| scope.id)
    }

    /// Declares a register, or `count` of a family. False if there are too many.
    pub fn declare(&mut self, name: &'s str, ty: Type, count: Option<u32>) -> bool {
        let register = Register { slot: self.registers, ty };
        let Some(scope) = self.open.last_mut() else { return false };
        match count {
            None => drop(scope.registers.insert(name, register)),
            Some(count) => drop(scope.families.insert(name, (register, count))),
        }
        self.registers = self.registers.saturating_add(count.unwrap_or(1));
        self.registers <= MOST_REGISTERS
    }

    pub fn add_variable(&mut self, name: &'s str, variable: Variable) {
        if let Some(scope) = self.open.last_mut() {
            scope.variables.insert(name, self.variables.len());
            self.variables.push(variable);
        }
    }

    pub fn register(&self, name: &str) -> Option<Register> {
        self.open.iter().rev().find_map(|scope| {
            scope.registers.get(name).copied().or_else(|| {
                let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
                let number: u32 = name[family.len()..].parse().ok()?;
                let &(first, count) = scope.families.get(family)?;
                (number < count).then_some(Register { slot: first.slot + number, ty: first.ty })
            })
        })
    }

    pub fn variable(&self, name: &str) -> Option<usize> {
        self.open.iter().rev().find_map(|scope| scope.variables.get(name).copied())
    }
}
