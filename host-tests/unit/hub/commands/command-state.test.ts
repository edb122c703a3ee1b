import fc from "fast-check";
import { expect, test } from "vitest";
import {
  advance,
  appAfter,
  type CommandEvent,
  type CommandStatus,
  INITIAL,
} from "../../../../hub/commands/command-state.js";
import type { AppResult, FirmwareProgress, FirmwareResult } from "../../../../protocol/hub/push-messages.js";

const appResult = (success: boolean, error: string | null): AppResult => ({
  type: "app.install.result",
  app_id: "tetris",
  success,
  error,
});
const firmwareResult = (state: FirmwareProgress, error: string | null = null): FirmwareResult => ({
  type: "firmware.update.result",
  version: "1.0.0",
  state,
  success: null,
  error,
});
const result = (said: AppResult | FirmwareResult): CommandEvent => ({ kind: "result", result: said });

const ENDS: readonly (readonly [string, CommandEvent, Partial<CommandStatus>])[] = [
  ["an app's success", result(appResult(true, null)), { state: "done", error: null }],
  [
    "a success with an error, which is ignored",
    result(appResult(true, "busy")),
    { state: "done", error: null },
  ],
  ["an app's failure", result(appResult(false, "busy")), { state: "failed", error: "busy" }],
  ["a failure without an error", result(appResult(false, null)), { state: "failed", error: null }],
  ["a confirmed update", result(firmwareResult("confirmed")), { state: "done", progress: "confirmed" }],
  [
    "an update that was rolled back",
    result(firmwareResult("rolled_back", "not_confirmed")),
    { state: "failed", progress: "rolled_back", error: "not_confirmed" },
  ],
  [
    "an update that was rejected",
    result(firmwareResult("rejected", "wrong_board")),
    { state: "failed", progress: "rejected", error: "wrong_board" },
  ],
  [
    "a failed update, whatever its progress",
    result({ ...firmwareResult("staged", "storage_full"), success: false }),
    { state: "failed", progress: "staged", error: "storage_full" },
  ],
  [
    "the device running the ordered version",
    { kind: "running" },
    { state: "done", progress: "confirmed", error: null },
  ],
  ["a newer command", { kind: "replaced" }, { state: "replaced" }],
  ["a cancellation", { kind: "cancelled" }, { state: "cancelled" }],
  ["the end of its time", { kind: "expired" }, { state: "cancelled", error: "command_expired" }],
];
for (const [what, event, life] of ENDS)
  test(`a pending command is ended by ${what}`, () => expect(advance(INITIAL, event)).toMatchObject(life));

for (const state of ["available", "staged", "pending_confirm"] as const)
  test(`a firmware command in state ${state} is pending`, () =>
    expect(advance(INITIAL, result(firmwareResult(state)))).toEqual({ ...INITIAL, progress: state }));

test("the update of a device that reports updates is confirmed by its result alone", () => {
  const life = advance(INITIAL, result(firmwareResult("pending_confirm")));
  expect(advance(life, { kind: "running" })).toBe(life);
});

const EVENTS = [
  ...ENDS.map(([, event]) => event),
  ...(["available", "staged", "pending_confirm"] as const).map((state) => result(firmwareResult(state))),
];
test("property: a command that has ended does not change", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS)), (events) => {
      let life = INITIAL;
      for (const event of events) {
        const next = advance(life, event);
        if (life.state !== "pending") expect(next).toBe(life);
        life = next;
      }
    }),
  );
});

const KNOWLEDGE = [
  { kind: "install", state: "done", error: null, app: { state: "installed", error: null } },
  { kind: "install", state: "failed", error: "busy", app: { state: "failed", error: "busy" } },
  {
    kind: "install",
    state: "failed",
    error: "app_not_found",
    app: { state: "failed", error: "app_not_found" },
  },
  { kind: "uninstall", state: "done", error: null, app: "absent" },
  { kind: "uninstall", state: "failed", error: "busy", app: { state: "failed", error: "busy" } },
  { kind: "uninstall", state: "failed", error: "app_not_found", app: "absent" },
  { kind: "install", state: "pending", error: null, app: undefined },
  { kind: "install", state: "replaced", error: null, app: undefined },
  { kind: "uninstall", state: "cancelled", error: null, app: undefined },
  { kind: "firmware", state: "done", error: null, app: undefined },
] as const;
for (const { kind, state, error, app } of KNOWLEDGE)
  test(`${kind}, ${state} with ${error}, gives the app the state ${JSON.stringify(app)}`, () =>
    expect(appAfter(kind, { state, error })).toEqual(app));
