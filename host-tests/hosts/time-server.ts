/** A time server on the loopback address, and what one answers (docs/spec/clock.md#sntp). */
import { createSocket } from "node:dgram";

const SECONDS_TO_1970 = 2_208_988_800;

/** @param timeMs milliseconds since 1970 */
export function answerTo(request: Uint8Array, timeMs: number): Uint8Array {
  const answer = new Uint8Array(48);
  const view = new DataView(answer.buffer);
  answer[0] = 0x24; // version 4, server
  answer[1] = 2;
  answer.set(request.subarray(40, 48), 24);
  const seconds = Math.floor(timeMs / 1000);
  view.setUint32(40, (seconds + SECONDS_TO_1970) % 2 ** 32);
  view.setUint32(44, Math.ceil((timeMs - seconds * 1000) * (2 ** 32 / 1000)) % 2 ** 32);
  return answer;
}

export interface TimeServer {
  readonly port: number;
  close(): void;
}

/** @param timeMs the time that it tells; `undefined`: it does not answer */
export async function startTimeServer(timeMs: () => number | undefined): Promise<TimeServer> {
  const socket = createSocket("udp4");
  socket.on("message", (request, { address, port }) => {
    const now = timeMs();
    if (now !== undefined) socket.send(answerTo(request, now), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return { port: socket.address().port, close: () => void socket.close() };
}
