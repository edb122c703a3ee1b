/** The USB port of the simulated console, through its real pseudo-terminal (docs/spec/usb.md). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { getJson } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";

let simulated: Console;
let usb: UsbClient;

beforeEach(async () => {
  simulated = await startConsole({});
  usb = await UsbClient.open(simulated.usb);
});
afterEach(async () => {
  await usb.close();
  await simulated.stop();
});

const statusLine = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"GET","path":"/api/status"}`;
const answerTo = (id: number | null) => usb.answer((answer) => answer.id === id);

/** A request of exactly `byteLength` bytes without its terminator. */
function lineOf(byteLength: number, id: number): string {
  const line = statusLine(id).slice(0, -1);
  return `${line},"x":"${"-".repeat(byteLength - line.length - 8)}"}`;
}

test("GET /api/status returns fw_version", async () => {
  const { status, body } = await usb.request("GET", "/api/status");
  expect([status, typeof body.fw_version]).toEqual([200, "string"]);
});

test("a line may end in CRLF", async () => {
  usb.send(`${statusLine(7)}\r\n`);
  expect((await answerTo(7)).status).toBe(200);
});

test("a line of 1024 bytes is accepted, and one of 1025 is 413 with its id", async () => {
  usb.send(`${lineOf(1024, 1)}\n${lineOf(1025, 2)}\n${statusLine(3)}\n`);
  expect((await answerTo(1)).status).toBe(200);
  expect(await answerTo(2)).toMatchObject({ status: 413, body: { error: "line_too_long" } });
  expect((await answerTo(3)).status).toBe(200);
});

test("requests are answered in order, however their bytes are split", async () => {
  const lines = Array.from({ length: 50 }, (_, id) => statusLine(id)).join("\n");
  for (const piece of lines.match(/[\s\S]{1,37}/g) ?? []) usb.send(piece);
  usb.send("\n");
  await answerTo(49);
  expect(usb.answers.map(({ id }) => id)).toEqual(Array.from({ length: 49 }, (_, id) => id));
});

test("JSON nested 100,000 deep is rejected, and the console keeps running", async () => {
  usb.send(`${"[".repeat(100_000)}\n`);
  expect((await answerTo(null)).status).toBe(413);
  usb.send(`{"jsonrpc":"2.0","id":5,"method":"GET","path":"/api/status","params":{"a":${"[".repeat(800)}\n`);
  expect((await answerTo(5)).status).toBe(400);
  expect((await usb.request("GET", "/api/status")).status).toBe(200);
});

test("10,500 unknown names do not restart the console", async () => {
  for (let request = 0; request < 150; request += 1) {
    const unknown = (prefix: string) =>
      Array.from({ length: 35 }, (_, index) => `"${prefix}${request * 35 + index}":0`).join();
    const members = `"params":{${unknown("p")}},${unknown("m")}`;
    usb.send(`{"jsonrpc":"2.0","id":${request},"method":"GET","path":"/api/status",${members}}\n`);
    expect((await answerTo(request)).status).toBe(200);
  }
  const { body } = await usb.request("GET", "/api/system");
  expect(body).toMatchObject({ reset_reason: "power_on" });
});

test("a partial line is dropped when the cable is unplugged", async () => {
  usb.send(`${statusLine(1)}\n${statusLine(1).slice(0, 30)}`); // answered: the console has read it all
  await answerTo(1);
  await usb.close();
  usb = await UsbClient.open(simulated.usb);
  usb.send(`${statusLine(2)}\n`);
  expect((await answerTo(2)).status).toBe(200);
  expect(usb.answers).toEqual([]);
});

test("events start after GET /api/status, with the buffered log first", async () => {
  expect((await usb.request("GET", "/api/system")).status).toBe(200);
  expect(usb.events).toEqual([]);
  await usb.request("GET", "/api/status");
  const first = await usb.event(({ event }) => event === "log");
  const { lines } = await getJson(`${simulated.http}/api/logs`);
  expect(first).toEqual({ jsonrpc: "2.0", id: null, event: "log", data: lines[0] });
});

test("POST /api/logs/stream switches events off and on", async () => {
  await usb.request("GET", "/api/status");
  expect((await usb.request("POST", "/api/logs/stream", { enabled: false })).body).toEqual({
    enabled: false,
  });
  usb.events.length = 0;
  await fetch(`${simulated.http}/api/cmd?c=log+level+debug`, { method: "POST" });
  await usb.request("POST", "/api/cmd", { c: "log level debug" });
  expect(usb.events).toEqual([]);
  await usb.request("POST", "/api/logs/stream", { enabled: true });
  await usb.event(({ event }) => event === "log");
});

test("a host that stops reading gets its answer and the newest log line once it reads again", async () => {
  await usb.request("GET", "/api/status");
  await usb.request("POST", "/api/cmd", { c: "log level debug" });
  usb.pause();
  const marks = 600;
  for (let mark = 0; mark < marks; mark += 1)
    await fetch(`${simulated.http}/api/cmd?c=log+level+debug`, { method: "POST" });
  usb.send(`${statusLine(1000)}\n`);
  usb.resume();
  expect((await answerTo(1000)).status).toBe(200);
  const { lines } = await getJson(`${simulated.http}/api/logs`);
  await usb.event(({ data }) => data === lines.at(-1));
});
