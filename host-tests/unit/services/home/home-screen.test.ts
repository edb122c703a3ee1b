/** The run of the home screen (docs/spec/home.md#run). */
import { beforeEach, expect, test, vi } from "vitest";
import type { Api } from "../../../../device/services/api/request.js";
import { HomeChanges } from "../../../../device/services/home/home-changes.js";
import { HomeScreen } from "../../../../device/services/home/home-screen.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";

const app = { module: new Uint8Array(10_000).fill(7), nestedBlocks: 5, memoryQuotaBytes: 65536 };

let guests: EmulatedGuest[];
let clock: EmulatedClock;
let said: string[];
let isAppInFront: boolean;
let hasMemory: boolean;
let home: HomeScreen;

beforeEach(() => {
  guests = [];
  clock = new EmulatedClock();
  said = [];
  isAppInFront = false;
  hasMemory = true;
  const say = (level: string) => (text: string) => void said.push(`${level} ${text}`);
  home = new HomeScreen({
    app,
    Guest: class extends EmulatedGuest {
      constructor(options: ConstructorParameters<typeof EmulatedGuest>[0]) {
        if (!hasMemory) throw new Error("no memory");
        super(options);
        guests.push(this);
      }
    },
    api: {} as Api,
    changes: new HomeChanges(),
    timer: clock,
    logger: { debug: say("D"), info: say("I"), warning: say("W"), error: say("E") },
    stackBytes: 8192,
    isAppInFront: () => isAppInFront,
  });
});

const settled = () => vi.waitFor(() => Promise.resolve());

async function trap(): Promise<void> {
  guests.at(-1)?.end({ reason: "trap", message: "unreachable", stack: ["draw", "main"] });
  await settled();
}

test("It starts in front, with every capability, from the module in the firmware", () => {
  home.start();
  expect(guests).toHaveLength(1);
  expect(guests[0]).toMatchObject({
    entry: "main",
    fronts: 1,
    module: [...app.module],
    options: {
      name: "home",
      capabilities: 0x7fff_ffff,
      nestedBlocks: 5,
      memoryQuotaBytes: 65536,
      stackBytes: 8192,
    },
  });
});

test("It comes to the front when it is asked to", () => {
  expect(home.bringToFront()).toBe(false);
  isAppInFront = true;
  home.start();
  expect(guests[0]?.fronts).toBe(0);
  expect(home.bringToFront()).toBe(true);
  expect(guests[0]?.fronts).toBe(1);
});

test("After a fault it starts again a second later; after the third it stays away", async () => {
  home.start();
  await trap();
  expect(said).toEqual(["E the home screen ended: trap unreachable in draw < main"]);
  expect([guests[0]?.isClosed, home.bringToFront()]).toEqual([true, false]);
  clock.advance(999);
  expect(guests).toHaveLength(1);
  clock.advance(1);
  expect(guests).toHaveLength(2);
  await trap();
  clock.advance(1000);
  await trap();
  clock.advance(10_000);
  expect(guests).toHaveLength(3);
  expect(said.at(-1)).toBe("E it stays away until the console starts again");
});

test("Memory that is short when it starts again after a fault costs one of these times, not all", async () => {
  home.start();
  await trap();
  hasMemory = false;
  clock.advance(1000);
  expect(guests).toHaveLength(1);
  hasMemory = true;
  clock.advance(1000);
  expect(guests).toHaveLength(2);
  expect(guests[1]?.entry).toBe("main");
});

test("Without memory for it the console goes on", () => {
  hasMemory = false;
  home.start();
  expect(said).toEqual(["E the home screen cannot start: Error: no memory"]);
  expect(home.bringToFront()).toBe(false);
});

test("What it logs is in the console's log", async () => {
  home.start();
  guests[0]?.log({ level: 2, text: "no icon", lost: 0 });
  await settled();
  expect(said).toEqual(["W no icon"]);
});

test("Once it is closed it does not start again", async () => {
  home.start();
  await trap();
  home.close();
  clock.advance(10_000);
  expect(guests).toHaveLength(1);
  home.close();
});
