/**
 * Requests made by chance from the hub's OpenAPI description alone, as a stranger's program would make them: values that fit
 * the schemas, values at their edges, and values that do not fit.
 */
import fc from "fast-check";

/** The parts of JSON Schema that the description uses. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

/** The description with the named schemas in the places of the references to them. */
export function withoutReferences<Part>(part: Part, schemas: Readonly<Record<string, object>>): Part {
  const copy = JSON.stringify(part, (_name, member) => {
    const [, name = ""] = /^#\/components\/schemas\/(\w+)$/.exec(member?.$ref ?? "") ?? [];
    return name === "" ? member : schemas[name];
  });
  return JSON.parse(copy);
}

export interface DescribedRequest {
  /** Filled in, with its query. */
  readonly path: string;
  readonly json?: unknown;
}

/** Longest list and text: what the hub allows in most places, and one more. */
const LONG = 129;

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 2 ** 53, "", "\u0000", "me", "..", "%", [], {}, [
    [[]],
  ]),
  fc.string({ unit: "binary", maxLength: LONG }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Mostly fits. */
function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fittingValueFor(schema) }, { weight: 1, arbitrary: anything });
}

function fittingValueFor(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor));
  const {
    minimum = -1,
    maximum = 1000,
    minLength = 0,
    maxLength = LONG,
    minItems = 0,
    maxItems = 3,
  } = schema;
  switch (schema.type) {
    case "integer":
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum - 1, maximum + 1));
    case "number":
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(schema.items ? valueFor(schema.items) : anything, {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 3)),
      });
    case "object":
      return objectOf(schema);
    case "string":
      return fc.oneof(
        fc.string({
          minLength,
          maxLength: Math.max(minLength, Math.min(maxLength + 1, 4 * LONG)),
          unit: "grapheme",
        }),
        ...(schema.pattern === undefined ? [] : [fc.stringMatching(new RegExp(schema.pattern))]),
      );
    default:
      return anything;
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)] as const);
  return fc
    .tuple(
      fc.record(Object.fromEntries(members), { requiredKeys: [...required] }),
      fc.option(fc.constantFrom(...Object.keys(properties), "unknown"), { freq: 5 }),
    )
    .map(([record, changed]) => {
      const { [changed ?? ""]: left, ...rest } = record as Record<string, unknown>;
      return left === undefined && changed !== null ? { ...rest, [changed]: null } : rest; // one is missing, or too much
    });
}

/**
 * @param path as in the description
 * @param known values of parameters that exist, by name
 */
export function requestOf(
  path: string,
  { parameters = [], requestBody }: Operation,
  known: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<DescribedRequest> {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const schema = requestBody?.content["application/json"]?.schema;
  return fc
    .tuple(
      fc.tuple(...inPath.map((parameter) => inPathOf(parameter, known[parameter.name] ?? []))),
      fc.record(Object.fromEntries(inQuery.map(({ name, schema: of }) => [name, valueFor(of)])), {
        requiredKeys: [],
      }),
      schema ? fc.option(valueFor(schema), { nil: undefined, freq: 10 }) : fc.constant(undefined),
    )
    .map(([parts, query, json]) => {
      let filled = path;
      for (const [at, { name }] of inPath.entries())
        filled = filled.replace(`{${name}}`, () => `${parts[at]}`);
      const text = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
      return {
        path: text.length > 0 ? `${filled}?${text.join("&")}` : filled,
        ...(json !== undefined && { json }),
      };
    });
}

function inPathOf({ schema }: Parameter, known: readonly string[]): fc.Arbitrary<string> {
  const made = valueFor(schema)
    .map(encoded)
    .filter((text) => !/^\.{0,2}$/.test(text));
  return known.length > 0 ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, made) : made;
}

/** Lone surrogates have no encoding. */
function encoded(value: unknown): string {
  return encodeURIComponent(
    (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\p{Cs}/gu, "\uFFFD"),
  );
}
