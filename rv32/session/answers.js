/** Answers cut out of what a connection has said, each held against what it has to be. */

const CLOSE = 8;
const TEXT = 1;
const FINAL_BIT = 0x80;
const LENGTH_IN_2_BYTES = 126;

/** @typedef {import("./script.js").ExpectedAnswer} ExpectedAnswer */
/** @typedef {import("./script.js").ExpectedFrame} ExpectedFrame */

/** What the console says is not what it had to say. */
export class AnswerError extends Error {
  /** @override */
  name = "AnswerError";
}

/** @param {Buffer} bytes @param {string} text @returns {Buffer} what comes after it */
export function takeText(bytes, text) {
  const at = bytes.indexOf(text);
  if (at < 0) throw unexpected(bytes, JSON.stringify(text));
  return bytes.subarray(at + Buffer.byteLength(text));
}

/** @param {Buffer} bytes @param {ExpectedAnswer} expected @returns {Buffer} what comes after it */
export function takeHttpAnswer(bytes, expected) {
  const bodyAt = bytes.indexOf("\r\n\r\n") + 4;
  const head = String(bytes.subarray(0, bodyAt));
  const [, status] = /^HTTP\/1\.1 ([0-9]{3}) /.exec(head) ?? [];
  const [, length] = /^content-length: ([0-9]+)\r$/m.exec(head) ?? [];
  const end = bodyAt + Number(length);
  if (status === undefined || length === undefined || end > bytes.length)
    throw unexpected(bytes, "an answer of HTTP");
  const text = String(bytes.subarray(bodyAt, end));
  requireMatch({ status: Number(status), body: parse(text) }, expected, head + text);
  return bytes.subarray(end);
}

/** @param {Buffer} bytes @param {ExpectedAnswer} expected @returns {Buffer} what comes after it */
export function takeLine(bytes, expected) {
  const end = bytes.indexOf("\n");
  if (end < 0) throw unexpected(bytes, "a line");
  const line = String(bytes.subarray(0, end));
  requireMatch(parse(line), expected, line);
  return bytes.subarray(end + 1);
}

/** @param {Buffer} bytes @param {ExpectedFrame} expected @returns {Buffer} what comes after it */
export function takeFrame(bytes, expected) {
  const { opcode, payload, end } = readFrame(bytes);
  const holds =
    "text" in expected
      ? opcode === TEXT && expected.text.test(String(payload))
      : opcode === CLOSE && payload.length >= 2 && payload.readUInt16BE() === expected.closeCode;
  const wanted = "text" in expected ? `a text like ${expected.text}` : `a close of ${expected.closeCode}`;
  if (!holds) throw unexpected(bytes.subarray(0, end), wanted);
  return bytes.subarray(end);
}

/** A frame of a console, whole and unmasked (RFC 6455 §5.2). @param {Buffer} bytes */
function readFrame(bytes) {
  const [first = 0, second = 0] = bytes;
  const isLong = second === LENGTH_IN_2_BYTES;
  if (second > LENGTH_IN_2_BYTES || bytes.length < (isLong ? 4 : 2)) throw unexpected(bytes, "a frame");
  const start = isLong ? 4 : 2;
  const end = start + (isLong ? bytes.readUInt16BE(2) : second);
  if (end > bytes.length) throw unexpected(bytes, "a whole frame");
  return { opcode: first & ~FINAL_BIT, payload: bytes.subarray(start, end), end };
}

/** @param {unknown} answer @param {ExpectedAnswer} expected @param {string} text */
function requireMatch(answer, expected, text) {
  if (!contains(answer, expected)) throw unexpected(text, JSON.stringify(expected));
}

/** Whether all that is in `part` is in `whole`. @param {unknown} whole @param {unknown} part @returns {boolean} */
function contains(whole, part) {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  const members = new Map(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => contains(members.get(name), value));
}

/** @param {string} text @returns {unknown} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // which is no answer that is expected, and is shown as it came
  }
}

/** @param {Buffer | string} came @param {string} wanted */
function unexpected(came, wanted) {
  return new AnswerError(`expected ${wanted}, and what came is ${JSON.stringify(String(came))}`);
}
