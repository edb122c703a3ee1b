/** Malicious apps that the install rejects (docs/spec/capabilities.md#gate-install). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ABI } from "../../../device/wasm/abi.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import type { AppConsole } from "../../hosts/app-console.js";
import { parametersOf } from "../guest/abi-calls.js";
import {
  ALL_CAPABILITIES,
  type HostileApp,
  LARGEST_QUOTA_BYTES,
  mustInstall,
  packed,
  startHostileConsole,
  stopCleanly,
  whileProbed,
} from "./hostile-apps.js";

let console: AppConsole;
beforeAll(async () => {
  console = await startHostileConsole();
  // The first upload creates the folders for received files, which stay.
  await mustInstall(console, { module: MAIN });
  expect((await console.app("uninstall", "hostile")).status).toBe(200);
});
afterAll(() => stopCleanly(console));

const MAIN = `(func $main (export "main"))`;
const importOf = ({ name, result }: (typeof ABI)[number], parameters: string) =>
  `(import "svc" "${name}" (func $${name} ${parameters} (result ${result})))`;

interface Refused extends HostileApp {
  readonly title: string;
  readonly error: string;
  readonly message?: RegExp;
}

const REFUSED: readonly Refused[] = [
  ...ABI.flatMap((abi) =>
    abi.capability === undefined
      ? []
      : [
          {
            title: `an import of ${abi.name} and every capability but ${abi.capability}`,
            module: `${importOf(abi, parametersOf(abi))} ${MAIN}`,
            capabilities: ALL_CAPABILITIES.filter((each) => each !== abi.capability),
            error: "capability_missing",
            message: new RegExp(`"svc\\.${abi.name}".*"${abi.capability}"`),
          },
        ],
  ),
  {
    title: "a function only in a table, without its capability",
    module: `(import "svc" "display_flush" (func $flush (result i32))) (table funcref (elem $flush))
      (func (export "main") (result i32) (call_indirect (result i32) (i32.const 0)))`,
    capabilities: [],
    error: "capability_missing",
    message: /"svc\.display_flush".*"display\.write"/,
  },
  {
    title: "a function that is only exported again, without its capability",
    module: `(import "svc" "ble_stop" (func $stop (result i32))) (export "main" (func $stop))`,
    capabilities: [],
    error: "capability_missing",
    message: /"svc\.ble_stop".*"ble\.use"/,
  },
  {
    title: "an unknown import",
    module: `(import "svc" "reboot" (func)) ${MAIN}`,
    error: "import_unknown",
    message: /"svc\.reboot"/,
  },
  {
    title: "an import of another module",
    module: `(import "env" "log" (func (param i32 i32 i32))) ${MAIN}`,
    error: "import_unknown",
    message: /"env\.log"/,
  },
  {
    title: "an import with an extra parameter",
    module: `(import "svc" "log" (func (param i32 i32 i32 i32))) ${MAIN}`,
    error: "module_invalid",
  },
  {
    title: "an imported memory",
    module: `(import "svc" "memory" (memory 1)) ${MAIN}`,
    error: "import_unknown",
  },
  { title: "a missing entry", module: `(func (export "start"))`, error: "entry_missing" },
  { title: "a memory as entry", module: `(memory (export "main") 1)`, error: "entry_missing" },
  {
    title: "an entry with a parameter",
    module: `(func (export "main") (param i64))`,
    error: "entry_missing",
  },
  {
    title: "an initial memory over its quota",
    module: `(memory 2) ${MAIN}`,
    memory_quota: 65536,
    error: "quota_exceeded",
  },
  {
    title: "a quota over the console's limit",
    module: MAIN,
    memory_quota: LARGEST_QUOTA_BYTES + 65536,
    error: "manifest_invalid",
  },
  { title: "a quota below one page", module: MAIN, memory_quota: 65535, error: "manifest_invalid" },
  {
    title: "a table over the limit",
    module: `(table 16385 funcref) ${MAIN}`,
    error: "module_unsupported",
  },
  {
    title: "elements outside the table",
    module: `(table 1 funcref) (elem (i32.const 1) $main) ${MAIN}`,
    error: "module_unsupported",
  },
  {
    title: "more locals than a function is allowed",
    module: `(func (export "main") (local ${"i32 ".repeat(1101)}))`,
    error: "module_unsupported",
  },
  {
    title: "loops nested past the limit",
    module: `(func (export "main") ${"(loop ".repeat(64)} ${")".repeat(64)})`,
    error: "module_unsupported",
  },
  { title: "a name with a slash", name: "../hostile", module: MAIN, error: "manifest_invalid" },
  { title: "a name that begins with a dot", name: ".hostile", module: MAIN, error: "manifest_invalid" },
  { title: "a name of 33 characters", name: "h".repeat(33), module: MAIN, error: "manifest_invalid" },
  {
    title: "an unknown capability",
    module: MAIN,
    capabilities: ["root"],
    error: "manifest_invalid",
  },
];

for (const { title, error, message, ...app } of REFUSED)
  test(`An app with ${title} is rejected with 422, and nothing is stored`, async () => {
    const before = await console.trace();
    const upload = await packed(console, app);
    const answer = await whileProbed(console, () => installOverHttp(console, upload));
    expect(answer).toMatchObject({ body: { error } });
    expect(answer.status).toBe(422);
    if (message) expect(answer.body.message).toMatch(message);
    expect(await console.trace()).toEqual(before);
  });
