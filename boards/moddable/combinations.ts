/** Refuse arguments that are valid alone and have no effect together: the user expects an effect. */
import type { Target } from "./sdk.js";
import { checkConsoleFlags } from "./simulator.js";

/**
 * @param wanted.config values of `--config`
 * @param wanted.flags after `--`
 * @throws {Error} for an invalid combination
 */
export function checkCombination({
  target,
  out,
  config = [],
  hubCa,
  isToDeploy,
  flags,
}: {
  readonly target: Target;
  readonly out: string | undefined;
  readonly config?: readonly string[];
  readonly hubCa?: string | undefined;
  readonly isToDeploy: boolean;
  readonly flags: readonly string[];
}): void {
  if (target === "esp32s3" && out !== undefined)
    throw new Error("--out is for sim: a board's image stays where ESP-IDF makes it, which is printed");
  if (target === "sim" && config.length > 0)
    throw new Error("--config is for boards: the console in the simulator takes it after --deploy --");
  if (target === "sim" && hubCa !== undefined)
    throw new Error("--hub-ca is for boards: the console in the simulator takes it after --deploy --");
  if (flags.length === 0) return;
  if (target === "esp32s3") throw new Error(`A board has no command line: what is "${flags[0]}" for?`);
  if (!isToDeploy) throw new Error(`The console is only started by --deploy: what is "${flags[0]}" for?`);
  checkConsoleFlags(flags);
}
