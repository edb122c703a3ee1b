/** A console in typical use: the example apps are installed, one of them runs, and a hub offers them. */
import { HubUser } from "../../device/hub/hub-user.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../../hub/hosts/hub-under-test.js";
import { ExampleApps } from "./example-apps.js";
import { Stage } from "./stage.js";

export class Furnished {
  readonly stage: Stage;
  readonly hub: HubUnderTest;
  /** An account at the hub, and the publisher that console and hub trust. */
  readonly user: HubUser;
  readonly examples: ExampleApps;

  private constructor(stage: Stage, hub: HubUnderTest, user: HubUser, examples: ExampleApps) {
    this.stage = stage;
    this.hub = hub;
    this.user = user;
    this.examples = examples;
  }

  static async start(): Promise<Furnished> {
    const hub = await EMBEDDED_HUB.start();
    const user = await HubUser.on(hub);
    const examples = await ExampleApps.build(user.publisher);
    const flags = ["--hub", hub.origin, "--mac", "02:00:00:00:1A:2B"];
    const stage = await Stage.start({ publisher: user.publisher, flags });
    for (const name of ExampleApps.names) {
      const file = await examples.bytes(name);
      const { status, body } = await user.publishApp(file);
      if (status !== 201) throw new Error(`Cannot publish "${name}": ${JSON.stringify(body)}`);
      await stage.install(file);
    }
    return new Furnished(stage, hub, user, examples);
  }

  async end(): Promise<void> {
    await this.stage.end();
    await this.hub.stop();
    this.examples.remove();
  }
}
