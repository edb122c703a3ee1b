/** Endpoints below `/devices`: `me` is for the device itself, an id for the account that holds the device. */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { DEVICE_APPS, DEVICE_RECORD, QUEUED, ROTATING } from "../../protocol/hub/answers/devices.js";
import { isAppName } from "../../protocol/manifest/app-name.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { addressKey, clientAddress } from "../auth/client-address.js";
import { COMMAND_ENDPOINTS } from "../commands/command-endpoints.js";
import { EXPIRES_IN_S, expiryOf } from "../commands/expiry.js";
import type { Order } from "../commands/new-commands.js";
import { actorOf } from "../history/device-events.js";
import { HISTORY_ENDPOINTS } from "../history/history-endpoints.js";
import type { HubServices } from "../services.js";
import { deviceAppRecords } from "./device-record.js";
import { NEXT_TOKEN, REGISTRATION, readRegistration } from "./registration.js";

const DEVICE = Type.Object({ device_id: Type.String({ description: "`me`, or the id of a device" }) });
const DEVICE_APP = Type.Object({ device_id: Type.String(), app_id: Type.String() });
const VERSION = Type.Object({
  version: Type.Optional(Type.String({ description: "The newest by default" })),
});

const INSTALL_BODY = Type.Object({
  ...VERSION.properties,
  downgrade: Type.Optional(Type.Boolean({ description: "Allow a version older than the installed one" })),
  expires_in_s: EXPIRES_IN_S,
});

const UPDATE_BODY = Type.Object({ ...VERSION.properties, expires_in_s: EXPIRES_IN_S });

const REGISTERED = Type.Object({
  device_token: Type.String(),
  device_id: Type.String(),
  claim_code: Type.Optional(
    Type.String({
      description:
        "For an account to claim the device. Absent once it is claimed, and while it must replace its token first",
    }),
  ),
});

const REGISTER = endpoint({
  method: "POST",
  path: "/devices/register",
  tag: "Devices",
  summary:
    "Register a device (201), or update its record (200). `X-Svc-Push: bearer` offers the push channel at `/ws/device`.",
  access: "anyone",
  body: REGISTRATION,
  answers: { 201: REGISTERED, 200: REGISTERED },
  faults: ["binding_invalid", "token_bound", "too_many_attempts"],
  async handle({ config, devices, limits }, { body, reply, request }) {
    const address = addressKey(clientAddress(request.raw, config.trustsProxy));
    const registration = readRegistration(body);
    const { device, isNew } = await devices.register(registration, () =>
      limits.consume(`register ${address}`, config.registrationsPerMinute),
    );
    reply.code(isNew ? 201 : 200).header("x-svc-push", "bearer"); // docs/spec/hub-push.md#channel-bearer
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
  summary: "Show a device.",
  access: "device",
  parameters: DEVICE,
  answers: { 200: DEVICE_RECORD },
  faults: ["device_not_found"],
  async handle({ devices, tags }, { caller, parameters }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    const record = await devices.record(device);
    if (caller?.kind !== "account") return record;
    const ofDevice = await tags.of(caller.accountId, [device.id]);
    return { ...record, tags: [...(ofDevice.get(device.id) ?? [])] };
  },
});

const READ_APPS = endpoint({
  method: "GET",
  path: "/devices/:device_id/apps",
  tag: "Devices",
  summary:
    "List a device's apps: those that it reports (`device.apps`), and those with a pending or failed command. For a device that has reported none, list the apps that the hub has sent commands for.",
  access: "device",
  parameters: DEVICE,
  answers: { 200: DEVICE_APPS },
  faults: ["device_not_found"],
  async handle({ devices }, { caller, parameters }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    return { apps: deviceAppRecords(device, await devices.apps(device.id)) };
  },
});

const INSTALL = endpoint({
  method: "POST",
  path: "/devices/:device_id/apps/:app_id/install",
  tag: "Devices",
  summary: "Make a device install an app, or another version of it (`app.install`).",
  access: "device",
  scope: "orders",
  parameters: DEVICE_APP,
  query: VERSION,
  body: INSTALL_BODY,
  answers: { 202: QUEUED },
  faults: ["device_not_found", "app_not_found", "app_retracted", "version_not_found", "too_many_commands"],
  async handle(services, { body, caller, parameters, query, reply }) {
    const { id } = await services.devices.ofCaller(caller, parameters.device_id);
    const wanted = body.version ?? query.version;
    const { app_id: subject, version } = await services.catalog.requireVersion(parameters.app_id, wanted);
    reply.code(202);
    const allowsDowngrade = body.downgrade === true;
    const expiresAt = expiryOf(body.expires_in_s, services.now());
    const order = { deviceId: id, subject, version, allowsDowngrade, expiresAt, orderedBy: actorOf(caller) };
    return enqueue(services, { ...order, kind: "install" });
  },
});

const UNINSTALL = endpoint({
  method: "DELETE",
  path: "/devices/:device_id/apps/:app_id",
  tag: "Devices",
  summary: "Make a device remove an app (`app.uninstall`), even one that the hub did not install.",
  access: "device",
  scope: "orders",
  parameters: DEVICE_APP,
  answers: { 202: QUEUED },
  faults: ["device_not_found", "too_many_commands"],
  async handle(services, { caller, parameters, reply }) {
    const { id } = await services.devices.ofCaller(caller, parameters.device_id);
    const { app_id } = parameters;
    if (!isAppName(app_id)) throw new Fault("bad_parameter", `"${app_id}" is not a valid app name`);
    const subject = await services.catalog.spellingOf(app_id);
    reply.code(202);
    const orderedBy = actorOf(caller);
    return enqueue(services, { deviceId: id, kind: "uninstall", subject, version: "", orderedBy });
  },
});

const UPDATE = endpoint({
  method: "POST",
  path: "/devices/:device_id/firmware",
  tag: "Devices",
  summary: "Announce a firmware update to a device (`firmware.update`).",
  access: "device",
  scope: "orders",
  parameters: DEVICE,
  query: VERSION,
  body: UPDATE_BODY,
  answers: { 202: QUEUED },
  faults: ["device_not_found", "firmware_not_found", "firmware_withdrawn", "too_many_commands"],
  async handle(services, { body, caller, parameters, query, reply }) {
    const { arch, id } = await services.devices.ofCaller(caller, parameters.device_id);
    const { version } = await services.firmwares.require(arch, body.version ?? query.version);
    reply.code(202);
    const expiresAt = expiryOf(body.expires_in_s, services.now());
    const order = { deviceId: id, subject: "", version, expiresAt, orderedBy: actorOf(caller) };
    return enqueue(services, { ...order, kind: "firmware" });
  },
});

const ROTATE = endpoint({
  method: "POST",
  path: "/devices/:device_id/token",
  tag: "Devices",
  summary:
    "Replace a device's token. A device sends its new token, and both are valid until it connects with the new one (200). An account asks the device to create one (`token.rotate`, 202).",
  access: "device",
  scope: "consoles",
  parameters: DEVICE,
  body: NEXT_TOKEN,
  answers: {
    200: Type.Object({ device_token: Type.String(), device_id: Type.String() }),
    202: ROTATING,
  },
  faults: ["device_not_found", "binding_invalid", "token_bound"],
  async handle({ devices }, { body, caller, parameters, reply }) {
    const { id } = await devices.ofCaller(caller, parameters.device_id);
    if (caller?.kind === "device") {
      if (!(await devices.acceptNextToken(id, body)))
        throw new Fault("busy", "The device is changing: try again", { details: { retry_after_s: 1 } });
      return { device_token: (body.device_token ?? "").toLowerCase(), device_id: id };
    }
    reply.code(202);
    return { state: (await devices.requestRotation(id)) ? "sent" : "queued" };
  },
});

const RETIRE = endpoint({
  method: "DELETE",
  path: "/devices/:device_id",
  tag: "Devices",
  summary:
    "End a device's record and invalidate its token, for a lost console. The device may register again.",
  access: "device",
  scope: "consoles",
  parameters: DEVICE,
  answers: { 204: null },
  faults: ["device_not_found"],
  async handle({ commands, devices }, { caller, parameters, reply }) {
    const device = await devices.ofCaller(caller, parameters.device_id);
    await devices.retire(device, commands, caller?.kind === "device");
    return reply.code(204).send();
  },
});

async function enqueue({ commands }: HubServices, order: Order) {
  const [queued] = await commands.enqueue([order]);
  return queued;
}

export const DEVICE_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  REGISTER,
  READ,
  READ_APPS,
  INSTALL,
  UNINSTALL,
  UPDATE,
  ROTATE,
  RETIRE,
  ...COMMAND_ENDPOINTS,
  ...HISTORY_ENDPOINTS,
]);
