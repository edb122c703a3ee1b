/** Validators of JSON that also define its TypeScript type, so that the two always agree. */

/** Whether a value has a shape. */
export type Shape<Value> = (value: unknown) => value is Value;

/** What has passed a check. */
export type Shaped<Check> = Check extends Shape<infer Value> ? Value : never;

export const text: Shape<string> = (value) => typeof value === "string";
export const count: Shape<number> = (value) => typeof value === "number";
export const truth: Shape<boolean> = (value) => typeof value === "boolean";

export function oneOf<const Word extends string>(...words: readonly Word[]): Shape<Word> {
  return (value): value is Word => words.some((word) => word === value);
}

/** May be left out. */
export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || shape(value);
}

export function listOf<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.every(shape);
}

/** A list that is not empty. */
export function someOf<Value>(shape: Shape<Value>): Shape<readonly [Value, ...Value[]]> {
  const list = listOf(shape);
  return (value): value is readonly [Value, ...Value[]] => list(value) && value.length > 0;
}

/** An object with these members, whatever else it has. */
export function object<Members extends Readonly<Record<string, Shape<unknown>>>>(
  members: Members,
): Shape<{ readonly [Name in keyof Members]: Shaped<Members[Name]> }> {
  const checks = Object.entries(members);
  return (value): value is { readonly [Name in keyof Members]: Shaped<Members[Name]> } =>
    typeof value === "object" &&
    value !== null &&
    checks.every(([name, shape]) => shape(Object(value)[name]));
}
