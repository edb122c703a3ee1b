/** Parses the text of a pushed message (docs/spec/hub-push.md#from-the-hub). */
import { Fault } from "../protocol/fault.js";
import { type HubMessage, PUSH_MEMBERS } from "../protocol/hub/push-messages.js";
import { JsonReader } from "../protocol/json.js";
import type { Json } from "../protocol/json-value.js";
import { PUSH_MESSAGE_LIMIT_BYTES, PUSH_TEXT_LIMIT_CHARACTERS, PUSH_URL_LIMIT_CHARACTERS } from "./limits.js";

/** Arrays and objects within each other: our messages have none, those of later hubs may. */
const DEPTH_LIMIT = 8;
const VALUES_LIMIT = 128;

type Members = Readonly<Record<string, Json | undefined>>;

export class MessageReader {
  readonly #json = new JsonReader({
    byteLength: PUSH_MESSAGE_LIMIT_BYTES,
    depth: DEPTH_LIMIT,
    values: VALUES_LIMIT,
    names: PUSH_MEMBERS,
  });

  /**
   * @returns `undefined` for a type that is not known here: hubs grow
   * @throws {Fault} `bad_json`, `bad_encoding`, `bad_parameter` for what is no message
   */
  read(bytes: Uint8Array): HubMessage | undefined {
    const json = this.#json.read(bytes);
    if (typeof json !== "object" || json === null || Array.isArray(json))
      throw new Fault("bad_json", "A pushed message is a JSON object");
    return readMessage(json as Members);
  }
}

function readMessage(members: Members): HubMessage | undefined {
  const type = text(members, "type");
  switch (type) {
    case "app.install":
      return {
        type,
        ...commandId(members),
        app_id: text(members, "app_id"),
        ...versionAndUrl(members),
        ...downgrade(members),
      };
    case "keys.revoke":
      return { type, ...commandId(members), list: text(members, "list", PUSH_MESSAGE_LIMIT_BYTES) };
    case "token.rotate":
    case "token.accepted":
      return { type, command_id: text(members, "command_id") };
    case "app.uninstall":
      return { type, ...commandId(members), app_id: text(members, "app_id") };
    case "firmware.update":
      return {
        type,
        ...commandId(members),
        ...versionAndUrl(members),
        signature: text(members, "signature"),
      };
    case "device.claimed":
      return { type, claimed: claim(members) };
    default:
      return undefined;
  }
}

/** A hub may leave it out (docs/spec/hub-push.md#command-id-optional). */
function commandId(members: Members): { readonly command_id?: string } {
  return members["command_id"] === undefined ? {} : { command_id: text(members, "command_id") };
}

interface VersionAndUrl {
  readonly version: string;
  readonly download_url: string;
  readonly download_url_signature?: string;
}

function versionAndUrl(members: Members): VersionAndUrl {
  const signature = "download_url_signature";
  return {
    version: text(members, "version"),
    download_url: text(members, "download_url", PUSH_URL_LIMIT_CHARACTERS),
    ...(members[signature] !== undefined && { download_url_signature: text(members, signature) }),
  };
}

function downgrade(members: Members): { readonly downgrade?: boolean } {
  const value = members["downgrade"];
  if (value === undefined) return {};
  if (typeof value !== "boolean") throw malformed("downgrade", "true or false");
  return { downgrade: value };
}

function claim(members: Members): boolean {
  const claimed = members["claimed"];
  if (typeof claimed !== "boolean") throw malformed("claimed", "true or false");
  return claimed;
}

function text(members: Members, name: string, limit = PUSH_TEXT_LIMIT_CHARACTERS): string {
  const value = members[name];
  if (typeof value !== "string" || value === "") throw malformed(name, "a text");
  if (value.length > limit) throw malformed(name, `at most ${limit} characters`);
  return value;
}

function malformed(name: string, wanted: string): Fault {
  return new Fault("bad_parameter", `"${name}" of a pushed message takes ${wanted}`);
}
