//! In place of the crate's own `runtime.rs`, for an example that is compiled for this machine, which has a heap and an allocator.
use std::fmt;

/// Formats the line, as on a console, and drops it.
pub fn log_line(level: i32, text: fmt::Arguments) -> i32 {
    let line = fmt::format(text);
    unsafe { crate::raw::log(level, line.as_ptr(), line.len() as i32) }
}

#[macro_export]
macro_rules! main {
    ($run:path) => {
        #[no_mangle]
        pub extern "C" fn main() -> i32 {
            $crate::start($run)
        }
    };
}

pub fn start(run: fn() -> i32) -> i32 {
    run()
}
