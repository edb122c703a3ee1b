/**
 * What the tests of our own simulator's console ask of a board in an emulator, and what they cannot ask. The emulator has
 * flash, PSRAM, UARTs and Ethernet; it has no radio, no USB device and no files that this machine could read.
 */
import { SUITES as CONSOLE_SUITES } from "../moddable/suites.js";

/** What tests run with: a key that the console trusts, or machine code of the board with it. */
export type Need = "key" | "machine code";

export interface Skip {
  /** Path of a test file. */
  readonly file: string;
  /** Part of the full name of the skipped tests; default: all of the file. */
  readonly test?: string;
  /** They run where that is there. */
  readonly needs?: Need;
  readonly reason: string;
}

const NO_FILES = "it writes keys into the console's file system, or reads its files";
const NO_OPTIONS = "options of a board are compiled into its firmware";
const OWN_FIRMWARE = "it builds and flashes firmware for the simulated console";
const NO_WAY_BACK = "its hub has an address that only this machine has";
const NO_KEY = "its apps are signed: name a private key that the console trusts with --key";
const NO_MACHINE_CODE =
  "it runs apps as machine code: that takes an ESP32, a key, and xtensa-esp32-elf-gcc on the path";
const TOO_LARGE = "its apps have 4 MiB of memory, and the board has no more than that for everything";
const ONE_ADDRESS = "the emulator's network shows one address for all peers";
const NO_PEER = "its peer has an address that only this machine has";

const DIRECTORY = "host-tests/device";

const skip = (file: string, reason: string, test?: string): Skip => ({
  file: `${DIRECTORY}/${file}.test.ts`,
  ...(test === undefined ? {} : { test }),
  reason,
});

export const SKIPS: readonly Skip[] = Object.freeze([
  skip("session/session", NO_FILES),
  skip(
    "api/reboot",
    "an emulator that is ended is a loss of power",
    "a killed console reports reset reason crash",
  ),
  skip("http/http", ONE_ADDRESS, "a peer with seven open connections"),
  skip("http/http", NO_OPTIONS, "with CONFIG_SVC_HTTP_AUTH on"),
  skip("http/http", NO_OPTIONS, "an unknown build option prevents the start"),
  skip("websocket/websocket", ONE_ADDRESS, "the fourth client of an address and the fifth of all"),
  skip("websocket/websocket", NO_OPTIONS, "a client sends its token in a field or in the query"),
  skip("websocket/websocket", NO_OPTIONS, "where a token is asked for, replacing it ends what was opened"),
  skip(
    "usb/usb",
    "a UART does not tell whether a cable is in it",
    "a partial line is dropped when the cable",
  ),
  skip("usb/network-change", "it starts the console in a network namespace"),
  skip("wifi/provisioning", "the emulator has no radio"),
  skip("display/screen", NO_OPTIONS),
  ...["install", "examples", "many-apps", "nesting", "refusals", "trusted-keys"].map((name) =>
    skip(`apps/${name}`, NO_FILES),
  ),
  ...["hostile-ends", "hostile-stop"].map((name) => ({
    ...skip(`apps/${name}`, NO_KEY),
    needs: "key" as const,
  })),
  ...["examples", "hostile-ends"].map((name) => ({
    ...skip(`native-images/${name}`, NO_MACHINE_CODE),
    needs: "machine code" as const,
  })),
  ...["apps/hostile-ends", "native-images/hostile-ends"].map((name) =>
    skip(name, TOO_LARGE, "after its memory grew to the largest quota"),
  ),
  ...[
    "of all memory",
    "blits with extreme coordinates",
    "texts as long as memory",
    "fill all of their memory",
    "draw",
  ].map((name) => skip("apps/hostile-stop", TOO_LARGE, name)),
  skip("apps/hostile-stop", NO_PEER, "its receive with a timeout of 24 days"),
  skip("apps/hostile-stop", NO_PEER, "its unanswered connection attempt"),
  skip("apps/hostile-together", TOO_LARGE),
  ...["update", "first-keys", "rollback", "refusals"].map((name) => skip(`firmware/${name}`, OWN_FIRMWARE)),
  ...["hub", "apps", "firmware", "story"].map((name) => skip(`hub/${name}`, NO_WAY_BACK)),
]);

const isWhole = ({ test }: Skip) => test === undefined;

/** Test files of which at least some tests run, if there is a key for those that need one. */
export const SUITES: readonly string[] = Object.freeze(
  [
    ...CONSOLE_SUITES,
    `${DIRECTORY}/apps/hostile-ends.test.ts`,
    `${DIRECTORY}/native-images/examples.test.ts`,
    `${DIRECTORY}/native-images/hostile-ends.test.ts`,
  ].filter(
    (suite) =>
      !SKIPS.some((skipped) => isWhole(skipped) && skipped.needs === undefined && skipped.file === suite),
  ),
);

/**
 * @param has which of what tests need is there
 * @returns the skips of these files, and the tests of the others as a pattern of names to run
 */
export function chooseSuites(files: readonly string[], has: readonly Need[] = []) {
  const asked = SKIPS.filter(({ file, needs }) => files.includes(file) && !(needs && has.includes(needs)));
  const whole = asked.filter(isWhole);
  const isLeftOut = (file: string) => whole.some((skipped) => skipped.file === file);
  const skips = asked.filter((skipped) => isWhole(skipped) || !isLeftOut(skipped.file));
  const suites = files.filter((file) => SUITES.includes(file) && !isLeftOut(file));
  const names = skips.flatMap(({ test = [] }) => test);
  return {
    suites,
    skips,
    pattern: names.length === 0 ? undefined : `^(?!.*(?:${names.map(escaped).join("|")}))`,
  };
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
