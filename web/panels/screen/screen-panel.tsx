/** The Screen panel: the console's live display, and its buttons. */
import { useEffect, useState } from "preact/hooks";
import { adviceOf } from "../../advice.js";
import { fileName, saveFile } from "../../copy-and-save.js";
import { Button } from "../../parts/button.js";
import { Panel } from "../../parts/panel.js";
import { type Session, useSession } from "../../session/session.js";
import { Handheld } from "./handheld.js";
import { limitsOf, type ScreenView, screenViewOf, standstillOf } from "./screen-view.js";
import "./screen.css";

export function ScreenPanel() {
  const session = useSession();
  const view = screenViewOf(session);
  const standstill = useStandstill(session);
  const [hasFocus, setHasFocus] = useState(false);
  useEffect(
    () => (standstill === undefined ? view.watch() : undefined),
    [view, standstill, session.device.value],
  );
  useEffect(() => {
    if (session.device.value === undefined) view.held.releaseAll();
  }, [view, session.device.value]);
  const picture = view.picture.value;
  const save = () => {
    if (picture) saveFile(fileName(nameOf(session), "screen", "png"), [picture.png as BlobPart], "image/png");
  };
  const toolbar = (
    <>
      <p id="screen-keys" class="screen-keys small muted">
        {hasFocus
          ? "Press the keys shown on the buttons. Tab leaves the screen."
          : "Click the picture to play by keyboard."}
      </p>
      <p class="screen-facts small muted">{factsOf(view)}</p>
      <Button disabled={!picture} onClick={save}>
        Save picture
      </Button>
    </>
  );
  return (
    <Panel title="Screen" toolbar={toolbar}>
      <Handheld
        view={view}
        label={altText(session, view)}
        limits={limitsOf(session.device.value?.transport.isOwner)}
        note={standstill ?? view.error.value?.message}
        onFocus={setHasFocus}
      />
    </Panel>
  );
}

/** Why polling for pictures pauses; `undefined` while it runs. */
function useStandstill({ device, isUploading }: Session): string | undefined {
  const isVisible = useIsVisible();
  return standstillOf({ kind: device.value?.transport.kind, isUploading: isUploading.value, isVisible });
}

function useIsVisible(): boolean {
  const [isVisible, setIsVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const update = () => setIsVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isVisible;
}

function altText(session: Session, view: ScreenView): string {
  const running = (session.apps.value ?? []).filter(({ state }) => state === "running");
  const apps =
    running.length === 0 ? "no app is running" : `running ${running.map(({ name }) => name).join(", ")}`;
  const bitmap = view.picture.value?.bitmap;
  const size = bitmap ? `, ${bitmap.width} by ${bitmap.height} pixels` : "";
  return `Display of ${nameOf(session)}${size}, ${apps}`;
}

function nameOf({ state }: Session): string {
  return "system" in state.value ? state.value.system.name : "console";
}

function factsOf(view: ScreenView): string {
  const bitmap = view.picture.value?.bitmap;
  if (!bitmap) return (view.error.value && adviceOf(view.error.value)) ?? "\u00a0";
  const rate = view.rate.value;
  const pictures = rate === undefined ? "" : ` · ${Math.round(rate)} pictures a second`;
  return `${bitmap.width} × ${bitmap.height}${pictures}`;
}
