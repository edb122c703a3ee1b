/**
 * A hub with hostile answers: each of its three answers (to a registration, to the handshake of the push channel, to a
 * download) can be replaced by any bytes, and any bytes can follow the handshake. The other answers are valid.
 */
import { createHash } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";

export interface HostileAnswers {
  /** Complete answers, or pieces that are written in turn. */
  readonly registration?: string | readonly (string | Uint8Array)[];
  /** Additional fields of the handshake, each with its CRLF. */
  readonly handshakeFields?: string;
  /** Frames after it. */
  readonly frames?: readonly Uint8Array[];
  readonly download?: string | readonly (string | Uint8Array)[];
  /** Nothing is read once the push channel is open. */
  readonly isDeaf?: boolean;
}

export class HostileHub {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answers: HostileAnswers;
  /** Paths that were asked for. */
  readonly asked: string[] = [];

  static async start(answers: HostileAnswers): Promise<HostileHub> {
    const hub = new HostileHub(answers);
    await new Promise<void>((resolve) => hub.#server.listen(0, "127.0.0.1", resolve));
    return hub;
  }

  private constructor(answers: HostileAnswers) {
    this.#answers = answers;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    let received = "";
    let isAnswered = false;
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (data) => {
      received += data.toString("latin1");
      if (isAnswered || !isWhole(received)) return;
      isAnswered = true;
      this.#answer(socket, received);
    });
  }

  #answer(socket: Socket, request: string): void {
    const path = request.split(" ", 2)[1] as string;
    this.asked.push(path);
    if (path.endsWith("/devices/register")) this.#write(socket, this.#answers.registration ?? REGISTERED);
    else if (path.includes("/ws/device/")) this.#shakeHands(socket, request);
    else this.#write(socket, this.#answers.download ?? "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
  }

  #write(socket: Socket, pieces: string | readonly (string | Uint8Array)[]): void {
    for (const piece of typeof pieces === "string" ? [pieces] : pieces)
      socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
    socket.end();
  }

  #shakeHands(socket: Socket, request: string): void {
    const { handshakeFields = "", frames = [], isDeaf } = this.#answers;
    const key = /\r\nsec-websocket-key: (\S+)\r\n/i.exec(request)?.[1];
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching\r\n${handshakeFields}upgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    if (isDeaf) socket.pause();
    for (const each of frames) socket.write(each);
  }
}

const RECORD = '{"device_id":"device-1","claim_code":"ABCD-EFGH"}';
const REGISTERED = jsonAnswer("201 Created", RECORD);

/** A whole answer with a body of JSON. */
export function jsonAnswer(status: string, body: string, fieldLines = ""): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${fieldLines}content-length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`;
}

/** The same as chunks of a byte. */
export function crumbs(status: string, body: string): string {
  const chunks = Array.from(body, (byte) => `1\r\n${byte}\r\n`).join("");
  return `HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
}

/** A frame of a server, which is not masked. */
export function frame(opcode: number, payload: string | Uint8Array, isFinal = true): Uint8Array {
  const bytes = Buffer.from(payload as string);
  const length = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Uint8Array.of((isFinal ? 0x80 : 0) | opcode, ...length), bytes]);
}

/** One text in fragments of a byte. */
export function fragments(text: string): Uint8Array {
  const last = text.length - 1;
  return Buffer.concat(Array.from(text, (byte, at) => frame(at === 0 ? 1 : 0, byte, at === last)));
}

function isWhole(request: string): boolean {
  const end = request.indexOf("\r\n\r\n");
  const length = Number(/\r\ncontent-length: ([0-9]+)/i.exec(request)?.[1] ?? 0);
  return end >= 0 && request.length >= end + 4 + length;
}
