/** Parsers for environment variables. An empty variable counts as unset. */
import { readFileSync } from "node:fs";
import { getSystemErrorMap } from "node:util";

/** An unusable setting: the process ends with status 2 and this message, which names the variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function text(environment: Environment, name: string): string | undefined {
  return environment[name] || undefined;
}

/** Whole numbers in digits, so that `8080x`, `0x50` and `1e3` are rejected. */
export function wholeNumber(
  environment: Environment,
  name: string,
  { fallback, minimum, maximum }: { fallback: number; minimum: number; maximum: number },
): number {
  const value = text(environment, name);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d{1,15}$/.test(value) || number < minimum || number > maximum)
    throw new ConfigError(
      `Cannot use ${name}="${value}": it must be a whole number from ${minimum} to ${maximum}`,
    );
  return number;
}

export function isOn(environment: Environment, name: string): boolean {
  const value = text(environment, name)?.toLowerCase();
  if (value === undefined || value === "0" || value === "false" || value === "off") return false;
  if (value === "1" || value === "true" || value === "on") return true;
  throw new ConfigError(`Cannot use ${name}="${value}": it must be 1 or 0`);
}

export function oneOf(
  environment: Environment,
  name: string,
  choices: readonly string[],
  fallback: string,
): string {
  const value = text(environment, name) ?? fallback;
  if (!choices.includes(value))
    throw new ConfigError(`Cannot use ${name}="${value}": it must be one of ${choices.join(", ")}`);
  return value;
}

/** Names separated by commas; none by default. */
export function listOf<Name extends string>(
  environment: Environment,
  name: string,
  choices: readonly Name[],
): readonly Name[] {
  const names = text(environment, name)?.split(",") ?? [];
  const isChoice = (each: string): each is Name => (choices as readonly string[]).includes(each);
  if (names.every(isChoice)) return [...new Set(names as Name[])];
  throw new ConfigError(
    `Cannot use ${name}="${names.join(",")}": it must be some of ${choices.join(", ")}, with commas between them`,
  );
}

/**
 * Checks an address, and returns it unchanged.
 * @param protocols such as `https:`
 * @throws {ConfigError} without the address, which may contain a password
 */
export function address(
  environment: Environment,
  name: string,
  protocols: readonly string[],
): string | undefined {
  const value = text(environment, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol) || !new URL(value).host)
    throw new ConfigError(
      `Cannot use ${name}: it must be an address that begins with ${protocols.join("// or ")}//`,
    );
  return value;
}

/**
 * Reads the file that the variable names.
 * @throws {ConfigError} without the value, which may be a key instead of a path
 */
export function fileContent(environment: Environment, name: string): string | undefined {
  const file = text(environment, name);
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const [, reason = "it is not a path"] = reasonOf(error as NodeJS.ErrnoException) ?? [];
    throw new ConfigError(`Cannot read the file that ${name} names: ${reason}`);
  }
}

function reasonOf({ errno }: NodeJS.ErrnoException): readonly [string, string] | undefined {
  return errno === undefined ? undefined : getSystemErrorMap().get(errno);
}
