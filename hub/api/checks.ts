/**
 * Validates requests against the schemas of their row. Converts path and query texts to the schema's types, strictly: a
 * number consists of digits only. Ignores parameters that the schema does not name.
 */
import { IsObject, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Fault } from "../../protocol/fault.js";

/**
 * Parses a query such as `page=2&q=tetris` (docs/spec/conventions.md#parameter-encoding). A `+` is a space, as forms
 * and URLSearchParams write it.
 * @throws {Fault} `bad_encoding` unless it is percent-encoded UTF-8, `duplicate_parameter`
 */
function parseQuery(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (values.has(name)) throw new Fault("duplicate_parameter", `Parameter "${name}" occurs twice`);
    values.set(name, equals < 0 ? "" : decode(pair.slice(equals + 1)));
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new Fault("bad_encoding", `"${text}" is not percent-encoded UTF-8`, { cause });
  }
}

const WHOLE_NUMBER = /^[0-9]{1,15}$/;
const DECIMAL_NUMBER = /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/;

/** One schema, compiled. */
export class Check {
  readonly #validator: Validator;
  readonly #properties: readonly (readonly [string, TSchema])[];
  #none: unknown;

  constructor(schema: TSchema) {
    this.#validator = Compile(schema) as unknown as Validator;
    this.#properties = IsObject(schema) ? Object.entries(schema.properties) : [];
  }

  /**
   * @param textOf returns the text of a parameter, `undefined` if it is missing
   * @throws {Fault} `missing_parameter`, `bad_parameter`
   */
  texts(textOf: (name: string) => string | undefined): unknown {
    const values: Record<string, unknown> = {};
    for (const [name, schema] of this.#properties) {
      const text = textOf(name);
      if (text !== undefined) values[name] = valueOfText(text, schema);
    }
    return this.value(values);
  }

  /** The value where no parameter is given: checked once, since most requests have none. @throws {Fault} as `texts` */
  get none(): unknown {
    this.#none ??= Object.freeze(this.value({}));
    return this.#none;
  }

  /** @throws {Fault} `missing_parameter`, `bad_parameter` */
  value(value: unknown): unknown {
    if (!this.#validator.Check(value)) throw refusal(this.#validator.Errors(value));
    return value;
  }
}

/** Rejects duplicate names even where a row takes no parameters. */
export function checkedQuery(text: string, check: Check | undefined): unknown {
  if (text === "") return check ? check.none : {};
  const values = parseQuery(text);
  return check ? check.texts((name) => values.get(name)) : {};
}

/** Leaves a text unchanged if it is not of the schema's type; the schema then rejects it. */
function valueOfText(text: string, schema: TSchema): unknown {
  const { type } = schema as { readonly type?: string };
  if (type === "integer" && WHOLE_NUMBER.test(text)) return Number(text);
  if (type === "number" && DECIMAL_NUMBER.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly SchemaError[];
}

/** One violation, as TypeBox reports it. */
interface SchemaError {
  readonly keyword: string;
  /** A JSON pointer (RFC 6901): `/steps/0/percent`. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

function refusal(errors: readonly SchemaError[]): Fault {
  const error = errors[0] as SchemaError;
  const at = error.instancePath.slice(1).replaceAll("/", ".");
  if (error.keyword === "required") {
    const [name = ""] = error.params["requiredProperties"] as readonly string[];
    return new Fault("missing_parameter", `"${at ? `${at}.` : ""}${name}" is missing`);
  }
  const subject = at ? `"${at}"` : "The request";
  return new Fault("bad_parameter", `${subject} ${expectation(error)}`);
}

function expectation({ keyword, message, params }: SchemaError): string {
  if (keyword === "boolean") return "is not known here"; // unknown members have the schema `false`
  if (keyword !== "enum") return message;
  const choices = params["allowedValues"] as readonly unknown[];
  return `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
}
