/** The Screen panel: the console's live display, and its buttons. */
import { useEffect, useState } from "preact/hooks";
import { adviceOf } from "../../advice.js";
import { fileName, saveFile } from "../../copy-and-save.js";
import { Button } from "../../parts/button.js";
import { Panel } from "../../parts/panel.js";
import { type Session, useSession } from "../../session/session.js";
import { Display } from "./display.js";
import { Handheld } from "./handheld.js";
import { limitsOf, type ScreenView, screenViewOf, standstillOf } from "./screen-view.js";
import { SoundPlayer } from "./sound-player.js";
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
      <SoundButton session={session} />
      <Button disabled={!picture} onClick={save}>
        Save picture
      </Button>
    </>
  );
  return (
    <Panel title="Screen" toolbar={toolbar}>
      <Handheld
        view={view}
        display={<Display picture={picture} label={altText(session, view)} />}
        limits={limitsOf(reachHome(session))}
        note={standstill ?? view.error.value?.message}
        onFocus={setHasFocus}
      />
    </Panel>
  );
}

/** Whether the home screen sees this page's buttons; `undefined` while the console is not connected. */
function reachHome({ state }: Session): boolean | undefined {
  return "system" in state.value ? state.value.system.home_buttons : undefined;
}

/** Turns the console's sound on; browsers play none before a user asks for it. */
function SoundButton({ session }: { readonly session: Session }) {
  const [isOn, setOn] = useState(false);
  const [isMute, setMute] = useState(false);
  const device = session.device.value;
  const { state } = session;
  const hasSound = "system" in state.value && state.value.system.features.includes("sound");
  useEffect(() => {
    if (!isOn || !device || !hasSound) return;
    const loudspeaker = openLoudspeaker();
    setMute(loudspeaker === undefined);
    if (!loudspeaker) return;
    const player = new SoundPlayer({ sound: (since, signal) => device.sound(since, signal), loudspeaker });
    return () => player.close();
  }, [isOn, device, hasSound]);
  if (!hasSound) return null;
  return (
    <Button pressed={isOn && !isMute} disabled={isMute} onClick={() => setOn(!isOn)}>
      {isMute ? "No sound in this browser" : "Sound"}
    </Button>
  );
}

/** @returns `undefined` in a browser that has none, or blocks it */
function openLoudspeaker(): AudioContext | undefined {
  try {
    return new AudioContext();
  } catch {
    return undefined;
  }
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
