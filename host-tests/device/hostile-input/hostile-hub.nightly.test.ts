/**
 * No malformed answer of a hub ends a console: it rejects the answer, keeps running and retries later. A hub that sent a
 * list of commas in a field once made the console crash at every start.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getJson } from "../../hosts/http-client.js";
import { type Console, smallestHeapFirst, startConsole } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { crumbs, fragments, frame, type HostileAnswers, HostileHub, jsonAnswer } from "./hostile-hub.js";
import { filled } from "./shapes.js";

const TEXT = 1;
const PING = 9;
const BODY_BYTES = 4000;

const LIST_FIELDS = [
  "connection",
  "transfer-encoding",
  "upgrade",
  "retry-after",
  "etag",
  "content-range",
  "content-type",
];
const MEMBERS = ["a,", ",", '"a"'];
const fields = LIST_FIELDS.flatMap((name) =>
  MEMBERS.map((member) => ({
    name: `${name} of ${JSON.stringify(member)}`,
    line: `${filled(member, 3800, `${name}: `)}\r\n`,
  })),
);
const repeated = LIST_FIELDS.map((name) => ({
  name: `${name} in many lines`,
  line: filled(`${name}: a\r\n`, 3800),
}));

const BODIES = [
  { name: "empty arrays", body: `${filled("[],", BODY_BYTES, "[")}0]` },
  { name: "empty objects", body: `${filled("{},", BODY_BYTES, "[")}0]` },
  { name: "digits", body: `${filled("0,", BODY_BYTES, "[")}0]` },
  { name: "deep arrays", body: "[".repeat(BODY_BYTES) },
  { name: "deep objects", body: filled('{"a":', BODY_BYTES) },
  {
    name: "members of many names",
    body: `{${Array.from({ length: 400 }, (_, at) => `"n${at}":0`).join(",")}}`,
  },
  { name: "members of one name", body: `{"device_id":"d"${filled(',"device_id":"d"', BODY_BYTES)}}` },
  { name: "a long device_id", body: `{"device_id":"${"d".repeat(3900)}"}` },
  { name: "a long error", body: `{"error":"${"e".repeat(3900)}"}` },
  { name: "a long message", body: `{"error":"busy","message":"${"\\n".repeat(1900)}"}` },
  { name: "invalid UTF-8", body: '{"device_id":"\xc0\xaf\xed\xa0\x80"}' },
];

const install = (members: Record<string, unknown>) =>
  JSON.stringify({
    type: "app.install",
    command_id: "c",
    app_id: "tetris",
    version: "1.0.0",
    download_url: "/",
    ...members,
  });
const MESSAGES = [
  ...BODIES.map(({ name, body }) => ({ name, text: body })),
  { name: "an address of 4000 characters", text: install({ download_url: `http://${"a.".repeat(1900)}` }) },
  {
    name: "an address of many slashes",
    text: install({ download_url: `http://127.0.0.1/${"/".repeat(1900)}` }),
  },
  { name: "a version of dots", text: install({ version: ".".repeat(3800) }) },
  { name: "a name of dots", text: install({ app_id: ".".repeat(3800) }) },
  { name: "a long id", text: install({ command_id: "c".repeat(3800) }) },
];

interface Case extends HostileAnswers {
  readonly name: string;
}

const DOWNLOAD = frame(TEXT, install({ download_url: "http://hub.example/api/v1/catalog/tetris/download" }));

const CASES: Readonly<Record<string, readonly Case[]>> = {
  "answers to its registration": [
    ...[...fields, ...repeated].map(({ name, line }) => ({
      name,
      registration: `HTTP/1.1 201 Created\r\n${line}\r\n`,
    })),
    ...repeated.map(({ name, line }) => ({
      name: `an error with ${name}`,
      registration: `HTTP/1.1 503 Busy\r\n${line}content-length: 0\r\n\r\n`,
    })),
    ...BODIES.flatMap(({ name, body }) => [
      { name, registration: jsonAnswer("201 Created", body) },
      { name: `${name} in chunks of a byte`, registration: crumbs("201 Created", body) },
      { name: `an error with ${name}`, registration: jsonAnswer("409 Conflict", body) },
    ]),
    { name: "thousands of interim answers", registration: "HTTP/1.1 100 Continue\r\n\r\n".repeat(5000) },
    { name: "a long status line", registration: `HTTP/1.1 200 ${" a".repeat(1950)}\r\n\r\n` },
  ],
  "fields of its handshake": [...fields, ...repeated].map(({ name, line }) => ({
    name,
    handshakeFields: line,
  })),
  "messages of its push channel": [
    ...MESSAGES.flatMap(({ name, text }) => [
      { name, frames: [frame(TEXT, text)] },
      { name: `${name} in fragments of a byte`, frames: [fragments(text)] },
    ]),
    {
      name: "empty messages",
      frames: [Buffer.concat(Array.from({ length: 5000 }, () => frame(TEXT, "")))],
    },
    {
      name: "empty fragments",
      frames: [
        frame(TEXT, "", false),
        Buffer.concat(Array.from({ length: 5000 }, () => frame(0, "", false))),
      ],
    },
    {
      name: "pings whose pongs are not read",
      frames: [Buffer.alloc(2_000_000, frame(PING, ""))],
      isDeaf: true,
    },
    {
      name: "more long commands than the console keeps",
      frames: Array.from({ length: 40 }, (_, at) =>
        frame(
          TEXT,
          install({
            app_id: `app-${at}`,
            command_id: `c${at}`,
            download_url: `http://hub.example/${"a".repeat(2000)}`,
          }),
        ),
      ),
    },
  ],
};

const DOWNLOADS: readonly Case[] = [
  ...[...fields, ...repeated].map(({ name, line }) => ({
    name,
    frames: [DOWNLOAD],
    download: `HTTP/1.1 200 OK\r\n${line}content-length: 0\r\n\r\n`,
  })),
  ...BODIES.map(({ name, body }) => ({
    name: `an error with ${name} in chunks of a byte`,
    frames: [DOWNLOAD],
    download: crumbs("404 Not Found", body),
  })),
];

for (const variant of smallestHeapFirst)
  describe(`A console (${variant})`, () => {
    let simulated: Console;
    let usb: UsbClient;
    beforeAll(async () => {
      simulated = await startConsole({ variant });
      usb = await UsbClient.open(simulated.usb);
    });
    afterAll(async () => {
      await usb.close();
      await simulated.stop();
    });

    const uptime = async () => (await getJson(`${simulated.http}/api/status`)).uptime_ms;

    /** Connects the console to a hub with these answers, and expects that it keeps running. */
    async function meet(answers: HostileAnswers): Promise<void> {
      await using hub = await HostileHub.start(answers);
      const before = await uptime();
      await usb.request("POST", "/api/hub", { url: hub.url });
      await expect.poll(() => hub.asked.some((path) => isReached(answers, path)), POLL).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      expect(await uptime()).toBeGreaterThan(before);
      expect(simulated.stderr.filter((line) => line.startsWith("console: "))).toEqual([]);
    }

    for (const [kind, cases] of Object.entries(CASES))
      test(`survives hostile ${kind}`, async () => {
        for (const { name, ...answers } of cases)
          await meet(answers).catch((cause) => {
            throw new Error(name, { cause });
          });
      });

    test("survives hostile answers to downloads", async () => {
      for (const { name, ...answers } of DOWNLOADS) {
        await using hub = await HostileHub.start(answers);
        // A new console for each: one that downloads keeps retrying, which leaves too little memory for the next case.
        const another = await startConsole({ variant, flags: ["--hub", hub.url] });
        await expect.poll(() => hub.asked.some((path) => path.endsWith("/download")), POLL).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        const { error = "busy" } = await getJson(`${another.http}/api/status`);
        expect([name, error]).toEqual([name, "busy"]);
        await another.stop();
        expect([name, ...another.stderr.filter((line) => line.startsWith("console: "))]).toEqual([name]);
      }
    });

    test("connects again after a hub answered with a list of commas, at its next start too", async () => {
      await using hub = await HostileHub.start({
        handshakeFields: `${filled(",", 3800, "connection: ")}\r\n`,
      });
      const again = await startConsole({ variant, flags: ["--hub", hub.url] });
      const asked = () => hub.asked.filter((path) => path.includes("/ws/device/")).length;
      await expect.poll(asked, { timeout: 30_000 }).toBeGreaterThan(1);
      await again.stop();
      expect(again.stderr.filter((line) => line.startsWith("console: "))).toEqual([]);
    });
  });

/** Time in which a console may fail. */
const SETTLE_MS = 40;

const POLL = { timeout: 20_000, interval: 10 };

function isReached({ frames, handshakeFields }: HostileAnswers, path: string): boolean {
  if (frames || handshakeFields !== undefined) return path.includes("/ws/device/");
  return path.endsWith("/register");
}
