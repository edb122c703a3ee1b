/**
 * The results of the last commands, in one setting: a hub repeats a command until it has the result, and the console
 * then sends the stored result instead of executing the command again, also after a restart. Holds nothing in the heap
 * in between.
 */
import type { AppResult } from "../../../protocol/hub/push-messages.js";
import { parseJson } from "../../../protocol/json.js";
import type { Json } from "../../../protocol/json-value.js";
import type { Logger } from "../logs/log.js";
import { HUB_RESULTS_SETTING } from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";
import { RESULTS_LIMIT } from "./limits.js";

const NAMES: readonly string[] = Object.freeze(["type", "command_id", "app_id", "success", "error"]);
const LIMITS = Object.freeze({ byteLength: 4096, depth: 2, values: 256, names: NAMES });

/** A result with the id of its command. */
export type KeptResult = AppResult & { readonly command_id: string };

export class ResultStore {
  readonly #settings: Settings;
  readonly #logger: Logger;

  constructor(settings: Settings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
  }

  /** `undefined` where the command has not been done, or so many others since. */
  find(commandId: string): KeptResult | undefined {
    return this.#read().find((result) => result.command_id === commandId);
  }

  /** Returns once it is safe. Logs a failure to write it. */
  write(result: KeptResult): void {
    const others = this.#read().filter(({ command_id }) => command_id !== result.command_id);
    const kept = [...others.slice(1 - RESULTS_LIMIT), result];
    try {
      this.#settings.write(HUB_RESULTS_SETTING, JSON.stringify(kept));
    } catch (error) {
      this.#logger.warning(`the result of a command cannot be kept: ${error}`);
    }
  }

  #read(): readonly KeptResult[] {
    try {
      const text = this.#settings.read(HUB_RESULTS_SETTING);
      if (text === undefined) return [];
      const json = parseJson(new TextEncoder().encode(text), LIMITS);
      return Array.isArray(json) ? json.filter(isResult) : [];
    } catch (error) {
      this.#logger.warning(`the results of the last commands cannot be read: ${error}`);
      return [];
    }
  }
}

function isResult(json: Json | KeptResult): json is KeptResult {
  const { type, command_id, app_id, success, error } = Object(json) as Record<string, unknown>;
  return (
    (type === "app.install.result" || type === "app.uninstall.result") &&
    typeof command_id === "string" &&
    typeof app_id === "string" &&
    typeof success === "boolean" &&
    (error === null || typeof error === "string")
  );
}
