/** A follower of the log that comes and goes sees each line once, in order, of all that the console still had. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { REMEMBERED_LINES } from "../../../device-client/limits.js";
import { LogContinuation } from "../../../device-client/log-continuation.js";

interface Follower {
  begin(): void;
  push(line: string): readonly string[];
}

/** Shown lines of several replays, each with the live lines after it. */
function shownOf(follower: Follower, replays: readonly (readonly string[])[]): string[] {
  return replays.flatMap((lines) => {
    follower.begin();
    return lines.flatMap((line) => [...follower.push(line)]);
  });
}

const LOST = "9.000 W usb: 12 log lines were lost";

const CASES = [
  { name: "an old line once", replays: ["abcd", "abcdef"], shown: "abcdef" },
  { name: "lines once where the console has dropped the oldest", replays: ["abcd", "cdef"], shown: "abcdef" },
  { name: "everything of a replay that shares no line", replays: ["abcd", "ghi"], shown: "abcdghi" },
  { name: "lines once after a truncated replay", replays: ["abcdef", "abc", "abcdefg"], shown: "abcdefg" },
  { name: "nothing new for an equal replay", replays: ["abc", "abc", "abc"], shown: "abc" },
  { name: "a run that begins like the previous one", replays: ["abcxy", "abczw"], shown: "abcxyabczw" },
  { name: "the previous run once, and then the next run", replays: ["abc", "bcdSabe"], shown: "abcdSabe" },
  { name: "repeated equal lines once", replays: ["aaaa", "aaaab"], shown: "aaaab" },
  {
    name: "the shortest continuation of several possible ones",
    replays: ["abab", "abababc"],
    shown: "abababc",
  },
  { name: "a loss once, and the lines after it", replays: ["ab!ef", "efg"], shown: "ab!efg" },
  { name: "a loss within a replay", replays: ["abcdef", "ab!efgh"], shown: "abcdef!gh" },
];

const linesOf = (text: string) => [...text].map((letter) => (letter === "!" ? LOST : letter));

for (const { name, replays, shown } of CASES)
  test(`shows ${name}`, () => {
    expect(shownOf(new LogContinuation(), replays.map(linesOf))).toEqual(linesOf(shown));
  });

const APP_LINE = "9.000 W usbstick: 12 log lines were lost";

test("a line of an app that looks like the console's note of a loss is shown as a line", () => {
  expect(
    shownOf(new LogContinuation(), [
      ["a", APP_LINE],
      ["a", APP_LINE, "b"],
    ]),
  ).toEqual(["a", APP_LINE, "b"]);
});

test("held lines count as new once the replay is settled", () => {
  const continuation = new LogContinuation();
  expect(
    shownOf(continuation, [
      ["boot", "ready", "a"],
      ["boot", "ready"],
    ]),
  ).toEqual(["boot", "ready", "a"]);
  expect([continuation.isPending, continuation.flush()]).toEqual([true, ["boot", "ready"]]);
  expect([continuation.isPending, continuation.flush()]).toEqual([false, []]);
  expect(continuation.push("ready")).toEqual(["ready"]);
});

/** What happens to a console and its one follower. */
type Happening =
  | { readonly kind: "log"; readonly count: number }
  | { readonly kind: "connect"; readonly delivered: number }
  | { readonly kind: "disconnect" }
  | { readonly kind: "restart" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("log" as const), count: fc.nat(12) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("connect" as const), delivered: fc.nat(40) }) },
  fc.record({ kind: fc.constant("disconnect" as const) }),
  fc.record({ kind: fc.constant("restart" as const) }),
);

const BUFFER_LINES = 30;
const RETAINED_LINES = 10;
/** What every run begins with, at the same millisecond. */
const BOOT = ["0.001 I boot: firmware 1.0", "0.001 I wifi: joined", "0.002 I boot: ready"];

/** A console with a small buffer, a smaller retained memory, and a follower that gets everything as it is logged. */
class ModelConsole {
  readonly all: string[] = [];
  readonly shown: string[] = [];
  /** Lines of `all` that were overwritten before the follower could see them. */
  readonly missed = new Set<number>();
  readonly #continuation = new LogContinuation();
  #buffer: number[] = [];
  /** Number of the next line for the follower, while there is one. */
  #position: number | undefined;
  #seen = 0;
  #runs = 0;
  readonly #isUnique: boolean;

  /** @param isUnique whether no line is as another one */
  constructor(isUnique: boolean) {
    this.#isUnique = isUnique;
    this.#boot();
  }

  take(event: Happening): void {
    if (event.kind === "log") for (let n = 0; n < event.count; n++) this.#log(`line ${this.all.length}`);
    else if (event.kind === "disconnect") this.#position = undefined;
    else if (event.kind === "restart") this.#restart();
    else this.#connect(event.delivered);
  }

  /** The follower gets all there is. */
  finish(): void {
    this.#connect(Number.POSITIVE_INFINITY);
    this.#log("the end"); // after which nothing is held back
  }

  #connect(delivered: number): void {
    this.#continuation.begin();
    this.#position = undefined;
    const replay = this.#buffer.slice(0, delivered);
    for (const number of replay) this.#tell(number);
    if (replay.length === this.#buffer.length) this.#position = this.all.length;
  }

  #restart(): void {
    this.#position = undefined;
    this.#buffer = this.#buffer.slice(-RETAINED_LINES);
    this.#boot();
  }

  #boot(): void {
    if (this.#runs++ > 0) this.#log("0.001 I boot: previous run ended here");
    for (const line of BOOT) this.#log(line);
  }

  #log(line: string): void {
    const number = this.all.push(this.#isUnique ? `${line} #${this.all.length}` : line) - 1;
    this.#buffer = [...this.#buffer, number].slice(-BUFFER_LINES);
    if (this.#position !== undefined) this.#tell(number);
  }

  #tell(number: number): void {
    if (number >= this.#seen) {
      for (let missed = this.#seen; missed < number; missed++) this.missed.add(missed);
      this.#seen = number + 1;
    }
    this.shown.push(...this.#continuation.push(this.all[number] as string));
  }
}

function live(events: readonly Happening[], isUnique: boolean): ModelConsole {
  const model = new ModelConsole(isUnique);
  for (const event of events) model.take(event);
  model.finish();
  return model;
}

const events = fc.array(happening, { maxLength: 60 });

test("over any losses and restarts, each line that the console still had is shown once and in order", () => {
  fc.assert(
    fc.property(events, (happenings) => {
      const { all, missed, shown } = live(happenings, true);
      expect(shown).toEqual(all.filter((_, number) => !missed.has(number)));
    }),
    { numRuns: 1000 },
  );
});

// Runs that begin alike cannot always be distinguished by a line or two, but no line may be missing for good.
test("over any losses and restarts, no line that the console still had is left out", () => {
  fc.assert(
    fc.property(events, (happenings) => {
      const { all, missed, shown } = live(happenings, false);
      expect(new Set(shown)).toEqual(new Set(all.filter((_, number) => !missed.has(number))));
    }),
    { numRuns: 1000 },
  );
});

test("shows only the new line of a replay as long as a console's buffer", () => {
  const lines = Array.from({ length: 5 * REMEMBERED_LINES }, (_, number) => `line ${number}`);
  const continuation = new LogContinuation();
  const buffer = lines.slice(-REMEMBERED_LINES);
  expect(shownOf(continuation, [lines, [...buffer, "new"]])).toEqual([...lines, "new"]);
});
