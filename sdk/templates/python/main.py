"""{{name}}: a square that the arrow buttons move. A gives it another colour, select ends the app.

The console runs this file once. Everything that happens is in the loop of `play`: look at the buttons, draw what has
changed, sleep.
"""
import sys
import svc

# Colours are RGB565: five bits of red, six of green, five of blue.
BACKGROUND = 0x0000
TEXT = 0xFFFF
COLOURS = (0xFD20, 0x07FF, 0xF81F, 0x07E0)

SIDE = 32
STEP = 4
FRAME_MS = 33
LETTER_HEIGHT = 16  # the console's font is 8 by 16 pixels
MARGIN = 8


class Square:
    def __init__(self, width, height):
        self.top = MARGIN + 3 * LETTER_HEIGHT  # stays clear of the text
        self.right = width - SIDE
        self.bottom = height - SIDE
        self.x = self.right // 2
        self.y = self.bottom // 2
        self.colour = 0
        self.draw()

    def move(self, right, down):
        x = min(max(self.x + right * STEP, 0), self.right)
        y = min(max(self.y + down * STEP, self.top), self.bottom)
        if (x, y) == (self.x, self.y):
            return
        svc.display_fill(self.x, self.y, SIDE, SIDE, BACKGROUND)
        self.x, self.y = x, y
        self.draw()

    def recolour(self):
        self.colour = (self.colour + 1) % len(COLOURS)
        print("colour", self.colour)
        self.draw()

    def draw(self):
        svc.display_fill(self.x, self.y, SIDE, SIDE, COLOURS[self.colour])
        svc.display_flush()  # what was drawn since the last time appears at once


def direction(held, forward, back):
    """1, -1, or 0 where neither or both are down."""
    return bool(held & forward) - bool(held & back)


def play(square):
    held = 0
    while True:
        now = max(svc.buttons(), 0)  # below 0 is an error
        pressed = now & ~held  # has gone down since the last time
        held = now
        if pressed & svc.SELECT:
            return
        if pressed & svc.A:
            square.recolour()
        square.move(direction(now, svc.RIGHT, svc.LEFT), direction(now, svc.DOWN, svc.UP))
        svc.sleep_ms(FRAME_MS)


width = svc.display_width()
height = svc.display_height()
if width <= 0 or height <= 0:
    svc.log(svc.ERROR, "this console has no display")
    sys.exit(1)
print("hello from {{name}}, on", width, "by", height, "pixels")
svc.display_fill(0, 0, width, height, BACKGROUND)
svc.display_text(MARGIN, MARGIN, TEXT, "{{name}}")
svc.display_text(MARGIN, MARGIN + LETTER_HEIGHT, TEXT, "arrows, A, SELECT")
play(Square(width, height))
