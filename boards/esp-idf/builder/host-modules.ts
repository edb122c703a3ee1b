/** The modules of this project's hosts. */
import path from "node:path";
import { type Module, modulesOf } from "../../../tools/generate-tables.js";

const root = path.join(import.meta.dirname, "../../..");
const folderOf = (name: string) => path.join(root, name, "modules");

/** Those of the desktop, of which the board's replace some; the board's sockets are the desktop's. */
const SHARED = Object.freeze(
  ["device/hosts/common", "device/hosts/posix", "device/tls/common", "simulator"].map(folderOf),
);

/**
 * @param config what the module `mc/config` exports (device/hosts/esp32/modules/sdk-modules.d.ts)
 * @returns modules with unique names
 */
export async function hostModules(config: unknown): Promise<Module[]> {
  const board = await modulesOf([folderOf("device/hosts/esp32")]);
  const own = await modulesOf([folderOf("boards/esp-idf")]);
  const modules = [
    ...(await modulesOf(SHARED)),
    ...board.filter(({ specifier }) => BOARD_MODULES.has(specifier)),
    ...own,
    {
      specifier: "mc/config",
      bytes: Buffer.from(`export default Object.freeze(${JSON.stringify(config)});`),
    },
  ];
  return [...new Map(modules.map((module) => [module.specifier, module])).values()];
}

const BOARD_MODULES: ReadonlySet<string> = new Set(["svc/host", "svc/sound", "svc/system"]);
