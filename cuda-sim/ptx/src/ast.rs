//! A program as its source says it, with names of registers and of variables in functions resolved.

/// Where a variable lives, or an address points (PTX ISA, "State Spaces").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// One address space for all others.
    Generic,
    /// Memory of the device.
    Global,
    /// Memory of the device that kernels only read.
    Constant,
    /// Memory of a block of threads.
    Shared,
    /// Memory of one thread.
    Local,
    /// Arguments of a kernel or a function, and its results.
    Param,
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing in particular.
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// An IEEE number of 16, 32 or 64 bits.
    Float,
    /// 16 bits with the exponent of an f32.
    BrainFloat,
    /// A truth value.
    Predicate,
}

/// A type (PTX ISA, "Types").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// What its bits mean.
    pub kind: Kind,
    /// How many bits an element has.
    pub bits: u32,
    /// How many elements are packed in it: 2 for `f16x2`.
    pub packed: u32,
}

/// A register of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its number in the function.
    pub slot: u32,
    /// How it was declared.
    pub ty: Type,
}

/// A number that the machine knows of each thread (PTX ISA, "Special Registers").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// The thread's place in its block.
    ThreadId(usize),
    /// How many threads a block has.
    BlockSize(usize),
    /// The block's place in the grid.
    BlockId(usize),
    /// How many blocks the grid has.
    GridSize(usize),
    /// The thread's place in its warp.
    Lane,
    /// The warp's place in its block.
    Warp,
    /// How many warps the block has.
    Warps,
    /// The multiprocessor.
    Multiprocessor,
    /// How many multiprocessors there are.
    Multiprocessors,
    /// The number of the launch.
    Grid,
    /// 1 bit for each lane that is equal to this, lower, or higher.
    LaneMask(Compared),
    /// A counter of cycles.
    Clock,
    /// The upper half of it.
    ClockHigh,
    /// Nanoseconds since some time.
    Timer,
    /// The upper half of them.
    TimerHigh,
    /// Bytes of shared memory that the launch asked for.
    DynamicShared,
    /// Bytes of shared memory in all.
    TotalShared,
    /// What is 0 here: registers of the environment, counters of performance.
    Zero,
    /// What is 1 here: the size of a cluster.
    One,
}

/// How the lanes of a mask stand to the lane that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The lane itself.
    Equal,
    /// Lower ones.
    Less,
    /// It, and lower ones.
    LessOrEqual,
    /// Higher ones.
    Greater,
    /// It, and higher ones.
    GreaterOrEqual,
}

/// What an instruction works on.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// The opposite of a predicate.
    Not(Register),
    /// Two destinations, `p|q`; a missing one is `_`.
    Pair(Box<[Operand; 2]>),
    /// An integer, in two's complement.
    Integer(u64),
    /// A number as the bits of an f64.
    Double(u64),
    /// The bits of an f32.
    Single(u32),
    /// A special register.
    Special(Special),
    /// The address of a variable of the function, and bytes to add.
    Variable(usize, i64),
    /// A name of the module or a label, the scope it is used in, and bytes to add.
    Name(String, usize, i64),
    /// What lies at an address and some bytes behind it.
    Memory(Box<Operand>, i64),
    /// Several values in braces.
    Vector(Vec<Operand>),
    /// Several values in parentheses.
    List(Vec<Operand>),
    /// A result that is not wanted.
    Sink,
    /// Something that no instruction understood here has.
    Other,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The line of the source.
    pub line: u32,
    /// The predicate that it depends on, and whether on its opposite.
    pub guard: Option<(Register, bool)>,
    /// The name before the first dot.
    pub name: String,
    /// What follows, between dots.
    pub modifiers: Vec<String>,
    /// What it works on, destinations first.
    pub operands: Vec<Operand>,
}

/// A place in a variable's initial content that holds an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Bytes before it.
    pub offset: usize,
    /// How many bytes it takes.
    pub size: usize,
    /// The name whose address it is.
    pub symbol: String,
    /// Bytes to add.
    pub addend: i64,
    /// How far the address is shifted right, where only a byte of it is stored.
    pub shift: u32,
}

/// A variable, a parameter or a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// Bytes that its address is a multiple of.
    pub align: usize,
    /// Bytes; 0 where the launch decides.
    pub size: usize,
    /// The first bytes; what follows is 0.
    pub initial: Vec<u8>,
    /// Addresses in there.
    pub relocations: Vec<Relocation>,
    /// Whether it is defined elsewhere.
    pub is_extern: bool,
    /// The line of its declaration.
    pub line: u32,
}

/// A kernel or a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub is_entry: bool,
    /// Whether its code is here.
    pub has_body: bool,
    /// The line of its name.
    pub line: u32,
    /// What it is given.
    pub params: Vec<Variable>,
    /// What it gives back.
    pub results: Vec<Variable>,
    /// The most threads that a block may have, from `.maxntid` or `.reqntid`.
    pub max_threads: Option<u32>,
    /// The size that a block must have, from `.reqntid`.
    pub required_block: Option<[u32; 3]>,
    /// How many registers it has.
    pub registers: u32,
    /// Its variables, and those of calls in it, each by its place here.
    pub variables: Vec<Variable>,
    /// What it does.
    pub body: Vec<Instruction>,
    /// Names of places in the body: the scope, the name, and the instruction that follows.
    pub labels: Vec<(usize, String, usize)>,
    /// Lists of labels: the scope, the name, and the labels.
    pub tables: Vec<(usize, String, Vec<String>)>,
    /// The scope around each scope; the first is the function's own.
    pub scopes: Vec<usize>,
}

/// All that a source says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// The version of PTX that it is written in.
    pub version: (u32, u32),
    /// The architecture it is for, such as `sm_90`.
    pub target: String,
    /// Variables of the module.
    pub variables: Vec<Variable>,
    /// Kernels and functions.
    pub functions: Vec<Function>,
    /// Other names of functions.
    pub aliases: Vec<(String, String)>,
}

impl Type {
    /// A type of one element.
    pub const fn new(kind: Kind, bits: u32) -> Self {
        Self { kind, bits, packed: 1 }
    }

    /// The type of this name, without its dot.
    pub fn named(name: &str) -> Option<Self> {
        let packed = |kind, bits| Self { kind, bits, packed: 2 };
        Some(match name {
            "pred" => Self::new(Kind::Predicate, 1),
            "b8" => Self::new(Kind::Bits, 8),
            "b16" => Self::new(Kind::Bits, 16),
            "b32" => Self::new(Kind::Bits, 32),
            "b64" => Self::new(Kind::Bits, 64),
            "b128" => Self::new(Kind::Bits, 128),
            "u8" => Self::new(Kind::Unsigned, 8),
            "u16" => Self::new(Kind::Unsigned, 16),
            "u32" => Self::new(Kind::Unsigned, 32),
            "u64" => Self::new(Kind::Unsigned, 64),
            "s8" => Self::new(Kind::Signed, 8),
            "s16" => Self::new(Kind::Signed, 16),
            "s32" => Self::new(Kind::Signed, 32),
            "s64" => Self::new(Kind::Signed, 64),
            "f16" => Self::new(Kind::Float, 16),
            "f32" => Self::new(Kind::Float, 32),
            "f64" => Self::new(Kind::Float, 64),
            "bf16" => Self::new(Kind::BrainFloat, 16),
            "f16x2" => packed(Kind::Float, 16),
            "bf16x2" => packed(Kind::BrainFloat, 16),
            "u16x2" => packed(Kind::Unsigned, 16),
            "s16x2" => packed(Kind::Signed, 16),
            _ => return None,
        })
    }

    /// Bytes that it takes in memory.
    pub fn size(self) -> usize {
        (self.bits * self.packed).div_ceil(8) as usize
    }

    /// All bits that it takes in a register.
    pub fn width(self) -> u32 {
        self.bits * self.packed
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::BrainFloat)
    }
}

impl Space {
    /// The space of this name, without its dot and qualifier.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.split("::").next().unwrap_or(name) {
            "global" => Self::Global,
            "const" => Self::Constant,
            "shared" => Self::Shared,
            "local" => Self::Local,
            "param" => Self::Param,
            _ => return None,
        })
    }
}

impl Special {
    /// The special register of this name, `%tid.x` for one.
    pub fn named(name: &str, part: Option<&str>) -> Option<Self> {
        let dimension = match part {
            None | Some("x") => 0,
            Some("y") => 1,
            Some("z") => 2,
            Some(_) => return None,
        };
        Some(match name {
            "%tid" => Self::ThreadId(dimension),
            "%ntid" => Self::BlockSize(dimension),
            "%ctaid" => Self::BlockId(dimension),
            "%nctaid" => Self::GridSize(dimension),
            "%laneid" => Self::Lane,
            "%warpid" => Self::Warp,
            "%nwarpid" => Self::Warps,
            "%smid" => Self::Multiprocessor,
            "%nsmid" => Self::Multiprocessors,
            "%gridid" => Self::Grid,
            "%lanemask_eq" => Self::LaneMask(Compared::Equal),
            "%lanemask_lt" => Self::LaneMask(Compared::Less),
            "%lanemask_le" => Self::LaneMask(Compared::LessOrEqual),
            "%lanemask_gt" => Self::LaneMask(Compared::Greater),
            "%lanemask_ge" => Self::LaneMask(Compared::GreaterOrEqual),
            "%clock" | "%clock64" => Self::Clock,
            "%clock_hi" => Self::ClockHigh,
            "%globaltimer" | "%globaltimer_lo" => Self::Timer,
            "%globaltimer_hi" => Self::TimerHigh,
            "%dynamic_smem_size" => Self::DynamicShared,
            "%total_smem_size" | "%aggr_smem_size" => Self::TotalShared,
            "%clusterid" | "%cluster_ctaid" | "%cluster_ctarank" | "%reserved_smem_offset_begin" => {
                Self::Zero
            }
            "%reserved_smem_offset_end" | "%reserved_smem_offset_cap" | "%is_explicit_cluster" => Self::Zero,
            "%cluster_nctaid" | "%cluster_nctarank" => Self::One,
            "%nclusterid" => Self::GridSize(dimension),
            _ if name.starts_with("%envreg") || name.starts_with("%pm") => Self::Zero,
            _ => return None,
        })
    }
}
