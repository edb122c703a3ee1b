/**
 * `svc app new`, `svc app build` and `svc app pack`: create an app from a template, compile and check it, and write
 * it as a signed package.
 */
import { rm } from "node:fs/promises";
import path from "node:path";
import {
  isVariantArchitecture,
  VARIANT_ARCHITECTURES,
  type VariantArchitecture,
} from "../../protocol/file-kind.js";
import type { BuildOptions, BuiltApp, ImageCompilation } from "../../sdk/builder/build-app.js";
import { OPTIMIZATIONS, type Optimization } from "../../sdk/builder/optimization.js";
import { LANGUAGES, type Language } from "../../sdk/languages.js";
import { signatureOf } from "../../sdk/publisher-keys.js";
import { type CompileError, SdkError } from "../../sdk/sdk-error.js";
import { linesFileOf } from "../../tools/trap-lines.js";
import type { Command } from "../command.js";
import { requireDirectory, writeBuilt, writeOutput, writing } from "../files.js";
import { hubAccess } from "../hub/login.js";
import { KEY_OPTION, signingKey } from "../key-files.js";
import { SvcError } from "../svc-error.js";
import { printableLines } from "../terminal/printable.js";

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
    const language = lang as Language;
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

const AOT_OPTION = Object.freeze({
  name: "aot",
  value: "ARCH,…",
  summary: `compile ahead of time for these architectures, too: ${VARIANT_ARCHITECTURES.join(", ")}`,
});

const BY_HUB_OPTION = Object.freeze({
  name: "by-hub",
  summary: "have the hub compile ahead of time, with the token of a publisher, instead of a C compiler here",
});

const BY_HUB_NOTE =
  "With `--by-hub` the hub gets the module, and you sign the machine code that it answers with: ask a hub that you trust with that.";

const IMAGE_ONLY_OPTION = Object.freeze({
  name: "image-only",
  summary:
    "pack the machine code of --aot's one architecture in place of the module: no other console runs it",
});

const OPTIMIZE_OPTION = Object.freeze({
  name: "optimize",
  value: "GOAL",
  summary: "make a small module, which is usual, or a fast one",
  choices: OPTIMIZATIONS,
});

/** @throws {SvcError} `wrong_usage` for an architecture that no images are made for */
function architecturesOf(aot: string | undefined): readonly VariantArchitecture[] {
  const names = aot === undefined ? [] : aot.split(",");
  const unknown = names.find((name) => !isVariantArchitecture(name));
  if (unknown !== undefined)
    throw new SvcError("wrong_usage", `Cannot compile ahead of time for "${unknown}"`, {
      advice: `Name some of ${VARIANT_ARCHITECTURES.join(", ")}, with commas between them.`,
    });
  return [...new Set(names)] as VariantArchitecture[];
}

/** @returns `undefined` if this computer compiles. @throws {SvcError} `wrong_usage`; {HubRefusal} if no publisher is logged in */
async function compilationOf(
  flags: ReadonlySet<string>,
  architectures: readonly VariantArchitecture[],
): Promise<ImageCompilation | undefined> {
  if (!flags.has("byHub")) return undefined;
  if (architectures.length === 0)
    throw new SvcError("wrong_usage", "Cannot compile by the hub without --aot", {
      advice: "Name architectures, such as --aot native.",
    });
  const access = await hubAccess(["publisher"]);
  const { imageByHub } = await import("../hub/image-by-hub.js"); // only here: it loads the checks of packages
  return (app, architecture) => imageByHub(access, app, architecture);
}

/** @throws {SvcError} `wrong_usage` unless `--aot` names one architecture */
function aloneFor(architectures: readonly VariantArchitecture[]): VariantArchitecture {
  const [architecture, another] = architectures;
  if (architecture !== undefined && another === undefined) return architecture;
  throw new SvcError("wrong_usage", "--image-only packs the machine code of one architecture", {
    advice: "Name it: `--aot native --image-only`.",
  });
}

export const appBuild: Command = Object.freeze<Command>({
  name: "app build",
  summary: "Compile an app and check it as a console would.",
  parameters: [{ name: "DIR", summary: "directory of the app", isFile: true }],
  options: [AOT_OPTION, BY_HUB_OPTION, OPTIMIZE_OPTION],
  notes: [BY_HUB_NOTE],
  async run({ values: { DIR: directory = "", aot, optimize }, flags, output }) {
    const architectures = architecturesOf(aot);
    const built = await builtApp(directory, output, {
      architectures,
      compileImage: await compilationOf(flags, architectures),
      optimization: optimize as Optimization | undefined,
    });
    const { manifest, module, images, lines } = built;
    const { name, version, capabilities } = manifest;
    const file = path.join(directory, "build", `${name}.wasm`);
    await writeBuilt(file, module);
    const linesFile = await writeLines(file, lines);
    const aotFiles: string[] = [];
    for (const [architecture, image] of Object.entries(images)) {
      const aotFile = path.join(directory, "build", `${name}.${architecture}.aot`);
      await writeBuilt(aotFile, image);
      aotFiles.push(aotFile);
    }
    return {
      text: [
        `${file}: ${name} ${version}, ${module.length} bytes, ${capabilityText(capabilities)}`,
        ...aotFiles,
      ].join("\n"),
      json: {
        file,
        name,
        version,
        bytes: module.length,
        capabilities,
        ...(linesFile !== undefined && { lines_file: linesFile }),
        ...(aot !== undefined && { aot_files: aotFiles }),
      },
    };
  },
});

export const appPack: Command = Object.freeze<Command>({
  name: "app pack",
  summary: "Build an app and write it as a signed package.",
  parameters: [{ name: "DIR", summary: "directory of the app", isFile: true }],
  options: [
    KEY_OPTION,
    AOT_OPTION,
    BY_HUB_OPTION,
    IMAGE_ONLY_OPTION,
    OPTIMIZE_OPTION,
    {
      name: "out",
      value: "FILE.svcpkg",
      summary:
        "package to write, with its signature in FILE.svcpkg.sig and the lines of its sources in FILE.svcpkg.lines; default: DIR/build/NAME-VERSION.svcpkg",
      isFile: true,
    },
  ],
  notes: [
    BY_HUB_NOTE,
    "With `--image-only` only consoles of that architecture whose trusted keys give your key the role `native` take the package, and firmware with another ABI does not start it. The package's `target_arch` is that architecture; in manifest.json it is the same, `generic` or left out.",
  ],
  async run({ values: { DIR: directory = "", key: keyFile, aot, optimize, out }, flags, output }) {
    if (out !== undefined) requireDirectory(out);
    const architectures = architecturesOf(aot);
    const imageAlone = flags.has("imageOnly") ? aloneFor(architectures) : undefined;
    const { key, label } = await signingKey(keyFile);
    const built = await builtApp(directory, output, {
      architectures,
      imageAlone,
      compileImage: await compilationOf(flags, architectures),
      optimization: optimize as Optimization | undefined,
    });
    const { manifest, package: bytes, lines } = built;
    const { name, version, capabilities } = manifest;
    const file = out ?? path.join(directory, "build", `${name}-${version}.svcpkg`);
    // Write the signature first: a package that exists then has one, except while both are being replaced.
    const write = out === undefined ? writeBuilt : writeOutput;
    await write(`${file}.sig`, signatureOf(bytes, key));
    await write(file, bytes);
    const linesFile = await writeLines(file, lines);
    const alone = imageAlone ? `machine code for ${imageAlone} alone, ` : "";
    return {
      text: `${file}: ${name} ${version}, ${alone}${bytes.length} bytes, ${capabilityText(capabilities)}; signed by key ${label}`,
      json: {
        file,
        signature_file: `${file}.sig`,
        ...(linesFile !== undefined && { lines_file: linesFile }),
        name,
        version,
        bytes: bytes.length,
        capabilities,
        ...(architectures.length > 0 && { variants: architectures }),
        ...(imageAlone && { image_only: true }),
        signed_by: label,
      },
    };
  },
});

/** Writes the lines of the sources beside the app's file; those of an earlier build go. @returns path, if there are any */
async function writeLines(file: string, lines: string | undefined): Promise<string | undefined> {
  const linesFile = linesFileOf(file);
  if (lines === undefined) {
    await rm(linesFile, { force: true });
    return undefined;
  }
  await writeBuilt(linesFile, lines);
  return linesFile;
}

/**
 * Builds an app, and shows the compiler's messages. Loads the compilers only here, so that other commands start faster.
 * @throws {Error} as `buildApp`; without the compiler's messages if they have been shown
 */
async function builtApp(
  directory: string,
  { isJson }: { isJson: boolean },
  options: BuildOptions,
): Promise<BuiltApp> {
  const { buildApp } = await import("../../sdk/builder/build-app.js");
  try {
    return await buildApp(directory, options);
  } catch (error) {
    const { code, sources, said } = error as Partial<CompileError>;
    if (isJson || code !== "compile_failed" || said === undefined) throw error; // a hub says it in the message
    process.stderr.write(`${printableLines(said)}\n`);
    throw new SdkError("compile_failed", `Cannot compile ${sources}`, { cause: error });
  }
}

/** Such as `may display.write, gpio.read`. */
function capabilityText(capabilities: readonly string[]): string {
  return capabilities.length > 0 ? `may ${capabilities.join(", ")}` : "needs no capability";
}
