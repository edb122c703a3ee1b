/**
 * `npm run test:moddable [-- FILES]`: builds the console for the Moddable SDK's simulator, runs it headless, and runs
 * the tests that the console in our own simulator passes (suites.ts); then once more, instrumented, the recorded
 * session. Ends with the test results and the figures of the SDK's instrumentation.
 *
 * Exit status 0 when nothing failed, and where there is no SDK, unless `SVC_TEST_REQUIRE` names `moddable`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openDisplay, requireDisplay } from "../../boards/moddable/display.js";
import { buildSimulatorImage } from "../../boards/moddable/firmware.js";
import { findSdk, type Sdk, SdkProblem } from "../../boards/moddable/sdk.js";
import { type Outcome, readJson, runSuites } from "../run-suites.js";
import { SUITES } from "./suites.js";

const root = path.join(import.meta.dirname, "../..");
const directory = path.join(root, "build/moddable/tests");
const results = path.join(directory, "results.json");
const figures = path.join(directory, "heap.json");

/** Of the image of firmware, before the library that the simulator loads (tools/image.ts). */
const HEADER_BYTES = 128;

/** Of which the engine is asked what it took. */
const SESSION = "host-tests/device/session/";

/** @returns the library that the simulator loads */
async function build(sdk: Sdk, isInstrumented: boolean): Promise<string> {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const name = isInstrumented ? "instrumented" : "device";
  const file = path.join(directory, `${name}.img`);
  const image = await buildSimulatorImage(sdk, file, { version, isInstrumented });
  const library = path.join(directory, `${name}.so`);
  writeFileSync(library, readFileSync(image).subarray(HEADER_BYTES));
  return library;
}

/** What the instrumented console writes, in bytes. */
type HeapFigures = Readonly<
  Record<
    "slot_bytes" | "chunk_bytes" | "peak_stack_bytes" | "stack_bytes" | "live_bytes" | "total_bytes",
    number
  >
>;

function report({ version }: Sdk, outcomes: readonly Outcome[]): void {
  const sum = (kind: "passed" | "failed" | "skipped") =>
    outcomes.reduce((total, outcome) => total + outcome[kind], 0);
  const heap = readJson<HeapFigures>(figures);
  if (heap)
    console.log(
      `By the SDK's instrumentation, after the recorded session, in bytes: slots ${heap.slot_bytes}, chunks ${heap.chunk_bytes}, stack ${heap.peak_stack_bytes} at most of ${heap.stack_bytes}; all of it ${heap.live_bytes} of ${heap.total_bytes}`,
    );
  console.log(
    `Moddable SDK ${version}: ${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`,
  );
}

/** @returns whether all passed */
async function run(sdk: Sdk, suites: readonly string[]): Promise<boolean> {
  console.log(`Moddable SDK ${sdk.version}`);
  mkdirSync(directory, { recursive: true });
  rmSync(figures, { force: true });
  const library = await build(sdk, false);
  const instrumented = await build(sdk, true);
  const display = await openDisplay();
  try {
    const environment = {
      SVC_TEST_HOST: "moddable",
      SVC_TEST_MCSIM: path.join(sdk.tools, "mcsim"),
      DISPLAY: display.name,
    };
    const outcomes = [
      runSuites({
        suites,
        results,
        environment: { ...environment, SVC_TEST_MODDABLE_LIBRARY: library },
      }),
      runSuites({
        suites: [SESSION],
        results,
        environment: {
          ...environment,
          SVC_TEST_MODDABLE_LIBRARY: instrumented,
          SVC_TEST_FIGURES: figures,
        },
      }),
    ];
    report(sdk, outcomes);
    return outcomes.every(({ isFine }) => isFine);
  } finally {
    display.close();
  }
}

/** Where there is what the simulator takes. */
function sdkOfThisMachine(): Sdk | undefined {
  try {
    const sdk = findSdk(process.env, "sim");
    requireDisplay(process.env);
    return sdk;
  } catch (problem) {
    if (!(problem instanceof SdkProblem)) throw problem;
    console.log(`test:moddable is skipped: ${problem.message}`);
    return undefined;
  }
}

const sdk = sdkOfThisMachine();
if (sdk) {
  const files = process.argv.slice(2);
  process.exitCode = (await run(sdk, files.length > 0 ? files : SUITES)) ? 0 : 1;
} else {
  const isRequired = (process.env["SVC_TEST_REQUIRE"] ?? "").split(",").includes("moddable");
  process.exitCode = isRequired ? 1 : 0;
}
