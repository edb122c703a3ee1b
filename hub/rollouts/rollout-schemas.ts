/** Schemas of the requests to the rollout endpoints. */
import Type, { type Static } from "typebox";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import {
  ERROR_PERCENT,
  PERCENT,
  ROLLOUT_DEVICE_STATE,
  ROLLOUT_KIND,
  ROLLOUT_STATE,
  SUCCESS_PERCENT,
} from "../../protocol/hub/answers/rollouts.js";
import { oneOf } from "../../protocol/schema.js";
import { LONG_PAGE_MEMBERS } from "../api/keyset.js";
import { EXPIRES_IN_S } from "../commands/expiry.js";
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

const STEP_REQUEST = Type.Object(
  {
    percent: PERCENT,
    success_percent: Type.Optional(SUCCESS_PERCENT),
    error_percent: Type.Optional(ERROR_PERCENT),
  },
  STRICT,
);

export const ROLLOUT_REQUEST = Type.Object({
  kind: ROLLOUT_KIND,
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

export const ROLLOUT_LIST_QUERY = Type.Object({ ...LONG_PAGE_MEMBERS, state: Type.Optional(ROLLOUT_STATE) });
export type RolloutListQuery = Static<typeof ROLLOUT_LIST_QUERY>;
export const ROLLOUT_DEVICE_LIST_QUERY = Type.Object({
  ...LONG_PAGE_MEMBERS,
  state: Type.Optional(ROLLOUT_DEVICE_STATE),
});
export type RolloutDeviceListQuery = Static<typeof ROLLOUT_DEVICE_LIST_QUERY>;

export const ROLLOUT_PATH = Type.Object({ rollout_id: Type.String() });
