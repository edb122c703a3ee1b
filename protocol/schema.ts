/**
 * Schemas of what console and hub answer: JSON Schema, and in TypeScript the type that it describes. They stand below all
 * programs, so that each answer is written once: its type, its check, its description and its reference follow.
 *
 * The hub reads requests with TypeBox, which has far more. Its builder would take 3,100 bytes of each console's flash, since
 * the page of the console checks what hubs answer; these take 500. TypeBox accepts them as members of its own schemas: it
 * infers a type from `~unsafe`, and finds optional members by `~optional`.
 *
 * Versions differ between a client and what it talks to. A member that is added to an answer after a release is therefore
 * `optional`, and members that a schema does not name are no error.
 */

export interface Schema<Value = unknown> {
  /** The type that it describes. Nothing has this member at run time. */
  readonly "~unsafe": Value;
  readonly type?: string;
  /** Schemas with a title are named in the hub's OpenAPI description. */
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Members;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | true;
}

type Members = Readonly<Record<string, Schema>>;
type Keywords = Omit<Schema, "~unsafe">;

/** The type that a schema describes. */
export type Shaped<Described extends Schema> = Described["~unsafe"];

interface Optional {
  readonly "~optional": true;
}

/** With the comments of the members. */
type ShapedMembers<Named extends Members> = Flat<
  {
    readonly [Name in keyof Named as Named[Name] extends Optional ? never : Name]: Shaped<Named[Name]>;
  } & {
    readonly [Name in keyof Named as Named[Name] extends Optional ? Name : never]?: Shaped<Named[Name]>;
  }
>;
type Flat<Value> = { [Name in keyof Value]: Value[Name] };

// Bundlers leave out schemas that a page does not use only if they know that making one does nothing else.

/* @__NO_SIDE_EFFECTS__ */
function schema<Value>(keywords: Keywords, description?: string): Schema<Value> {
  return Object.freeze(description === undefined ? keywords : { ...keywords, description }) as Schema<Value>;
}

/* @__NO_SIDE_EFFECTS__ */
export function text(description?: string): Schema<string> {
  return schema({ type: "string" }, description);
}

/** ISO 8601, UTC. */
/* @__NO_SIDE_EFFECTS__ */
export function time(description?: string): Schema<string> {
  return schema({ type: "string", format: "date-time" }, description);
}

/* @__NO_SIDE_EFFECTS__ */
export function integer(
  description?: string,
  limits?: { readonly minimum: number; readonly maximum?: number },
): Schema<number> {
  return schema({ type: "integer", ...limits }, description);
}

/* @__NO_SIDE_EFFECTS__ */
export function truth(description?: string): Schema<boolean> {
  return schema({ type: "boolean" }, description);
}

/** A text that is one of `words`. Generators of clients make one type of it, unlike of a union of constants. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const Word extends string>(words: readonly Word[], description?: string): Schema<Word> {
  return schema({ type: "string", enum: words }, description);
}

/** For a member that is there only if it is `true`. */
/* @__NO_SIDE_EFFECTS__ */
export function onlyTrue(description?: string): Schema<true> {
  return schema({ type: "boolean", enum: [true] }, description);
}

/* @__NO_SIDE_EFFECTS__ */
export function anyOf<const Choices extends readonly Schema[]>(
  choices: Choices,
  description?: string,
): Schema<Shaped<Choices[number]>> {
  return schema({ anyOf: choices }, description);
}

/* @__NO_SIDE_EFFECTS__ */
export function orNull<Value>(described: Schema<Value>, description?: string): Schema<Value | null> {
  return anyOf([described, schema<null>({ type: "null" })], description);
}

/* @__NO_SIDE_EFFECTS__ */
export function listOf<Value>(items: Schema<Value>, description?: string): Schema<readonly Value[]> {
  return schema({ type: "array", items }, description);
}

/** A list with at least one item. */
/* @__NO_SIDE_EFFECTS__ */
export function someOf<Value>(
  items: Schema<Value>,
  description?: string,
): Schema<readonly [Value, ...Value[]]> {
  return schema({ type: "array", items, minItems: 1 }, description);
}

/** An object with these members, and maybe others. */
/* @__NO_SIDE_EFFECTS__ */
export function object<const Named extends Members>(
  properties: Named,
  keywords: Pick<Schema, "title" | "description"> = {},
): Schema<ShapedMembers<Named>> & { readonly properties: Named } {
  const required = Object.keys(properties).filter((name) => !("~optional" in (properties[name] as object)));
  const members = { type: "object", ...(required.length > 0 && { required }), properties };
  return schema<ShapedMembers<Named>>({ ...members, ...keywords }) as ReturnType<typeof object<Named>>;
}

/** An object with the members of another one, and more. */
/* @__NO_SIDE_EFFECTS__ */
export function extended<const Base extends Members, const More extends Members>(
  base: { readonly properties: Base },
  more: More,
  keywords: Pick<Schema, "title" | "description"> = {},
) {
  return object({ ...base.properties, ...more }, keywords);
}

/** An object with members of any name. */
/* @__NO_SIDE_EFFECTS__ */
export function mapOf<Value>(
  values: Schema<Value> | undefined,
  description?: string,
): Schema<Readonly<Record<string, Value>>> {
  return schema({ type: "object", properties: {}, additionalProperties: values ?? true }, description);
}

/** For a member that can be missing. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<Described extends Schema>(described: Described): Described & Optional {
  // Not enumerable, so that it is not a part of the JSON.
  return Object.defineProperty({ ...described }, "~optional", { value: true }) as Described & Optional;
}

/** Whether a value is one that the schema describes. */
export function matches<Value>(described: Schema<Value>, value: unknown): value is Value {
  const { type, enum: words, anyOf: choices, items, minItems = 0 } = described;
  if (choices) return choices.some((choice) => matches(choice, value));
  if (words) return words.includes(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "array")
    return (
      Array.isArray(value) &&
      value.length >= minItems &&
      value.every((item) => !items || matches(items, item))
    );
  return type === "object" ? hasMembers(described, value) : typeof value === type;
}

function hasMembers(
  { properties = {}, required = [], additionalProperties }: Schema,
  value: unknown,
): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members: Readonly<Record<string, unknown>> = { ...value };
  if (required.some((name) => members[name] === undefined)) return false;
  return Object.entries(members).every(([name, member]) => {
    const described = properties[name] ?? additionalProperties;
    return member === undefined || typeof described !== "object" || matches(described, member);
  });
}
