/**
 * DNS messages as lines of text, through the dns-packet of npm: a second opinion on every byte that is sent
 * and the maker of what is received. A record reads `console.local A 10.0.0.1 120 flush`, a question
 * `console.local ANY` with `QU` behind it where a unicast answer is wanted.
 */
import { createRequire } from "node:module";

interface PacketEntry {
  readonly name: string;
  readonly type: string;
  readonly class?: string;
  readonly ttl?: number;
  readonly flush?: boolean;
  readonly data?: unknown;
}

interface Packet {
  readonly id?: number;
  readonly type?: string;
  readonly flags?: number;
  readonly questions?: readonly PacketEntry[];
  readonly answers?: readonly PacketEntry[];
  readonly authorities?: readonly PacketEntry[];
  readonly additionals?: readonly PacketEntry[];
}

const packets = createRequire(import.meta.url)("dns-packet") as {
  encode(packet: Packet): Uint8Array;
  decode(bytes: Uint8Array): Packet;
};

const FLAG_AUTHORITATIVE = 0x400;
const FLAG_TRUNCATED = 0x200;
const UNICAST_CLASS = "UNKNOWN_32769";

/** A message as text. */
export interface Message {
  readonly id: number;
  readonly isResponse: boolean;
  readonly isTruncated: boolean;
  readonly questions: readonly string[];
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly additionals: readonly string[];
}

export function readMessage(bytes: Uint8Array): Message {
  const packet = packets.decode(Buffer.from(bytes));
  return {
    id: packet.id ?? 0,
    isResponse: packet.type === "response",
    isTruncated: ((packet.flags ?? 0) & FLAG_TRUNCATED) !== 0,
    questions: (packet.questions ?? []).map(
      ({ name, type, class: classText }) =>
        `${escaped(name)} ${type}${classText === UNICAST_CLASS ? " QU" : ""}`,
    ),
    answers: (packet.answers ?? []).map(recordText),
    authorities: (packet.authorities ?? []).map(recordText),
    additionals: (packet.additionals ?? []).map(recordText),
  };
}

/** Makes a message of the same lines. Names hold no spaces here but those written `\\032`. */
export function writeMessage(message: Partial<Message>): Uint8Array {
  const { id = 0, isResponse = false, isTruncated = false } = message;
  const bytes = packets.encode({
    id,
    type: isResponse ? "response" : "query",
    flags: (isResponse ? FLAG_AUTHORITATIVE : 0) | (isTruncated ? FLAG_TRUNCATED : 0),
    questions: (message.questions ?? []).map(questionOf),
    answers: (message.answers ?? []).map(recordOf),
    authorities: (message.authorities ?? []).map(recordOf),
    additionals: (message.additionals ?? []).map(recordOf),
  });
  return markUnicast(new Uint8Array(bytes), message.questions ?? []);
}

/** Sets the top bit of the class to request a unicast answer, which dns-packet cannot. */
function markUnicast(bytes: Uint8Array, questions: readonly string[]): Uint8Array {
  let at = 12;
  for (const question of questions) {
    while (bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
    if (question.endsWith(" QU")) bytes[at + 3] = 0x80;
    at += 5;
  }
  return bytes;
}

export const query = (...questions: readonly string[]) => writeMessage({ questions });
export const response = (...answers: readonly string[]) => writeMessage({ isResponse: true, answers });

function questionOf(line: string): PacketEntry {
  const [name = "", type = ""] = fieldsOf(line);
  return { name, type, class: "IN" };
}

function recordOf(line: string): PacketEntry {
  const [name = "", type = "", text = "", ttl = "", flush] = fieldsOf(line);
  return { name, type, class: "IN", ttl: Number(ttl), flush: flush === "flush", data: dataOf(type, text) };
}

function fieldsOf(line: string): string[] {
  return line.split(" ").map((field) => field.replaceAll("\\032", " "));
}

function recordText(record: PacketEntry): string {
  const fields = [record.name, record.type, dataText(record.type, record.data), String(record.ttl)];
  if (record.flush) fields.push("flush");
  return fields.map(escaped).join(" ");
}

function escaped(field: string): string {
  return field.replaceAll(" ", "\\032");
}

interface ServiceTarget {
  readonly port: number;
  readonly target: string;
}

function dataText(type: string, data: unknown): string {
  if (type === "SRV") return `${(data as ServiceTarget).target}:${(data as ServiceTarget).port}`;
  if (type === "TXT") return (data as Uint8Array[]).map((string) => String(Buffer.from(string))).join(";");
  if (type === "NSEC") return (data as { rrtypes: string[] }).rrtypes.join(",");
  return String(data);
}

function dataOf(type: string, text: string): unknown {
  const [target = "", port = ""] = text.split(":");
  if (type === "SRV") return { priority: 0, weight: 0, port: Number(port), target };
  if (type === "TXT") return text.split(";");
  if (type === "NSEC") return { nextDomain: "x.local", rrtypes: text.split(",") };
  return text;
}
