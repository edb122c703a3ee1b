/** The example in Python, on a console whose clock moves as it sleeps. */
import { beforeAll, describe, expect, test } from "vitest";
import { BUTTONS } from "../../../device/wasm/abi.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { AppHost } from "./app-host.js";
import { compileExample } from "./examples.js";

const bit = (name: (typeof BUTTONS)[number]) => 1 << BUTTONS.indexOf(name);
const [A, UP, LEFT, SELECT] = [bit("a"), bit("up"), bit("left"), bit("select")];

let module: Uint8Array;
beforeAll(async () => {
  module = await compileExample("snake");
}, RUNTIME_TIMEOUT_MS);

/** Holds each of `buttons` for one sleep in turn, then select. */
function play(buttons: readonly number[], host = new AppHost()): AppHost {
  const scheduler = [...buttons, 0, SELECT];
  expect(host.run(module, () => Object.assign(host, { held: scheduler.shift() ?? host.stop() }))).toBe(0);
  return host;
}

/** Where the last thing of that colour was drawn, in cells. */
function cellOf(host: AppHost, colour: number) {
  const { x = 0, y = 0 } = host.filled.get(`14x14 ${colour}`) ?? {};
  return [(x - 1) / 16, (y - 33) / 16];
}
const HEAD = 0x9fec;

describe("Snake", { timeout: RUNTIME_TIMEOUT_MS }, () => {
  test("waits for A with the best score", () => {
    const stored = new Map([["best", Buffer.from("12")]]);
    const host = play([], new AppHost({ storage: stored }));
    expect(host.texts).toEqual(expect.arrayContaining(["SNAKE", "best 12", "A starts, SELECT ends"]));
    expect(host.log.map(({ text }) => text)).toEqual(["bye"]);
  });

  test("moves to the right by itself, and turns with the arrows, but not back", () => {
    const [x = 0, y = 0] = cellOf(play([]), HEAD);
    expect(cellOf(play([A, 0, 0]), HEAD)).toEqual([x + 3, y]);
    expect(cellOf(play([A, LEFT, 0]), HEAD)).toEqual([x + 3, y]);
    expect(cellOf(play([A, UP, 0]), HEAD)).toEqual([x, y - 3]);
  });

  test("ends at the wall, and says what was eaten", () => {
    const host = play([A, ...Array(20).fill(0)]);
    expect(host.log.some(({ text }) => /^eaten \d+$/.test(text))).toBe(true);
    expect(host.texts.at(-3)).toMatch(/^eaten \d+$/);
  });

  test("runs for an hour without more memory", () => {
    const host = new AppHost();
    let presses = 0;
    expect(
      host.run(module, () => {
        host.held = presses++ % 2 ? A : 0;
        if (host.nowMs > 3_600_000) host.stop();
      }),
    ).toBe("stopped");
    expect(host.log.filter(({ level }) => level === 3)).toEqual([]);
  });
});
