/** Contract of TCP clients on every host. The servers are the host's own listeners, on the loopback. */
import type { Tcp, TcpClient, TcpListener, TcpSocket } from "../../protocol/ports/network.js";
import { ascii, type ContractCase, equal, throws, throwsA } from "./assert.js";

const ADDRESS = "127.0.0.1";

/** Hosts reject it at once: TCP connects to a single peer (RFC 9293 §3.9.2.3). */
const BROADCAST = "255.255.255.255";

/** Long enough to observe an unwanted callback. */
const WHILE_MS = 50;
/** Rounds of {@link WHILE_MS} before a wait fails. */
const PATIENCE = 40;

export interface TcpHost {
  readonly tcp: Tcp & TcpClient;
  pass(milliseconds: number): Promise<void>;
}

/** A server that records received text and sends `greeting` to each client. */
class Server {
  readonly #listener: TcpListener;
  readonly connections: TcpSocket[] = [];
  received = "";

  constructor(tcp: Tcp, greeting = "") {
    this.#listener = new tcp.Listener({
      port: 0,
      address: ADDRESS,
      onReadable: () => {
        for (let from = this.#listener.read(); from; from = this.#listener.read()) {
          const socket = new tcp.Socket({
            from,
            onReadable: (count) => {
              this.received += readText(socket, count);
            },
            onError: () => socket.close(),
          });
          if (greeting !== "") socket.write(ascii(greeting));
          this.connections.push(socket);
        }
      },
    });
  }

  get port(): number {
    return this.#listener.port;
  }

  close(): void {
    this.#listener.close();
    for (const socket of this.connections) socket.close();
  }
}

function readText(socket: TcpSocket, byteLength: number): string {
  const bytes = new Uint8Array(byteLength);
  socket.read(bytes);
  return String.fromCharCode(...bytes);
}

async function until(pass: TcpHost["pass"], isSo: () => boolean, what: string): Promise<void> {
  for (let round = 0; round < PATIENCE && !isSo(); round++) await pass(WHILE_MS);
  equal(isSo(), true, what);
}

async function withServer(
  { tcp, pass }: TcpHost,
  greeting: string,
  run: (server: Server) => Promise<void>,
): Promise<void> {
  const server = new Server(tcp, greeting);
  await pass(0); // some hosts open the port in the next event-loop iteration
  try {
    await run(server);
  } finally {
    server.close();
  }
}

export const TCP_CLIENT_CONTRACT: readonly ContractCase<TcpHost>[] = [
  {
    name: "onWritable reports the connection, after the constructor has returned",
    run: (host) =>
      withServer(host, "", async ({ port }) => {
        const counts: number[] = [];
        const socket = new host.tcp.Socket({
          address: ADDRESS,
          port,
          onWritable: (count) => counts.push(count),
        });
        equal(counts.length, 0, "callbacks inside the constructor");
        await until(host.pass, () => counts.length > 0, "onWritable");
        equal((counts[0] ?? 0) > 0, true, "room");
        equal(socket.remoteAddress, ADDRESS, "address of the peer");
        equal(socket.remotePort, port, "port of the peer");
        socket.close();
      }),
  },
  {
    name: "written bytes reach the server, and its answer can be read",
    run: (host) =>
      withServer(host, "welcome", async (server) => {
        let received = "";
        const socket = new host.tcp.Socket({
          address: ADDRESS,
          port: server.port,
          nodelay: true,
          onWritable: () => {
            if (server.received === "" && received === "") socket.write(ascii("hello"));
          },
          onReadable: (count) => {
            received += readText(socket, count);
          },
        });
        await until(host.pass, () => received === "welcome", "the greeting");
        await until(host.pass, () => server.received === "hello", "what was written");
        socket.close();
      }),
  },
  {
    name: "write() throws before the connection is established",
    run: (host) =>
      withServer(host, "", async ({ port }) => {
        const socket = new host.tcp.Socket({ address: ADDRESS, port });
        throws(() => socket.write(ascii("early")), "an early write");
        socket.close();
      }),
  },
  {
    name: "a port without a listener calls onError once, and no other callback",
    async run(host) {
      let port = 0;
      await withServer(host, "", async (server) => {
        port = server.port;
      });
      await expectFailure(host, ADDRESS, port);
    },
  },
  {
    name: "an unreachable address calls onError once, and no other callback",
    run: (host) => expectFailure(host, BROADCAST, 9),
  },
  {
    name: "the peer's end calls onError, after its last bytes were read",
    run: (host) =>
      withServer(host, "bye", async (server) => {
        const events: string[] = [];
        const socket = new host.tcp.Socket({
          address: ADDRESS,
          port: server.port,
          onReadable: (count) => events.push(readText(socket, count)),
          onError: () => events.push("end"),
        });
        await until(host.pass, () => server.connections.length > 0, "a connection");
        server.connections[0]?.close();
        await until(host.pass, () => events.includes("end"), "the end");
        equal(events.join(), "bye,end", "events");
        socket.close();
      }),
  },
  {
    name: "a connection that is closed before it is established calls no callback",
    run: (host) =>
      withServer(host, "welcome", async ({ port }) => {
        let calls = 0;
        const count = () => calls++;
        const options = { address: ADDRESS, port, onReadable: count, onWritable: count, onError: count };
        const socket = new host.tcp.Socket(options);
        socket.close();
        socket.close();
        await host.pass(WHILE_MS);
        equal(calls, 0, "callbacks");
      }),
  },
  {
    name: "the constructor throws a RangeError for an invalid address or port",
    run({ tcp }) {
      for (const address of [
        "",
        "example",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.4 ",
        "::g",
        "x".repeat(300),
      ])
        throwsA("RangeError", () => new tcp.Socket({ address, port: 80 }), `the address "${address}"`);
      for (const port of [0, -1, 65536, Number.NaN])
        throwsA("RangeError", () => new tcp.Socket({ address: ADDRESS, port }), `the port ${port}`);
    },
  },
];

async function expectFailure({ tcp, pass }: TcpHost, address: string, port: number): Promise<void> {
  const events: string[] = [];
  const socket = new tcp.Socket({
    address,
    port,
    onWritable: () => events.push("writable"),
    onReadable: () => events.push("readable"),
    onError: () => events.push("error"),
  });
  equal(events.length, 0, "callbacks inside the constructor");
  await until(pass, () => events.length > 0, "onError");
  await pass(WHILE_MS);
  equal(events.join(), "error", "events");
  socket.close();
}
