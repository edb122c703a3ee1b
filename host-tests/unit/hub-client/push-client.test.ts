import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { DeviceMessage } from "../../../protocol/hub/push-messages.js";
import { FrameReader } from "../../../protocol/websocket/frame-reader.js";
import type { ScriptedSocket } from "../../hosts/scripted-tcp.js";
import { type ClientFrame, clientFrames, closePayload, OPCODE } from "../services/websocket/client-frames.js";
import { nodePorts, octets, ScriptedNetwork, sentText } from "./client-ports.js";
import { Pushed, TOKEN } from "./pushed.js";

const { continuation, text, binary, close, ping, pong } = OPCODE;

const STATUS: DeviceMessage = {
  type: "device.status",
  firmware_version: "1.2.3",
  free_heap_bytes: 1,
  running_apps: ["tetris \u00fc"],
  wifi_rssi: -40,
};
const CLAIMED = { type: "device.claimed", claimed: true };

describe("a push channel over a hub's WebSocket", () => {
  let http: Server;
  let sockets: WebSocketServer;
  let paths: (string | undefined)[];
  beforeEach(async () => {
    http = createServer();
    sockets = new WebSocketServer({ server: http });
    paths = [];
    sockets.on("connection", (_, { url }) => paths.push(url));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
  });

  const address = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}/hub/api/v1`;
  const accepted = () => new Promise<WebSocket>((resolve) => sockets.once("connection", resolve));

  async function open() {
    const accepting = accepted();
    const pushed = new Pushed(nodePorts(), address());
    expect([pushed.client.isOpen, pushed.client.send(STATUS)]).toEqual([false, false]);
    const hub = await accepting;
    await pushed.until(() => pushed.openCount === 1);
    return { pushed, hub };
  }

  test("connects to the path with its token", async () => {
    const { pushed } = await open();
    expect([paths, pushed.client.isOpen]).toEqual([[`/hub/ws/device/${TOKEN}`], true]);
    pushed.client.close();
  });

  test("carries messages both ways, of every length up to 64 KiB", async () => {
    const { pushed, hub } = await open();
    for (const length of [0, 60, 200, 60_000]) {
      const message: DeviceMessage = { ...STATUS, running_apps: ["a".repeat(length)] };
      const arrived = new Promise((resolve) =>
        hub.once("message", (data) => resolve(JSON.parse(String(data)))),
      );
      expect(pushed.client.send(message)).toBe(true);
      expect(await arrived).toEqual(message);
    }
    hub.send(JSON.stringify(CLAIMED));
    await pushed.until(() => pushed.messages.length === 1);
    expect(pushed.messages).toEqual([CLAIMED]);
    pushed.client.close();
  });

  test("sends a message in pieces, which arrives as one", async () => {
    const { pushed, hub } = await open();
    for (const pieces of [["{}"], ["{", '"type":', `"${"x".repeat(300)}"}`]]) {
      const arrived = new Promise((resolve) => hub.once("message", (data) => resolve(String(data))));
      const waiting = [...pieces];
      expect(pushed.client.sendPieces(() => waiting.shift())).toBe(true);
      expect(await arrived).toBe(pieces.join(""));
    }
    pushed.client.close();
    expect(pushed.client.sendPieces(() => "x")).toBe(false);
  });

  test("starts no message in pieces while bytes wait to be sent", async () => {
    const { pushed, socket } = await opened();
    socket.open(0);
    expect(pushed.client.send(STATUS)).toBe(true);
    expect(pushed.client.sendPieces(() => "x")).toBe(false);
  });

  test("answers pings with their payload", async () => {
    const { pushed, hub } = await open();
    const answered = new Promise((resolve) => hub.once("pong", (data) => resolve(String(data))));
    hub.ping("are you there");
    expect(await answered).toBe("are you there");
    pushed.client.close();
  });

  for (const code of [1000, 1001, 1012, 4000])
    test(`ends with the hub's code ${code}, which it answers`, async () => {
      const { pushed, hub } = await open();
      const closed = new Promise((resolve) => hub.once("close", resolve));
      hub.close(code, "bye");
      expect(await closed).toBe(code);
      await pushed.until(() => pushed.end !== undefined);
      expect(pushed.ending).toEqual(["hub_unreachable", code]);
    });

  test("sends a close frame when closed, and makes no callback afterwards", async () => {
    const { pushed, hub } = await open();
    const closed = new Promise((resolve) => hub.once("close", resolve));
    pushed.client.close();
    pushed.client.close();
    expect(await closed).toBe(1001);
    expect([pushed.end, pushed.client.isOpen, pushed.client.send(STATUS)]).toEqual([undefined, false, false]);
  });

  test("ends when the hub dies", async () => {
    const { pushed, hub } = await open();
    hub.terminate();
    await pushed.until(() => pushed.end !== undefined);
    expect(pushed.ending).toEqual(["hub_unreachable", undefined]);
  });
});

/** The far end of a channel, played frame by frame. */
async function scripted(network = new ScriptedNetwork()) {
  const pushed = new Pushed(network.ports, "http://hub.example:8080");
  return { network, pushed, socket: await network.connect() };
}

const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

function proof(socket: ScriptedSocket): string {
  const key = /^sec-websocket-key: (.*)\r$/m.exec(sentText(socket))?.[1] ?? "";
  expect(Buffer.from(key, "base64")).toHaveLength(16);
  return createHash("sha1")
    .update(key + ACCEPT_SUFFIX)
    .digest("base64");
}

const switching = (accept: string, more = "") =>
  `HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${more}\r\n`;

const frames = (...list: readonly ClientFrame[]) =>
  clientFrames(...list.map((frame) => ({ isMasked: false, ...frame })));
const json = JSON.stringify(CLAIMED);

async function opened(network?: ScriptedNetwork) {
  const channel = await scripted(network);
  channel.socket.arrive(octets(switching(proof(channel.socket))));
  expect(channel.pushed.openCount).toBe(1);
  channel.socket.sent.length = 0;
  return channel;
}

/** Control frames that a client has sent, every one of them masked. */
function sentControls({ sent }: ScriptedSocket): readonly (readonly [number, string])[] {
  const reader = new FrameReader("client");
  const bytes = Uint8Array.from(sent);
  const controls: [number, string][] = [];
  for (let at = 0; at < bytes.length; ) {
    at += reader.push(bytes.subarray(at));
    if (reader.control)
      controls.push([reader.control.opcode, Buffer.from(reader.control.payload).toString("latin1")]);
  }
  return controls;
}

describe("the handshake of a push channel", () => {
  test("follows RFC 6455, with a new key each time", async () => {
    const [one, two] = [await scripted(), await scripted()];
    expect(sentText(one.socket)).toMatch(
      new RegExp(
        `^GET /ws/device/${TOKEN} HTTP/1.1\r\nhost: hub.example:8080\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-key: .{22}==\r\nsec-websocket-version: 13\r\n\r\n$`,
      ),
    );
    expect(sentText(two.socket)).not.toBe(sentText(one.socket));
  });

  test("has the token in Authorization for a hub that takes it there", async () => {
    const network = new ScriptedNetwork();
    new Pushed(network.ports, "http://hub.example:8080/hub", { sendsBearer: true });
    const sent = sentText(await network.connect());
    expect(sent).toMatch(/^GET \/hub\/ws\/device HTTP\/1\.1\r\n/);
    expect(sent).toMatch(new RegExp(`\r\nauthorization: Bearer ${TOKEN}\r\n\r\n$`));
  });

  test("may come in any two pieces, with a message right behind it", async () => {
    const length = switching("x".repeat(28)).length;
    for (let at = 0; at <= length; at++) {
      const { pushed, socket } = await scripted();
      const wire = Buffer.concat([octets(switching(proof(socket))), frames({ opcode: text, payload: json })]);
      socket.arrive(wire.subarray(0, at));
      socket.arrive(wire.subarray(at));
      expect([pushed.openCount, pushed.messages]).toEqual([1, [CLAIMED]]);
    }
  });

  const REFUSED = [
    { name: "401", wire: "HTTP/1.1 401 Unauthorized\r\n\r\n", code: "unauthorized" },
    { name: "404", wire: "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno", code: "hub_refused" },
    { name: "200", wire: "HTTP/1.1 200 OK\r\n\r\n", code: "hub_refused" },
    { name: "503", wire: "HTTP/1.1 503 x\r\nretry-after: 5\r\n\r\n", code: "busy", waitS: 5 },
    { name: "429", wire: "HTTP/1.1 429 x\r\nretry-after: 90\r\n\r\n", code: "too_many_attempts", waitS: 90 },
    { name: "a wrong key", wire: switching("dGhlIHNhbXBsZSBub25jZQ=="), code: "hub_refused" },
    { name: "no key", wire: switching("x").replace(/Sec-W.*\r\n/, ""), code: "hub_refused" },
    { name: "an answer that is not HTTP", wire: "hello\r\n\r\n", code: "hub_refused" },
    { name: "a head over 4 KiB", wire: `HTTP/1.1 101 x\r\na: ${"b".repeat(5000)}`, code: "hub_refused" },
  ];
  for (const { name, wire, code, waitS } of REFUSED)
    test(`fails with ${name}`, async () => {
      const { pushed, socket, network } = await scripted();
      socket.arrive(octets(wire));
      expect([pushed.ending, pushed.openCount]).toEqual([[code, undefined], 0]);
      expect(pushed.end?.fault.details?.["retry_after_s"]).toBe(waitS);
      expect(pushed.end?.fault.message).not.toContain(TOKEN);
      expect([socket.isClosed, network.clock.timerCount]).toEqual([true, 0]);
    });

  for (const more of ["sec-websocket-extensions: permessage-deflate\r\n", "sec-websocket-protocol: svc\r\n"])
    test(`fails when the hub selects what was not offered: ${more.trim()}`, async () => {
      const { pushed, socket } = await scripted();
      socket.arrive(octets(switching(proof(socket), more)));
      expect(pushed.ending).toEqual(["hub_refused", undefined]);
    });

  for (const missing of ["Upgrade: WebSocket\r\n", "Connection: keep-alive, Upgrade\r\n"])
    test(`fails without ${missing.trim()}`, async () => {
      const { pushed, socket } = await scripted();
      socket.arrive(octets(switching(proof(socket)).replace(missing, "")));
      expect(pushed.ending).toEqual(["hub_refused", undefined]);
    });

  test("times out 30 s after its request, whatever has come of its answer", async () => {
    const { pushed, socket, network } = await scripted();
    for (const byte of "HTTP/1.1 1") {
      network.clock.advance(3000 - 1);
      expect(pushed.ending).toEqual([]);
      socket.arrive(octets(byte));
    }
    network.clock.advance(10);
    expect(pushed.ending).toEqual(["hub_unreachable", undefined]);
  });

  test("times out after 30 s of silence", async () => {
    const { pushed, socket, network } = await scripted();
    network.clock.advance(30_000);
    expect([pushed.ending, socket.isClosed, network.clock.timerCount]).toEqual([
      ["hub_unreachable", undefined],
      true,
      0,
    ]);
  });

  test("does not start where the address requires TLS and there is none", async () => {
    const network = new ScriptedNetwork();
    const pushed = new Pushed(network.ports, "https://hub.example");
    await pushed.until(() => pushed.end !== undefined);
    expect([pushed.ending, network.clock.timerCount]).toEqual([["not_implemented", undefined], 0]);
  });
});

describe("an open push channel", () => {
  test("joins fragments with pings in between, however the bytes are split", async () => {
    const wire = frames(
      { opcode: text, payload: json.slice(0, 5), isFinal: false },
      { opcode: ping, payload: "p" },
      { opcode: continuation, payload: json.slice(5, 9), isFinal: false },
      { opcode: continuation, payload: json.slice(9) },
      { opcode: pong },
      { opcode: text, payload: json },
    );
    for (let at = 0; at <= wire.length; at++) {
      const { pushed, socket } = await opened();
      socket.arrive(wire.slice(0, at));
      socket.arrive(wire.slice(at));
      expect([pushed.messages, sentControls(socket)]).toEqual([[CLAIMED, CLAIMED], [[pong, "p"]]]);
    }
  });

  test("drops unknown messages, reports malformed ones, and continues", async () => {
    const { pushed, socket } = await opened();
    const long = { opcode: text, payload: `{"type":"${"x".repeat(5000)}"}` };
    socket.arrive(
      frames(
        { opcode: text, payload: '{"type":"app.dance"}' },
        { opcode: text, payload: "{" },
        { opcode: text },
      ),
    );
    socket.arrive(frames({ opcode: binary, payload: json }, long, { opcode: text, payload: json }));
    expect(pushed.malformed).toEqual(["bad_json", "bad_json", "bad_json", "body_too_large"]);
    expect([pushed.messages, pushed.end]).toEqual([[CLAIMED], undefined]);
  });

  test("reads a message over 512 bytes only with room for four times its length, however it is split", async () => {
    const asked: number[] = [];
    let hasRoom = false;
    const network = new ScriptedNetwork({
      hasRoom: (byteLength) => {
        asked.push(byteLength);
        return hasRoom;
      },
    });
    const { pushed, socket } = await opened(network);
    const padded = (length: number) => json.padEnd(length, " ");
    socket.arrive(frames({ opcode: text, payload: padded(512) }));
    expect([asked, pushed.messages]).toEqual([[], [CLAIMED]]);
    for (const byte of frames({ opcode: text, payload: padded(513) })) socket.arrive(Uint8Array.of(byte));
    expect([asked, pushed.malformed, pushed.messages.length]).toEqual([[4 * 513], ["busy"], 1]);
    hasRoom = true;
    socket.arrive(frames({ opcode: text, payload: padded(513) }));
    expect([pushed.messages.length, pushed.end]).toEqual([2, undefined]);
  });

  const BROKEN = [
    { name: "a masked frame", frame: { opcode: text, payload: json, isMasked: true }, code: 1002 },
    { name: "reserved bits", frame: { opcode: text, payload: json, reserved: 4 }, code: 1002 },
    { name: "a reserved opcode", frame: { opcode: 3 }, code: 1002 },
    { name: "a continuation without a beginning", frame: { opcode: continuation }, code: 1002 },
    { name: "a ping in fragments", frame: { opcode: ping, isFinal: false }, code: 1002 },
    { name: "text that is not UTF-8", frame: { opcode: text, payload: Uint8Array.of(0xff) }, code: 1007 },
    { name: "a message over 64 KiB", frame: { opcode: text, byteLength: 65_537n }, code: 1009 },
    {
      name: "a close code that must not be sent",
      frame: { opcode: close, payload: closePayload(1005) },
      code: 1002,
    },
  ];
  for (const { name, frame, code } of BROKEN)
    test(`ends with ${code} on ${name}`, async () => {
      const { pushed, socket, network } = await opened();
      socket.arrive(frames(frame));
      expect(pushed.ending).toEqual(["hub_refused", undefined]);
      expect(sentControls(socket)).toEqual([
        [close, Buffer.from([code >> 8, code & 0xff]).toString("latin1")],
      ]);
      expect([socket.isClosed, network.clock.timerCount]).toEqual([true, 0]);
    });

  test("ends when the hub closes without a reason", async () => {
    const { pushed, socket } = await opened();
    socket.arrive(frames({ opcode: close }));
    expect([pushed.ending, sentControls(socket)]).toEqual([["hub_unreachable", undefined], [[close, ""]]]);
  });

  test("times out after 75 s of silence, and not while pings arrive", async () => {
    const { pushed, socket, network } = await opened();
    for (let count = 0; count < 10; count++) {
      network.clock.advance(30_000);
      socket.arrive(frames({ opcode: ping }));
    }
    network.clock.advance(74_999);
    expect(pushed.end).toBeUndefined();
    network.clock.advance(1);
    expect([pushed.ending, socket.isClosed, network.clock.timerCount]).toEqual([
      ["hub_unreachable", undefined],
      true,
      0,
    ]);
  });

  test("takes one long message for a hub that does not read, then neither messages nor pongs until it reads", async () => {
    const { pushed, socket } = await opened();
    socket.open(0);
    const results = [30_000, 10, 10].map((length) =>
      pushed.client.send({ ...STATUS, running_apps: ["a".repeat(length)] }),
    );
    for (let count = 0; count < 10_000; count++)
      socket.arrive(frames({ opcode: ping, payload: "x".repeat(125) }));
    expect([results, socket.sent]).toEqual([[true, false, false], []]);
    socket.open(1 << 20);
    expect(pushed.client.send(STATUS)).toBe(true);
    expect(sentControls(socket)).toEqual([]);
  });

  test("delivers no further message once closed", async () => {
    const network = new ScriptedNetwork();
    let count = 0;
    const pushed: Pushed = new Pushed(network.ports, "http://hub.example", {
      onMessage: () => {
        count++;
        pushed.client.close();
      },
    });
    const socket = await network.connect();
    const more = frames(
      { opcode: text, payload: json },
      { opcode: text, payload: json },
      { opcode: text, payload: "{" },
      { opcode: close },
    );
    socket.arrive(Buffer.concat([octets(switching(proof(socket))), more]));
    expect([count, pushed.malformed, pushed.end, network.clock.timerCount]).toEqual([1, [], undefined, 0]);
  });
});
