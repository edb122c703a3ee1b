/** What a console with two networks answers, and its goodbye (docs/spec/mdns.md#own-network, #goodbye). */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { type Built, buildNodeProgram } from "./console-under-test.js";
import { obstacleTo } from "./obstacle.js";
import { type TwoHosts, twoHosts } from "./two-hosts.js";

const missing = obstacleTo("gcc");
const OTHER_NETWORK = { console: "10.78.0.1", peer: "10.78.0.2" };

describe.skipIf(missing !== undefined)(`a console with two networks${missing ? ` (${missing})` : ""}`, () => {
  const directory = temporaryDirectory();
  const query = path.join(directory.path, "query");
  let hosts: TwoHosts;
  let peer: Built;

  beforeAll(async () => {
    execFileSync("gcc", ["-Wall", "-o", query, path.join(import.meta.dirname, "query.c")]);
    peer = buildNodeProgram("bonjour-peer", "Peer");
    hosts = await twoHosts();
    const cable = ["type", "veth", "peer", "name", "cable1", "netns", String(hosts.peer.pid)];
    hosts.console.run("ip", "link", "add", "cable1", ...cable);
    for (const side of ["console", "peer"] as const) {
      hosts[side].run("ip", "address", "add", `${OTHER_NETWORK[side]}/24`, "dev", "cable1");
      hosts[side].run("ip", "link", "set", "cable1", "up", "multicast", "on");
    }
  });
  afterAll(async () => {
    await hosts?.close();
    peer?.remove();
    directory.remove();
  });

  const start = (): Promise<Console> => {
    const [file, words] = hosts.console.command();
    const flags = ["--mac", "02:00:00:00:1A:2B"];
    return startConsole({ hasMdns: true, isOnAllAddresses: true, within: [file, ...words], flags });
  };

  test("answers with the address of the network that asks, and is silent in the other one", async () => {
    const console = await start();
    await console.waitForLine(/Advertising Console-1A2B\.local/);
    const answers = hosts.peer.run(query, "Console-1A2B.local", OTHER_NETWORK.console, hosts.console.address);
    expect(answers).toBe("from 10.77.0.1, time to live 255: 10.77.0.1\n");
    await console.stop();
  });

  for (const { name, method, parameters } of [
    { name: "a restart", method: "/api/reboot", parameters: {} },
    { name: "a factory reset", method: "/api/factory-reset", parameters: {} },
    { name: "a change of network", method: "/api/wifi", parameters: { forget: true } },
  ])
    test(`says goodbye before ${name}`, async () => {
      const neighbour = await peer.start(hosts.peer);
      const console = await start();
      await neighbour.line(/"up".*Console-1A2B/);
      const usb = await UsbClient.open(console.usb);
      await usb.request("POST", method, parameters);
      await neighbour.line(/"down".*Console-1A2B/);
      await usb.close();
      await console.stop();
      await neighbour.stop();
    });
});
