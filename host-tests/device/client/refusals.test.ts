/** What is no console, is busy, is gone or asks for a token, as the client tells it. */
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { Device } from "../../../device-client/device.js";
import { openTransport } from "../../../device-client/node/open-device.js";
import { startConsole } from "../../hosts/simulator.js";
import { program } from "../native/programs.js";
import { closeAll, codeOf, connect, open, opened } from "./ways.js";

afterEach(closeAll);

/** Firmware that gives back on its port what it gets. */
const ECHO = program(`
  new Serial({
    onReadable() { this.write(this.read()); },
    onWritable() {},
    onDataTerminalReady() {},
  });
`);

describe("what is no console", () => {
  /** A server whose connections go with it. */
  async function listen(onConnection: (socket: net.Socket) => void): Promise<string> {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {}); // clients leave as they like
      onConnection(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    opened.push({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  }

  const identify = async (address: string) => {
    const transport = await openTransport(address);
    opened.push(transport);
    return codeOf(Device.identify(transport));
  };

  const page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi";
  for (const [name, onConnection, code] of [
    ["a server of pages", (socket) => socket.on("data", () => socket.write(page)), "not_a_console"],
    ["a server of something else", (socket) => socket.end("SSH-2.0-OpenSSH\r\n"), "not_a_console"],
    ["a server that hangs up", (socket) => socket.destroy(), "device_lost"],
  ] as const satisfies readonly (readonly [string, (socket: net.Socket) => unknown, string])[])
    test(`${name} is told apart`, async () => {
      expect(await identify(await listen(onConnection))).toBe(code);
    });

  test("a silent server is distinguished", async () => {
    const transport = await openTransport(await listen(() => {}));
    opened.push(transport);
    const asked = transport.request({ method: "GET", path: "/api/status", timeoutMs: 100 });
    expect(await codeOf(asked)).toBe("device_timeout");
  });

  test("a port that echoes its input is not taken for a console", async () => {
    const echo = await startConsole({ image: ECHO });
    opened.push({ close: () => echo.stop() });
    expect(await codeOf(connect("usb", echo))).toBe("not_a_console");
  });

  test("nothing at all is told apart", async () => {
    const address = await listen(() => {});
    await closeAll();
    expect(await identify(address)).toBe("device_unreachable");
    expect(await codeOf(openTransport("usb:/dev/no-such-port"))).toBe("device_not_found");
    expect(await codeOf(openTransport("http://user@host"))).toBe("device_not_found");
  });
});

test("a port that another program has open is busy, and free again once it is closed", async () => {
  const simulated = await startConsole();
  opened.push({ close: () => simulated.stop() });
  const first = await openTransport(simulated.usb);
  expect(await codeOf(openTransport(simulated.usb))).toBe("port_busy");
  await first.close();
  expect(await codeOf(Device.identify(await open("usb", simulated)))).toBe("fulfilled");
});

test("a console that ends is lost at once over USB, with everything under way", async () => {
  const simulated = await startConsole();
  opened.push({ close: () => simulated.stop() });
  const transport = await open("usb", simulated);
  const device = await Device.identify(transport);
  await simulated.kill();
  expect(await transport.closed).toMatchObject({ code: "device_lost" });
  expect(await codeOf(device.status())).toBe("device_lost");
});

test("a console that asks for a token takes it from the client, for its log too", async () => {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  const simulated = await startConsole({ state, flags: ["--config", "CONFIG_SVC_HTTP_AUTH=on"] });
  opened.push({ close: () => simulated.stop().then(() => rmSync(state, { recursive: true, force: true })) });
  expect(await codeOf(connect("http", simulated))).toBe("unauthorized");
  const { token, required } = await (await connect("usb", simulated)).accessToken();
  expect(required).toBe(true);
  const transport = await openTransport(simulated.http, { token });
  opened.unshift(transport);
  const device = await Device.identify(transport);
  expect((await device.system()).features).toContain("auth");
  const line = await new Promise<string>((resolve) => transport.followLog(resolve));
  expect(line).toMatch(/^\d+\.\d{3} /);
});
