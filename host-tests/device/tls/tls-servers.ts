/** The servers of the contract of TLS clients (host-tests/contracts/tls-clients.ts): node:tls, and servers without TLS. */
import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { DOWNLOAD_BYTES, type TlsServerName, UPLOAD_BYTES } from "../../contracts/tls-clients.js";
import { type Certificate, type CertificateMaker, chainOf } from "../../hosts/certificates.js";

export interface TlsServers {
  readonly ports: Readonly<Record<TlsServerName, number>>;
  /** Certificate of the authority that clients trust. */
  readonly authority: Certificate;
  /** Certificate of `echo` and of every server without one of its own. */
  readonly server: Certificate;
  close(): void;
}

const NAMES = ["DNS:localhost", "IP:127.0.0.1"];

type Habit = (socket: TLSSocket) => void;

const echo: Habit = (socket) => void socket.pipe(socket);

const download: Habit = (socket) => void socket.end(Buffer.alloc(DOWNLOAD_BYTES, "0123456789abcdef"));

// Node does not send close_notify if it is written in the turn in which the handshake ends.
const farewell: Habit = (socket) => void socket.once("data", () => socket.end("bye"));

/** Sends a last message and ends TCP, without close_notify. */
const cut: Habit = (socket) =>
  void socket.write("bye", () => (socket as unknown as { _parent: Socket })._parent.destroySoon());

/** OpenSSL's server ends a connection whose client does not renegotiate; what came before the request arrives. */
const renegotiating: Habit = (socket) =>
  void socket.once("data", () => socket.write("bye", () => socket.renegotiate({}, () => {})));

/** Reads nothing from the first connection until there is a second, then reports what it has received. */
function lateReader(): Habit {
  let first: TLSSocket | undefined;
  return (socket) => {
    if (!first) {
      first = socket.pause();
      return;
    }
    let received = 0;
    first.on("data", (bytes: Buffer) => {
      received += bytes.length;
      if (received === UPLOAD_BYTES) socket.write("all of it");
    });
    first.resume();
    first = undefined;
  };
}

export async function startTlsServers(maker: CertificateMaker): Promise<TlsServers> {
  const authority = maker.make({ commonName: "Authority", isAuthority: true });
  const leaf = (options: object = {}) =>
    maker.make({ commonName: "Server", names: NAMES, issuer: authority, ...options });
  const intermediate = maker.make({ commonName: "Intermediate", isAuthority: true, issuer: authority });
  const stranger = maker.make({ commonName: "Stranger", isAuthority: true });
  const good = leaf();
  const below = leaf({ issuer: intermediate });
  const tls = (options: TlsOptions, habit = echo) => createServer({ ...good, ...options }, habit);
  const servers: Record<TlsServerName, Server> = {
    echo: tls({}),
    echo12: tls({ maxVersion: "TLSv1.2" }),
    chain: tls(chainOf(below, intermediate)),
    download: tls({}, download),
    farewell: tls({}, farewell),
    cut: tls({}, cut),
    late: tls({}, lateReader()),
    expired: tls(leaf({ isExpired: true })),
    otherName: tls(leaf({ names: ["DNS:hub.example", "IP:192.0.2.1"] })),
    wildcard: tls(leaf({ names: ["DNS:*.hub.example", "DNS:*.example"] })),
    commonName: tls(leaf({ commonName: "localhost", names: [] })),
    selfSigned: tls(maker.make({ commonName: "Server", names: NAMES })),
    stranger: tls(chainOf(leaf({ issuer: stranger }), stranger)),
    withoutIntermediate: tls(below),
    clientsOnly: tls(leaf({ purpose: "clientAuth" })),
    old: tls({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" }),
    http: plain((socket) => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")),
    garbage: plain((socket) => socket.end(Buffer.alloc(40_000, 0xa5))),
    longRecord: plain((socket) => socket.end(record(22, Buffer.alloc(0xffff)))),
    longMessage: plain((socket) => socket.end(longMessage())),
    alerts: plain((socket) => socket.end(repeated(record(21, Buffer.of(1, 90))))),
    emptyRecords: plain((socket) => socket.end(repeated(record(22, Buffer.alloc(0))))),
    longChain: tls(chainOf(good, ...Array.from({ length: 150 }, () => authority))),
    renegotiating: tls({ maxVersion: "TLSv1.2" }, renegotiating),
    silent: plain(() => {}),
    closing: plain((socket) => socket.end()),
  };
  return { ports: await listen(servers), authority, server: good, close: closing(Object.values(servers)) };
}

/** A record in clear (RFC 5246 §6.2.1). */
function record(type: number, content: Buffer): Buffer {
  const head = Buffer.of(type, 3, 3, 0, 0);
  head.writeUInt16BE(content.length, 3);
  return Buffer.concat([head, content]);
}

const repeated = (bytes: Buffer) => Buffer.alloc(10_000 * bytes.length, bytes);

/** The beginning of a ServerHello that says it has 16 MiB. */
function longMessage(): Buffer {
  const [first, next] = [Buffer.alloc(0x4000), Buffer.alloc(0x4000)];
  first.set([2, 0xff, 0xff, 0xff]);
  return Buffer.concat([record(22, first), ...Array.from({ length: 64 }, () => record(22, next))]);
}

/** Acts when the client has begun to speak. */
function plain(act: (socket: Socket) => void): Server {
  return createPlainServer((socket) => void socket.once("data", () => act(socket)));
}

async function listen(servers: Record<TlsServerName, Server>): Promise<Record<TlsServerName, number>> {
  const ports = Object.entries(servers).map(async ([name, server]) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return [name, (server.address() as AddressInfo).port] as const;
  });
  return Object.fromEntries(await Promise.all(ports)) as Record<TlsServerName, number>;
}

/** Clients that refuse a server, and those that go, are what the contract is about: no error is the test's. */
function closing(servers: readonly Server[]): () => void {
  const sockets = new Set<Socket>();
  for (const server of servers)
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    });
  for (const server of servers) {
    server.on("tlsClientError", () => {});
    server.on("secureConnection", (socket: TLSSocket) => socket.on("error", () => {}));
  }
  return () => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  };
}
