/** Apps that look up names which no name server answers (docs/spec/capabilities.md#network-names). */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { isMissing } from "../../hosts/peers.js";
import { overUsb } from "../../hosts/usb-client.js";

/** Takes questions, and never answers. */
const NAME_SERVER = "127.0.0.66";

const connecting = (name: string) =>
  moduleOf(`(module (import "svc" "net_connect" (func $connect (param i32 i32 i32) (result i32)))
    (memory (export "memory") 1) (data (i32.const 0) "${name}")
    (func (export "main") (loop $again
      (drop (call $connect (i32.const 0) (i32.const ${name.length}) (i32.const 80))) (br $again))))`);

test.skipIf(isMissing("tmpfs"))(
  "Apps that are started and stopped while their names are looked up leave memory and resolver to others",
  async () => {
    const server = createSocket("udp4").bind(53, NAME_SERVER);
    await once(server, "listening");
    let questions = 0;
    server.on("message", () => questions++);
    const resolv = path.join(tmpdir(), `resolv-${process.pid}`);
    writeFileSync(resolv, `nameserver ${NAME_SERVER}\noptions timeout:30 attempts:1\n`);
    const mounted = `mount --bind ${resolv} /etc/resolv.conf && exec "$@"`;
    const console = await startAppConsole({ within: ["unshare", "-m", "sh", "-c", mounted, "console"] });
    try {
      for (const [name, host] of [
        ["one", "never.example"],
        ["two", "never-either.example"],
      ] as const) {
        const file = packageOf(await connecting(host), { name, capabilities: ["network.use"] });
        const signature = console.publisher.sign(file);
        expect(await installOverHttp(console, { file, signature })).toMatchObject({ status: 200 });
      }
      for (let round = 0; round < 15; round++)
        for (const name of ["one", "two"]) {
          expect((await console.app("start", name)).status).toBe(200);
          expect((await console.app("stop", name)).status).toBe(200);
        }
      await expect.poll(() => questions).toBeGreaterThan(0);
      await console.app("start", "two");
      const module = await moduleOf('(module (memory 1) (func (export "main")))');
      const file = packageOf(module, { name: "three" });
      expect(await installOverHttp(console, { file, signature: console.publisher.sign(file) })).toMatchObject(
        { status: 200 },
      );
      const status = () => overUsb(console, (usb) => usb.request("GET", "/api/status"));
      for (let round = 0; round < 5; round++) expect((await status()).status).toBe(200);
    } finally {
      await console.stop();
      server.close();
      rmSync(resolv);
    }
  },
);
