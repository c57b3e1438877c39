//! Modules: the ELF files whose code the guest has mapped.
//!
//! The program and its dynamic linker are modules from the start; libraries become modules when
//! the dynamic linker maps their code. Hooks by symbol and debug information hang on modules.

use samovar_vm::loader::Image;
use std::sync::Arc;

/// An ELF file in the guest's memory.
#[derive(Debug)]
pub struct Module {
    /// Absolute path inside the guest's view of the files.
    pub path: String,
    /// Added to the file's own addresses.
    pub bias: u64,
    /// The file.
    pub image: Image,
}

impl Module {
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
        Some(Module { path: path.to_string(), bias, image })
    }

    /// Whether an address of the guest lies in the module.
    pub fn contains(&self, addr: u64) -> bool {
        self.image.span().contains(&addr.wrapping_sub(self.bias))
    }
}
