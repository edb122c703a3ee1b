/** `svc` finds consoles by mDNS, in a network without other hosts. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { type Built, buildSimulatedConsole } from "../mdns/console-under-test.js";
import { obstacleTo } from "../mdns/obstacle.js";
import type { Program } from "../mdns/program.js";
import { type TwoHosts, twoHosts } from "../mdns/two-hosts.js";
import { type SvcOptions, svc, svcFailure, svcJson } from "./svc-process.js";

const obstacle = isMissing("netns") ? "needs network namespaces" : obstacleTo();
const FOUND = { name: "Console-1A2B", addresses: ["http://10.77.0.1:8080"] };

describe.skipIf(obstacle !== undefined)(`svc in a network${obstacle ? ` (${obstacle})` : ""}`, () => {
  let hosts: TwoHosts;
  let built: Built;
  let console: Program;
  let atPeer: SvcOptions;

  beforeAll(async () => {
    built = await buildSimulatedConsole();
  });
  afterAll(() => built?.remove());
  beforeEach(async () => {
    hosts = await twoHosts();
    atPeer = { within: (...command) => hosts.peer.command(...command) };
  });
  afterEach(() => hosts.close());

  const announced = async () => {
    console = await built.start(hosts.console);
    await console.line(/Advertising Console-1A2B\._svc/);
  };

  test("finds and lists the only console", async () => {
    await announced();
    expect(await svcJson(["discover"], atPeer)).toMatchObject({ devices: [FOUND] });
    expect((await svc(["discover"], atPeer)).stdout).toMatch(
      /^Console-1A2B {2}\d.* {2}http:\/\/10\.77\.0\.1:8080\n$/,
    );
    expect(await svcJson(["system"], atPeer)).toMatchObject({ name: "Console-1A2B" });
    await console.stop();
  });

  const NAMES = ["Console-1A2B", "console-1a2b", "Console-1A2B.local", "10.77.0.1"];
  test(`accepts the names ${NAMES.join(", ")}`, async () => {
    await announced();
    for (const name of NAMES)
      expect(await svcJson(["system", "--device", name], atPeer)).toMatchObject({ name: "Console-1A2B" });
    const other = await svcFailure(["system", "--device", "Console-9999"], atPeer);
    expect(other).toMatchObject({
      error: "device_not_found",
      message: expect.stringContaining("Console-1A2B"),
    });
    await console.stop();
  });

  test("fails with device_ambiguous if there are several consoles", async () => {
    await announced();
    const second = await built.start(hosts.peer);
    await second.line(/Advertising Console-1A2B \(2\)\._svc/);
    const { error, message } = await svcFailure(["status"], atPeer);
    expect(error).toBe("device_ambiguous");
    expect(message).toContain("Console-1A2B (http://10.77.0.1:8080)");
    expect(message).toContain("Console-1A2B (2) (http://10.77.0.2:8080)");
    await second.stop();
    await console.stop();
  });

  test("fails with device_not_found if there is no console", async () => {
    expect(await svcFailure(["status"], atPeer)).toMatchObject({
      error: "device_not_found",
      advice: expect.stringContaining("--device"),
    });
    expect(await svcJson(["discover", "--timeout-ms", "200"], atPeer)).toEqual({ devices: [] });
  });
});
