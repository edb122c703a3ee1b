/** `svc app dev`: runs an app on a console, and again on each save. */
import { signatureOf } from "../../sdk/builder/signature.js";
import { AppLog, saysEnded } from "../apps/app-log.js";
import { BackgroundBuild } from "../apps/background-build.js";
import { DevLoop } from "../apps/dev-loop.js";
import { DevReport } from "../apps/dev-report.js";
import { KEY_OPTION, signingKey } from "../apps/signing-key.js";
import { SourceWatch } from "../apps/source-watch.js";
import { signerAdvice } from "../console/unknown-signer.js";
import { codeOf, loadClient } from "../device/client.js";
import { reading } from "../files.js";

/** @typedef {import("../command.js").Call} Call */
/** @typedef {import("../apps/dev-loop.js").SignedApp} SignedApp */
/** @typedef {import("../../device-client/link-state.ts").LinkState} LinkState */

/** @type {import("../command.js").Command} */
export const appDev = Object.freeze({
  name: "app dev",
  summary: "Builds, installs and starts an app, shows its log, and does so again on each save.",
  parameters: [{ name: "DIR", summary: "directory of the app", isFile: true }],
  options: [KEY_OPTION],
  isForConsole: true,
  notes: ["Ctrl-C ends it; the app stays on the console. A console that restarts or is away is waited for."],
  run: develop,
});

/** @param {Call} call */
async function develop(call) {
  const { DIR: directory = "", key: keyFile } = call.values;
  const signing = await signingKey(keyFile);
  const builder = new BackgroundBuild();
  call.defer(() => builder.close());
  const over = new AbortController();
  call.defer(() => over.abort()); // also where the console was never found: before the build is given up
  const report = new DevReport(call.output);
  const place = new Place(call, report);
  const log = new AppLog((line) => {
    report.log(line);
    if (saysEnded(line)) loop.ended();
  });
  const loop = new DevLoop({
    signal: AbortSignal.any([call.signal, over.signal]),
    build: async (savedAt) => signed(await builder.build(directory), signing.key, savedAt),
    onBuilt: (app) => report.built(app),
    onInstalled: (app) => {
      place.app = app.name;
      report.installed(app);
    },
    onStarting(app, uptimeMs) {
      log.name = app.name;
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
  const running = loop.run(); // it is built while the console is looked for
  const link = await place.follow(
    (device) => loop.reach(device),
    (line) => log.push(line),
  );
  const error = await Promise.race([running, link.ended]);
  if (error) throw error;
  return undefined;
}

/**
 * @param {import("../../sdk/builder/build-app.js").BuiltApp} app
 * @param {import("node:crypto").KeyObject} key
 * @param {number} savedAt
 * @returns {SignedApp}
 */
function signed({ manifest: { name, version }, package: file }, key, savedAt) {
  return { name, version, file, signature: signatureOf(file, key), savedAt };
}

/** The console, which comes and goes. */
class Place {
  #call;
  #report;
  #name = "";
  #isReady = false;
  /** What was installed there last. */
  app = "";

  /** @param {Call} call @param {DevReport} report */
  constructor(call, report) {
    this.#call = call;
    this.#report = report;
  }

  /**
   * Returns once it is reached for the first time.
   *
   * @param {(device: import("../../device-client/device.ts").Device | undefined) => void} onDevice
   * @param {(line: string) => void} onLine of its log, each once
   */
  async follow(onDevice, onLine) {
    const [{ DeviceLink }, { open, address }] = await Promise.all([loadClient(), this.#call.way()]);
    const link = new DeviceLink({
      open,
      onLine,
      onState: (state) => {
        onDevice(state.phase === "ready" ? state.device : undefined);
        this.#tell(state, address);
      },
    });
    this.#call.defer(() => this.#leave(link));
    await link.start();
    return link;
  }

  /** @param {LinkState} state @param {string} address */
  #tell(state, address) {
    if (state.phase === "ready") {
      this.#name = state.system.name;
      this.#report.ready(this.#name, address);
    } else if (state.phase === "waiting" && this.#isReady) this.#report.away(this.#name, state.error);
    this.#isReady = state.phase === "ready";
  }

  /** @param {{ close(): Promise<void> }} link */
  async #leave(link) {
    if (this.app !== "") this.#call.output.note(`${this.app} stays installed on ${this.#name}`);
    await link.close();
  }
}

/**
 * @param {unknown} error
 * @param {string} directory
 * @param {import("../apps/signing-key.js").SigningKey} signing
 */
function advised(error, directory, signing) {
  const advice = adviceOn(codeOf(error), directory, signing);
  return advice === undefined ? error : Object.assign(Object(error), { advice });
}

/**
 * @param {string | undefined} code
 * @param {string} directory
 * @param {import("../apps/signing-key.js").SigningKey} signing
 */
function adviceOn(code, directory, signing) {
  if (code === "signature_invalid")
    return signerAdvice("The app", signing, `svc app dev ${directory} --key PEM`);
  if (code === "version_older")
    return "`svc uninstall NAME` makes room for it, and deletes what it has stored there.";
  return undefined;
}
