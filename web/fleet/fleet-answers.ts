/** The parts of the hub's responses that the pages of fleets read, as in `web/hub/hub-answers.ts`. */
import { count, listOf, object, oneOf, optional, type Shape, text, truth } from "../hub/hub-answers.js";

type Shaped<Check> = Check extends Shape<infer Value> ? Value : never;

export const textOrNull: Shape<string | null> = (value): value is string | null =>
  value === null || text(value);
export const ANYTHING: Shape<Readonly<Record<string, unknown>>> = (
  value,
): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

/** For an answer without a body. */
export const NOTHING: Shape<undefined> = (value): value is undefined => value === undefined;

export const ACCOUNT = object({ account_id: text, scopes: listOf(text), name: optional(text) });
export type Account = Shaped<typeof ACCOUNT>;

/** As `HEALTH` of the web console, with what these pages need. */
export const LIVENESS = object({
  status: oneOf("live"),
  sign_in: optional(object({ name: text, url: text, sign_out_url: optional(text) })),
});

const CHOICE = object({ member_id: text, account_id: text, name: text, role: text, invited: truth });
export type Choice = Shaped<typeof CHOICE>;

const CHOICES = object({ choices: listOf(CHOICE) });
const SESSION = object({ token: text });

/** A session, or the members to choose from. */
export const BEGUN_SESSION = (
  value: unknown,
): value is
  | (Shaped<typeof CHOICES> & { readonly token?: never })
  | (Shaped<typeof SESSION> & { readonly choices?: never }) => CHOICES(value) || SESSION(value);

export const ATTENTION = object({
  devices_failed: count,
  commands_failed: count,
  devices_crashed: count,
  devices_offline: count,
  rollouts_stopped: count,
});
export type Attention = Shaped<typeof ATTENTION>;

export const DEVICE = object({
  device_id: text,
  name: text,
  mac: text,
  arch: text,
  firmware_version: text,
  online: truth,
  last_seen_at: textOrNull,
  tags: listOf(text),
});
export type FleetDevice = Shaped<typeof DEVICE>;
export const DEVICES = object({ total: count, devices: listOf(DEVICE) });

export const GROUP = object({ group_id: text, name: text, filter: ANYTHING });
export type Group = Shaped<typeof GROUP>;
export const GROUPS = object({ groups: listOf(GROUP) });

const ACTOR = object({ kind: text, id: optional(text), name: optional(text) });
export type Actor = Shaped<typeof ACTOR>;

const STEP_MEMBERS = {
  at: text,
  connection: optional(count),
  by: optional(ACTOR),
  progress: optional(text),
  error: optional(text),
  replaced_by: optional(text),
  reason: optional(text),
};
const EVENT = object({
  ...STEP_MEMBERS,
  kind: text,
  command_id: optional(text),
  command: optional(text),
  app_id: optional(text),
  version: optional(text),
  event_id: optional(count),
  message: optional(text),
  reset_reason: optional(text),
  uptime_s: optional(count),
});
export type DeviceEvent = Shaped<typeof EVENT>;
export const HISTORY = object({ next: optional(text), events: listOf(EVENT) });

export const CRASH = object({
  stack: listOf(
    object({ function: text, file: optional(text), line: optional(count), is_start: optional(truth) }),
  ),
});
export type Frame = Shaped<typeof CRASH>["stack"][number];

const STEP = object({ ...STEP_MEMBERS, step: text });
export type CommandStep = Shaped<typeof STEP>;
export const TIMELINE = object({ steps: listOf(STEP) });

export const BULK_RESULT = object({
  ordered: count,
  refused: count,
  results: listOf(object({ device_id: text, error: optional(text) })),
});
export type BulkResult = Shaped<typeof BULK_RESULT>;

const COUNTS = {
  devices: count,
  waiting: count,
  sent: count,
  succeeded: count,
  failed: count,
  cancelled: count,
};
export const ROLLOUT = object({
  rollout_id: text,
  kind: oneOf("app", "firmware"),
  app_id: optional(text),
  arch: optional(text),
  version: text,
  state: oneOf("running", "paused", "stopped", "cancelled", "completed"),
  reason: optional(text),
  step: count,
  steps: listOf(object({ step: count, percent: count, ...COUNTS })),
  total: object(COUNTS),
  created_at: text,
});
export type Rollout = Shaped<typeof ROLLOUT>;
export const ROLLOUTS = object({ next: optional(text), rollouts: listOf(ROLLOUT) });
export const ROLLOUT_DEVICES = object({
  next: optional(text),
  devices: listOf(object({ device_id: text, error: optional(text) })),
});
