/** `svc app build` and `svc app pack` with `--by-hub`, on a computer without a C compiler (docs/spec/cli.md#by-hub). */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvc, runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { HubPublisher } from "../catalog/hub-publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";

const temporary = temporaryDirectory();
const app = path.join(temporary.path, "blocks");
const image = path.join(app, "build/blocks.native.aot");
const key = path.join(temporary.path, "key.pem");
const programs = path.join(temporary.path, "bin");

let hub: HubUnderTest;
let publisher: HubPublisher;
beforeAll(async () => {
  mkdirSync(programs);
  symlinkSync(process.execPath, path.join(programs, "node")); // and nothing else
  writeFileSync(key, new Publisher().privatePem);
  expect(runSvc("app", "new", app, "--lang", "assemblyscript").status).toBe(0);
  hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_COMPILE: "native" } });
  publisher = await HubPublisher.register(hub);
});
afterAll(async () => {
  await hub?.stop();
  temporary.remove();
});

const svc = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runSvcIn({ PATH: programs, SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: publisher.token, ...environment }, args);

describe("svc without a C compiler", { timeout: SVC_TIMEOUT_MS }, () => {
  test("says that the hub can compile", () => {
    const { status, stderr } = svc(["app", "build", app, "--aot", "native"]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^svc: compiler_missing: .*\n.*--by-hub/)]);
  });

  test("builds by the hub what a compiler here makes, byte by byte", async () => {
    const { status, stdout, stderr } = svc(["app", "build", app, "--aot", "native", "--by-hub", "--json"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ name: "blocks", aot_files: [image] });
    const here = await buildApp(app, { architectures: ["native"] });
    expect(readFileSync(image).equals(here.images.native as Uint8Array)).toBe(true);
  });

  test("packs what the hub has compiled, signed by the publisher's own key", async () => {
    const file = path.join(temporary.path, "blocks.svcpkg");
    const { status, stdout, stderr } = svc([
      ...["app", "pack", app, "--key", key, "--aot", "native", "--by-hub"],
      ...["--out", file, "--json"],
    ]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ variants: ["native"], signed_by: expect.any(String) });
    const here = await buildApp(app, { architectures: ["native"] });
    expect(readFileSync(file).equals(here.package)).toBe(true);
  });

  // docs/spec/aot.md#alone
  test("packs machine code alone that the hub has compiled", async () => {
    const file = path.join(temporary.path, "alone.svcpkg");
    const pack = ["app", "pack", app, "--key", key, "--aot", "native", "--image-only", "--by-hub"];
    const { status, stdout, stderr } = svc([...pack, "--out", file, "--json"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ variants: ["native"], image_only: true });
    const here = await buildApp(app, { imageAlone: "native" });
    expect(readFileSync(file).equals(here.package)).toBe(true);
  });

  const REFUSED = [
    { what: "for an architecture that the hub does not offer", args: ["--aot", "rv32"], code: "compile_off" },
    { what: "without an architecture", args: [], code: "wrong_usage" },
    {
      what: "with a token that the hub does not know",
      args: ["--aot", "native"],
      environment: { SVC_HUB_TOKEN: `svcp_${"x".repeat(43)}` },
      code: "unauthorized",
    },
    {
      what: "without a hub",
      args: ["--aot", "native"],
      environment: { SVC_HUB_URL: "", XDG_CONFIG_HOME: temporary.path },
      code: "hub_unset",
    },
  ];
  for (const { what, args, environment, code } of REFUSED)
    test(`fails ${what}`, () => {
      const { status, stderr } = svc(["app", "build", app, ...args, "--by-hub"], environment);
      expect([status, stderr]).toEqual([
        code === "wrong_usage" ? 2 : 1,
        expect.stringMatching(new RegExp(`^svc: ${code}: `)),
      ]);
    });
});
