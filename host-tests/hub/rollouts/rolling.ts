/** Fleets of consoles on a hub, and rollouts to them. */
import { TestPublisher } from "../devices/published.js";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { type Answer, request } from "../hosts/request.js";
import { eventually } from "../push/channel.js";
import { type Behaviour, Console, type DeviceFacts, type Message, newAccount, newDevice } from "./fleet.js";

export class Fleet {
  /** Token of the account that holds the consoles. */
  readonly account: string;
  readonly consoles: readonly Console[];
  readonly #hub: Pick<HubUnderTest, "origin">;

  private constructor(hub: Pick<HubUnderTest, "origin">, account: string, consoles: readonly Console[]) {
    this.#hub = hub;
    this.account = account;
    this.consoles = consoles;
  }

  /** Of an account of its own, connected to the processes in turn. */
  static async connect(
    hub: HubUnderTest,
    count: number,
    behaviour: Behaviour,
    facts?: Partial<DeviceFacts>,
  ): Promise<Fleet> {
    const account = await newAccount(hub);
    const consoles = Array.from({ length: count }, async (_, index) => {
      const device = await newDevice(hub, account, facts);
      const origins = () => [...hub.origins.slice(index % hub.origins.length), ...hub.origins];
      return Console.connect(device, behaviour, origins);
    });
    return new Fleet(hub, account, await Promise.all(consoles));
  }

  /** The same, with requests to this process alone. */
  at(process: Pick<HubUnderTest, "origin">): Fleet {
    return new Fleet(process, this.account, this.consoles);
  }

  /** Consoles with a command. */
  get told(): readonly Console[] {
    return this.consoles.filter(({ commands }) => commands.length > 0);
  }

  ask(method: string, path: string, json?: unknown): Promise<Answer> {
    return request(this.#hub.origin, method, path, {
      token: this.account,
      ...(json !== undefined && { json }),
    });
  }

  /** @returns the rollout, which must be taken */
  async rollOut(json: unknown): Promise<Message> {
    const { status, body } = await this.ask("POST", "/rollouts", json);
    if (status !== 201) throw new Error(`Cannot roll out: ${JSON.stringify(body)}`);
    return body;
  }

  async look({ rollout_id }: Message): Promise<Message> {
    return (await this.ask("GET", `/rollouts/${rollout_id}`)).body;
  }

  async devices({ rollout_id }: Message, query = ""): Promise<readonly Message[]> {
    return (await this.ask("GET", `/rollouts/${rollout_id}/devices?per_page=100${query}`)).body.devices;
  }

  /** The rollout once it is so. */
  until(rollout: Message, isRight: (rollout: Message) => boolean): Promise<Message> {
    return eventually(() => this.look(rollout), isRight);
  }

  untilState(rollout: Message, state: string): Promise<Message> {
    return this.until(rollout, (now) => now.state === state);
  }

  /** Resolves once that many consoles have a command. */
  async untilTold(count: number): Promise<readonly Console[]> {
    await eventually(
      async () => this.told.length,
      (told) => told >= count,
    );
    return this.told;
  }

  async close(): Promise<void> {
    await Promise.all(this.consoles.map((console) => console.close()));
  }
}

export interface App {
  readonly app_id: string;
  readonly publisher: TestPublisher;
}

export async function newApp(hub: HubUnderTest): Promise<App> {
  const publisher = await TestPublisher.on(hub);
  return { app_id: await publisher.publishApp(), publisher };
}
