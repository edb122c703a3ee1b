/** bonjour-service, what most Node programs use, finds the console, and the two share a name. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FIRMWARE } from "../../../device/services/firmware/firmware-facts.js";
import { type Built, buildNodeProgram, buildSimulatedConsole } from "./console-under-test.js";
import { obstacleTo } from "./obstacle.js";
import type { Program } from "./program.js";
import { type TwoHosts, twoHosts } from "./two-hosts.js";

/** A first build of the simulator takes its time. */
const BUILD_LIMIT_MS = 180_000;
const missing = obstacleTo();

describe.skipIf(missing !== undefined)(`bonjour-service${missing ? ` (${missing})` : ""}`, () => {
  let hosts: TwoHosts;
  let programs: Program[];
  let built: Record<"console" | "peer" | "rival", Built>;

  beforeAll(async () => {
    built = {
      console: await buildSimulatedConsole(),
      peer: buildNodeProgram("bonjour-peer", "Peer"),
      rival: buildNodeProgram("bonjour-peer", "Console-1A2B"),
    };
  }, BUILD_LIMIT_MS);
  afterAll(() => {
    for (const program of Object.values(built ?? {})) program.remove();
  });

  beforeEach(async () => {
    hosts = await twoHosts();
    programs = [];
  });
  afterEach(async () => {
    for (const program of programs) await program.stop();
    await hosts.close();
  });

  /** Starts it on its host; it ends with the test at the latest. */
  const start = async (kind: keyof typeof built) => {
    const program = await built[kind].start(kind === "console" ? hosts.console : hosts.peer);
    programs.push(program);
    return program;
  };
  const FOUND = {
    event: "up",
    name: "Console-1A2B",
    host: "Console-1A2B.local",
    port: 8080,
    txt: { fw: FIRMWARE.version, api: "v1" },
    addresses: ["10.77.0.1"],
  };

  test("finds a console that starts later", async () => {
    const peer = await start("peer");
    await start("console");
    expect(JSON.parse(await peer.line(/"up".*Console/))).toEqual(FOUND);
  });

  test("finds a console that started earlier", async () => {
    const console = await start("console");
    await console.line(/Advertising Console-1A2B\._svc/);
    const peer = await start("peer");
    expect(JSON.parse(await peer.line(/"up".*Console/))).toEqual(FOUND);
  });

  test("notices that the console stops", async () => {
    const console = await start("console");
    const peer = await start("peer");
    await peer.line(/"up".*Console/);
    await console.stop();
    expect(JSON.parse(await peer.line(/"down"/))).toMatchObject({ name: "Console-1A2B" });
  });

  test("keeps its own service name, and the console takes the next one", async () => {
    const peer = await start("rival");
    await peer.line(/published/);
    const console = await start("console");
    expect(await console.line(/Advertising .*\._svc/)).toContain("Console-1A2B (2)._svc._tcp.local");
  });
});
