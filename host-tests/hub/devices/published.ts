/** Apps and firmware at a hub, for commands to devices. */
import { createHash, createPublicKey, randomUUID, sign } from "node:crypto";
import { addPublisher } from "../../../hub/operator.js";
import { VARIANT_ARCHITECTURES } from "../../../protocol/file-kind.js";
import { writeTrapLines } from "../../../tools/trap-lines.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { bundleOf, newSigner, type Signer, simulatorImage } from "../../unit/protocol/firmware/bundling.js";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

const MODULE = '(module (memory (export "memory") 1) (func (export "main")))';

/** A publisher on a hub. */
export class TestPublisher {
  readonly #hub: HubUnderTest;
  readonly #signer: Signer;
  readonly #token: string;

  private constructor(hub: HubUnderTest, signer: Signer, token: string) {
    this.#hub = hub;
    this.#signer = signer;
    this.#token = token;
  }

  static async on(hub: HubUnderTest): Promise<TestPublisher> {
    const signer = newSigner();
    const pem = createPublicKey(signer.privateKey).export({ type: "spki", format: "pem" }).toString();
    const { token } = await addPublisher(hub.environment, `publisher ${randomUUID()}`, pem, undefined, [
      ...VARIANT_ARCHITECTURES,
    ]);
    return new TestPublisher(hub, signer, token);
  }

  /** @returns its name, which no other app has */
  async publishApp(name = `app-${randomUUID().slice(0, 8)}`, version = "1.0.0"): Promise<string> {
    const bytes = packageOf(await moduleOf(MODULE), { name, version });
    const form = new FormData();
    const digest = createHash("sha256").update(bytes).digest();
    form.set("signature", sign(null, digest, this.#signer.privateKey).toString("hex"));
    form.set("package", new Blob([Uint8Array.from(bytes)]), "app.svcpkg");
    await this.#send("POST", "/catalog/publish", form);
    return name;
  }

  /** Stores the lines of the app's sources, of version 1.0.0. */
  async storeLines(app: string, lines: Parameters<typeof writeTrapLines>[1]): Promise<void> {
    const moduleSha256 = createHash("sha256")
      .update(await moduleOf(MODULE))
      .digest("hex");
    const form = new FormData();
    form.set("lines", new Blob([writeTrapLines({ app, version: "1.0.0", moduleSha256 }, lines)]), "lines");
    await this.#send("PUT", `/catalog/${app}/lines`, form);
  }

  async retractApp(name: string): Promise<void> {
    await this.#send("DELETE", `/catalog/${name}`);
  }

  async withdrawFirmware(version: string): Promise<void> {
    await this.#send("DELETE", `/firmware/${version}?arch=native`);
  }

  /** For the simulated console. */
  async publishFirmware(version: string): Promise<void> {
    const bundle = bundleOf(simulatorImage(100, { version }), { signer: this.#signer });
    const form = new FormData();
    form.set("bundle", new Blob([Uint8Array.from(bundle)]), "firmware.svcfw");
    await this.#send("POST", "/firmware", form);
  }

  async #send(method: string, path: string, form?: FormData): Promise<void> {
    const { status, body } = await request(this.#hub.origin, method, path, {
      token: this.#token,
      ...(form && { form }),
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  }
}
