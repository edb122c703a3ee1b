/** Endpoints for many consoles of an account: tags, groups, orders, and what needs attention. */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { DEVICE_LIST } from "../../protocol/hub/answers/devices.js";
import {
  ATTENTION,
  BULK_RESULT,
  DEVICE_TAGS,
  GROUP as GROUP_RECORD,
  type Group,
} from "../../protocol/hub/answers/fleet.js";
import { isoTime, pagedAnswer } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { callerOf } from "../auth/authentication.js";
import type { Row } from "../database/schema.js";
import { actorOf } from "../history/device-events.js";
import { requireName } from "../teams/teams.js";
import { attention } from "./attention.js";
import { BULK_ORDER, giveBulkOrder, ORDER_BODY_LIMIT_BYTES } from "./bulk-orders.js";
import { DEVICE_FILTER, type DeviceFilter } from "./device-filter.js";
import { DEVICE_LIST_QUERY, listDevices, requireApp } from "./device-list.js";
import { TAG_LIST } from "./tags.js";

const ROW = Object.freeze({ tag: "Fleet", access: "account" } as const);
const TAGS = Type.Object({ tags: TAG_LIST }, { additionalProperties: false });

const NAME = Type.String({ description: "1 to 64 characters" });
/** With the conditions as the hub takes them. */
const GROUP = Type.Object({ ...GROUP_RECORD.properties, filter: DEVICE_FILTER }, { title: "Group" });

const LIST = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/devices",
  summary: "List the account's consoles, or those that match all conditions.",
  query: DEVICE_LIST_QUERY,
  answers: { 200: DEVICE_LIST },
  faults: ["group_not_found"],
  async handle(services, { caller, query }) {
    const { accountId } = callerOf("account", caller);
    const { page, total, devices, next } = await listDevices(services, accountId, query);
    const tags = await services.tags.of(
      accountId,
      devices.map(({ id }) => id),
    );
    const records = (await services.devices.records(devices)).map((record) => ({
      ...record,
      tags: [...(tags.get(record.device_id) ?? [])],
    }));
    return pagedAnswer(page, total, { devices: records }, next);
  },
});

const ORDER = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/devices/orders",
  scope: "orders",
  summary:
    "Give one order to at most a thousand consoles: install or uninstall an app, update the firmware (202), or change tags (200).",
  body: BULK_ORDER,
  bodyLimitBytes: ORDER_BODY_LIMIT_BYTES,
  answers: { 200: BULK_RESULT, 202: BULK_RESULT },
  faults: [
    ...(["device_not_found", "group_not_found", "too_many_devices", "too_many_commands"] as const),
    ...(["app_not_found", "app_retracted", "version_not_found"] as const),
  ],
  async handle(services, { body, caller, reply }) {
    reply.code(body.kind === "tags" ? 200 : 202);
    return giveBulkOrder(services, callerOf("account", caller).accountId, body, actorOf(caller));
  },
});

const SET_TAGS = endpoint({
  ...ROW,
  method: "PUT",
  path: "/devices/:device_id/tags",
  scope: "orders",
  summary: "Replace the tags of a console.",
  parameters: Type.Object({ device_id: Type.String() }),
  body: TAGS,
  answers: { 200: DEVICE_TAGS },
  faults: ["device_not_found"],
  async handle({ tags }, { body, caller, parameters }) {
    const { accountId } = callerOf("account", caller);
    return { tags: [...(await tags.set(accountId, parameters.device_id, body.tags))] };
  },
});

const LIST_GROUPS = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/groups",
  summary: "List the account's groups, by name.",
  answers: { 200: Type.Object({ groups: Type.Array(GROUP) }) },
  faults: [],
  async handle({ groups }, { caller }) {
    const found = await groups.list(callerOf("account", caller).accountId);
    return { groups: found.map(groupAnswer) };
  },
});

const ADD_GROUP = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/groups",
  scope: "orders",
  summary: "Name a filter of consoles, for the list of consoles, orders and rollouts.",
  body: Type.Object({ name: NAME, filter: DEVICE_FILTER }, { additionalProperties: false }),
  answers: { 201: GROUP },
  faults: ["too_many_groups"],
  async handle({ groups }, { body, caller, reply }) {
    requireName(body.name);
    requireApp(body.filter);
    if (Object.keys(body.filter).length === 0)
      throw new Fault("bad_parameter", 'A group needs a condition in its "filter"');
    reply.code(201);
    return groupAnswer(await groups.add(callerOf("account", caller).accountId, body.name, body.filter));
  },
});

const REMOVE_GROUP = endpoint({
  ...ROW,
  method: "DELETE",
  path: "/account/groups/:group_id",
  scope: "orders",
  summary: "Remove a group. Its consoles, and rollouts that have chosen them, stay.",
  parameters: Type.Object({ group_id: Type.String() }),
  answers: { 204: null },
  faults: ["group_not_found"],
  async handle({ groups }, { caller, parameters, reply }) {
    await groups.remove(callerOf("account", caller).accountId, parameters.group_id);
    return reply.code(204).send();
  },
});

const READ_ATTENTION = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/attention",
  summary: "Count what needs attention.",
  answers: { 200: ATTENTION },
  faults: [],
  handle: (services, { caller }) => attention(services, callerOf("account", caller).accountId),
});

function groupAnswer({ id, name, filter, created_at }: Row<"device_groups">): Group {
  return {
    group_id: id,
    name,
    created_at: isoTime(created_at),
    filter: JSON.parse(filter) as DeviceFilter,
  };
}

export const FLEET_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  LIST,
  ORDER,
  SET_TAGS,
  LIST_GROUPS,
  ADD_GROUP,
  REMOVE_GROUP,
  READ_ATTENTION,
]);
