/** Prepares a machine for the tests: Debian packages, Zig, and the simulator. Builds only what has changed. */
import { buildDevice, buildSimulator } from "../simulator/build.js";
import { installSystemPackages } from "../tools/system-packages.js";
import { provideZig } from "../tools/zig.js";
import { runs32BitPrograms } from "./hosts/peers.js";

/**
 * Install the packages that the tests use, if permitted: those of `npm test`, or of all tests, as CI wants them.
 * What `SVC_TEST_REQUIRE` names must be there, so with it all are installed.
 */
export function preparePackages({ isQuick }: { isQuick: boolean }): void {
  const isEverything = !isQuick || Boolean(process.env["SVC_TEST_REQUIRE"]);
  installSystemPackages(isEverything ? "test:all" : "test");
  provideZig({ mayInstall: isEverything });
  if (isEverything && !runs32BitPrograms())
    process.stdout.write("This kernel runs no 32-bit programs: tests with a board's heap are skipped\n");
}

/**
 * Build the simulated console, which most tests use. Its other variants, and the console on RV32, are built by the tests that
 * use them.
 */
export async function buildConsole(): Promise<void> {
  await Promise.all([buildSimulator({ variant: "release" }), buildDevice()]);
}
