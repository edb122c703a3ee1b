/**
 * Takes an app of an image alone: its package has machine code in place of the module (docs/spec/aot.md#alone). Nothing
 * can run in place of such an image. So what only has the console ignore another image, when its app starts, has it refuse
 * this one when it arrives.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Manifest } from "../../../protocol/manifest/manifest.js";
import { NativeDigestCheck, readImageAlone } from "../../../protocol/native-image.js";
import { eachPiece } from "../storage/stored-files.js";
import { SLICE_BYTES, type StagedVariant } from "./app-store.js";
import type { InstallContext } from "./install-file.js";
import type { Publisher } from "./may-replace.js";
import { headOf, machineProblem } from "./native-image-file.js";

/**
 * Checks an image in the staging directory. That `target_arch` of the manifest is the console's has been checked.
 * @param nativeKey the key that lets machine code in the package run
 * @throws {Fault} `signature_missing`, `signature_invalid`, `module_unsupported`, `variant_invalid`, `entry_missing`
 */
export async function stageImageAlone(
  context: InstallContext,
  path: string,
  manifest: Manifest,
  nativeKey: Publisher | undefined,
): Promise<StagedVariant> {
  const { Digest, files, machine } = context;
  if (!nativeKey) throw unbelieved(context, manifest);
  const { bytes, fileByteLength } = headOf(files, path);
  const head = readImageAlone(bytes, fileByteLength, manifest);
  const check = new NativeDigestCheck(Digest, head.layout);
  await eachPiece(context, path, SLICE_BYTES, (piece) => check.push(piece));
  check.require();
  const problem = machineProblem(head, machine); // last: damage makes no other machine
  if (problem !== undefined)
    throw new Fault("module_unsupported", `Cannot install "${manifest.name}": ${problem}`);
  return { architecture: head.architecture, path, nativeKey };
}

/** A key without the role counts as unknown (docs/spec/keys.md). */
function unbelieved({ logger, provenance }: InstallContext, { name }: Manifest): Fault {
  const fault = new Fault(
    provenance ? "signature_invalid" : "signature_missing",
    `Cannot install "${name}": machine code needs a signature by a key of role native`,
  );
  logger.error(`rejected a file: ${fault.message}`);
  return fault;
}
