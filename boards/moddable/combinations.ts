/** Refuse arguments that are valid alone and have no effect together: the user expects an effect. */
import type { Target } from "./sdk.js";
import { checkConsoleFlags } from "./simulator.js";

/**
 * @param wanted.config values of `--config`
 * @param wanted.isToMerge whether to write an image of the whole flash
 * @param wanted.flags after `--`
 * @throws {Error} for an invalid combination
 */
export function checkCombination({
  target,
  out,
  config = [],
  isToMerge = false,
  hubCa,
  isToDeploy,
  flags,
}: {
  readonly target: Target;
  readonly out: string | undefined;
  readonly config?: readonly string[];
  readonly isToMerge?: boolean;
  readonly hubCa?: string | undefined;
  readonly isToDeploy: boolean;
  readonly flags: readonly string[];
}): void {
  if (target !== "sim" && out !== undefined)
    throw new Error("--out is for sim: a chip's image stays where ESP-IDF makes it, which is printed");
  if (target !== "sim" && isToDeploy)
    throw new Error("--deploy is for sim: --image makes a file that tools for ESP-IDF write to flash");
  const ofChip = config.length > 0 ? "--config" : hubCa !== undefined ? "--hub-ca" : undefined;
  if (target === "sim" && ofChip)
    throw new Error(`${ofChip} is for esp32s3: the console in the simulator takes it after --deploy --`);
  if (target === "sim" && isToMerge)
    throw new Error("--image is for esp32s3: the simulator has no flash, and takes what is built without it");
  checkFlags(target, isToDeploy, flags);
}

function checkFlags(target: Target, isToDeploy: boolean, flags: readonly string[]): void {
  if (flags.length === 0) return;
  if (target !== "sim") throw new Error(`A chip has no command line: what is "${flags[0]}" for?`);
  if (!isToDeploy) throw new Error(`The console is only started by --deploy: what is "${flags[0]}" for?`);
  checkConsoleFlags(flags);
}
