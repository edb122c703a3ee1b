/** The parsers in a row, as a connection uses them, without one: bytes to requests. */
import type { RequestHead } from "../../../../device/services/http/request-head.js";
import { Fault } from "../../../../protocol/fault.js";
import { bodyReader } from "../../../../protocol/http/body-reader.js";
import { HeadReader } from "../../../../protocol/http/head-reader.js";
import { headParser } from "./head.js";

interface Message {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly isComplete: boolean;
}

export interface Reading {
  readonly messages: readonly Message[];
  /** Why reading ended before the bytes did. */
  readonly refusal?: Fault;
  /** Bytes of a head that has not ended. */
  readonly hasRest: boolean;
}

const decoder = new TextDecoder("latin1");
const parser = headParser();

/** Reads until the bytes end, one is refused, or the client asked to close. Anything but a Fault escapes. */
export function readMessages(wire: Uint8Array): Reading {
  const messages: Message[] = [];
  const reader = new HeadReader();
  let rest = wire;
  try {
    while (rest.length > 0) {
      rest = rest.subarray(reader.push(rest));
      if (!reader.head) return { messages, hasRest: !reader.isEmpty };
      const head = parser.parseWhole(reader.head);
      reader.reset();
      const { body, isComplete, taken } = readBody(head, rest);
      rest = rest.subarray(taken);
      messages.push({ method: head.method, target: head.target, body, isComplete });
      if (!head.isPersistent) break;
    }
    return { messages, hasRest: false };
  } catch (refusal) {
    if (refusal instanceof Fault) return { messages, refusal, hasRest: false };
    throw refusal;
  }
}

function readBody({ framing }: RequestHead, bytes: Uint8Array) {
  if (framing.kind === "none") return { body: "", isComplete: true, taken: 0 };
  const reader = bodyReader(framing);
  let body = "";
  const taken = reader.push(bytes, {
    write(content) {
      body += decoder.decode(content);
    },
  });
  return { body, isComplete: reader.isComplete, taken };
}
