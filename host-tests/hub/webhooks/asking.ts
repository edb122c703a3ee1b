/** Requests about an account's webhooks, and looks at their deliveries. */
import { expect } from "vitest";
import { EVENT_TYPES } from "../../../protocol/hub/answers/webhooks.js";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { eventually } from "../push/channel.js";
import type { Message } from "../rollouts/fleet.js";

/** Of a hub whose webhooks may reach private addresses. */
export const PRIVATE = { SVC_HUB_WEBHOOKS_PRIVATE: "on" };

export interface Webhook {
  readonly webhook_id: string;
  readonly secret: string;
}

/** Requests about the webhooks of one account. */
export function asking(hub: HubUnderTest, token: string) {
  const ask = async (method: string, path: string, json?: object) =>
    request(hub.origin, method, `/account/webhooks${path}`, { token, ...(json && { json }) });
  return {
    ask,
    async add(url: string, events: readonly string[] = EVENT_TYPES): Promise<Webhook> {
      const { status, body } = await ask("POST", "", { url, events });
      if (status !== 201) throw new Error(`Cannot add a webhook: ${JSON.stringify(body)}`);
      return body;
    },
    deliveries: async ({ webhook_id }: Webhook): Promise<readonly Message[]> =>
      (await ask("GET", `/${webhook_id}/deliveries?per_page=100`)).body.deliveries,
    async test({ webhook_id }: Webhook): Promise<string> {
      const { status, body } = await ask("POST", `/${webhook_id}/test`);
      expect(status).toBe(202);
      return body.delivery_id;
    },
    look: async ({ webhook_id }: Webhook): Promise<Message> =>
      (await ask("GET", "")).body.webhooks.find((one: Message) => one.webhook_id === webhook_id),
  };
}

/** The deliveries once that many have ended, or have failed once. */
export function attempted(api: ReturnType<typeof asking>, webhook: Webhook, count: number) {
  return eventually(
    async () => (await api.deliveries(webhook)).filter(({ attempts }) => attempts > 0),
    ({ length }) => length >= count,
  );
}
