/** TLS contract for every host, on its own and under a SecureSocket. The servers are third-party implementations. */
import { ascii, type ContractCase, equal, throws, throwsA } from "./assert.js";
import {
  Carrier,
  Client,
  DOWNLOAD_BYTES,
  type TlsHost,
  type TlsServerName,
  UPLOAD_BYTES,
} from "./tls-clients.js";

/** Long enough to observe an unwanted callback. */
const WHILE_MS = 50;

async function expectEcho(host: TlsHost, server: TlsServerName, serverName: string): Promise<void> {
  const client = new Client(host, server, serverName);
  await client.opened;
  client.socket.write(ascii("hello"));
  await client.received(5);
  equal(client.text, "hello", "the echo");
  client.socket.close();
}

async function expectProblem(
  host: TlsHost,
  server: TlsServerName,
  problem: string,
  serverName: string,
): Promise<void> {
  const client = new Client(host, server, serverName);
  equal(await client.ended, problem, "the problem");
  equal(client.receivedBytes, 0, "bytes that were read");
  client.socket.close();
}

interface Acceptance {
  readonly name: string;
  readonly server: TlsServerName;
  readonly serverName: string;
}

const ACCEPTED: readonly Acceptance[] = [
  { name: "its name", server: "echo", serverName: "localhost" },
  { name: "its name in capitals", server: "echo", serverName: "LOCALHOST" },
  { name: "its name with a trailing dot", server: "echo", serverName: "localhost." },
  { name: "its address", server: "echo", serverName: "127.0.0.1" },
  { name: "a wildcard for its first label", server: "wildcard", serverName: "A.hub.example" },
  { name: "TLS 1.2 at most", server: "echo12", serverName: "localhost" },
  { name: "an intermediate certificate that it sends", server: "chain", serverName: "localhost" },
];

interface Refusal extends Omit<Acceptance, "serverName"> {
  readonly serverName?: string;
  readonly reason: string;
}

const REFUSED: readonly Refusal[] = [
  { name: "an expired certificate", server: "expired", reason: "certificate has expired" },
  { name: "a certificate for another name", server: "otherName", reason: "hostname mismatch" },
  {
    name: "a certificate for another address",
    server: "otherName",
    serverName: "127.0.0.1",
    reason: "IP address mismatch",
  },
  {
    name: "a wildcard for two of its labels (RFC 9525 §6.3)",
    server: "wildcard",
    serverName: "a.b.hub.example",
    reason: "hostname mismatch",
  },
  {
    name: "a wildcard for none of its labels",
    server: "wildcard",
    serverName: "hub.example",
    reason: "hostname mismatch",
  },
  {
    name: "its name only in the subject (RFC 9525 §6.3)",
    server: "commonName",
    reason: "hostname mismatch",
  },
  { name: "a self-signed certificate", server: "selfSigned", reason: "self-signed certificate" },
  {
    name: "a certificate of an untrusted authority",
    server: "stranger",
    reason: "self-signed certificate in certificate chain",
  },
  {
    name: "a missing intermediate certificate",
    server: "withoutIntermediate",
    reason: "unable to get local issuer certificate",
  },
  {
    name: "a certificate for clients",
    server: "clientsOnly",
    reason: "unsuitable certificate purpose",
  },
  { name: "TLS 1.1 at most", server: "old", reason: "tlsv1 alert protocol version" },
  { name: "HTTP instead of TLS", server: "http", reason: "the server does not speak TLS" },
  { name: "bytes of no known protocol", server: "garbage", reason: "the server does not speak TLS" },
  {
    name: "a connection that closes during the handshake",
    server: "closing",
    reason: "the connection was cut",
  },
];

/** Third parties that are no server of TLS, in ways that TLS libraries have fallen for. */
const HOSTILE: readonly Omit<Acceptance, "serverName">[] = [
  { name: "a record of 64 KiB", server: "longRecord" },
  { name: "a message of 16 MiB", server: "longMessage" },
  { name: "10,000 warnings", server: "alerts" },
  { name: "10,000 records without content", server: "emptyRecords" },
];

const NO_NAMES = ["", ".", "a b", "localhost\0.example", "[::1]", "1.2.3.4/8", "müller", "x".repeat(254)];

export const TLS_CONTRACT: readonly ContractCase<TlsHost>[] = [
  ...ACCEPTED.map(({ name, server, serverName }) => ({
    name: `accepts a server with ${name}`,
    run: (host: TlsHost) => expectEcho(host, server, serverName),
  })),
  ...REFUSED.map(({ name, server, serverName = "localhost", reason }) => ({
    name: `rejects a server with ${name}`,
    run: (host: TlsHost) =>
      expectProblem(host, server, `Cannot speak TLS with "${serverName}": ${reason}`, serverName),
  })),
  ...HOSTILE.map(({ name, server }) => ({
    name: `fails, and reads nothing, at ${name}`,
    async run(host: TlsHost) {
      const client = new Client(host, server);
      const problem = await client.ended;
      equal(problem.startsWith('Cannot speak TLS with "localhost": '), true, problem);
      equal(client.receivedBytes, 0, "bytes that were read");
      client.socket.close();
    },
  })),
  {
    name: "fails or opens, and does not hang, at a chain of certificates of 64 KiB",
    async run(host) {
      const client = new Client(host, "longChain");
      const result = await Promise.race([client.opened.then(() => "open"), client.ended]);
      equal(/^open$|^Cannot speak TLS with "localhost": ./.test(result), true, result);
      client.socket.close();
    },
  },
  {
    name: "a request to renegotiate is refused, and what was sent before it arrives",
    async run(host) {
      const client = new Client(host, "renegotiating");
      await client.opened;
      client.socket.write(ascii("hello"));
      const problem = await client.ended;
      equal(/^Cannot go on with "localhost": .* alert handshake failure$/.test(problem), true, problem);
      equal(client.text, "bye", "what was said before");
      client.socket.close();
    },
  },
  {
    name: "a server that never answers causes no callback, before close() and after it",
    async run(host) {
      const client = new Client(host, "silent");
      await host.pass(WHILE_MS);
      equal(client.events, 0, "callbacks before");
      client.socket.close();
      await host.pass(WHILE_MS);
      equal(client.events, 0, "callbacks after");
    },
  },
  ...[1, 3, 1024].map((pieceBytes) => ({
    name: `the engine accepts and returns ciphertext in pieces of ${pieceBytes}`,
    async run(host: TlsHost) {
      const carrier = new Carrier(host, "echo", pieceBytes);
      const { engine } = carrier;
      await carrier.until(() => engine.phase === "open");
      carrier.write(ascii("hello"), pieceBytes);
      await carrier.until(() => engine.readable === 5);
      const echo = new Uint8Array(5);
      engine.read(echo);
      equal(String.fromCharCode(...echo), "hello", "the echo");
      carrier.close();
    },
  })),
  {
    name: "a changed byte of ciphertext fails the connection, and its record is not readable",
    async run(host) {
      const carrier = new Carrier(host, "echo", 1024);
      const { engine } = carrier;
      await carrier.until(() => engine.phase === "open");
      carrier.write(ascii("hello"), 1024);
      carrier.isSpoiling = true;
      await carrier.until(() => engine.phase === "failed");
      equal(engine.problem, "decryption failed or bad record mac", "the problem");
      equal(engine.readable, 0, "bytes to read");
      carrier.close();
    },
  },
  {
    name: "end() sends an alert",
    async run(host) {
      const carrier = new Carrier(host, "echo12", 1);
      await carrier.until(() => carrier.engine.phase === "open");
      const { length } = carrier.sent;
      carrier.engine.end();
      await carrier.until(() => carrier.engine.takeable > 0);
      const alert = new Uint8Array(1);
      carrier.engine.take(alert);
      equal(alert[0], 21, "type of the record (RFC 5246 §6.2.1)");
      equal(carrier.sent.length, length, "what was sent before");
      carrier.close();
    },
  },
  {
    name: "an echo server returns 64 KiB",
    async run(host) {
      const client = new Client(host, "echo");
      await client.opened;
      const byteLength = 64 * 1024;
      await Promise.all([client.send(ascii("0123456789abcdef"), byteLength), client.received(byteLength)]);
      equal(client.receivedBytes, byteLength, "bytes");
      equal(client.text.slice(-16), "0123456789abcdef", "the last of them");
      client.socket.close();
    },
  },
  {
    name: "1 MiB arrives whole, followed by the end",
    async run(host) {
      const client = new Client(host, "download");
      equal(await client.ended, "end", "the end");
      equal(client.receivedBytes, DOWNLOAD_BYTES, "bytes");
      equal(client.text.slice(-16), "0123456789abcdef", "the last of them");
      client.socket.close();
    },
  },
  {
    name: "a program that reads in its own time gets all bytes, and then the end",
    async run(host) {
      const client = new Client(host, "download");
      client.isWaiting = true;
      let isEnded = false;
      void client.ended.then(() => {
        isEnded = true;
      });
      while (!isEnded) {
        await host.pass(0);
        if (client.unread > 0) client.readAll();
      }
      equal(await client.ended, "end", "the end");
      equal(client.receivedBytes, DOWNLOAD_BYTES, "bytes");
      client.socket.close();
    },
  },
  {
    name: "a peer that reads late delays the writer, and gets all bytes",
    async run(host) {
      const client = new Client(host, "late");
      await client.opened;
      let isSent = false;
      void client.send(new Uint8Array(4096), UPLOAD_BYTES).then(() => {
        isSent = true;
      });
      for (let before = -1; before !== client.sentBytes; await host.pass(WHILE_MS)) before = client.sentBytes;
      equal(isSent, false, "whether all of it could be written");
      const second = new Client(host, "late");
      await second.received(9);
      equal(second.text, "all of it", "what the peer has got");
      client.socket.close();
      second.socket.close();
    },
  },
  {
    name: "an end with a TLS alert is reported as the end, without a problem",
    async run(host) {
      const client = new Client(host, "farewell");
      await client.opened;
      client.socket.write(ascii("hello"));
      equal(await client.ended, "end", "the end");
      equal(client.text, "bye", "what was said before");
      client.socket.close();
    },
  },
  {
    name: "an end without a TLS alert is reported as a cut connection, after the received bytes",
    async run(host) {
      const client = new Client(host, "cut");
      equal(await client.ended, 'Cannot go on with "localhost": the connection was cut', "the problem");
      equal(client.text, "bye", "what was said before");
      client.socket.close();
    },
  },
  {
    name: "8 concurrent connections are independent",
    async run(host) {
      const clients = Array.from({ length: 8 }, () => new Client(host, "echo"));
      await Promise.all(clients.map(({ opened }) => opened));
      for (const [index, { socket }] of clients.entries()) socket.write(ascii(`client ${10 + index}`));
      await Promise.all(clients.map((client) => client.received(9)));
      for (const [index, { text, socket }] of clients.entries()) {
        equal(text, `client ${10 + index}`, "the echo");
        socket.close();
      }
    },
  },
  {
    name: "reads and writes past what is available throw a RangeError and change nothing",
    async run(host) {
      const carrier = new Carrier(host, "echo", 1024);
      const { engine } = carrier;
      throwsA("RangeError", () => engine.write(ascii("early")), "a write in the handshake");
      throwsA("RangeError", () => engine.read(new Uint8Array(1)), "a read of nothing");
      throwsA("RangeError", () => engine.receive(new Uint8Array(engine.receivable + 1)), "too much");
      await carrier.until(() => engine.phase === "open");
      throwsA("RangeError", () => engine.write(new Uint8Array(engine.writable + 4096)), "too much");
      carrier.write(ascii("hello"), 1024);
      await carrier.until(() => engine.readable > 0);
      throwsA("RangeError", () => engine.read(new Uint8Array(6)), "more than there is");
      equal(engine.readable, 5, "bytes to read");
      carrier.close();
    },
  },
  {
    name: "write() is limited while the ciphertext is not taken",
    async run(host) {
      const carrier = new Carrier(host, "echo", 1024);
      const { engine } = carrier;
      await carrier.until(() => engine.phase === "open");
      equal(engine.writable >= 4096, true, "room");
      while (engine.writable > 0) engine.write(new Uint8Array(engine.writable));
      equal(engine.takeable < 2 * 4096, true, "what waits is bounded");
      carrier.close();
    },
  },
  {
    name: "the constructor throws a RangeError for an invalid server name",
    run({ Tls }) {
      for (const serverName of NO_NAMES)
        throwsA("RangeError", () => new Tls({ serverName }), `the name "${serverName}"`);
      new Tls({ serverName: "2001:db8::7" }).close();
    },
  },
  {
    name: "a closed engine rejects everything but close()",
    run({ Tls }) {
      const engine = new Tls({ serverName: "localhost" });
      equal(engine.phase, "handshake", "phase");
      equal(engine.takeable > 0, true, "there is something to send from the start");
      engine.close();
      engine.close();
      throws(() => engine.phase, "phase");
      throws(() => engine.take(new Uint8Array(1)), "take");
      throws(() => engine.receive(new Uint8Array(1)), "receive");
    },
  },
];
