//! What an app in Zig has besides the functions of the console: a log line for a panic, formatted lines, and memory.
//! (Its neighbour `svc.zig` is generated; this is written by hand.)
const std = @import("std");
const svc = @import("svc.zig");

/// The console cuts a longer line.
const line_bytes = 192;
const page_bytes = 65536;

/// What Zig calls for an index out of bounds, an overflow, `unreachable` and `@panic`: logs it, and traps. From Zig 0.14 on
/// it is a namespace with a function for each reason.
pub const panic = if (@hasDecl(std.debug, "FullPanic")) std.debug.FullPanic(logAndTrap) else panicBefore014;

fn panicBefore014(message: []const u8, _: ?*std.builtin.StackTrace, address: ?usize) noreturn {
    logAndTrap(message, address);
}

fn logAndTrap(message: []const u8, _: ?usize) noreturn {
    _ = svc.log(svc.Level.err, message);
    @trap();
}

/// Writes a formatted line to the console's log: `svc.print(svc.Level.info, "{d} points", .{points})`. Leaves out what there
/// is no room for.
pub fn print(level: i32, comptime format: []const u8, values: anytype) void {
    var line = [_]u8{' '} ** line_bytes;
    const text = std.fmt.bufPrint(&line, format, values) catch withoutHalfLetter(&line);
    _ = svc.log(level, text);
}

/// What filled a line may end within a letter, whose UTF-8 no log would show.
fn withoutHalfLetter(text: []const u8) []const u8 {
    var last = text.len - 1;
    while (last > 0 and text[last] & 0xc0 == 0x80) last -= 1;
    const bytes = std.unicode.utf8ByteSequenceLength(text[last]) catch return text;
    return if (last + bytes > text.len) text[0..last] else text;
}

/// The linker puts it at the end of the app's stack and data.
extern var __heap_base: u8;

/// The memory that stack and data leave to the app, for an allocator: `std.heap.FixedBufferAllocator.init(svc.memory())`. An
/// app has all of its memory from its start. Each call returns the same.
pub fn memory() []u8 {
    const start = @intFromPtr(&__heap_base);
    const bytes: [*]u8 = @ptrCast(&__heap_base);
    return bytes[0 .. @wasmMemorySize(0) * page_bytes - start];
}
