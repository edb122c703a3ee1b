/** Frames as clients send them, the ones that no client should send included; and frames as they receive them. */

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface ClientFrame {
  readonly opcode: number;
  readonly payload?: Uint8Array | string;
  readonly isFinal?: boolean;
  /** The three reserved bits, 0 to 7. */
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** Bytes that the length takes: the fewest, where this is left out. */
  readonly lengthBytes?: 1 | 3 | 9;
  /** The length in the head, if it is not the payload's. */
  readonly byteLength?: bigint;
}

const MASK = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d); // RFC 6455 §5.7 has it

const encoder = new TextEncoder();

function octetsOf(payload: Uint8Array | string): Uint8Array {
  return typeof payload === "string" ? encoder.encode(payload) : payload;
}

export function clientFrame(frame: ClientFrame): Uint8Array {
  const { opcode, isFinal = true, reserved = 0, isMasked = true } = frame;
  const payload = octetsOf(frame.payload ?? "");
  const byteLength = frame.byteLength ?? BigInt(payload.length);
  const first = (isFinal ? 0x80 : 0) | (reserved << 4) | opcode;
  const length = lengthField(byteLength, frame.lengthBytes ?? fewestBytes(byteLength));
  if (isMasked) length[0] = (length[0] as number) | 0x80;
  return Buffer.concat([Uint8Array.of(first), length, ...(isMasked ? [MASK, masked(payload)] : [payload])]);
}

/** Several frames one after the other. */
export function clientFrames(...frames: readonly ClientFrame[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(frames.map(clientFrame)));
}

/** Payload of a Close frame. */
export function closePayload(code: number, reason: Uint8Array | string = ""): Uint8Array {
  return Buffer.concat([Uint8Array.of(code >> 8, code & 0xff), octetsOf(reason)]);
}

function fewestBytes(byteLength: bigint): 1 | 3 | 9 {
  return byteLength < 126n ? 1 : byteLength < 65536n ? 3 : 9;
}

function lengthField(byteLength: bigint, lengthBytes: 1 | 3 | 9): Uint8Array {
  const field = new DataView(new ArrayBuffer(lengthBytes));
  if (lengthBytes === 1) field.setUint8(0, Number(byteLength));
  else if (lengthBytes === 3) field.setUint16(1, Number(byteLength));
  else field.setBigUint64(1, byteLength);
  if (lengthBytes > 1) field.setUint8(0, lengthBytes === 3 ? 126 : 127);
  return new Uint8Array(field.buffer);
}

function masked(payload: Uint8Array): Uint8Array {
  return payload.map((byte, at) => byte ^ (MASK[at % 4] as number));
}

/** A whole frame from the console. */
export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Uint8Array;
}

/** Frames from the console; throws where one breaks RFC 6455 §5 or is cut. */
export function readServerFrames(bytes: Uint8Array): ServerFrame[] {
  const frames: ServerFrame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at);
    const second = view.getUint8(1);
    const headBytes = second === 126 ? 4 : 2;
    const payloadBytes = second === 126 ? view.getUint16(2) : second;
    if (second > 126 || (second === 126 && payloadBytes < 126)) throw new Error(`Bad length ${second}`);
    if (view.getUint8(0) >> 4 !== 8) throw new Error(`Not a final frame at ${at}`);
    const end = at + headBytes + payloadBytes;
    if (end > bytes.length) throw new Error(`The frame at ${at} is cut`);
    frames.push({ opcode: view.getUint8(0) & 15, payload: bytes.slice(at + headBytes, end) });
    at = end;
  }
  return frames;
}
