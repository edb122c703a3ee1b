/** A TCP proxy to a console that stops forwarding after some bytes, like a stalled network. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SlowProxy {
  readonly address: string;
  /** Settles when it has forwarded its last byte. */
  readonly stalled: Promise<void>;
  close(): Promise<void>;
}

export async function slowProxy(to: string, passedBytes: number): Promise<SlowProxy> {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  let left = passedBytes;
  let stall = () => {};
  const stalled = new Promise<void>((resolve) => {
    stall = resolve;
  });
  const server = createServer((client) => {
    const console = connect(Number(port), hostname);
    sockets.add(client).add(console);
    client.on("data", (bytes) => {
      console.write(bytes.subarray(0, left));
      left = Math.max(0, left - bytes.length);
      if (left > 0) return;
      client.pause();
      stall();
    });
    console.on("data", (bytes) => client.write(bytes));
    // A paused client emits no end, but its error or close does come, and closes the other side.
    for (const [one, other] of [
      [client, console],
      [console, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stalled,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
