"""Snake: the arrows turn it, what it eats makes it longer, and its own body ends the game. Select ends the app.

A game is a loop: look at the buttons, move by one cell, draw the cells that have changed, sleep. Only changes are drawn,
so a step takes two rectangles however long the snake is.
"""
import random
import svc

CELL = 16
TOP = 32  # rows of the display above the field, for the score
STEP_MS = 140
FASTEST_MS = 60

FIELD = 0x10A2
BODY = 0x4E8B
HEAD = 0x9FEC
FOOD = 0xF9C8
TEXT = 0xFFFF
DIM = 0x8C71

TURNS = {svc.UP: (0, -1), svc.DOWN: (0, 1), svc.LEFT: (-1, 0), svc.RIGHT: (1, 0)}


class Quit(Exception):
    """Select was pressed."""


class Buttons:
    """Buttons that have gone down since the last look."""

    def __init__(self):
        self.held = svc.buttons()

    def pressed(self):
        now = max(svc.buttons(), 0)  # below 0 is an error
        fresh = now & ~self.held
        self.held = now
        if fresh & svc.SELECT:
            raise Quit
        return fresh


class Field:
    """The cells of the display, and the text above them."""

    def __init__(self):
        self.width = svc.display_width() // CELL
        self.height = (svc.display_height() - TOP) // CELL

    def clear(self):
        svc.display_fill(0, 0, svc.display_width(), svc.display_height(), FIELD)

    def draw(self, cell, colour):
        x, y = cell
        svc.display_fill(x * CELL + 1, TOP + y * CELL + 1, CELL - 2, CELL - 2, colour)

    def write(self, row, text, colour=TEXT):
        left = (svc.display_width() - 8 * len(text)) // 2
        svc.display_fill(0, row, svc.display_width(), 16, FIELD)
        svc.display_text(left, row, colour, text)

    def holds(self, cell):
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height


def start_body(field):
    middle = field.height // 2
    return [(field.width // 2 - n, middle) for n in range(4)]


def free_cell(field, body):
    while True:
        cell = (random.randrange(field.width), random.randrange(field.height))
        if cell not in body:
            return cell


def draw_body(field, body):
    for cell in body[1:]:
        field.draw(cell, BODY)
    field.draw(body[0], HEAD)


def play(field, buttons):
    """One game. Returns how much the snake has eaten."""
    body = start_body(field)  # from the head to the tail
    direction = (1, 0)
    eaten = 0
    field.clear()
    draw_body(field, body)
    food = free_cell(field, body)
    field.draw(food, FOOD)
    while True:
        field.write(8, "eaten %d" % eaten)
        svc.display_flush()
        svc.sleep_ms(max(STEP_MS - 4 * eaten, FASTEST_MS))
        fresh = buttons.pressed()
        for button, turn in TURNS.items():
            if fresh & button and turn != (-direction[0], -direction[1]):
                direction = turn
        head = (body[0][0] + direction[0], body[0][1] + direction[1])
        if not field.holds(head) or head in body[:-1]:
            svc.sound_tone(0, 400, 60, 500, 70, svc.SAWTOOTH)
            return eaten
        field.draw(body[0], BODY)
        body.insert(0, head)
        if head == food:
            eaten += 1
            svc.sound_tone(0, 500 + 20 * eaten, 900 + 20 * eaten, 90, 60, svc.TRIANGLE)
            food = free_cell(field, body)
            field.draw(food, FOOD)
        else:
            field.draw(body.pop(), FIELD)
        field.draw(head, HEAD)


def best_so_far():
    kept = svc.storage_read("best")
    return int(kept) if kept else 0


def wait(field, buttons, eaten):
    """Shows the score until A is pressed."""
    best = best_so_far()
    if eaten is not None and eaten > best:
        best = eaten
        svc.storage_write("best", str(best))
    field.clear()
    draw_body(field, start_body(field))
    field.write(8, "SNAKE" if eaten is None else "eaten %d" % eaten)
    field.write(TOP + 2 * CELL, "best %d" % best, DIM)
    field.write(TOP + 4 * CELL, "A starts, SELECT ends", DIM)
    svc.display_flush()
    while not buttons.pressed() & svc.A:
        svc.sleep_ms(30)


def main():
    field = Field()
    buttons = Buttons()
    eaten = None
    try:
        while True:
            wait(field, buttons, eaten)
            eaten = play(field, buttons)
            print("eaten", eaten)
    except Quit:
        print("bye")


main()
