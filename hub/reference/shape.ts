/** Formats a schema for the reference: `{"page"?:integer, "state":"sent|queued"}`. */
import type { TSchema } from "typebox";

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export function shapeOf(schema: TSchema): string {
  return shape(schema as Schema);
}

function shape(schema: Schema): string {
  if (schema.properties) return object(schema.properties, schema.required ?? []);
  if (schema.items) return `[${shape(schema.items)},…]`;
  const choices = choicesOf(schema);
  if (choices) return JSON.stringify(choices.join("|"));
  if (schema.anyOf) return schema.anyOf.map(shape).join(" or ");
  if (schema.type === "object") return "{…}";
  return schema.type ?? "…";
}

function object(properties: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? "" : "?";
    return `"${name}"${mark}:${shape(schema)}`;
  });
  return members.length ? `{${members.join(", ")}}` : "{…}";
}

/** The texts among which one is chosen. */
function choicesOf({ const: only, enum: listed, anyOf = [] }: Schema): readonly unknown[] | undefined {
  if (listed) return listed;
  if (only !== undefined) return [only];
  const constants = anyOf.filter((choice) => choice.const !== undefined);
  return constants.length > 0 && constants.length === anyOf.length
    ? constants.map((choice) => choice.const)
    : undefined;
}
