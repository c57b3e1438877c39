//! Names for guest addresses in messages: function, source line and module of code; name of data.
//!
//! Debug information is read when the first name is asked for, so a run without messages does not
//! pay for it.

use samovar_runtime::Process;
use samovar_vm::debug::{DebugInfo, DebugModules};
use samovar_vm::machine::ThreadId;
use samovar_vm::view::ThreadView;
use std::cell::OnceCell;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Most calls that are followed on the way from a library to the program.
const FRAMES_MAX: usize = 64;

/// Names for the addresses of a process.
#[derive(Debug)]
pub struct Places<'a> {
    process: &'a Process,
    debug: OnceCell<DebugModules>,
}

/// Where code is: `in main+0x1c (counter.c:12)`, or the little that is known of it. Written with
/// `{:#}` it tells the address if there is no name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Name of the function and the distance from its start.
    pub function: Option<(String, u64)>,
    /// Last component of the module's path, if it is not the program itself.
    pub module: Option<String>,
    /// File and line.
    pub source: Option<String>,
    /// The address, to be told if nothing else is known.
    pub address: u64,
    /// Where the program itself called a library, if this is in one.
    pub called_from: Option<Box<Place>>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (None, Some(caller)) = (&self.function, &self.called_from) {
            return caller.fmt(f);
        }
        match (&self.function, &self.source) {
            // The line says more than the distance.
            (Some((name, 0)), _) | (Some((name, _)), Some(_)) => write!(f, "in {name}")?,
            (Some((name, offset)), None) => write!(f, "in {name}+{offset:#x}")?,
            (None, _) if f.alternate() => write!(f, "at {:#x}", self.address)?,
            (None, _) => f.write_str("in code without a name")?,
        }
        if let Some(module) = &self.module {
            write!(f, " of {module}")?;
        }
        if let Some(source) = &self.source {
            write!(f, " ({source})")?;
        }
        match &self.called_from {
            Some(caller) => write!(f, ", called {caller}"),
            None => Ok(()),
        }
    }
}

impl<'a> Places<'a> {
    /// Names for this process's addresses, as it stands.
    pub fn of(process: &'a Process) -> Places<'a> {
        Places { process, debug: OnceCell::new() }
    }

    /// Where a thread stands: in which function, and where the program called the library that
    /// this function belongs to.
    pub fn standpoint(&self, thread: ThreadId) -> Place {
        let view = ThreadView { machine: &self.process.machine, thread };
        let mut frames = self.debug().backtrace(&view, FRAMES_MAX).into_iter();
        let pc = self.process.machine.core(thread).pc;
        let mut here = self.at(frames.next().map_or(pc, |frame| frame.lookup));
        if here.module.is_some() {
            let callers = frames.map(|frame| self.at(frame.lookup));
            here.called_from = callers.into_iter().find(|place| place.is_own()).map(Box::new);
        }
        here
    }

    /// Names an address of code.
    pub fn at(&self, address: u64) -> Place {
        let mut place = Place { address, ..Place::default() };
        let Some(module) = self.process.module_at(address) else { return place };
        let is_program = self.process.modules().first().is_some_and(|m| Arc::ptr_eq(m, module));
        if !is_program {
            place.module = module.path.rsplit('/').next().map(str::to_string);
        }
        let frames = self.debug().locate(address);
        let line = frames.first().and_then(|frame| frame.line.as_ref());
        place.source = line.map(|line| format!("{}:{}", shortened(&line.file), line.line));
        // Inlined functions have no start of their own.
        let function = frames.iter().find(|frame| !frame.inlined);
        place.function = function.and_then(|frame| Some((frame.function.clone()?, frame.offset?)));
        place
    }

    /// Names an address of data, the number included.
    pub fn data(&self, address: u64) -> String {
        match self.debug().name_of_data(address) {
            Some(data) => format!("{} at {address:#x}", data.name),
            None => format!("at {address:#x}"),
        }
    }

    fn debug(&self) -> &DebugModules {
        self.debug.get_or_init(|| debug_of(self.process))
    }
}

/// The debug information of a process's modules, as far as they are mapped.
pub fn debug_of(process: &Process) -> DebugModules {
    let mut debug = DebugModules::new();
    for module in process.modules() {
        // A module without readable sections has no names to offer.
        let bytes = Arc::clone(module.image.bytes());
        if let Ok(info) = DebugInfo::new(bytes, module.bias) {
            debug.add(info);
        }
    }
    debug
}

impl Place {
    /// In the program itself, not in a library.
    fn is_own(&self) -> bool {
        self.module.is_none() && self.function.is_some()
    }
}

/// A path seen from the current directory, if it lies below.
pub(crate) fn shortened(file: &str) -> String {
    let directory = std::env::current_dir().unwrap_or_default();
    let path = Path::new(file);
    path.strip_prefix(&directory).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_say_what_is_known() {
        let unknown = Place { address: 0x1234, ..Place::default() };
        assert_eq!(unknown.to_string(), "in code without a name");
        assert_eq!(format!("{unknown:#}"), "at 0x1234");
        let main = Place {
            function: Some(("main".into(), 0x1c)),
            source: Some("a.c:7".into()),
            ..unknown.clone()
        };
        assert_eq!(main.to_string(), "in main (a.c:7)");
        let library = Place {
            function: Some(("write".into(), 0x14)),
            module: Some("libc.so.6".into()),
            called_from: Some(Box::new(main)),
            ..unknown
        };
        let text = "in write+0x14 of libc.so.6, called in main (a.c:7)";
        assert_eq!(library.to_string(), text);
        let nameless = Place { function: None, ..library };
        assert_eq!(nameless.to_string(), "in main (a.c:7)");
    }
}
