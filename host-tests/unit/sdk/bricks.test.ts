import { beforeAll, describe, expect, test } from "vitest";
import { BUTTONS } from "../../../device/wasm/abi.js";
import { AppHost, type Script } from "./app-host.js";
import { COMPILE_TIMEOUT_MS, compileExample } from "./examples.js";

const LEFT = 1 << BUTTONS.indexOf("left");
const RIGHT = 1 << BUTTONS.indexOf("right");
const A = 1 << BUTTONS.indexOf("a");
const START = 1 << BUTTONS.indexOf("start");
const SELECT = 1 << BUTTONS.indexOf("select");

const BALL = `6x6 ${0xffff}`;
const PADDLE = `48x8 ${0x07ff}`;
const PADDLE_WIDTH = 48;
/** Every brick of a wall: eight in a row, 50 points for one of the uppermost row, 10 of the lowest. */
const WALL_POINTS = 8 * (50 + 40 + 30 + 20 + 10);

let bricks: Uint8Array;
beforeAll(async () => {
  bricks = await compileExample("bricks");
}, COMPILE_TIMEOUT_MS);

/** Plays until that time, then stops the app. */
function playUntil(ms: number, script: Script, host = new AppHost()): AppHost {
  const end = host.nowMs + ms;
  const result = host.run(bricks, () => {
    if (host.nowMs >= end) host.stop();
    script(host);
  });
  expect(result).toBe("stopped");
  return host;
}

function score(host: AppHost): number {
  return Number(/^Score (\d+)/.exec(host.lastText("Score") ?? "")?.[1]);
}

/** A player who follows the ball with the paddle, and hits it with a varying part of the paddle. */
function follow(host: AppHost): void {
  const ball = host.filled.get(BALL)?.x ?? 0;
  const paddle = host.filled.get(PADDLE)?.x ?? 0;
  const aim = PADDLE_WIDTH / 2 - 3 + (Math.floor(host.nowMs / 3000) % 3) * 12 - 12;
  const distance = ball - (paddle + aim);
  host.held = A | (distance < -4 ? LEFT : distance > 4 ? RIGHT : 0);
}

/** A player who launches the ball and moves the paddle into the corner. */
function neglect(host: AppHost): void {
  host.held = A | LEFT;
}

describe("the game", () => {
  test("waits for A with the ball on the paddle, and draws nothing meanwhile", () => {
    const host = playUntil(1000, () => undefined);
    expect(host.texts).toEqual(["A launches the ball", "Score 0 Best 0 Balls 3"]);
    expect(host.flushes).toBe(1);
  });

  test("runs at 25 frames a second", () => {
    expect(playUntil(10_000, follow).sleeps).toBe(250);
  });

  test("moves the paddle while left or right is held, and keeps it on the display", () => {
    const positions: (number | undefined)[] = [];
    playUntil(4000, (host) => {
      positions.push(host.filled.get(PADDLE)?.x);
      host.held = host.nowMs < 2000 ? LEFT : RIGHT;
    });
    expect(Math.min(...positions.map(Number))).toBe(0);
    expect(positions.at(-1)).toBe(240 - PADDLE_WIDTH);
  });

  test("draws a pressed button", () => {
    const idle = playUntil(500, () => undefined);
    const moved = playUntil(500, (host) => Object.assign(host, { held: LEFT }));
    expect(moved.shown).not.toEqual(idle.shown);
  });

  test("scores once a launched ball meets the wall", () => {
    const host = playUntil(3000, (host) => Object.assign(host, { held: A }));
    expect(score(host)).toBeGreaterThan(0);
  });

  test("builds a new wall after the last brick has fallen", () => {
    expect(score(playUntil(15 * 60_000, follow))).toBeGreaterThan(WALL_POINTS);
  });

  test("draws a few small rectangles per frame", () => {
    const host = playUntil(30_000, follow);
    const sizes = [...host.filled.keys()].map((key) => (key.split(" ")[0] ?? "").split("x").map(Number));
    const large = sizes.filter(([width = 0, height = 0]) => width * height > 240 * 24);
    expect(large).toEqual([[240, 320]]); // the background, once
  });

  test("ends after three balls, and stores the best score", () => {
    const host = playUntil(60_000, neglect);
    expect(host.lastText("Game over")).toBeDefined();
    expect(host.lastText("Score")).toBe(`Score ${score(host)} Best ${score(host)} Balls 0`);
    expect(host.storage.get("best")).toEqual(new Uint8Array(Int32Array.of(score(host)).buffer));
    expect(host.stores).toBe(1);
  });

  test("shows the best score of earlier runs, and keeps a higher one", () => {
    const storage = new Map([["best", new Uint8Array(Int32Array.of(98765).buffer)]]);
    const host = playUntil(60_000, neglect, new AppHost({ storage }));
    expect(host.lastText("Score")).toContain("Best 98765");
    expect(host.stores).toBe(0);
  });

  test("starts again on start, but only once it is over", () => {
    const restarted = playUntil(60_000, (host) => {
      if (host.lastText("Game over")) host.held = START;
      else neglect(host);
    });
    expect(restarted.texts.slice(-2)).toEqual([
      "A launches the ball",
      expect.stringMatching(/^Score 0 Best \d+ Balls 3$/),
    ]);
    const playing = playUntil(3000, (host) => Object.assign(host, { held: A | START }));
    expect(score(playing)).toBeGreaterThan(0);
  });

  test("exits with code 0 on select, and stores the best score", () => {
    const host = new AppHost();
    const result = host.run(bricks, () => {
      follow(host);
      if (host.nowMs > 5000) host.held = SELECT;
    });
    expect(result).toBe(0);
    expect(host.storage.has("best")).toBe(true);
  });

  test("continues when storage is full, and logs that", () => {
    const host = playUntil(60_000, neglect, new AppHost({ failing: { storage_write: -28 } }));
    expect(host.lastText("Game over")).toBeDefined();
    expect(host.log).toEqual([{ level: 2, text: "cannot store the best score: -28" }]);
  });

  test("differs with other random numbers", () => {
    const first = playUntil(1000, (host) => Object.assign(host, { held: A }));
    const later = playUntil(1200, (host) => Object.assign(host, { held: host.nowMs > 200 ? A : 0 }));
    expect(later.filled.get(BALL)).not.toEqual(first.filled.get(BALL));
  });

  test("fits a smaller display", () => {
    const host = playUntil(
      5000,
      (host) => Object.assign(host, { held: A }),
      new AppHost({ width: 128, height: 160 }),
    );
    expect(score(host)).toBeGreaterThan(0);
  });

  test("treats an error as no button", () => {
    const host = playUntil(1000, () => undefined, new AppHost({ failing: { buttons: -19 } }));
    expect(host.texts).toHaveLength(2);
  });
});
