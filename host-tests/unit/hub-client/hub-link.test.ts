import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { HubLink, type HubLinkOptions } from "../../../hub-client/hub-link.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";
import type { DeviceMessage } from "../../../protocol/hub/push-messages.js";
import { acceptKeyOf } from "../../../protocol/websocket/accept-key.js";
import { NodeDigest, nodeBase64 } from "../../hosts/node-bytes.js";
import type { ScriptedSocket } from "../../hosts/scripted-tcp.js";
import { clientFrames, closePayload, OPCODE } from "../services/websocket/client-frames.js";
import { nodePorts, octets, ScriptedNetwork, sentText, turn } from "./client-ports.js";
import { TOKEN } from "./pushed.js";

const IDENTITY = {
  deviceToken: TOKEN,
  mac: "02:00:00:00:1A:2B",
  name: "Console-1A2B",
  arch: "xtensa",
  firmwareVersion: "1.0.0",
};
const STATUS: DeviceMessage = {
  type: "device.status",
  firmware_version: "1.0.0",
  free_heap_bytes: 1,
  running_apps: [],
  wifi_rssi: 0,
};

/** A link and its callbacks, in one line each. */
class Told {
  readonly lines: string[] = [];
  readonly link: HubLink;
  #onLine: () => void = () => {};

  constructor(ports: HubClientPorts, address: string, options: Partial<HubLinkOptions> = {}) {
    this.link = new HubLink({
      ports,
      address: parseHubAddress(address),
      isRegistered: true,
      identity: () => IDENTITY,
      onRegistered: ({ deviceId, claimCode }) => this.#tell(`registered ${deviceId} ${claimCode}`),
      onOpen: () => this.#tell("open"),
      onMessage: ({ type }) => this.#tell(type),
      onClosed: ({ code }) => this.#tell(`closed ${code}`),
      onRetry: ({ code }, retryMs) => this.#tell(`${code}, again after ${retryMs}`),
      onMalformed: ({ code }) => this.#tell(`malformed ${code}`),
      ...options,
    });
    expect(this.lines).toEqual([]); // no callback runs inside
  }

  /** Callbacks since the last call. */
  take(): readonly string[] {
    return this.lines.splice(0);
  }

  until(line: string | RegExp): Promise<void> {
    const isThere = () =>
      this.lines.some((told) => (typeof line === "string" ? told === line : line.test(told)));
    return new Promise((resolve) => {
      this.#onLine = () => isThere() && resolve();
      this.#onLine();
    });
  }

  #tell(line: string): void {
    this.lines.push(line);
    this.#onLine();
  }
}

/** Without chance, so that waits are their shortest. */
const random = { getRandomValues: (into: Uint8Array) => into.fill(0) };

function scripted(options: Partial<HubLinkOptions> = {}) {
  const network = new ScriptedNetwork({ random });
  const told = new Told(network.ports, "http://hub.example", options);
  return { network, told, link: told.link, clock: network.clock };
}

function shake(socket: ScriptedSocket): void {
  const key = /^sec-websocket-key: (.*)\r$/m.exec(sentText(socket))?.[1] ?? "";
  const accept = acceptKeyOf(key, { digest: NodeDigest, base64: nodeBase64, encoder: new TextEncoder() });
  socket.arrive(
    octets(
      `HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    ),
  );
}

const closeFrame = (code: number) =>
  clientFrames({ opcode: OPCODE.close, payload: closePayload(code), isMasked: false });
const answer = (status: number, body: string, fields = "") =>
  octets(`HTTP/1.1 ${status} x\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`);
const REGISTERED = answer(201, '{"device_id":"d1","claim_code":"ABCD-1234"}');

describe("a link", () => {
  test("registers an unregistered console, and then connects", async () => {
    const { network, told, link } = scripted({ isRegistered: false });
    const registering = await network.connect();
    expect(sentText(registering)).toMatch(/^POST \/api\/v1\/devices\/register HTTP/);
    registering.arrive(REGISTERED);
    await turn();
    expect(told.take()).toEqual(["registered d1 ABCD-1234"]);
    shake(await network.connect());
    expect([told.take(), link.isOpen, link.send(STATUS)]).toEqual([["open"], true, true]);
    link.close();
  });

  test("doubles its wait between failures, from one second to five minutes", async () => {
    const { network, told, link, clock } = scripted();
    const waits: number[] = [];
    for (let count = 0; count < 12; count++) {
      (await network.connect()).end();
      waits.push(clock.untilNextMs ?? 0);
      expect(told.take()).toEqual([`hub_unreachable, again after ${clock.untilNextMs}`]);
      clock.advance(clock.untilNextMs ?? 0);
    }
    expect(waits.map((ms) => ms / 1000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 150, 150, 150, 150]);
    link.close();
    expect(clock.timerCount).toBe(0);
  });

  test("waits a second again after a channel that lasted a minute, and longer after a shorter one", async () => {
    const { network, told, link, clock } = scripted();
    for (const [openMs, waitS] of [
      [59_999, 1],
      [59_999, 2],
      [60_000, 1],
      [0, 2],
    ] as const) {
      const socket = await network.connect();
      shake(socket);
      clock.advance(openMs);
      socket.end();
      expect(told.take()).toEqual([
        "open",
        "closed hub_unreachable",
        `hub_unreachable, again after ${waitS * 1000}`,
      ]);
      clock.advance(waitS * 1000);
    }
    link.close();
  });

  test("registers again after 401, and reports it", async () => {
    const { network, told, link, clock } = scripted();
    (await network.connect()).arrive(octets("HTTP/1.1 401 x\r\n\r\n"));
    expect(told.take()).toEqual(["unauthorized, again after 1000"]);
    clock.advance(1000);
    (await network.connect()).arrive(REGISTERED);
    await turn();
    shake(await network.connect());
    expect(told.take()).toEqual(["registered d1 ABCD-1234", "open"]);
    link.close();
  });

  // docs/spec/device-hub.md#push-bearer
  test("sends the token in Authorization from the registration on that offers it, and asks anew if it is refused", async () => {
    const { network, told, link, clock } = scripted({ isRegistered: false });
    (await network.connect()).arrive(answer(201, '{"device_id":"d1"}', "x-svc-push: bearer\r\n"));
    await turn();
    const first = await network.connect();
    expect(sentText(first)).toMatch(/^GET \/ws\/device HTTP/);
    first.arrive(octets("HTTP/1.1 404 x\r\n\r\n"));
    expect(told.take()).toEqual(["registered d1 undefined", "hub_refused, again after 1000"]);
    clock.advance(1000);
    (await network.connect()).arrive(REGISTERED);
    await turn();
    const second = await network.connect();
    expect(sentText(second)).toContain(`GET /ws/device/${TOKEN} HTTP`);
    shake(second);
    expect(told.take()).toEqual(["registered d1 ABCD-1234", "open"]);
    link.close();
  });

  test("waits the longest after another connection of the console took its place", async () => {
    const { network, told, link } = scripted();
    const socket = await network.connect();
    shake(socket);
    socket.arrive(closeFrame(4000));
    expect(told.take()).toEqual(["open", "closed hub_unreachable", "hub_unreachable, again after 300000"]);
    link.close();
  });

  test("waits at least as long as the hub demands, when it registers and when it connects", async () => {
    const { network, told, link, clock } = scripted({ isRegistered: false });
    (await network.connect()).arrive(
      answer(429, '{"error":"too_many_attempts","message":"x"}', "retry-after: 60\r\n"),
    );
    await turn();
    expect(told.take()).toEqual(["too_many_attempts, again after 60000"]);
    clock.advance(60_000);
    (await network.connect()).arrive(REGISTERED);
    await turn();
    (await network.connect()).arrive(octets("HTTP/1.1 503 x\r\nretry-after: 1\r\n\r\n"));
    expect(told.take()).toEqual(["registered d1 ABCD-1234", "busy, again after 2000"]);
    link.close();
  });

  test("tries at once on retryNow, and only while it waits", async () => {
    const { network, link, clock } = scripted();
    link.retryNow();
    (await network.connect()).end();
    link.retryNow();
    shake(await network.connect());
    link.retryNow();
    expect([link.isOpen, network.sockets.length]).toEqual([true, 2]);
    link.close();
    link.retryNow();
    expect(clock.timerCount).toBe(0);
  });

  test("registers again on registerAgain, in any state", async () => {
    const { network, told, link } = scripted();
    const first = await network.connect();
    shake(first);
    link.registerAgain();
    expect([link.isOpen, first.isClosed, link.send(STATUS)]).toEqual([false, true, false]);
    const second = await network.connect();
    link.registerAgain();
    expect(second.isClosed).toBe(true);
    (await network.connect()).arrive(REGISTERED);
    await turn();
    shake(await network.connect());
    expect(told.take()).toEqual(["open", "registered d1 ABCD-1234", "open"]);
    link.close();
  });

  const MOMENTS = [
    { name: "registers", isRegistered: false, play: async () => {} },
    {
      name: "waits for the answer to its registration",
      isRegistered: false,
      play: (network: ScriptedNetwork) => network.connect(),
    },
    { name: "connects", isRegistered: true, play: async () => {} },
    {
      name: "performs the handshake",
      isRegistered: true,
      play: (network: ScriptedNetwork) => network.connect(),
    },
    {
      name: "is open",
      isRegistered: true,
      play: async (network: ScriptedNetwork) => shake(await network.connect()),
    },
    {
      name: "waits",
      isRegistered: true,
      play: async (network: ScriptedNetwork) => (await network.connect()).end(),
    },
  ];
  for (const { name, isRegistered, play } of MOMENTS)
    test(`that is closed while it ${name} keeps no socket or timer and makes no callback`, async () => {
      const { network, told, link, clock } = scripted({ isRegistered });
      await play(network);
      told.take();
      link.close();
      link.close();
      await turn();
      for (const socket of network.sockets) {
        expect(socket.isClosed).toBe(true);
        socket.end();
      }
      clock.advance(1_000_000);
      await turn();
      expect([told.take(), clock.timerCount, link.isOpen]).toEqual([[], 0, false]);
    });

  test("may be closed by its own callback", async () => {
    const network = new ScriptedNetwork({ random });
    const told: Told = new Told(network.ports, "http://hub.example", { onClosed: () => told.link.close() });
    const socket = await network.connect();
    shake(socket);
    socket.end();
    expect([told.take(), network.clock.timerCount]).toEqual([["open"], 0]);
  });
});

describe("a link over the network", () => {
  let http: Server;
  let sockets: WebSocketServer;
  beforeEach(async () => {
    http = createServer((_, response) =>
      response.writeHead(201).end('{"device_id":"d1","claim_code":"ABCD-1234"}'),
    );
    sockets = new WebSocketServer({ server: http });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
  });

  test("registers, receives messages, and reconnects after the hub has closed", async () => {
    const { port } = http.address() as AddressInfo;
    let count = 0;
    sockets.on("connection", (socket) => {
      socket.send('{"type":"device.claimed","claimed":false}');
      if (++count < 3) socket.close(1001);
    });
    const told = new Told(nodePorts(), `http://localhost:${port}`, { isRegistered: false });
    await told.until("registered d1 ABCD-1234");
    const isThird = () => told.lines.filter((line) => line === "device.claimed").length === 3;
    while (!isThird()) await turn();
    told.link.close();
    const opens = told.lines.filter((line) => line === "open").length;
    const closes = told.lines.filter((line) => line === "closed hub_unreachable").length;
    expect([opens, closes]).toEqual([3, 2]);
  });
});
