/** The screen of a session's console, and the buttons that are held on it. One session has one. */
import { effect, signal } from "@preact/signals";
import { DeviceError } from "../../../device-client/device-error.js";
import { type Session, watchForOther } from "../../session/session.js";
import { ButtonSender } from "./button-sender.js";
import { HeldButtons } from "./buttons.js";
import { ScreenPoller } from "./screen-poller.js";

export interface Picture {
  readonly png: Uint8Array;
  /** What the browser has made of it. */
  readonly bitmap: ImageBitmap;
}

export class ScreenView {
  /** The newest; kept while there is none to be had from the same console. */
  readonly picture = signal<Picture | undefined>(undefined);
  /** Pictures a second. */
  readonly rate = signal<number | undefined>(undefined);
  /** Why there is no picture now. */
  readonly error = signal<DeviceError | undefined>(undefined);
  /** Buttons that are held here. */
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

  /** Asks for pictures from now on. @returns ends it */
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
    this.#sequence += 1; // one that is still being read is of the console before
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

/** Sends what is owed whenever the console shows that it is there, whichever panel is open then. */
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

/** When polling for pictures pauses, and the message for it. */
interface ScreenCircumstances {
  /** How the console is reached; `undefined` while it is not. */
  readonly kind: "usb" | "http" | undefined;
  readonly isUploading: boolean;
  /** The tab is in front. */
  readonly isVisible: boolean;
}

/** @returns why the picture stands still; `undefined` while it does not */
export function standstillOf({ kind, isUploading, isVisible }: ScreenCircumstances): string | undefined {
  if (kind === undefined) return "Waiting for the console";
  if (isUploading && kind === "usb") return "The picture pauses during an upload over USB";
  return isVisible ? undefined : "The picture pauses while this tab is hidden";
}

/** Measures pictures per second, over the last few. */
const WINDOW_MS = 3000;

export class PictureRate {
  readonly #times: number[] = [];

  /** @returns a second, since the oldest one that counts; `undefined` until two have come */
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
 * @param display in its own pixels
 * @param room there is, in CSS pixels
 * @param density pixels of this display in a CSS pixel
 * @returns the width in CSS pixels; where not even one to one fits, as large as fits
 */
export function crispWidth(display: Size, room: Size, density: number): number {
  const times = density * Math.min(room.width / display.width, room.height / display.height);
  return (display.width * (times >= 1 ? Math.floor(times) : times)) / density;
}
