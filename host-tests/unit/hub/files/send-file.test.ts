/** Files sent to clients that do not read them. */
import { once } from "node:events";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { sendFile } from "../../../../hub/files/send-file.js";

/** More than the buffers of a connection hold. */
const FILE_BYTES = 64 * 1024 * 1024;

async function served(silenceMs: number) {
  const directory = mkdtempSync(path.join(tmpdir(), "hub-sent-"));
  const file = path.join(directory, "file");
  writeFileSync(file, "");
  truncateSync(file, FILE_BYTES);
  const server = fastify();
  const parts = [{ path: file, start: 0, end: FILE_BYTES }];
  const sent = { parts, sha256: "0", mediaType: "application/gzip" };
  server.get("/", (request, reply) => sendFile(request, reply, sent, silenceMs));
  onTestFinished(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  return { server: server.server, port: (server.server.address() as AddressInfo).port };
}

test("a client that reads nothing is disconnected", async () => {
  const { server, port } = await served(100);
  const connected = once(server, "connection");
  const client = connect(port, "127.0.0.1").pause();
  onTestFinished(() => void client.destroy());
  client.write("GET / HTTP/1.1\r\nhost: hub\r\n\r\n");
  const [connection] = await connected;
  await once(connection, "close");
});

test("a client that reads gets the whole file, and the next one over the same connection", async () => {
  const { port } = await served(1000);
  for (let round = 0; round < 2; round++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect((await answer.arrayBuffer()).byteLength).toBe(FILE_BYTES);
  }
});
