/** The line on top: network, hub, USB, free memory, and for how long the console has been on. */
import { BAR_HEIGHT, drawRight, drawString, drawText, fill, WIDTH } from "./canvas";
import { DIM, GOOD, LINE, SURFACE, TEXT } from "./palette";
import { hub, status, system } from "./state";
import { Text } from "./text";
import { BAR_HUB, BAR_NO_HUB, BAR_WIRED } from "./texts";

const TEXT_TOP = 2;
const HUB_LEFT = 40;
const USB_LEFT = 89;
const FREE_LEFT = 104;
const BARS = 4;
/** dBm from which on one bar, two bars … stand. */
const WEAKEST = -85;
const STEP = 10;

const text = new Text(12);
/** A hash of what is shown; 0 before anything is. */
let shown: u64 = 0;

/** Draws the bar if what it shows has changed, or if it has to. */
export function drawStatusBar(now: i64, isForced: bool): void {
  const minutes = now / 60_000;
  const state = fingerprint(minutes);
  if (state === shown && !isForced) return;
  shown = state;
  fill(0, 0, WIDTH, BAR_HEIGHT - 1, SURFACE);
  fill(0, BAR_HEIGHT - 1, WIDTH, 1, LINE);
  drawNetwork();
  if (hub.url.length > 0)
    drawString(HUB_LEFT, TEXT_TOP, hub.isConnected ? GOOD : DIM, hub.isConnected ? BAR_HUB : BAR_NO_HUB);
  if (system.isUsbConnected) drawPlug();
  writeFree();
  drawText(FREE_LEFT, TEXT_TOP, TEXT, text);
  text
    .clear()
    .putNumber(minutes / 60)
    .putByte(0x3a)
    .putTwoDigits(i32(minutes % 60));
  drawRight(WIDTH - 4, TEXT_TOP, TEXT, text, 8);
}

function fingerprint(minutes: i64): u64 {
  writeFree();
  const network = status.address.length === 0 ? 0 : status.rssi === 0 ? 1 : 2 + barsOf(status.rssi);
  const hubState = hub.url.length === 0 ? 0 : hub.isConnected ? 1 : 2;
  const usb = system.isUsbConnected ? 1 : 0;
  return (
    (u64(minutes) << 40) |
    (u64(text.hash()) << 8) |
    u64(network << 3) |
    u64(usb << 2) |
    u64(hubState) |
    ((<u64>1) << 63)
  );
}

function writeFree(): void {
  text.clear();
  if (status.freeBytes > 0) text.putBytes(status.freeBytes);
}

/** Four bars for a wireless network, `LAN` for a wired one, empty bars with a stroke for none. */
function drawNetwork(): void {
  const hasAddress = status.address.length > 0;
  if (hasAddress && status.rssi === 0) {
    drawString(4, TEXT_TOP, TEXT, BAR_WIRED);
    return;
  }
  drawBars(6, 17, hasAddress ? barsOf(status.rssi) : 0, SURFACE);
  if (hasAddress) return;
  for (let i = 0; i < 12; i++) fill(8 + i, 4 + i, 2, 1, TEXT);
}

/** A plug with a cable. */
function drawPlug(): void {
  fill(USB_LEFT + 2, 3, 2, 4, TEXT);
  fill(USB_LEFT + 7, 3, 2, 4, TEXT);
  fill(USB_LEFT, 7, 11, 6, TEXT);
  fill(USB_LEFT + 2, 13, 7, 2, TEXT);
  fill(USB_LEFT + 5, 15, 1, 4, TEXT);
}

export function barsOf(rssi: i32): i32 {
  return max(1, min(BARS, (rssi - WEAKEST) / STEP + 1));
}

/** @param bottom the y below the bars, which are 12 pixels high */
export function drawBars(x: i32, bottom: i32, bars: i32, ground: i32): void {
  for (let i = 0; i < BARS; i++) {
    const height = 3 * (i + 1);
    fill(x + i * 5, bottom - height, 4, height, i < bars ? TEXT : LINE);
    if (i >= bars) fill(x + i * 5 + 1, bottom - height + 1, 2, height - 2, ground);
  }
}
