/** Endpoints for what happened to a console, and for the steps of a command. */
import Type from "typebox";
import {
  type CommandStep,
  CRASH,
  type DeviceEvent,
  HISTORY,
  TIMELINE,
} from "../../protocol/hub/answers/history.js";
import { isTrap } from "../../tools/trap-lines.js";
import { isoTime, pageOf } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { LONG_PAGE_MEMBERS } from "../api/keyset.js";
import { trapAnswer } from "../catalog/trap-answer.js";
import { commandRecord } from "../commands/command-rows.js";
import type { Row } from "../database/schema.js";
import type { EventDetails } from "./device-events.js";

const LIST = endpoint({
  method: "GET",
  path: "/devices/:device_id/history",
  tag: "Devices",
  summary:
    "List what happened to a console while the account held it, newest first: connections, starts, crashes, and the steps of commands.",
  access: "account",
  parameters: Type.Object({ device_id: Type.String() }),
  query: Type.Object({ per_page: LONG_PAGE_MEMBERS.per_page, after: LONG_PAGE_MEMBERS.after }),
  answers: { 200: HISTORY },
  faults: ["device_not_found"],
  async handle({ devices, history }, { caller, parameters, query }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const { entries, next } = await history.list(device, pageOf(query));
    return { ...(next !== undefined && { next }), events: entries.map(eventAnswer) };
  },
});

const READ_CRASH = endpoint({
  method: "GET",
  path: "/devices/:device_id/crashes/:event_id",
  tag: "Devices",
  summary: "Read the stack of an app's crash, with files and lines if its publisher has stored them.",
  access: "account",
  callsPerMinute: 60,
  parameters: Type.Object({ device_id: Type.String(), event_id: Type.String() }),
  answers: { 200: CRASH },
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

const READ_TIMELINE = endpoint({
  method: "GET",
  path: "/devices/:device_id/commands/:command_id/timeline",
  tag: "Devices",
  summary: "Show a command with each of its steps and their times, oldest first.",
  access: "account",
  parameters: Type.Object({ device_id: Type.String(), command_id: Type.String() }),
  answers: { 200: TIMELINE },
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

function eventAnswer(row: Row<"device_events">): DeviceEvent {
  const { at, kind, connection, command_id, position } = row;
  const details = detailsOf(row);
  return {
    at: isoTime(at),
    kind,
    ...(connection !== 0 && { connection }),
    ...(command_id !== null && { command_id }),
    ...(details.message !== undefined && isTrap(details.message) && { event_id: position }),
    ...details,
  };
}

function stepAnswer(row: Row<"device_events">): CommandStep {
  const { at, kind, connection } = row;
  const { command, app_id, version, ...details } = detailsOf(row);
  return {
    at: isoTime(at),
    step: kind as CommandStep["step"],
    ...(connection !== 0 && { connection }),
    ...details,
  };
}

function detailsOf({ details }: Row<"device_events">): EventDetails {
  return details === null ? {} : (JSON.parse(details) as EventDetails);
}

export const HISTORY_ENDPOINTS: readonly Endpoint[] = Object.freeze([LIST, READ_CRASH, READ_TIMELINE]);
