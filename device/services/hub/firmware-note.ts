/** The firmware that the hub has ordered last, kept over restarts in one setting. */
import type { FirmwareProgress } from "../../../protocol/hub/push-messages.js";
import { parseJson } from "../../../protocol/json.js";
import type { Json } from "../../../protocol/json-value.js";
import type { Logger } from "../logs/log.js";
import { HUB_FIRMWARE_SETTING } from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";
import type { FirmwareOrder } from "./firmware-order.js";

const NAMES: readonly string[] = Object.freeze([
  "commandId",
  "version",
  "downloadUrl",
  "downloadUrlSignature",
  "signature",
  "state",
  "error",
]);
const LIMITS = Object.freeze({ byteLength: 4096, depth: 1, values: 64, names: NAMES });

const STATES: readonly string[] = Object.freeze([
  "available",
  "staged",
  "pending_confirm",
  "confirmed",
  "rolled_back",
  "rejected",
] satisfies FirmwareProgress[]);

export class FirmwareNote {
  readonly #settings: Settings;
  readonly #logger: Logger;
  #order: FirmwareOrder | undefined;

  constructor(settings: Settings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
    this.#order = this.#read();
  }

  get order(): FirmwareOrder | undefined {
    return this.#order;
  }

  /** Counts in this run, and in later ones. Logs a failure to write it. */
  write(order: FirmwareOrder): void {
    this.#order = order;
    try {
      this.#settings.write(HUB_FIRMWARE_SETTING, JSON.stringify(order));
    } catch (error) {
      this.#logger.warning(`what the hub has ordered cannot be kept: ${error}`);
    }
  }

  #read(): FirmwareOrder | undefined {
    try {
      const text = this.#settings.read(HUB_FIRMWARE_SETTING);
      return text === undefined ? undefined : orderOf(parseJson(new TextEncoder().encode(text), LIMITS));
    } catch (error) {
      this.#logger.warning(`what the hub has ordered last cannot be read: ${error}`);
      return undefined;
    }
  }
}

/** @throws {TypeError} unless it is one */
function orderOf(json: Json): FirmwareOrder {
  const members = Object(json) as Record<string, unknown>;
  const { commandId, version, downloadUrl, downloadUrlSignature, signature, state, error } = members;
  const texts = [commandId, version, downloadUrl, signature, state];
  const isOrder = texts.every((text) => typeof text === "string") && STATES.includes(state as string);
  if (!isOrder || (error !== null && typeof error !== "string")) throw new TypeError("it is damaged");
  const order = { commandId, version, downloadUrl, signature, state, error };
  return (
    typeof downloadUrlSignature === "string" ? { ...order, downloadUrlSignature } : order
  ) as FirmwareOrder;
}
