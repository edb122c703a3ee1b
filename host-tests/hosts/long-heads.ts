/** Clients that hold connections with unfinished request heads of nearly maximum length. */
import { connect } from "node:net";
import { getJson } from "./http-client.js";

const LINE = `A: ${"b".repeat(900)}\r\n`;
const LINES = 4;

export interface LongHeads {
  close(): void;
}

/** Resolves once all clients are connected and the console has read their bytes. */
export async function holdLongHeads(address: string, count: number): Promise<LongHeads> {
  const { hostname, port, host } = new URL(address);
  const head = `GET /api/status HTTP/1.1\r\nHost: ${host}\r\n${LINE.repeat(LINES)}`;
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          socket.once("error", reject);
          socket.write(head, () => resolve());
        }),
    ),
  );
  // The answer to this request shows that the console has read the earlier bytes. Its connection stays open for a
  // while.
  await getJson(`${address}/api/status`);
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
