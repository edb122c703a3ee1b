/** The console's buttons, for touch, mouse and assistive technology. */
import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type ButtonKey, type ButtonName, bitOf, type HeldButtons, keyOf } from "./buttons.js";

/** The held buttons, and their bits. */
export interface HeldView {
  readonly bits: ReadonlySignal<number>;
  readonly held: HeldButtons;
}

export function Gamepad({ view, names }: { view: HeldView; names: readonly ButtonName[] }) {
  const pressing = usePointers(view);
  return (
    <>
      {names.map((name) => (
        <PadButton key={name} view={view} button={keyOf(name)} pressing={pressing} />
      ))}
    </>
  );
}

interface PadButtonProps {
  readonly view: HeldView;
  readonly button: ButtonKey;
  /** Pointers that went down on a button and are still down. */
  readonly pressing: Set<number>;
}

function PadButton({ view, button, pressing }: PadButtonProps) {
  const { name, face, keyFace } = button;
  const isHeld = (view.bits.value & bitOf(name)) !== 0;
  return (
    <button
      type="button"
      class={isHeld ? `pad pad-${name} pad-held` : `pad pad-${name}`}
      data-button={name}
      data-key={keyFace}
      aria-label={labelOf(button)}
      aria-keyshortcuts={button.key.length === 1 ? button.key.toUpperCase() : button.key}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        // Touches are captured by default: this button would get the events even after the finger has left it.
        event.currentTarget.releasePointerCapture(event.pointerId);
        pressing.add(event.pointerId);
        view.held.press(`pointer ${event.pointerId}`, name);
      }}
      onPointerEnter={(event) => {
        if (pressing.has(event.pointerId)) view.held.press(`pointer ${event.pointerId}`, name);
      }}
      onPointerLeave={(event) => view.held.release(`pointer ${event.pointerId}`)}
      onContextMenu={(event) => event.preventDefault()}
      onClick={(event) => {
        if (event.detail === 0) click(view, name);
      }}
    >
      {face}
    </button>
  );
}

function labelOf({ name, face }: ButtonKey): string {
  return /^[▲▼◀▶]/.test(face) ? name.charAt(0).toUpperCase() + name.slice(1) : face;
}

/** Presses and releases a button, for clicks by screen readers and voice control. */
function click(view: HeldView, name: ButtonName): void {
  view.held.press("click", name);
  view.held.release("click");
}

/** Releases a pointer's button wherever the pointer goes up; forgets all pointers when the window loses the focus. */
function usePointers(view: HeldView): Set<number> {
  const pressing = useRef(new Set<number>()).current;
  useEffect(() => {
    const listening = new AbortController();
    const letGo = ({ pointerId }: PointerEvent) => {
      pressing.delete(pointerId);
      view.held.release(`pointer ${pointerId}`);
    };
    window.addEventListener("pointerup", letGo, listening);
    window.addEventListener("pointercancel", letGo, listening);
    window.addEventListener("blur", () => pressing.clear(), listening);
    return () => listening.abort();
  }, [view, pressing]);
  return pressing;
}
