/** Frames of the WebSocket (RFC 6455 §5.2) of up to 125 bytes to send, and of any length to receive. */
import type { ArrivedBytes } from "./arrived-bytes.js";
import { type ClientFrame, OPCODES, type Opcode } from "./scene.js";

export interface Frame {
  readonly opcode: Opcode;
  readonly payload: Buffer;
}

const FINAL_BIT = 0x80;
const MASK_BIT = 0x80;
const LENGTH_IN_2_BYTES = 126;
/** Any four bytes do; the same ones each time make the same request each time. */
const MASKING_KEY = Uint8Array.of(0x12, 0x34, 0x56, 0x78);

export function clientFrame({ opcode, payload = "", isMasked = true }: ClientFrame): Uint8Array {
  const bytes = Buffer.from(payload, "latin1");
  const first = FINAL_BIT | OPCODES[opcode];
  if (!isMasked) return Buffer.concat([Uint8Array.of(first, bytes.length), bytes]);
  const hidden = bytes.map((byte, index) => byte ^ (MASKING_KEY[index & 3] as number));
  return Buffer.concat([Uint8Array.of(first, MASK_BIT | bytes.length), MASKING_KEY, hidden]);
}

/** The next frame of a console: whole, unmasked, its length in as few bytes as will do. */
export async function readFrame(arrived: ArrivedBytes): Promise<Frame> {
  const frame = await arrived.take((bytes) => (bytes.length < 4 ? shortLength(bytes) : frameLength(bytes)));
  const [first = 0, second = 0] = frame;
  const opcode = (Object.keys(OPCODES) as Opcode[]).find((name) => (OPCODES[name] | FINAL_BIT) === first);
  const payload = frame.subarray(second < LENGTH_IN_2_BYTES ? 2 : 4);
  const isShortest = second < LENGTH_IN_2_BYTES || payload.length >= LENGTH_IN_2_BYTES;
  if (!opcode || !isShortest) throw new Error(`No frame of a console begins like ${frame.toString("hex")}`);
  return { opcode, payload };
}

/** Of a frame that has come in full before its fourth byte. */
function shortLength(bytes: Buffer): number | undefined {
  const length = bytes[1];
  return length !== undefined && length < 2 ? 2 + length : undefined;
}

function frameLength(bytes: Buffer): number {
  const length = bytes[1] ?? 0;
  if (length > LENGTH_IN_2_BYTES) throw new Error("No frame of a console is masked, or has 64 KiB");
  return length === LENGTH_IN_2_BYTES ? 4 + bytes.readUInt16BE(2) : 2 + length;
}

/** Like `ping, 5 bytes: hello`; the payload of a close frame is its code (RFC 6455 §5.5.1). */
export function shownFrame({
  opcode,
  payload = "",
  isMasked = true,
}: ClientFrame | (Frame & { isMasked?: boolean })): string {
  const bytes = Buffer.from(payload as string, "latin1");
  const isCode = opcode === "close" && bytes.length >= 2;
  const shown = isCode ? `${bytes.readUInt16BE()}${bytes.subarray(2)}` : String(bytes);
  return `${opcode}${isMasked ? "" : " without a mask"} ${shown}`.trimEnd();
}
