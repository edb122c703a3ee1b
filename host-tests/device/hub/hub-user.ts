/** A user with an account that holds real consoles, and also the publisher that the consoles trust. */
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { addPublisher } from "../../../hub/operator.js";
import { Publisher } from "../../hosts/publisher.js";
import type { Console } from "../../hosts/simulator.js";
import { UsbClient } from "../../hosts/usb-client.js";
import type { HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { type Answer, type RequestOptions, request } from "../../hub/hosts/request.js";

/** How long anything may take that a console and a hub do with each other. */
const LIMIT_MS = 60_000;

/** What `look` gives once `holds` says so of it. */
export async function until<Seen>(look: () => Promise<Seen>, holds: (seen: Seen) => boolean): Promise<Seen> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`Still ${JSON.stringify(seen)}`);
    await setImmediate();
  }
}

export interface HubUserOptions {
  /** Where each request goes; left out: to a process after the other. */
  readonly origin?: () => string;
  /** Sent along with each request. */
  readonly options?: RequestOptions;
}

export class HubUser {
  readonly publisher = new Publisher();
  readonly #origin: () => string;
  readonly #options: RequestOptions;
  #accountToken = "";
  #publisherToken = "";

  private constructor(origin: () => string, options: RequestOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  static async on(hub: HubUnderTest, { origin = () => hub.origin, options = {} }: HubUserOptions = {}) {
    const user = new HubUser(origin, options);
    user.#publisherToken = (
      await addPublisher(hub.environment, randomUUID(), user.publisher.pem, undefined, ["native"])
    ).token;
    user.#accountToken = (await user.#request("POST", "/accounts")).body.account_token;
    return user;
  }

  /** For programs that ask as the account. */
  get accountToken(): string {
    return this.#accountToken;
  }

  /** As the account. */
  ask(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#request(method, path, { token: this.#accountToken, ...options });
  }

  /** As the publisher. */
  publish(method: string, path: string, form?: FormData): Promise<Answer> {
    return this.#request(method, path, { token: this.#publisherToken, ...(form && { form }) });
  }

  publishApp(file: Uint8Array): Promise<Answer> {
    const form = new FormData();
    form.set("package", new Blob([Uint8Array.from(file)]), "app.svcpkg");
    form.set("signature", this.publisher.sign(file));
    return this.publish("POST", "/catalog/publish", form);
  }

  /** Claims a console once it has registered. @returns its id */
  async hold({ usb: port }: Console): Promise<string> {
    const usb = await UsbClient.open(port);
    const { claim_code } = await until(
      async () => (await usb.request("GET", "/api/hub")).body as { claim_code?: string },
      (status) => status.claim_code !== undefined,
    );
    await usb.close();
    const { status, body } = await this.ask("POST", "/account/devices", { json: { claim_code } });
    if (status !== 200) throw new Error(`Cannot claim: ${JSON.stringify(body)}`);
    return body.device_id;
  }

  /** What the hub knows of it, once it is so. */
  device(deviceId: string, holds: (device: Answer["body"]) => boolean): Promise<Answer["body"]> {
    return until(async () => (await this.ask("GET", `/devices/${deviceId}`)).body, holds);
  }

  async apps(deviceId: string): Promise<Answer["body"]> {
    return (await this.ask("GET", `/devices/${deviceId}/apps`)).body.apps;
  }

  /** The command, once it is so. */
  command(deviceId: string, commandId: string, holds: (command: Answer["body"]) => boolean) {
    const path = `/devices/${deviceId}/commands/${commandId}`;
    return until(async () => (await this.ask("GET", path)).body, holds);
  }

  /** The command once its result is in. */
  ended(deviceId: string, commandId: string): Promise<Answer["body"]> {
    return this.command(deviceId, commandId, ({ state }) => state !== "sent" && state !== "queued");
  }

  #request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return request(this.#origin(), method, path, { ...this.#options, ...options });
  }
}
