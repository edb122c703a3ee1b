//! A game: comets fall, and a ship shoots at them. It shows how an app in Rust keeps its rules apart from the console, draws
//! sprites, makes sounds, reads each press once, and keeps the best score.
//!
//! Left and right move the ship, A fires and starts, select ends.
mod game;
mod screen;

use game::{Events, Game, Wish};
use screen::Screen;
use svc::{button, level, shape};

/// 30 frames a second.
const FRAME_MS: i64 = 33;
const BEST: &str = "best";

svc::main!(run);

/// What it returns is the app's exit code.
fn run() -> i32 {
    if svc::display_width() <= 0 {
        svc::log(level::ERROR, "this console has no display");
        return 1;
    }
    let mut screen = Screen::new();
    let mut best = load_best();
    let mut last = None;
    loop {
        screen.show_title(last, best);
        if !is_started() {
            return 0;
        }
        let score = match play(&mut screen) {
            Some(score) => score,
            None => return 0,
        };
        if score > best {
            best = score;
            svc::storage_write(BEST, &best.to_le_bytes());
        }
        svc::log_line(level::INFO, format_args!("{} points", score));
        last = Some(score);
    }
}

/// Waits for A or select. Returns whether it was A.
fn is_started() -> bool {
    loop {
        let pressed = svc::buttons_pressed().max(0); // below 0 is an error
        if pressed & button::SELECT != 0 {
            return false;
        }
        if pressed & button::A != 0 {
            return true;
        }
        svc::sleep_ms(FRAME_MS as i32);
    }
}

/// One game. Returns its score, or nothing if select ended the app.
fn play(screen: &mut Screen) -> Option<i32> {
    let mut game = Game::new();
    let mut frame_at = svc::uptime_ms();
    loop {
        let pressed = svc::buttons_pressed().max(0);
        let held = svc::buttons().max(0);
        if pressed & button::SELECT != 0 {
            return None;
        }
        let right = i32::from(held & button::RIGHT != 0) - i32::from(held & button::LEFT != 0);
        let events = game.step(Wish { right, fires: pressed & button::A != 0 }, any_number());
        sound(events);
        screen.show(&game);
        if events.ended {
            return Some(game.score);
        }
        frame_at = sleep_until(frame_at + FRAME_MS);
    }
}

/// Each kind has a voice of its own. A console without a loudspeaker is silent, and nothing here has to know.
fn sound(events: Events) {
    if events.fired {
        svc::sound_tone(0, 1200, 500, 90, 40, shape::SQUARE);
    }
    if events.hit {
        svc::sound_tone(1, 3000, 300, 220, 60, shape::NOISE);
    }
    if events.crashed {
        svc::sound_tone(2, 300, 40, 600, 80, shape::SAWTOOTH);
    }
}

/// Returns when the next frame counts from: a console that was busy is not made to catch up.
fn sleep_until(time: i64) -> i64 {
    let now = svc::uptime_ms();
    if now >= time {
        return now;
    }
    svc::sleep_ms((time - now) as i32);
    time
}

fn any_number() -> u32 {
    let mut bytes = [0; 4];
    svc::random(&mut bytes);
    u32::from_le_bytes(bytes)
}

fn load_best() -> i32 {
    let mut bytes = [0; 4];
    let is_kept = svc::storage_read(BEST, 0, &mut bytes) == 4;
    if is_kept { i32::from_le_bytes(bytes).max(0) } else { 0 }
}
