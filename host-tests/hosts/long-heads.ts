/** Clients that hold their connections with requests whose heads are nearly as long as they may be, and never end. */
import { connect } from "node:net";
import { getJson } from "./http-client.js";

const LINE = `A: ${"b".repeat(900)}\r\n`;
const LINES = 4;

export interface LongHeads {
  close(): void;
}

/** Returns once all are connected and their bytes are with the console. */
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
  // A request is answered after what came before it was read. Its connection stays for a while.
  await getJson(`${address}/api/status`);
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
