/** What tests make native images for: the simulated console, or the board under test. */
import { spawnSync } from "node:child_process";
import type { ImageArchitecture } from "../../hub/images/image-request.js";
import { NATIVE_TARGETS } from "../../sdk/builder/native/architectures.js";
import { boardUnderTest } from "./board.js";

export const imageArchitecture = (boardUnderTest?.architecture ?? "native") as ImageArchitecture;

function hasCompiler(): boolean {
  return spawnSync(NATIVE_TARGETS[imageArchitecture]?.compiler ?? "", ["--version"]).status === 0;
}

/** Of boards, an ESP32 alone runs images; and ESP-IDF's compiler may be missing where a board's firmware is tested. */
export const areImagesPossible = !boardUnderTest || (boardUnderTest.machine === "esp32" && hasCompiler());
