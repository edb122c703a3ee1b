/**
 * The report of `svc board check`: what one board did, as one JSON file, of which docs/board.md has a row. It names
 * neither the console nor its networks: no MAC, address or SSID.
 */
import {
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Schema,
  type Shaped,
  text,
} from "../../protocol/schema.js";

/** A change that older readers would misread gets another number. */
export const REPORT_FORMAT = 1;

/** In the order in which they are done. */
export const STEP_NAMES = Object.freeze([
  "usb",
  "psram",
  "panel",
  "colours",
  "buttons",
  "card",
  "sound",
  "wifi",
  "network",
  "dtr",
  "restart",
  "update",
  "rollback",
] as const);
export type StepName = (typeof STEP_NAMES)[number];

/** `absent`: the board, or its firmware, has no such part. */
export const RESULTS = Object.freeze(["passed", "failed", "skipped", "absent"] as const);

const STEP = object({ name: oneOf(STEP_NAMES), result: oneOf(RESULTS), note: optional(text()) });
export type StepReport = Shaped<typeof STEP>;

/** Free memory at a moment of the check. */
const MEMORY = object({
  state: oneOf(["start", "scan", "http", "restart"]),
  heap_free_bytes: integer(),
  heap_minimum_free_bytes: integer(),
  psram_free_bytes: optional(integer()),
});
export type MemoryState = Shaped<typeof MEMORY>["state"];

const BOARD_REPORT = object({
  board_report: integer(),
  /** Day of the last step, UTC: `2027-01-31`. */
  date: text(),
  /** The board and its parts, as their owner calls them. */
  hardware: text(),
  board: text(),
  chip: text(),
  firmware: text(),
  features: listOf(text()),
  heap_bytes: integer(),
  psram_bytes: optional(integer()),
  storage_bytes: integer(),
  memory: listOf(MEMORY),
  steps: listOf(STEP),
});
export type BoardReport = Shaped<typeof BOARD_REPORT>;

export const REPORT_LIMIT_BYTES = 65_536;
export const TEXT_LIMIT = 200;

/**
 * @param json the text of a file
 * @throws {Error} that says where it is not a report
 */
export function readReport(json: string): BoardReport {
  if (json.length > REPORT_LIMIT_BYTES) throw new Error(`it is longer than ${REPORT_LIMIT_BYTES} characters`);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error("it is not JSON");
  }
  const wrong = deviation(BOARD_REPORT, value, "it");
  if (wrong !== undefined) throw new Error(wrong);
  const report = value as BoardReport;
  if (report.board_report !== REPORT_FORMAT)
    throw new Error(`"board_report" is ${report.board_report}, and ${REPORT_FORMAT} is the only format`);
  if (!/^\d{4}-\d\d-\d\d$/.test(report.date)) throw new Error(`"date" is not a day: ${quoted(report.date)}`);
  const names = report.steps.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice) throw new Error(`"steps" has ${quoted(twice)} twice`);
  return report;
}

/** The first place where a value is not as the schema says; members without a schema are such places. */
function deviation(schema: Schema, value: unknown, at: string): string | undefined {
  const { type, enum: words, items, properties = {}, required = [] } = schema;
  if (words) {
    return words.includes(value)
      ? undefined
      : `${at} is ${quoted(value)}, and not one of ${words.join(", ")}`;
  }
  if (type === "string") {
    const isShort = typeof value === "string" && value.length <= TEXT_LIMIT;
    return isShort ? undefined : `${at} is not a text of at most ${TEXT_LIMIT} characters`;
  }
  if (type === "integer")
    return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : `${at} is not a whole number`;
  if (type === "array") {
    if (!Array.isArray(value)) return `${at} is not a list`;
    return first(value.map((item, index) => deviation(items as Schema, item, `${at}[${index}]`)));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return `${at} is not an object`;
  const members = new Map(Object.entries(value));
  const missing = required.find((name) => !members.has(name));
  if (missing !== undefined) return `${at} has no "${missing}"`;
  return first(
    [...members].map(([name, member]) => {
      const inner = properties[name];
      const path = at === "it" ? `"${name}"` : `${at}.${name}`;
      return inner ? deviation(inner, member, path) : `${at} has "${name}", which no report has`;
    }),
  );
}

function first(found: readonly (string | undefined)[]): string | undefined {
  return found.find((text) => text !== undefined);
}

function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}
