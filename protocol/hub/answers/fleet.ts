/** What the hub answers about many consoles of an account. */
import { integer, listOf, mapOf, object, oneOf, optional, type Shaped, text, time } from "../../schema.js";

/** Counting stops here. */
export const ATTENTION_LIMIT = 10_000;

/* @__NO_SIDE_EFFECTS__ */
function count(description: string) {
  return integer(description, { minimum: 0, maximum: ATTENTION_LIMIT });
}

export const ATTENTION = object(
  {
    devices_failed: count("Consoles that have failed a command in the last day"),
    commands_failed: count("Commands that have failed in the last day"),
    devices_crashed: count("Consoles that have crashed in the last day, or whose app has"),
    devices_offline: count("Consoles that were not seen for a day"),
    rollouts_stopped: count("Rollouts that the hub has stopped in the last seven days"),
  },
  { title: "Attention" },
);
export type Attention = Shaped<typeof ATTENTION>;

export const GROUP = object(
  {
    group_id: text(),
    name: text("1 to 64 characters"),
    filter: mapOf(undefined, "The conditions of the list of consoles"),
    created_at: time(),
  },
  { title: "Group" },
);
export type Group = Shaped<typeof GROUP>;
export const GROUPS = object({ groups: listOf(GROUP) });

/** The tags of a console. */
export const DEVICE_TAGS = object({ tags: listOf(text()) });

const BULK_RESULT_ENTRY = object(
  {
    device_id: text(),
    command_id: optional(text()),
    state: optional(oneOf(["sent", "queued"], "As for an order to one console")),
    error: optional(text("Why this console has no such order")),
  },
  { title: "BulkOrderResult" },
);
export const BULK_RESULT = object({
  ordered: integer("Consoles for which the order was given"),
  refused: integer(),
  results: listOf(BULK_RESULT_ENTRY),
});
export type BulkResult = Shaped<typeof BULK_RESULT>;
