/**
 * Invalid WebSocket frames over bare connections (docs/spec/websocket.md#protocol).
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { BROKEN_FRAMES } from "../../unit/services/websocket/broken-frames.js";
import { clientFrames, OPCODE, readServerFrames } from "../../unit/services/websocket/client-frames.js";
import { PROOF, upgradeRequest } from "../../unit/services/websocket/served.js";

let simulated: Console;
beforeAll(async () => {
  simulated = await startConsole({});
});
afterAll(() => simulated.stop());

/** Opens a bare connection and requests a WebSocket. */
function asked(): Socket {
  const { hostname, port } = new URL(simulated.ws);
  const socket = connect(Number(port), hostname);
  socket.write(upgradeRequest());
  return socket;
}

/** Every frame until the console closes. */
async function everyFrame(socket: Socket) {
  const received = Buffer.concat(await socket.toArray());
  const head = received.indexOf("\r\n\r\n");
  expect(received.subarray(0, head).toString()).toContain(PROOF);
  return readServerFrames(received.subarray(head + 4));
}

for (const { name, wire, code } of BROKEN_FRAMES)
  test(`${name} closes the connection with ${code}`, async () => {
    const socket = asked();
    socket.write(wire);
    const frames = await everyFrame(socket);
    expect(frames.at(-1)).toEqual({ opcode: OPCODE.close, payload: Buffer.of(code >> 8, code & 0xff) });
  });

test("10,000 pings from a client that does not read do not block the console", async () => {
  const socket = asked();
  socket.pause();
  const pings = Array.from({ length: 10_000 }, (_, at) => ({ opcode: OPCODE.ping, payload: `ping ${at}` }));
  socket.write(clientFrames(...pings, { opcode: OPCODE.close }));
  expect((await fetch(`${simulated.http}/api/status`)).status).toBe(200);
  socket.resume();
  const pongs = (await everyFrame(socket)).filter(({ opcode }) => opcode === OPCODE.pong);
  expect(pongs.length).toBeGreaterThan(0);
});

test("connections reset within a frame free their places", async () => {
  for (let round = 0; round < 8; round++) {
    const socket = asked();
    await once(socket, "data");
    socket.write(clientFrames({ opcode: OPCODE.ping, payload: "cut" }).subarray(0, 4));
    socket.resetAndDestroy();
  }
  const socket = asked();
  const [answer] = await once(socket, "data");
  expect(String(answer)).toContain(" 101 ");
  socket.destroy();
});
