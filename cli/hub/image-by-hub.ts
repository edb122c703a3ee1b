/** Has a hub compile a module ahead of time (docs/spec/hub-api.md#compile), for publishers without a C compiler. */
import { createHash } from "node:crypto";
import type { VariantArchitecture } from "../../protocol/file-kind.js";
import { readManifest } from "../../protocol/manifest/manifest.js";
import { NATIVE_ABI_VERSION, NATIVE_DIGEST_BYTES, readNativeHead } from "../../protocol/native-image.js";
import { NATIVE_TARGETS } from "../../sdk/builder/native/architectures.js";
import { prepareModule } from "../../sdk/builder/prepare-module.js";
import { APP_LIMIT_BYTES } from "../../sdk/verify/verify-app.js";
import { HubRefusal, requestHubFile } from "./request.js";

interface App {
  readonly module: Uint8Array;
  /** Bytes of `manifest.json`. */
  readonly manifest: Uint8Array;
}

/**
 * @returns the container, which names the app's module. That its code is the module's is the hub's word alone.
 * @throws {HubRefusal} with the hub's own code; `hub_refused` for anything but a container of this module
 */
export async function imageByHub(
  access: { readonly url: string; readonly token: string },
  app: App,
  architecture: VariantArchitecture,
): Promise<Uint8Array> {
  const form = new FormData();
  form.set("manifest", new TextDecoder().decode(app.manifest));
  form.set("module", new Blob([Uint8Array.from(app.module)]), "app.wasm");
  const request = { ...access, method: "POST", path: `/publisher/images?arch=${architecture}`, form };
  const image = await requestHubFile(request, APP_LIMIT_BYTES);
  const reason = await reasonAgainst(image, app, architecture);
  if (reason === undefined) return image;
  throw new HubRefusal("hub_refused", `Cannot use what ${access.url} has compiled: ${reason}`);
}

/** What a console would find only when the app starts. */
async function reasonAgainst(
  image: Uint8Array,
  { module, manifest }: App,
  architecture: VariantArchitecture,
): Promise<string | undefined> {
  const head = headOf(image);
  if (!head) return "it is no native image";
  if (head.machine !== NATIVE_TARGETS[architecture]?.machine) return `it is for ${head.machine}`;
  if (head.abiVersion !== NATIVE_ABI_VERSION) return "it is for another version of consoles";
  if (head.moduleSha256 !== sha256(module).toString("hex")) return "it was made from another module";
  const fields = readManifest(manifest);
  if (head.entry !== fields.entry) return `it starts at "${head.entry}"`;
  const { prepared } = await prepareModule(module, fields);
  if (head.preparedSha256 !== sha256(prepared).toString("hex"))
    return "it was made from another form of the module than a console stores";
  const end = image.length - NATIVE_DIGEST_BYTES;
  return sha256(image.subarray(0, end)).equals(image.subarray(end)) ? undefined : "it is damaged";
}

function headOf(image: Uint8Array): ReturnType<typeof readNativeHead> | undefined {
  try {
    return readNativeHead(image, image.length);
  } catch {
    return undefined; // the caller says whose file it is
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
