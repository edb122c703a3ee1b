/** A console whose port another svc holds is used over the network (docs/spec/cli.md#held-port). */
import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findDeviceRoute } from "../../../cli/device/device-route.js";
import { heldConsole, noteHeldPort } from "../../../cli/device/held-ports.js";
import { temporaryFolder } from "../../device/cli/svc-process.js";

const PORT = "usb:/dev/ttyACM0";
const found = vi.hoisted(() => ({ consoles: [] as { name: string; host: string; address: string }[] }));
vi.mock("../../../cli/device/network-search.js", async (original) => ({
  ...(await original<object>()),
  searchNetwork: async () => found.consoles,
}));
vi.mock("../../../cli/device/usb-search.js", () => ({
  consolePorts: async () => [PORT],
  askPorts: async () => [
    { kind: "closed", address: PORT, error: Object.assign(new Error("busy"), { code: "port_busy" }) },
  ],
  isSimulated: () => false,
}));

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv("XDG_STATE_HOME", folder.path);
  found.consoles = ["Console-1A2B", "Console-3C4D"].map((name, index) => ({
    name,
    host: `${name}.local`,
    address: `http://192.0.2.${index + 1}:8080`,
  }));
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

const route = () =>
  findDeviceRoute({ selector: undefined, tokenOf: () => undefined, signal: new AbortController().signal });

describe("A command whose console's port is in use", () => {
  test("uses that console over the network, of several ones, if another svc holds the port", async () => {
    await noteHeldPort(PORT, "Console-3C4D");
    expect(await route()).toMatchObject({ address: "http://192.0.2.2:8080", name: "Console-3C4D" });
  });

  test("fails with port_busy if that console is not in the network", async () => {
    await noteHeldPort(PORT, "Console-5E6F");
    await expect(route()).rejects.toMatchObject({ code: "port_busy" });
  });

  test("fails with port_busy if another program holds the port, and does not take another console", async () => {
    found.consoles.pop();
    await expect(route()).rejects.toMatchObject({ code: "port_busy" });
  });
});

describe("What a svc has noted about a port", () => {
  test("counts for that port alone", async () => {
    await noteHeldPort("usb:/dev/ttyACM9", "Console-1A2B");
    expect(heldConsole("usb:/dev/ttyACM9")).toBe("Console-1A2B");
    expect(heldConsole("usb:/dev/ttyACM8")).toBeUndefined();
    expect(heldConsole("http://192.0.2.1:8080")).toBeUndefined();
  });

  test("counts no more once that process has ended, or if it is damaged", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    const { pid } = child;
    await new Promise((resolve) => child.once("exit", resolve));
    await noteHeldPort("usb:/dev/ttyACM7", "Console-1A2B");
    const ports = path.join(folder.path, "svc", "ports");
    const file = path.join(ports, readdirSync(ports)[0] ?? "");
    for (const text of [
      JSON.stringify({ pid, name: "Console-1A2B" }),
      "{",
      "[]",
      '{"pid":"1","name":7}',
      "",
    ]) {
      writeFileSync(file, text);
      expect(heldConsole("usb:/dev/ttyACM7")).toBeUndefined();
    }
  });

  test("is not kept where it cannot be written, and that is no error", async () => {
    vi.stubEnv("XDG_STATE_HOME", path.join("/proc", "nowhere"));
    await noteHeldPort("usb:/dev/ttyACM6", "Console-1A2B");
    expect(heldConsole("usb:/dev/ttyACM6")).toBeUndefined();
  });
});
