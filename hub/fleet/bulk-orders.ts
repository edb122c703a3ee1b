/**
 * One order for many consoles, at once (docs/spec/hub-api.md#bulk-orders). For more than a thousand there are rollouts,
 * which go step by step and stop when too many fail.
 */
import Type, { type Static } from "typebox";
import { Fault, type FaultCode } from "../../protocol/fault.js";
import type { BulkResult } from "../../protocol/hub/answers/fleet.js";
import type { Actor } from "../../protocol/hub/answers/history.js";
import { isAppName } from "../../protocol/manifest/app-name.js";
import { oneOf } from "../../protocol/schema.js";
import { EXPIRES_IN_S, expiryOf } from "../commands/expiry.js";
import type { Order } from "../commands/new-commands.js";
import type { Row } from "../database/schema.js";
import { inPieces } from "../database/transactions.js";
import type { HubServices } from "../services.js";
import { FILTER_MEMBERS } from "./device-filter.js";
import { filtersOf, type GroupedFilter } from "./device-list.js";
import { TAG_LIST, tagChange } from "./tags.js";

/** Consoles of one order. */
const ORDER_DEVICES_LIMIT = 1000;

/** A thousand ids of 39 bytes in JSON, with room for indentation. */
export const ORDER_BODY_LIMIT_BYTES = 128 * 1024;

/** Rejects unknown members: ignoring a misspelt condition would order more. */
const STRICT = { additionalProperties: false };

const VERSION = Type.Optional(
  Type.String({ pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+$", description: "The newest by default." }),
);

export const BULK_ORDER = Type.Object(
  {
    kind: oneOf(["install", "uninstall", "firmware", "tags"]),
    app_id: Type.Optional(Type.String({ maxLength: 64, description: "To install or to uninstall." })),
    version: VERSION,
    downgrade: Type.Optional(
      Type.Boolean({ description: "Allow an app's version that is older than the installed one." }),
    ),
    expires_in_s: EXPIRES_IN_S,
    add: Type.Optional(TAG_LIST),
    remove: Type.Optional(TAG_LIST),
    devices: Type.Object(
      {
        ids: Type.Optional(
          Type.Array(Type.String({ maxLength: 64 }), {
            maxItems: ORDER_DEVICES_LIMIT,
            description: "These consoles; excludes all conditions.",
          }),
        ),
        ...FILTER_MEMBERS,
        group_id: Type.Optional(Type.String({ maxLength: 64, description: "The consoles of this group." })),
      },
      { ...STRICT, description: "All consoles of the account without any condition." },
    ),
  },
  STRICT,
);
export type BulkOrder = Static<typeof BULK_ORDER>;

type Result = BulkResult["results"][number];

type Device = Pick<Row<"devices">, "id" | "arch">;

/**
 * @throws {Fault} `device_not_found` for an id that the account does not hold, `too_many_devices`, `group_not_found`,
 *   `bad_parameter`; `app_not_found`, `app_retracted`, `version_not_found`
 */
export async function giveBulkOrder(
  services: HubServices,
  accountId: string,
  order: BulkOrder,
  orderedBy: Actor,
): Promise<BulkResult> {
  requireMembers(order);
  const devices = await chosenDevices(services, accountId, order.devices);
  const results =
    order.kind === "tags"
      ? await changeTags(services, accountId, order, devices)
      : await giveCommands(services, order, devices, orderedBy);
  const refused = results.filter(({ error }) => error !== undefined).length;
  return { ordered: results.length - refused, refused, results: [...results] };
}

/** A member that another kind of order has is a mistake, which could cost a fleet its apps. */
const MEMBERS: Readonly<Record<BulkOrder["kind"], readonly (keyof BulkOrder)[]>> = Object.freeze({
  install: ["app_id", "version", "downgrade", "expires_in_s"],
  uninstall: ["app_id"],
  firmware: ["version", "expires_in_s"],
  tags: ["add", "remove"],
});

function requireMembers(order: BulkOrder): void {
  const { kind, devices, ...members } = order;
  for (const name of Object.keys(members) as (keyof BulkOrder)[])
    if (!MEMBERS[kind].includes(name)) throw new Fault("bad_parameter", `"${name}" is not for "${kind}"`);
  if (!MEMBERS[kind].includes("app_id")) return;
  if (order.app_id === undefined) throw new Fault("missing_parameter", '"app_id" is missing');
  if (!isAppName(order.app_id)) throw new Fault("bad_parameter", `"${order.app_id}" is not a valid app name`);
}

async function chosenDevices(
  services: HubServices,
  accountId: string,
  { ids, ...filter }: BulkOrder["devices"],
): Promise<readonly Device[]> {
  if (!ids) return filteredDevices(services, accountId, filter);
  if (Object.keys(filter).length > 0)
    throw new Fault("bad_parameter", 'Cannot choose "devices" both by "ids" and by properties');
  const found: Device[] = [];
  const wanted = [...new Set(ids)];
  for (const piece of inPieces(wanted))
    found.push(
      ...(await services.database
        .selectFrom("devices")
        .select(["id", "arch"])
        .where("account_id", "=", accountId)
        .where("id", "in", piece)
        .execute()),
    );
  const held = new Set(found.map(({ id }) => id));
  const missing = wanted.find((id) => !held.has(id));
  if (missing !== undefined) throw new Fault("device_not_found", `The account has no device "${missing}"`);
  return found;
}

async function filteredDevices(
  services: HubServices,
  accountId: string,
  filter: GroupedFilter,
): Promise<readonly Device[]> {
  let query = services.database.selectFrom("devices").select(["id", "arch"]);
  for (const matches of await filtersOf(services, accountId, filter)) query = query.where(matches);
  const found = await query.limit(ORDER_DEVICES_LIMIT + 1).execute();
  if (found.length > ORDER_DEVICES_LIMIT)
    throw new Fault(
      "too_many_devices",
      `An order is for at most ${ORDER_DEVICES_LIMIT} consoles: use a rollout for more`,
    );
  return found;
}

async function changeTags(
  { tags }: HubServices,
  accountId: string,
  { add, remove }: BulkOrder,
  devices: readonly Device[],
): Promise<readonly Result[]> {
  const ids = devices.map(({ id }) => id);
  const full = new Set(await tags.change(accountId, ids, tagChange(add, remove)));
  return ids.map((device_id) => ({
    device_id,
    ...(full.has(device_id) && { error: "bad_parameter" satisfies FaultCode }),
  }));
}

async function giveCommands(
  services: HubServices,
  order: BulkOrder,
  devices: readonly Device[],
  orderedBy: Actor,
): Promise<readonly Result[]> {
  const expiresAt = expiryOf(order.expires_in_s, services.now());
  const refused: Result[] = [];
  const orders: Order[] = [];
  const full = await services.commands.withoutRoom(devices.map(({ id }) => id));
  const contentOf = contentReader(services, order);
  for (const { id, arch } of devices) {
    const content = full.has(id) ? "too_many_commands" : await contentOf(arch);
    if (typeof content === "string") refused.push({ device_id: id, error: content });
    else orders.push({ deviceId: id, ...content, expiresAt, orderedBy });
  }
  const queued = orders.length === 0 ? [] : await services.commands.enqueue(orders);
  return [
    ...queued.map(({ deviceId, command_id, state }) => ({ device_id: deviceId, command_id, state })),
    ...refused,
  ];
}

type Content = Pick<Order, "kind" | "subject" | "version" | "allowsDowngrade">;

/** What is ordered of consoles of an architecture, read once for each; or the code of the error for them. */
function contentReader(
  services: HubServices,
  order: BulkOrder,
): (arch: string) => Promise<Content | FaultCode> {
  const known = new Map<string, Promise<Content | FaultCode>>();
  return (arch) => {
    const key = order.kind === "firmware" ? arch : "";
    const content = known.get(key) ?? contentFor(services, order, arch);
    known.set(key, content);
    return content;
  };
}

async function contentFor(
  { catalog, firmwares }: HubServices,
  { kind, app_id = "", version, downgrade }: BulkOrder,
  arch: string,
): Promise<Content | FaultCode> {
  switch (kind) {
    case "install": {
      const found = await catalog.requireVersion(app_id, version);
      return { kind, subject: found.app_id, version: found.version, allowsDowngrade: downgrade === true };
    }
    case "uninstall":
      return { kind, subject: await catalog.spellingOf(app_id), version: "" };
    case "firmware":
      try {
        return { kind, subject: "", version: (await firmwares.require(arch, version)).version };
      } catch (error) {
        if (error instanceof Fault) return error.code;
        throw error;
      }
    default:
      throw new TypeError(`"${kind}" is not a command`);
  }
}
