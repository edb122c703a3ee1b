/** The modules of a board's hosts. */
import path from "node:path";
import { type Module, modulesOf } from "../../../engine/machine/generate-tables.js";
import { MACHINE_MODULES } from "../../../engine/root/sources.js";

const root = path.join(import.meta.dirname, "../../..");
const folderOf = (name: string) => path.join(root, name, "modules");

/** Those of the desktop, of which the board's replace some; the board's sockets are the desktop's. */
const FOLDERS = Object.freeze([
  ...["device/hosts/common", "device/hosts/posix", "device/tls/common"].map(folderOf),
  MACHINE_MODULES,
  folderOf("device/hosts/esp32"),
]);

/**
 * @param config what the module `mc/config` exports (device/hosts/esp32/modules/sdk-modules.d.ts)
 * @returns modules with unique names
 */
export async function hostModules(config: unknown): Promise<Module[]> {
  const modules = [
    ...(await modulesOf(FOLDERS)),
    {
      specifier: "mc/config",
      bytes: Buffer.from(`export default Object.freeze(${JSON.stringify(config)});`),
    },
  ];
  return [...new Map(modules.map((module) => [module.specifier, module])).values()];
}
