/** `svc app build`: compiles an app's sources to a module that a console accepts. */
import path from "node:path";
import { builtApp, capabilityText } from "../apps/built-app.js";
import type { Command } from "../command.js";
import { writeBuilt } from "../files.js";

export const appBuild: Command = Object.freeze<Command>({
  name: "app build",
  summary: "Compile an app and check it as a console would.",
  parameters: [{ name: "DIR", summary: "directory of the app", isFile: true }],
  options: [],
  async run({ values: { DIR: directory = "" }, output }) {
    const { manifest, module } = await builtApp(directory, output);
    const { name, version, capabilities } = manifest;
    const file = path.join(directory, "build", `${name}.wasm`);
    await writeBuilt(file, module);
    return {
      text: `${file}: ${name} ${version}, ${module.length} bytes, ${capabilityText(capabilities)}`,
      json: { file, name, version, bytes: module.length, capabilities },
    };
  },
});
