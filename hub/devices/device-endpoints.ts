/** Endpoints below `/devices`: the device's own at `me`, and the same by its id for the account that holds it. */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { isAppName } from "../../protocol/manifest/app-name.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { addressKey } from "../auth/address-key.js";
import { clientAddress } from "../auth/client-address.js";
import { COMMAND_ENDPOINTS } from "../commands/command-endpoints.js";
import type { Order } from "../commands/commands.js";
import type { HubServices } from "../services.js";
import { DEVICE_APP_RECORD, DEVICE_RECORD, deviceAppRecord } from "./device-record.js";
import { REGISTRATION, readRegistration } from "./registration.js";

const DEVICE = Type.Object({ device_id: Type.String({ description: "`me`, or the id of a device" }) });
const DEVICE_APP = Type.Object({ device_id: Type.String(), app_id: Type.String() });
const VERSION = Type.Object({
  version: Type.Optional(Type.String({ description: "The newest when left out" })),
});

const GIVEN = Type.Object({
  command_id: Type.String(),
  state: Type.Union([Type.Literal("sent"), Type.Literal("queued")], {
    description: "`sent` where the device is connected and is being told, else `queued`",
  }),
});

const REGISTERED = Type.Object({
  device_token: Type.String(),
  device_id: Type.String(),
  claim_code: Type.Optional(
    Type.String({ description: "By which an account takes the device; until one has" }),
  ),
});

const REGISTER = endpoint({
  method: "POST",
  path: "/devices/register",
  tag: "Devices",
  summary: "Registers a device, or brings what is known of it up to date (200).",
  access: "anyone",
  body: REGISTRATION,
  answers: { 201: REGISTERED, 200: REGISTERED },
  faults: ["binding_invalid", "token_bound", "too_many_attempts"],
  async handle({ config, devices, limits }, { body, reply, request }) {
    const address = addressKey(clientAddress(request.raw, config.trustsProxy));
    const registration = readRegistration(body);
    const { device, isNew } = await devices.register(registration, () =>
      limits.take(`register ${address}`, config.registrationsPerMinute),
    );
    reply.code(isNew ? 201 : 200);
    return {
      device_token: registration.device_token,
      device_id: device.id,
      ...(device.claim_code === null ? {} : { claim_code: device.claim_code }),
    };
  },
});

const READ = endpoint({
  method: "GET",
  path: "/devices/:device_id",
  tag: "Devices",
  summary: "What is known of a device.",
  access: "device",
  parameters: DEVICE,
  answers: { 200: DEVICE_RECORD },
  faults: ["device_not_found"],
  handle: async ({ devices }, { caller, parameters }) =>
    devices.record(await devices.ofCaller(caller, parameters.device_id)),
});

const READ_APPS = endpoint({
  method: "GET",
  path: "/devices/:device_id/apps",
  tag: "Devices",
  summary: "The apps of a device, as far as the hub has to do with them.",
  access: "device",
  parameters: DEVICE,
  answers: { 200: Type.Object({ apps: Type.Array(DEVICE_APP_RECORD) }) },
  faults: ["device_not_found"],
  async handle({ devices }, { caller, parameters }) {
    const { id } = await devices.ofCaller(caller, parameters.device_id);
    return { apps: (await devices.apps(id)).map(deviceAppRecord) };
  },
});

const INSTALL = endpoint({
  method: "POST",
  path: "/devices/:device_id/apps/:app_id/install",
  tag: "Devices",
  summary: "Has a device install an app, or another version of it (`app.install`).",
  access: "device",
  parameters: DEVICE_APP,
  query: VERSION,
  body: VERSION,
  answers: { 202: GIVEN },
  faults: ["device_not_found", "app_not_found", "app_retracted", "version_not_found", "too_many_commands"],
  async handle(services, { body, caller, parameters, query, reply }) {
    const { id } = await services.devices.ofCaller(caller, parameters.device_id);
    const wanted = body.version ?? query.version;
    const { app_id: subject, version } = await services.catalog.requireVersion(parameters.app_id, wanted);
    reply.code(202);
    return give(services, { deviceId: id, kind: "install", subject, version });
  },
});

const UNINSTALL = endpoint({
  method: "DELETE",
  path: "/devices/:device_id/apps/:app_id",
  tag: "Devices",
  summary: "Has a device remove an app (`app.uninstall`), also one that it has from elsewhere.",
  access: "device",
  parameters: DEVICE_APP,
  answers: { 202: GIVEN },
  faults: ["device_not_found", "too_many_commands"],
  async handle(services, { caller, parameters, reply }) {
    const { id } = await services.devices.ofCaller(caller, parameters.device_id);
    const subject = parameters.app_id;
    if (!isAppName(subject)) throw new Fault("bad_parameter", `"${subject}" is no name of an app`);
    reply.code(202);
    return give(services, { deviceId: id, kind: "uninstall", subject, version: "" });
  },
});

const UPDATE = endpoint({
  method: "POST",
  path: "/devices/:device_id/firmware",
  tag: "Devices",
  summary: "Announces a firmware update to a device (`firmware.update`).",
  access: "device",
  parameters: DEVICE,
  query: VERSION,
  body: VERSION,
  answers: { 202: GIVEN },
  faults: ["device_not_found", "firmware_not_found", "too_many_commands"],
  async handle(services, { body, caller, parameters, query, reply }) {
    const { arch, id } = await services.devices.ofCaller(caller, parameters.device_id);
    const { version } = await services.firmwares.require(arch, body.version ?? query.version);
    reply.code(202);
    return give(services, { deviceId: id, kind: "firmware", subject: "", version });
  },
});

async function give({ commands }: HubServices, order: Order) {
  const [given] = await commands.give([order]);
  return given;
}

export const DEVICE_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  REGISTER,
  READ,
  READ_APPS,
  INSTALL,
  UNINSTALL,
  UPDATE,
  ...COMMAND_ENDPOINTS,
]);
