/** The requests of the pages of fleets, over the client of the web console. */

import type { Frame } from "../../protocol/hub/answers/catalog.js";
import {
  DEVICE_APPS,
  DEVICE_LIST,
  DEVICE_RECORD,
  type DeviceAppRecord,
  type DeviceRecord,
} from "../../protocol/hub/answers/devices.js";
import {
  ATTENTION,
  type Attention,
  BULK_RESULT,
  type BulkResult,
  DEVICE_TAGS,
  GROUP,
  GROUPS,
  type Group,
} from "../../protocol/hub/answers/fleet.js";
import { type CommandStep, CRASH, HISTORY, TIMELINE } from "../../protocol/hub/answers/history.js";
import {
  ROLLOUT,
  ROLLOUT_DEVICE_LIST,
  ROLLOUT_LIST,
  type Rollout,
} from "../../protocol/hub/answers/rollouts.js";
import { ACCOUNT, type Account } from "../../protocol/hub/answers/team.js";
import { mapOf } from "../../protocol/schema.js";
import type { HubClient } from "../hub/hub-client.js";
import { TeamClient } from "./team-client.js";

/** Conditions of the list of consoles, as the hub takes them. */
export type Filter = Readonly<Record<string, string>>;

/** Consoles of one request. */
export const DEVICES_PER_PAGE = 100;

/** Devices of a rollout that have failed, of which the causes are counted. */
const FAILURES_LIMIT = 500;

export class FleetClient {
  readonly #hub: HubClient;
  readonly team: TeamClient;

  constructor(hub: HubClient) {
    this.#hub = hub;
    this.team = new TeamClient(hub);
  }

  account(): Promise<Account> {
    return this.#hub.ask(ACCOUNT, "GET", "/account");
  }

  /** Ends the account, and deletes what the hub keeps of it. */
  async endAccount(): Promise<void> {
    await this.#hub.remove("/account");
  }

  /** Reads any answer. @param path below `/api/v1` */
  read(path: string): Promise<object> {
    return this.#hub.ask(mapOf(undefined), "GET", path);
  }

  attention(): Promise<Attention> {
    return this.#hub.ask(ATTENTION, "GET", "/account/attention");
  }

  /** @param page from 1, of {@link DEVICES_PER_PAGE} */
  devices(
    filter: Filter,
    page: number,
  ): Promise<{ readonly total: number; readonly devices: readonly DeviceRecord[] }> {
    const query = new URLSearchParams({ ...filter, page: `${page}`, per_page: `${DEVICES_PER_PAGE}` });
    return this.#hub.ask(DEVICE_LIST, "GET", `/account/devices?${query}`);
  }

  async countDevices(filter: Filter): Promise<number> {
    const query = new URLSearchParams({ ...filter, per_page: "1" });
    return (await this.#hub.ask(DEVICE_LIST, "GET", `/account/devices?${query}`)).total;
  }

  device(id: string): Promise<DeviceRecord> {
    return this.#hub.ask(DEVICE_RECORD, "GET", `/devices/${encodeURIComponent(id)}`);
  }

  async apps(id: string): Promise<readonly DeviceAppRecord[]> {
    return (await this.#hub.ask(DEVICE_APPS, "GET", `/devices/${encodeURIComponent(id)}/apps`)).apps;
  }

  history(id: string, after?: string) {
    const query = new URLSearchParams({ per_page: "50", ...(after !== undefined && { after }) });
    return this.#hub.ask(HISTORY, "GET", `/devices/${encodeURIComponent(id)}/history?${query}`);
  }

  /** The stack of an app's crash, innermost function first. */
  async crash(id: string, eventId: number): Promise<readonly Frame[]> {
    return (await this.#hub.ask(CRASH, "GET", `/devices/${encodeURIComponent(id)}/crashes/${eventId}`)).stack;
  }

  async timeline(id: string, commandId: string): Promise<readonly CommandStep[]> {
    const path = `/devices/${encodeURIComponent(id)}/commands/${encodeURIComponent(commandId)}/timeline`;
    return (await this.#hub.ask(TIMELINE, "GET", path)).steps;
  }

  async setTags(id: string, tags: readonly string[]): Promise<void> {
    const path = `/devices/${encodeURIComponent(id)}/tags`;
    await this.#hub.ask(DEVICE_TAGS, "PUT", path, { tags });
  }

  order(order: object): Promise<BulkResult> {
    return this.#hub.ask(BULK_RESULT, "POST", "/account/devices/orders", order);
  }

  async groups(): Promise<readonly Group[]> {
    return (await this.#hub.ask(GROUPS, "GET", "/account/groups")).groups;
  }

  addGroup(name: string, filter: object): Promise<Group> {
    return this.#hub.ask(GROUP, "POST", "/account/groups", { name, filter });
  }

  async removeGroup(id: string): Promise<void> {
    await this.#hub.remove(`/account/groups/${encodeURIComponent(id)}`);
  }

  rollouts(after?: string) {
    const query = new URLSearchParams({ per_page: "20", ...(after !== undefined && { after }) });
    return this.#hub.ask(ROLLOUT_LIST, "GET", `/rollouts?${query}`);
  }

  rollout(id: string): Promise<Rollout> {
    return this.#hub.ask(ROLLOUT, "GET", `/rollouts/${encodeURIComponent(id)}`);
  }

  rollOut(request: object): Promise<Rollout> {
    return this.#hub.ask(ROLLOUT, "POST", "/rollouts", request);
  }

  changeRollout(id: string, event: "pause" | "resume" | "cancel"): Promise<Rollout> {
    return this.#hub.ask(ROLLOUT, "POST", `/rollouts/${encodeURIComponent(id)}/${event}`, {});
  }

  /** The causes of failures with the number of consoles, the most frequent first; of the first 500 that have failed. */
  async failures(id: string): Promise<readonly (readonly [cause: string, devices: number])[]> {
    const causes = new Map<string, number>();
    let after: string | undefined;
    for (let read = 0; read < FAILURES_LIMIT; read += DEVICES_PER_PAGE) {
      const query = new URLSearchParams({
        state: "failed",
        per_page: "100",
        ...(after !== undefined && { after }),
      });
      const path = `/rollouts/${encodeURIComponent(id)}/devices?${query}`;
      const page = await this.#hub.ask(ROLLOUT_DEVICE_LIST, "GET", path);
      for (const { error = "unknown" } of page.devices) causes.set(error, (causes.get(error) ?? 0) + 1);
      after = page.next;
      if (after === undefined) break;
    }
    return [...causes].sort(([, one], [, other]) => other - one);
  }
}
