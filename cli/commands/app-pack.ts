/** `svc app pack`: builds an app's sources into a signed package for consoles and hubs. */
import path from "node:path";
import { signatureOf } from "../../sdk/publisher-keys.js";
import { builtApp, capabilityText } from "../apps/built-app.js";
import { KEY_OPTION, signingKey } from "../apps/signing-key.js";
import type { Command } from "../command.js";
import { requireDirectory, writeBuilt, writeOutput } from "../files.js";

export const appPack: Command = Object.freeze<Command>({
  name: "app pack",
  summary: "Build an app and write it as a signed package.",
  parameters: [{ name: "DIR", summary: "directory of the app", isFile: true }],
  options: [
    KEY_OPTION,
    {
      name: "out",
      value: "FILE.svcpkg",
      summary:
        "package to write, with its signature in FILE.svcpkg.sig; default: DIR/build/NAME-VERSION.svcpkg",
      isFile: true,
    },
  ],
  async run({ values: { DIR: directory = "", key: keyFile, out }, output }) {
    if (out !== undefined) requireDirectory(out);
    const { key, label } = await signingKey(keyFile);
    const { manifest, package: bytes } = await builtApp(directory, output);
    const { name, version, capabilities } = manifest;
    const file = out ?? path.join(directory, "build", `${name}-${version}.svcpkg`);
    // Write the signature first: a package that exists then has one, except while both are being replaced.
    const write = out === undefined ? writeBuilt : writeOutput;
    await write(`${file}.sig`, signatureOf(bytes, key));
    await write(file, bytes);
    return {
      text: `${file}: ${name} ${version}, ${bytes.length} bytes, ${capabilityText(capabilities)}; signed by key ${label}`,
      json: {
        file,
        signature_file: `${file}.sig`,
        name,
        version,
        bytes: bytes.length,
        capabilities,
        signed_by: label,
      },
    };
  },
});
