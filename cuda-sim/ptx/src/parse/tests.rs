use super::parse;
use crate::ast::{Operand, Special};

#[test]
fn a_kernel_is_read() {
    let module = parse(
        ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .u32 n)\n\
         .maxntid 128, 2, 1\n{ .reg .pred %p<2>; .reg .b32 %r<3>;\n mov.u32 %r1, %tid.x;\n\
         setp.ge.s32 %p1, %r1, -1;\n @!%p1 bra L;\n L: ret; }",
    )
    .unwrap();
    let kernel = &module.functions[0];
    assert_eq!((module.version, module.target.as_str()), ((8, 8), "sm_90"));
    assert_eq!((kernel.name.as_str(), kernel.max_threads, kernel.registers), ("k", Some(256), 5));
    assert_eq!(kernel.params.iter().map(|param| param.size).collect::<Vec<_>>(), [8, 4]);
    assert_eq!(kernel.body[0].operands[1], Operand::Special(Special::ThreadId(0)));
    assert_eq!(kernel.body[1].operands[2], Operand::Integer(u64::MAX));
    assert!(kernel.body[2].guard.unwrap().1);
    assert_eq!(kernel.labels, [(0, "L".to_owned(), 3)]);
}

#[test]
fn names_end_with_their_braces() {
    let module = parse(
        ".func f() { .reg .b32 a; { .reg .b64 a; mov.b64 a, 1; L: bra L; } { mov.b32 a, 2; L: bra L; } }",
    )
    .unwrap();
    let body = &module.functions[0].body;
    let bits: Vec<u32> = [0, 2]
        .iter()
        .map(|&at| match &body[at].operands[0] {
            Operand::Register(register) => register.ty.bits,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(bits, [64, 32]);
    assert_ne!(module.functions[0].labels[0].0, module.functions[0].labels[1].0);
}

#[test]
fn variables_hold_what_they_say() {
    let module = parse(
        ".global .align 4 .b8 a[6] = {1, 2, 0xff};\n.const .f32 b[2][2] = {{1.5, 0f40000000}, {-1.0}};\n\
         .global .u64 c[2] = {generic(a)+4, a};\n.extern .shared .align 16 .b8 s[];\n\
         .global .b8 d[2] = {0xFF(a), 0xFF00(generic(a))};",
    )
    .unwrap();
    let [a, b, c, s, d] = &module.variables[..] else { panic!() };
    assert_eq!((a.size, a.align, &a.initial[..]), (6, 4, &[1, 2, 255][..]));
    assert_eq!(b.initial[..8], [0, 0, 0xc0, 0x3f, 0, 0, 0, 0x40]);
    assert_eq!((c.relocations[0].addend, c.relocations[1].offset), (4, 8));
    assert_eq!((s.size, s.is_extern), (0, true));
    assert_eq!((d.relocations[0].shift, d.relocations[1].shift, d.relocations[1].size), (0, 8, 1));
}

#[test]
fn mistakes_are_named_with_their_line() {
    for (source, line, text) in [
        ("\n.entry k() { add.s32 %r1, 1, 2; }", 2, "unknown register %r1"),
        (".entry k() {\n ret\n }", 3, "expected"),
        (".global .b8 a[2] = {1,2,3};", 1, "beyond its size"),
        (".what", 1, "unknown directive"),
        (".entry k() { ret;", 1, "the end of the source"),
        (
            ".global .u32 a = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1;",
            1,
            "too many",
        ),
    ] {
        let error = parse(source).unwrap_err();
        assert_eq!(error.line, line, "{source}: {error}");
        assert!(error.message.contains(text), "{source}: {error}");
    }
}

#[test]
fn what_a_simulated_device_lacks_is_named_as_such() {
    assert!(parse(".global .texref t;").is_err());
    assert!(parse(".texref t;").unwrap_err().is_lacking);
    assert!(parse(".address_size 32").unwrap_err().is_lacking);
}
