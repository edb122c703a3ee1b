/** `svc app dev --browser`: an app in the browser while it is written, without a console (docs/spec/web-player.md#dev). */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApp } from "../../../sdk/new-app.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { SvcProcess } from "../../hosts/svc-process.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";

const temporary = temporaryDirectory();
let chromium: Chromium;
beforeAll(async () => {
  if (!missesChromium) chromium = await Chromium.launch();
});
afterAll(async () => {
  await chromium?.close();
  temporary.remove();
});

const program = (then: string) => `
import { log, LogLevel, sleepMs } from "svc";
export function main(): i32 {
  ${then}
  return 0;
}
`;

describe.skipIf(missesChromium)("svc app dev --browser", () => {
  test("runs an app in a page, again on each save, and prints what it logs and how it ends", async () => {
    const app = path.join(temporary.path, "hello");
    await newApp(app, "assemblyscript");
    const save = (then: string) => writeFileSync(path.join(app, "main.ts"), program(then));
    save(`log(LogLevel.INFO, "one"); while (true) sleepMs(1000);`);
    const svc = new SvcProcess("app", "dev", app, "--browser", "--port", "0", "--json");
    try {
      const { address } = await svc.event("ready");
      await svc.event("built", { name: "hello" });
      const page = await chromium.browser.newPage();
      await page.goto(String(address));
      await svc.event("started", { name: "hello" });
      await svc.event("log", { line: /app\/hello: one$/ });
      save(`log(LogLevel.ERROR, "two"); unreachable();`);
      await svc.event("log", { line: / E app\/hello: two$/ });
      const { stack } = await svc.event("log", {
        line: / I apps: "hello" ended: trap: unreachable executed in .*main/,
      });
      expect(stack).toEqual([{ function: "main/main", file: "main.ts", line: 4 }]);
      save(`return nothing;`);
      expect(await svc.event("failed", { stage: "build", error: "compile_failed" })).toBeDefined();
      await page.getByText("The app does not build").waitFor();
      save(`log(LogLevel.INFO, "three");`);
      await svc.event("log", { line: /app\/hello: three$/ });
      await svc.event("log", { line: /"hello" ended: exit 0$/ });
      save(`console.warn("four " + (Math.random() < 1).toString());`);
      await svc.event("log", { line: / W app\/hello: four true$/ });
      expect(await svc.interrupt()).not.toBe(1);
      await page.getByText("svc app dev has ended").waitFor();
    } finally {
      await svc.interrupt();
    }
  });

  test("says which port is taken, and which is none", async () => {
    const app = path.join(temporary.path, "other");
    await newApp(app, "assemblyscript");
    const first = new SvcProcess("app", "dev", app, "--browser", "--port", "0", "--json");
    const port = new URL(String((await first.event("ready"))["address"])).port;
    const second = new SvcProcess("app", "dev", app, "--browser", "--port", port);
    expect(await second.ended).toBe(2);
    expect(second.stderr.join("\n")).toContain(`Port ${port} is taken`);
    await first.interrupt();
    const third = new SvcProcess("app", "dev", app, "--browser", "--port", "70000");
    expect(await third.ended).toBe(2);
  });
});
