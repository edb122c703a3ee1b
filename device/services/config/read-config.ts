/** Converts the settings of a manifest or command line to a value for every build option, or rejects them by name. */
import { Fault, quoted } from "../../../protocol/fault.js";
import { type Config, type IntegerOption, OPTIONS, type Option, type OptionName } from "./options.js";

type Value = string | number | boolean;

const ON: readonly string[] = Object.freeze(["1", "on", "true", "yes", "y"]);
const OFF: readonly string[] = Object.freeze(["0", "off", "false", "no", "n"]);
/** Most origins in a list: every request of a web page is compared with each. */
const ORIGINS_LIMIT = 16;
/** A scheme, a DNS name (RFC 1035 §2.3.4) and a port. */
const ORIGIN_LIMIT_CHARACTERS = 280;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*]+$/;
const DIGITS = /^[0-9]{1,10}$/;

type Readable<O extends Option> = O extends Option ? Omit<O, "summary"> : never;

/** The options without the texts of the reference, which are so not in a board's flash: made while the modules run. */
const READABLE = Object.freeze(
  Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { summary: _, ...option }]) => [name, Object.freeze(option)]),
  ),
) as Readonly<Record<OptionName, Readable<Option>>>;

/**
 * @param values options by name; numbers and booleans from a manifest, text from a command line
 * @throws {Fault} `config_unknown` or `config_invalid`, with the option and its valid values
 */
export function readConfig(values: Readonly<Record<string, unknown>>): Config {
  for (const name of Object.keys(values))
    if (!Object.hasOwn(READABLE, name))
      throw new Fault("config_unknown", `No build option is named "${name}"`);
  const config: Record<string, Value> = {};
  for (const name of Object.keys(READABLE) as OptionName[])
    config[name] = name in values ? read(name, READABLE[name], values[name]) : READABLE[name].default;
  // A manifest lists every option with its default, so "off" may not be the user's choice.
  if (config["CONFIG_SVC_PAIRING"]) config["CONFIG_SVC_HTTP_AUTH"] = true;
  return Object.freeze(config) as Config;
}

/**
 * Parses a comma-separated list of origins as browsers write them (RFC 6454 §6.2): in lower case, without blanks or a
 * trailing slash.
 * @throws {Fault} `config_invalid` for an invalid origin, and for more than {@link ORIGINS_LIMIT}
 */
export function readOrigins(list: string): readonly string[] {
  const origins: string[] = [];
  for (let start = 0; start <= list.length; ) {
    const comma = list.indexOf(",", start);
    const end = comma < 0 ? list.length : comma;
    const origin = list.slice(start, end).trim().toLowerCase();
    if (origin !== "") origins.push(checkedOrigin(origin.endsWith("/") ? origin.slice(0, -1) : origin));
    if (origins.length > ORIGINS_LIMIT) throw invalidOrigins(`at most ${ORIGINS_LIMIT} origins`);
    start = end + 1;
  }
  return origins;
}

function checkedOrigin(origin: string): string {
  if (origin.length <= ORIGIN_LIMIT_CHARACTERS && ORIGIN.test(origin)) return origin;
  throw invalidOrigins(`origins like https://console.example, not ${quoted(origin)}`);
}

function invalidOrigins(wanted: string): Fault {
  return new Fault("config_invalid", `CONFIG_SVC_HTTP_ALLOWED_ORIGINS must be ${wanted}`);
}

function read(name: OptionName, option: Readable<Option>, value: unknown): Value {
  switch (option.type) {
    case "flag":
      return readFlag(name, value);
    case "integer":
      return readInteger(name, option, value);
    case "text":
      if (typeof value === "string") return value;
      throw new Fault("config_invalid", `${name} must be text`);
    default:
      return option satisfies never;
  }
}

function readFlag(name: OptionName, value: unknown): boolean {
  const text = String(value).toLowerCase();
  if (ON.includes(text)) return true;
  if (OFF.includes(text)) return false;
  throw new Fault("config_invalid", `${name} must be "on" or "off", not "${text}"`);
}

function readInteger(name: OptionName, option: Readable<IntegerOption>, value: unknown): number {
  const text = String(value);
  const number = DIGITS.test(text) ? Number(text) : Number.NaN;
  if (number >= option.minimum && number <= option.maximum) return number;
  throw new Fault(
    "config_invalid",
    `${name} takes ${option.minimum} to ${option.maximum} ${option.unit}, not "${text}"`,
  );
}
