/**
 * A request in JSON (docs/spec/usb.md#request), and its API call. The parameters of a request are those of the path's
 * query, of `params`, and of a chunk; a parameter that is named twice is refused, as over HTTP.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Json } from "../../../protocol/json-value.js";
import type { Base64 } from "../../../protocol/ports/bytes.js";
import type { Request } from "../api/request.js";
import { parseTarget } from "../http/request-target.js";

export type JsonObject = { readonly [name: string]: Json | undefined };

/** Members of a request (docs/spec/usb.md#request). */
export const REQUEST_MEMBERS: readonly string[] = Object.freeze([
  ...["jsonrpc", "id", "method", "path", "params"],
  ...["chunk", "total", "data"],
]);

export interface RequestWithBody {
  readonly request: Request;
  /** The bytes of a chunk. */
  readonly body: Uint8Array | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The id to answer with: an integer, or `null` where there is none. */
export function idOf(object: JsonObject): number | null {
  return isInteger(object["id"]) ? object["id"] : null;
}

/** Whether the object carries all that makes a chunk, which lets its line be longer. */
export function isChunk(object: JsonObject): boolean {
  return object["chunk"] !== undefined && object["total"] !== undefined && object["data"] !== undefined;
}

/**
 * @param parameterNames members of `params` that mean something; others are ignored
 * @param taken the bytes of a chunk, where they were taken out of `object`, whose data is then empty
 * @throws {Fault} `bad_request` for what is not a request, `bad_parameter`, `duplicate_parameter`,
 *   `bad_encoding` for data that is not base64 and paths that are not percent-encoded UTF-8
 */
export function readRequest(
  object: JsonObject,
  parameterNames: readonly string[],
  base64: Base64,
  taken?: Uint8Array,
): RequestWithBody {
  const { jsonrpc, method, path } = object;
  if (jsonrpc !== "2.0") throw new Fault("bad_request", 'A request takes "jsonrpc":"2.0"');
  if (!isInteger(object["id"])) throw new Fault("bad_request", 'A request takes an integer as its "id"');
  if (typeof method !== "string" || method === "")
    throw new Fault("bad_request", 'A request takes a verb as its "method"');
  if (typeof path !== "string" || !path.startsWith("/"))
    throw new Fault("bad_request", 'A request takes a "path" that begins with "/"');
  const target = parseTarget(path);
  if (object["params"] === undefined && !isPartOfChunk(object))
    return {
      request: {
        transport: "usb",
        isOwner: true,
        method,
        path: target.path,
        parameters: target.parameters,
        bodyByteLength: 0,
      },
      body: undefined,
    };
  const parameters = new Map(target.parameters);
  addParameters(parameters, object["params"], parameterNames);
  const body = readChunk(parameters, object, base64, taken);
  const bodyByteLength = body?.length ?? 0;
  return {
    request: { transport: "usb", isOwner: true, method, path: target.path, parameters, bodyByteLength },
    body,
  };
}

function isPartOfChunk({ chunk, total, data }: JsonObject): boolean {
  return chunk !== undefined || total !== undefined || data !== undefined;
}

function addParameters(
  parameters: Map<string, string>,
  params: Json | undefined,
  names: readonly string[],
): void {
  if (params === undefined) return;
  if (!isObject(params)) throw new Fault("bad_request", 'A request takes an object as its "params"');
  for (const name of Object.keys(params))
    if (names.includes(name)) add(parameters, name, textOf(name, params[name]));
}

/** Moves `chunk` and `total` to the parameters, where there are any. @returns the bytes of `data` */
function readChunk(
  parameters: Map<string, string>,
  object: JsonObject,
  base64: Base64,
  taken: Uint8Array | undefined,
): Uint8Array | undefined {
  if (!isPartOfChunk(object)) return undefined;
  const { chunk, total, data } = object;
  if (!isInteger(chunk) || !isInteger(total) || typeof data !== "string")
    throw new Fault("bad_request", 'A chunk takes integers as "chunk" and "total", and text as "data"');
  add(parameters, "chunk", String(chunk));
  add(parameters, "total", String(total));
  try {
    return taken ?? new Uint8Array(base64.decode(data));
  } catch (cause) {
    throw new Fault("bad_encoding", '"data" is not base64', { cause });
  }
}

function add(parameters: Map<string, string>, name: string, text: string): void {
  if (parameters.has(name)) throw new Fault("duplicate_parameter", `Parameter "${name}" is there twice`);
  parameters.set(name, text);
}

function textOf(name: string, value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new Fault("bad_parameter", `Parameter "${name}" takes text, a number, true or false`);
}

function isInteger(value: Json | undefined): value is number {
  return Number.isSafeInteger(value);
}
