/** View state of the console's screen: the newest picture, and the held buttons. One per session. */
import { effect, signal } from "@preact/signals";
import { DeviceError } from "../../../device-client/device-error.js";
import { type Session, watchForOther } from "../../session/session.js";
import { ButtonSender } from "./button-sender.js";
import { HeldButtons } from "./buttons.js";
import { ScreenPoller } from "./screen-poller.js";

export interface Picture {
  readonly png: Uint8Array;
  /** The decoded picture. */
  readonly bitmap: ImageBitmap;
}

export class ScreenView {
  /** The newest picture; kept when the same console sends no further one. */
  readonly picture = signal<Picture | undefined>(undefined);
  /** Pictures per second. */
  readonly rate = signal<number | undefined>(undefined);
  /** Why the last request brought no picture. */
  readonly error = signal<DeviceError | undefined>(undefined);
  /** Bits of the buttons that are held on the page. */
  readonly bits = signal(0);
  readonly held: HeldButtons;

  readonly #session: Session;
  #sequence = 0;

  constructor(session: Session) {
    this.#session = session;
    const sender = new ButtonSender(async (bits) => {
      const device = session.device.peek();
      if (!device) throw new DeviceError("device_lost", "The console is not connected");
      await device.press(bits);
    });
    this.held = new HeldButtons((bits) => {
      this.bits.value = bits;
      sender.hold(bits);
    });
    keepSending(session, sender);
    watchForOther(session, () => this.#forgetPicture());
  }

  /** Starts polling for pictures. @returns a function that stops it */
  watch(): () => void {
    const rate = new PictureRate();
    const poller = new ScreenPoller({
      picture: async (signal) => {
        const device = this.#session.device.peek();
        if (!device) throw new DeviceError("device_lost", "The console is not connected");
        return device.screen(signal);
      },
      onPicture: (png, isNew) => {
        this.error.value = undefined;
        this.rate.value = rate.count(performance.now());
        if (isNew || !this.picture.peek()) void this.#show(png);
      },
      onError: (error) => {
        this.rate.value = undefined;
        this.error.value =
          error instanceof DeviceError ? error : new DeviceError("answer_invalid", String(error));
      },
    });
    return () => {
      poller.close();
      this.rate.value = undefined;
    };
  }

  #forgetPicture(): void {
    this.#sequence += 1; // a picture that is still being decoded is the previous console's
    this.picture.value = undefined;
  }

  async #show(png: Uint8Array): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    try {
      const bitmap = await createImageBitmap(new Blob([png as BlobPart], { type: "image/png" }));
      if (sequence === this.#sequence) this.picture.value = { png, bitmap };
    } catch (error) {
      this.error.value = new DeviceError("answer_invalid", "The picture cannot be read", { cause: error });
    }
  }
}

/** Sends a pending button state when the console answers again, whichever panel is open. */
function keepSending(session: Session, sender: ButtonSender): void {
  let last = session.device.peek();
  effect(() => {
    const device = session.device.value;
    if (device && last && device !== last) sender.restart();
    last = device ?? last;
  });
  effect(() => {
    if (session.status.value) sender.resume();
  });
}

const views = new WeakMap<Session, ScreenView>();

export function screenViewOf(session: Session): ScreenView {
  let view = views.get(session);
  if (!view) {
    view = new ScreenView(session);
    views.set(session, view);
  }
  return view;
}

/** The conditions that decide whether polling for pictures pauses. */
interface ScreenCircumstances {
  /** Transport to the console; `undefined` while it is not connected. */
  readonly kind: "usb" | "http" | undefined;
  readonly isUploading: boolean;
  /** Whether the tab is visible. */
  readonly isVisible: boolean;
}

/** @returns why polling pauses, as a message for the user; `undefined` while it runs */
export function standstillOf({ kind, isUploading, isVisible }: ScreenCircumstances): string | undefined {
  if (kind === undefined) return "Waiting for the console";
  if (isUploading && kind === "usb") return "The picture pauses during an upload over USB";
  return isVisible ? undefined : "The picture pauses while this tab is hidden";
}

/**
 * @param reachHome whether the home screen sees this page's buttons; `undefined` while the console is not connected
 * @returns what the home screen keeps from others (docs/spec/home.md#owner, #secret), and how to pair the browser
 */
export function limitsOf(reachHome: boolean | undefined): string | undefined {
  if (reachHome !== false) return undefined;
  return "The home screen takes buttons only over USB or with the access token. What it conceals is grey. To pair this browser, open the link that `npm start` prints, or enter the token, which `svc pair` reads over USB, under Connect.";
}

const WINDOW_MS = 3000;

/** Measures pictures per second over the last {@link WINDOW_MS}. */
export class PictureRate {
  readonly #times: number[] = [];

  /** Call for each picture. @returns pictures per second; `undefined` until there are two */
  count(nowMs: number): number | undefined {
    this.#times.push(nowMs);
    while ((this.#times[0] as number) < nowMs - WINDOW_MS) this.#times.shift();
    const spanMs = nowMs - (this.#times[0] as number);
    return spanMs > 0 ? ((this.#times.length - 1) * 1000) / spanMs : undefined;
  }
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The width at which each console pixel covers a whole number of screen pixels.
 * @param display size of the console's display, in its pixels
 * @param room available space, in CSS pixels
 * @param density screen pixels per CSS pixel
 * @returns the width in CSS pixels; if not even one to one fits, the largest width that does
 */
export function crispWidth(display: Size, room: Size, density: number): number {
  const times = density * Math.min(room.width / display.width, room.height / display.height);
  return (display.width * (times >= 1 ? Math.floor(times) : times)) / density;
}
