/**
 * A client that a generator makes from the hub's description, and the program for it that docs/hub.md prints: it passes the
 * compiler's strict checks, and does what the manual says.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LAUNCHER } from "../../../tools/launcher.js";
import { appPackage, freshName, HubPublisher } from "../catalog/hub-publisher.js";
import { TestPublisher } from "../devices/published.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, eventually } from "../push/channel.js";
import { smallPng } from "../store/screenshots.js";
import { heldDevice, madeAccount, type TestAccount } from "./people.js";
import { addProgram } from "./world.js";

const root = path.join(import.meta.dirname, "../../..");
const run = promisify(execFile);
/** As a user's project has it, with no setting that makes checks weaker. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    skipLibCheck: false,
  },
  include: ["*.ts"],
};

/** The program of the manual. */
async function printedProgram(): Promise<string> {
  const manual = await readFile(path.join(root, "docs/hub.md"), "utf8");
  return /## Write a program.*?```ts\n(.*?)```/s.exec(manual)?.[1] ?? "";
}

/** Publishes a package with two screenshots, and prints what the hub has made of it. */
const PUBLISHER_PROGRAM = `
import { readFile } from "node:fs/promises";
import { ok } from "@oazapfts/runtime";
import * as hub from "./hub-api.js";

const { SVC_HUB = "", SVC_HUB_TOKEN = "" } = process.env;
const [id = "", file = "", signature = "", picture = ""] = process.argv.slice(2);
hub.defaults.baseUrl = \`\${SVC_HUB}/api/v1\`;
hub.defaults.headers = { authorization: \`Bearer \${SVC_HUB_TOKEN}\` };
const blob = async (name: string) => new Blob([Uint8Array.from(await readFile(name))]);

const form = { package: await blob(file), signature, name: "Shown Name" };
await ok(hub.postCatalogPublish(form));
await ok(hub.putCatalogIdPage(id, { about: "*Text*", category: "demos" }));
await ok(hub.putCatalogIdScreenshots(id, { screenshot: [await blob(picture), await blob(picture)] }));
const app: hub.App = await ok(hub.getCatalogId(id));
const page: hub.AppPage = await ok(hub.getCatalogIdPage(id));
const again = await hub.postCatalogPublish(form);
console.log(JSON.stringify({ app, page, again: again.status === 409 && again.data.error }));
`;

/** Each line but the first differs from the description. */
const WRONG_LINES = [
  'import * as hub from "./hub-api.js";',
  'await hub.getAccountDevices({ status: "asleep" });',
  'await hub.getAccountDevices({ colour: "red" });',
  "await hub.postRollouts();",
  'await hub.postRollouts({ kind: "game" });',
  "await hub.getDevicesDeviceId();",
  "await hub.getDevicesDeviceId(7);",
  "const device = {} as hub.Device; device.colour;",
  'const states: hub.Rollout["state"][] = ["lost"];',
  "const answer = await hub.getAccount(); answer.data.account_id;", // which an error answer does not have
];

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A client generated from the description of ${name}`, () => {
    let hub: HubUnderTest;
    let project: string;
    let account: TestAccount;
    let app: string;
    beforeAll(async () => {
      hub = await start();
      await mkdir(path.join(root, "build"), { recursive: true });
      project = await mkdtemp(path.join(root, "build/generated-client-"));
      await symlink(path.join(root, "node_modules"), path.join(project, "node_modules"));
      const { bytes } = await request(hub.origin, "GET", "/openapi.json");
      await writeFile(path.join(project, "package.json"), JSON.stringify({ type: "module" }));
      await writeFile(path.join(project, "openapi.json"), bytes);
      await writeFile(path.join(project, "tsconfig.json"), JSON.stringify(TSCONFIG));
      await writeFile(path.join(project, "program.ts"), await printedProgram());
      await writeFile(path.join(project, "publish.ts"), PUBLISHER_PROGRAM);
      await run("npx", ["oazapfts", "openapi.json", "hub-api.ts"], { cwd: project });
      account = await madeAccount(hub);
      app = await (await TestPublisher.on(hub)).publishApp();
    });
    afterAll(async () => {
      await hub?.stop();
      if (project) await rm(project, { recursive: true });
    });

    /** @returns what a program prints */
    const printed = async (file: string, token: string, ...words: readonly string[]): Promise<string> => {
      const env = { ...process.env, SVC_HUB: hub.origin, SVC_HUB_TOKEN: token };
      return (await run(process.execPath, [LAUNCHER, path.join(project, file), ...words], { env })).stdout;
    };
    const program = async (...words: readonly string[]): Promise<string> => {
      const { token } = await addProgram(hub, account.token, ["read", "orders"]);
      return printed("program.ts", token, ...words);
    };
    const tagged = async (tag: string) => {
      const device = await heldDevice(hub, account);
      const json = { tags: [tag] };
      await request(hub.origin, "PUT", `/devices/${device.deviceId}/tags`, { ...account, json });
      const channel = await Channel.open(hub.origin, device.token);
      onTestFinished(() => channel.cut());
      return channel;
    };

    const compiled = async (config: string): Promise<string> =>
      (await run("npx", ["tsc", "-p", config], { cwd: root }).catch((error) => error)).stdout;

    test("passes the compiler with the program that the manual prints", async () => {
      expect(await compiled(project)).toBe("");
    });

    test("fails the compiler where a program differs from the description", async () => {
      const wrong = path.join(project, "wrong");
      await mkdir(wrong);
      await writeFile(path.join(wrong, "wrong.ts"), WRONG_LINES.join("\n").replace("./", "../"));
      await writeFile(
        path.join(wrong, "tsconfig.json"),
        JSON.stringify({ extends: "../tsconfig.json", include: ["*.ts"] }),
      );
      const lines = [...(await compiled(wrong)).matchAll(/wrong\.ts\((\d+),\d+\): error/g)].map(
        ([, line]) => line,
      );
      expect([...new Set(lines)].map(Number)).toEqual(WRONG_LINES.slice(1).map((_line, at) => at + 2));
    });

    test("sends the files of a publisher", async () => {
      const publisher = await HubPublisher.register(hub);
      const own = freshName();
      const file = await appPackage({ name: own });
      const [packed, picture] = [path.join(project, "app.svcpkg"), path.join(project, "picture.png")];
      await writeFile(packed, file);
      await writeFile(picture, smallPng());
      const signature = publisher.key.sign(file);
      expect(
        JSON.parse(await printed("publish.ts", publisher.token, own, packed, signature, picture)),
      ).toMatchObject({
        app: { id: own, name: "Shown Name", publisher: publisher.name },
        page: { about: "*Text*", category: "demos", screenshots: [{}, {}] },
        again: "version_exists",
      });
    });

    test("orders an app, and gets the results", async () => {
      const [good, bad] = [await tagged("shop"), await tagged("shop")];
      const off = await heldDevice(hub, account); // orders for it wait
      await request(hub.origin, "PUT", `/devices/${off.deviceId}/tags`, {
        ...account,
        json: { tags: ["shop"] },
      });
      const lines = program(app, "shop");
      for (const [channel, error] of [
        [good, null],
        [bad, "storage_full"],
      ] as const)
        channel.answer(await channel.next("app.install"), { success: error === null, error });
      const commands = `/devices/${off.deviceId}/commands`;
      const [waiting] = await eventually(
        async () => (await request(hub.origin, "GET", commands, account)).body.commands,
        ({ length }) => length > 0,
      );
      await request(hub.origin, "DELETE", `${commands}/${waiting.command_id}`, account);
      expect((await lines).trim().split("\n").sort()).toEqual([
        expect.stringMatching(/^.+: cancelled$/),
        expect.stringMatching(/^.+: done$/),
        expect.stringMatching(/^.+: failed, storage_full$/),
      ]);
    });

    test("ends after its time, and tells what has no result yet", async () => {
      const { deviceId } = await heldDevice(hub, account);
      await request(hub.origin, "PUT", `/devices/${deviceId}/tags`, {
        ...account,
        json: { tags: ["attic"] },
      });
      expect(await program(app, "attic", "0")).toMatch(/: no result yet\n$/);
    });

    test("tells why the hub refuses", async () => {
      await tagged("office");
      expect(await program("nothing", "office")).toMatch(/: refused, app_not_found\n$/);
    });
  });
