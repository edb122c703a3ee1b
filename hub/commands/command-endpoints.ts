/** Endpoints below `/devices/{device_id}/commands`: the state of a device's commands. */
import Type from "typebox";
import { COMMAND_RECORD } from "../../protocol/hub/answers/devices.js";
import { longPagedList } from "../../protocol/hub/answers/paged-list.js";
import { listOf } from "../../protocol/schema.js";
import { pagedAnswer, pageOf } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { LONG_PAGE_QUERY } from "../api/keyset.js";
import { actorOf } from "../history/device-events.js";
import { commandRecord } from "./command-rows.js";

const DEVICE = Type.Object({ device_id: Type.String() });
const COMMAND = Type.Object({ device_id: Type.String(), command_id: Type.String() });

const LIST = endpoint({
  method: "GET",
  path: "/devices/:device_id/commands",
  tag: "Devices",
  summary: "List a device's commands, newest first.",
  access: "device",
  parameters: DEVICE,
  query: LONG_PAGE_QUERY,
  answers: {
    200: longPagedList({ commands: listOf(COMMAND_RECORD) }),
  },
  faults: ["device_not_found"],
  async handle({ commands, devices }, { caller, parameters, query }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const page = pageOf(query);
    const found = await commands.list(device.id, page);
    const isOnline = await devices.isOnline(device);
    const records = found.commands.map((command) => commandRecord(command, isOnline));
    return pagedAnswer(page, found.total, { commands: records }, found.next);
  },
});

const READ = endpoint({
  method: "GET",
  path: "/devices/:device_id/commands/:command_id",
  tag: "Devices",
  summary: "Show a command and its result.",
  access: "device",
  parameters: COMMAND,
  answers: { 200: COMMAND_RECORD },
  faults: ["device_not_found", "command_not_found"],
  async handle({ commands, devices }, { caller, parameters }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const command = await commands.require(device.id, parameters.command_id);
    return commandRecord(command, await devices.isOnline(device));
  },
});

const CANCEL = endpoint({
  method: "DELETE",
  path: "/devices/:device_id/commands/:command_id",
  tag: "Devices",
  summary: "Cancel a command. A device that has received it may still execute it.",
  access: "device",
  scope: "orders",
  parameters: COMMAND,
  answers: { 200: COMMAND_RECORD },
  faults: ["device_not_found", "command_not_found", "command_over"],
  async handle({ commands, devices }, { caller, parameters }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const by = actorOf(caller);
    return commandRecord(await commands.cancel(device.id, parameters.command_id, { by }), false);
  },
});

export const COMMAND_ENDPOINTS: readonly Endpoint[] = Object.freeze([LIST, READ, CANCEL]);
