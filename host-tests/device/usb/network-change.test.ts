/** A console reports over USB that its network is lost and returns, on a network created by the test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { consoleLaunch } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { Program } from "../mdns/program.js";
import { Host } from "../mdns/two-hosts.js";

const ADDRESS = "10.78.0.1";

describe.skipIf(isMissing("netns"))("on a separate network (skipped without network namespaces)", () => {
  test("a status event reports that the network is lost and that it returns", async () => {
    const host = await Host.create(ADDRESS);
    const state = mkdtempSync(join(tmpdir(), "console-"));
    host.run("ip", "link", "add", "net0", "type", "veth", "peer", "name", "net1");
    for (const name of ["net0", "net1"]) host.run("ip", "link", "set", name, "up", "addrgenmode", "none");
    host.run("ip", "address", "add", `${ADDRESS}/24`, "dev", "net0");
    const { command, args, environment } = await consoleLaunch(state);
    const simulated = new Program(host.command(command, ...args), { ...process.env, ...environment });
    await simulated.line(/"ready":true/);
    const usb = await UsbClient.open(join(state, "usb"));
    expect((await usb.request("GET", "/api/status")).body.wifi_ip).toBe(ADDRESS);

    host.run("ip", "address", "del", `${ADDRESS}/24`, "dev", "net0");
    await usb.event(({ event, data }) => event === "status" && data.wifi_ip !== ADDRESS);
    host.run("ip", "address", "add", `${ADDRESS}/24`, "dev", "net0");
    await usb.event(({ event, data }) => event === "status" && data.wifi_ip === ADDRESS);

    await usb.close();
    await simulated.stop();
    await host.close();
    rmSync(state, { recursive: true });
  });
});
