//! {{name}}: a square that the arrow buttons move. A gives it another colour, select ends the app.
//!
//! The console calls `main` once. Everything that happens is in the loop of `play`: look at the buttons, draw what has
//! changed, sleep.
const std = @import("std");
const svc = @import("svc/svc.zig");

/// An index out of bounds, an overflow and the like are logged, and end the app.
pub const panic = svc.panic;

// Colours are RGB565: five bits of red, six of green, five of blue.
const background = 0x0000;
const white = 0xffff;
const colours = [_]i32{ 0xfd20, 0x07ff, 0xf81f, 0x07e0 };

const side = 32;
const step = 4;
const frame_ms = 33;
/// The console's font is 8 by 16 pixels.
const letter_height = 16;
const margin = 8;
/// The square stays clear of the text.
const top = margin + 3 * letter_height;

const Square = struct {
    right: i32, // furthest places
    bottom: i32,
    x: i32,
    y: i32,
    colour: usize = 0,

    fn init(width: i32, height: i32) Square {
        const right = width - side;
        const bottom = height - side;
        return .{ .right = right, .bottom = bottom, .x = @divTrunc(right, 2), .y = @divTrunc(bottom, 2) };
    }

    fn travel(self: *Square, right: i32, down: i32) void {
        const x = std.math.clamp(self.x + right * step, 0, self.right);
        const y = std.math.clamp(self.y + down * step, top, self.bottom);
        if (x == self.x and y == self.y) return;
        _ = svc.displayFill(self.x, self.y, side, side, background);
        self.x = x;
        self.y = y;
        self.draw();
    }

    fn recolour(self: *Square) void {
        self.colour = (self.colour + 1) % colours.len;
        svc.print(svc.Level.info, "colour {d}", .{self.colour});
        self.draw();
    }

    fn draw(self: *const Square) void {
        _ = svc.displayFill(self.x, self.y, side, side, colours[self.colour]);
        _ = svc.displayFlush(); // what was drawn since the last time appears at once
    }
};

/// 1, -1, or 0 where neither or both are down.
fn direction(held: i32, forward: i32, back: i32) i32 {
    return @as(i32, @intFromBool(held & forward != 0)) - @intFromBool(held & back != 0);
}

fn play(square: *Square) i32 {
    var held: i32 = 0;
    while (true) {
        const now = @max(svc.buttons(), 0); // below 0 is an error
        const pressed = now & ~held; // has gone down since the last time
        held = now;
        if (pressed & svc.Button.select != 0) return 0;
        if (pressed & svc.Button.a != 0) square.recolour();
        square.travel(
            direction(now, svc.Button.right, svc.Button.left),
            direction(now, svc.Button.down, svc.Button.up),
        );
        _ = svc.sleepMs(frame_ms);
    }
}

/// What it returns is the app's exit code.
export fn main() i32 {
    const width = svc.displayWidth();
    const height = svc.displayHeight();
    if (width <= 0 or height <= 0) {
        _ = svc.log(svc.Level.err, "this console has no display");
        return 1;
    }
    svc.print(svc.Level.info, "hello from {{name}}, on {d} by {d} pixels", .{ width, height });
    _ = svc.displayFill(0, 0, width, height, background);
    _ = svc.displayText(margin, margin, white, "{{name}}");
    _ = svc.displayText(margin, margin + letter_height, white, "arrows, A, SELECT");
    var square = Square.init(width, height);
    square.draw();
    return play(&square);
}
