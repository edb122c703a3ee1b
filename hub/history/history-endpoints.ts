/** Endpoints for what happened to a console, and for the steps of a command. */
import Type, { type Static } from "typebox";
import { isTrap } from "../../tools/trap-lines.js";
import { isoTime, oneOf, pageOf } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { LONG_PAGE_MEMBERS, NEXT } from "../api/keyset.js";
import { TOLD_TRAP, trapAnswer } from "../catalog/trap-answer.js";
import { COMMAND_RECORD, commandRecord } from "../commands/command-rows.js";
import type { Row } from "../database/schema.js";
import { RESET_REASONS } from "../push/device-message.js";
import type { EventDetails } from "./device-events.js";

const ACTOR = Type.Object(
  {
    kind: oneOf(["device", "account", "member", "program", "rollout", "hub"], "`account`: its own token"),
    id: Type.Optional(Type.String({ description: "Of a member, a program's token, or a rollout" })),
    name: Type.Optional(Type.String({ description: "As it was" })),
  },
  { title: "Actor", description: "Who has ordered or cancelled the command" },
);

const COMMAND_STEPS = [
  ...(["ordered", "sent", "progress"] as const),
  ...(["done", "failed", "replaced", "cancelled"] as const),
] as const;

const CONNECTION = Type.Optional(
  Type.Integer({ description: "Number of the console's connection, counted from its first" }),
);

const STEP_MEMBERS = {
  at: Type.String({ description: "ISO 8601, UTC" }),
  connection: CONNECTION,
  by: Type.Optional(ACTOR),
  progress: Type.Optional(Type.String({ description: "Of a firmware update" })),
  error: Type.Optional(Type.String({ description: "Error code, as the console reported it" })),
  replaced_by: Type.Optional(Type.String({ description: "Id of the command that has replaced it" })),
  reason: Type.Optional(
    oneOf(["expired", "released", "withdrawn"], "Why the hub has cancelled a command on its own"),
  ),
};

const EVENT = Type.Object(
  {
    kind: oneOf(
      ["connected", "disconnected", "restarted", "crashed", ...COMMAND_STEPS],
      "The others are steps of a command",
    ),
    ...STEP_MEMBERS,
    command_id: Type.Optional(Type.String()),
    command: Type.Optional(oneOf(["install", "uninstall", "firmware"])),
    app_id: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
    event_id: Type.Optional(Type.Integer({ description: "Of an app's crash that has a stack" })),
    message: Type.Optional(Type.String({ description: "Of an app's crash: the line of the console's log" })),
    reset_reason: Type.Optional(oneOf(RESET_REASONS, "Why the console has started")),
    uptime_s: Type.Optional(Type.Integer({ description: "Seconds from that start to its report" })),
  },
  { title: "HistoryEvent" },
);

const STEP = Type.Object({ step: oneOf(COMMAND_STEPS), ...STEP_MEMBERS }, { title: "CommandStep" });

const HISTORY = endpoint({
  method: "GET",
  path: "/devices/:device_id/history",
  tag: "Devices",
  summary:
    "List what happened to a console while the account held it, newest first: connections, starts, crashes, and the steps of commands.",
  access: "account",
  parameters: Type.Object({ device_id: Type.String() }),
  query: Type.Object({ per_page: LONG_PAGE_MEMBERS.per_page, after: LONG_PAGE_MEMBERS.after }),
  answers: { 200: Type.Object({ next: NEXT, events: Type.Array(EVENT) }) },
  faults: ["device_not_found"],
  async handle({ devices, history }, { caller, parameters, query }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const { entries, next } = await history.list(device, pageOf(query));
    return { ...(next !== undefined && { next }), events: entries.map(eventAnswer) };
  },
});

const CRASH = endpoint({
  method: "GET",
  path: "/devices/:device_id/crashes/:event_id",
  tag: "Devices",
  summary: "Read the stack of an app's crash, with files and lines if its publisher has stored them.",
  access: "account",
  callsPerMinute: 60,
  parameters: Type.Object({ device_id: Type.String(), event_id: Type.String() }),
  answers: {
    200: Type.Object({ app_id: Type.String(), version: Type.String(), ...TOLD_TRAP.properties }),
  },
  faults: [
    ...(["device_not_found", "event_not_found", "app_not_found", "app_retracted"] as const),
    ...(["version_not_found", "lines_not_found", "file_damaged", "bad_parameter"] as const),
  ],
  async handle({ appLines, devices, history }, { caller, parameters }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const crash = await history.requireCrash(device, parameters.event_id);
    const { app_id, version } = crash;
    return { app_id, version, ...trapAnswer(await appLines.tellCrash(crash)) };
  },
});

const TIMELINE = endpoint({
  method: "GET",
  path: "/devices/:device_id/commands/:command_id/timeline",
  tag: "Devices",
  summary: "Show a command with each of its steps and their times, oldest first.",
  access: "account",
  parameters: Type.Object({ device_id: Type.String(), command_id: Type.String() }),
  answers: { 200: Type.Object({ command: COMMAND_RECORD, steps: Type.Array(STEP) }) },
  faults: ["device_not_found", "command_not_found"],
  async handle({ commands, devices, history }, { caller, parameters }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const command = await commands.require(device.id, parameters.command_id);
    const steps = await history.timeline(device, command.id);
    return {
      command: commandRecord(command, await devices.isOnline(device)),
      steps: steps.map(stepAnswer),
    };
  },
});

function eventAnswer(row: Row<"device_events">): Static<typeof EVENT> {
  const { at, kind, connection, command_id, position } = row;
  const details = detailsOf(row);
  return {
    ...{ at: isoTime(at), kind },
    ...(connection !== 0 && { connection }),
    ...(command_id !== null && { command_id }),
    ...(details.message !== undefined && isTrap(details.message) && { event_id: position }),
    ...details,
  };
}

function stepAnswer(row: Row<"device_events">): Static<typeof STEP> {
  const { at, kind, connection } = row;
  const { command, app_id, version, ...details } = detailsOf(row);
  return {
    ...{ at: isoTime(at), step: kind as Static<typeof STEP>["step"] },
    ...(connection !== 0 && { connection }),
    ...details,
  };
}

function detailsOf({ details }: Row<"device_events">): EventDetails {
  return details === null ? {} : (JSON.parse(details) as EventDetails);
}

export const HISTORY_ENDPOINTS: readonly Endpoint[] = Object.freeze([HISTORY, CRASH, TIMELINE]);
