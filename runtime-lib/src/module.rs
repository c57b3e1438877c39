//! Modules: the ELF files whose code the guest has mapped.
//!
//! The program and its dynamic linker are modules from the start; libraries become modules when
//! the dynamic linker maps their code. Hooks by symbol and debug information hang on modules.

use samovar_vm::loader::Image;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// An ELF file in the guest's memory.
#[derive(Debug)]
pub struct Module {
    /// Absolute path inside the guest's view of the files.
    pub path: String,
    /// Added to the file's own addresses.
    pub bias: u64,
    /// The file.
    pub image: Image,
    /// Addresses of its string functions, as far as symbols tell.
    pub(crate) string_functions: OnceLock<Vec<Range<u64>>>,
}

impl Module {
    /// A file that is loaded `bias` above its own addresses.
    pub(crate) fn new(path: String, bias: u64, image: Image) -> Module {
        Module { path, bias, image, string_functions: OnceLock::new() }
    }

    /// Recognises a mapping of executable file contents: `addr` is where the byte at `offset` of
    /// the file went. Files that are no ELF images, or whose headers do not ask for such a
    /// mapping, are no modules.
    pub(crate) fn from_mapping(
        path: &str,
        bytes: &Arc<[u8]>,
        addr: u64,
        offset: u64,
    ) -> Option<Module> {
        let image = Image::parse(Arc::clone(bytes), path).ok()?;
        let page = !(samovar_vm::memory::PAGE_SIZE - 1);
        let segment = image
            .segments()
            .iter()
            .find(|segment| segment.perms.exec && segment.offset & page == offset)?;
        let bias = addr.wrapping_sub(segment.vaddr & page);
        Some(Module::new(path.to_string(), bias, image))
    }

    /// Whether an address of the guest lies in the module.
    pub fn contains(&self, addr: u64) -> bool {
        self.image.span().contains(&addr.wrapping_sub(self.bias))
    }

    /// A library of the system, not one that came with the program.
    pub fn is_system(&self) -> bool {
        ["/lib", "/usr/"].iter().any(|place| self.path.starts_with(place))
    }

    /// Whether an address lies in a function about strings, by the name of the function.
    pub(crate) fn is_string_function(&self, addr: u64) -> bool {
        let ranges = self.string_functions.get_or_init(|| {
            let is_about_strings = |name: &str| {
                let name = name.trim_start_matches('_');
                ["str", "stp", "mem", "wcs", "wmem", "rawmem"]
                    .iter()
                    .any(|start| name.starts_with(start))
            };
            let mut ranges: Vec<Range<u64>> = self
                .image
                .functions()
                .filter(|symbol| is_about_strings(symbol.name))
                .map(|symbol| symbol.value..symbol.value.saturating_add(symbol.size))
                .collect();
            ranges.sort_unstable_by_key(|range| range.start);
            ranges
        });
        let addr = addr.wrapping_sub(self.bias);
        let after = ranges.partition_point(|range| range.start <= addr);
        ranges[..after].iter().rev().take(4).any(|range| range.contains(&addr))
    }
}
