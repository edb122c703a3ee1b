/** The names that a build has shortened (short-names.ts), in a JSON file beside the image. */

/** The names in the sources by those in the program. */
export interface NameMap {
  /** Of private members: `"_0": "#phase|#port"`, since a few members of different classes may have the same short name. */
  readonly members: Names;
  /** Of functions: `"t": "parse|read"`, since functions of different scopes may have the same short name. */
  readonly functions: Names;
  /** SHA-256 of the text before shortening, and of the program. */
  readonly made?: { readonly source: string; readonly program: string };
}

export type Names = Readonly<Record<string, string>>;

export const NO_NAMES: NameMap = Object.freeze({ members: {}, functions: {} });

/** The short name of a private member. */
export const SHORT_NAME = /^_[0-9a-z]{1,3}$/;

/** @returns path of the name map of an image */
export function nameMapFile(image: string): string {
  return `${image}.names.json`;
}

export function writeNameMap(names: NameMap): string {
  return `${JSON.stringify(names, undefined, 1)}\n`;
}

/** @returns `undefined` for anything but a name map */
export function readNameMap(text: string): NameMap | undefined {
  try {
    const names: unknown = JSON.parse(text);
    const { members, functions } = Object(names) as Record<string, unknown>;
    return areNames(members) && areNames(functions) ? (names as NameMap) : undefined;
  } catch {
    return undefined;
  }
}

function areNames(value: unknown): value is Names {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.values(value).every((name) => typeof name === "string");
}

/** Replaces short names in a stack by those of the sources: of functions in its lines, of members everywhere. */
export function longNames(stack: string, { members, functions }: NameMap): string {
  const memberNames = new Map(Object.entries(members));
  const functionNames = new Map(Object.entries(functions));
  const frameName = (short: string) =>
    [memberNames.get(short), functionNames.get(short)].filter((name) => name !== undefined).join("|") ||
    short;
  return stack
    .replace(/(?<=^ *at )[\w$]+(?= \()/gm, frameName)
    .replace(/(?<![\w$#])_[0-9a-z]{1,3}(?![\w$])/g, (short) => memberNames.get(short) ?? short);
}
