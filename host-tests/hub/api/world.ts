/** A hub with data of every kind of caller, and a valid request for each row of the table of endpoints. */
import { createHash, randomUUID } from "node:crypto";
import { addPublisher, withPublishers } from "../../../hub/operator.js";
import { VARIANT_ARCHITECTURES } from "../../../protocol/file-kind.js";
import { type Role, SCOPES, type Scope } from "../../../protocol/hub/answers/team.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { writeTrapLines } from "../../../tools/trap-lines.js";
import { manifestOf, moduleOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { bundleOf, newSigner, type Signer, simulatorImage } from "../../unit/protocol/firmware/bundling.js";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { type Answer, type RequestOptions, request } from "../hosts/request.js";
import { withDatabase } from "../push/database-of.js";
import { screenshotsForm, smallPng } from "../store/screenshots.js";
import { heldDevice, madeAccount, registeredDevice, type TestAccount, type TestDevice } from "./people.js";

/** Every kind of caller. The requests concern the device and the account that holds it. */
export type Who = Stranger | TeamMember;

/** Callers with a token of the account's besides its own, or with one that has ended. */
export type TeamMember =
  | "viewer"
  | "operator"
  | "owner"
  | "reading program"
  | "ordering program"
  | "removed member"
  | "expired program";

export type Stranger =
  | "anonymous"
  | "garbage"
  | "device"
  | "other device"
  | "account"
  | "other account"
  | "publisher"
  | "other publisher"
  | "publisher of apps"
  | "revoked publisher";

export interface TestPublisher {
  readonly name: string;
  readonly token: string;
  readonly keys: Publisher;
}

/** Of a receiver that is not there. */
export const NEW_WEBHOOK = Object.freeze({ url: "https://hooks.invalid/", events: ["command.failed"] });

/** Of all worlds, of which a hub may have several. */
let versions = 0;

export class World {
  readonly hub: HubUnderTest;
  readonly device: TestDevice;
  /** That no account holds. */
  readonly otherDevice: TestDevice;
  readonly account: TestAccount;
  readonly publisher: TestPublisher;
  readonly otherPublisher: TestPublisher;
  /** Has no right to firmware. */
  readonly appPublisher: TestPublisher;
  readonly tokens: Readonly<Record<Who, string | undefined>>;
  readonly #module: Uint8Array;
  readonly #signer: Signer;

  private constructor(hub: HubUnderTest, people: People, module: Uint8Array, signer: Signer) {
    this.hub = hub;
    this.device = people.device;
    this.otherDevice = people.otherDevice;
    this.account = people.account;
    this.publisher = people.publisher;
    this.otherPublisher = people.otherPublisher;
    this.appPublisher = people.appPublisher;
    this.tokens = people.tokens;
    this.#module = module;
    this.#signer = signer;
  }

  static async make(hub: HubUnderTest): Promise<World> {
    const signer = newSigner();
    const world = new World(
      hub,
      await people(hub, signer),
      await moduleOf('(module (func (export "main")))'),
      signer,
    );
    await world.firmware();
    return world;
  }

  /** @param path below `/api/v1` */
  ask(
    token: string | undefined,
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    return request(this.hub.origin, method, path, { ...options, token });
  }

  /** An app of the publisher's that is in the catalogue. */
  async app(): Promise<string> {
    const name = newName();
    await this.#succeed("POST", "/catalog/publish", this.publisher.token, {
      form: this.package(this.publisher, name),
    });
    return name;
  }

  /** A form with a package of that name, in a version that is newer than any before. */
  package({ keys }: TestPublisher, name = newName()): FormData {
    const manifest = new TextEncoder().encode(
      JSON.stringify(manifestOf({ name, version: this.#nextVersion() })),
    );
    const bytes = writePackage({ manifest, module: this.#module, icon: blackIcon() });
    const form = new FormData();
    form.set("signature", keys.sign(bytes));
    form.set("package", new Blob([Uint8Array.from(bytes)]), `${name}.svcpkg`);
    return form;
  }

  /** A form with a module and its manifest. */
  moduleToCompile(): FormData {
    const form = new FormData();
    form.set("module", new Blob([Uint8Array.from(this.#module)]), "app.wasm");
    form.set("manifest", JSON.stringify(manifestOf()));
    return form;
  }

  /** A form with the lines of the version of the app that was published last. */
  async lines(name: string): Promise<FormData> {
    const { body } = await this.#succeed("GET", `/catalog/${name}`, this.publisher.token);
    const moduleSha256 = createHash("sha256").update(this.#module).digest("hex");
    const owner = { app: name, version: body.version, moduleSha256 };
    const form = new FormData();
    form.set("lines", new Blob([writeTrapLines(owner, [{ offset: 0, file: "main.c", line: 1 }])]), "lines");
    return form;
  }

  /** An app with lines. @returns its name */
  async appWithLines(): Promise<string> {
    const name = await this.app();
    const form = await this.lines(name);
    await this.#succeed("PUT", `/catalog/${name}/lines`, this.publisher.token, { form });
    return name;
  }

  /** An app with a screenshot. @returns its name */
  async appWithScreenshot(): Promise<string> {
    const name = await this.app();
    const form = screenshotsForm([smallPng()]);
    await this.#succeed("PUT", `/catalog/${name}/screenshots`, this.publisher.token, { form });
    return name;
  }

  /** Publishes firmware newer than any before. @returns its version */
  async firmware(): Promise<string> {
    const { version, form } = this.bundle();
    await this.#succeed("POST", "/firmware", this.publisher.token, { form });
    return version;
  }

  bundle(signer = this.#signer): { readonly version: string; readonly form: FormData } {
    const version = this.#nextVersion();
    const form = new FormData();
    const bundle = bundleOf(simulatorImage(100, { version }), { signer });
    form.set("bundle", new Blob([Uint8Array.from(bundle)]), "firmware.svcfw");
    return { version, form };
  }

  /** A command that waits for the device. @returns its id */
  async command(): Promise<string> {
    const path = `/devices/${this.device.deviceId}/apps/${newName()}`;
    return (await this.#succeed("DELETE", path, this.account.token)).body.command_id;
  }

  /** A rollout of the account, which never ends as its device is not connected. @returns its id */
  async rollout(): Promise<string> {
    const json = await this.rolloutRequest();
    return (await this.#succeed("POST", "/rollouts", this.account.token, { json })).body.rollout_id;
  }

  async rolloutRequest(): Promise<object> {
    return { kind: "app", app_id: await this.app() };
  }

  change(rolloutId: string, event: "pause"): Promise<Answer> {
    return this.#succeed("POST", `/rollouts/${rolloutId}/${event}`, this.account.token);
  }

  /** Themselves, or the publisher whose things are asked for. */
  publisherOf(who: Who): TestPublisher {
    if (who === "publisher of apps") return this.appPublisher;
    return who === "other publisher" ? this.otherPublisher : this.publisher;
  }

  /** A member of the account. @returns their id */
  async member(): Promise<string> {
    return (await addMember(this.hub, this.account.token, "viewer")).id;
  }

  /** A program of the account. @returns the id of its token */
  async program(): Promise<string> {
    return (await addProgram(this.hub, this.account.token, ["read"])).id;
  }

  /** A webhook of the account. @returns its id */
  async webhook(): Promise<string> {
    await this.removeWebhooks();
    return (await this.#succeed("POST", "/account/webhooks", this.account.token, { json: NEW_WEBHOOK })).body
      .webhook_id;
  }

  /** Of the account, which may have few of them, with the tests that were counted. */
  async removeWebhooks(): Promise<void> {
    await withDatabase(this.hub, async (database) => {
      await database.deleteFrom("webhooks").where("account_id", "=", this.account.accountId).execute();
      await database.deleteFrom("rate_limits").where("key", "like", "webhook test %").execute();
    });
  }

  /** A crash of an app with lines on the device. @returns its `event_id` */
  async crash(): Promise<string> {
    const { accountId } = this.account;
    return addCrash(this.hub, {
      accountId,
      deviceId: this.device.deviceId,
      app: await this.appWithLines(),
    });
  }

  /** A group of the account. @returns its id */
  async group(): Promise<string> {
    return addGroup(this.hub, this.account.token);
  }

  /** Another device of the account's. @returns its id */
  async otherHeldDevice(): Promise<string> {
    return (await heldDevice(this.hub, this.account)).deviceId;
  }

  async #succeed(method: string, path: string, token: string, options?: RequestOptions): Promise<Answer> {
    const answer = await this.ask(token, method, path, options);
    if (answer.status < 300) return answer;
    throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer.body)}`);
  }

  #nextVersion(): string {
    versions += 1;
    return `1.0.${versions}`;
  }
}

/** 32x32 pixels of 24 bits, as Windows writes them. */
function blackIcon(): Uint8Array {
  const sizeBytes = 54 + 32 * 32 * 3;
  const icon = Buffer.alloc(sizeBytes);
  icon.write("BM", "latin1");
  icon.writeUInt32LE(sizeBytes, 2);
  icon.writeUInt32LE(54, 10);
  icon.writeUInt32LE(40, 14);
  icon.writeInt32LE(32, 18);
  icon.writeInt32LE(32, 22);
  icon.writeUInt16LE(1, 26);
  icon.writeUInt16LE(24, 28);
  icon.writeUInt32LE(sizeBytes - 54, 34);
  return icon;
}

export function newName(): string {
  return `app-${randomUUID().slice(0, 13)}`;
}

type People = Pick<
  World,
  "device" | "otherDevice" | "account" | "publisher" | "otherPublisher" | "appPublisher" | "tokens"
>;

/** @param signer of firmware, whose key both publishers have */
async function people(hub: HubUnderTest, signer: Signer): Promise<People> {
  const [account, otherAccount] = [await madeAccount(hub), await madeAccount(hub)];
  const device = await heldDevice(hub, account);
  const otherDevice = await registeredDevice(hub);
  const publisher = await madePublisher(hub, signer);
  const otherPublisher = await madePublisher(hub, signer);
  const appPublisher = await madePublisher(hub, signer, []);
  const revoked = await madePublisher(hub, signer);
  await withPublishers(hub.environment, (publishers) => publishers.revoke(revoked.name));
  const { token } = account;
  const memberOf = async (role: Role) => (await addMember(hub, token, role)).token;
  const programOf = async (...scopes: Scope[]) => (await addProgram(hub, token, scopes)).token;
  const removed = await addMember(hub, token, "owner");
  await request(hub.origin, "DELETE", `/account/members/${removed.id}`, { token });
  const expired = await addProgram(hub, token, [...SCOPES]);
  await withDatabase(hub, (database) =>
    database.updateTable("account_tokens").set({ expires_at: 1 }).where("id", "=", expired.id).execute(),
  );
  const tokens = {
    viewer: await memberOf("viewer"),
    operator: await memberOf("operator"),
    owner: await memberOf("owner"),
    "reading program": await programOf("read"),
    "ordering program": await programOf("orders"),
    "removed member": removed.token,
    "expired program": expired.token,
    anonymous: undefined,
    garbage: "svca_no-token-of-anybody",
    device: device.token,
    "other device": otherDevice.token,
    account: account.token,
    "other account": otherAccount.token,
    publisher: publisher.token,
    "other publisher": otherPublisher.token,
    "publisher of apps": appPublisher.token,
    "revoked publisher": revoked.token,
  };
  // An account without a device has no target for a rollout.
  await heldDevice(hub, otherAccount);
  return { device, otherDevice, account, publisher, otherPublisher, appPublisher, tokens };
}

export interface TeamToken {
  readonly id: string;
  readonly token: string;
}

/** @param token of the account */
export async function addMember(hub: HubUnderTest, token: string, role: Role): Promise<TeamToken> {
  const json = { name: `${role} ${randomUUID()}`, role };
  const { status, body } = await request(hub.origin, "POST", "/account/members", { token, json });
  if (status !== 201) throw new Error(`Cannot add a member: ${JSON.stringify(body)}`);
  return { id: body.member_id, token: body.token };
}

/** @param token of the account. @returns the group's id */
export async function addGroup(hub: HubUnderTest, token: string): Promise<string> {
  const json = { name: newName(), filter: { tag: "shop" } };
  const { status, body } = await request(hub.origin, "POST", "/account/groups", { token, json });
  if (status !== 201) throw new Error(`Cannot add a group: ${JSON.stringify(body)}`);
  return body.group_id;
}

/** A crash of an app on a device of the account. @returns its `event_id` */
export function addCrash(
  hub: HubUnderTest,
  {
    deviceId,
    accountId,
    app,
  }: { readonly deviceId: string; readonly accountId: string; readonly app: string },
): Promise<string> {
  return withDatabase(hub, async (database) => {
    const { version } = await database
      .selectFrom("apps")
      .select("version")
      .where("id", "=", app)
      .executeTakeFirstOrThrow();
    const message = `"${app}" ended: trap: unreachable in main@1`;
    const { position } = await database
      .insertInto("device_events")
      .values({
        device_id: deviceId,
        account_id: accountId,
        at: Date.now(),
        kind: "crashed",
        connection: 0,
        command_id: null,
        details: JSON.stringify({ app_id: app, version, message }),
      })
      .returning("position")
      .executeTakeFirstOrThrow();
    return String(position);
  });
}

/** @param token of the account */
export async function addProgram(
  hub: HubUnderTest,
  token: string,
  scopes: readonly Scope[],
): Promise<TeamToken> {
  const json = { name: `program ${randomUUID()}`, scopes };
  const { status, body } = await request(hub.origin, "POST", "/account/tokens", { token, json });
  if (status !== 201) throw new Error(`Cannot make a token: ${JSON.stringify(body)}`);
  return { id: body.token_id, token: body.token };
}

/** @param firmware architectures that they may bring firmware for */
export async function madePublisher(
  hub: HubUnderTest,
  signer?: Signer,
  firmware: readonly string[] = VARIANT_ARCHITECTURES,
): Promise<TestPublisher> {
  const name = `publisher ${randomUUID()}`;
  const keys = new Publisher();
  const { token } = await addPublisher(hub.environment, name, keys.pem, undefined, firmware);
  if (signer) await withPublishers(hub.environment, (publishers) => publishers.keys.add(name, pemOf(signer)));
  return { name, token, keys };
}

/** RFC 8410 §4: the head of every Ed25519 key. */
export function pemOf({ publicKey }: Signer): string {
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), publicKey]);
  return `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
}
