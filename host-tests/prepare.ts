/** Prepares a machine for the tests: Debian packages, Zig, the simulator in each variant, and the console on RV32. */
import { missingPackages } from "../boards/rv32/builder/toolchain.js";
import { buildSession } from "../boards/rv32/session/measure.js";
import { buildSimulator } from "../simulator/build.js";
import { hasMultilib, installSystemPackages } from "../tools/system-packages.js";
import { runs32BitPrograms } from "./hosts/peers.js";
import { provideZig } from "./hosts/zig.js";

/**
 * Builds only what has changed.
 * @param options whether to build the variants of the nightly tier too: with sanitizers, and as on Xtensa
 */
export async function prepare({ isNightly }: { isNightly: boolean }): Promise<void> {
  installSystemPackages("test");
  await buildSimulator({ variant: "release" });
  if (isNightly) for (const variant of ["asan", "trampoline"] as const) await buildSimulator({ variant });
  if (hasMultilib()) await buildSimulator({ variant: "m32" }); // for the tests of a board's heap
  if (!runs32BitPrograms())
    process.stdout.write("This kernel runs no 32-bit programs: tests with a board's heap are skipped\n");
  if (missingPackages().length === 0) await buildSession();
  provideZig();
}
