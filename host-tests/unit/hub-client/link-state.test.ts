import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  advance,
  type FailedEvent,
  IDLE,
  LASTING_CONNECTION_MS,
  type LinkEvent,
  type LinkState,
} from "../../../hub-client/link-state.js";

const failed = (event: Partial<FailedEvent> = {}): LinkEvent => ({
  kind: "failed",
  atMs: 0,
  isUnknown: false,
  closeCode: undefined,
  atLeastMs: 0,
  ...event,
});
const start = (isRegistered: boolean): LinkEvent => ({ kind: "start", isRegistered });
const opened: LinkEvent = { kind: "opened", atMs: 0 };
const elapsed: LinkEvent = { kind: "elapsed" };

const stateAfter = (...events: readonly LinkEvent[]): LinkState => events.reduce(advance, IDLE);
const waiting = { phase: "waiting", failures: 1, next: "connecting", atLeastMs: 0, usesLongestDelay: false };

const LIVES = [
  {
    name: "registers first if the hub does not know it",
    events: [start(false)],
    state: { phase: "registering", failures: 0 },
  },
  {
    name: "connects if the hub knows it",
    events: [start(true)],
    state: { phase: "connecting", failures: 0 },
  },
  {
    name: "connects once it is registered",
    events: [start(false), { kind: "registered" }],
    state: { phase: "connecting", failures: 0 },
  },
  {
    name: "waits to register again",
    events: [start(false), failed()],
    state: { ...waiting, next: "registering" },
  },
  { name: "waits to connect again", events: [start(true), failed()], state: waiting },
  {
    name: "registers if the hub no longer knows it",
    events: [start(true), failed({ isUnknown: true }), elapsed],
    state: { phase: "registering", failures: 1 },
  },
  {
    name: "counts consecutive failures",
    events: [start(true), failed(), elapsed, failed(), elapsed, failed()],
    state: { ...waiting, failures: 3 },
  },
  {
    name: "counts a registration whose token is then rejected",
    events: [
      start(true),
      failed({ isUnknown: true }),
      elapsed,
      { kind: "registered" },
      failed({ isUnknown: true }),
    ],
    state: { ...waiting, failures: 2, next: "registering" },
  },
  {
    name: "counts a channel that is lost at once",
    events: [start(true), failed(), elapsed, opened, failed({ atMs: LASTING_CONNECTION_MS - 1 })],
    state: { ...waiting, failures: 2 },
  },
  {
    name: "resets the failures after a channel that lasted",
    events: [start(true), failed(), elapsed, opened, failed({ atMs: LASTING_CONNECTION_MS })],
    state: waiting,
  },
  {
    name: "waits the longest after another connection took its place",
    events: [start(true), opened, failed({ closeCode: 4000 })],
    state: { ...waiting, usesLongestDelay: true },
  },
  {
    name: "waits as usual after the hub goes away",
    events: [start(true), opened, failed({ closeCode: 1001 })],
    state: waiting,
  },
  {
    name: "waits as long as the hub demands",
    events: [start(true), failed({ atLeastMs: 7_000 })],
    state: { ...waiting, atLeastMs: 7_000 },
  },
  {
    name: "starts anew when asked to register",
    events: [start(true), failed(), elapsed, opened, { kind: "register" }],
    state: { phase: "registering", failures: 0 },
  },
  {
    name: "ignores events once stopped",
    events: [start(true), { kind: "stop" }, start(true), failed(), { kind: "register" }],
    state: { phase: "closed" },
  },
] as const satisfies readonly { name: string; events: readonly LinkEvent[]; state: object }[];

describe("a link", () => {
  for (const { name, events, state } of LIVES) test(name, () => expect(stateAfter(...events)).toEqual(state));

  test("rejects impossible events", () => {
    expect(() => stateAfter(elapsed)).toThrow('Cannot handle "elapsed" while idle');
    expect(() => stateAfter(start(true), start(true))).toThrow('Cannot handle "start" while connecting');
  });

  test("counts at least one failure while it waits, after any events", () => {
    const events = fc.array(
      fc.constantFrom<LinkEvent>(
        start(true),
        start(false),
        opened,
        elapsed,
        failed(),
        failed({ isUnknown: true }),
        failed({ closeCode: 4000, atMs: 1e6 }),
        { kind: "registered" },
        { kind: "register" },
      ),
    );
    fc.assert(
      fc.property(events, (list) => {
        let state = IDLE;
        for (const event of list) state = tryTo(state, event);
        if (state.phase === "waiting") expect(state.failures).toBeGreaterThan(0);
        expect(advance(state, { kind: "stop" })).toEqual({ phase: "closed" });
      }),
    );
  });
});

/** What cannot happen does not. */
function tryTo(state: LinkState, event: LinkEvent): LinkState {
  try {
    return advance(state, event);
  } catch {
    return state;
  }
}
