/**
 * A fact about a header that our C includes and that is not ours: what it declares, in which release of ESP-IDF and on which
 * chip, and the option without which it does not. Facts are what the headers for tests are made of (../stub-headers.ts),
 * and `npm run board:check` compares each with the real header (../probes.ts).
 *
 * Types are those of C, without a name: `esp_err_t (const char *)` is a function, `uint8_t[6]` an array.
 */

/** Releases that are compared, as of 5.3.5, 5.5.5 and 6.0.2; a fact that has no release holds in all of them. */
export const RELEASES = Object.freeze(["5.3", "5.5", "6.0"] as const);
export type Release = (typeof RELEASES)[number];
export const CHIPS = Object.freeze(["esp32s3", "esp32"] as const);
export type Chip = (typeof CHIPS)[number];

/** What is compared, or compiled for. */
export interface Target {
  readonly release: Release;
  readonly chip: Chip;
}

/** Where a fact holds. */
export interface Where {
  readonly chip?: Chip;
  readonly since?: Release;
  readonly until?: Release;
  /** A line of sdkconfig: `CONFIG_LWIP_IPV6`, which is `y` then, or with its value. */
  readonly option?: string;
}

/** Members that our C uses, by name; a type that ends in `:1` is a bit-field's. */
export interface Members {
  readonly [name: string]: string | { readonly members: Members; readonly isUnion: boolean };
}

export type Fact = { readonly name: string; readonly where: Where } & (
  | { readonly kind: "call"; readonly type: string }
  | { readonly kind: "object"; readonly type: string }
  | { readonly kind: "type"; readonly type: string }
  /** `sizeof`, with 32-bit pointers; `name` may be a tag: `struct pollfd`. */
  | { readonly kind: "record"; readonly bytes: number; readonly members: Members; readonly isUnion: boolean }
  | { readonly kind: "choice"; readonly values: Readonly<Record<string, number>> }
  | { readonly kind: "constant"; readonly value: number; readonly type: string | undefined }
  | { readonly kind: "text"; readonly text: string }
  /** Replaced by `text`: both are compared after all macros, without casts, suffixes of numbers, parentheses and white space. */
  | { readonly kind: "macro"; readonly parameters: string; readonly text: string }
  /** Initializes `type`. `values` are those that our C or its tests rely on: numbers, or parameters of the macro. */
  | {
      readonly kind: "initializer";
      readonly parameters: string;
      readonly type: string;
      readonly values: Readonly<Record<string, number | string>>;
    }
  /** `text` stands in for a macro in tests: only its name and the number of its parameters are compared. */
  | { readonly kind: "standIn"; readonly parameters: string; readonly text: string }
);

export interface Header {
  /** As `#include` has it. */
  readonly name: string;
  /** Others of the headers here that it includes in each release. */
  readonly includes: readonly string[];
  readonly facts: readonly Fact[];
  readonly where: Where;
}

export function header(
  name: string,
  includes: readonly string[],
  facts: readonly Fact[],
  where: Where = {},
): Header {
  return Object.freeze({ name, includes, facts: Object.freeze(facts), where });
}

export const call = (name: string, type: string, where: Where = {}): Fact => ({
  kind: "call",
  name,
  type,
  where,
});

export const object = (name: string, type: string, where: Where = {}): Fact => ({
  kind: "object",
  name,
  type,
  where,
});

export const type = (name: string, type: string, where: Where = {}): Fact => ({
  kind: "type",
  name,
  type,
  where,
});

export const struct = (name: string, bytes: number, members: Members = {}, where: Where = {}): Fact => ({
  kind: "record",
  name,
  bytes,
  members,
  isUnion: false,
  where,
});

/** One structure, whose size depends on the release or the chip. */
export const structOfSizes = (
  name: string,
  members: Members,
  sizes: readonly (readonly [bytes: number, where: Where])[],
): readonly Fact[] => sizes.map(([bytes, where]) => struct(name, bytes, members, where));

export const union = (name: string, bytes: number, members: Members = {}, where: Where = {}): Fact => ({
  kind: "record",
  name,
  bytes,
  members,
  isUnion: true,
  where,
});

/** A member that is a structure without a name of its own. */
export const members = (inner: Members) => ({ members: inner, isUnion: false });

/** A member that is a union without a name of its own. */
export const oneOf = (inner: Members) => ({ members: inner, isUnion: true });

export const choice = (name: string, values: Readonly<Record<string, number>>, where: Where = {}): Fact => ({
  kind: "choice",
  name,
  values,
  where,
});

export const constant = (name: string, value: number, where: Where = {}): Fact => ({
  kind: "constant",
  name,
  value,
  type: undefined,
  where,
});

/** A constant that the header casts to `type`. */
export const typed = (name: string, type: string, value: number, where: Where = {}): Fact => ({
  kind: "constant",
  name,
  value,
  type,
  where,
});

export const text = (name: string, value: string, where: Where = {}): Fact => ({
  kind: "text",
  name,
  text: value,
  where,
});

/** `NAME(parameter, ...)`, or `NAME` alone. */
function signature(whole: string): { readonly name: string; readonly parameters: string } {
  const open = whole.indexOf("(");
  return open < 0
    ? { name: whole, parameters: "" }
    : { name: whole.slice(0, open), parameters: whole.slice(open) };
}

export const macro = (whole: string, text: string, where: Where = {}): Fact => ({
  kind: "macro",
  ...signature(whole),
  text,
  where,
});

export const standIn = (whole: string, text: string, where: Where = {}): Fact => ({
  kind: "standIn",
  ...signature(whole),
  text,
  where,
});

export const initializer = (
  whole: string,
  type: string,
  values: Readonly<Record<string, number | string>>,
  where: Where = {},
): Fact => ({ kind: "initializer", ...signature(whole), type, values, where });

/** Whether a fact, or a header, is one of a release and chip. */
export function holds({ where }: { readonly where: Where }, { release, chip }: Target): boolean {
  const at = RELEASES.indexOf(release);
  return (
    (where.chip === undefined || where.chip === chip) &&
    (where.since === undefined || RELEASES.indexOf(where.since) <= at) &&
    (where.until === undefined || at <= RELEASES.indexOf(where.until))
  );
}

/** @returns headers that are wanted, with the facts that are; a header of which no fact is wanted is left out, and not included */
export function selectFacts(
  headers: readonly Header[],
  isWanted: (of: { readonly where: Where }) => boolean,
): readonly Header[] {
  const selected = headers.filter(isWanted).flatMap((header) => {
    const facts = header.facts.filter(isWanted);
    return facts.length > 0 || header.facts.length === 0 ? [{ ...header, facts }] : [];
  });
  const names = new Set(selected.map(({ name }) => name));
  return selected.map((header) => ({
    ...header,
    includes: header.includes.filter((name) => names.has(name)),
  }));
}
