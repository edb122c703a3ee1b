/**
 * The rules: where the ball, the paddle and the bricks are, and what a frame does to them. Nothing here draws
 * or waits, and chance comes in as an argument, so the same buttons and the same chance make the same game.
 */
import { Button } from "svc";

/** What waits for the player, what runs, and what has ended. */
export enum Phase {
  /** The ball lies on the paddle; A launches it. */
  READY,
  PLAYING,
  /** The last ball is lost; start begins again. */
  OVER,
}

/** What has happened in a frame: bits of {@link Game.events}. */
export enum Event {
  LAUNCHED = 1,
  /** The ball met the paddle or the edge of the field. */
  BOUNCED = 2,
  BROKE_BRICK = 4,
  FINISHED_LEVEL = 8,
  LOST_BALL = 16,
}

export const COLUMNS = 8;
export const ROWS = 5;
export const BRICK_HEIGHT = 14;
export const BALL_SIZE = 6;
export const PADDLE_HEIGHT = 8;
/** Above the field stands the score. */
export const FIELD_TOP = 24;
export const WALL_TOP = FIELD_TOP + 24;

const BALLS = 3;
const POINTS = 10;
const PADDLE_STEP = 8;

/** The ball's place and speed are in sixteenths of a pixel, and of a pixel a frame. */
const SUBPIXELS = 16;
const FIRST_SPEED = 5 * SUBPIXELS;
const SPEED_PER_LEVEL = SUBPIXELS / 2;
/** A ball that moves further than a brick is high would jump through it. */
const SPEED_LIMIT = (BRICK_HEIGHT - 2) * SUBPIXELS;
const SIDEWAYS_LIMIT = 4 * SUBPIXELS;
/** A ball that went straight up would come straight back for ever. */
const SIDEWAYS_LEAST = SUBPIXELS / 2;

export class Game {
  readonly width: i32;
  readonly height: i32;
  readonly brickWidth: i32;
  readonly paddleWidth: i32;
  readonly paddleTop: i32;

  phase: Phase = Phase.OVER;
  score: i32 = 0;
  balls: i32 = 0;
  paddleX: i32 = 0;
  /** Bits of what the last frame has done. */
  events: i32 = 0;
  /** Row by row; true while the brick stands. */
  readonly bricks: StaticArray<bool> = new StaticArray<bool>(COLUMNS * ROWS);

  private standing: i32 = 0;
  private speed: i32 = 0;
  private ballXSub: i32 = 0;
  private ballYSub: i32 = 0;
  private speedX: i32 = 0;
  private speedY: i32 = 0;

  constructor(width: i32, height: i32) {
    this.width = width;
    this.height = height;
    this.brickWidth = width / COLUMNS;
    this.paddleWidth = width / 5;
    this.paddleTop = height - 20;
    this.restart();
  }

  get ballX(): i32 {
    return this.ballXSub / SUBPIXELS;
  }

  get ballY(): i32 {
    return this.ballYSub / SUBPIXELS;
  }

  /**
   * One frame.
   * @param held bits of the buttons that are down
   * @param chance any number
   */
  step(held: i32, chance: u32): void {
    this.events = 0;
    if (this.phase === Phase.OVER) {
      if (held & Button.START) this.restart();
      return;
    }
    this.movePaddle(held);
    if (this.phase === Phase.PLAYING) this.moveBall();
    else if (held & Button.A) this.launch(chance);
    if (this.phase === Phase.READY) this.layBallOnPaddle();
  }

  private restart(): void {
    this.score = 0;
    this.balls = BALLS;
    this.speed = FIRST_SPEED;
    this.paddleX = (this.width - this.paddleWidth) / 2;
    this.buildWall();
  }

  private buildWall(): void {
    this.bricks.fill(true);
    this.standing = this.bricks.length;
    this.phase = Phase.READY;
    this.layBallOnPaddle();
  }

  private layBallOnPaddle(): void {
    this.ballXSub = (this.paddleX + (this.paddleWidth - BALL_SIZE) / 2) * SUBPIXELS;
    this.ballYSub = (this.paddleTop - BALL_SIZE) * SUBPIXELS;
  }

  private movePaddle(held: i32): void {
    if (held & Button.LEFT) this.paddleX -= PADDLE_STEP;
    if (held & Button.RIGHT) this.paddleX += PADDLE_STEP;
    this.paddleX = max(0, min(this.paddleX, this.width - this.paddleWidth));
  }

  private launch(chance: u32): void {
    this.speedX = sideways(i32(chance % (SIDEWAYS_LIMIT + 1)) - SIDEWAYS_LIMIT / 2);
    this.speedY = -this.speed;
    this.phase = Phase.PLAYING;
    this.events |= Event.LAUNCHED;
  }

  /** One axis after the other, so that it is clear which side of a brick was hit. */
  private moveBall(): void {
    const x = this.ballXSub + this.speedX;
    const isAtSide = x < 0 || x > (this.width - BALL_SIZE) * SUBPIXELS;
    if (isAtSide || this.hitsBrick(x, this.ballYSub)) this.bounceSideways();
    else this.ballXSub = x;

    const y = this.ballYSub + this.speedY;
    if (y < FIELD_TOP * SUBPIXELS || this.hitsBrick(this.ballXSub, y)) this.bounceUpOrDown();
    else if (this.speedY > 0 && this.meetsPaddle(y)) this.bounceOffPaddle();
    else this.ballYSub = y;

    if (this.standing === 0) this.finishLevel();
    else if (this.ballY >= this.height) this.loseBall();
  }

  private bounceSideways(): void {
    this.speedX = -this.speedX;
    this.events |= Event.BOUNCED;
  }

  private bounceUpOrDown(): void {
    this.speedY = -this.speedY;
    this.events |= Event.BOUNCED;
  }

  /** Whether a ball at that place touches a brick, which then falls. The ball is smaller than any brick. */
  private hitsBrick(xSub: i32, ySub: i32): bool {
    const left = xSub / SUBPIXELS;
    const top = ySub / SUBPIXELS;
    const right = left + BALL_SIZE - 1;
    const bottom = top + BALL_SIZE - 1;
    return (
      this.breaks(left, top) ||
      this.breaks(right, top) ||
      this.breaks(left, bottom) ||
      this.breaks(right, bottom)
    );
  }

  private breaks(x: i32, y: i32): bool {
    const column = x / this.brickWidth;
    const row = (y - WALL_TOP) / BRICK_HEIGHT;
    if (y < WALL_TOP || row >= ROWS || column >= COLUMNS) return false;
    const index = row * COLUMNS + column;
    if (!this.bricks[index]) return false;
    this.bricks[index] = false;
    this.events |= Event.BROKE_BRICK;
    this.standing--;
    this.score += POINTS * (ROWS - row); // the upper ones are harder to reach
    return true;
  }

  private meetsPaddle(ySub: i32): bool {
    const bottom = ySub / SUBPIXELS + BALL_SIZE;
    if (bottom < this.paddleTop || this.ballY >= this.paddleTop) return false;
    return this.ballX + BALL_SIZE > this.paddleX && this.ballX < this.paddleX + this.paddleWidth;
  }

  /** The further from the paddle's middle, the flatter the ball leaves it: that is how players aim. */
  private bounceOffPaddle(): void {
    const offset = this.ballX + BALL_SIZE / 2 - (this.paddleX + this.paddleWidth / 2);
    this.speedX = sideways((offset * 2 * SIDEWAYS_LIMIT) / this.paddleWidth);
    this.speedY = -this.speed;
    this.ballYSub = (this.paddleTop - BALL_SIZE) * SUBPIXELS;
    this.events |= Event.BOUNCED;
  }

  private finishLevel(): void {
    this.events |= Event.FINISHED_LEVEL;
    this.speed = min(this.speed + SPEED_PER_LEVEL, SPEED_LIMIT);
    this.buildWall();
  }

  private loseBall(): void {
    this.events |= Event.LOST_BALL;
    this.balls--;
    this.phase = this.balls > 0 ? Phase.READY : Phase.OVER;
  }
}

function sideways(speed: i32): i32 {
  return speed < 0 ? min(speed, -SIDEWAYS_LEAST) : max(speed, SIDEWAYS_LEAST);
}
