//! {{name}}: a square that the arrow buttons move. A gives it another colour, select ends the app.
//!
//! The console calls `run` once. Everything that happens is in the loop of `play`: look at the buttons, draw what has
//! changed, sleep.
use svc::{button, level};

// Colours are RGB565: five bits of red, six of green, five of blue.
const BACKGROUND: i32 = 0x0000;
const TEXT: i32 = 0xffff;
const COLOURS: [i32; 4] = [0xfd20, 0x07ff, 0xf81f, 0x07e0];

const SIDE: i32 = 32;
const STEP: i32 = 4;
const FRAME_MS: i32 = 33;
/// The console's font is 8 by 16 pixels.
const LETTER_HEIGHT: i32 = 16;
const MARGIN: i32 = 8;
/// The square stays clear of the text.
const TOP: i32 = MARGIN + 3 * LETTER_HEIGHT;

struct Square {
    right: i32, // furthest places
    bottom: i32,
    x: i32,
    y: i32,
    colour: usize,
}

impl Square {
    fn new(width: i32, height: i32) -> Square {
        let (right, bottom) = (width - SIDE, height - SIDE);
        Square { right, bottom, x: right / 2, y: bottom / 2, colour: 0 }
    }

    fn travel(&mut self, right: i32, down: i32) {
        let x = (self.x + right * STEP).clamp(0, self.right);
        let y = (self.y + down * STEP).clamp(TOP, self.bottom);
        if (x, y) == (self.x, self.y) {
            return;
        }
        svc::display_fill(self.x, self.y, SIDE, SIDE, BACKGROUND);
        self.x = x;
        self.y = y;
        self.draw();
    }

    fn recolour(&mut self) {
        self.colour = (self.colour + 1) % COLOURS.len();
        svc::log_line(level::INFO, format_args!("colour {}", self.colour));
        self.draw();
    }

    fn draw(&self) {
        svc::display_fill(self.x, self.y, SIDE, SIDE, COLOURS[self.colour]);
        svc::display_flush(); // what was drawn since the last time appears at once
    }
}

/// 1, -1, or 0 where neither or both are down.
fn direction(held: i32, forward: i32, back: i32) -> i32 {
    i32::from(held & forward != 0) - i32::from(held & back != 0)
}

fn play(mut square: Square) -> i32 {
    let mut held = 0;
    loop {
        let now = svc::buttons().max(0); // below 0 is an error
        let pressed = now & !held; // has gone down since the last time
        held = now;
        if pressed & button::SELECT != 0 {
            return 0;
        }
        if pressed & button::A != 0 {
            square.recolour();
        }
        square.travel(
            direction(now, button::RIGHT, button::LEFT),
            direction(now, button::DOWN, button::UP),
        );
        svc::sleep_ms(FRAME_MS);
    }
}

svc::main!(run);

/// What it returns is the app's exit code.
fn run() -> i32 {
    let (width, height) = (svc::display_width(), svc::display_height());
    if width <= 0 || height <= 0 {
        svc::log(level::ERROR, "this console has no display");
        return 1;
    }
    svc::log_line(level::INFO, format_args!("hello from {{name}}, on {} by {} pixels", width, height));
    svc::display_fill(0, 0, width, height, BACKGROUND);
    svc::display_text(MARGIN, MARGIN, TEXT, "{{name}}");
    svc::display_text(MARGIN, MARGIN + LETTER_HEIGHT, TEXT, "arrows, A, SELECT");
    let square = Square::new(width, height);
    square.draw();
    play(square)
}
