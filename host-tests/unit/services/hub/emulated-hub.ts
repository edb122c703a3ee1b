/** A console's side of the hub over an emulated storage, with a link and downloads that the test controls. */
import { setImmediate as turn } from "node:timers/promises";
import type { DownloadHandle } from "../../../../device/services/hub/file-source.js";
import { HubService, type HubServiceOptions } from "../../../../device/services/hub/hub-service.js";
import type { Link } from "../../../../device/services/hub/hub-session.js";
import type { DownloadFacts, DownloadOptions } from "../../../../hub-client/download.js";
import type { HubLinkOptions } from "../../../../hub-client/hub-link.js";
import type { Updates } from "../../../../protocol/device/answers.js";
import { Fault } from "../../../../protocol/fault.js";
import type { DeviceMessage, HubMessage } from "../../../../protocol/hub/push-messages.js";
import type { PublisherTexts } from "../../../../protocol/signature/statements.js";
import { NodeDigest, nodeBase64, nodeRandom, nodeSignatures } from "../../../hosts/node-bytes.js";
import { Run, type RunOptions } from "../firmware/emulated-update.js";

export const HUB = "http://192.0.2.1:8080";

/** Of every run. */
export const BOOT = 0xb007;

/** Over the cable, or with the bearer token. */
export const OWNER = Object.freeze({ asker: { isOwner: true } });

/** What stands for the hub at the other end. */
export class SampleLink implements Link {
  readonly options: HubLinkOptions;
  isOpen = false;
  isClosed = false;
  /** Whether it takes messages while it is open. */
  isStuck = false;
  readonly sent: DeviceMessage[] = [];
  registrations = 0;
  retries = 0;

  constructor(options: HubLinkOptions) {
    this.options = options;
  }

  send(message: DeviceMessage): boolean {
    if (!this.isOpen || this.isStuck) return false;
    this.sent.push(message);
    return true;
  }

  sendPieces(nextPiece: () => string | undefined): boolean {
    let text = "";
    for (let piece = nextPiece(); piece !== undefined; piece = nextPiece()) text += piece;
    return this.send(JSON.parse(text));
  }

  retryNow(): void {
    this.retries++;
  }

  registerAgain(): void {
    this.registrations++;
  }

  close(): void {
    this.isClosed = true;
    this.isOpen = false;
  }

  open(): void {
    this.isOpen = true;
    this.options.onOpen();
  }

  lose(): void {
    this.isOpen = false;
    this.options.onClosed(new Fault("hub_unreachable", "it is gone"));
  }

  /** What was sent but the regular reports, and forgets it. */
  takeResults(): DeviceMessage[] {
    return this.sent.splice(0).filter(({ type }) => !type.startsWith("device."));
  }
}

/** A file by its address, or the fault in its place. */
export type SampleFile =
  | { readonly bytes: Uint8Array; readonly signature?: string; readonly publisher?: PublisherTexts }
  | Fault;

export interface SampleHub {
  readonly files: Map<string, SampleFile>;
  /** Addresses that were asked for. */
  readonly asked: string[];
  /** Addresses whose downloads were closed, complete or not. */
  readonly closed: string[];
  /** Downloads wait for it. */
  gate: Promise<unknown>;
}

export const sampleHub = (): SampleHub => ({
  files: new Map(),
  asked: [],
  closed: [],
  gate: Promise.resolve(),
});

function downloadsFrom(hub: SampleHub) {
  return class implements DownloadHandle {
    readonly finished: Promise<DownloadFacts>;
    readonly isSlow = false;
    readonly #url: string;
    #isClosed = false;

    constructor(options: DownloadOptions) {
      this.#url = options.url;
      hub.asked.push(options.url);
      this.finished = this.#deliver(options);
    }

    async #deliver({ url, onHead, onBytes }: DownloadOptions): Promise<DownloadFacts> {
      await hub.gate;
      const file = hub.files.get(url) ?? new Fault("hub_unreachable", "no answer");
      if (file instanceof Fault) throw file;
      const { signature, publisher } = file;
      const facts = { sizeBytes: file.bytes.length, sha256: undefined, signature, publisher };
      onHead?.(facts);
      for (let at = 0; at < file.bytes.length; at += 500) {
        if (this.#isClosed) throw new Fault("download_failed", "It was closed");
        onBytes(file.bytes.subarray(at, at + 500));
      }
      return facts;
    }

    close(): void {
      if (!this.#isClosed) hub.closed.push(this.#url);
      this.#isClosed = true;
    }
  };
}

export interface HubRunOptions extends RunOptions {
  readonly hub?: SampleHub;
  readonly isAutomatic?: boolean;
  /** Goes before {@link isAutomatic}. */
  readonly updates?: Updates;
  readonly isSafeMode?: boolean;
  readonly hostUrl?: string;
  readonly resetReason?: HubServiceOptions["resetReason"];
  readonly isOwnPort?: HubServiceOptions["ports"]["isOwnPort"];
  readonly revocations?: HubServiceOptions["revocations"];
  readonly trustedKeys?: HubServiceOptions["signatures"]["trustedKeys"];
  readonly apps?: HubServiceOptions["apps"];
  readonly installer?: HubServiceOptions["installer"];
}

export const NO_APPS: HubServiceOptions["apps"] = {
  has: () => false,
  uninstall: async () => {},
  nameAfter: () => undefined,
  deviceApp: (name) => ({ name, version: "1.0.0", size: 1, running: false }),
};
const NO_REVOCATIONS: HubServiceOptions["revocations"] = {
  accept: () => Promise.reject(new Error("No keys are revoked here")),
};
/** No key is trusted. */
const TRUSTED: HubServiceOptions["signatures"]["trustedKeys"] = { find: async () => undefined };
const NO_INSTALLER: HubServiceOptions["installer"] = {
  appLimitBytes: 0,
  begin: () => {
    throw new Error("Nothing is installed here");
  },
};

/** One run of a console, with its hub. */
export class HubRun extends Run {
  readonly at: SampleHub;
  readonly links: SampleLink[] = [];
  readonly hub: HubService;
  /** What the user has chosen. */
  updates: Updates;
  /** How often the console was told of other questions. */
  questionChanges = 0;
  /** How often the hub's state was reported as changed. */
  changes = 0;

  constructor(storage: ConstructorParameters<typeof Run>[0], options: HubRunOptions = {}) {
    super(storage, options);
    const { apps = NO_APPS, installer = NO_INSTALLER, isAutomatic = false } = options;
    this.updates = options.updates ?? (isAutomatic ? "automatic" : "ask");
    this.at = options.hub ?? sampleHub();
    const { links } = this;
    this.hub = new HubService({
      apps,
      installer,
      updates: () => this.updates,
      onQuestions: () => this.questionChanges++,
      ota: this.ota,
      settings: this.settings,
      uploads: this.uploads,
      onChange: () => {
        this.changes++;
      },
      Download: downloadsFrom(this.at),
      Link: class extends SampleLink {
        constructor(linkOptions: HubLinkOptions) {
          super(linkOptions);
          links.push(this);
        }
      },
      ports: {
        timer: this.clock,
        clock: this.clock,
        random: nodeRandom,
        Digest: NodeDigest,
        base64: nodeBase64,
        isOwnPort: options.isOwnPort,
      } as unknown as HubServiceOptions["ports"],
      ...(options.heap && { heap: options.heap }),
      isSafeMode: options.isSafeMode ?? false,
      hostUrl: options.hostUrl,
      resetReason: options.resetReason ?? "software",
      boot: BOOT,
      logger: this.log.loggerFor("hub"),
      receiveFirmware: (start) => this.receiveFirmware(start),
      identity: () => ({
        mac: "02:00:00:00:1A:2B",
        name: "Console-1A2B",
        arch: "native",
        firmwareVersion: "0.1.0",
      }),
      revocations: options.revocations ?? NO_REVOCATIONS,
      signatures: { ...nodeSignatures, trustedKeys: options.trustedKeys ?? TRUSTED },
      deviceStatus: () => ({ firmware_version: "0.1.0", free_heap_bytes: 1, running_apps: [], wifi_rssi: 0 }),
    });
    this.onOtaChange = () => this.hub.followUpdate();
  }

  /** The link of the hub that is set. */
  get link(): SampleLink {
    const link = this.links.at(-1);
    if (!link) throw new Error("No hub is set");
    return link;
  }

  /** Sets the hub, and is connected. */
  connect(url = HUB): this {
    this.hub.set(url, OWNER);
    this.link.open();
    return this;
  }

  /** Sends the hub's message, and returns the console's messages once it is idle. */
  async say(message: HubMessage): Promise<DeviceMessage[]> {
    this.link.options.onMessage(message);
    return this.settle();
  }

  /** The console's messages to its hub once it is idle, without time passing. */
  async settle(): Promise<DeviceMessage[]> {
    for (let round = 0; round < 50; round++) {
      this.clock.advance(0);
      await turn();
    }
    return this.link.takeResults();
  }

  /** The next run, with the same hub at the other end, connected. */
  again(why: Parameters<Run["reboot"]>[0] = "software", options: HubRunOptions = {}): HubRun {
    this.storage.restart();
    this.storage.bootLoader.boot(why);
    const run = new HubRun(this.storage, { hub: this.at, ...options });
    if (run.links.length > 0) run.link.open();
    return run;
  }
}
