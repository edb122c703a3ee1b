/** The worker of an app: opens its package, and runs it on its own thread until it ends, or the page ends the worker. */
import fontTable from "svc:console-font";
import inflater from "svc:sandbox/inflater";
import validator from "svc:sandbox/validator";
import { Fault } from "../../protocol/fault.js";
import { WasmSandbox } from "../../protocol/wasm-program.js";
import { AppHost } from "./app-host.js";
import { lockDown } from "./lock-down.js";
import type { FromWorker, ToWorker } from "./messages.js";
import { type OpenedApp, openPackage } from "./open-package.js";
import { runModule } from "./run-module.js";
import { Font } from "./screen.js";
import { SharedMemory } from "./shared-memory.js";
import { stackProbe } from "./stack-probe.js";

interface WorkerScope {
  onmessage: ((event: { readonly data: ToWorker }) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = globalThis as unknown as WorkerScope;
lockDown(globalThis);

let opened: { readonly app: OpenedApp; readonly shared: SharedMemory } | undefined;

scope.onmessage = ({ data }) => {
  if (data.kind === "open") open(data.file, data.memory);
  else if (opened) run(opened.app, opened.shared, data.values);
};

function open(file: Uint8Array, memory: SharedArrayBuffer): void {
  const sandbox = new WasmSandbox();
  sandbox.add("inflater", inflater);
  sandbox.add("validator", validator);
  try {
    const app = openPackage(file, sandbox);
    opened = { app, shared: new SharedMemory(memory) };
    const { name, version, description, author, capabilities } = app.manifest;
    scope.postMessage({ kind: "opened", facts: { name, version, description, author, capabilities } });
  } catch (error) {
    const code = error instanceof Fault ? error.code : "internal";
    scope.postMessage({
      kind: "refused",
      code,
      message: error instanceof Error ? error.message : String(error),
    });
  }
}

function run(app: OpenedApp, shared: SharedMemory, values: Uint8Array): void {
  const { name, version } = app.manifest;
  const { script } = app;
  const font = new Font(fontTable);
  const host = new AppHost({ name, version, script, shared, values, font, stackLeft: stackProbe() });
  scope.postMessage({ kind: "ended", exit: runModule(app, host) });
}
