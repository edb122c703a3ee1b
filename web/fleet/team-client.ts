/** The requests of the pages of the team and of webhooks. */

import {
  ADDED_MEMBER,
  type AddedMember,
  AUDIT,
  MEMBER,
  MEMBERS,
  type Member,
  NEW_MEMBER,
  NEW_PROGRAM,
  PROGRAMS,
  type Program,
} from "../../protocol/hub/answers/team.js";
import {
  DELIVERIES,
  NEW_WEBHOOK,
  TEST,
  WEBHOOK,
  WEBHOOKS,
  type Webhook,
} from "../../protocol/hub/answers/webhooks.js";
import type { HubClient } from "../hub/hub-client.js";

interface NewMember {
  readonly name: string;
  readonly role: string;
  /** Of a member who signs in, and gets no token. */
  readonly email?: string;
}

interface NewProgram {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_in_s?: number;
}

export class TeamClient {
  readonly #hub: HubClient;

  constructor(hub: HubClient) {
    this.#hub = hub;
  }

  /** What the hub calls its server of OpenID Connect; `undefined` if members need tokens. */
  async signInName(): Promise<string | undefined> {
    return (await this.#hub.identify()).sign_in?.name;
  }

  async members(): Promise<readonly Member[]> {
    return (await this.#hub.ask(MEMBERS, "GET", "/account/members")).members;
  }

  addMember(member: NewMember): Promise<AddedMember> {
    return this.#hub.ask(ADDED_MEMBER, "POST", "/account/members", member);
  }

  setRole(id: string, role: string): Promise<Member> {
    return this.#hub.ask(MEMBER, "PUT", memberPath(id), { role });
  }

  /** @returns the member's new token */
  async renewToken(id: string): Promise<string> {
    return (await this.#hub.ask(NEW_MEMBER, "POST", `${memberPath(id)}/token`, {})).token;
  }

  endSessions(id: string): Promise<void> {
    return this.#hub.remove(`${memberPath(id)}/sessions`);
  }

  removeMember(id: string): Promise<void> {
    return this.#hub.remove(memberPath(id));
  }

  async programs(): Promise<readonly Program[]> {
    return (await this.#hub.ask(PROGRAMS, "GET", "/account/tokens")).tokens;
  }

  /** @returns the program's token */
  async addProgram(program: NewProgram): Promise<string> {
    return (await this.#hub.ask(NEW_PROGRAM, "POST", "/account/tokens", program)).token;
  }

  removeProgram(id: string): Promise<void> {
    return this.#hub.remove(`/account/tokens/${encodeURIComponent(id)}`);
  }

  audit(after?: string) {
    return this.#hub.ask(AUDIT, "GET", `/account/audit?${pageQuery(50, after)}`);
  }

  async webhooks(): Promise<readonly Webhook[]> {
    return (await this.#hub.ask(WEBHOOKS, "GET", "/account/webhooks")).webhooks;
  }

  /** @returns the webhook's secret */
  async addWebhook(url: string, events: readonly string[]): Promise<string> {
    return (await this.#hub.ask(NEW_WEBHOOK, "POST", "/account/webhooks", { url, events })).secret;
  }

  /** Members that are omitted stay. */
  async changeWebhook(
    id: string,
    change: { readonly url?: string; readonly events?: readonly string[] },
  ): Promise<void> {
    await this.#hub.ask(WEBHOOK, "PUT", webhookPath(id), change);
  }

  async enableWebhook(id: string): Promise<void> {
    await this.#hub.ask(WEBHOOK, "PUT", webhookPath(id), { enabled: true });
  }

  async testWebhook(id: string): Promise<void> {
    await this.#hub.ask(TEST, "POST", `${webhookPath(id)}/test`, {});
  }

  /** @returns the webhook's new secret */
  async renewSecret(id: string): Promise<string> {
    return (await this.#hub.ask(NEW_WEBHOOK, "POST", `${webhookPath(id)}/secret`, {})).secret;
  }

  removeWebhook(id: string): Promise<void> {
    return this.#hub.remove(webhookPath(id));
  }

  deliveries(id: string, after?: string) {
    return this.#hub.ask(DELIVERIES, "GET", `${webhookPath(id)}/deliveries?${pageQuery(10, after)}`);
  }
}

function memberPath(id: string): string {
  return `/account/members/${encodeURIComponent(id)}`;
}

function webhookPath(id: string): string {
  return `/account/webhooks/${encodeURIComponent(id)}`;
}

function pageQuery(perPage: number, after: string | undefined): URLSearchParams {
  return new URLSearchParams({ per_page: `${perPage}`, ...(after !== undefined && { after }) });
}
