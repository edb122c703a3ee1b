/** Answers of HTTP/1.1 cut out of the bytes of a connection, checked against what they say of their length. */
import type { ArrivedBytes } from "./arrived-bytes.js";
import { masked } from "./masks.js";
import { readable } from "./visible-bytes.js";

export interface HttpAnswer {
  /** With its empty line. */
  readonly head: string;
  readonly body: Buffer;
}

/** The next answer; one that is interim (RFC 9110 §15.2) is an answer too. */
export async function readAnswer(arrived: ArrivedBytes, method: string): Promise<HttpAnswer> {
  const head = String(await arrived.take((bytes) => afterText(bytes, "\r\n\r\n")));
  return { head, body: await readBody(arrived, head, method) };
}

export const isInterim = ({ head }: HttpAnswer) => /^HTTP\/1.1 1/.test(head);
export const closes = ({ head }: HttpAnswer) => /^connection: close\r$/m.test(head);

/** RFC 9112 §6.3. */
async function readBody(arrived: ArrivedBytes, head: string, method: string): Promise<Buffer> {
  if (method === "HEAD" || /^HTTP\/1.1 (1..|204|304)/.test(head)) return Buffer.alloc(0);
  if (/^transfer-encoding: chunked\r$/m.test(head)) return readChunks(arrived);
  const length = /^content-length: ([0-9]+)\r$/m.exec(head)?.[1];
  return length === undefined ? arrived.rest() : arrived.take(() => Number(length));
}

async function readChunks(arrived: ArrivedBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const line = String(await arrived.take((bytes) => afterText(bytes, "\r\n")));
    if (!/^[0-9A-Fa-f]+\r\n$/.test(line)) throw new Error(`${JSON.stringify(line)} is not a chunk size`);
    const byteLength = Number.parseInt(line, 16);
    const chunk = await arrived.take(() => byteLength + 2);
    if (String(chunk.subarray(byteLength)) !== "\r\n") throw new Error("A chunk does not end where it says");
    if (byteLength === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, byteLength));
  }
}

/** Where the text ends, once it is there. */
function afterText(bytes: Buffer, text: string): number | undefined {
  const at = bytes.indexOf(text);
  return at < 0 ? undefined : at + text.length;
}

/**
 * The answer's text without what may differ. Its length, which was right or it could not have been read, becomes that
 * of what is shown: an uptime of one digit more makes it another one. Of chunks, which follow from it, the content.
 */
export function maskedAnswer({ head, body }: HttpAnswer): string {
  const before = readable(body);
  const shown = masked(before);
  const length = `content-length: ${Buffer.byteLength(shown)}`;
  return (shown === before ? head : head.replace(/^content-length: [0-9]+/m, length)) + shown;
}
