/** What the hub answers about rollouts (docs/spec/hub-rollouts.md). */
import { integer, listOf, object, oneOf, optional, type Shaped, text, time } from "../../schema.js";
import { longPagedList } from "./paged-list.js";

export const ROLLOUT_KIND = oneOf(["app", "firmware"], "What is rolled out.");
export const ROLLOUT_STATE = oneOf(
  ["running", "paused", "stopped", "cancelled", "completed"],
  "`stopped`: the hub stopped it, for the `reason` given. The last three are final.",
);
export const ROLLOUT_DEVICE_STATE = oneOf(
  ["waiting", "sent", "succeeded", "failed", "cancelled"],
  "The last three are final.",
);

export const PERCENT = integer(
  "Share of all devices that this and the previous steps cover. Increases from step to step; 100 in the last.",
  { minimum: 1, maximum: 100 },
);
const SHARE = { minimum: 0, maximum: 100 };
export const SUCCESS_PERCENT = integer(
  "Share of the step's devices that must succeed before the next step begins.",
  SHARE,
);
export const ERROR_PERCENT = integer(
  "The rollout stops if a larger share of the step's devices fails; 100: it never stops.",
  SHARE,
);

const COUNT = integer(undefined, { minimum: 0 });
const COUNTS = {
  devices: COUNT,
  waiting: COUNT,
  sent: COUNT,
  succeeded: COUNT,
  failed: COUNT,
  cancelled: COUNT,
};
const STEP_NUMBER = integer("Counts from 1.", { minimum: 1 });

export const ROLLOUT = object(
  {
    rollout_id: text(),
    kind: ROLLOUT_KIND,
    app_id: optional(text()),
    arch: optional(text()),
    version: text(),
    state: ROLLOUT_STATE,
    reason: optional(text("Why the hub stopped the rollout.")),
    step: STEP_NUMBER,
    steps: listOf(
      object({
        step: STEP_NUMBER,
        percent: PERCENT,
        success_percent: SUCCESS_PERCENT,
        error_percent: ERROR_PERCENT,
        ...COUNTS,
      }),
    ),
    total: object(COUNTS),
    created_at: time(),
    updated_at: time(),
    expires_at: optional(time("When the rollout is stopped if it is still under way.")),
  },
  { title: "Rollout" },
);
export type Rollout = Shaped<typeof ROLLOUT>;
export const ROLLOUT_LIST = longPagedList({ rollouts: listOf(ROLLOUT) });

const ROLLOUT_DEVICE = object(
  {
    device_id: text(),
    step: STEP_NUMBER,
    state: ROLLOUT_DEVICE_STATE,
    error: optional(text("Error code of a device that failed.")),
    updated_at: time(),
  },
  { title: "RolloutDevice" },
);
export type RolloutDevice = Shaped<typeof ROLLOUT_DEVICE>;
export const ROLLOUT_DEVICE_LIST = longPagedList({ devices: listOf(ROLLOUT_DEVICE) });
