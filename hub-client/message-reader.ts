/**
 * Collects and parses the messages of the push channel, and frames the client's own
 * (docs/spec/hub-push.md#from-the-hub).
 */

import { Fault } from "../protocol/fault.js";
import { type HubMessage, PUSH_MEMBERS } from "../protocol/hub/push-messages.js";
import { type Json, JsonReader } from "../protocol/json.js";
import type { Random } from "../protocol/ports/runtime.js";
import {
  FINAL_BIT,
  LENGTH_IN_2_BYTES,
  LENGTH_IN_8_BYTES,
  LENGTH_OVER_2_BYTES,
  MASK_BIT,
  MASK_BYTES,
  TEXT,
} from "../protocol/websocket/frame-head.js";
import type { MessageSink } from "../protocol/websocket/frame-reader.js";
import { ByteCollector } from "./answer-head.js";
import type { HubClientPorts } from "./ports.js";

/**
 * Longest message that is read; longer ones are dropped while they arrive. The longest kind is a revocation list, of
 * which 90 keys fit: more would exceed the part of the heap that is reserved for unsolicited messages.
 */
const PUSH_MESSAGE_LIMIT_BYTES = 4096;

/** Longer messages are read only if there is memory for them; shorter ones use the reserve. */
const PUSH_SMALL_MESSAGE_BYTES = 512;

/** Copies of a message in memory: its buffer and the previous smaller one, its text, and the strings in it. */
const PUSH_MESSAGE_COPIES = 4;

/** Longest string in a pushed message: names, versions, ids and signatures are shorter. Queued commands store them. */
const PUSH_TEXT_LIMIT_CHARACTERS = 256;

/** Longest address in a pushed message. */
const PUSH_URL_LIMIT_CHARACTERS = 2048;

// Makes the frames that a client sends (RFC 6455 §5.2, §5.3), each with its own mask.

/**
 * @param payload less than 4 GiB
 * @param isFinal whether the frame ends its message
 */
export function maskedFrame(opcode: number, payload: Uint8Array, random: Random, isFinal = true): Uint8Array {
  const head = headBytes(payload.length);
  const frame = new Uint8Array(head + MASK_BYTES + payload.length);
  frame[0] = (isFinal ? FINAL_BIT : 0) | opcode;
  writeLength(frame, payload.length);
  const mask = frame.subarray(head, head + MASK_BYTES);
  random.getRandomValues(mask);
  const start = head + MASK_BYTES;
  for (let at = 0; at < payload.length; at++)
    frame[start + at] = (payload[at] as number) ^ (mask[at & 3] as number);
  return frame;
}

function headBytes(payloadBytes: number): number {
  if (payloadBytes < LENGTH_IN_2_BYTES) return 2;
  return payloadBytes < LENGTH_OVER_2_BYTES ? 4 : 10;
}

function writeLength(frame: Uint8Array, payloadBytes: number): void {
  const view = new DataView(frame.buffer);
  if (payloadBytes < LENGTH_IN_2_BYTES) view.setUint8(1, MASK_BIT | payloadBytes);
  else if (payloadBytes < LENGTH_OVER_2_BYTES) {
    view.setUint8(1, MASK_BIT | LENGTH_IN_2_BYTES);
    view.setUint16(2, payloadBytes);
  } else {
    view.setUint8(1, MASK_BIT | LENGTH_IN_8_BYTES);
    view.setUint32(6, payloadBytes);
  }
}

// Collects the messages of the push channel. Skips a message that is too long, not text, or finds no memory, without
// storing it: the channel allows 64 KiB, half of a console's heap.

interface CollectedMessages {
  /** Receives a text message, in UTF-8. */
  onText(bytes: Uint8Array): void;
  /** A message was skipped. */
  onUnread(fault: Fault): void;
}

export class MessageCollector implements MessageSink {
  readonly #to: CollectedMessages;
  readonly #ports: Pick<HubClientPorts, "hasRoom">;
  #isText = false;
  #hasRoom = true;
  #message: ByteCollector | undefined;

  constructor(ports: Pick<HubClientPorts, "hasRoom">, to: CollectedMessages) {
    this.#ports = ports;
    this.#to = to;
  }

  begin(opcode: number): void {
    this.#isText = opcode === TEXT;
    this.#hasRoom = true;
    this.#message = new ByteCollector(this.#isText ? PUSH_MESSAGE_LIMIT_BYTES : 0);
  }

  write(bytes: Uint8Array): void {
    const message = this.#message;
    if (!message || !this.#hasRoom) return;
    message.push(bytes);
    const { length } = message.join();
    if (length <= PUSH_SMALL_MESSAGE_BYTES) return;
    this.#hasRoom = this.#ports.hasRoom?.(PUSH_MESSAGE_COPIES * length) ?? true;
    if (!this.#hasRoom) message.drop();
  }

  end(): void {
    const message = this.#message;
    this.#message = undefined;
    if (!message) return;
    if (!this.#hasRoom) this.#to.onUnread(new Fault("busy", "Not enough memory for the hub's message"));
    else if (!this.#isText)
      this.#to.onUnread(new Fault("bad_json", "The hub sent a message that is not text"));
    else if (message.isOver) this.#to.onUnread(tooLong());
    else this.#to.onText(message.join());
  }
}

function tooLong(): Fault {
  return new Fault("body_too_large", `The hub sent a message over ${PUSH_MESSAGE_LIMIT_BYTES} bytes`);
}

/** Deepest nesting of arrays and objects: today's messages have none, later hubs may. */
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
   * @returns `undefined` for an unknown type, which a newer hub may send
   * @throws {Fault} `bad_json`, `bad_encoding`, `bad_parameter` for an invalid message
   */
  read(bytes: Uint8Array): HubMessage | undefined {
    const json = this.#json.read(bytes);
    if (typeof json !== "object" || json === null || Array.isArray(json))
      throw new Fault("bad_json", "A pushed message must be a JSON object");
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
        ...facts(members),
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
        ...facts(members),
      };
    case "device.claimed":
      return { type, claimed: claim(members) };
    default:
      return undefined;
  }
}

/** Optional (docs/spec/hub-push.md#command-id-optional). */
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

/** What a user is told of a file. */
function facts(members: Members): { readonly size_bytes?: number; readonly publisher?: string } {
  const { size_bytes: size, publisher } = members;
  if (size !== undefined && !isByteCount(size)) throw malformed("size_bytes", "a number of bytes");
  return {
    ...(size !== undefined && { size_bytes: size }),
    ...(publisher !== undefined && { publisher: text(members, "publisher") }),
  };
}

function isByteCount(value: Json): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
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
  return new Fault("bad_parameter", `"${name}" of a pushed message must be ${wanted}`);
}
