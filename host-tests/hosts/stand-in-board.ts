/** An image of a flash, and a program in place of an emulator, which runs our simulator (host-tests/board/stand-in.ts). */
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildDevice, buildSimulator } from "../../simulator/build.js";
import { mergeFlashImage } from "../../tools/flash/flash-image.js";
import { LAUNCHER } from "../../tools/launcher.js";
import { buildFiles, espImage } from "./esp-build.js";

const root = path.join(import.meta.dirname, "../..");
const STAND_IN = path.join(root, "host-tests/board/stand-in.ts");

export interface StandInBoard {
  /** Paths. */
  readonly flash: string;
  readonly emulator: string;
  /** Runs a module of `host-tests/board` on its command line. */
  run(module: string, words: readonly string[], environment?: NodeJS.ProcessEnv): Ended;
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A flash that says of itself what the simulator says. */
export function flashImage(project = "simulator"): Uint8Array {
  const files = buildFiles("esp32");
  return mergeFlashImage("esp32", [
    { name: "boot loader", role: "boot loader", ...files.bootloader },
    { name: "table", role: "partition table", ...files["partition-table"] },
    { name: "app", role: "app", offset: files.app.offset, bytes: espImage({ chipId: 0, app: { project } }) },
  ]).image;
}

/** @param directory for the files */
export async function makeStandInBoard(directory: string): Promise<StandInBoard> {
  const programs = await Promise.all([buildSimulator(), buildDevice()]);
  const flash = path.join(directory, "flash, merged.bin"); // a value of the emulator's options doubles the comma
  const emulator = path.join(directory, "qemu-system-xtensa");
  writeFileSync(flash, flashImage());
  writeFileSync(emulator, `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "${STAND_IN}" "$@"\n`);
  chmodSync(emulator, 0o755);
  return {
    flash,
    emulator,
    run: (module, words, environment = {}) =>
      spawnSync(process.execPath, [LAUNCHER, path.join(root, "host-tests/board", module), ...words], {
        cwd: root,
        encoding: "utf8",
        env: {
          ...process.env,
          SVC_TEST_ARCHITECTURE: "native",
          NO_COLOR: "1",
          SVC_STAND_IN_CONSOLE: programs.join(path.delimiter),
          ...environment,
        },
      }),
  };
}
