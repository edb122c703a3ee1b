import { describe, expect, test } from "vitest";
import {
  advance,
  type ClaimPhase,
  ConflictHistory,
  dueOf,
  IDLE,
  isOurs,
} from "../../../../device/services/mdns/claim.js";

const due = (claim: ClaimPhase, nowMs: number) => advance(claim, { kind: "due", nowMs });

describe("a claim", () => {
  test("probes three times and announces twice", () => {
    const phases: string[] = [];
    let claim = advance(IDLE, { kind: "probe", atMs: 100 });
    while (dueOf(claim) < Number.POSITIVE_INFINITY) {
      const nowMs = dueOf(claim);
      claim = due(claim, nowMs);
      phases.push(`${nowMs} ${claim.phase} ${"sent" in claim ? claim.sent : ""}`.trimEnd());
    }
    expect(phases).toEqual([
      "100 probing 1",
      "350 probing 2",
      "600 probing 3",
      "850 announcing 1",
      "1850 announced",
    ]);
  });

  test("holds once announced, not before", () => {
    const probing = advance(IDLE, { kind: "probe", atMs: 0 });
    expect([IDLE, probing].map(isOurs)).toEqual([false, false]);
    expect(isOurs({ phase: "announcing", sent: 1, dueMs: 0 })).toBe(true);
    expect(isOurs({ phase: "announced" })).toBe(true);
  });

  test("starts over from any phase", () => {
    const PHASES: ClaimPhase[] = [
      IDLE,
      { phase: "probing", sent: 2, dueMs: 5 },
      { phase: "announcing", sent: 1, dueMs: 5 },
      { phase: "announced" },
    ];
    for (const claim of PHASES) {
      expect(advance(claim, { kind: "probe", atMs: 9 })).toEqual({ phase: "probing", sent: 0, dueMs: 9 });
      expect(advance(claim, { kind: "stop" })).toEqual({ phase: "idle" });
    }
  });

  test("has no next step while idle or announced", () => {
    expect(due(IDLE, 1)).toBe(IDLE);
    expect(due({ phase: "announced" }, 1)).toEqual({ phase: "announced" });
  });
});

describe("ConflictHistory", () => {
  test("delays from the fifteenth conflict within ten seconds on", () => {
    const history = new ConflictHistory();
    const delays = Array.from({ length: 16 }, (_, index) => history.record(index * 600));
    expect(delays).toEqual([...Array(14).fill(0), 5000, 5000]);
  });

  test("continues to delay until a name is claimed, however rare conflicts have become", () => {
    const history = new ConflictHistory();
    for (let index = 0; index < 15; index++) history.record(index);
    expect(history.record(60_000)).toBe(5000);
    history.won();
    expect(history.record(120_000)).toBe(0);
  });

  test("ignores conflicts that are longer ago", () => {
    const history = new ConflictHistory();
    for (let index = 0; index < 14; index++) history.record(index);
    expect(history.record(10_001)).toBe(0);
  });
});
