/** `svc app dev`: runs an app on a console, and again on each save. */
import type { KeyObject } from "node:crypto";
import type { Device } from "../../device-client/device.js";
import type { LinkState } from "../../device-client/link-state.js";
import type { BuiltApp } from "../../sdk/builder/build-app.js";
import { signatureOf } from "../../sdk/publisher-keys.js";
import { AppLog, saysEnded } from "../apps/app-log.js";
import { BackgroundBuild } from "../apps/background-build.js";
import { DevLoop, type SignedApp } from "../apps/dev-loop.js";
import { DevReport } from "../apps/dev-report.js";
import { SourceWatch } from "../apps/source-watch.js";
import type { Call, Command } from "../command.js";
import { signerAdvice } from "../console/unknown-signer.js";
import { codeOf, loadClient } from "../device/client.js";
import { noteHeldPort } from "../device/held-ports.js";
import { reading } from "../files.js";
import { KEY_OPTION, type SigningKey, signingKey } from "../key-files.js";

export const appDev: Command = Object.freeze<Command>({
  name: "app dev",
  summary: "Build, install and run an app, show its log, and repeat on each save.",
  parameters: [{ name: "DIR", summary: "directory of the app", isFile: true }],
  options: [
    KEY_OPTION,
    { name: "browser", summary: "run the app in a page of this computer's browser, without a console" },
    { name: "port", value: "PORT", summary: "port of that page; default: 8090; 0: any free one" },
  ],
  isForConsole: true,
  notes: [
    "With --browser, open the printed address; each save runs the app anew there, and its log comes here. It needs no key.",
    "Stop with Ctrl-C; the app stays on the console. While the console restarts or is disconnected, svc waits for it.",
  ],
  run: develop,
});

async function develop(call: Call): Promise<undefined> {
  if (call.flags.has("browser")) {
    const { developInBrowser } = await import("./app-dev-browser.js");
    return developInBrowser(call);
  }
  const { DIR: directory = "", key: keyFile } = call.values;
  const signing = await signingKey(keyFile);
  const builder = new BackgroundBuild();
  call.defer(() => builder.close());
  const over = new AbortController();
  call.defer(() => over.abort()); // before the build is cancelled, even if no console was found
  const report = new DevReport(call.output);
  const target = new Target(call, report);
  const log = new AppLog((line) => {
    report.log(line);
    if (saysEnded(line)) loop.ended();
  });
  const loop = new DevLoop({
    signal: AbortSignal.any([call.signal, over.signal]),
    build: async (savedAt) => signed(await builder.build(directory), signing.key, savedAt),
    onBuilt: (app) => report.built(app),
    onInstalled: (app) => {
      target.app = app.name;
      report.installed(app);
    },
    onStarting(app, uptimeMs) {
      log.name = app.name;
      report.starting(app);
      log.begin(uptimeMs);
    },
    onStarted: (app, isAgain) => report.started(app, isAgain),
    onStartDone: (uptimeMs) => log.until(uptimeMs),
    onFailed: (stage, error) => report.failed(stage, advised(error, directory, signing)),
  });
  const watch = await reading(
    directory,
    async () => new SourceWatch(directory, (savedAt) => loop.saved(savedAt)),
  );
  call.defer(() => watch.close());
  loop.saved(performance.now());
  const running = loop.run(); // builds while svc searches for the console
  const link = await target.follow(
    (device) => loop.reach(device),
    (line) => log.push(line),
  );
  const error = await Promise.race([running, link.ended]);
  if (error) throw error;
  return undefined;
}

function signed(
  { manifest: { name, version }, package: file, lines }: BuiltApp,
  key: KeyObject,
  savedAt: number,
): SignedApp {
  return { name, version, file, signature: signatureOf(file, key), lines, savedAt };
}

/** The connection to the console, which survives its restarts. */
class Target {
  #call;
  #report;
  #name = "";
  #isReady = false;
  /** Name of the last installed app. */
  app = "";

  constructor(call: Call, report: DevReport) {
    this.#call = call;
    this.#report = report;
  }

  /**
   * Returns when the console is reached for the first time.
   * @param onLine called once for each log line
   */
  async follow(onDevice: (device: Device | undefined) => void, onLine: (line: string) => void) {
    const [{ DeviceLink }, { open, address }] = await Promise.all([loadClient(), this.#call.way()]);
    const link = new DeviceLink({
      open,
      onLine,
      onState: (state) => {
        onDevice(state.phase === "ready" ? state.device : undefined);
        this.#showState(state, address);
      },
    });
    this.#call.defer(() => this.#leave(link));
    await link.start();
    return link;
  }

  #showState(state: LinkState, address: string): void {
    if (state.phase === "ready") {
      this.#name = state.system.name;
      this.#report.ready(this.#name, address);
      void noteHeldPort(address, this.#name); // also where the user has named the port
    } else if (state.phase === "waiting" && this.#isReady) this.#report.away(this.#name, state.error);
    this.#isReady = state.phase === "ready";
  }

  async #leave(link: { close(): Promise<void> }): Promise<void> {
    if (this.app !== "") this.#call.output.note(`${this.app} stays installed on ${this.#name}`);
    await link.close();
  }
}

function advised(error: unknown, directory: string, signing: SigningKey) {
  const advice = adviceOn(codeOf(error), directory, signing);
  return advice === undefined ? error : Object.assign(Object(error), { advice });
}

function adviceOn(code: string | undefined, directory: string, signing: SigningKey): string | undefined {
  if (code === "signature_invalid")
    return signerAdvice("The app", signing, `svc app dev ${directory} --key PEM`);
  if (code === "version_older")
    return "To install the older version, run `svc uninstall NAME` first; this deletes the app's stored data.";
  return undefined;
}
