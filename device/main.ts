/**
 * The console's entry point: imports the host's modules, and creates the services with their dependencies. The only
 * file that imports host modules; it contains no logic of its own.
 */

import Serial from "embedded:io/serial";
import Listener from "embedded:io/socket/listener";
import Socket from "embedded:io/socket/tcp";
import Udp from "embedded:io/socket/udp";
import files from "embedded:storage/files";
import keyValue from "embedded:storage/key-value";
import base64 from "base64";
import Crc32 from "crc32";
import { Digest } from "crypt";
import AccessPoint from "svc/access-point";
import Adler32 from "svc/adler32";
import Advertisement from "svc/bluetooth";
import buttons from "svc/buttons";
import display from "svc/display";
import drives from "svc/drives";
import ed25519 from "svc/ed25519";
import slots from "svc/firmware-slots";
import Guest from "svc/guest";
import host from "svc/host";
import memory from "svc/memory";
import network from "svc/network";
import random from "svc/random";
import resolver from "svc/resolver";
import retained from "svc/retained-memory";
import sandbox from "svc/sandbox";
import sound from "svc/sound";
import system from "svc/system";
import Tls from "svc/tls";
import Wifi from "svc/wifi";
import timer from "timer";
import { Download } from "../hub-client/download.js";
import { HeadRequest } from "../hub-client/head-request.js";
import { HubLink } from "../hub-client/hub-link.js";
import * as part from "./home/app/parts.js";
import { Dispatcher } from "./services/api/dispatcher.js";
import type { Servers, Services } from "./services/api/endpoint.js";
import { PARAMETER_NAMES, ROUTES } from "./services/api/endpoints.js";
import { Advertising } from "./services/apps/advertising.js";
import { appServices } from "./services/apps/app-services.js";
import { StartApp } from "./services/apps/start-app.js";
import { AccessToken } from "./services/auth/access-token.js";
import { hostTimeMs } from "./services/clock/host-time.js";
import { WallClock } from "./services/clock/wall-clock.js";
import { readConfig, readOrigins } from "./services/config/read-config.js";
import { ButtonWatch } from "./services/display/button-watch.js";
import { DisplayLight } from "./services/display/display-light.js";
import { DisplayService } from "./services/display/display-service.js";
import { FIRMWARE } from "./services/firmware/firmware-facts.js";
import { firmwareServices } from "./services/firmware/firmware-services.js";
import { HeapAdmission } from "./services/heap/heap-admission.js";
import { HOME_APP } from "./services/home/home-app.js";
import { HomeChanges } from "./services/home/home-changes.js";
import { HomeChord, readChord } from "./services/home/home-chord.js";
import { HomeScreen } from "./services/home/home-screen.js";
import { HttpCodec } from "./services/http/http-codec.js";
import { HttpServer } from "./services/http/http-server.js";
import { BearerAuthenticator, RequestGuard } from "./services/http/request-guard.js";
import { HubService } from "./services/hub/hub-service.js";
import { deviceStatus, newBoot } from "./services/hub/hub-session.js";
import { consoleName, isOwnAddress } from "./services/identity/identity.js";
import { LOG_BUFFER_BYTES } from "./services/logs/log-line.js";
import { bootLine, LogService, readyLine, startLevel } from "./services/logs/log-service.js";
import { Mdns } from "./services/mdns/mdns.js";
import { tcp as tcpService } from "./services/mdns/service-type.js";
import { Lookups } from "./services/network/lookups.js";
import { WEB_PAGE } from "./services/page/web-page.js";
import { Preferences } from "./services/preferences/preferences.js";
import { performFactoryReset } from "./services/restart/factory-reset.js";
import { Restart, SAFE_MODE_LINE } from "./services/restart/restart.js";
import { Scheduler } from "./services/scheduler/scheduler.js";
import { LOG_LEVEL_SETTING, Settings } from "./services/settings/settings.js";
import { SetupService } from "./services/setup/setup-service.js";
import { NetworkWatch, StatusService } from "./services/status/status-service.js";
import { ReservedFiles } from "./services/storage/reserved-files.js";
import { OwnerKeys } from "./services/trust/owner-keys.js";
import { Revocations, RevocationsUpload } from "./services/trust/revocations.js";
import { TrustedKeysFile } from "./services/trust/trusted-keys-file.js";
import { Uploads } from "./services/upload/uploads.js";
import { UsbService } from "./services/usb/usb-service.js";
import { WebSocketServer } from "./services/websocket/websocket-server.js";
import { WifiService } from "./services/wifi/wifi-service.js";

/** Look-ups of apps under way: half of what a board can have, and the console itself needs some. */
const LOOKUPS_LIMIT = 2;

const HTTP_PORT = 8080;
const WS_PORT = 8081;

/** Called once per boot. A fault before `ready` means an invalid configuration. */
export default function main(): void {
  const config = readConfig(host.options ?? {});
  const clock = system;
  const settings = new Settings(keyValue);
  const resetLine = performFactoryReset(settings, files);
  const log = new LogService({
    clock,
    retained,
    buffer: memory.allocate(LOG_BUFFER_BYTES).bytes,
    level: startLevel(host.logLevel, settings.read(LOG_LEVEL_SETTING)),
    echo: trace,
  });
  log.write("info", "boot", bootLine(FIRMWARE, system.resetReason));
  const isSafeMode = host.safeMode;
  if (isSafeMode) log.write("error", "boot", SAFE_MODE_LINE);
  if (resetLine !== undefined) log.write("warning", "boot", resetLine);
  const homeApp = config.CONFIG_SVC_HOME_SCREEN ? HOME_APP : undefined;
  /** Created last, since it uses the others, which may free the display before. */
  let home: HomeScreen | undefined;
  const preferences = new Preferences(settings, {
    isAutomaticFirst: config.CONFIG_SVC_HUB_AUTO_UPDATE,
    hasHomeScreen: homeApp !== undefined,
  });

  const wifi = new WifiService({ Wifi, network, settings, timer, random, logger: log.loggerFor("wifi") });
  const advertising = Advertisement && new Advertising(Advertisement, () => status.changed());
  const status: StatusService = new StatusService({
    system,
    network,
    clock,
    firmware: FIRMWARE,
    bluetooth: advertising,
  });
  const name = consoleName(system.mac);
  const homeChanges = new HomeChanges();
  const restart = new Restart(system, log.loggerFor("boot"));
  const scheduler = new Scheduler(timer);
  /** Every listener. Connections on behalf of others (an app's, the hub's downloads) must not reach these ports. */
  const servers: { readonly port: number }[] = [];
  const heap = new HeapAdmission(system);
  const isOwnPort = (address: string, port: number) =>
    servers.some((server) => server.port === port) && isOwnAddress(address, network);
  /** Of the console as a client, of its hub and for its apps. */
  const clientPorts = {
    Socket,
    resolver,
    timer,
    clock,
    random,
    Digest,
    base64,
    memory,
    isOwnPort,
    ...(Tls && { Tls }),
    hasRoom: (byteLength: number) => heap.hasRoom(byteLength),
  };
  const wallClock = new WallClock({
    ports: clientPorts,
    Udp,
    network,
    settings,
    preferences,
    log,
    hostTimeMs,
    Head: HeadRequest,
    server: config.CONFIG_SVC_TIME_SERVER,
  });
  const logger = log.loggerFor("keys");
  const owners = new ReservedFiles(files);
  const trustedKeys = new TrustedKeysFile({
    files: owners,
    base64,
    Digest,
    ed25519,
    memory,
    scheduler,
    logger,
  });
  const keyOptions = {
    trustedKeys,
    settings,
    base64,
    Digest,
    ed25519,
    timer,
    logger,
    onChange: (isQuestion?: boolean) => {
      homeChanges.add(part.APPS | part.FIRMWARE | part.QUESTIONS);
      if (isQuestion) return;
      stopRevoked().catch((error) => logger.error(`an app with a revoked key cannot be stopped: ${error}`));
      ota.revocationsChanged();
      status.changed();
    },
  };
  const revocations = new Revocations(keyOptions);
  const ownerKeys = new OwnerKeys(keyOptions);
  const {
    apps,
    appUpload,
    installer,
    installs,
    stopRevoked,
    goHome,
    close: closeApps,
  } = appServices({
    config,
    files,
    owners,
    log,
    clock,
    timer,
    Guest,
    Digest,
    ed25519,
    Socket,
    lookups: new Lookups(resolver, LOOKUPS_LIMIT),
    memory,
    heap,
    sandbox,
    trustedKeys,
    scheduler,
    architecture: system.architecture,
    isSafeMode,
    drives,
    advertising,
    ports: clientPorts,
    time: wallClock,
    isOwnPort,
    onChange: (crash) => {
      status.changed();
      homeChanges.add(part.APPS);
      hub.appsChanged(crash);
      startApp.followApps();
    },
    onFrontFree: () => {
      if (!home?.bringToFront()) display.showNothing();
    },
  });
  const startApp = new StartApp({ apps, preferences, settings, timer, logger: log.loggerFor("apps") });
  restart.onPerform(() => {
    setup?.close();
    hub.close();
    startApp.close();
    closeApps();
    home?.close();
    mdns.close();
  });
  const { ota, firmwareUpload, firmwareFlash, receiveFirmware } = firmwareServices({
    config,
    slots,
    system,
    files: owners,
    settings,
    restart,
    clock,
    timer,
    memory,
    heap,
    Digest,
    ed25519,
    Crc32,
    trustedKeys,
    scheduler,
    firmware: FIRMWARE,
    logger: log.loggerFor("ota"),
    onSettled: () => void revocations.offer(FIRMWARE.revocations),
    onChange: () => {
      status.changed();
      homeChanges.add(part.FIRMWARE);
    },
  });
  trustedKeys.warnOfUnlimitedKeys().catch((error) => logger.warning(`trusted keys cannot be read: ${error}`));
  const uploads = new Uploads({
    timer,
    clock,
    Crc32,
    memory,
    log: log.loggerFor("upload"),
    endOthers: () => http.closeConnections(),
  });
  const hub = new HubService({
    apps,
    installer,
    ota,
    receiveFirmware,
    settings,
    uploads,
    heap,
    Download,
    Link: HubLink,
    ports: clientPorts,
    updates: () => preferences.updates,
    onChange: () => homeChanges.add(part.HUB | part.QUESTIONS),
    onQuestions: () => homeChanges.add(part.QUESTIONS),
    hostUrl: host.hub,
    resetReason: system.resetReason,
    boot: newBoot(random),
    isSafeMode,
    logger: log.loggerFor("hub"),
    identity: () => ({ mac: system.mac, name, arch: system.architecture, firmwareVersion: FIRMWARE.version }),
    deviceStatus: () => deviceStatus(status.current(), apps),
    revocations,
    signatures: { trustedKeys, Digest, ed25519 },
  });
  status.subscribe(() => hub.followUpdate());
  const tcp = { Socket, Listener };
  const codec = new HttpCodec(sandbox, memory);
  const setup =
    AccessPoint && config.CONFIG_SVC_SETUP_AP
      ? new SetupService({
          AccessPoint,
          Udp,
          tcp,
          codec,
          wifi,
          sandbox,
          memory,
          heap,
          random,
          timer,
          clock,
          name,
          api: { answerTo: (error) => api.answerTo(error) },
          log: log.loggerFor("setup"),
          limitS: config.CONFIG_SVC_SETUP_AP_TIMEOUT_S,
          httpPort: host.setupHttpPort,
          dnsPort: host.setupDnsPort,
          onChange: () => homeChanges.add(part.SETUP),
        })
      : undefined;
  /** Filled below. */
  const links = {} as { -readonly [Name in keyof Servers]: Servers[Name] };
  const services: Services = {
    apps,
    appUpload,
    buttons,
    files,
    firmwareFlash,
    firmwareUpload,
    hub,
    installs,
    isSafeMode,
    ota,
    ownerKeys,
    revocations,
    setup,
    uploads,
    wifi,
    revocationsUpload: new RevocationsUpload(revocations, memory),
    display: new DisplayService({ display, clock, Crc32, Adler32 }),
    name,
    config,
    log,
    preferences,
    restart,
    settings,
    status,
    system,
    slots,
    sound,
    base64,
    firmware: FIRMWARE,
    page: WEB_PAGE,
    hardware: {
      drives,
      hasTls: Tls !== undefined,
      hasSetup: setup !== undefined,
      hasSound: sound.isKept,
      hasBluetooth: Advertisement !== undefined,
    },
    servers: links,
    accessToken: new AccessToken({ settings, random, base64 }),
  };
  const api = new Dispatcher(ROUTES, services, log.loggerFor("api"), heap);

  home =
    homeApp &&
    new HomeScreen({
      app: homeApp,
      Guest,
      api,
      changes: homeChanges,
      timer,
      logger: log.loggerFor("home"),
      stackBytes: config.CONFIG_SVC_WASM_APP_STACK_SIZE,
      isAppInFront: () => apps.front !== undefined,
    });
  const chord = readChord(config.CONFIG_SVC_HOME_CHORD);
  if (home) buttons.reserveChord(chord);
  display.keepPictures(config.CONFIG_SVC_KEPT_PICTURES);
  const light = new DisplayLight({ display, buttons, preferences, clock });
  preferences.onChange = () => {
    light.preferencesChanged();
    hub.followPreferences();
    startApp.followApps();
    homeChanges.add(part.SETTINGS | part.QUESTIONS);
  };
  const buttonWatch = new ButtonWatch(buttons, timer, home ? [new HomeChord(chord, goHome), light] : [light]);

  const usb = new UsbService({
    api,
    log,
    clock,
    timer,
    sandbox,
    base64,
    serial: Serial,
    parameterNames: PARAMETER_NAMES,
    status: () => status.current(),
    onDisconnect: () => {
      log.write("debug", "usb", "the host has disconnected");
      uploads.disconnected("usb");
    },
    onChange: () => homeChanges.add(part.SYSTEM),
  });
  links.usb = usb;
  status.subscribe(() => usb.notifyStatus());

  const bearer = new BearerAuthenticator({
    isRequired: config.CONFIG_SVC_HTTP_AUTH,
    token: services.accessToken,
    clock,
  });
  const allowedOrigins = readOrigins(config.CONFIG_SVC_HTTP_ALLOWED_ORIGINS);
  const listening = host.address === undefined ? {} : { address: host.address };
  // Its network reaches the set-up page only.
  const isClosedAt = setup && ((address: string | undefined) => setup.isAddress(address));
  const http = new HttpServer({
    tcp,
    codec,
    api,
    timer,
    clock,
    memory,
    heap,
    isClosedAt,
    ...listening,
    guard: new RequestGuard({ api, bearer, rules: { allowedOrigins } }),
    log: log.loggerFor("http"),
    port: host.httpPort ?? HTTP_PORT,
  });

  const webSocket = new WebSocketServer({
    tcp,
    codec,
    timer,
    clock,
    memory,
    heap,
    base64,
    allowedOrigins,
    isClosedAt,
    ...listening,
    digest: Digest,
    log: log.loggerFor("websocket"),
    lines: log,
    port: host.wsPort ?? WS_PORT,
    pagePort: http.port,
    gate: bearer,
  });

  links.http = http;
  links.webSocket = webSocket;
  servers.push(http, webSocket);
  if (setup) servers.push(setup);
  heap.onShort = () => http.closeIdle();

  const mdns = new Mdns({ sandbox, Udp, timer, clock, random, network, heap, log: log.loggerFor("mdns") });
  const txt = { fw: FIRMWARE.version, api: "v1" };
  if (host.mdns !== false) mdns.createAdvertisement(tcpService("svc"), http.port, { name, txt }).start();

  const networkWatch = new NetworkWatch({
    network,
    timer,
    onChange: () => {
      mdns.networkChanged();
      hub.networkChanged();
      wallClock.networkChanged();
      status.changed();
      homeChanges.add(part.STATUS);
    },
  });
  wifi.onLeave(() => mdns.networkEnds());
  wifi.onChange(() => {
    networkWatch.check();
    setup?.wifiChanged();
    status.changed();
    homeChanges.add(part.WIFI | (setup ? part.SETUP : 0));
  });
  system.onShutdown(() => {
    log.write("info", "boot", "shutting down");
    setup?.close();
    hub.close();
    uploads.close();
    ota.close();
    startApp.close();
    closeApps();
    buttonWatch.close();
    home?.close();
    mdns.close();
    wallClock.close();
    webSocket.close();
    http.close();
    usb.close();
    wifi.close();
  });
  wallClock.networkChanged();
  if (!home?.start()) display.showNothing(); // in place of the boot picture, which the home screen draws over
  const whenScanned = drives.sd && !isSafeMode ? installs.scanCard(drives.sd) : Promise.resolve();
  whenScanned.then(() => {
    log.write("info", "boot", readyLine(name, http.port, webSocket.port));
    if (!isSafeMode) startApp.begin();
    system.ready({ name, httpPort: http.port, wsPort: webSocket.port });
  });
}
