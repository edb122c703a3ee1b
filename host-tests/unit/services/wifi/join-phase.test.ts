import { describe, expect, test } from "vitest";
import {
  advance,
  type Join,
  type JoinEvent,
  UNPROVISIONED,
} from "../../../../device/services/wifi/join-phase.js";

const joining: Join = { phase: "joining", ssid: "home", failures: 2, failure: "not_found" };
const joined: Join = { phase: "joined", ssid: "home" };
const waiting: Join = { phase: "waiting", ssid: "home", failures: 2, failure: "not_found" };

const EVENTS = {
  provision: { kind: "provision", ssid: "new" },
  forget: { kind: "forget" },
  retry: { kind: "retry" },
  join: { kind: "join" },
  fail: { kind: "fail", failure: "lost" },
} as const satisfies Record<JoinEvent["kind"], JoinEvent>;

const always = {
  provision: { phase: "joining", ssid: "new", failures: 0, failure: undefined },
  forget: UNPROVISIONED,
} as const;

const TABLE: readonly {
  readonly join: Join;
  /** What each event leads to; one that is left out cannot come here. */
  readonly after: { readonly [kind in JoinEvent["kind"]]?: Join };
}[] = [
  { join: UNPROVISIONED, after: always },
  {
    join: joining,
    after: {
      ...always,
      join: joined,
      fail: { phase: "waiting", ssid: "home", failures: 3, failure: "lost" },
    },
  },
  {
    join: joined,
    after: { ...always, fail: { phase: "waiting", ssid: "home", failures: 1, failure: "lost" } },
  },
  { join: waiting, after: { ...always, retry: joining } },
];

describe("A console that is", () => {
  for (const { join, after } of TABLE)
    for (const [kind, event] of Object.entries(EVENTS)) {
      const expected = after[kind as JoinEvent["kind"]];
      if (expected)
        test(`${join.phase} is ${expected.phase} after "${kind}"`, () =>
          expect(advance(join, event)).toEqual(expected));
      else
        test(`${join.phase} cannot handle "${kind}"`, () =>
          expect(() => advance(join, event)).toThrow(`Cannot handle "${kind}" while ${join.phase}`));
    }
});
