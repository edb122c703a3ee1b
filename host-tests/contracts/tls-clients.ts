/** Servers and clients of the TLS contract (tls.ts). */
import { SecureSocket } from "../../hub-client/secure-socket.js";
import type { TcpClient, TcpSocket, TlsConstructor, TlsEngine } from "../../protocol/ports/network.js";
import type { Timer } from "../../protocol/ports/runtime.js";

const ADDRESS = "127.0.0.1";

/** Bytes that `download` sends: `0123456789abcdef`, repeated. */
export const DOWNLOAD_BYTES = 1024 * 1024;
/** Bytes sent to `late`: more than all buffers on the way hold. */
export const UPLOAD_BYTES = 16 * 1024 * 1024;

/** Servers on the loopback. Unless noted, their certificates are for `localhost` and 127.0.0.1. */
export type TlsServerName =
  | "echo"
  | "echo12" // TLS 1.2 at most
  | "chain" // certificate of an intermediate, which it sends
  | "download" // sends DOWNLOAD_BYTES and a TLS end
  | "farewell" // answers the first bytes with "bye" and a TLS end
  | "cut" // sends "bye" and ends TCP without a TLS alert
  | "late" // reads the first connection once there is a second, to which it then sends "all of it"
  | "expired"
  | "otherName" // for hub.example and 192.0.2.1
  | "wildcard" // for *.hub.example and *.example
  | "commonName" // for localhost, only in the subject
  | "selfSigned"
  | "stranger" // signed by an untrusted authority
  | "withoutIntermediate"
  | "clientsOnly" // with a client certificate
  | "old" // TLS 1.1 at most
  | "http"
  | "garbage"
  | "longRecord" // a record of 64 KiB
  | "longMessage" // a message of 16 MiB in records of 16 KiB
  | "alerts" // 10,000 warnings
  | "emptyRecords" // 10,000 records without content
  | "longChain" // certificates of 64 KiB
  | "renegotiating" // answers the first bytes with a request to renegotiate, and goes on
  | "silent"
  | "closing";

export interface TlsHost {
  readonly Tls: TlsConstructor;
  readonly Socket: TcpClient["Socket"];
  readonly timer: Timer;
  readonly ports: Readonly<Record<TlsServerName, number>>;
  pass(milliseconds: number): Promise<void>;
}

/** Received bytes that a client keeps, since a board has no room for all. */
const TAIL_BYTES = 64;

/** Records its callbacks, and reads all bytes unless `isWaiting`. */
export class Client {
  readonly socket: SecureSocket;
  readonly ended: Promise<string>;
  readonly opened: Promise<void>;
  text = "";
  receivedBytes = 0;
  sentBytes = 0;
  room = 0;
  unread = 0;
  isWaiting = false;
  events = 0;
  onRoom: (() => void) | undefined;
  #onReceived: (() => void) | undefined;

  constructor({ Socket, Tls, timer, ports }: TlsHost, server: TlsServerName, serverName = "localhost") {
    let onOpen: () => void;
    let onEnd: (problem: string) => void;
    this.opened = new Promise((resolve) => {
      onOpen = resolve;
    });
    this.ended = new Promise((resolve) => {
      onEnd = resolve;
    });
    this.socket = new SecureSocket({
      Socket,
      Tls,
      timer,
      serverName,
      address: ADDRESS,
      port: ports[server],
      nodelay: true,
      onReadable: (byteLength) => {
        this.events++;
        this.unread = byteLength;
        if (!this.isWaiting) this.readAll();
      },
      onWritable: (byteLength) => {
        this.events++;
        this.room = byteLength;
        onOpen();
        this.onRoom?.();
      },
      onError: (problem = "end") => {
        this.events++;
        onEnd(problem);
      },
    });
  }

  readAll(): void {
    const bytes = new Uint8Array(this.unread);
    this.unread = 0;
    this.socket.read(bytes);
    this.receivedBytes += bytes.length;
    this.text = (this.text + String.fromCharCode(...bytes.subarray(-TAIL_BYTES))).slice(-TAIL_BYTES);
    this.#onReceived?.();
  }

  /** Resolves once `byteLength` bytes have been received. */
  received(byteLength: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onReceived = () => {
        if (this.receivedBytes >= byteLength) resolve();
      };
      this.#onReceived();
    });
  }

  /** Writes `piece` repeatedly as there is room, `byteLength` bytes in all; resolves when all are written. */
  send(piece: Uint8Array, byteLength: number): Promise<void> {
    return new Promise((resolve) => {
      this.onRoom = () => {
        while (this.room > 0 && this.sentBytes < byteLength) {
          const length = Math.min(this.room, piece.length, byteLength - this.sentBytes);
          this.socket.write(piece.subarray(0, length));
          this.room -= length;
          this.sentBytes += length;
        }
        if (this.sentBytes === byteLength) resolve();
      };
      this.onRoom();
    });
  }
}

/** Carries an engine's ciphertext over a plain socket, in pieces of `pieceBytes`. */
export class Carrier {
  readonly engine: TlsEngine;
  readonly socket: TcpSocket;
  readonly sent: number[] = [];
  isSpoiling = false;
  #room = 0;
  #onProgress: (() => void) | undefined;

  constructor({ Tls, Socket, ports }: TlsHost, server: TlsServerName, pieceBytes: number) {
    this.engine = new Tls({ serverName: "localhost" });
    this.socket = new Socket({
      address: ADDRESS,
      port: ports[server],
      nodelay: true,
      onReadable: (byteLength) => {
        const bytes = new Uint8Array(byteLength);
        this.socket.read(bytes);
        if (this.isSpoiling) bytes[byteLength - 1] = (bytes[byteLength - 1] ?? 0) ^ 1;
        for (let at = 0; at < byteLength; at += pieceBytes)
          this.engine.receive(bytes.subarray(at, at + pieceBytes));
        this.#send(pieceBytes);
      },
      onWritable: (byteLength) => {
        this.#room = byteLength;
        this.#send(pieceBytes);
      },
    });
  }

  write(bytes: Uint8Array, pieceBytes: number): void {
    this.engine.write(bytes);
    this.#send(pieceBytes);
  }

  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onProgress = () => {
        if (isSo()) resolve();
      };
      this.#onProgress();
    });
  }

  close(): void {
    this.socket.close();
    this.engine.close();
  }

  #send(pieceBytes: number): void {
    const piece = new Uint8Array(pieceBytes);
    while (this.#room >= pieceBytes && this.engine.takeable > 0) {
      const taken = this.engine.take(piece);
      this.socket.write(piece.subarray(0, taken));
      this.sent.push(piece[0] ?? 0);
      this.#room -= taken;
    }
    this.#onProgress?.();
  }
}
