/** Directories with more entries than a console's heap can name: on its own file system, on the card, on the USB drive. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { heapVariants, startConsole } from "../../hosts/simulator.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { UsbClient } from "../../hosts/usb-client.js";

const ENTRIES = 3000;

function crowd(directory: string, nameOf: (at: number) => string): void {
  mkdirSync(directory, { recursive: true });
  for (let at = 0; at < ENTRIES; at++) writeFileSync(path.join(directory, nameOf(at)), "");
}

for (const variant of heapVariants)
  test(`A console (${variant}) lists part of a crowded directory, and starts with crowded drives`, async () => {
    const directory = temporaryDirectory();
    onTestFinished(() => directory.remove());
    const [state, card, stick] = ["state", "card", "stick"].map((name) => path.join(directory.path, name));
    crowd(path.join(state as string, "lfs", "crowd"), (at) => `${at}-${"x".repeat(150)}`);
    crowd(path.join(state as string, "lfs", "apps"), (at) => `app-${at}-${"x".repeat(100)}`);
    crowd(path.join(card as string, "apps"), (at) => `${at}-${"y".repeat(200)}.txt`);
    crowd(path.join(stick as string, "apps"), (at) => `${at}.wasm`);
    const simulated = await startConsole({
      variant,
      state: state as string,
      flags: ["--sd", card as string, "--usb-drive", stick as string],
    });
    const usb = await UsbClient.open(simulated.usb);
    const shell = async (c: string) => (await usb.request("POST", "/api/cmd", { c })).body.output as string;

    expect(await shell("ls crowd")).toMatch(/^( +0 {2}[0-9]+-x+\n)+\(and [0-9]+ more at least\)\n$/);
    const scan = await shell("app scan usb");
    expect(scan).toMatch(
      /^([0-9]+\.wasm: .+\n)+\(and [0-9]+ more, which the log has\)\nThe drive has more .+\n$/,
    );
    expect(scan.length).toBeLessThan(4096 + 300); // the list (docs/spec/shell.md#files), and what is said below it
    const status = await usb.request("GET", "/api/status");
    expect(status.status).toBe(200);
    await usb.close();
    await simulated.stop();
    expect(simulated.stderr.filter((line) => line.startsWith("console: "))).toEqual([]);
  });
