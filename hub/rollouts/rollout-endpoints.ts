/** Endpoints below `/rollouts`. */
import type { ExpressionBuilder } from "kysely";
import Type from "typebox";
import {
  ROLLOUT,
  ROLLOUT_DEVICE_LIST,
  ROLLOUT_LIST,
  type Rollout,
} from "../../protocol/hub/answers/rollouts.js";
import { countRows, pagedAnswer, pageOf } from "../api/answers.js";
import { type Call, type Endpoint, endpoint } from "../api/endpoint.js";
import { entriesOf, keyBefore, rowsFor } from "../api/keyset.js";
import { type Caller, callerOf } from "../auth/authentication.js";
import type { Row, Tables } from "../database/schema.js";
import type { HubServices } from "../services.js";
import { plannedSteps, rolloutAnswers, rolloutDeviceAnswer } from "./rollout-counts.js";
import {
  ROLLOUT_DEVICE_LIST_QUERY,
  ROLLOUT_LIST_QUERY,
  ROLLOUT_PATH,
  ROLLOUT_REQUEST,
  type RolloutDeviceListQuery,
  type RolloutListQuery,
  type RolloutRequest,
} from "./rollout-schemas.js";
import type { RolloutRequestEvent } from "./rollout-state.js";

/** 10,000 ids of 39 bytes in JSON, with room for indentation. */
const ROLLOUT_BODY_LIMIT_BYTES = 1024 * 1024;

const ROW = Object.freeze({ tag: "Rollouts", access: "account" } as const);
const NOT_FOUND = Object.freeze(["rollout_not_found"] as const);

type RolloutPath = { readonly rollout_id: string };

export const ROLLOUT_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  endpoint({
    ...ROW,
    method: "POST",
    scope: "orders",
    path: "/rollouts",
    summary:
      "Create a rollout: install a version of an app or of firmware on many devices of the account, in steps.",
    body: ROLLOUT_REQUEST,
    bodyLimitBytes: ROLLOUT_BODY_LIMIT_BYTES,
    answers: { 201: ROLLOUT },
    faults: [
      ...(["app_not_found", "app_retracted", "version_not_found", "firmware_not_found"] as const),
      ...([
        "device_not_found",
        "group_not_found",
        "wrong_board",
        "rollout_empty",
        "too_many_rollouts",
      ] as const),
    ],
    handle: create,
  }),
  endpoint({
    ...ROW,
    method: "GET",
    path: "/rollouts",
    summary: "List the account's rollouts, newest first.",
    query: ROLLOUT_LIST_QUERY,
    answers: { 200: ROLLOUT_LIST },
    faults: [],
    handle: list,
  }),
  endpoint({
    ...ROW,
    method: "GET",
    path: "/rollouts/:rollout_id",
    summary: "Show a rollout and the progress of its steps.",
    parameters: ROLLOUT_PATH,
    answers: { 200: ROLLOUT },
    faults: NOT_FOUND,
    handle: async (services, { caller, parameters }) =>
      answerOf(services, await rolloutOf(services, caller, parameters)),
  }),
  endpoint({
    ...ROW,
    method: "GET",
    path: "/rollouts/:rollout_id/devices",
    summary: "List a rollout's devices, in rollout order.",
    parameters: ROLLOUT_PATH,
    query: ROLLOUT_DEVICE_LIST_QUERY,
    answers: { 200: ROLLOUT_DEVICE_LIST },
    faults: NOT_FOUND,
    handle: listDevices,
  }),
  change("pause", "Pause a rollout. Commands that were sent continue."),
  change("resume", "Resume a paused rollout."),
  change("cancel", "Cancel a rollout, and its commands that have no result yet."),
]);

function change(event: RolloutRequestEvent, summary: string): Endpoint {
  return endpoint({
    ...ROW,
    method: "POST",
    scope: "orders",
    path: `/rollouts/:rollout_id/${event}`,
    summary,
    parameters: ROLLOUT_PATH,
    body: Type.Object({}),
    answers: { 200: ROLLOUT },
    faults: [...NOT_FOUND, "rollout_state"],
    handle: async (services, { caller, parameters }) => {
      const { accountId } = callerOf("account", caller);
      const row = await services.rollouts.change(accountId, parameters.rollout_id, event);
      return answerOf(services, row);
    },
  });
}

async function answerOf({ database }: HubServices, row: Row<"rollouts">): Promise<Rollout> {
  const [answer] = await rolloutAnswers(database, [row]);
  return answer as Rollout;
}

async function create(
  services: HubServices,
  { body, caller, reply }: Call<unknown, unknown, RolloutRequest>,
) {
  const row = await services.rollouts.create(callerOf("account", caller).accountId, body);
  reply.code(201);
  return answerOf(services, row);
}

function rolloutOf({ rollouts }: HubServices, caller: Caller | undefined, { rollout_id }: RolloutPath) {
  return rollouts.require(callerOf("account", caller).accountId, rollout_id);
}

async function list({ database }: HubServices, { caller, query }: Call<unknown, RolloutListQuery>) {
  const page = pageOf(query);
  let chosen = database
    .selectFrom("rollouts")
    .where("account_id", "=", callerOf("account", caller).accountId);
  if (query.state) chosen = chosen.where("state", "=", query.state);
  const total = await countRows(chosen);
  const before = keyBefore(page, "number", "string");
  if (before) chosen = chosen.where(isOlder(...before));
  const rows = await chosen
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(rowsFor(page))
    .offset(page.offset)
    .execute();
  const { entries, next } = entriesOf(rows, page, ({ created_at, id }) => [created_at, id]);
  return pagedAnswer(page, total, { rollouts: await rolloutAnswers(database, entries) }, next);
}

/** Rollouts that the list has behind this one. */
function isOlder(createdAt: number, id: string) {
  return ({ and, eb, or }: ExpressionBuilder<Tables, "rollouts">) =>
    and([
      eb("created_at", "<=", createdAt), // the index begins here
      or([eb("created_at", "<", createdAt), eb("id", ">", id)]),
    ]);
}

async function listDevices(
  services: HubServices,
  { caller, parameters, query }: Call<RolloutPath, RolloutDeviceListQuery>,
) {
  const page = pageOf(query);
  const rollout = await rolloutOf(services, caller, parameters);
  let chosen = services.database.selectFrom("rollout_devices").where("rollout_id", "=", rollout.id);
  if (query.state) chosen = chosen.where("state", "=", query.state);
  const total = await countRows(chosen);
  const before = keyBefore(page, "number");
  if (before) chosen = chosen.where("position", ">", before[0]);
  const rows = await chosen
    .selectAll()
    .orderBy("position")
    .limit(rowsFor(page))
    .offset(page.offset)
    .execute();
  const { entries, next } = entriesOf(rows, page, ({ position }) => [position]);
  const steps = plannedSteps(rollout);
  const devices = entries.map((row) => rolloutDeviceAnswer(steps, row));
  return pagedAnswer(page, total, { devices }, next);
}
