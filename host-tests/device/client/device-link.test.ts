/** A link to a console that restarts, updates and disappears, over HTTP and the pseudo-terminal. */

import { afterEach, describe, expect, test } from "vitest";
import type { Device } from "../../../device-client/device.js";
import { DeviceLink, type DeviceLinkOptions } from "../../../device-client/device-link.js";
import type { LinkState } from "../../../device-client/link-state.js";
import { openTransport } from "../../../device-client/node/open-device.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { firmwareBundle } from "../../hosts/firmware-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { kindsInTier } from "../../tier.js";
import { closeAll, opened, TRANSPORTS, waiter } from "./transports.js";

const publisher = new Publisher();
afterEach(closeAll);

for (const transport of kindsInTier(TRANSPORTS))
  describe(`a link over ${transport}`, () => {
    let simulated: Console;
    let link: DeviceLink;
    let states: LinkState[];
    let lines: string[];
    let changed: ReturnType<typeof waiter>;

    async function start(
      flags: readonly string[] = [],
      options: Partial<DeviceLinkOptions> = {},
    ): Promise<void> {
      simulated = await startConsole({ flags });
      opened.push({ close: () => simulated.stop() });
      [states, lines, changed] = [[], [], waiter()];
      link = new DeviceLink({
        open: () => openTransport(transport === "http" ? simulated.http : simulated.usb),
        onState: (state) => {
          states.push(state);
          changed.check();
        },
        onLine: (line) => {
          lines.push(line);
          changed.check();
        },
        ...options,
      });
      opened.unshift(link);
      await link.start();
    }
    const ready = (times: number) =>
      changed.until(() => states.filter(({ phase }) => phase === "ready").length === times);
    const device = () => (link.state.phase === "ready" ? link.state.device : undefined) as Device;

    test("reconnects after restarts, and reports each log line once", async () => {
      await start();
      for (const times of [2, 3]) {
        await device().reboot();
        await ready(times);
      }
      await changed.until(() => lines.filter((line) => line.includes(" is ready: HTTP on ")).length === 3);
      expect(states.map(({ phase }) => phase)).toEqual(["ready", "waiting", "ready", "waiting", "ready"]);
      const logged = simulated.stderr.filter((line) => /^\d+\.\d{3} [DIWE] /.test(line));
      expect(lines).toEqual(logged.slice(0, lines.length));
      expect(lines.filter((line) => line.endsWith("previous run ended here"))).toHaveLength(2);
    });

    test("rejects another console at the same address, which it recognizes by the MAC address", async () => {
      await start(["--mac", "02:00:00:00:00:01"]);
      const other = await startConsole({ flags: ["--mac", "02:00:00:00:00:02"] });
      opened.push({ close: () => other.stop() });
      const first = simulated;
      simulated = other;
      await first.kill();
      await changed.until(() => Object(link.state).error?.code === "not_a_console");
      expect(Object(link.state).error.message).toMatch(/is now where "Console-0001" was/);
    });
  });

for (const transport of kindsInTier(TRANSPORTS))
  test(`firmware is uploaded over ${transport}, restarted into, and confirmed`, async () => {
    const simulated = await startAppConsole({ publisher });
    opened.push({ close: () => simulated.stop() });
    const address = transport === "http" ? simulated.http : simulated.usb;
    const changed = waiter();
    const link = new DeviceLink({ open: () => openTransport(address), onState: () => changed.check() });
    opened.unshift(link);
    await link.start();
    const device = () => (link.state.phase === "ready" ? link.state.device : undefined) as Device;
    const file = await firmwareBundle({ version: "0.2.0" }, publisher);
    const progress: number[] = [];
    const onProgress = (sent: number) => progress.push(sent);
    expect(await device().otaUpload({ file, isToReboot: true, onProgress })).toMatchObject({
      state: "staged",
    });
    expect(progress.at(-1)).toBe(file.length);
    await changed.until(() => Object(link.state).system?.firmware.version === "0.2.0");
    expect(await device().otaConfirm()).toMatchObject({ state: "idle", running_version: "0.2.0" });
  });
