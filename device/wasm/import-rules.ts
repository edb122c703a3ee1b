/**
 * Import check at installation (docs/spec/capabilities.md#gate-install): an app may import only ABI functions whose
 * capability its manifest declares. The engine checks the capability again at each call.
 */
import type { AbiCapability } from "../../protocol/capabilities.js";
import { Fault } from "../../protocol/fault.js";
import { ABI, ABI_MODULE, type AbiFunction } from "./abi.js";
import type { ModuleImport } from "./module-facts.js";

/**
 * Create the import check of an app that declares `capabilities`.
 * @returns a function that checks one import. It throws {@link Fault} `import_unknown` if the ABI has no such function,
 *   `capability_missing` if the manifest does not declare the capability, and `module_invalid` if the types differ
 *   from the ABI's; an import may omit the result
 */
export function importRules(capabilities: readonly AbiCapability[]): (asked: ModuleImport) => void {
  return (asked) => {
    const known = find(asked);
    requireCapability(asked, known, capabilities);
    requireTypes(asked, known);
  };
}

/**
 * What the check needs of the ABI's table. It is made while the modules run, so that the rest of the table is not in a
 * board's flash.
 */
interface Rule {
  readonly capability: AbiCapability | undefined;
  readonly parameterCount: number;
  readonly result: AbiFunction["result"];
}

const RULES: readonly Rule[] = Object.freeze(
  ABI.map(({ capability, parameters, result }) =>
    Object.freeze({ capability, parameterCount: parameters.length, result }),
  ),
);

/** In the order of the rules: `indexOf` over names costs XS a tenth of `find` with a function. */
const NAMES: readonly string[] = Object.freeze(ABI.map(({ name }) => name));

function find(asked: ModuleImport): Rule {
  const known = asked.module === ABI_MODULE ? RULES[NAMES.indexOf(asked.name)] : undefined;
  if (known) return known;
  throw new Fault(
    "import_unknown",
    `Cannot import "${asked.module}.${asked.name}": the ABI has no such function`,
    { details: { offset: asked.offset } },
  );
}

function requireCapability(
  asked: ModuleImport,
  { capability }: Rule,
  capabilities: readonly AbiCapability[],
): void {
  if (capability === undefined || capabilities.includes(capability)) return;
  throw new Fault(
    "capability_missing",
    `Cannot import "${asked.module}.${asked.name}": the manifest does not declare "${capability}"`,
    { details: { offset: asked.offset, import: asked.name, capability } },
  );
}

function requireTypes(asked: ModuleImport, { parameterCount, result }: Rule): void {
  let hasParameters = asked.parameters.length === parameterCount;
  for (let index = 0; index < asked.parameters.length; index++)
    if (asked.parameters[index] !== "i32") hasParameters = false;
  const hasResult = asked.results.length === 0 || (asked.results.length === 1 && asked.results[0] === result);
  if (hasParameters && hasResult) return;
  const wanted = `(${Array(parameterCount).fill("i32").join(", ")}) -> ${result}`;
  const found = `(${asked.parameters.join(", ")}) -> ${asked.results.join(", ") || "nothing"}`;
  throw new Fault(
    "module_invalid",
    `Cannot import "${asked.module}.${asked.name}" as ${found}: it is ${wanted}`,
    { details: { offset: asked.offset } },
  );
}
