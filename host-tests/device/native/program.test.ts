import { expect, test } from "vitest";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { program } from "./programs.js";

/** Module scope of a program that has a bit of everything, as it is on a board: evaluated once, read-only. */
const MODULE_SCOPE = `
const EVERY = /a(b+)/g, PLAIN = /x(y)/, STICKY = /q/y, NAMED = /(?<first>h)/;
const MAP = new Map([["a", { inner: "zz" }]]);
const BIG = 123456789012345678901234567890n;
const ITEMS = ["one", "two", ["three"]];
const BYTES = new Uint8Array([1, 2, 3]);
let counter = 1;
class Thing {
  static #made = "made";
  #name = "private";
  get name() { return this.#name; }
  static make() { return Thing.#made + new Thing().name; }
  async go() { await undefined; return this.#name + "!"; }
  *count() { yield 1; yield "two"; }
}
`;

async function run(statements: string): Promise<Console> {
  return startConsole({ image: MODULE_SCOPE + program(statements) });
}

test("the module scope stays intact over many collections", async () => {
  const console = await run(`
    const expected = JSON.stringify(["1-3", "y", true, "h", 2, "zz", "124", "three", "madeprivate", "1,two", 2, '{"a":[{"b":"c"}]}']);
    for (let round = 0; round < 3000; round++) {
      "garbage".padEnd(300);
      STICKY.lastIndex = 0;
      const found = JSON.stringify([
        "abxabbb".replace(EVERY, (_, b) => b.length).replace("x", "-"),
        PLAIN.exec("xy")[1],
        STICKY.test("qq"),
        NAMED.exec("hh").groups.first,
        [..."abaab".matchAll(EVERY)].length,
        MAP.get("a").inner,
        String(BIG + 1n - 123456789012345678901234567767n),
        ITEMS[2][0],
        Thing.make(),
        [...new Thing().count()].join(),
        BYTES.indexOf(3),
        JSON.stringify(JSON.parse('{"a":[{"b":"c"}]}')),
      ]);
      if (found !== expected) throw new Error(found);
    }
    new Thing().go().then(say);
  `);
  await console.waitForLine(/^private!$/);
  await console.stop();
});

test("the module scope is immutable, as on a board", async () => {
  const console = await run(`
    const attempts = {
      variable() { counter++; },
      array() { ITEMS.push(1); },
      map() { MAP.set("b", 1); },
      object() { MAP.get("a").inner = 1; },
      bytes() { BYTES[0] = 9; },
      prototype() { Thing.prototype.added = 1; },
      builtin() { Array.prototype.added = 1; },
    };
    for (const name in attempts)
      try {
        attempts[name]();
        say(name + " was changed");
      } catch (error) {
        say(name + " " + error.name);
      }
  `);
  await console.waitForLine(/^builtin/);
  expect(console.stderr).toEqual(
    ["variable", "array", "map", "object", "bytes", "prototype", "builtin"].map(
      (name) => `${name} TypeError`,
    ),
  );
  await console.stop();
});

test("the heap has the board's size, its figures change with use, and the program is not counted", async () => {
  const console = await startConsole({
    image: `const TABLE = ${JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index))};\n${program(`
      const report = () => { const heap = system.heap(); say(JSON.stringify(heap)); return heap; };
      const before = report();
      const kept = new Uint8Array(20000);
      const after = report();
      say([TABLE.length, kept.length, before.freeBytes - after.freeBytes >= 20000].join());
    `)}`,
  });
  await console.waitForLine(/^20000,20000,true$/);
  const [before, after] = console.stderr.map((line) => (line.startsWith("{") ? JSON.parse(line) : {}));
  const scale = process.env["SVC_SIM_VARIANT"] === "m32" ? 1 : 2; // slots of 64 bits are twice the board's
  expect(before.totalBytes).toBe(131072 * scale);
  expect(before.totalBytes - before.freeBytes).toBeLessThan(24_000 * scale);
  expect(after.minimumFreeBytes).toBeLessThanOrEqual(after.freeBytes);
  await console.stop();
});

test("the minimum of free heap is the least at any one time, not slots and chunks at their separate peaks", async () => {
  const console = await startConsole({
    image: program(`
      const buffers = [];
      let list;
      for (let count = 0; count < 48; count++) buffers.push(new Uint8Array(system.heap().totalBytes / 128));
      timer.set(() => {
        buffers.length = 0;
        for (let count = 0; count < 2400; count++) list = { next: list };
        say(JSON.stringify(system.heap()));
      }, 1);
    `),
  });
  const { totalBytes, freeBytes, minimumFreeBytes } = JSON.parse(await console.waitForLine(/^\{/));
  expect(freeBytes).toBeLessThan(totalBytes / 2);
  expect(minimumFreeBytes).toBeGreaterThanOrEqual(0);
  expect(minimumFreeBytes).toBeLessThanOrEqual(freeBytes);
  await console.stop();
});

test("the load is below 20 % for an idle console, and above 50 % for a busy one", async () => {
  const console = await startConsole({
    image: program(`
      const spin = (milliseconds) => { for (const end = system.uptimeMs() + milliseconds; system.uptimeMs() < end; ); };
      timer.set(() => {
        say("idle " + (system.cpu().loadPercent < 20));
        timer.set(() => {
          spin(1500);
          say("busy " + (system.cpu().loadPercent > 50));
        }, 1);
      }, 1000);
    `),
  });
  await console.waitForLine(/^busy/);
  expect(console.stderr).toEqual(["idle true", "busy true"]);
  await console.stop();
});
