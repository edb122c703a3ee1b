/**
 * A console whose firmware is updated: its services for one run, over an emulated storage that outlives it. What
 * a run is, its image says: the version in the header, and the program is JSON of what else the firmware brings.
 */
import { createPublicKey, type KeyObject } from "node:crypto";
import type { Directory } from "../../../../device/ports/files.js";
import type { FirmwareSlots } from "../../../../device/ports/firmware-slots.js";
import type { System } from "../../../../device/ports/system.js";
import { type Call, Parameters } from "../../../../device/services/api/call.js";
import type { Services } from "../../../../device/services/api/endpoint.js";
import { ENDPOINTS } from "../../../../device/services/api/endpoints.js";
import type { Answer, Transport } from "../../../../device/services/api/request.js";
import { readConfig } from "../../../../device/services/config/read-config.js";
import type { FirmwareFacts } from "../../../../device/services/firmware/firmware-facts.js";
import {
  type FirmwareServices,
  firmwareServices,
} from "../../../../device/services/firmware/firmware-services.js";
import type { HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { Restart } from "../../../../device/services/restart/restart.js";
import { Scheduler } from "../../../../device/services/scheduler/scheduler.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { Revocations, RevocationsUpload } from "../../../../device/services/trust/revocations.js";
import { TrustedKeysFile } from "../../../../device/services/trust/trusted-keys-file.js";
import { Uploads } from "../../../../device/services/upload/uploads.js";
import { Fault } from "../../../../protocol/fault.js";
import type { Timer } from "../../../../protocol/ports/runtime.js";
import { writeImage } from "../../../../tools/image.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import type { RunEnd } from "../../../hosts/emulated-slots.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import {
  type EmulatedSystem,
  emulatedRetainedMemory,
  emulatedSystem,
} from "../../../hosts/emulated-system.js";
import { NodeCrc32, nodeBase64, nodeMemory, nodeSignatures } from "../../../hosts/node-bytes.js";
import { bundleOf, SIGNER, type Signer } from "../../protocol/firmware/bundling.js";
import { trust } from "../apps/emulated-installer.js";

export const OLD_VERSION = "0.1.0";
const BOARD = Object.freeze({ board: "simulator", architecture: "native" } as const);

export interface ImageFields {
  readonly version?: string;
  readonly board?: string;
  readonly architecture?: string;
  /** PEM, which it brings line by line. */
  readonly trustedKeys?: string;
  /** List of revoked keys that it carries. */
  readonly revocations?: Uint8Array;
  readonly securityVersion?: number;
  /** Of the program, which is filled up. */
  readonly programBytes?: number;
}

/** Firmware whose facts `runOf` reads. */
export function imageOf(fields: ImageFields = {}): Uint8Array {
  const { trustedKeys, revocations: list, programBytes = 0, ...header } = fields;
  const lines = trustedKeys?.split(/(?<=\n)/);
  const revocations = list && [Buffer.from(list).toString("base64")];
  const program = JSON.stringify({ trustedKeys: lines, revocations }).padEnd(programBytes);
  return Uint8Array.from(writeImage({ program, version: "0.2.0", ...BOARD, ...header }));
}

/** A bundle of such firmware, signed by whom consoles trust. */
export function bundled(fields: ImageFields = {}): Uint8Array {
  return bundleOf(imageOf(fields));
}

export function pemOf({ privateKey }: Signer): string {
  return createPublicKey(privateKey as KeyObject)
    .export({ type: "spki", format: "pem" })
    .toString();
}

/** A console as it leaves the factory: old firmware, started once, that trusts the usual signer. */
export function flashedStorage(
  options: ConstructorParameters<typeof EmulatedStorage>[0] = {},
): EmulatedStorage {
  const storage = new EmulatedStorage({ slotBytes: 64 * 1024, ...options });
  storage.bootLoader.flash(imageOf({ version: OLD_VERSION }));
  storage.bootLoader.boot("power_on");
  trust(storage, pemOf(SIGNER));
  return storage;
}

export interface RunOptions {
  /** How long after the boot the services start. */
  readonly uptimeMs?: number;
  readonly config?: Record<string, string>;
  readonly system?: Partial<System>;
  /** Ports that fail where the test needs it; by default those of the storage. */
  readonly slots?: FirmwareSlots;
  readonly files?: Directory;
  readonly heap?: HeapAdmission;
  /** For work in slices: left out, the next slice comes in the next turn of Node's event loop. */
  readonly onTurn?: (callback: () => void) => void;
}

export interface Sent {
  /** Left out: `/api/ota/upload`. */
  readonly path?: "/api/ota/upload" | "/upload" | "/api/keys/revocations";
  readonly transport?: Transport;
  readonly parameters?: Record<string, string | number | boolean>;
  readonly body: Uint8Array;
  /** Left out: that of the body; `null`: not known. */
  readonly bodyByteLength?: number | null;
  readonly pieceBytes?: number;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly answer?: Answer;
}

/** One run of a console, from its start on. */
export class Run implements FirmwareServices {
  readonly storage: EmulatedStorage;
  readonly clock: EmulatedClock;
  readonly log: LogService;
  readonly settings: Settings;
  readonly system: EmulatedSystem;
  readonly restart: Restart;
  readonly uploads: Uploads;
  /** What would be `status` events. */
  changeCount = 0;
  /** A further listener to changes. */
  onOtaChange: (() => void) | undefined;
  readonly ota: FirmwareServices["ota"];
  readonly firmwareUpload: FirmwareServices["firmwareUpload"];
  readonly firmwareFlash: FirmwareServices["firmwareFlash"];
  readonly receiveFirmware: FirmwareServices["receiveFirmware"];
  readonly revocations: Revocations;
  readonly revocationsUpload: RevocationsUpload;
  /** Settles once the list that the firmware carries has been looked at. */
  offered: Promise<void> = Promise.resolve();

  /** @param storage which the boot loader has started */
  constructor(storage: EmulatedStorage, options: RunOptions = {}) {
    const clock = new EmulatedClock(options.uptimeMs);
    this.clock = clock;
    this.storage = storage;
    this.log = new LogService({
      clock,
      level: "info",
      retained: emulatedRetainedMemory(),
      buffer: new Uint8Array(32768),
    });
    this.settings = new Settings(storage.keyValue);
    this.system = emulatedSystem({ ...BOARD, ...options.system });
    this.restart = new Restart(this.system, this.log.loggerFor("boot"));
    const ports = { memory: nodeMemory, Crc32: NodeCrc32, ...nodeSignatures, base64: nodeBase64 };
    this.uploads = new Uploads({ ...ports, clock, timer: clock, log: this.log.loggerFor("upload") });
    const timer = timerOver(clock, options.onTurn);
    const scheduler = new Scheduler(timer);
    const files = options.files ?? storage.files;
    const logger = this.log.loggerFor("ota");
    const trustedKeys = new TrustedKeysFile({ ...ports, files, scheduler, logger });
    this.revocations = new Revocations({
      ...ports,
      trustedKeys,
      logger,
      settings: this.settings,
      onChange: () => this.ota.revocationsChanged(),
    });
    this.revocationsUpload = new RevocationsUpload(this.revocations, nodeMemory);
    const firmware = factsOf(storage);
    const services = firmwareServices({
      ...ports,
      files,
      scheduler,
      timer,
      logger,
      trustedKeys,
      onSettled: () => {
        this.offered = this.revocations.offer(firmware.revocations);
      },
      config: readConfig(options.config ?? {}),
      heap: options.heap,
      firmware,
      slots: options.slots ?? storage.slots,
      system: this.system,
      settings: this.settings,
      restart: this.restart,
      clock,
      onChange: () => this.#changed(),
    });
    this.ota = services.ota;
    this.firmwareUpload = services.firmwareUpload;
    this.firmwareFlash = services.firmwareFlash;
    this.receiveFirmware = services.receiveFirmware;
  }

  /** The next run. This one is stopped. */
  reboot(why: RunEnd = "software", options: RunOptions = {}): Run {
    this.storage.restart();
    this.storage.bootLoader.boot(why);
    return new Run(this.storage, options);
  }

  /** A whole request, and its answer as the dispatcher makes it. */
  async send(sent: Sent): Promise<Reply> {
    try {
      const answer = await this.deliver(sent).end();
      return { status: answer.status, body: "body" in answer ? answer.body : undefined, answer };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { status: error.status, body: error.toBody() };
    }
  }

  /** A request up to the end of its body. @throws {Fault} a rejection before that */
  deliver(sent: Sent) {
    const { body, pieceBytes = 1000 } = sent;
    const exchange = this.#open(sent);
    try {
      for (let at = 0; at < body.length; at += pieceBytes) exchange.write(body.subarray(at, at + pieceBytes));
    } catch (error) {
      exchange.abort();
      throw error;
    }
    return exchange;
  }

  /** The whole bundle in one request. */
  upload(body: Uint8Array, sent: Partial<Sent> = {}): Promise<Reply> {
    return this.send({ transport: "http", body, ...sent });
  }

  /** The bundle in chunks, over USB; the last reply, or the first that is neither 200 nor 206. */
  async uploadInChunks(
    body: Uint8Array,
    { chunkBytes = 1024, parameters = {} }: { chunkBytes?: number; parameters?: Sent["parameters"] } = {},
  ): Promise<Reply> {
    const total = Math.ceil(body.length / chunkBytes);
    for (let chunk = 1; ; chunk++) {
      const piece = body.subarray((chunk - 1) * chunkBytes, chunk * chunkBytes);
      const reply = await this.send({ parameters: { ...parameters, chunk, total }, body: piece });
      if (chunk === total || reply.status !== 206) return reply;
    }
  }

  #changed(): void {
    this.changeCount++;
    this.onOtaChange?.();
  }

  #open({ path = "/api/ota/upload", transport = "usb", parameters = {}, body, bodyByteLength }: Sent) {
    const endpoint = ENDPOINTS.find((row) => row.path === path && row.method === "POST");
    if (!endpoint || !("receive" in endpoint)) throw new Error(`There is no upload at "${path}"`);
    const texts = new Map(Object.entries(parameters).map(([name, value]) => [name, `${value}`]));
    const length = bodyByteLength === null ? undefined : (bodyByteLength ?? body.length);
    const isOwner = transport === "usb";
    const request = { transport, isOwner, method: "POST", path, parameters: texts, bodyByteLength: length };
    const call: Call = { request, parameters: new Parameters(endpoint.parameters ?? [], texts) };
    return endpoint.receive(this as unknown as Services, call);
  }
}

/** A port of which some methods are others. */
export function withFailing<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const own = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** What an upload that came to nothing has left as it was. */
export function slotsOf({ storage: { bootLoader } }: Run) {
  const { confirmed, phase, trials } = bootLoader.record;
  return {
    confirmed,
    phase,
    trials,
    a: Buffer.from(bootLoader.content("a")).toString("base64"),
    b: Buffer.from(bootLoader.content("b")).toString("base64"),
  };
}

/** The text of a file, `undefined` without one. */
export function readText(storage: EmulatedStorage, path: string): string | undefined {
  const names = [...storage.files.scan("hub")];
  if (!names.includes(path.slice("hub/".length))) return undefined;
  const file = storage.files.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  return new TextDecoder().decode(bytes);
}

function factsOf({ bootLoader }: EmulatedStorage): FirmwareFacts {
  const image = Buffer.from(bootLoader.content(bootLoader.running));
  const version = image.toString("latin1", 16, 48).replace(/\0+$/, "");
  const facts = JSON.parse(image.toString("utf8", 128)) as Partial<FirmwareFacts>;
  return { version, codename: "Test", ...facts };
}

/** Slices of work run in turns of the event loop, and everything else when the clock advances. */
function timerOver(clock: EmulatedClock, onTurn: (callback: () => void) => void = setImmediate): Timer {
  return {
    set: (callback, milliseconds) => {
      if (milliseconds > 0) return clock.set(callback, milliseconds);
      onTurn(callback);
      return {};
    },
    repeat: (callback, milliseconds) => clock.repeat(callback, milliseconds),
    clear: (timer) => clock.clear(timer),
  };
}
