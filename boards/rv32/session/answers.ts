/** Extracts responses from the output of a connection. */
import type { Await } from "./script.js";

const CLOSE = 8;
const TEXT = 1;
const FINAL_BIT = 0x80;
const LENGTH_IN_2_BYTES = 126;

/** One response: its length in bytes, its body, and the value to compare with an expectation. */
type Answer = { readonly end: number; readonly text: string; readonly value: unknown };

/** The console's response is not the expected one. */
export class AnswerError extends Error {
  override name = "AnswerError";
}

export function unexpected(came: Buffer | string, wanted: string): AnswerError {
  return new AnswerError(`expected ${wanted}, and what came is ${JSON.stringify(String(came))}`);
}

/**
 * @param bytes that start with the response
 * @returns the response; its value is a status and a body, or the text or code of a frame
 * @throws {AnswerError} for an invalid or incomplete response
 */
export function readAnswer(what: Exclude<Await["what"], "text">, bytes: Buffer): Answer {
  switch (what) {
    case "http":
      return readHttpAnswer(bytes);
    case "lines":
      return readLine(bytes);
    case "frames":
      return readFrame(bytes);
  }
}

function readHttpAnswer(bytes: Buffer): Answer {
  const bodyAt = bytes.indexOf("\r\n\r\n") + 4;
  const head = String(bytes.subarray(0, bodyAt));
  const [, status] = /^HTTP\/1\.1 ([0-9]{3}) /.exec(head) ?? [];
  const [, length] = /^content-length: ([0-9]+)\r$/m.exec(head) ?? [];
  const end = bodyAt + Number(length);
  if (status === undefined || length === undefined || end > bytes.length)
    throw unexpected(bytes, "an answer of HTTP");
  const body = String(bytes.subarray(bodyAt, end));
  return { end, text: head + body, value: { status: Number(status), body: parse(body) } };
}

function readLine(bytes: Buffer): Answer {
  const end = bytes.indexOf("\n") + 1;
  if (end === 0) throw unexpected(bytes, "a line");
  const text = String(bytes.subarray(0, end));
  return { end, text, value: parse(text) };
}

/** A frame of a console, complete and unmasked (RFC 6455 §5.2). */
function readFrame(bytes: Buffer): Answer {
  const [first = 0, second = 0] = bytes;
  const isLong = second === LENGTH_IN_2_BYTES;
  const start = isLong ? 4 : 2;
  if (second > LENGTH_IN_2_BYTES || bytes.length < start) throw unexpected(bytes, "a frame");
  const end = start + (isLong ? bytes.readUInt16BE(2) : second);
  if (end > bytes.length) throw unexpected(bytes, "a whole frame");
  const payload = bytes.subarray(start, end);
  const opcode = first & ~FINAL_BIT;
  if (opcode === TEXT) return { end, text: String(payload), value: { text: String(payload) } };
  if (opcode !== CLOSE || payload.length < 2) throw unexpected(bytes, "a text, or the end");
  const closeCode = payload.readUInt16BE();
  return { end, text: `close ${closeCode}`, value: { closeCode } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // an unexpected response, which is shown unchanged
  }
}
