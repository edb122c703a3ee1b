/**
 * An app with network access cannot connect to any address of the console itself; runs on a separate network
 * (docs/spec/capabilities.md#network-own).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installOverUsb } from "../../hosts/app-clients.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { isMissing } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";
import { consoleLaunch } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { Program } from "../mdns/program.js";
import { Host } from "../mdns/two-hosts.js";

const ADDRESS = "10.78.0.1";
const OWN = [
  ...[ADDRESS, "10.78.0.2", "10.79.0.9", "fd00:78::1", "fd00:78::2"],
  ...["127.0.0.1", "127.8.9.10", "0.0.0.0", "::1", "::", "localhost", "::ffff:10.78.0.2", "::ffff:10.79.0.9"],
  ...["127.1", "2130706433", "0x7f.1"], // other notations that resolvers accept as addresses
  "10.99.0.7", // of a local route, which no interface lists
];
/** Reachable addresses that refuse the connection, since no process listens. */
const ELSEWHERE = ["10.78.0.2", "127.0.0.1", "10.78.0.3"];
const CLOSED_PORT = 9;

/** An app that connects to each target and logs a line of as many `x` as the negated error code, none if connected. */
function connecting(targets: readonly { readonly host: string; readonly port: number }[]): string {
  const calls = targets.map(
    (
      { host, port },
      index,
    ) => `(local.set $result (call $connect (i32.const ${64 * index}) (i32.const ${host.length}) (i32.const ${port})))
      (if (i32.gt_s (local.get $result) (i32.const 0)) (then (drop (call $close (local.get $result))) (local.set $result (i32.const 0))))
      (call $log (i32.const 2) (i32.const 8192) (i32.sub (i32.const 4) (local.get $result)))`,
  );
  const names = targets.map(({ host }, index) => `(data (i32.const ${64 * index}) "${host}")`);
  return `(module (import "svc" "net_connect" (func $connect (param i32 i32 i32) (result i32)))
    (import "svc" "net_close" (func $close (param i32) (result i32)))
    (import "svc" "log" (func $log (param i32 i32 i32))) (memory 1) ${names.join(" ")}
    (data (i32.const 8192) "end:${"x".repeat(64)}")
    (func (export "main") (local $result i32) ${calls.join("\n")}))`;
}

describe.skipIf(isMissing("netns"))("on a separate network (skipped without network namespaces)", () => {
  test("an app with network.use cannot reach the management ports by any address of the console", async () => {
    const host = await Host.create(ADDRESS);
    const state = mkdtempSync(path.join(tmpdir(), "console-"));
    const publisher = new Publisher();
    publisher.becomeTrusted(state);
    host.run("ip", "link", "add", "net0", "type", "veth", "peer", "name", "net1");
    for (const name of ["net0", "net1"]) host.run("ip", "link", "set", name, "up", "addrgenmode", "none");
    for (const address of [`${ADDRESS}/24`, "10.78.0.2/24", "fd00:78::1/64", "fd00:78::2/64"])
      host.run("ip", "address", "add", address, "dev", "net0", ...(address.includes(":") ? ["nodad"] : []));
    host.run("ip", "address", "add", "10.79.0.9/32", "dev", "net1");
    host.run("ip", "route", "add", "local", "10.99.0.0/24", "dev", "lo");
    const { command, args, environment } = await consoleLaunch(state, ["--no-mdns"]);
    const simulated = new Program(host.command(command, ...args), { ...process.env, ...environment });
    await simulated.line(/"ready":true/);
    const usb = await UsbClient.open(path.join(state, "usb"));

    const targets = [
      ...OWN.flatMap((name) => [8080, 8081].map((port) => ({ host: name, port, error: -1 }))),
      ...ELSEWHERE.map((name) => ({ host: name, port: CLOSED_PORT, error: -5 })),
    ];
    const file = packageOf(await moduleOf(connecting(targets)), { capabilities: ["network.use"] });
    await installOverUsb(usb, { file, signature: publisher.sign(file) }, 3072);
    await usb.request("POST", "/api/apps/start", { name: "tetris" });
    const results = () =>
      simulated.lines
        .map((line) => /end:(x*)$/.exec(line)?.[1]?.length)
        .filter((length) => length !== undefined);
    await expect.poll(() => results().length, { timeout: 30_000 }).toBe(targets.length);
    expect(
      targets.map(({ host, port }, index) => `${host} ${port}: ${-(results()[index] as number)}`),
    ).toEqual(targets.map(({ host, port, error }) => `${host} ${port}: ${error}`));

    await usb.close();
    await simulated.stop();
    await host.close();
    rmSync(state, { recursive: true });
  });
});
