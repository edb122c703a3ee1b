//! The rules: where the ship, the comets and the shots are, and what a frame does to them. Nothing here draws or waits, and
//! chance comes in as a number, so the same buttons and the same chance make the same game.

pub const WIDTH: i32 = 240;
pub const HEIGHT: i32 = 320;
/// Of the ship and of a comet, which are squares.
pub const SIZE: i32 = 16;
pub const SHIP_Y: i32 = HEIGHT - 32;
pub const SHOT_HEIGHT: i32 = 6;

const MOST_COMETS: usize = 8;
const MOST_SHOTS: usize = 3;
const LIVES: i32 = 3;
const SHIP_STEP: i32 = 5;
const SHOT_STEP: i32 = 9;
const POINTS: i32 = 10;
/// Frames between two comets at first; each ten comets that are hit, one fewer.
const FIRST_PAUSE: i32 = 30;
const SHORTEST_PAUSE: i32 = 10;

#[derive(Clone, Copy)]
pub struct Place {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Copy)]
pub struct Comet {
    pub place: Place,
    pub kind: i32,
    speed: i32,
}

impl Comet {
    fn moved(self) -> Comet {
        Comet { place: Place { y: self.place.y + self.speed, ..self.place }, ..self }
    }
}

/// What has happened in a frame.
#[derive(Default, Clone, Copy)]
pub struct Events {
    pub fired: bool,
    pub hit: bool,
    pub crashed: bool,
    pub ended: bool,
}

/// What the player wants.
#[derive(Clone, Copy)]
pub struct Wish {
    pub right: i32,
    pub fires: bool,
}

pub struct Game {
    pub ship_x: i32,
    pub comets: [Option<Comet>; MOST_COMETS],
    pub shots: [Option<Place>; MOST_SHOTS],
    pub score: i32,
    pub lives: i32,
    until_next: i32,
}

impl Game {
    pub fn new() -> Game {
        Game {
            ship_x: (WIDTH - SIZE) / 2,
            comets: [None; MOST_COMETS],
            shots: [None; MOST_SHOTS],
            score: 0,
            lives: LIVES,
            until_next: FIRST_PAUSE,
        }
    }

    pub fn step(&mut self, wish: Wish, chance: u32) -> Events {
        let mut events = Events::default();
        self.ship_x = (self.ship_x + wish.right * SHIP_STEP).clamp(0, WIDTH - SIZE);
        events.fired = wish.fires && self.fire();
        self.move_shots();
        self.move_comets(&mut events);
        self.shoot_down(&mut events);
        self.until_next -= 1;
        if self.until_next <= 0 {
            self.add_comet(chance);
        }
        events.ended = self.lives == 0;
        events
    }

    /// Whether a shot was left.
    fn fire(&mut self) -> bool {
        let place = Place { x: self.ship_x + SIZE / 2 - 1, y: SHIP_Y - SHOT_HEIGHT };
        let free = self.shots.iter_mut().find(|shot| shot.is_none());
        free.map(|shot| *shot = Some(place)).is_some()
    }

    fn move_shots(&mut self) {
        for shot in &mut self.shots {
            *shot = shot.map(|place| Place { y: place.y - SHOT_STEP, ..place }).filter(|place| place.y > -SHOT_HEIGHT);
        }
    }

    fn move_comets(&mut self, events: &mut Events) {
        let ship = Place { x: self.ship_x, y: SHIP_Y };
        for comet in &mut self.comets {
            let moved = comet.map(|comet| comet.moved());
            let has_crashed = moved.map_or(false, |moved| touches(moved.place, ship, SIZE, SIZE));
            if has_crashed {
                self.lives = (self.lives - 1).max(0);
                events.crashed = true;
            }
            *comet = moved.filter(|moved| !has_crashed && moved.place.y < HEIGHT);
        }
    }

    fn shoot_down(&mut self, events: &mut Events) {
        for shot in &mut self.shots {
            let is_hit = |comet: &&mut Option<Comet>| match (**comet, *shot) {
                (Some(comet), Some(place)) => touches(comet.place, place, 2, SHOT_HEIGHT),
                _ => false,
            };
            if let Some(comet) = self.comets.iter_mut().find(is_hit) {
                *comet = None;
                *shot = None;
                self.score += POINTS;
                events.hit = true;
            }
        }
    }

    fn add_comet(&mut self, chance: u32) {
        let hits = self.score / POINTS;
        self.until_next = (FIRST_PAUSE - hits / 10).max(SHORTEST_PAUSE);
        let x = (chance % (WIDTH - SIZE + 1) as u32) as i32;
        let speed = 2 + (chance >> 16) as i32 % 3 + hits / 30;
        let comet = Comet { place: Place { x, y: -SIZE }, kind: (chance >> 24) as i32 % 2, speed };
        if let Some(free) = self.comets.iter_mut().find(|comet| comet.is_none()) {
            *free = Some(comet);
        }
    }
}

/// Whether a comet and a rectangle of that size have a pixel in common.
fn touches(comet: Place, other: Place, width: i32, height: i32) -> bool {
    comet.x < other.x + width && other.x < comet.x + SIZE && comet.y < other.y + height && other.y < comet.y + SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    const STILL: Wish = Wish { right: 0, fires: false };

    #[test]
    fn a_comet_that_meets_the_ship_takes_a_life() {
        let mut game = Game::new();
        let x = game.ship_x as u32;
        let mut crashes = 0;
        for _ in 0..2000 {
            crashes += i32::from(game.step(STILL, x).crashed);
            if game.lives == 0 {
                break;
            }
        }
        assert_eq!((crashes, game.lives, game.score), (3, 0, 0));
    }

    #[test]
    fn a_shot_that_meets_a_comet_scores() {
        let mut game = Game::new();
        let x = game.ship_x as u32;
        for _ in 0..100 {
            game.step(Wish { right: 0, fires: true }, x);
        }
        assert!(game.score > 0 && game.lives == 3);
    }
}
