/** Progress of an upload, as Node's HTTP port reports it. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { NodeHttpPort } from "../../../../device-client/node/http-port.js";

test("An upload reports how much the system has accepted, and all of it before the answer", async () => {
  const body = new Uint8Array(100_000);
  let answer = () => {};
  const server = createServer((request, response) => {
    request.resume();
    answer = () => response.setHeader("content-type", "application/json").end("{}");
    request.once("end", () => server.emit("taken"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = new NodeHttpPort();
  onTestFinished(() => {
    port.close();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const told: number[] = [];
  const onProgress = (sentBytes: number) => void told.push(sentBytes);
  const sent = port.send({ method: "POST", url, headers: {}, body, timeoutMs: 10_000, onProgress });
  await once(server, "taken");
  expect(told.length).toBeGreaterThan(3);
  expect(told.at(-1)).toBe(body.length);
  answer();
  expect((await sent).status).toBe(200);
});
