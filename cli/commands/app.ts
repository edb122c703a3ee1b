/**
 * `svc app new`, `svc app build` and `svc app pack`: create an app from a template, compile and check it, and write
 * it as a signed package.
 */
import path from "node:path";
import type { BuiltApp } from "../../sdk/builder/build-app.js";
import { signatureOf } from "../../sdk/publisher-keys.js";
import { type CompileError, SdkError } from "../../sdk/sdk-error.js";
import type { Command } from "../command.js";
import { requireDirectory, writeBuilt, writeOutput, writing } from "../files.js";
import { KEY_OPTION, signingKey } from "../key-files.js";
import { printableLines } from "../terminal/printable.js";

const LANGUAGES = Object.freeze(["assemblyscript", "c"]);

export const appNew: Command = Object.freeze<Command>({
  name: "app new",
  summary: "Create a new app that draws, reads buttons and logs.",
  parameters: [{ name: "DIR", summary: "directory to create; the app gets its name", isFile: true }],
  options: [
    {
      name: "lang",
      value: "LANGUAGE",
      summary: "programming language",
      isRequired: true,
      choices: LANGUAGES,
    },
  ],
  async run({ values: { DIR: directory = "", lang = "" } }) {
    const { newApp } = await import("../../sdk/new-app.js");
    const language = lang as "assemblyscript" | "c";
    const { name, files } = await writing(`"${directory}"`, () => newApp(directory, language));
    return {
      text: `${directory}: ${name}, a new app; run it with \`svc app dev ${quoted(directory)}\``,
      json: { directory, name, lang, files },
    };
  },
});

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

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

/**
 * Builds an app, and shows the compiler's messages. Loads the compilers only here, so that other commands start faster.
 * @throws {Error} as `buildApp`; without the compiler's messages if they have been shown
 */
async function builtApp(directory: string, { isJson }: { isJson: boolean }): Promise<BuiltApp> {
  const { buildApp } = await import("../../sdk/builder/build-app.js");
  try {
    return await buildApp(directory);
  } catch (error) {
    const { code, sources, said } = error as CompileError;
    if (isJson || code !== "compile_failed") throw error;
    process.stderr.write(`${printableLines(said)}\n`);
    throw new SdkError("compile_failed", `Cannot compile ${sources}`, { cause: error });
  }
}

/** Such as `may display.write, gpio.read`. */
function capabilityText(capabilities: readonly string[]): string {
  return capabilities.length > 0 ? `may ${capabilities.join(", ")}` : "needs no capability";
}
