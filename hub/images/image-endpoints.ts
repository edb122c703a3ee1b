/** The endpoint at which publishers have modules compiled ahead of time (docs/spec/hub-api.md#compile). */
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import { APP_MEMORY_LIMIT_BYTES, type Manifest, readManifest } from "../../protocol/manifest/manifest.js";
import { oneOf } from "../../protocol/schema.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { callerOf } from "../auth/authentication.js";
import type { UploadForm } from "../files/uploads.js";
import { IMAGE_LIMIT_BYTES } from "./image-request.js";

const FORM: UploadForm = Object.freeze({
  file: "module",
  texts: ["manifest"],
  limitBytes: IMAGE_LIMIT_BYTES,
  tooLarge: "file_too_large" as const,
});

const COMPILE = endpoint({
  method: "POST",
  path: "/publisher/images",
  tag: "Publishers",
  summary:
    "Compile an app's module ahead of time. The answer is the unsigned AOT file, which the publisher adds to the package and signs.",
  access: "publisher",
  callsPerMinute: 12, // each takes a second of a processor, or up to a minute
  query: Type.Object({ arch: oneOf(VARIANT_ARCHITECTURES, "Architecture of the consoles that run it") }),
  multipart: Type.Object({
    module: Type.Unsafe<Uint8Array>({
      type: "string",
      format: "binary",
      description: "The `app.wasm` of the package, of at most 1 MiB",
    }),
    manifest: Type.String({
      description: "The `manifest.json` of the package; its entry, quota and capabilities count",
    }),
  }),
  answers: { 200: "application/octet-stream" },
  faults: [
    ...(["compile_off", "compile_failed", "compiler_missing", "file_too_large", "storage_full"] as const),
    ...(["manifest_invalid", "module_invalid", "module_unsupported", "import_unknown"] as const),
    ...(["capability_missing", "entry_missing", "quota_exceeded"] as const),
  ],
  async handle({ images, uploads }, { caller, query: { arch: architecture }, request, reply }) {
    const { publisherId } = callerOf("publisher", caller);
    images.requireOffered(architecture);
    // Compiles once the form is received: meanwhile, others may use what an upload takes.
    const { bytes, texts } = await uploads.receive(request, publisherId, FORM, async (upload) => upload);
    const manifest = manifestOf(texts["manifest"]);
    const image = await whileConnected(request, (signal) =>
      images.compile({ architecture, manifest, module: bytes, publisherId, signal }),
    );
    return reply.type("application/octet-stream").send(image);
  },
});

function manifestOf(text: string | undefined): Manifest {
  if (text === undefined) throw new Fault("multipart_invalid", 'The form has no text "manifest"');
  return readManifest(new TextEncoder().encode(text), { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
}

/** @param work gets a signal that is aborted when the client has disconnected */
async function whileConnected<Result>(
  { raw: { socket } }: FastifyRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const onClose = () => gone.abort(new Fault("bad_request", "The client has disconnected"));
  if (socket.destroyed) onClose();
  socket.once("close", onClose);
  try {
    return await work(gone.signal);
  } finally {
    socket.off("close", onClose);
  }
}

export const IMAGE_ENDPOINTS: readonly Endpoint[] = Object.freeze([COMPILE]);
