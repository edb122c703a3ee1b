/** Uploads whose client stops midway release their place to other clients. */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import fastifyMultipart from "@fastify/multipart";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { type UploadLimits, Uploads } from "../../../../hub/files/uploads.js";

const FORM = { file: "file", texts: [], limitBytes: 1000, tooLarge: "file_too_large" } as const;

/** A server with room for one upload, which answers with the file's length. */
async function served(limits: Partial<UploadLimits>) {
  const uploads = new Uploads({ capacityBytes: 1, shareBytes: 1, ...limits });
  const used: number[] = [];
  const server = fastify();
  await server.register(fastifyMultipart);
  server.post("/", (request) =>
    uploads.receive(request, "ada", FORM, async ({ bytes }) => {
      used.push(bytes.length);
      return { size: bytes.length };
    }),
  );
  onTestFinished(() => server.close());
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { port, used };
}

/** Sends the beginning of a form, and nothing more. */
async function stopInTheMiddle(port: number) {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(
    "POST / HTTP/1.1\r\nhost: hub\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 500\r\n\r\n" +
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
  );
  await once(socket, "connect");
  return socket;
}

async function send(port: number): Promise<number> {
  const body = new FormData();
  body.set("file", new Blob(["hello"]), "a");
  return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body })).status;
}

test("a client that sends nothing for a while is disconnected, and its place goes to the next one", async () => {
  const { port, used } = await served({ silenceMs: 500 });
  const silent = await stopInTheMiddle(port);
  const sent = send(port);
  await once(silent.resume(), "close");
  expect(await sent).toBe(200);
  expect(used).toEqual([5]);
});

test("a client that disconnects in the middle leaves no file, and frees its place", async () => {
  const { port, used } = await served({});
  const gone = await stopInTheMiddle(port);
  const sent = send(port);
  gone.destroy();
  expect(await sent).toBe(200);
  expect(used).toEqual([5]);
});

test("a client that waits too long for a place gets busy", async () => {
  const { port } = await served({ timeoutMs: 50 });
  await stopInTheMiddle(port);
  await expect.poll(() => send(port)).toBe(503);
});
