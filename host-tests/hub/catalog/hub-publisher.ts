/** A publisher of a hub under test: registered as the operator does it, and publishing as a program does. */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { addPublisher } from "../../../hub/operator.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { manifestOf, moduleOf, type TestManifest } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { type Answer, request } from "../hosts/request.js";

/** A name that no other test has. */
export function freshName(prefix = "app"): string {
  return `${prefix}-${randomBytes(6).toString("hex")}`;
}

/** A package, with noise of that many bytes in its module so that it does not compress. */
export async function appPackage(
  fields: Partial<TestManifest> = {},
  { icon, noiseBytes = 0 }: { readonly icon?: Uint8Array; readonly noiseBytes?: number } = {},
): Promise<Uint8Array> {
  const noise = [...randomBytes(noiseBytes)]
    .map((byte) => `\\${byte.toString(16).padStart(2, "0")}`)
    .join("");
  const module = await moduleOf(
    `(module (memory 16) (data (i32.const 0) "${noise}") (func (export "main")))`,
  );
  const manifest = JSON.stringify(manifestOf({ memory_quota: 1048576, ...fields }));
  return writePackage({ module, manifest: new TextEncoder().encode(manifest), ...(icon && { icon }) });
}

/** The form of docs/spec/hub-api.md#publish; a part that is `undefined` is left out. */
export function publishForm(file: Uint8Array | undefined, signature: string | undefined): FormData {
  const form = new FormData();
  if (signature !== undefined) form.set("signature", signature);
  if (file) form.set("package", new Blob([file]), "app.svcpkg");
  return form;
}

export class HubPublisher {
  readonly name: string;
  readonly key: Publisher;
  readonly token: string;
  readonly #hub: HubUnderTest;

  private constructor(hub: HubUnderTest, name: string, key: Publisher, token: string) {
    this.#hub = hub;
    this.name = name;
    this.key = key;
    this.token = token;
  }

  static async register(hub: HubUnderTest, name = freshName("publisher")): Promise<HubPublisher> {
    const key = new Publisher();
    const { token } = await addPublisher(hub.environment, name, key.pem);
    return new HubPublisher(hub, name, key, token);
  }

  /** Publishes a file that they have signed. */
  publish(file: Uint8Array, origin = this.#hub.origin): Promise<Answer> {
    const form = publishForm(file, this.key.sign(file));
    return request(origin, "POST", "/catalog/publish", { token: this.token, form });
  }

  /** Asks for what any token may read, and theirs, too. */
  get(place: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return request(this.#hub.origin, "GET", place, { token: this.token, headers });
  }

  request(method: string, place: string, options: Parameters<typeof request>[3] = {}): Promise<Answer> {
    return request(this.#hub.origin, method, place, { token: this.token, ...options });
  }
}

/** Names of all files that the hub keeps, those that are being written included. */
export function keptFiles(hub: HubUnderTest): string[] {
  return readdirSync(path.join(hub.storagePath, "files")).sort();
}
