import { describe, expect, test } from "vitest";
import {
  advance,
  IDLE,
  otaStatus,
  progressPercent,
  type Receiving,
  type Staged,
  type Update,
  type UpdateEvent,
} from "../../../../device/services/firmware/update-phase.js";

const staged: Staged = { phase: "staged", version: "0.2.0", totalBytes: 500 };
const pending: Update = { phase: "pending_confirm", untilMs: 300_000 };
const begun: Receiving = { phase: "receiving", receivedBytes: 0, totalBytes: undefined, fallback: IDLE };
const begunOver: Receiving = { ...begun, fallback: staged };
const accepted: Receiving = { ...begun, receivedBytes: 78, totalBytes: 1078 };
const received: Receiving = { ...accepted, receivedBytes: 1078 };

const EVENTS = {
  begin: { kind: "begin", totalBytes: 1078 },
  accept: { kind: "accept", totalBytes: 1078 },
  receive: { kind: "receive", receivedBytes: 500 },
  stage: { kind: "stage", version: "0.3.0" },
  abandon: { kind: "abandon" },
  confirm: { kind: "confirm" },
} as const satisfies Record<string, UpdateEvent>;

const started = { ...begun, totalBytes: 1078 };
const TABLE: readonly {
  readonly name: string;
  readonly update: Update;
  /** What each event leads to; one that is left out cannot come here. */
  readonly after: { readonly [kind in keyof typeof EVENTS]?: Update | { readonly code: string } };
}[] = [
  { name: "idle", update: IDLE, after: { begin: started, confirm: { code: "nothing_pending" } } },
  {
    name: "staged",
    update: staged,
    after: { begin: { ...started, fallback: staged }, confirm: { code: "nothing_pending" } },
  },
  {
    name: "pending_confirm",
    update: pending,
    after: { begin: { code: "confirm_pending" }, confirm: IDLE },
  },
  {
    name: "receiving",
    update: accepted,
    after: {
      begin: { code: "upload_busy" },
      accept: accepted,
      receive: { ...accepted, receivedBytes: 500 },
      stage: { phase: "staged", version: "0.3.0", totalBytes: 78 },
      abandon: IDLE,
      confirm: { code: "nothing_pending" },
    },
  },
  {
    name: "receiving while another one is staged",
    update: begunOver,
    after: {
      begin: { code: "upload_busy" },
      accept: { ...begun, totalBytes: 1078 },
      receive: { ...begunOver, receivedBytes: 500 },
      stage: { phase: "staged", version: "0.3.0", totalBytes: 0 },
      abandon: staged,
      confirm: { code: "nothing_pending" },
    },
  },
];

describe("An update that is", () => {
  for (const { name, update, after } of TABLE)
    for (const [kind, event] of Object.entries(EVENTS)) {
      const expected = after[kind as keyof typeof EVENTS];
      if (!expected)
        test(`${name} cannot handle "${kind}"`, () =>
          expect(() => advance(update, event)).toThrow(`Cannot handle "${kind}" while ${update.phase}`));
      else if ("code" in expected)
        test(`${name} rejects "${kind}" as ${expected.code}`, () =>
          expect(() => advance(update, event)).toThrow(expect.objectContaining(expected)));
      else
        test(`${name} is ${expected.phase} after "${kind}"`, () =>
          expect(advance(update, event)).toEqual(expected));
    }
});

const PROGRESS = [
  { update: IDLE, percent: 0 },
  { update: begun, percent: 0 },
  { update: { ...begun, receivedBytes: 70 }, percent: 0 },
  { update: accepted, percent: 7 },
  { update: { ...accepted, receivedBytes: 1077 }, percent: 99 },
  { update: received, percent: 100 },
  { update: staged, percent: 100 },
  { update: pending, percent: 0 },
];
for (const { update, percent } of PROGRESS)
  test(`${percent} % is the progress of ${JSON.stringify(update)}`, () =>
    expect(progressPercent(update)).toBe(percent));

describe("GET /api/ota/status", () => {
  const running = { running_version: "0.1.0", running_slot: "a" };
  const none = { received_bytes: 0, total_bytes: 0, progress_percent: 0 };
  const BODIES = [
    { update: IDLE, body: { state: "idle", ...none, ...running } },
    { update: begun, body: { state: "receiving", ...none, ...running } },
    {
      update: { ...accepted, receivedBytes: 539 },
      body: { state: "receiving", received_bytes: 539, total_bytes: 1078, progress_percent: 50, ...running },
    },
    {
      update: staged,
      body: {
        state: "staged",
        received_bytes: 500,
        total_bytes: 500,
        progress_percent: 100,
        ...running,
        staged_version: "0.2.0",
      },
    },
    {
      update: pending,
      body: { state: "pending_confirm", ...none, ...running, confirm_within_ms: 299_000 },
    },
  ];
  const nothing = { available: undefined, lastResult: undefined };
  const sources = { runningVersion: "0.1.0", runningSlot: "a", ...nothing, nowMs: 1000 } as const;
  for (const { update, body } of BODIES)
    test(`has exactly these fields in phase ${update.phase}: ${Object.keys(body).join(", ")}`, () =>
      expect(otaStatus({ ...sources, update })).toStrictEqual(body));

  test("has the last result if there is one", () => {
    const lastResult = {
      result: "rolled_back",
      error: "crash",
      message: "It did",
      version: "0.2.0",
    } as const;
    expect(otaStatus({ ...sources, update: IDLE, lastResult })).toMatchObject({ last_result: lastResult });
  });

  test("never has a negative time left", () =>
    expect(otaStatus({ ...sources, update: pending, nowMs: 300_001 })).toMatchObject({
      confirm_within_ms: 0,
    }));
});
