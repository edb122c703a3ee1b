/** The client's error codes for addresses without a console, busy ports, lost consoles and missing tokens. */
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { Device } from "../../../device-client/device.js";
import { openTransport } from "../../../device-client/node/open-device.js";
import { startConsole } from "../../hosts/simulator.js";
import { program } from "../native/programs.js";
import { closeAll, codeOf, connect, open, opened } from "./transports.js";

afterEach(closeAll);

/** Firmware that echoes its serial input. */
const ECHO = program(`
  new Serial({
    onReadable() { this.write(this.read()); },
    onWritable() {},
    onDataTerminalReady() {},
  });
`);

describe("an address without a console", () => {
  /** Starts a server; closing it closes its connections. */
  async function listen(onConnection: (socket: net.Socket) => void): Promise<string> {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {}); // clients may reset the connection
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
    ["a web server", (socket) => socket.on("data", () => socket.write(page)), "not_a_console"],
    ["a server of another protocol", (socket) => socket.end("SSH-2.0-OpenSSH\r\n"), "not_a_console"],
    ["a server that closes the connection", (socket) => socket.destroy(), "device_lost"],
  ] as const satisfies readonly (readonly [string, (socket: net.Socket) => unknown, string])[])
    test(`with ${name} is ${code}`, async () => {
      expect(await identify(await listen(onConnection))).toBe(code);
    });

  test("with a silent server is device_timeout", async () => {
    const transport = await openTransport(await listen(() => {}));
    opened.push(transport);
    const asked = transport.request({ method: "GET", path: "/api/status", timeoutMs: 100 });
    expect(await codeOf(asked)).toBe("device_timeout");
  });

  test("that echoes its input on a serial port is not_a_console", async () => {
    const echo = await startConsole({ image: ECHO });
    opened.push({ close: () => echo.stop() });
    expect(await codeOf(connect("usb", echo))).toBe("not_a_console");
  });

  test("with a closed port is device_unreachable; a missing or invalid address is device_not_found", async () => {
    const address = await listen(() => {});
    await closeAll();
    expect(await identify(address)).toBe("device_unreachable");
    expect(await codeOf(openTransport("usb:/dev/no-such-port"))).toBe("device_not_found");
    expect(await codeOf(openTransport("http://user@host"))).toBe("device_not_found");
  });
});

test("a serial port in use is port_busy, and free again after close()", async () => {
  const simulated = await startConsole();
  opened.push({ close: () => simulated.stop() });
  const first = await openTransport(simulated.usb);
  expect(await codeOf(openTransport(simulated.usb))).toBe("port_busy");
  await first.close();
  expect(await codeOf(Device.identify(await open("usb", simulated)))).toBe("fulfilled");
});

test("a killed console is device_lost over USB, and so are later requests", async () => {
  const simulated = await startConsole();
  opened.push({ close: () => simulated.stop() });
  const transport = await open("usb", simulated);
  const device = await Device.identify(transport);
  await simulated.kill();
  expect(await transport.closed).toMatchObject({ code: "device_lost" });
  expect(await codeOf(device.status())).toBe("device_lost");
});

test("a console with authentication accepts the client's token, for the log too", async () => {
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
