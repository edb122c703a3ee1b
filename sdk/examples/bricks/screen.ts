/**
 * The game on the display. The screen remembers what it shows and draws the difference: a frame costs a few
 * small rectangles however large the display is, and none where nothing has moved.
 */
import { displayFill, displayFlush, displayText } from "svc";
import {
  BALL_SIZE,
  BRICK_HEIGHT,
  COLUMNS,
  FIELD_TOP,
  Game,
  PADDLE_HEIGHT,
  Phase,
  ROWS,
  WALL_TOP,
} from "./rules";

// Colours are RGB565: five bits of red, six of green, five of blue.
const BACKGROUND = 0x0000;
const TEXT = 0xffff;
const LINE = 0x8410;
const BALL = 0xffff;
const PADDLE = 0x07ff;
const BRICKS: StaticArray<i32> = [0xf800, 0xfd20, 0xffe0, 0x07e0, 0x041f];

/** The console's font is 8 by 16 pixels. */
const LETTER_WIDTH = 8;
const LETTER_HEIGHT = 16;
const TEXT_TOP = 3;
/** Left of a brick and above it the background shows. */
const GAP = 2;

export class Screen {
  private readonly game: Game;
  private readonly messageTop: i32;
  private readonly bricks: StaticArray<bool> = new StaticArray<bool>(COLUMNS * ROWS);
  private ballX: i32 = 0;
  private ballY: i32 = 0;
  private paddleX: i32 = 0;
  private headline: string = "";
  private message: string = "";
  private isChanged: bool = true;

  constructor(game: Game) {
    this.game = game;
    this.messageTop = (WALL_TOP + ROWS * BRICK_HEIGHT + game.paddleTop) / 2;
    displayFill(0, 0, game.width, game.height, BACKGROUND);
    displayFill(0, FIELD_TOP - 2, game.width, 2, LINE);
    displayFill(this.paddleX, game.paddleTop, game.paddleWidth, PADDLE_HEIGHT, PADDLE);
  }

  show(best: i32): void {
    this.showBricks();
    this.showMessage();
    this.showPaddle();
    this.showBall();
    this.showHeadline(best);
    if (this.isChanged) displayFlush();
    this.isChanged = false;
  }

  private showBricks(): void {
    const game = this.game;
    for (let index = 0; index < COLUMNS * ROWS; index++) {
      const stands = game.bricks[index];
      if (stands === this.bricks[index]) continue;
      this.bricks[index] = stands;
      const x = (index % COLUMNS) * game.brickWidth;
      const y = WALL_TOP + (index / COLUMNS) * BRICK_HEIGHT;
      const colour = stands ? BRICKS[index / COLUMNS] : BACKGROUND;
      this.fill(x + GAP, y + GAP, game.brickWidth - GAP, BRICK_HEIGHT - GAP, colour);
    }
  }

  private showPaddle(): void {
    const game = this.game;
    if (game.paddleX === this.paddleX) return;
    this.fill(this.paddleX, game.paddleTop, game.paddleWidth, PADDLE_HEIGHT, BACKGROUND);
    this.paddleX = game.paddleX;
    this.fill(this.paddleX, game.paddleTop, game.paddleWidth, PADDLE_HEIGHT, PADDLE);
  }

  private showBall(): void {
    const game = this.game;
    if (game.ballX === this.ballX && game.ballY === this.ballY) return;
    this.fill(this.ballX, this.ballY, BALL_SIZE, BALL_SIZE, BACKGROUND);
    this.ballX = game.ballX;
    this.ballY = game.ballY;
    this.fill(this.ballX, this.ballY, BALL_SIZE, BALL_SIZE, BALL);
  }

  private showHeadline(best: i32): void {
    const game = this.game;
    const text = `Score ${game.score} Best ${best} Balls ${game.balls}`;
    if (text === this.headline) return;
    this.headline = text;
    this.fill(0, 0, game.width, FIELD_TOP - 2, BACKGROUND);
    displayText(TEXT_TOP, TEXT_TOP, TEXT, text);
  }

  /** In the middle, where nothing else is while no ball flies. */
  private showMessage(): void {
    const text = messageOf(this.game.phase);
    if (text === this.message) return;
    this.message = text;
    const width = this.game.width;
    this.fill(0, this.messageTop, width, LETTER_HEIGHT, BACKGROUND);
    displayText((width - text.length * LETTER_WIDTH) / 2, this.messageTop, TEXT, text);
  }

  private fill(x: i32, y: i32, width: i32, height: i32, colour: i32): void {
    displayFill(x, y, width, height, colour);
    this.isChanged = true;
  }
}

function messageOf(phase: Phase): string {
  if (phase === Phase.READY) return "A launches the ball";
  return phase === Phase.OVER ? "Game over. START again" : "";
}
