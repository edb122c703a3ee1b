/** Packages of the cases in host-tests/contracts/app-abi.ts. */

import { appendCustomSection } from "../../protocol/custom-section.js";
import { functionBodies } from "../../protocol/module-file.js";
import { prepareModule } from "../../sdk/builder/prepare-module.js";
import { type AppCase, CONTRACT_APP, CONTRACT_CAPABILITIES, contractModule } from "../contracts/app-abi.js";
import { moduleOf, packageOf } from "./app-files.js";

export async function contractPackage(each: AppCase): Promise<Uint8Array> {
  return packageOf(await contractModuleBytes(each), {
    name: CONTRACT_APP,
    capabilities: CONTRACT_CAPABILITIES,
    memory_quota: each.memoryQuota ?? 65_536,
  });
}

async function contractModuleBytes(each: AppCase): Promise<Uint8Array> {
  const module = await moduleOf(contractModule(each));
  if (each.script === undefined) return module;
  return appendCustomSection(module, "svc_py_script", new TextEncoder().encode(each.script));
}

/**
 * How a case's app has ended, with each `@OFFSET` of a stack as `+BYTES` from the start of its function's body: offsets into
 * the module change with each function that the ABI gets.
 */
export async function relativeEnding(ending: string, each: AppCase): Promise<string> {
  const { prepared } = await prepareModule(await contractModuleBytes(each), {
    entry: "main",
    memory_quota: each.memoryQuota ?? 65_536,
    capabilities: CONTRACT_CAPABILITIES,
  });
  const { bodies } = functionBodies(prepared);
  return ending.replaceAll(/@([0-9a-f]+)/g, (text, digits: string) => {
    const offset = Number.parseInt(digits, 16);
    const body = bodies.find(({ from, to }) => offset >= from && offset < to);
    return body ? `+${offset - body.from}` : text;
  });
}
