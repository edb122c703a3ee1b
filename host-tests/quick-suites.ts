/**
 * What `npm test` runs: each feature once, on the engine, over real sockets, in a real browser, on SQLite, and no sweep.
 * All else runs in `npm run test:all`, which CI does after `npm test`.
 *
 * A path is a suite, or a folder of suites, below `host-tests`. A folder of `device`, `hub` or `browser` without a suite here
 * is named in {@link NOT_QUICK}, with the reason.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

export const QUICK_SUITES: readonly string[] = Object.freeze([
  // The console: its API over both transports, and what its clients do with it.
  "device/api",
  "device/cli/commands",
  "device/cli/logs",
  "device/cli/owner-keys",
  "device/cli/terminal",
  "device/client/device-client",
  "device/client/device-link",
  "device/http",
  "device/hostile-input/hostile-input",
  "device/mdns/mdns-js",
  "device/page",
  "device/session",
  "device/setup",
  "device/shell",
  "device/usb/usb",
  "device/websocket",
  "device/wifi",

  // Apps: installed, run, drawn, ended.
  "device/apps/app-abi",
  "device/apps/bluetooth",
  "device/apps/card",
  "device/apps/drives",
  "device/apps/front",
  "device/apps/hostile-ends",
  "device/apps/http-requests",
  "device/apps/icons",
  "device/apps/install",
  "device/apps/notice",
  "device/apps/owner-keys",
  "device/apps/publishers",
  "device/apps/refusals",
  "device/apps/revocations",
  "device/display/screen",
  "device/drives",
  "device/engine",
  "device/guest/abi",
  "device/guest/lifecycle",
  "device/package",
  "device/pins",
  "device/python/module-svc",
  "device/signature",
  "device/sound/sound",
  "device/upload",

  // Firmware, and what outlasts a restart.
  "device/clock",
  "device/firmware/boot/safe-mode",
  "device/firmware/boot/trial",
  "device/firmware/boot/verified",
  "device/firmware/events",
  "device/firmware/refusals",
  "device/firmware/rollback",
  "device/firmware/update",
  "device/native/start",
  "device/native-images/checks",
  "device/storage/contracts",
  "device/storage/power-cut",
  "device/tls/unasked",

  // The home screen and its window.
  "device/home/home",
  "device/home/settings",
  "device/window/window-link",

  // Console and hub.
  "device/hub/apps",
  "device/hub/firmware",
  "device/hub/questions",
  "device/hub/secure",
  "device/hub/story",
  "device/hub-client",

  // The hub.
  "hub/accounts",
  "hub/api/accounts",
  "hub/api/operations",
  "hub/api/tokens",
  "hub/backup",
  "hub/catalog/catalog",
  "hub/catalog/download",
  "hub/catalog/publish",
  "hub/cli/svc",
  "hub/commands/commands",
  "hub/database",
  "hub/devices",
  "hub/firmware",
  "hub/fleet/bulk-orders",
  "hub/fleet/device-list",
  "hub/files",
  "hub/history",
  "hub/hub-client",
  "hub/oidc/sign-in",
  "hub/page",
  "hub/process/start",
  "hub/publishers",
  "hub/push",
  "hub/retention",
  "hub/rollouts/rollouts",
  "hub/store/store",
  "hub/teams/teams",
  "hub/tracing",
  "hub/webhooks/webhooks",

  // The pages, in Chromium.
  "browser/fleet/story",
  "browser/player/player",
  "browser/settings",
  "browser/store",
  "browser/transports",
]);

/** Folders of which `npm test` runs nothing, with the reason. */
export const NOT_QUICK: Readonly<Record<string, string>> = Object.freeze({
  "device/board": "tests the runner of `npm run test:board`",
  "device/esp32": "compiles a board's C",
  "device/heap": "the 32-bit console",
  "device/rv32": "the console on RV32",
  "hub/bus": "NATS",
  "hub/faults": "full disks, spent descriptors, a read-only database",
  "hub/images": "compilers of native images",
  "hub/operations": "the alerts that the documents show",
});

/** Suites of `unit` that are long: sweeps, whole programs, and compilers of other languages. */
export const LONG_UNIT_SUITES: readonly string[] = Object.freeze([
  "unit/boards/moddable/requirements",
  "unit/cli/app-sources",
  "unit/cli/completion",
  "unit/cli/firmware-pack",
  "unit/cli/hub-operator",
  "unit/cli/image-by-hub",
  "unit/home/random-presses",
  "unit/hub/packages/check-package",
  "unit/protocol/package/gnu-tar",
  "unit/protocol/package/inflater",
  "unit/protocol/package/inflater-mutation",
  "unit/sandbox/dns/dns",
  "unit/sdk/build-apps",
  "unit/sdk/compile-app",
  "unit/sdk/compiler-messages",
  "unit/sdk/dwarf-lines",
  "unit/sdk/native-image",
  "unit/sdk/optimization",
  "unit/sdk/python",
  "unit/sdk/templates",
  "unit/services/apps/power-cuts",
  "unit/services/display/png-encoder",
  "unit/simulator/build-firmware",
  "unit/tools/launch",
  "unit/wasm/binaryen",
  "unit/wasm/mutation",
  "unit/wasm/suite-run",
]);

/** @returns the patterns of Vitest for a project's quick suites */
export function quickPatterns(project: string): string[] {
  return QUICK_SUITES.filter((suite) => suite.startsWith(`${project}/`)).map(patternOf);
}

/** @returns the pattern of Vitest for a suite, or else for a folder of suites */
export function patternOf(suite: string): string {
  return isFile(suite) ? `host-tests/${suite}.test.ts` : `host-tests/${suite}/**/*.test.ts`;
}

const isFile = (suite: string) => existsSync(path.join(import.meta.dirname, `${suite}.test.ts`));

/** @returns the files of a suite, or of a folder of suites, from the root of the project; empty if there is none */
export function filesOf(suite: string): string[] {
  if (isFile(suite)) return [`host-tests/${suite}.test.ts`];
  const folder = path.join(import.meta.dirname, suite);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.endsWith(".nightly.test.ts"))
    .map((file) => path.posix.join("host-tests", suite, file))
    .sort();
}
