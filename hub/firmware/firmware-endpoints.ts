/** Endpoints below `/firmware`. */
import Type, { type Static } from "typebox";
import { Fault, type FaultCode } from "../../protocol/fault.js";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import { pagedList } from "../../protocol/hub/answers/paged-list.js";
import { integer, listOf, object, oneOf, text, time } from "../../protocol/schema.js";
import { isoTime, PAGE_MEMBERS, pagedAnswer, pageOf } from "../api/answers.js";
import { type Call, type Endpoint, endpoint } from "../api/endpoint.js";
import { publicAddress, type RequestOrigin } from "../api/public-address.js";
import { type Caller, callerOf } from "../auth/authentication.js";
import type { Row } from "../database/schema.js";
import { sendFile } from "../files/send-file.js";
import type { UploadForm } from "../files/uploads.js";
import { requireFirmwareRight } from "../publishers/publisher-rights.js";
import type { HubServices } from "../services.js";
import { NOTES_LIMIT_CHARACTERS } from "./firmwares.js";

const TAG = "Firmware";
const BUNDLE_TYPE = "application/octet-stream";

const FIRMWARE = object(
  {
    version: text(),
    arch: text(),
    size_bytes: integer(
      "Size of the bundle as the hub serves it; `sha256` and `signature` are also of that bundle.",
    ),
    sha256: text("64 hexadecimal digits."),
    signature: text(
      "The signature in the bundle, 128 hexadecimal digits: the hub's own if the hub signs what it serves.",
    ),
    download_url: text(),
    published_at: time(),
    notes: text(),
  },
  { title: "Firmware" },
);

const FIRMWARE_LIST = pagedList({ firmware: listOf(FIRMWARE) });

function architecture(description: string) {
  return Type.Optional(oneOf(VARIANT_ARCHITECTURES, description));
}

const LATEST_QUERY = Type.Object({
  arch: architecture(
    "A device's own by default. Other callers must give it if there is firmware for several.",
  ),
});
const LIST_QUERY = Type.Object({ ...PAGE_MEMBERS, arch: architecture("All architectures by default.") });
const DOWNLOAD_QUERY = Type.Object({
  arch: architecture(
    "A device's own by default. Other callers must give it if the version exists for several.",
  ),
});
const WITHDRAW_QUERY = Type.Object({
  arch: architecture("Needed only if the version exists for several."),
});
const DOWNLOAD_PATH = Type.Object({ version: Type.String() });

const UPLOAD = Type.Object({
  bundle: Type.String({ format: "binary", description: "The `.svcfw`." }),
  version: Type.Optional(
    Type.String({ description: "Must equal the image's; left out, it is the image's." }),
  ),
  arch: Type.Optional(Type.String({ description: "Must equal the image's; left out, it is the image's." })),
  notes: Type.Optional(Type.String({ maxLength: NOTES_LIMIT_CHARACTERS })),
});

const BUNDLE_FAULTS: readonly FaultCode[] = Object.freeze([
  ...(["multipart_invalid", "file_too_large", "bundle_magic", "bundle_version", "bundle_length"] as const),
  ...(["signature_invalid", "bundle_crc", "image_invalid", "version_exists", "version_not_newer"] as const),
  ...(["busy", "storage_full"] as const),
]);

export const FIRMWARE_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  endpoint({
    method: "GET",
    path: "/firmware/latest",
    tag: TAG,
    summary: "Show the newest firmware for an architecture.",
    access: "bearer",
    isCatalogue: true,
    query: LATEST_QUERY,
    answers: { 200: FIRMWARE },
    faults: ["missing_parameter", "firmware_not_found"],
    handle: latest,
  }),
  endpoint({
    method: "GET",
    path: "/firmware",
    tag: TAG,
    summary: "List firmware, last published first.",
    access: "bearer",
    isCatalogue: true,
    query: LIST_QUERY,
    answers: { 200: FIRMWARE_LIST },
    faults: [],
    handle: list,
  }),
  endpoint({
    method: "GET",
    path: "/firmware/:version/download",
    tag: TAG,
    summary: "Download a signed firmware bundle (`.svcfw`), whole or in part.",
    access: "bearer",
    isCatalogue: true,
    parameters: DOWNLOAD_PATH,
    query: DOWNLOAD_QUERY,
    answers: { 200: BUNDLE_TYPE, 206: BUNDLE_TYPE, 304: null },
    faults: ["missing_parameter", "firmware_not_found", "firmware_withdrawn", "range_not_satisfiable"],
    handle: download,
  }),
  endpoint({
    method: "POST",
    path: "/firmware",
    tag: TAG,
    summary:
      "Publish firmware, signed by a key of the publisher. The publisher needs the right for its architecture.",
    access: "publisher",
    multipart: UPLOAD,
    answers: { 201: FIRMWARE },
    faults: BUNDLE_FAULTS,
    handle: publish,
  }),
  endpoint({
    method: "DELETE",
    path: "/firmware/:version",
    tag: TAG,
    summary: "Withdraw firmware: the hub no longer offers or announces it.",
    access: "publisher",
    parameters: DOWNLOAD_PATH,
    query: WITHDRAW_QUERY,
    answers: { 204: null },
    faults: ["firmware_not_found", "not_owner"],
    handle: withdraw,
  }),
]);

async function latest(
  services: HubServices,
  { caller, query, request }: Call<unknown, Static<typeof LATEST_QUERY>>,
) {
  const arch = query.arch ?? (await ownArchitecture(services, caller)) ?? (await onlyArchitecture(services));
  return firmwareAnswer(services, request, await services.firmwares.require(arch));
}

async function list(services: HubServices, { query, request }: Call<unknown, Static<typeof LIST_QUERY>>) {
  const page = pageOf(query);
  const { total, firmware } = await services.firmwares.list(query.arch, page);
  const answers = firmware.map((row) => firmwareAnswer(services, request, row));
  return pagedAnswer(page, total, { firmware: await Promise.all(answers) });
}

async function download(
  services: HubServices,
  { caller, parameters, query, reply, request }: Call<{ version: string }, Static<typeof DOWNLOAD_QUERY>>,
) {
  const { firmwares } = services;
  const { version } = parameters;
  const arch =
    query.arch ?? (await ownArchitecture(services, caller)) ?? (await onlyArchitecture(services, version));
  const row = await firmwares.require(arch, version);
  const { sha256, signature } = await firmwares.served(row);
  const isSigned = services.config.signingKey !== undefined;
  return sendFile(request, reply, {
    parts: await firmwares.servedParts(row),
    sha256,
    mediaType: BUNDLE_TYPE,
    accelRedirect: services.config.accelRedirect,
    fields: {
      "cache-control": "private, no-cache", // another key of the hub's changes the file; the ETag detects it
      "x-svc-signature": signature,
      ...(isSigned && { "x-svc-publisher-signature": row.signature }),
    },
  });
}

async function publish(services: HubServices, { caller, reply, request }: Call) {
  const { publisherId } = callerOf("publisher", caller);
  await requireFirmwareRight(services.database, publisherId);
  const form: UploadForm = {
    file: "bundle",
    texts: ["version", "arch", "notes"],
    limitBytes: services.config.maxFirmwareBytes,
    tooLarge: "file_too_large",
  };
  const row = await services.uploads.receive(request, publisherId, form, (upload) =>
    services.firmwares.publish(publisherId, upload),
  );
  reply.code(201);
  return firmwareAnswer(services, request, row);
}

async function withdraw(
  services: HubServices,
  { caller, parameters, query, reply }: Call<{ version: string }, Static<typeof WITHDRAW_QUERY>>,
) {
  const { publisherId } = callerOf("publisher", caller);
  const arch = query.arch ?? (await onlyArchitecture(services, parameters.version));
  await services.publishers.withdrawFirmware(parameters.version, arch, publisherId);
  return reply.code(204).send();
}

async function ownArchitecture({ devices }: HubServices, caller: Caller | undefined) {
  return caller?.kind === "device" ? (await devices.ofCaller(caller, "me")).arch : undefined;
}

/**
 * @param version all versions when left out
 * @throws {Fault} `firmware_not_found`; `missing_parameter` if there are several
 */
async function onlyArchitecture({ firmwares }: HubServices, version?: string): Promise<string> {
  const [arch, ...others] = await firmwares.architectures(version);
  const what = version === undefined ? "firmware" : `firmware ${version}`;
  if (arch === undefined) throw new Fault("firmware_not_found", `There is no ${what}`);
  if (others.length === 0) return arch;
  throw new Fault(
    "missing_parameter",
    `"arch" is missing: there is ${what} for ${[arch, ...others].join(", ")}`,
  );
}

/** The members that docs/spec/hub-api.md#firmware-latest lists. */
async function firmwareAnswer(
  { config, firmwares }: HubServices,
  origin: RequestOrigin,
  row: Row<"firmware">,
) {
  const { arch, notes, published_at, size_bytes, version } = row;
  const { sha256, signature } = await firmwares.served(row);
  return {
    version,
    arch,
    size_bytes,
    sha256,
    signature,
    download_url: `${publicAddress(config, origin)}/firmware/${version}/download?arch=${arch}`,
    published_at: isoTime(published_at),
    notes,
  };
}
