/** Parses a query as docs/spec/conventions.md#parameter-encoding requires: strictly, without duplicates. */
import { Fault } from "../../protocol/fault.js";

/**
 * Names and values of `page=2&q=tetris`. A `+` is a space, as in what forms and URLSearchParams write.
 * @throws {Fault} `bad_encoding` for what is not percent-encoded UTF-8, `duplicate_parameter`
 */
export function parseQuery(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (values.has(name)) throw new Fault("duplicate_parameter", `Parameter "${name}" is there twice`);
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
