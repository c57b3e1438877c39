//! Names for what a process does: source lines of the program's own code, variables, threads.
//!
//! The place of a thread is the innermost frame of the program's own source: not in a library, and
//! not in a header that a library brought along. Debug information is read when it is first needed.

use super::blocks::Places;
pub use super::location::{Location, hexadecimal};
use samovar_runtime::Process;
use samovar_runtime::syscall::objects;
use samovar_vm::debug::{CallFrame, DataName, DebugInfo, DebugModules, FrameState, Scope};
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use samovar_vm::view::ThreadView;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most frames that are looked at for one of the program's own.
const FRAMES_MAX: usize = 128;
/// Frames whose variables are searched for an address.
const LOCALS_MAX: usize = 24;

/// See the module head.
#[derive(Debug)]
pub struct Names {
    debug: DebugModules,
    modules: usize,
    /// Functions that threads began with.
    starts: BTreeMap<u32, String>,
    /// Where heap blocks come from, as far as somebody asked.
    pub(super) places: Places,
}

impl Names {
    /// Names for the modules that are mapped now.
    pub fn of(process: &Process) -> Names {
        let mut names = Names {
            debug: DebugModules::new(),
            modules: 0,
            starts: BTreeMap::default(),
            places: Places::default(),
        };
        names.refresh(process);
        names
    }

    /// Takes in modules that were mapped since.
    pub fn refresh(&mut self, process: &Process) {
        for module in process.modules().iter().skip(self.modules) {
            // A module without readable sections has no names to offer.
            if let Ok(info) = DebugInfo::new(Arc::clone(module.image.bytes()), module.bias) {
                self.debug.add(info);
            }
        }
        self.modules = self.modules.max(process.modules().len());
    }

    /// The debug information behind the names.
    pub fn debug(&self) -> &DebugModules {
        &self.debug
    }

    /// The frames of a thread, innermost first.
    pub fn frames(&self, process: &Process, thread: ThreadId) -> Vec<CallFrame> {
        self.debug.backtrace(&ThreadView { machine: &process.machine, thread }, FRAMES_MAX)
    }

    /// Where a thread stands in the program's own source, or the little that is known of it.
    pub fn standpoint(&self, process: &Process, thread: ThreadId) -> Location {
        let frames = self.frames(process, thread);
        let core = process.machine.core(thread);
        let pc = core.pc;
        if !self.debug.module_at(pc).is_some_and(|module| module.is_code(pc))
            && let Ok(back) = process.machine.memory.read_u64(core[Reg::Rsp])
            && let Some(own) = self.own(process, back.wrapping_sub(1), true)
        {
            // A jump into nowhere: whoever called has left its address on the stack.
            return own;
        }
        let own = frames.iter().find_map(|frame| self.own(process, frame.lookup, true));
        let own =
            own.or_else(|| frames.iter().find_map(|frame| self.own(process, frame.lookup, false)));
        let own = own.or_else(|| {
            // Some library code cannot be unwound; the call that led there is known.
            let call = process.threads().get(thread.0 as usize)?.atomic?;
            let back = process.machine.memory.read_u64(call.entry_rsp).ok()?;
            self.own(process, back.wrapping_sub(1), true)
        });
        own.unwrap_or_else(|| {
            let lookup = frames.first().map_or(pc, |frame| frame.lookup);
            let mut location = self.code(lookup);
            if location.function.is_none()
                && let Some(module) = process.module_at(lookup)
            {
                location.function = module.path.rsplit('/').next().map(str::to_string);
            }
            location
        })
    }

    /// The place of an address if it belongs to the program's own source, or at least to the
    /// program.
    pub(super) fn own(&self, process: &Process, addr: u64, strict: bool) -> Option<Location> {
        let program = process.modules().first()?;
        if !program.contains(addr) {
            return None;
        }
        let frames = self.debug.locate(addr);
        let frame = if strict {
            let own = |frame: &&samovar_vm::debug::Frame| {
                frame.line.as_ref().is_some_and(|line| is_own_file(&line.file))
            };
            frames.iter().find(own)?
        } else {
            frames.iter().find(|frame| frame.function.is_some())?
        };
        Some(location(frame, addr))
    }

    /// Whether an instruction comes from the program's own source, as far as that is known.
    pub fn is_own_code(&self, process: &Process, pc: u64) -> bool {
        self.own(process, pc, true).is_some()
    }

    /// Whether an instruction may come from the program's own source: it belongs to a program that
    /// says nothing about its source, and its libraries are apart.
    pub fn may_be_own_code(&self, process: &Process, pc: u64) -> bool {
        let modules = process.modules();
        let is_dynamic = 1 < modules.len();
        let is_program = modules.first().is_some_and(|program| program.contains(pc));
        let has_line = || self.debug.locate(pc).iter().any(|frame| frame.line.is_some());
        is_dynamic && is_program && !has_line()
    }

    /// Whether an instruction comes from where a language defines its atomics.
    pub fn is_in_header_of_atomics(&self, pc: u64) -> bool {
        let is_one = |file: &str| {
            file.rsplit('/').next().is_some_and(|name| name.to_ascii_lowercase().contains("atomic"))
        };
        let frames = self.debug.locate(pc);
        let inner = frames.first().and_then(|frame| frame.line.as_ref());
        inner.is_some_and(|line| !is_own_file(&line.file) && is_one(&line.file))
    }

    /// The place of an address of code, whatever it belongs to.
    pub fn code(&self, addr: u64) -> Location {
        let frames = self.debug.locate(addr);
        frames.first().map_or(Location { address: addr, ..Location::default() }, |frame| {
            location(frame, addr)
        })
    }

    /// The functions that a thread is in, innermost first, inlined ones too.
    pub fn stack(&self, process: &Process, thread: ThreadId, max: usize) -> Vec<Location> {
        let frames = self.frames(process, thread);
        let located = frames.iter().flat_map(|frame| {
            let known = self.debug.locate(frame.lookup);
            let places = known.iter().map(|one| location(one, frame.lookup)).collect::<Vec<_>>();
            if places.is_empty() { vec![self.code(frame.lookup)] } else { places }
        });
        located.take(max).collect()
    }

    /// The library function that a thread stands at the entry of, without decoration.
    pub fn entered(&self, process: &Process, thread: ThreadId) -> Option<String> {
        let pc = process.machine.core(thread).pc;
        let frames = self.debug.locate(pc);
        let frame = frames.iter().find(|frame| frame.offset == Some(0))?;
        Some(plain(frame.function.as_deref()?).to_string())
    }

    /// Names of the functions that a thread is in, innermost first, without decoration.
    pub fn functions(&self, process: &Process, thread: ThreadId) -> Vec<String> {
        let frames = self.frames(process, thread);
        let located = frames.iter().flat_map(|frame| self.debug.locate(frame.lookup));
        located.filter_map(|frame| Some(plain(&frame.function?).to_string())).collect()
    }

    /// The variable that an access touches; one of another thread with the name of that thread.
    pub fn variable_of_any(
        &self,
        process: &Process,
        thread: ThreadId,
        addr: u64,
        size: u64,
    ) -> Option<DataName> {
        let own = self.variable(process, thread, addr, size);
        own.or_else(|| {
            let owner = owner_of_stack(process, addr).filter(|&owner| owner != thread)?;
            let data = self.variable(process, owner, addr, size)?;
            let name = format!("{}'s {}", self.thread(owner), data.name);
            Some(DataName { name, ..data })
        })
    }

    /// The static variable that an access touches.
    pub fn static_variable(&self, addr: u64, size: u64) -> Option<DataName> {
        self.debug.name_of_access(addr, size)
    }

    /// The variable that an access touches, of this thread or of all. A local variable is on the
    /// stack of its thread: compilers say of one that it is where its value was loaded from, on the
    /// heap for example, as long as both are equal.
    pub fn variable(
        &self,
        process: &Process,
        thread: ThreadId,
        addr: u64,
        size: u64,
    ) -> Option<DataName> {
        if let Some(data) = self.static_variable(addr, size) {
            return Some(data);
        }
        let view = ThreadView { machine: &process.machine, thread };
        if let Some(data) = self.debug.name_of_thread_local(addr, size, &view) {
            return Some(data);
        }
        if !is_on_stack(process, thread, addr) {
            return None;
        }
        self.frames(process, thread).iter().take(LOCALS_MAX).find_map(|frame| {
            let state = FrameState::new(&view, frame);
            self.debug.name_of_local(addr, size, Scope::of_frame(&state, frame))
        })
    }

    /// A synchronisation object: its variable, or what else is known of the address.
    pub fn object(&self, process: &Process, thread: ThreadId, addr: u64) -> String {
        if let Some(name) = objects::name(addr) {
            return name.to_string();
        }
        if let Some(data) = self.debug.name_of_data(addr) {
            return outside(&data.name).to_string();
        }
        // The object, not its first member.
        let local = self.variable_of_any(process, thread, addr, 1);
        local
            .map(|data| outside(&data.name).to_string())
            .unwrap_or_else(|| self.block(process, addr))
    }

    /// The variables in a word of memory, or what else is known of it.
    pub fn word(&self, process: &Process, addr: u64) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for at in addr..addr + 8 {
            let data = self.debug.name_of_data(at).filter(|data| data.start == at || at == addr);
            let name = data.map(|data| outside(&data.name).to_string());
            found.extend(name.filter(|name| !found.contains(name)));
        }
        // What the linker put there says nothing to anybody.
        if found.iter().any(|name| !name.starts_with("__")) {
            found.retain(|name| !name.starts_with("__"));
        }
        if found.is_empty() {
            found.push(self.object(process, ThreadId(0), addr));
        }
        found
    }

    /// How a thread is called: `main`, `T1`.
    pub fn thread(&self, thread: ThreadId) -> String {
        if thread.0 == 0 { "main".to_string() } else { format!("T{}", thread.0) }
    }

    /// The function that a thread began with, as far as it was seen.
    pub fn start_of(&self, thread: ThreadId) -> Option<&str> {
        self.starts.get(&thread.0).map(String::as_str)
    }

    /// Looks for the function that a thread began with: the outermost of the program's own.
    pub fn learn_start(&mut self, process: &Process, thread: ThreadId) {
        let label =
            process.threads().get(thread.0 as usize).and_then(|thread| thread.label.clone());
        if let Some(label) = label {
            self.starts.insert(thread.0, label.to_string());
            return;
        }
        if thread.0 == 0 || self.starts.contains_key(&thread.0) {
            return;
        }
        let frames = self.frames(process, thread);
        let own = frames
            .iter()
            .rev()
            .find(|frame| self.own(process, frame.lookup, true).is_some())
            // Inlined functions come first, the one that has a frame last.
            .and_then(|frame| self.debug.locate(frame.lookup).pop());
        if let Some(function) = own.and_then(|own| own.function) {
            self.starts.insert(thread.0, function);
        }
    }
}

/// Whether a source file is no library's.
pub fn is_own_file(file: &str) -> bool {
    !["/usr/", "/rustc/", "/lib", "/build/"].iter().any(|place| file.starts_with(place))
}

fn location(frame: &samovar_vm::debug::Frame, address: u64) -> Location {
    Location {
        file: frame.line.as_ref().map(|line| line.file.to_string()),
        line: frame.line.as_ref().map(|line| line.line),
        function: frame.function.clone(),
        address,
    }
}

/// The live thread whose stack an address is on.
fn owner_of_stack(process: &Process, addr: u64) -> Option<ThreadId> {
    let is_alive = |thread: &ThreadId| process.threads()[thread.0 as usize].is_alive();
    let mut threads = (0..process.machine.thread_count()).map(ThreadId).filter(is_alive);
    threads.find(|&thread| is_on_stack(process, thread, addr))
}

/// Whether an address is on the stack of a thread, in what is in use of it.
fn is_on_stack(process: &Process, thread: ThreadId, addr: u64) -> bool {
    /// Functions that call nobody use as much below their stack pointer.
    const RED_ZONE: u64 = 128;
    let rsp = process.machine.core(thread)[Reg::Rsp];
    let memory = &process.machine.memory;
    let region = |addr: u64| memory.regions().at(addr).map(|(start, _)| start);
    // A stack that the program has made itself.
    let block = |addr: u64| memory.objects().at(addr).map(|(start, _)| start);
    rsp.saturating_sub(RED_ZONE) <= addr
        && region(addr).is_some()
        && region(addr) == region(rsp)
        && block(addr) == block(rsp)
}

/// A name without what is inside of a library's type.
fn outside(name: &str) -> &str {
    let end = [".__", "._M_"].iter().filter_map(|inside| name.find(inside)).min();
    &name[..end.unwrap_or(name.len())]
}

/// A function's name without the underscores and the version that libraries put around it.
pub fn plain(name: &str) -> &str {
    let name = name.split('@').next().unwrap_or(name);
    name.trim_start_matches('_').trim_start_matches("GI_").trim_start_matches('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoration_is_taken_off() {
        assert_eq!(plain("___pthread_mutex_lock"), "pthread_mutex_lock");
        assert_eq!(plain("__GI___assert_fail"), "assert_fail");
        assert_eq!(plain("pthread_create@@GLIBC_2.34"), "pthread_create");
    }
}
