//! The game on the display: everything anew in each frame, from one sheet of sprites. A frame is a fill, some twenty sprites and
//! two lines of text.
use crate::game::{Game, HEIGHT, SHIP_Y, SHOT_HEIGHT, SIZE, WIDTH};

// Colours are RGB565: five bits of red, six of green, five of blue.
const SPACE: i32 = 0x0003;
const STAR: i32 = 0x8c71;
const SHOT: i32 = 0xffe0;
const TEXT: i32 = 0xffff;
const DIM: i32 = 0x8c71;

const LETTER_WIDTH: i32 = 8;
const MARGIN: i32 = 8;

/// Three pictures beside each other: the ship and two comets. A letter is a colour of [`colour_of`].
const SPRITES: [&str; 16] = [
    ".......cc...........brrb.............bb.........",
    ".......cc.........brrrrrrb.........brrrrb.......",
    "......cccc.......brrdrrrrrb.......brrrrrrbb.....",
    "......cccc......brrddrrrrrrb.....brrddrrrrrb....",
    "......cwwc......brrrrrrdrrrb....brrrdrrrrrrrb...",
    ".....ccwwcc....brrrrrrddrrrrb...brrrrrrddrrrb...",
    ".....ccwwcc....brrrrrrrrrrrrb...brrrrrrddrrrb...",
    ".....cccccc....brrdrrrrrrdrrb....brrdrrrrrrb....",
    "....cccccccc...brddrrrrrrrrrb.....brrrrrrrb.....",
    "...cccccccccc...brrrrrdrrrrb.......bbrrrrb......",
    "..ccc.cccc.ccc..brrrrrrrrrrb.........bbb........",
    ".ccc..cccc..ccc..brrdrrrrrb.....................",
    "ccc...cccc...ccc..brrrrrrb......................",
    "cc....cyyc....cc....brrb........................",
    "......yyyy......................................",
    ".......yy.......................................",
];
const SHEET_WIDTH: usize = 48;
const SHEET_HEIGHT: usize = 16;
const TRANSPARENT: u16 = 0xf81f;
const SHIP: i32 = 0;

fn colour_of(letter: u8) -> u16 {
    match letter {
        b'c' => 0x5e9f,
        b'w' => 0xffff,
        b'y' => 0xfd20,
        b'b' => 0x6a46,
        b'r' => 0xbc8d,
        b'd' => 0x8b69,
        _ => TRANSPARENT,
    }
}

pub struct Screen {
    sheet: [u16; SHEET_WIDTH * SHEET_HEIGHT],
    frame: i32,
}

impl Screen {
    pub fn new() -> Screen {
        let mut sheet = [TRANSPARENT; SHEET_WIDTH * SHEET_HEIGHT];
        for (row, line) in SPRITES.iter().enumerate() {
            for (column, letter) in line.bytes().enumerate() {
                sheet[row * SHEET_WIDTH + column] = colour_of(letter);
            }
        }
        Screen { sheet, frame: 0 }
    }

    pub fn show(&mut self, game: &Game) {
        self.frame += 1;
        self.space();
        for shot in game.shots.iter().flatten() {
            svc::display_fill(shot.x, shot.y, 2, SHOT_HEIGHT, SHOT);
        }
        for comet in game.comets.iter().flatten() {
            self.sprite(comet.place.x, comet.place.y, 1 + comet.kind);
        }
        self.sprite(game.ship_x, SHIP_Y, SHIP);
        text(MARGIN, MARGIN, TEXT, &format!("{}", game.score));
        for life in 0..game.lives {
            self.sprite(WIDTH - (life + 1) * (SIZE + 4), MARGIN, SHIP);
        }
        svc::display_flush();
    }

    /// What is seen while nobody plays. @param last the score of the game before
    pub fn show_title(&mut self, last: Option<i32>, best: i32) {
        self.frame = 0;
        self.space();
        svc::display_large_text((WIDTH - 6 * 3 * LETTER_WIDTH) / 2, 72, 3, TEXT, "COMETS");
        self.sprite((WIDTH - SIZE) / 2, SHIP_Y, SHIP);
        self.sprite(40, 150, 1);
        self.sprite(180, 190, 2);
        if let Some(score) = last {
            centred(136, TEXT, &format!("{} points", score));
        }
        centred(160, DIM, &format!("best {}", best));
        centred(216, DIM, "A starts, SELECT ends");
        svc::display_flush();
    }

    /// Stars come nearer with each frame.
    fn space(&self) {
        svc::display_fill(0, 0, WIDTH, HEIGHT, SPACE);
        for star in 0..24 {
            let (x, y) = (star * 97 % WIDTH, (star * 61 + self.frame * (1 + star % 3)) % HEIGHT);
            svc::display_fill(x, y, 1, 1 + star % 3, STAR);
        }
    }

    fn sprite(&self, x: i32, y: i32, number: i32) {
        let (width, height) = (SHEET_WIDTH as i32, SHEET_HEIGHT as i32);
        svc::display_sprite(x, y, &self.sheet, width, height, SIZE, SIZE, number, i32::from(TRANSPARENT), 0);
    }
}

fn text(x: i32, y: i32, colour: i32, words: &str) {
    svc::display_text(x, y, colour, words);
}

fn centred(y: i32, colour: i32, words: &str) {
    text((WIDTH - words.len() as i32 * LETTER_WIDTH) / 2, y, colour, words);
}
