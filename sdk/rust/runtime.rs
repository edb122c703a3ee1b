//! What an app in Rust has besides the functions of the console: an entry, a log line for a panic, and a heap.
//! (Its neighbour `svc.rs` is generated; this is written by hand.)
//!
//! An app has all of its memory from its start, so the heap is what the linker left of it, and never grows. Free blocks are a
//! list in the order of their addresses; an allocation takes the first that is large enough, and a freed block joins its
//! neighbours. An app has one thread, so that nothing is locked.
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::fmt::{self, Write};
use std::ptr::null_mut;

use crate::{level, raw};

/// The console cuts a longer line.
const LINE_BYTES: usize = 192;

struct Line {
    bytes: [u8; LINE_BYTES],
    length: usize,
}

impl Write for Line {
    /// Leaves out what there is no room for.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = LINE_BYTES - self.length;
        let mut end = text.len().min(room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.bytes[self.length..self.length + end].copy_from_slice(&text.as_bytes()[..end]);
        self.length += end;
        Ok(())
    }
}

/// Writes a formatted line to the console's log: `svc::log_line(svc::level::INFO, format_args!("{} points", points))`.
pub fn log_line(level: i32, text: fmt::Arguments) -> i32 {
    let mut line = Line { bytes: [0; LINE_BYTES], length: 0 };
    let _ = line.write_fmt(text);
    unsafe { raw::log(level, line.bytes.as_ptr(), line.length as i32) }
}

/// Makes `run` the app's entry; what it returns is the exit code.
#[macro_export]
macro_rules! main {
    ($run:path) => {
        #[no_mangle]
        pub extern "C" fn main() -> i32 {
            $crate::start($run)
        }
    };
}

/// What `svc::main!` calls: a panic in `run` is logged with its file and line, and traps.
pub fn start(run: fn() -> i32) -> i32 {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = match payload.downcast_ref::<&str>() {
            Some(text) => text,
            None => payload.downcast_ref::<String>().map_or("panic", |text| text.as_str()),
        };
        match panic.location() {
            Some(place) => log_line(level::ERROR, format_args!("{}:{}: {}", place.file(), place.line(), text)),
            None => log_line(level::ERROR, format_args!("{}", text)),
        };
        core::arch::wasm32::unreachable()
    }));
    run()
}

extern "C" {
    /// The linker puts it at the end of the app's data and stack.
    static __heap_base: u8;
}

const PAGE_BYTES: usize = 65536;
/// Of each block: its size and alignment are multiples of it.
const UNIT: usize = 8;

/// At the start of a free block.
struct Free {
    bytes: usize,
    next: *mut Free,
}

/// Right before an allocation: the block that it is in.
struct Taken {
    start: usize,
    bytes: usize,
}

struct Heap {
    first: UnsafeCell<*mut Free>,
    is_begun: UnsafeCell<bool>,
}

unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap { first: UnsafeCell::new(null_mut()), is_begun: UnsafeCell::new(false) };

fn rounded(value: usize, unit: usize) -> Option<usize> {
    Some(value.checked_add(unit - 1)? & !(unit - 1))
}

impl Heap {
    unsafe fn begin(&self) {
        let start = (&__heap_base as *const u8 as usize + UNIT - 1) & !(UNIT - 1);
        let end = core::arch::wasm32::memory_size(0) * PAGE_BYTES;
        *self.is_begun.get() = true;
        if end > start {
            self.give(start, end - start);
        }
    }

    /// Takes a block with room for an allocation. `None`: no free block is large enough.
    unsafe fn take(&self, layout: Layout) -> Option<*mut u8> {
        let align = layout.align().max(UNIT);
        let mut link = self.first.get();
        while !(*link).is_null() {
            let block = *link;
            let start = block as usize;
            let free = (*block).bytes;
            let place = rounded(start + std::mem::size_of::<Taken>(), align)?;
            let end = rounded(place.checked_add(layout.size())?, UNIT)?;
            if end - start > free {
                link = &mut (*block).next;
                continue;
            }
            let rest = free - (end - start);
            let next = (*block).next;
            let bytes = if rest < 2 * UNIT {
                *link = next;
                free
            } else {
                let left = end as *mut Free;
                *left = Free { bytes: rest, next };
                *link = left;
                free - rest
            };
            *(place as *mut Taken).sub(1) = Taken { start, bytes };
            return Some(place as *mut u8);
        }
        None
    }

    /// Adds a block to the free ones.
    unsafe fn give(&self, start: usize, bytes: usize) {
        let mut before: *mut Free = null_mut();
        let mut after = *self.first.get();
        while !after.is_null() && (after as usize) < start {
            before = after;
            after = (*after).next;
        }
        let block = start as *mut Free;
        *block = Free { bytes, next: after };
        if start + bytes == after as usize {
            *block = Free { bytes: bytes + (*after).bytes, next: (*after).next };
        }
        if before.is_null() {
            *self.first.get() = block;
        } else if before as usize + (*before).bytes == start {
            *before = Free { bytes: (*before).bytes + (*block).bytes, next: (*block).next };
        } else {
            (*before).next = block;
        }
    }
}

unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !*self.is_begun.get() {
            self.begin();
        }
        self.take(layout).unwrap_or(null_mut())
    }

    unsafe fn dealloc(&self, place: *mut u8, _layout: Layout) {
        let taken = (place as *mut Taken).sub(1);
        self.give((*taken).start, (*taken).bytes);
    }
}
