/** Endpoints below `/rollouts`. */
import Type from "typebox";
import { countRows, pagedAnswer, pageOf } from "../api/answers.js";
import { type Call, type Endpoint, endpoint } from "../api/endpoint.js";
import { type Caller, callerOf } from "../auth/authentication.js";
import type { HubServices } from "../services.js";
import { plannedSteps, rolloutAnswer, rolloutDeviceAnswer } from "./rollout-counts.js";
import {
  ROLLOUT,
  ROLLOUT_DEVICE_LIST,
  ROLLOUT_DEVICE_LIST_QUERY,
  ROLLOUT_LIST,
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
    path: "/rollouts",
    summary:
      "Create a rollout: install a version of an app or of firmware on many devices of the account, in steps.",
    body: ROLLOUT_REQUEST,
    bodyLimitBytes: ROLLOUT_BODY_LIMIT_BYTES,
    answers: { 201: ROLLOUT },
    faults: [
      ...(["app_not_found", "app_retracted", "version_not_found", "firmware_not_found"] as const),
      ...(["device_not_found", "wrong_board", "rollout_empty", "too_many_rollouts"] as const),
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
      rolloutAnswer(services.database, await rolloutOf(services, caller, parameters)),
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
    path: `/rollouts/:rollout_id/${event}`,
    summary,
    parameters: ROLLOUT_PATH,
    body: Type.Object({}),
    answers: { 200: ROLLOUT },
    faults: [...NOT_FOUND, "rollout_state"],
    handle: async (services, { caller, parameters }) => {
      const { accountId } = callerOf("account", caller);
      const row = await services.rollouts.change(accountId, parameters.rollout_id, event);
      return rolloutAnswer(services.database, row);
    },
  });
}

async function create(
  { database, rollouts }: HubServices,
  { body, caller, reply }: Call<unknown, unknown, RolloutRequest>,
) {
  const row = await rollouts.create(callerOf("account", caller).accountId, body);
  reply.code(201);
  return rolloutAnswer(database, row);
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
  const rows = await chosen
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(page.perPage)
    .offset(page.offset)
    .execute();
  const rollouts = await Promise.all(rows.map((row) => rolloutAnswer(database, row)));
  return pagedAnswer(page, total, { rollouts });
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
  const rows = await chosen.selectAll().orderBy("position").limit(page.perPage).offset(page.offset).execute();
  const steps = plannedSteps(rollout);
  const devices = rows.map((row) => rolloutDeviceAnswer(steps, row));
  return pagedAnswer(page, total, { devices });
}
