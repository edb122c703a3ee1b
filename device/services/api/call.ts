/**
 * A request to an endpoint, with checked parameters: a value that does not have the declared type is a `bad_parameter`
 * that names the parameter. Undeclared parameters are ignored.
 */
import { Fault } from "../../../protocol/fault.js";
import type { ParameterValue, Request } from "./request.js";

export interface Parameter {
  readonly name: string;
  readonly type: "text" | "integer" | "flag";
  readonly isRequired?: boolean;
}

/** A parameter, and what the reference documentation says of it. */
export interface DocumentedParameter extends Parameter {
  readonly summary: string;
}

const DIGITS = /^[0-9]{1,15}$/;
/** The largest number in so many digits. */
export const INTEGER_LIMIT = 999_999_999_999_999;

/** Parameters of one request, checked against the endpoint's declaration. */
export class Parameters {
  readonly #values: ReadonlyMap<string, ParameterValue>;

  /** @throws {Fault} `missing_parameter` or `bad_parameter` */
  constructor(declared: readonly Parameter[], values: ReadonlyMap<string, ParameterValue>) {
    for (let index = 0; index < declared.length; index++) {
      const parameter = declared[index] as Parameter;
      check(parameter, values.get(parameter.name));
    }
    this.#values = values;
  }

  /** Number of parameters in the request, undeclared ones included. */
  get count(): number {
    return this.#values.size;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "number" ? String(value) : value;
  }

  integer(name: string): number | undefined {
    const value = this.#values.get(name);
    return typeof value === "string" ? Number(value) : value;
  }

  flag(name: string): boolean | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : value === "true";
  }
}

function check({ name, type, isRequired }: Parameter, value: ParameterValue | undefined): void {
  if (value === undefined) {
    if (isRequired) throw new Fault("missing_parameter", `Parameter "${name}" is missing`);
    return;
  }
  if (type === "integer" && typeof value === "string" && !DIGITS.test(value))
    throw new Fault("bad_parameter", `Parameter "${name}" must be a whole number`);
  if (type === "flag" && value !== "true" && value !== "false")
    throw new Fault("bad_parameter", `Parameter "${name}" must be "true" or "false"`);
}

/** The names of all parameters that `endpoints` declare, each once. */
export function parameterNames(
  endpoints: readonly { readonly parameters?: readonly Parameter[] }[],
): readonly string[] {
  const names = endpoints.flatMap(({ parameters }) => parameters ?? []).map(({ name }) => name);
  return [...new Set(names)];
}

/** A request with its checked parameters. */
export interface Call {
  readonly request: Request;
  readonly parameters: Parameters;
}
