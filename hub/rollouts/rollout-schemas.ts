/** Request and response schemas of the rollout endpoints. */
import Type, { type Static } from "typebox";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import { oneOf, PAGE_MEMBERS, pagedList } from "../api/answers.js";
import type { RolloutDeviceState, RolloutState } from "../database/schema.js";

/** Whole percents would allow 100; no plan needs more than these (docs/spec/hub-rollouts.md#steps). */
const STEPS_LIMIT = 20;

/** Named by their ids in one request: as many as an account is expected to hold (docs/spec/hub-rollouts.md#devices). */
const NAMED_DEVICES_LIMIT = 10_000;

const VERSION = "^[0-9]+\\.[0-9]+\\.[0-9]+$";

/** What is not known is refused rather than ignored: a filter with a slip in its name would be one less. */
const STRICT = { additionalProperties: false };

const DEVICE_FILTER = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: NAMED_DEVICES_LIMIT,
        description: `These devices, at most ${NAMED_DEVICES_LIMIT}, and nothing else is to be named then.`,
      }),
    ),
    arch: Type.Optional(oneOf(VARIANT_ARCHITECTURES, "Devices of this architecture.")),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Devices whose name begins so." }),
    ),
    firmware_version: Type.Optional(
      Type.String({ pattern: VERSION, description: "Devices that run this firmware." }),
    ),
    app_id: Type.Optional(
      Type.String({ minLength: 1, description: "Devices that have this app installed." }),
    ),
  },
  { ...STRICT, description: "All devices of the account where it is left out." },
);
export type DeviceFilter = Static<typeof DEVICE_FILTER>;

function share(description: string) {
  return Type.Integer({ minimum: 0, maximum: 100, description });
}

const PERCENT = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: "How many of all devices have had their turn with this step. Rises; 100 in the last step.",
});
const SUCCESS_PERCENT = share("How many of its devices must have succeeded before the next step begins.");
const ERROR_PERCENT = share("With more failed devices than that the rollout stops by itself; 100 is never.");

const STEP_REQUEST = Type.Object(
  {
    percent: PERCENT,
    success_percent: Type.Optional(SUCCESS_PERCENT),
    error_percent: Type.Optional(ERROR_PERCENT),
  },
  STRICT,
);

export const ROLLOUT_REQUEST = Type.Object({
  kind: oneOf(["app", "firmware"], "What is rolled out."),
  app_id: Type.Optional(Type.String({ description: "Of an app." })),
  arch: Type.Optional(oneOf(VARIANT_ARCHITECTURES, "Of firmware.")),
  version: Type.Optional(Type.String({ pattern: VERSION, description: "The newest one by default." })),
  devices: Type.Optional(DEVICE_FILTER),
  steps: Type.Optional(
    Type.Array(STEP_REQUEST, {
      minItems: 1,
      maxItems: STEPS_LIMIT,
      description: "One step of all devices by default.",
    }),
  ),
});
export type RolloutRequest = Static<typeof ROLLOUT_REQUEST>;

const STATES = Object.freeze([
  "running",
  "paused",
  "stopped",
  "cancelled",
  "completed",
] as const satisfies readonly RolloutState[]);
const DEVICE_STATES = Object.freeze([
  "waiting",
  "sent",
  "succeeded",
  "failed",
  "cancelled",
] as const satisfies readonly RolloutDeviceState[]);

const STATE = oneOf(STATES, "`stopped` by itself, for its `reason`; the last three are for ever.");
const DEVICE_STATE = oneOf(DEVICE_STATES, "The last three are for ever.");
const COUNT = Type.Integer({ minimum: 0 });
const COUNTS = {
  devices: COUNT,
  waiting: COUNT,
  sent: COUNT,
  succeeded: COUNT,
  failed: COUNT,
  cancelled: COUNT,
};
const STEP_NUMBER = Type.Integer({ minimum: 1, description: "Counts from 1." });
const TIME = Type.String({ format: "date-time" });

export const ROLLOUT = Type.Object({
  rollout_id: Type.String(),
  kind: oneOf(["app", "firmware"], "What is rolled out."),
  app_id: Type.Optional(Type.String()),
  arch: Type.Optional(Type.String()),
  version: Type.String(),
  state: STATE,
  reason: Type.Optional(Type.String({ description: "Why it has stopped by itself." })),
  step: STEP_NUMBER,
  steps: Type.Array(
    Type.Object({
      step: STEP_NUMBER,
      percent: PERCENT,
      success_percent: SUCCESS_PERCENT,
      error_percent: ERROR_PERCENT,
      ...COUNTS,
    }),
  ),
  total: Type.Object(COUNTS),
  created_at: TIME,
  updated_at: TIME,
});
export type RolloutAnswer = Static<typeof ROLLOUT>;

const ROLLOUT_DEVICE = Type.Object({
  device_id: Type.String(),
  step: STEP_NUMBER,
  state: DEVICE_STATE,
  error: Type.Optional(Type.String({ description: "Of a device that failed: its code." })),
  updated_at: TIME,
});
export type RolloutDeviceAnswer = Static<typeof ROLLOUT_DEVICE>;

export const ROLLOUT_LIST = pagedList({ rollouts: Type.Array(ROLLOUT) });
export const ROLLOUT_DEVICE_LIST = pagedList({ devices: Type.Array(ROLLOUT_DEVICE) });

export const ROLLOUT_LIST_QUERY = Type.Object({ ...PAGE_MEMBERS, state: Type.Optional(STATE) });
export type RolloutListQuery = Static<typeof ROLLOUT_LIST_QUERY>;
export const ROLLOUT_DEVICE_LIST_QUERY = Type.Object({ ...PAGE_MEMBERS, state: Type.Optional(DEVICE_STATE) });
export type RolloutDeviceListQuery = Static<typeof ROLLOUT_DEVICE_LIST_QUERY>;

export const ROLLOUT_PATH = Type.Object({ rollout_id: Type.String() });
