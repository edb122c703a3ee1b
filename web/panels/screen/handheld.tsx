/** The front of the console: its display between its buttons. While the focus is inside, keys press the buttons. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type ButtonName, buttonOfKey } from "./buttons.js";
import { Gamepad, type HeldView } from "./gamepad.js";

export interface HandheldProps {
  readonly view: HeldView;
  /** The display between the buttons. */
  readonly display: ComponentChildren;
  readonly note: string | undefined;
  /** What the console keeps from this user, if anything. */
  readonly limits: string | undefined;
  /** Called when the focus enters or leaves: while it is inside, keys press buttons. */
  readonly onFocus: (hasFocus: boolean) => void;
}

export function Handheld({ view, display, note, limits, onFocus }: HandheldProps) {
  useReleaseOnLeaving(view);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the elements inside have the focus and the roles
    <div
      class="handheld notched"
      onKeyDown={(event) => onKeyDown(event, view)}
      onKeyUp={(event) => view.held.release(`key ${event.code}`)}
      onFocusIn={() => onFocus(true)}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
        onFocus(false);
        view.held.releaseAll();
      }}
    >
      {limits !== undefined && <p class="screen-limits">{limits}</p>}
      <div class="pads pads-cross">
        <Gamepad view={view} names={["up", "left", "right", "down"]} />
      </div>
      <div
        class={note === undefined ? "screen" : "screen screen-still"}
        role="application"
        aria-label="Play by keyboard"
        aria-describedby="screen-keys"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys belong to the console while it has the focus
        tabIndex={0}
      >
        {display}
        {note !== undefined && <p class="screen-note">{note}</p>}
      </div>
      <div class="pads pads-face">
        <Gamepad view={view} names={["x", "y", "a", "b"]} />
      </div>
      <div class="pads-select">
        <Gamepad view={view} names={["select"]} />
      </div>
      <div class="pads-start">
        <Gamepad view={view} names={["start"]} />
      </div>
    </div>
  );
}

function onKeyDown(event: KeyboardEvent, view: HeldView): void {
  const name = buttonAtFocus(event) ?? buttonOfKey(event);
  if (name === undefined) return;
  event.preventDefault(); // arrows would scroll the page, and Enter would click
  if (!event.repeat) view.held.press(`key ${event.code}`, name);
}

/** Enter and the space bar press the button that has the focus. */
function buttonAtFocus({ key, target }: KeyboardEvent): ButtonName | undefined {
  const isPressing = key === "Enter" || key === " ";
  return isPressing && target instanceof HTMLElement ? (target.dataset["button"] as ButtonName) : undefined;
}

/** Releases all buttons when the user leaves the window, the tab or the panel. */
function useReleaseOnLeaving(view: HeldView): void {
  useEffect(() => {
    const listening = new AbortController();
    const release = () => view.held.releaseAll();
    window.addEventListener("blur", release, listening);
    document.addEventListener("visibilitychange", release, listening);
    return () => {
      listening.abort();
      release();
    };
  }, [view]);
}
