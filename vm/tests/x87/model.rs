//! Executes forms by the functions under test, and compares with the host.

use samovar_vm::x87::image::*;
use samovar_vm::x87::*;

use crate::Encoding;
use crate::native::{Native, State};

const STATUS_FLAGS: u64 = 0x8d5;
const EXAMINE: X87Form = X87Form::Registers { op: X87Op::Fxam, index: 0 };

/// The virtual CPU's side of a comparison.
pub struct Model {
    pub fpu: X87,
    pub xmm: [u128; 16],
    pub mxcsr: u32,
    pub rax: u64,
    pub rflags: u64,
    pub memory: [u8; 512],
}

/// Runs the instruction on both machines and compares everything.
pub fn judge(native: &mut Native, encoding: &Encoding, start: &State) {
    let (fpu, xmm, mxcsr) = fxrstor(&start.fx).expect("a valid image");
    let mut model =
        Model { fpu, xmm, mxcsr, rax: start.gpr[0], rflags: start.rflags, memory: start.memory.0 };
    let mut host = start.clone();
    let signal = native.run(&mut host, 0);
    match model.execute(encoding.form) {
        Err(_) => assert_eq!(signal, libc::SIGFPE, "{encoding:x?} does not fault on the host"),
        Ok(()) => {
            assert_eq!(signal, 0, "{encoding:x?} {} faults on the host", show(&start.fx));
            model.compare(&host, start, encoding);
        }
    }
}

impl Model {
    fn execute(&mut self, form: X87Form) -> Result<(), Pending> {
        let (fpu, rflags) = (&mut self.fpu, self.rflags);
        match form {
            X87Form::Registers { op, index } => {
                assert_eq!(execute(op, fpu, index, 0, 0)?, Effect::Nothing);
            }
            X87Form::Conditional { op, index } => {
                assert_eq!(execute(op, fpu, index, 0, rflags)?, Effect::Nothing);
            }
            X87Form::Flags { op, index } => match execute(op, fpu, index, 0, 0)? {
                Effect::Flags(flags) => self.rflags = rflags & !STATUS_FLAGS | flags,
                effect => assert_eq!(effect, Effect::Nothing),
            },
            X87Form::Load { op, bytes } => {
                let mut operand = [0; 16];
                operand[..bytes as usize].copy_from_slice(&self.memory[..bytes as usize]);
                let operand = u128::from_le_bytes(operand);
                assert_eq!(execute(op, fpu, 0, operand, 0)?, Effect::Nothing);
            }
            X87Form::Store { op, bytes } => match execute(op, fpu, 0, 0, 0)? {
                Effect::Store(value) => {
                    let value = value.to_le_bytes();
                    self.memory[..bytes as usize].copy_from_slice(&value[..bytes as usize]);
                }
                effect => assert_eq!(effect, Effect::Nothing),
            },
            X87Form::StoreAx { op } => match execute(op, fpu, 0, 0, 0)? {
                Effect::Store(value) => self.rax = self.rax >> 16 << 16 | value as u64,
                effect => panic!("{effect:?}"),
            },
            X87Form::Image(image) => return self.image(image),
        }
        Ok(())
    }

    fn image(&mut self, image: Image) -> Result<(), Pending> {
        match image {
            Image::Fnstenv => self.memory[..28].copy_from_slice(&fnstenv(&mut self.fpu)),
            Image::Fnsave => self.memory[..108].copy_from_slice(&fnsave(&mut self.fpu)),
            Image::Fldenv => fldenv(&mut self.fpu, self.memory[..28].try_into().unwrap())?,
            Image::Frstor => frstor(&mut self.fpu, self.memory[..108].try_into().unwrap())?,
            Image::Fxsave => {
                let image = fxsave(&self.fpu, &self.xmm, self.mxcsr);
                self.memory[..FXSAVE_WRITTEN].copy_from_slice(&image[..FXSAVE_WRITTEN]);
            }
            Image::Fxrstor => {
                (self.fpu, self.xmm, self.mxcsr) = fxrstor(&self.memory).expect("valid");
            }
        }
        Ok(())
    }

    /// Panics unless the host did the same, as far as it is promised.
    pub fn compare(&self, host: &State, start: &State, encoding: &Encoding) {
        let image = fxsave(&self.fpu, &self.xmm, self.mxcsr);
        let mut comparable = self.fpu.used();
        if encoding.form == X87Form::Image(Image::Fldenv) {
            // Registers that come into use again without a value are zero here.
            comparable &= start.fx[4];
        }
        let mut theirs = host.fx;
        if encoding.form == EXAMINE && self.fpu.st(0).is_none() {
            // The sign of the value that was in the empty register.
            theirs[3] &= !2;
        }
        let same = image[..5] == theirs[..5]
            && self.mxcsr == host.mxcsr()
            && (0..16).all(|index| self.xmm[index] == host.xmm(index))
            && same_registers(&image[32..], &host.fx[32..], 16, comparable, self.fpu.top())
            && self.rax == host.gpr[0]
            && self.rflags & STATUS_FLAGS == host.rflags & STATUS_FLAGS
            && self.same_memory(host, start, encoding);
        if !same {
            eprintln!(
                "start {}\nmodel {}\nhost  {}",
                show(&start.fx),
                show(&image),
                show(&host.fx)
            );
            eprintln!("rax model {:x} host {:x}", self.rax, host.gpr[0]);
            eprintln!("flags {:x} model {:x} host {:x}", start.rflags, self.rflags, host.rflags);
            eprintln!("memory start {:02x?}", &start.memory.0[..32]);
            eprintln!("memory model {:02x?}", &self.memory[..108]);
            eprintln!("memory host  {:02x?}", &host.memory.0[..108]);
            panic!("{encoding:02x?} differs from the host");
        }
    }

    fn same_memory(&self, host: &State, start: &State, encoding: &Encoding) -> bool {
        let (mine, theirs) = (&self.memory, &host.memory.0);
        let (used, top) = (start.fx[4], start.fx[3] >> 3 & 7);
        match encoding.form {
            // The pointers to the last instruction and operand are not kept.
            X87Form::Image(Image::Fnstenv) => {
                mine[..12] == theirs[..12] && mine[28..] == theirs[28..]
            }
            X87Form::Image(Image::Fnsave) => {
                mine[..12] == theirs[..12]
                    && same_registers(&mine[28..], &theirs[28..], 10, used, top)
                    && mine[108..] == theirs[108..]
            }
            X87Form::Image(Image::Fxsave) => {
                mine[..5] == theirs[..5]
                    && mine[24..30] == theirs[24..30]
                    && same_registers(&mine[32..], &theirs[32..], 16, used, top)
                    && mine[160..] == theirs[160..]
            }
            _ => mine == theirs,
        }
    }
}

/// Compares the registers in use; `step` bytes from one to the next.
fn same_registers(mine: &[u8], theirs: &[u8], step: usize, used: u8, top: u8) -> bool {
    (0..8).filter(|index| used >> ((top + index) & 7) & 1 == 1).all(|index| {
        let start = step * index as usize;
        mine[start..start + 10] == theirs[start..start + 10]
    })
}

fn show(fx: &[u8]) -> String {
    let word = |at: usize| u16::from_le_bytes([fx[at], fx[at + 1]]);
    let value = |at: usize| {
        let significand = u64::from_le_bytes(fx[at..at + 8].try_into().unwrap());
        format!(" {:04x}:{significand:016x}", word(at + 8))
    };
    let registers: String = (0..8).map(|index| value(32 + 16 * index)).collect();
    format!("cw {:04x} sw {:04x} used {:08b}{registers}", word(0), word(2), fx[4])
}
