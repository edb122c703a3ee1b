/** A process of the hub whose connections have used all of its file descriptors. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { EMBEDDED_HUB } from "../hosts/hub-under-test.js";

const LIMIT = 100;

// docs/hub.md#file-descriptors
test("A hub without a free file descriptor logs that, and when there are some again", async () => {
  const launcher = () => ["sh", "-c", `ulimit -n ${LIMIT} && exec "$@"`, "sh"];
  const hub = await EMBEDDED_HUB.start({ launcher });
  onTestFinished(() => hub.stop());
  const { hostname, port } = new URL(hub.origin);
  const sockets: Socket[] = [];
  const close = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  onTestFinished(close);
  for (let count = 0; count < LIMIT; count++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {}); // the hub closes those that it has no descriptor for
    sockets.push(socket);
    await once(socket, "connect");
  }
  const [process] = hub.processes;
  expect(await process?.waitForLine(/no file descriptor is free/)).toContain('"level":50');
  close();
  await process?.waitForLine(/file descriptors are free again/);
  expect((await fetch(`${hub.origin}/health/live`)).status).toBe(200);
});
