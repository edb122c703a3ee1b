/**
 * A game with a paddle, a ball and a wall of bricks. It shows how an app runs at a steady pace, reads the
 * buttons, makes sounds, keeps a score in storage and ends.
 *
 * Left and right move the paddle, A launches the ball, start begins again after the last ball, select ends.
 */
import { Button, buttons, displayHeight, displayWidth, LogLevel, log, random, sleepMs, uptimeMs } from "svc";
import { loadBestScore, storeBestScore } from "./best-score";
import { Game, Phase } from "./rules";
import { Screen } from "./screen";
import { playSounds } from "./sounds";

/** 25 frames a second. */
const FRAME_MS = 40;

/** What `main` returns is the app's exit code. */
export function main(): i32 {
  const width = displayWidth();
  const height = displayHeight();
  if (width <= 0 || height <= 0) {
    log(LogLevel.ERROR, "this console has no display");
    return 1;
  }
  play(new Game(width, height));
  return 0;
}

function play(game: Game): void {
  const screen = new Screen(game);
  let best = loadBestScore();
  let frameAt = uptimeMs();
  while (true) {
    const held = max(buttons(), 0); // below 0 it is an error, with bits that are no buttons
    const wasOver = game.phase === Phase.OVER;
    game.step(held, anyNumber());
    playSounds(game.events);
    const isSelected = (held & Button.SELECT) !== 0;
    const hasEnded = isSelected || (game.phase === Phase.OVER && !wasOver);
    if (hasEnded && game.score > best) {
      best = game.score;
      storeBestScore(best); // once a game: flash wears out
    }
    if (isSelected) return;
    screen.show(best);
    frameAt = sleepUntil(frameAt + FRAME_MS);
  }
}

/** Returns when the next frame counts from: a console that was busy is not made to catch up. */
function sleepUntil(time: i64): i64 {
  const now = uptimeMs();
  if (now >= time) return now;
  sleepMs(i32(time - now));
  return time;
}

const chance = new Uint8Array(4);

function anyNumber(): u32 {
  random(chance);
  return load<u32>(chance.dataStart);
}
