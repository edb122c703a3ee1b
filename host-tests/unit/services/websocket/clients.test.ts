/**
 * Real clients against the server over real sockets: the `ws` package, Node's http, and bare connections
 * (docs/spec/websocket.md#line-frames).
 */
import { once } from "node:events";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { nextTurn, nodeTcp } from "../../../hosts/node-tcp.js";
import { BROKEN_FRAMES } from "./broken-frames.js";
import { readServerFrames } from "./client-frames.js";
import { type Served, serve, TOKEN, upgradeRequest } from "./served.js";

let served: Served;
const clients: WebSocket[] = [];

beforeEach(async () => {
  served = serve(nodeTcp);
  await nextTurn();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.terminate();
  served.server.close();
});

const say = (message: string) => served.log.write("info", "test", message);
const line = (message: string) => `0.000 I test: ${message}\n`;
const address = (target = "/ws") => `ws://127.0.0.1:${served.server.port}${target}`;

/** A client of the `ws` package and everything it receives. */
function open(target?: string, options = {}) {
  const client = new WebSocket(address(target), options);
  clients.push(client);
  const frames: string[] = [];
  client.on("message", (data, isBinary) => frames.push(isBinary ? "binary" : String(data)));
  return { client, frames };
}

/** A client that is connected. */
async function opened(target?: string, options = {}) {
  const follower = open(target, options);
  await once(follower.client, "open");
  return follower;
}

/** Why a client was refused. */
async function refusal(target?: string, options = {}): Promise<string> {
  const [error] = await once(open(target, options).client, "error");
  return String(error);
}

describe("ws", () => {
  test("reads the buffered lines and the following ones", async () => {
    say("one");
    const { frames } = await opened();
    await expect.poll(() => frames).toEqual([line("one")]);
    say("two");
    say("ü".repeat(200));
    await expect.poll(() => frames.length).toBe(3);
    expect(frames.slice(1).join("")).toBe(`${line("two")}${served.log.line(2)}\n`);
  });

  test("connects while offering compression, and gets none", async () => {
    const { client } = await opened("/ws", { perMessageDeflate: true });
    expect(client.extensions).toBe("");
  });

  test("gets a pong for its ping", async () => {
    const { client } = await opened();
    client.ping("are you there?");
    const [payload] = await once(client, "pong");
    expect(String(payload)).toBe("are you there?");
  });

  test("gets a ping every 30 seconds, answers it, and stays connected", async () => {
    const { client } = await opened();
    for (let count = 0; count < 3; count++) {
      const pinged = once(client, "ping");
      served.clock.advance(30_000);
      await pinged;
      client.ping(); // its pong is behind the one for our ping
      await once(client, "pong");
    }
    expect(client.readyState).toBe(WebSocket.OPEN);
  });

  test("sends fragmented messages, and gets no answer", async () => {
    const { client, frames } = await opened();
    for (const message of ["hello", Buffer.alloc(65_536)]) {
      client.send(message.slice(0, 2), { fin: false });
      client.send(message.slice(2), { fin: true });
    }
    client.ping();
    await once(client, "pong");
    expect(frames).toEqual([]);
  });

  for (const [code, expected] of [
    [undefined, 1005],
    [1000, 1000],
    [4000, 4000],
  ] as const)
    test(`closes with ${code} and gets ${expected}`, async () => {
      const { client } = await opened();
      client.close(code, code && "enough");
      const [got] = await once(client, "close");
      expect(got).toBe(expected);
    });

  test("gets 1009 after a message over 64 KiB", async () => {
    const { client } = await opened();
    client.send(Buffer.alloc(65_537));
    const [code] = await once(client, "close");
    expect(code).toBe(1009);
  });

  test("gets 1001 when the console ends", async () => {
    const { client } = await opened();
    served.server.close();
    const [code] = await once(client, "close");
    expect(code).toBe(1001);
  });

  test("is rejected on another path, from another origin, and as the fourth of an address or the fifth of all", async () => {
    expect(await refusal("/other")).toMatch(/404/);
    expect(await refusal("/ws", { origin: "https://evil.example" })).toMatch(/403/);
    expect(await refusal("/ws", { headers: { host: "evil.example" } })).toMatch(/403/);
    expect(await refusal("/ws", { protocolVersion: 8 })).toMatch(/426/);
    await Promise.all([opened(), opened(), opened()]);
    expect(await refusal()).toMatch(/503/);
    await opened("/ws", { localAddress: "127.0.0.2" });
    expect(await refusal("/ws", { localAddress: "127.0.0.3" })).toMatch(/503/);
  });

  test("sends its token in a field or in the query", async () => {
    served.server.close();
    served = serve(nodeTcp, { isTokenRequired: true });
    await nextTurn();
    expect(await refusal()).toMatch(/401/);
    await opened("/ws", { headers: { authorization: `Bearer ${TOKEN}` } });
    await opened(`/ws?token=${TOKEN}`);
  });

  test("that stops reading during 10,000 lines loses the middle, gets the number lost, and delays no other client", async () => {
    const slow = await opened();
    const quick = await opened();
    slow.client.pause();
    for (let count = 0; count < 10_000; count++) {
      say(`line ${count} ${"x".repeat(300)}`);
      if (count % 20 === 19) await nextTurn();
    }
    await expect.poll(() => quick.frames.at(-1)).toContain("line 9999");
    slow.client.resume();
    await expect.poll(() => slow.frames.at(-1)).toContain("line 9999");
    expect(numbersAndLosses(slow.frames)).toBe(10_000);
    expect(slow.frames.some((frame) => frame.includes("log lines were lost"))).toBe(true);
  });
});

/** Checks that only lines reported as lost are missing, and none is out of order. @returns the lines in all */
function numbersAndLosses(frames: readonly string[]): number {
  let next = 0;
  for (const frame of frames) {
    const lost = /W websocket: (\d+) log lines were lost\n$/.exec(frame)?.[1];
    if (lost !== undefined) next += Number(lost);
    else expect(frame).toMatch(new RegExp(`^0\\.000 I test: line ${next++} x+\n$`));
  }
  return next;
}

describe("Node's http", () => {
  function ask(method: string, target: string) {
    return new Promise<http.IncomingMessage>((resolve, reject) => {
      const { port } = served.server;
      const request = http.request({ host: "127.0.0.1", port, method, path: target }, resolve);
      request.on("error", reject);
      request.end();
    });
  }

  test("is asked to upgrade", async () => {
    const response = await ask("GET", "/ws");
    expect(response.statusCode).toBe(426);
    expect(response.headers).toMatchObject({ upgrade: "websocket", "sec-websocket-version": "13" });
    expect(JSON.parse(String(await response.toArray()))).toMatchObject({ error: "upgrade_required" });
  });

  test("gets the allowed method", async () => {
    for (const method of ["POST", "HEAD", "DELETE"]) {
      const response = await ask(method, "/ws");
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe("GET");
      response.resume();
    }
  });
});

describe("A bare connection", () => {
  /** Everything received until the console closes. */
  async function everything(socket: Socket): Promise<Buffer> {
    const chunks = await socket.toArray();
    return Buffer.concat(chunks);
  }

  for (const { name, wire, code } of BROKEN_FRAMES)
    test(`that sends ${name} gets ${code} and is closed`, async () => {
      const socket = connect(served.server.port, "127.0.0.1");
      socket.write(upgradeRequest());
      socket.write(wire);
      const received = await everything(socket);
      const frames = readServerFrames(received.subarray(received.indexOf("\r\n\r\n") + 4));
      expect(frames.at(-1)).toEqual({ opcode: 8, payload: Buffer.of(code >> 8, code & 0xff) });
    });

  test("that sends its request byte by byte is answered", async () => {
    const socket = connect(served.server.port, "127.0.0.1");
    socket.setNoDelay(true);
    for (const character of upgradeRequest()) {
      socket.write(character);
      await nextTurn();
    }
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1.1 101 /);
    socket.destroy();
  });
});
