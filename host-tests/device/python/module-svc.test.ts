/** The module `svc` of scripts on a console (docs/reference/abi.md, sdk/README.md). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { pythonPackage, RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { run, screen, started, text } from "./script-runs.js";

let console: AppConsole;
const card = mkdtempSync(path.join(tmpdir(), "card-"));
beforeAll(async () => {
  mkdirSync(path.join(card, "apps/script/levels"), { recursive: true });
  writeFileSync(path.join(card, "apps/script/größe.txt"), "0123456789");
  console = await startAppConsole({ flags: ["--sd", card] });
  await pythonPackage({ script: "" });
}, RUNTIME_TIMEOUT_MS);
afterAll(async () => {
  rmSync(card, { recursive: true });
  expect(await console.stop()).toBe(0);
});

describe("The module svc", { timeout: 120_000 }, () => {
  test("stores values, which the next run reads", async () => {
    const capabilities = ["storage.read", "storage.write"];
    const first = text(
      "import svc",
      "print(svc.storage_read('score'), svc.storage_delete('score'))",
      "svc.storage_write('score', 'é42'); svc.storage_write('raw', b'\\x00\\xff'); svc.storage_write('none', b'')",
      "try: svc.storage_write('no/key', b'')",
      "except OSError as error: print(error.errno)",
    );
    expect((await run(console, { script: first, capabilities })).lines).toEqual(["I None False", "I 22"]);
    const second = text(
      "import svc",
      "print(svc.storage_read('score').decode(), svc.storage_read('raw'), svc.storage_read('none'))",
      "print(svc.storage_delete('score'), svc.storage_read('score'))",
      "svc.storage_write_at('raw', -1, 'more'); svc.storage_write_at('raw', 1, b'M')",
      "print(svc.storage_read('raw'), svc.storage_list())",
      "try: svc.storage_write_at('raw', 7, b'')",
      "except OSError as error: print(error.errno)",
    );
    expect((await run(console, { script: second, capabilities })).lines).toEqual([
      "I é42 b'\\x00\\xff' b''",
      "I True None",
      "I b'\\x00Mmore' ['none', 'raw']",
      "I 22",
    ]);
  });

  test("reads files on the SD card", async () => {
    const script = text(
      "import svc",
      "print(sorted(svc.card_list()), svc.card_list('levels'))",
      "print(svc.card_read('größe.txt'), svc.card_read('größe.txt', 7), svc.card_read('größe.txt', 2, 3))",
      "svc.card_write('new/long', -1, 'ab' * 10000); svc.card_write('new/long', 1, b'--')",
      "print(svc.card_read('new/long')[:5], len(svc.card_read('new/long')))",
      "print(svc.card_delete('new/long'), svc.card_delete('new/long'))",
      "for path in 'none', '../script': ",
      "    try: svc.card_read(path)",
      "    except OSError as error: print(error.errno)",
    );
    const capabilities = ["storage.read", "storage.write"];
    expect((await run(console, { script, capabilities })).lines).toEqual([
      "I ['gr\\xf6\\xdfe.txt', 'levels/'] []",
      "I b'0123456789' b'789' b'234'",
      "I b'a--ba' 20000",
      "I True False",
      "I 2",
      "I 22",
    ]);
  });

  test("measures, makes pulses, and reads a sensor", async () => {
    const script = text(
      "import svc",
      "print(svc.adc_read(2), svc.adc_read(0), svc.pwm_write(20, 50, 65535), svc.pwm_write(20, 0, 0))",
      "svc.i2c_write(0x48, b'\\x03\\x1e\\x00')",
      "print(svc.i2c_read(0x48, 3, 2), len(svc.i2c_read(0x48, -1, 256)))",
      "for address in 0x49, 0:",
      "    try: svc.i2c_read(address, 0, 1)",
      "    except OSError as error: print(error.errno)",
    );
    expect((await run(console, { script, capabilities: ["gpio.read", "gpio.write"] })).lines).toEqual([
      "I 0 -19 0 -22",
      "I b'\\x1e\\x00' 256",
      "I 2",
      "I 22",
    ]);
  });

  test("draws, and what it draws is shown", async () => {
    const script = text(
      "import svc, struct",
      "w, h = svc.display_width(), svc.display_height()",
      "svc.display_fill(0, 0, w, h, 0xF800)",
      "svc.display_blit(0, 0, 2, 1, struct.pack('<HH', 0x07E0, 0x001F))",
      "svc.display_sprite(8, 0, struct.pack('<HH', 0xFFFF, 0), 2, 1, 1, 1, 0)",
      "print(svc.display_text(8, 8, 0xFFFF, 'Grüße'), svc.display_flush())",
      "try: svc.display_blit(0, 0, 2, 2, b'1234')",
      "except ValueError as error: print('ValueError')",
      "svc.sleep_ms(100000)",
    );
    const from = await started(console, { script, capabilities: ["display.write"] });
    await console.waitForLine(/app\/script: 0 0$/, from);
    await console.waitForLine(/app\/script: ValueError$/, from);
    const { width, rgb } = await screen(console);
    const pixel = (x: number, y: number) => rgb.toString("hex", 3 * (y * width + x), 3 * (y * width + x) + 3);
    expect([pixel(0, 0), pixel(1, 0), pixel(2, 0), pixel(8, 0)]).toEqual([
      "00ff00",
      "0000ff",
      "ff0000",
      "ffffff",
    ]);
    await console.app("stop", "script");
  });

  test("has a value for each button, and reads them", async () => {
    const { lines } = await run(console, {
      script: "import svc; print(svc.buttons(), svc.UP, svc.SELECT, svc.A | svc.B)",
      capabilities: ["gpio.read"],
    });
    expect(lines).toEqual(["I 0 1 512 48"]);
  });

  test("logs at each level, and gives random bytes", async () => {
    const { lines } = await run(
      console,
      text(
        "from svc import log, random, WARNING, ERROR",
        "log(WARNING, 'careful'); log(ERROR, 'broken')",
        "print(len(random(16)), random(16) != random(16))",
      ),
    );
    expect(lines).toEqual(["W careful", "E broken", "I 16 True"]);
  });

  test("sleeps, and sees time pass", async () => {
    const { lines } = await run(
      console,
      text(
        "import time, svc",
        "begin = svc.uptime_ms()",
        "time.sleep(0.05); time.sleep_ms(50); svc.sleep_ms(50)",
        "print(svc.uptime_ms() - begin >= 150)",
      ),
    );
    expect(lines).toEqual(["I True"]);
  });

  test("has no function that the manifest does not permit: it returns -1, or raises OSError", async () => {
    const { lines } = await run(
      console,
      text(
        "import svc",
        "print(svc.display_fill(0, 0, 1, 1, 0))",
        "try: svc.storage_write('key', 'value')",
        "except OSError as error: print(error.errno)",
      ),
    );
    expect(lines).toEqual(["I -1", "I 1"]);
  });

  test("survives calls with parameters that no function has", async () => {
    const { lines, exit } = await run(console, {
      script: text(
        "import js, svc",
        "print(svc.display_fill(), svc.display_fill(1, 2), svc.display_fill('text', 1.5, None, 1e300, float('nan')))",
        "print(svc.display_text(*range(40)), js.nothing if hasattr(js, 'nothing') else 'none')",
        "print(svc.log(9, 'level'), svc.log([], {}), js.end, len(js.names) > 100)",
        "for name in dir(svc): getattr(svc, name)",
      ),
      capabilities: ["display.write"],
    });
    expect(lines).toHaveLength(3);
    expect(lines[1]).toBe("I -22 none");
    expect(exit).toMatchObject({ reason: "exit", code: 0 });
  });
});
