/** The networks in range, the strongest first; joining one, and forgetting the one that is stored. */
import { ask, call, request } from "./api";
import { COLUMNS, drawText, LETTER_HEIGHT, MARGIN, WIDTH } from "./canvas";
import { cardText, question, tellFailure } from "./card";
import { json } from "./json";
import { openKeyboard, prompt, typed } from "./keyboard";
import { Menu } from "./menu";
import { BAD, DIM, GOOD, TEXT, WARNING } from "./palette";
import { WIFI as PART, STATUS, SYSTEM } from "./parts";
import { BODY_TOP, closeScreen, redraw, topScreen } from "./screen";
import { startSetup } from "./setup-page";
import { readWifi, status, system, want, wifi } from "./state";
import { barsOf, drawBars } from "./status-bar";
import { Text } from "./text";
import {
  CANCEL,
  FORGET,
  SETUP,
  WIFI,
  WIFI_AGAIN,
  WIFI_FORGET,
  WIFI_FORGET_EFFECT,
  WIFI_FORGET_QUESTION,
  WIFI_JOINED,
  WIFI_JOINING,
  WIFI_LOCKED,
  WIFI_LOOKING,
  WIFI_LOST,
  WIFI_NAME,
  WIFI_NO_ADDRESS,
  WIFI_NONE,
  WIFI_NOT_FOUND,
  WIFI_OTHER,
  WIFI_OTHER_OF_MORE,
  WIFI_PASSWORD,
  WIFI_REFUSED,
  WIFI_TIMEOUT,
  WIFI_UNPROVISIONED,
  WIFI_WAITING,
  WIFI_WRONG_PASSWORD,
} from "./texts";

/** docs/spec/wifi.md#scan */
const NETWORKS_LIMIT = 20;
const STATE_EVERY_MS = 1000;
/** Two lines of state above the networks. */
const HEAD_HEIGHT = 2 * LETTER_HEIGHT + 6;

class Network {
  readonly ssid: Text = new Text(32);
  rssi: i32 = 0;
  isSecured: bool = false;
}

enum Scan {
  /** Drawn as such before the request, which takes seconds. */
  DUE,
  DONE,
}

class WifiMenu extends Menu {
  private scan: Scan = Scan.DUE;
  private networkCount: i32 = 0;
  private hasMore: bool = false;
  private readonly networks: StaticArray<Network> = makeNetworks();
  private stateAt: i64 = 0;

  title(): string {
    return WIFI;
  }

  override open(): void {
    super.open();
    this.scan = Scan.DUE;
    want(PART | SYSTEM);
  }

  override tick(now: i64): void {
    if (this.scan === Scan.DUE) this.look();
    if (now < this.stateAt || !wifi.state.is("joining")) return;
    this.stateAt = now + STATE_EVERY_MS;
    want(PART);
  }

  override changed(parts: i32): void {
    if (parts & (PART | STATUS | SYSTEM)) redraw();
  }

  protected override top(): i32 {
    return BODY_TOP + HEAD_HEIGHT;
  }

  protected override drawHead(): void {
    drawText(MARGIN, BODY_TOP, stateColour(), writeState(this.label.clear()), COLUMNS);
    if (this.scan === Scan.DUE) this.label.clear().put(WIFI_LOOKING);
    else if (wifi.reason.length > 0 && !wifi.state.is("joined")) writeReason(this.label.clear());
    else if (this.networkCount === 0) this.label.clear().put(WIFI_NONE);
    else this.label.copy(status.address);
    const isError = this.scan === Scan.DONE && wifi.reason.length > 0 && !wifi.state.is("joined");
    drawText(MARGIN, BODY_TOP + LETTER_HEIGHT, isError ? BAD : DIM, this.label, COLUMNS);
  }

  count(): i32 {
    return this.firstNetwork() + this.networkCount + (wifi.ssid.length > 0 ? 2 : 1);
  }

  /** Row of the first network: before it stand a new scan and, where there is one, the set-up with a phone. */
  private firstNetwork(): i32 {
    return system.hasSetup ? 2 : 1;
  }

  /** Index of the network in a row; `networkCount` for another network, one more for forgetting. */
  private networkOf(row: i32): i32 {
    return row - this.firstNetwork();
  }

  writeRow(row: i32): void {
    const index = this.networkOf(row);
    if (row === 0) this.label.put(WIFI_AGAIN);
    else if (index < 0) this.label.put(SETUP);
    else if (index < this.networkCount) {
      const network = this.networks[index];
      this.label.putText(network.ssid);
      if (network.isSecured) this.value.put(WIFI_LOCKED);
      this.value.put("   "); // for the bars
    } else if (index === this.networkCount) this.label.put(this.hasMore ? WIFI_OTHER_OF_MORE : WIFI_OTHER);
    else this.label.put(WIFI_FORGET).putText(wifi.ssid);
  }

  protected override drawMark(row: i32, y: i32, ground: i32): void {
    const index = this.networkOf(row);
    if (index < 0 || index >= this.networkCount) return;
    drawBars(WIDTH - MARGIN - 20, y + 18, barsOf(this.networks[index].rssi), ground);
  }

  choose(row: i32): void {
    const index = this.networkOf(row);
    if (row === 0) {
      this.scan = Scan.DUE;
      redraw();
    } else if (index < 0) startSetup();
    else if (index < this.networkCount) this.chooseNetwork(this.networks[index]);
    else if (index === this.networkCount) {
      prompt.clear().put(WIFI_NAME);
      openKeyboard(enterName);
    } else {
      cardText.clear().put(WIFI_FORGET_EFFECT);
      question(WIFI_FORGET_QUESTION, CANCEL, FORGET, forget);
    }
  }

  private chooseNetwork(network: Network): void {
    chosen.copy(network.ssid);
    if (network.isSecured) askPassword();
    else {
      password.clear();
      join();
    }
  }

  private look(): void {
    this.scan = Scan.DONE;
    redraw();
    if (!ask("GET /api/wifi/scan")) {
      tellFailure(); // the networks that were found before stay
      return;
    }
    this.networkCount = 0;
    this.hasMore = false;
    if (!json.enterObject()) return;
    while (json.nextMember()) {
      if (json.isNamed("networks")) this.readNetworks();
      else if (json.isNamed("more")) this.hasMore = json.readFlag();
    }
  }

  private readNetworks(): void {
    if (!json.enterArray()) return;
    while (json.nextElement()) {
      if (this.networkCount === NETWORKS_LIMIT) {
        this.hasMore = true;
        json.skip();
      } else if (readNetwork(this.networks[this.networkCount])) this.networkCount++;
    }
  }
}

const chosen = new Text(32);
const password = new Text(64);

function makeNetworks(): StaticArray<Network> {
  const networks = new StaticArray<Network>(NETWORKS_LIMIT);
  for (let i = 0; i < NETWORKS_LIMIT; i++) networks[i] = new Network();
  return networks;
}

function readNetwork(network: Network): bool {
  network.ssid.clear();
  network.rssi = 0;
  network.isSecured = true;
  if (!json.enterObject()) return false;
  while (json.nextMember()) {
    if (json.isNamed("ssid")) json.readText(network.ssid);
    else if (json.isNamed("rssi")) network.rssi = i32(json.readInteger());
    else if (json.isNamed("secured")) network.isSecured = json.readFlag();
  }
  return network.ssid.length > 0;
}

function stateColour(): i32 {
  if (wifi.state.is("joined")) return GOOD;
  return wifi.state.is("unprovisioned") ? DIM : wifi.state.is("waiting") ? WARNING : TEXT;
}

/** The state in words. */
export function writeState(into: Text): Text {
  if (wifi.state.is("joined")) return into.put(WIFI_JOINED).putText(wifi.ssid);
  if (wifi.state.is("joining")) return into.put(WIFI_JOINING).putText(wifi.ssid);
  if (wifi.state.is("waiting")) return into.put(WIFI_WAITING).putText(wifi.ssid);
  return into.put(WIFI_UNPROVISIONED);
}

/** Why a network was not joined, in words. */
export function writeReason(into: Text): Text {
  if (wifi.reason.is("not_found")) return into.put(WIFI_NOT_FOUND);
  if (wifi.reason.is("wrong_password")) return into.put(WIFI_WRONG_PASSWORD);
  if (wifi.reason.is("refused")) return into.put(WIFI_REFUSED);
  if (wifi.reason.is("lost")) return into.put(WIFI_LOST);
  if (wifi.reason.is("no_address")) return into.put(WIFI_NO_ADDRESS);
  if (wifi.reason.is("timeout")) return into.put(WIFI_TIMEOUT);
  return into.putText(wifi.message);
}

function enterName(): void {
  if (typed.length === 0) return;
  chosen.copy(typed);
  closeScreen();
  askPassword();
}

function askPassword(): void {
  prompt.clear().put(WIFI_PASSWORD).putText(chosen);
  openKeyboard(enterPassword);
}

/** What was typed stays on the keyboard unless the console takes it. */
function enterPassword(): void {
  password.copy(typed);
  join();
}

function join(): void {
  request.clear().put("POST /api/wifi?ssid=").putEncoded(chosen);
  if (password.length > 0) request.put("&password=").putEncoded(password);
  want(PART);
  if (!call()) tellFailure();
  else {
    readWifi();
    if (topScreen() !== wifiMenu) closeScreen(); // the keyboard
    redraw();
  }
}

function forget(): void {
  want(PART);
  if (!ask("POST /api/wifi?forget=true")) tellFailure();
  else readWifi();
  redraw();
}

export const wifiMenu: Menu = new WifiMenu();
