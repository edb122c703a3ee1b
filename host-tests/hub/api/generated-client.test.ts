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
import { TestPublisher } from "../devices/published.js";
import { type HubUnderTest, USUAL_HUBS } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel } from "../push/channel.js";
import { heldDevice, madeAccount, type TestAccount } from "./people.js";
import { addProgram } from "./world.js";

const root = path.join(import.meta.dirname, "../../..");
const run = promisify(execFile);
/** As a user's project has it, with no setting that makes checks weaker. */
const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, target: "es2022", module: "nodenext", types: ["node"] },
    skipLibCheck: false,
  },
  include: ["*.ts"],
};

/** The program of the manual. */
async function printedProgram(): Promise<string> {
  const manual = await readFile(path.join(root, "docs/hub.md"), "utf8");
  return /## Write a program.*?```ts\n(.*?)```/s.exec(manual)?.[1] ?? "";
}

for (const { name, missing, start } of USUAL_HUBS)
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
      await run("npx", ["oazapfts", "openapi.json", "hub-api.ts"], { cwd: project });
      account = await madeAccount(hub);
      app = await (await TestPublisher.on(hub)).publishApp();
    });
    afterAll(async () => {
      await hub?.stop();
      if (project) await rm(project, { recursive: true });
    });

    /** @returns what the program prints */
    const program = async (...words: readonly string[]): Promise<string> => {
      const { token } = await addProgram(hub, account.token, ["read", "orders"]);
      const env = { ...process.env, SVC_HUB: hub.origin, SVC_HUB_TOKEN: token };
      return (await run(process.execPath, [LAUNCHER, path.join(project, "program.ts"), ...words], { env }))
        .stdout;
    };
    const tagged = async (tag: string) => {
      const device = await heldDevice(hub, account);
      const json = { tags: [tag] };
      await request(hub.origin, "PUT", `/devices/${device.deviceId}/tags`, { ...account, json });
      const channel = await Channel.open(hub.origin, device.token);
      onTestFinished(() => channel.cut());
      return channel;
    };

    test("passes the compiler with the program that the manual prints", async () => {
      const { stdout } = await run("npx", ["tsc", "-p", project], { cwd: root }).catch((error) => error);
      expect(stdout).toBe("");
    });

    test("orders an app, and gets the results", async () => {
      const [good, bad] = [await tagged("shop"), await tagged("shop")];
      const printed = program(app, "shop");
      for (const [channel, error] of [
        [good, null],
        [bad, "storage_full"],
      ] as const)
        void channel
          .next("app.install")
          .then((command) => channel.answer(command, { success: error === null, error }));
      expect((await printed).trim().split("\n").sort()).toEqual([
        expect.stringMatching(/^.+: done$/),
        expect.stringMatching(/^.+: failed, storage_full$/),
      ]);
    });

    test("tells why the hub refuses", async () => {
      await tagged("office");
      expect(await program("nothing", "office")).toMatch(/: refused, app_not_found\n$/);
    });
  });
