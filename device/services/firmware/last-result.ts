/**
 * How the last update ended (`last_result` of docs/spec/boot-and-slots.md#last-result), kept over restarts in one
 * setting, together with the number of the last trial whose end it records: so the end of a trial is recorded once,
 * however often power fails before that.
 */
import type { LastResult } from "../../../protocol/device/answers.js";
import { parseJson } from "../../../protocol/json.js";
import type { Json } from "../../../protocol/json-value.js";
import type { Logger } from "../logs/log.js";
import { LAST_UPDATE_SETTING } from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";

const RESULTS: readonly Result[] = Object.freeze(["confirmed", "rolled_back", "rejected"]);
type Result = LastResult["result"];

/** The setting: a result, and a number as in `SlotRecord.trials`. */
type Note = LastResult & { readonly trial: number };

const NAMES: readonly string[] = Object.freeze(["result", "error", "message", "version", "trial"]);
const LIMITS = Object.freeze({ byteLength: 4096, depth: 1, values: 64, names: NAMES });

export class LastResultNote {
  readonly #settings: Settings;
  readonly #logger: Logger;
  #result: LastResult | undefined;
  #trial = 0;

  constructor(settings: Settings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
    this.#read();
  }

  /** `undefined` where no update has ended yet. */
  get result(): LastResult | undefined {
    return this.#result;
  }

  /** The last trial whose end has been noted, 0 where there is none. */
  get trial(): number {
    return this.#trial;
  }

  /** What counts from now on, in this run. */
  show(result: LastResult): void {
    this.#result = result;
  }

  /** The same, and in later runs. Logs a failure to write it. */
  write(result: LastResult, trial = this.#trial): void {
    this.show(result);
    this.#trial = trial;
    try {
      this.#settings.write(LAST_UPDATE_SETTING, JSON.stringify({ ...result, trial } satisfies Note));
    } catch (error) {
      this.#logger.warning(`the result of the update cannot be kept: ${error}`);
    }
  }

  /** The trial whose end has been noted has another number from now on. */
  renumber(trial: number): void {
    if (this.#result) this.write(this.#result, trial);
  }

  #read(): void {
    try {
      const text = this.#settings.read(LAST_UPDATE_SETTING);
      if (text === undefined) return;
      const { trial, ...result } = noteOf(parseJson(new TextEncoder().encode(text), LIMITS));
      this.#result = result;
      this.#trial = trial;
    } catch (error) {
      this.#logger.warning(`the result of the last update cannot be read: ${error}`);
    }
  }
}

/** @throws {TypeError} unless it is one */
function noteOf(json: Json): Note {
  const { result, error, message, version, trial } = Object(json) as Record<string, unknown>;
  if (!isResult(result) || !isCount(trial)) throw new TypeError("it is damaged");
  return {
    result,
    ...(typeof error === "string" && { error }),
    ...(typeof message === "string" && { message }),
    ...(typeof version === "string" && { version }),
    trial,
  };
}

function isResult(value: unknown): value is Result {
  return (RESULTS as readonly unknown[]).includes(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
