//! Mapping, protection and the `brk` heap.
//!
//! File mappings are copies. For private ones that is what they are, as long as nobody changes
//! the file; shared ones are tracked (see [`super::file::shared`]) so that reads and writes of the
//! file agree with them. Pages beyond the end of a file read as zero instead of
//! raising SIGBUS.

use super::call::{Call, Flow, SysResult, done, unsupported};
use super::file::shared::{self, SharedMapping};
use crate::errno::Errno;
use crate::files::OpenKind;
use crate::module::Module;
use samovar_vm::memory::region::{Perms, Region};
use samovar_vm::memory::{ADDRESS_LIMIT, Memory, PAGE_SIZE};
use std::sync::Arc;

/// Mappings whose address nobody cares about are put below this one, top down.
pub(crate) const MMAP_TOP: u64 = 0x30_0000_0000;
/// They end here.
const MMAP_BOTTOM: u64 = 0x10_0000_0000;
/// Nothing is ever mapped below, so that null pointers fault.
const ADDRESS_MIN: u64 = 0x1_0000;
/// Name of anonymous memory.
pub(crate) const ANONYMOUS: &str = "[anon]";

const MAP_PRIVATE: u64 = 0x2;
const MAP_TYPE: u64 = 0xf;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_32BIT: u64 = 0x40;
const MAP_HUGETLB: u64 = 0x4_0000;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;

fn page_ceil(len: u64) -> Option<u64> {
    Some(len.checked_add(PAGE_SIZE - 1)? & !(PAGE_SIZE - 1))
}

/// On x86 whatever may be written or executed may be read, too.
fn perms(prot: u64) -> Perms {
    Perms { read: prot & 7 != 0, write: prot & 2 != 0, exec: prot & 4 != 0 }
}

/// A page-aligned range inside the address space, from a guest's address and length.
fn range(addr: u64, len: u64, outside: Errno) -> Result<(u64, u64), Errno> {
    let len = page_ceil(len).ok_or(outside)?;
    if !addr.is_multiple_of(PAGE_SIZE) || len == 0 {
        return Err(Errno::EINVAL);
    }
    match addr.checked_add(len) {
        Some(end) if end <= ADDRESS_LIMIT => Ok((addr, len)),
        _ => Err(outside),
    }
}

/// Chooses an address as the guest's hint and flags ask for it.
fn place(memory: &Memory, hint: u64, len: u64, flags: u64) -> Result<u64, Errno> {
    let regions = memory.regions();
    if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0 {
        range(hint, len, Errno::ENOMEM)?;
        if hint < ADDRESS_MIN {
            return Err(Errno::EPERM);
        }
        let taken = regions.overlaps(hint, hint + len);
        let replace = flags & MAP_FIXED_NOREPLACE == 0;
        return if taken && !replace { Err(Errno::EEXIST) } else { Ok(hint) };
    }
    let hint = hint & !(PAGE_SIZE - 1);
    let fits = hint.checked_add(len).is_some_and(|end| end <= MMAP_TOP);
    if hint >= ADDRESS_MIN && fits && !regions.overlaps(hint, hint + len) {
        return Ok(hint);
    }
    let low = (flags & MAP_32BIT != 0).then_some((0x8000_0000, 0x1000_0000));
    let (top, bottom) = low.unwrap_or((MMAP_TOP, MMAP_BOTTOM));
    regions.free_below(top, len, bottom).ok_or(Errno::ENOMEM)
}

pub(super) fn mmap(call: &mut Call<'_>) -> SysResult {
    let [hint, len, prot, flags, fd, offset] = call.args;
    let len = page_ceil(len).filter(|&len| len <= ADDRESS_LIMIT).ok_or(Errno::ENOMEM)?;
    if len == 0 || !offset.is_multiple_of(PAGE_SIZE) || !matches!(flags & MAP_TYPE, 1..=3) {
        return Err(Errno::EINVAL.into());
    }
    if flags & MAP_HUGETLB != 0 {
        // No huge pages are configured.
        return Err(Errno::ENOMEM.into());
    }
    if flags & MAP_ANONYMOUS != 0 {
        let addr = place(call.memory(), hint, len, flags)?;
        shared::forget(call.process, addr, addr + len);
        call.memory().map(addr, len, (perms(prot), ANONYMOUS.into(), 0));
        return done(addr);
    }
    map_file(call, (hint, len), prot, flags, (fd, offset))
}

fn map_file(
    call: &mut Call<'_>,
    (hint, len): (u64, u64),
    prot: u64,
    flags: u64,
    (fd, offset): (u64, u64),
) -> SysResult {
    let file = call.os().files.table.get(fd)?.clone();
    if !file.readable() {
        return Err(Errno::EACCES.into());
    }
    let OpenKind::Inode(inode) = file.kind else {
        return match file.kind {
            OpenKind::Device(crate::files::Device::Zero) => {
                let addr = place(call.memory(), hint, len, flags)?;
                shared::forget(call.process, addr, addr + len);
                call.memory().map(addr, len, (perms(prot), ANONYMOUS.into(), 0));
                done(addr)
            }
            _ => Err(Errno::ENODEV.into()),
        };
    };
    let is_shared = flags & MAP_TYPE != MAP_PRIVATE;
    let is_writable = file.writable();
    if is_shared && prot & 2 != 0 && !is_writable {
        return Err(Errno::EACCES.into());
    }
    if is_shared && shared::would_meet(call.process, inode, is_writable) {
        return unsupported("a second shared mapping of a file that may be written through one");
    }
    let addr = place(call.memory(), hint, len, flags)?;
    shared::forget(call.process, addr, addr + len);
    shared::write_back(call.process, inode);
    let host = Arc::clone(&call.process.host);
    call.os_mut().files_mut().fetch(&*host, inode)?;
    let name: Arc<str> = String::from_utf8_lossy(&file.path).as_ref().into();
    // Two parts of the process are needed at once: the bytes and the memory they go to.
    let os = Arc::clone(&call.process.os);
    let bytes = os.files.overlay.inode(inode).map(|inode| inode.bytes()).unwrap_or_default();
    let from = (offset as usize).min(bytes.len());
    let to = bytes.len().min(from.saturating_add(len as usize));
    call.memory().map(addr, len, (perms(prot), Arc::clone(&name), offset));
    call.memory().write_any(addr, &bytes[from..to]);
    if prot & 4 != 0 && bytes.starts_with(b"\x7fELF") {
        let known = os.modules.iter().any(|module| module.path == *name && module.contains(addr));
        let content = os.files.overlay.inode(inode).map(|inode| inode.shared_bytes());
        if let Some(module) = content
            .filter(|_| !known)
            .and_then(|bytes| Module::from_mapping(&name, &bytes, addr, offset))
        {
            drop(os);
            call.process.add_module(module);
        }
    }
    if is_shared {
        let (start, end) = (addr, addr + len);
        shared::note(call.process, SharedMapping { inode, start, end, offset, is_writable });
    }
    done(addr)
}

pub(super) fn munmap(call: &mut Call<'_>) -> SysResult {
    let [addr, len, ..] = call.args;
    let (addr, len) = range(addr, len, Errno::EINVAL)?;
    shared::forget(call.process, addr, addr + len);
    if call.memory().regions().overlaps(addr, addr + len) {
        call.memory().unmap(addr, len);
    }
    done(0)
}

pub(super) fn mprotect(call: &mut Call<'_>) -> SysResult {
    let [addr, len, prot, ..] = call.args;
    if len == 0 && addr.is_multiple_of(PAGE_SIZE) {
        return done(0);
    }
    let (addr, len) = range(addr, len, Errno::ENOMEM)?;
    if !call.memory().regions().covers(addr, addr + len) {
        return Err(Errno::ENOMEM.into());
    }
    if prot & 2 != 0 && shared::is_read_only(call.process, addr, addr + len) {
        return Err(Errno::EACCES.into());
    }
    call.memory().protect(addr, len, perms(prot));
    done(0)
}

pub(super) fn mremap(call: &mut Call<'_>) -> SysResult {
    const MAYMOVE: u64 = 1;
    let [old, old_len, new_len, flags, ..] = call.args;
    let (old, old_len) = range(old, old_len, Errno::EFAULT)?;
    let new_len = page_ceil(new_len).filter(|&len| len > 0).ok_or(Errno::EINVAL)?;
    if flags & !MAYMOVE != 0 {
        return unsupported("mremap to a given address");
    }
    let memory = call.memory();
    let Some((_, region)) = memory.regions().at(old) else { return Err(Errno::EFAULT.into()) };
    let region = region.clone();
    if region.end < old + old_len {
        return Err(Errno::EFAULT.into());
    }
    if new_len <= old_len {
        if new_len < old_len {
            shared::forget(call.process, old + new_len, old + old_len);
            call.memory().unmap(old + new_len, old_len - new_len);
        }
        return done(old);
    }
    if &*region.name != ANONYMOUS {
        return unsupported("growing the mapping of a file");
    }
    grow(call, (old, old_len), new_len, &region, flags & MAYMOVE != 0)
}

fn grow(
    call: &mut Call<'_>,
    (old, old_len): (u64, u64),
    new_len: u64,
    region: &Region,
    may_move: bool,
) -> SysResult {
    let memory = call.memory();
    let (tail, more) = (old + old_len, new_len - old_len);
    let fits = tail.checked_add(more).is_some_and(|end| end <= MMAP_TOP);
    if fits && !memory.regions().overlaps(tail, tail + more) {
        memory.map(tail, more, (region.perms, Arc::clone(&region.name), 0));
        return done(old);
    }
    if !may_move {
        return Err(Errno::ENOMEM.into());
    }
    let addr = place(memory, 0, new_len, 0)?;
    memory.map(addr, new_len, (region.perms, Arc::clone(&region.name), 0));
    memory.protect(old, old_len, Perms::R);
    let bytes = memory.slice(old, old_len)?.to_vec();
    memory.write_any(addr, &bytes);
    memory.unmap(old, old_len);
    done(addr)
}

pub(super) fn madvise(call: &mut Call<'_>) -> SysResult {
    const DONTNEED: u64 = 4;
    const REMOVE: u64 = 9;
    let [addr, len, advice, ..] = call.args;
    if len == 0 && addr.is_multiple_of(PAGE_SIZE) {
        return done(0);
    }
    let (addr, len) = range(addr, len, Errno::ENOMEM)?;
    let end = addr + len;
    if !call.memory().regions().covers(addr, end) {
        return Err(Errno::ENOMEM.into());
    }
    match advice {
        DONTNEED => {
            let regions = call.memory().regions();
            let files = regions.iter().any(|(start, region)| {
                start < end && region.end > addr && !region.name.starts_with('[')
            });
            if files {
                return unsupported("dropping pages of a file mapping");
            }
            call.memory().clear(addr, len);
            done(0)
        }
        REMOVE => unsupported("punching a hole into a file"),
        0..=25 => done(0),
        _ => Err(Errno::EINVAL.into()),
    }
}

pub(super) fn brk(call: &mut Call<'_>) -> SysResult {
    let [wanted, ..] = call.args;
    let brk = call.os().brk;
    let pages = |addr: u64| page_ceil(addr).filter(|&end| end <= ADDRESS_LIMIT);
    let (Some(old), Some(new)) = (pages(brk.end), pages(wanted)) else { return done(brk.end) };
    if wanted < brk.start {
        return done(brk.end);
    }
    if new > old {
        if call.memory().regions().overlaps(old, new) {
            return done(brk.end);
        }
        call.memory().map(old, new - old, (Perms::RW, "[heap]".into(), 0));
    } else if new < old {
        call.memory().unmap(new, old - new);
    }
    call.os_mut().brk.end = wanted;
    done(wanted)
}

/// All mapped pages count as resident.
pub(super) fn mincore(call: &mut Call<'_>) -> SysResult {
    let [addr, len, vector, ..] = call.args;
    let (addr, len) = range(addr, len, Errno::ENOMEM)?;
    if !call.memory().regions().covers(addr, addr + len) {
        return Err(Errno::ENOMEM.into());
    }
    let resident = vec![1; (len / PAGE_SIZE) as usize];
    call.write(vector, &resident)?;
    done(0)
}

pub(super) fn msync(call: &mut Call<'_>) -> SysResult {
    let [addr, len, ..] = call.args;
    let (addr, len) = range(addr, len.max(1), Errno::ENOMEM)?;
    if !call.memory().regions().covers(addr, addr + len) {
        return Err(Errno::ENOMEM.into());
    }
    shared::write_back_all(call.process);
    Ok(Flow::Value(0))
}
