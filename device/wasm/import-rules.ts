/**
 * The first gate of an app (docs/spec/capabilities.md#gate-install): what it imports must be functions of the ABI that
 * its manifest declares the capability for. At each call the engine checks the capability again.
 */
import type { Capability } from "../../protocol/capabilities.js";
import { Fault } from "../../protocol/fault.js";
import { ABI, ABI_MODULE, type AbiFunction } from "./abi.js";
import type { ModuleImport } from "./validation/facts.js";

/**
 * The check of one import after another for an app that declares `capabilities`.
 * @returns what throws {@link Fault} `import_unknown` for what the ABI does not have, `capability_missing` for what
 *   the manifest does not declare, and `module_invalid` where the types are others than the ABI's; the
 *   result alone may be left out
 */
export function importRules(capabilities: readonly Capability[]): (asked: ModuleImport) => void {
  return (asked) => {
    const known = find(asked);
    requireCapability(asked, known, capabilities);
    requireTypes(asked, known);
  };
}

function find(asked: ModuleImport): AbiFunction {
  const known = asked.module === ABI_MODULE ? ABI.find(({ name }) => name === asked.name) : undefined;
  if (known) return known;
  throw new Fault(
    "import_unknown",
    `Cannot import "${asked.module}.${asked.name}": the ABI has no such function`,
    { details: { offset: asked.offset } },
  );
}

function requireCapability(
  asked: ModuleImport,
  { capability }: AbiFunction,
  capabilities: readonly Capability[],
): void {
  if (capability === undefined || capabilities.includes(capability)) return;
  throw new Fault(
    "capability_missing",
    `Cannot import "${asked.module}.${asked.name}": the manifest does not declare "${capability}"`,
    { details: { offset: asked.offset, import: asked.name, capability } },
  );
}

function requireTypes(asked: ModuleImport, { parameters, result }: AbiFunction): void {
  const hasParameters =
    asked.parameters.length === parameters.length && asked.parameters.every((type) => type === "i32");
  const hasResult = asked.results.length === 0 || (asked.results.length === 1 && asked.results[0] === result);
  if (hasParameters && hasResult) return;
  const wanted = `(${parameters.map(() => "i32").join(", ")}) -> ${result}`;
  const found = `(${asked.parameters.join(", ")}) -> ${asked.results.join(", ") || "nothing"}`;
  throw new Fault(
    "module_invalid",
    `Cannot import "${asked.module}.${asked.name}" as ${found}: it is ${wanted}`,
    { details: { offset: asked.offset } },
  );
}
