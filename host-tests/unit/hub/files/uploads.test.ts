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

/** Sends a byte of its file now and then, for as long as the hub reads. */
async function trickle(port: number) {
  const socket = await stopInTheMiddle(port);
  socket.on("error", () => {}); // the hub may close between two bytes
  const timer = setInterval(() => socket.write("a"), 20);
  socket.once("close", () => clearInterval(timer));
  return socket;
}

test("a client that trickles keeps its place until others wait for it", async () => {
  const { port, used } = await served({ paceWindowMs: 100 });
  const slow = await trickle(port);
  const closed = new Promise((resolve) => slow.resume().once("close", resolve));
  expect(await send(port)).toBe(200);
  await closed;
  expect(used).toEqual([5]);
});

test("a client that trickles while no one waits completes its upload", async () => {
  const { port, used } = await served({ paceWindowMs: 10 });
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const end = "\r\n--x--\r\n";
  socket.write(
    "POST / HTTP/1.1\r\nhost: hub\r\ncontent-type: multipart/form-data; boundary=x\r\n" +
      `content-length: ${head.length + 10 + end.length}\r\n\r\n${head}`,
  );
  for (let byte = 0; byte < 10; byte++) {
    socket.write("a");
    await new Promise((resolve) => setTimeout(resolve, 20)); // the pace of the client, not a wait
  }
  socket.write(end);
  expect(String((await once(socket, "data"))[0])).toContain("200 OK");
  expect(used).toEqual([10]);
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
