/** `svc` as a publisher and as the owner of consoles use it, against a hub that runs. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkPackage } from "../../../hub/packages/check-package.js";
import { bindingOf } from "../../../protocol/hub/device-token.js";
import { writeTrapLines } from "../../../tools/trap-lines.js";
import { NodeDigest } from "../../hosts/node-bytes.js";
import { runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { appPackage, HubPublisher } from "../catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

const temporary = mkdtempSync(path.join(tmpdir(), "svc-"));
afterAll(() => rmSync(temporary, { recursive: true }));

let hub: HubUnderTest;
let publisher: HubPublisher;
let accountToken: string;
let home: string;
let count = 0;

beforeAll(async () => {
  hub = await EMBEDDED_HUB.start();
  publisher = await HubPublisher.register(hub, "Pixel Works");
});
afterAll(() => hub.stop());
beforeEach(() => {
  home = path.join(temporary, String(count++));
});

const svc = (args: readonly string[], environment: Record<string, string> = {}, input = "") =>
  runSvcIn({ XDG_CONFIG_HOME: home, ...environment }, args, input);
const json = (args: readonly string[], environment?: Record<string, string>) => {
  const { status, stdout, stderr } = svc([...args, "--json"], environment);
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};
const login = (token: string) => json(["hub", "login", "--url", hub.origin, "--token", token]);
const expectRefused = (args: readonly string[], code: string, environment?: Record<string, string>) => {
  const { status, stdout, stderr } = svc(args, environment);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(new RegExp(`^svc: ${code}: .+\n(?:.+\n)?$`));
};

/** A package and its signature beside it. */
async function packageFile(fields: Parameters<typeof appPackage>[0]): Promise<string> {
  const file = path.join(temporary, `${fields?.name}-${fields?.version ?? "1.0.0"}.svcpkg`);
  const bytes = await appPackage(fields);
  writeFileSync(file, bytes);
  writeFileSync(`${file}.sig`, `${publisher.key.sign(bytes)}\n`);
  return file;
}

/** A console that has registered, and its claim code. */
async function registeredDevice(): Promise<{ readonly device_id: string; readonly claim_code: string }> {
  const [device_token, mac] = [crypto.randomUUID(), "02:00:00:00:1A:2B"];
  const binding = bindingOf(device_token, mac, NodeDigest);
  const named = { name: "Console-1A2B", arch: "xtensa", firmware_version: "0.2.0" };
  const registration = { device_token, mac, binding, ...named };
  return (await request(hub.origin, "POST", "/devices/register", { json: registration })).body;
}

describe("svc at a hub", { timeout: SVC_TIMEOUT_MS }, () => {
  test("stores address and token where only their owner can read them", () => {
    const file = path.join(home, "svc", "hub.json");
    expect(login(publisher.token)).toEqual({ url: hub.origin, kind: "publisher", file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("reads the token from standard input, so that no history contains it", () => {
    const { status, stdout } = svc(
      ["hub", "login", "--url", `${hub.origin}/api/v1/`],
      {},
      `${publisher.token}\n`,
    );
    expect([status, stdout]).toEqual([0, expect.stringContaining(`logged in to ${hub.origin} as publisher`)]);
  });

  test("does not store a token that the hub rejects", () => {
    const unknown = `svcp_${"x".repeat(43)}`;
    expectRefused(["hub", "login", "--url", hub.origin, "--token", unknown], "unauthorized");
    expectRefused(["hub", "login", "--url", "ftp://hub", "--token", unknown], "bad_parameter");
    const { status, stderr } = svc(["hub", "login", "--url", hub.origin, "--token", "hello"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("svcp_")]);
    expectRefused(["catalog"], "hub_unset");
  });

  test("replaces its token, stores the new one, and has a console replace its own", async () => {
    const account = (await request(hub.origin, "POST", "/accounts")).body;
    login(account.account_token);
    const renewed = json(["hub", "token", "rotate"]);
    expect(Object.keys(renewed)).toEqual(["account_id", "account_token"]);
    const old = await request(hub.origin, "GET", "/account/devices", { token: account.account_token });
    expect(old.status).toBe(401);
    const { device_id, claim_code } = await registeredDevice();
    json(["hub", "claim", claim_code]);
    expect(json(["hub", "token", "rotate", device_id])).toEqual({ state: "queued" });
    expectRefused(["hub", "token", "rotate", "another"], "device_not_found");
    const path = `/account/devices/${device_id}`; // its MAC is that of others here
    await request(hub.origin, "DELETE", path, { token: renewed.account_token });
  });

  test("publishes a package with the signature beside it", async () => {
    login(publisher.token);
    const file = await packageFile({ name: "bricks" });
    const { status, stdout } = svc(["publish", file, "--without-screenshot"]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^published bricks 1\.0\.0, \d+ bytes\n$/)]);
    expectRefused(["publish", file], "version_exists");
    expect(
      json(["publish", await packageFile({ name: "bricks", version: "1.1.0" }), "--without-screenshot"]),
    ).toMatchObject({
      id: "bricks",
      version: "1.1.0",
    });
  });

  // docs/spec/hub-api.md#app-lines
  test("publishes the lines of the sources beside a package, and warns if the hub refuses them", async () => {
    login(publisher.token);
    const file = await packageFile({ name: "lined" });
    const { module } = await checkPackage(readFileSync(file), 1024 * 1024);
    const moduleSha256 = createHash("sha256")
      .update(module as Uint8Array)
      .digest("hex");
    const lines = [{ offset: 0, file: "main.c", line: 7 }];
    writeFileSync(`${file}.lines`, writeTrapLines({ app: "lined", version: "1.0.0", moduleSha256 }, lines));
    expect(svc(["publish", file, "--without-screenshot"])).toMatchObject({ status: 0, stderr: "" });
    const told = await request(hub.origin, "POST", "/catalog/lined/trap", {
      token: publisher.token,
      json: { message: '"lined" ended: trap: unreachable in main@20' },
    });
    expect(told.body.stack).toEqual([{ function: "main", file: "main.c", line: 7 }]);
    const next = await packageFile({ name: "lined", version: "1.1.0" });
    writeFileSync(`${next}.lines`, "{}");
    const { status, stderr } = svc(["publish", next, "--without-screenshot"]);
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining(
        "the app is published without the lines of its sources: Cannot accept the lines",
      ),
    ]);
  });

  test("names the missing file", async () => {
    login(publisher.token);
    const file = await packageFile({ name: "unsigned" });
    rmSync(`${file}.sig`);
    const { status, stderr } = svc(["publish", file, "--without-screenshot"]);
    expect([status, stderr]).toEqual([
      1,
      `svc: file_not_found: Cannot read "${file}.sig": no such file or directory\n`,
    ]);
  });

  test("lists the catalogue, or the matches of a search", async () => {
    login(publisher.token);
    for (const app of [
      { name: "clock", description: "Tells the time" },
      { name: "chess", description: "A game\u001b[2J", author: "Ada" },
    ])
      await publisher.publish(await appPackage(app));
    const { apps } = json(["catalog", "the time"]);
    expect(apps).toMatchObject([{ id: "clock", version: "1.0.0" }]);
    const { stdout } = svc(["catalog"]);
    expect(stdout).toContain("clock   1.0.0  Pixel Works  Tells the time\n");
    expect(stdout).toContain("chess   1.0.0  Ada          A game?[2J\n");
    expect(svc(["catalog", "nothing"]).stdout).toBe("none\n");
    const names = (all: readonly { id: string }[]) => all.map(({ id }) => id);
    expect(names(json(["catalog", "--sort", "-name"]).apps)).toEqual(names(json(["catalog"]).apps).reverse());
  });

  test("creates an account, claims a console, lists it and pushes an app to it", async () => {
    const { account_token } = json(["hub", "account", "create"], { SVC_HUB_URL: hub.origin });
    accountToken = account_token;
    login(account_token);
    expect(svc(["hub", "devices"]).stdout).toBe("none\n");
    const { device_id, claim_code } = await registeredDevice();
    expect(json(["hub", "claim", claim_code.toLowerCase()])).toMatchObject({
      device_id,
      name: "Console-1A2B",
    });
    expectRefused(["hub", "claim", claim_code], "claim_code_unknown");
    expect(json(["hub", "devices"]).devices).toMatchObject([{ device_id, online: false }]);
    expect(svc(["hub", "devices"]).stdout).toBe(`${device_id}  offline  xtensa  0.2.0  Console-1A2B\n`);
    await publisher.publish(await appPackage({ name: "pong" }));
    const pushed = json(["push", "pong", "--device-id", device_id]);
    expect(pushed).toEqual({ command_id: expect.any(String), state: "queued" });
    expect(svc(["push", "pong", "--device-id", device_id, "--version", "1.0.0"]).stdout).toMatch(
      /queued until the console connects/,
    );
    expectRefused(["push", "pong", "--device-id", device_id, "--version", "2.0.0"], "version_not_found");
    expectRefused(["push", "nothing", "--device-id", device_id], "app_not_found");
    expectRefused(["push", "pong", "--device-id", "../me"], "device_not_found");
  });

  test("uses the publisher's or the account's token, as each command requires", async () => {
    login(publisher.token);
    expectRefused(["hub", "devices"], "unauthorized");
    login(accountToken);
    expect(svc(["hub", "devices"]).status).toBe(0);
    expect(svc(["publish", await packageFile({ name: "both" }), "--without-screenshot"]).status).toBe(0);
  });

  test("prefers hub and token of the environment to the stored ones", () => {
    const environment = { SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: publisher.token };
    expect(svc(["catalog"], environment).status).toBe(0);
    login(publisher.token);
    expectRefused(["catalog"], "unauthorized", { SVC_HUB_TOKEN: "svcp_other" });
    expectRefused(["hub", "devices"], "forbidden", environment);
  });

  test("sends a token to no other hub than its own", () => {
    login(publisher.token);
    expectRefused(["catalog"], "unauthorized", { SVC_HUB_URL: "http://127.0.0.1:1" });
  });

  test("reports a missing hub, or another service", async () => {
    const token = { SVC_HUB_TOKEN: publisher.token };
    expectRefused(["catalog"], "hub_unreachable", { SVC_HUB_URL: "http://127.0.0.1:1", ...token });
    const { SVC_HUB_URL, close } = await somethingElse();
    try {
      expectRefused(["catalog"], "hub_refused", { SVC_HUB_URL, ...token });
    } finally {
      close();
    }
  });

  test("names a database that cannot be reached in the hub's environment", () => {
    const SVC_HUB_DATABASE_URL = "postgres://127.0.0.1:1/hub";
    const environment = { ...hub.environment, SVC_HUB_DATABASE_URL };
    for (const command of [
      ["account", "list"],
      ["backup", path.join(temporary, "never")],
    ])
      expectRefused(["hub", ...command], "hub_unusable", environment);
  });

  test("exits with status 2 on wrong usage", () => {
    for (const args of [["push", "pong"], ["publish"], ["hub"], ["hub", "claim"], ["catalog", "a", "b"]])
      expect(svc(args).status).toBe(2);
  });
});

/** A server that is not a hub, in a process of its own: this one waits for `svc`. */
async function somethingElse() {
  const program =
    'const server = require("node:http").createServer((_, answer) => answer.writeHead(404).end("<html>"));' +
    'server.listen(0, "127.0.0.1", () => console.log(server.address().port)); process.stdin.resume().on("end", process.exit);';
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { SVC_HUB_URL: `http://127.0.0.1:${String(port).trim()}`, close: () => child.kill() };
}
