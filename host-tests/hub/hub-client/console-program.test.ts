/** The program of hub-client/README.md: it passes the compiler as the project's code does, and is a console to a hub. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { LAUNCHER } from "../../../tools/launcher.js";
import { claim, madeAccount, type TestAccount } from "../api/people.js";
import { appPackage, freshName, HubPublisher } from "../catalog/hub-publisher.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

const root = path.join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** The program of the page. */
async function printedProgram(): Promise<string> {
  const page = await readFile(path.join(root, "hub-client/README.md"), "utf8");
  return /^```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
}

/** A program that runs, and what it prints. */
class Running {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, origin: string) {
    this.#process = spawn(process.execPath, [LAUNCHER, program, origin], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const input = this.#process.stdout as NonNullable<ChildProcess["stdout"]>;
    this.#lines = createInterface({ input })[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done) throw new Error("The program has ended");
    return value;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill();
    await once(this.#process, "exit");
  }
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The program over hub-client, with ${name},`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    let folder: string;
    let program: string;
    beforeAll(async () => {
      hub = await start();
      account = await madeAccount(hub);
      await mkdir(path.join(root, "build"), { recursive: true });
      folder = await mkdtemp(path.join(root, "build/console-program-"));
      program = path.join(folder, "console.ts");
      await writeFile(program, await printedProgram());
    });
    afterAll(async () => {
      await hub?.stop();
      if (folder) await rm(folder, { recursive: true });
    });

    test("passes the compiler, as strictly as the project itself", async () => {
      const config = { extends: "../../tsconfig.json", include: ["*.ts"] };
      await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(config));
      const { stdout } = await run("npx", ["tsc", "-p", folder], { cwd: root }).catch((error) => error);
      expect(stdout).toBe("");
    });

    test("is claimed, and gets what its account orders", async () => {
      const publisher = await HubPublisher.register(hub);
      const app = freshName();
      const file = await appPackage({ name: app, version: "1.0.0" });
      await publisher.publish(file);
      const running = new Running(program, hub.origin);
      onTestFinished(() => running.stop());
      const [, code = ""] = /^claim it with (\S+)$/.exec(await running.line()) ?? [];
      expect([await running.line(), await running.line()].sort()).toEqual(["connected", "not claimed"]);
      const { device_id: id } = (await claim(hub, account, code)).body;
      expect(await running.line()).toBe("claimed");
      const order = await request(hub.origin, "POST", `/devices/${id}/apps/${app}/install`, { ...account });
      expect(order.status).toBe(202);
      expect(await running.line()).toBe(`${app} 1.0.0: ${file.length} bytes`);
      const state = async () => {
        const { command_id } = order.body;
        return (await request(hub.origin, "GET", `/devices/${id}/commands/${command_id}`, { ...account }))
          .body.state;
      };
      await expect.poll(state).toBe("done");
    });
  });
