/** What came of a push channel, in the order in which it came. */
import { PushClient, type PushClientOptions, type PushEnd } from "../../../hub-client/push-client.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";
import type { HubMessage } from "../../../protocol/hub/push-messages.js";

export const TOKEN = "0b0f2a1e-7a55-4c0e-9d0b-1f6a3c2d4e5f";

export class Pushed {
  readonly messages: HubMessage[] = [];
  readonly malformed: string[] = [];
  openCount = 0;
  end: PushEnd | undefined;
  readonly client: PushClient;
  #onChange: () => void = () => {};

  constructor(ports: PushClientOptions["ports"], address: string, options: Partial<PushClientOptions> = {}) {
    this.client = new PushClient({
      ports,
      address: parseHubAddress(address),
      deviceToken: TOKEN,
      onOpen: () => this.#note(() => this.openCount++),
      onMessage: (message) => this.#note(() => this.messages.push(message)),
      onMalformed: ({ code }) => this.#note(() => this.malformed.push(code)),
      onClosed: (end) =>
        this.#note(() => {
          if (this.end) throw new Error("It ends once");
          this.end = end;
        }),
      ...options,
    });
  }

  /** Fault and close code of the end, where there is one. */
  get ending(): readonly (string | number | undefined)[] {
    return this.end ? [this.end.fault.code, this.end.closeCode] : [];
  }

  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = () => isSo() && resolve();
      this.#onChange();
    });
  }

  #note(change: () => void): void {
    if (this.end) throw new Error("Nothing follows the end");
    change();
    this.#onChange();
  }
}
