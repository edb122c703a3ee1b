/** Clients that hold their connections with requests whose heads are nearly as long as they may be, and never end. */
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

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
  // One request of its own is answered after what came before it was read.
  while ((await fetch(`${address}/api/status`)).status !== 200) await wait(10);
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
