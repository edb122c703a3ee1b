/** Refuse arguments that are valid alone and have no effect together: the user expects an effect. */
import { type Ethernet, readEthernet } from "./boards.js";
import type { Target } from "./sdk.js";
import { checkConsoleFlags } from "./simulator.js";

/**
 * @param wanted.config values of `--config`
 * @param wanted.ethernet value of `--ethernet`
 * @param wanted.isToMerge whether to write an image of the whole flash
 * @param wanted.flags after `--`
 * @returns the Ethernet of the board, if any
 * @throws {Error} for an invalid combination
 */
export function checkCombination({
  target,
  out,
  config = [],
  ethernet,
  isToMerge = false,
  hubCa,
  isToDeploy,
  flags,
}: {
  readonly target: Target;
  readonly out: string | undefined;
  readonly config?: readonly string[];
  readonly ethernet?: string | undefined;
  readonly isToMerge?: boolean;
  readonly hubCa?: string | undefined;
  readonly isToDeploy: boolean;
  readonly flags: readonly string[];
}): Ethernet | undefined {
  if (target !== "sim" && out !== undefined)
    throw new Error("--out is for sim: a board's image stays where ESP-IDF makes it, which is printed");
  if (target === "sim" && config.length > 0)
    throw new Error("--config is for boards: the console in the simulator takes it after --deploy --");
  if (target === "sim" && ethernet !== undefined)
    throw new Error("--ethernet is for boards: the console in the simulator is in the desktop's network");
  if (target === "sim" && isToMerge)
    throw new Error(
      "--image is for boards: the simulator has no flash to program, and takes what is built without it",
    );
  if (target === "sim" && hubCa !== undefined)
    throw new Error("--hub-ca is for boards: the console in the simulator takes it after --deploy --");
  checkFlags(target, isToDeploy, flags);
  return target === "sim" ? undefined : readEthernet(target, ethernet);
}

function checkFlags(target: Target, isToDeploy: boolean, flags: readonly string[]): void {
  if (flags.length === 0) return;
  if (target !== "sim") throw new Error(`A board has no command line: what is "${flags[0]}" for?`);
  if (!isToDeploy) throw new Error(`The console is only started by --deploy: what is "${flags[0]}" for?`);
  checkConsoleFlags(flags);
}
