/** The console's window (docs/spec/simulated-console.md#window): with SDL's dummy screen, and its parts without SDL. */
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWindow } from "../../../simulator/build-window.js";
import { isMissing } from "../../hosts/peers.js";
import { expand, readPng } from "../../hosts/read-png.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { noisePicture, startNoise, WITHOUT_HOME } from "../display/noise-app.js";

const [UP, DOWN, LEFT, A, START, SELECT] = [1, 2, 4, 16, 256, 512];

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");
const directory = temporaryDirectory();
afterAll(() => directory.remove());

const at = (name: string) => path.join(directory.path, name);
const HEADERS = ["simulator/window", "simulator/native", "device/hosts/common/native", "host-tests/native"];
const FLAGS = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"];

describe("Without SDL", () => {
  beforeAll(async () => {
    const sources = ["key-table", "letterbox", "lit-pixels"].map((name) => `simulator/window/${name}.c`);
    await run("gcc", [
      ...[...FLAGS, "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
      ...HEADERS.map((folder) => `-I${path.join(root, folder)}`),
      ...[...sources, "host-tests/device/window/parts.c"].map((source) => path.join(root, source)),
      ...["-o", at("parts")],
    ]);
  });

  test("keys, letterbox and colours behave as their headers document", async () => {
    const { stdout } = await run(at("parts")).catch((error) => error);
    expect(stdout).toBe("");
  });

  test("the specification shows the table of keys", async () => {
    const { stdout } = await run(at("parts"), ["table"]);
    expect(readFileSync(path.join(root, "docs/spec/simulated-console.md"), "utf8")).toContain(stdout);
  });
});

describe.skipIf(isMissing("sdl"))("On SDL's dummy screen (skipped without libsdl2-dev)", () => {
  let console: Console;
  let usb: UsbClient;
  let commands: number;

  beforeAll(async () => {
    const window = await buildWindow();
    const library = ["-shared", "-fPIC", "-isystem/usr/include/SDL2", "-D_REENTRANT"];
    await run("gcc", [
      ...FLAGS,
      ...library,
      path.join(import.meta.dirname, "events.c"),
      "-o",
      at("events.so"),
    ]);
    spawnSync("mkfifo", [at("commands")]);
    commands = openSync(at("commands"), "r+"); // waits for no reader
    const environment = `SDL_VIDEODRIVER=dummy SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS=1 WINDOW_COMMANDS=${at("commands")} WINDOW_SHOWN=${at("shown")}`;
    writeFileSync(
      at("window"),
      `#!/bin/sh\nexec env LD_PRELOAD=${at("events.so")} ${environment} ${window}\n`,
    );
    chmodSync(at("window"), 0o700);
    console = await startConsole({ flags: ["--window-program", at("window"), ...WITHOUT_HOME] });
    await startNoise(console);
    usb = await UsbClient.open(console.usb);
  });

  const user = (line: string) => writeSync(commands, `${line}\n`);

  async function screen() {
    const { body } = await usb.request("GET", "/api/screen");
    return readPng(Buffer.from(body.png, "base64"));
  }

  /** What is drawn: the size in pixels, and the picture. */
  function drawn() {
    if (!existsSync(at("shown"))) return { width: 0, height: 0, rgb: Buffer.alloc(0) };
    const file = readFileSync(at("shown"));
    return { width: file.readInt32LE(0), height: file.readInt32LE(4), rgb: file.subarray(8) };
  }

  /** The display's picture in the middle of a black window, each pixel `scale` times as large. */
  async function expected(width: number, height: number, scale: number): Promise<Buffer> {
    const picture = await screen();
    const whole = Buffer.alloc(width * height * 3);
    const left = (width - picture.width * scale) >> 1;
    const top = (height - picture.height * scale) >> 1;
    for (let y = 0; y < picture.height * scale; y++)
      for (let x = 0; x < picture.width * scale; x++) {
        const from = 3 * (Math.floor(y / scale) * picture.width + Math.floor(x / scale));
        picture.rgb.copy(whole, 3 * ((top + y) * width + left + x), from, from + 3);
      }
    return whole;
  }

  const shows = (width: number, height: number, scale: number) =>
    expect
      .poll(async () => {
        const picture = drawn();
        if (picture.width !== width || picture.height !== height)
          return `${picture.width} x ${picture.height}`;
        return picture.rgb.equals(await expected(width, height, scale));
      })
      .toBe(true);

  /** The app in front draws a picture of the buttons that it sees. */
  const presses = (buttons: number) =>
    expect.poll(async () => (await screen()).rgb.equals(expand(noisePicture(buttons)))).toBe(true);

  test("it shows the picture of GET /api/screen, pixel by pixel, at every size in whole multiples", async () => {
    await presses(0);
    await shows(480, 640, 2);
    user("size 1000 700");
    await shows(1000, 700, 2);
    user("size 300 330");
    await shows(300, 330, 1);
  });

  test("keys press the console's own buttons, until each of them is up", async () => {
    user("down Up");
    user("down Z");
    await presses(UP | A);
    user("up Z");
    user("down Left Shift");
    await presses(UP | SELECT);
    user("down Right Shift");
    user("up Left Shift");
    user("up Up");
    await presses(SELECT);
    user("up Right Shift");
    await presses(0);
    user("down Escape");
    await presses(START | SELECT);
    user("up Escape");
    await presses(0);
  });

  test("all buttons are up when the window loses the focus, and the desktop's repetitions press none", async () => {
    user("down Left Shift");
    await presses(SELECT);
    user("blur");
    await presses(0);
    user("repeat Left Shift");
    user("down Return"); // after it
    await presses(START);
    user("up Return");
    await presses(0);
  });

  test("a gamepad presses them, too, until it is gone", async () => {
    user("pad on");
    user("pad down a");
    await presses(A);
    user("pad down back");
    await presses(A | SELECT);
    user("pad up a");
    user("pad stick -20000 0");
    await presses(SELECT | LEFT);
    user("pad stick 0 20000");
    await presses(SELECT | DOWN);
    user("pad off");
    await presses(0);
    user("pad on");
    user("pad down guide");
    await presses(START | SELECT);
    user("pad off");
    await presses(0);
  });

  const brightest = (rgb: Buffer) => rgb.reduce((most, value) => Math.max(most, value), 0);

  test("the light dims the picture", async () => {
    await usb.request("POST", "/api/settings", { brightness_percent: 50 });
    await expect.poll(() => brightest(drawn().rgb)).toBe(127);
    await usb.request("POST", "/api/settings", { brightness_percent: 100 });
    await expect.poll(() => brightest(drawn().rgb)).toBe(255);
  });

  test("closing it switches the console off", async () => {
    await usb.close();
    user("quit");
    expect(await console.exited).toBe(0);
  });
});
