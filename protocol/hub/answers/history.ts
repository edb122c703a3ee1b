/** What the hub answers about what happened to a console (docs/spec/hub-api.md#history). */
import { RESET_REASONS } from "../../device/answers.js";
import { integer, listOf, object, oneOf, optional, type Shaped, text, time } from "../../schema.js";
import { TRAP_MEMBERS } from "./catalog.js";
import { COMMAND_RECORD } from "./devices.js";
import { NEXT } from "./paged-list.js";

const ACTOR = object(
  {
    kind: oneOf(["device", "account", "member", "program", "rollout", "hub"], "`account`: its own token"),
    id: optional(text("Of a member, a program's token, or a rollout")),
    name: optional(text("As it was")),
  },
  { title: "Actor", description: "Who has ordered or cancelled the command" },
);
export type Actor = Shaped<typeof ACTOR>;

const COMMAND_STEPS = Object.freeze([
  ...(["ordered", "sent", "progress"] as const),
  ...(["done", "failed", "replaced", "cancelled"] as const),
] as const);

const STEP_MEMBERS = {
  at: time(),
  connection: optional(integer("Number of the console's connection, counted from its first")),
  by: optional(ACTOR),
  progress: optional(text("Of a firmware update")),
  error: optional(text("Error code, as the console reported it")),
  replaced_by: optional(text("Id of the command that has replaced it")),
  reason: optional(
    oneOf(["expired", "released", "withdrawn"], "Why the hub has cancelled a command on its own"),
  ),
};

const EVENT = object(
  {
    kind: oneOf(
      ["connected", "disconnected", "restarted", "crashed", ...COMMAND_STEPS],
      "The others are steps of a command",
    ),
    ...STEP_MEMBERS,
    command_id: optional(text()),
    command: optional(oneOf(["install", "uninstall", "firmware"])),
    app_id: optional(text()),
    version: optional(text()),
    event_id: optional(integer("Of an app's crash that has a stack")),
    message: optional(text("Of an app's crash: the line of the console's log")),
    reset_reason: optional(oneOf(RESET_REASONS, "Why the console has started")),
    uptime_s: optional(integer("Seconds from that start to its report")),
  },
  { title: "HistoryEvent" },
);
export type DeviceEvent = Shaped<typeof EVENT>;
export const HISTORY = object({ next: NEXT, events: listOf(EVENT) });

export const CRASH = object({ app_id: text(), version: text(), ...TRAP_MEMBERS });

const STEP = object({ step: oneOf(COMMAND_STEPS), ...STEP_MEMBERS }, { title: "CommandStep" });
export type CommandStep = Shaped<typeof STEP>;
export const TIMELINE = object({ command: COMMAND_RECORD, steps: listOf(STEP) });
