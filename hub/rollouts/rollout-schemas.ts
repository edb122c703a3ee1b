/** Request and response schemas of the rollout endpoints. */
import Type, { type Static } from "typebox";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import { oneOf } from "../api/answers.js";
import { LONG_PAGE_MEMBERS, longPagedList } from "../api/keyset.js";
import { EXPIRES_IN_S } from "../commands/expiry.js";
import type { RolloutDeviceState, RolloutState } from "../database/schema.js";
import { TAG } from "../fleet/tags.js";

/** Steps of one rollout (docs/spec/hub-rollouts.md#steps). */
const STEPS_LIMIT = 20;

/** Device ids in one request: as many as an account is expected to hold (docs/spec/hub-rollouts.md#devices). */
const NAMED_DEVICES_LIMIT = 10_000;

const VERSION = "^[0-9]+\\.[0-9]+\\.[0-9]+$";

/** Rejects unknown members: ignoring a misspelt condition would select more devices. */
const STRICT = { additionalProperties: false };

const DEVICE_FILTER = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: NAMED_DEVICES_LIMIT,
        description: `These devices, at most ${NAMED_DEVICES_LIMIT}; excludes all other conditions.`,
      }),
    ),
    arch: Type.Optional(oneOf(VARIANT_ARCHITECTURES, "Devices of this architecture.")),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Devices whose name begins with this text." }),
    ),
    firmware_version: Type.Optional(
      Type.String({ pattern: VERSION, description: "Devices that run this firmware." }),
    ),
    app_id: Type.Optional(
      Type.String({ minLength: 1, description: "Devices that report this app as installed." }),
    ),
    tag: Type.Optional(TAG),
    group_id: Type.Optional(Type.String({ maxLength: 64, description: "Devices of this group." })),
  },
  { ...STRICT, description: "All devices of the account by default." },
);
export type DeviceFilter = Static<typeof DEVICE_FILTER>;

function share(description: string) {
  return Type.Integer({ minimum: 0, maximum: 100, description });
}

const PERCENT = Type.Integer({
  minimum: 1,
  maximum: 100,
  description:
    "Share of all devices that this and the previous steps cover. Increases from step to step; 100 in the last.",
});
const SUCCESS_PERCENT = share("Share of the step's devices that must succeed before the next step begins.");
const ERROR_PERCENT = share(
  "The rollout stops if a larger share of the step's devices fails; 100: it never stops.",
);

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
  app_id: Type.Optional(Type.String({ description: "For an app." })),
  arch: Type.Optional(oneOf(VARIANT_ARCHITECTURES, "For firmware.")),
  version: Type.Optional(Type.String({ pattern: VERSION, description: "The newest by default." })),
  devices: Type.Optional(DEVICE_FILTER),
  expires_in_s: EXPIRES_IN_S,
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

const STATE = oneOf(
  STATES,
  "`stopped`: the hub stopped it, for the `reason` given. The last three are final.",
);
const DEVICE_STATE = oneOf(DEVICE_STATES, "The last three are final.");
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

export const ROLLOUT = Type.Object(
  {
    rollout_id: Type.String(),
    kind: oneOf(["app", "firmware"], "What is rolled out."),
    app_id: Type.Optional(Type.String()),
    arch: Type.Optional(Type.String()),
    version: Type.String(),
    state: STATE,
    reason: Type.Optional(Type.String({ description: "Why the hub stopped the rollout." })),
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
    expires_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "When the rollout is stopped if it is still under way.",
      }),
    ),
  },
  { title: "Rollout" },
);
export type RolloutAnswer = Static<typeof ROLLOUT>;

const ROLLOUT_DEVICE = Type.Object(
  {
    device_id: Type.String(),
    step: STEP_NUMBER,
    state: DEVICE_STATE,
    error: Type.Optional(Type.String({ description: "Error code of a device that failed." })),
    updated_at: TIME,
  },
  { title: "RolloutDevice" },
);
export type RolloutDeviceAnswer = Static<typeof ROLLOUT_DEVICE>;

export const ROLLOUT_LIST = longPagedList({ rollouts: Type.Array(ROLLOUT) });
export const ROLLOUT_DEVICE_LIST = longPagedList({ devices: Type.Array(ROLLOUT_DEVICE) });

export const ROLLOUT_LIST_QUERY = Type.Object({ ...LONG_PAGE_MEMBERS, state: Type.Optional(STATE) });
export type RolloutListQuery = Static<typeof ROLLOUT_LIST_QUERY>;
export const ROLLOUT_DEVICE_LIST_QUERY = Type.Object({
  ...LONG_PAGE_MEMBERS,
  state: Type.Optional(DEVICE_STATE),
});
export type RolloutDeviceListQuery = Static<typeof ROLLOUT_DEVICE_LIST_QUERY>;

export const ROLLOUT_PATH = Type.Object({ rollout_id: Type.String() });
