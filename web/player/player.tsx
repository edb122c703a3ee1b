/** The player's page: the app's display between the console's buttons, what it may do, and its log. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CrispCanvas } from "../panels/screen/display.js";
import { Handheld } from "../panels/screen/handheld.js";
import { Button } from "../parts/button.js";
import { Alert } from "../parts/messages.js";
import { Card, Panel } from "../parts/panel.js";
import type { AppSource } from "./app-source.js";
import { DISPLAY_HEIGHT, DISPLAY_WIDTH } from "./drawing.js";
import { endingText } from "./ending-text.js";
import { type Play, PlaySession, type ShownLine } from "./play-session.js";

const DISPLAY = { width: DISPLAY_WIDTH, height: DISPLAY_HEIGHT };

export function Player({ source }: { readonly source: AppSource }) {
  const session = useMemo(() => new PlaySession(source), [source]);
  const isIsolated = window.crossOriginIsolated;
  useEffect(() => {
    if (isIsolated) session.open();
  }, [session, isIsolated]);
  const play = session.play.value;
  const facts = "facts" in play ? play.facts : undefined;
  return (
    <main class="player">
      <h1 class="small muted">svc player</h1>
      <Panel
        title={facts ? `${facts.name} ${facts.version}` : "Player"}
        toolbar={<Controls session={session} play={play} />}
      >
        {!isIsolated && (
          <Alert title="This browser cannot run apps here">
            <p>
              The player needs a page over HTTPS or from this computer, and a browser that isolates pages.
            </p>
          </Alert>
        )}
        {session.problem.value !== undefined && <Alert tone="warning" title={session.problem.value} />}
        <Ending play={play} />
        <PlayedScreen session={session} play={play} waiting={source.waiting} />
        {!session.isKept.value && (
          <Alert tone="warning" title="This browser does not store what the app saves" />
        )}
        <div class="columns">
          <AboutCard play={play} />
          <Card title="Log">
            <LogLines lines={session.lines.value} />
          </Card>
        </div>
      </Panel>
    </main>
  );
}

function Controls({ session, play }: { readonly session: PlaySession; readonly play: Play }) {
  const isRunning = play.phase === "running";
  const isPaused = isRunning && play.isPaused;
  return (
    <>
      <p class="small muted" role="status">
        {stateText(play)}
      </p>
      <Button kind="primary" disabled={play.phase === "waiting"} onClick={() => session.start()}>
        {play.phase === "over" ? "Run again" : "Restart"}
      </Button>
      {"facts" in play && play.facts?.capabilities.includes("sound.play") && (
        <Button pressed={session.isMuted.value} onClick={() => session.mute(!session.isMuted.value)}>
          Mute
        </Button>
      )}
      <Button disabled={!isRunning} pressed={isPaused} onClick={() => session.pause(!isPaused)}>
        Pause
      </Button>
      <Button disabled={play.phase !== "running" && play.phase !== "opening"} onClick={() => session.stop()}>
        Stop
      </Button>
    </>
  );
}

function stateText(play: Play): string {
  switch (play.phase) {
    case "waiting":
      return "No app";
    case "opening":
      return "Opening";
    case "running":
      return play.isPaused ? "Paused" : "Running";
    case "over":
      return "Ended";
    default:
      return play satisfies never;
  }
}

function Ending({ play }: { readonly play: Play }) {
  if (play.phase !== "over") return null;
  const { title, isFailure, stack } = endingText(play.ending);
  return (
    <Alert tone={isFailure ? "bad" : "quiet"} title={title}>
      {stack.length > 0 && <p class="mono">{stack.join(" < ")}</p>}
    </Alert>
  );
}

interface PlayedScreenProps {
  readonly session: PlaySession;
  readonly play: Play;
  readonly waiting: string;
}

function PlayedScreen({ session, play, waiting }: PlayedScreenProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hasFocus, setHasFocus] = useState(false);
  useEffect(() => {
    session.showOn(canvas.current);
    return () => session.showOn(null);
  }, [session]);
  const name = "facts" in play ? play.facts?.name : undefined;
  return (
    <>
      <p id="screen-keys" class="screen-keys small muted">
        {hasFocus
          ? "Press the keys shown on the buttons. Tab leaves the screen."
          : "Click the picture to play by keyboard. Game controllers work, too."}
      </p>
      <Handheld
        view={session}
        display={
          <CrispCanvas
            canvas={canvas}
            size={DISPLAY}
            label={name === undefined ? "Display, no app" : `Display of ${name}`}
          />
        }
        note={noteOf(play, waiting)}
        limits={undefined}
        onFocus={setHasFocus}
      />
    </>
  );
}

function noteOf(play: Play, waiting: string): string | undefined {
  if (play.phase === "waiting") return waiting;
  return play.phase === "running" && play.isPaused ? "Paused" : undefined;
}

function AboutCard({ play }: { readonly play: Play }) {
  const facts = "facts" in play ? play.facts : undefined;
  return (
    <Card title="About the app">
      {facts?.description && <p>{facts.description}</p>}
      {facts?.author && <p class="small muted">by {facts.author}</p>}
      {facts && (
        <p class="small">
          {facts.capabilities.length > 0
            ? `May use ${facts.capabilities.join(", ")}.`
            : "Needs no capability."}
        </p>
      )}
      <p class="small muted">
        The app runs in this browser alone. It cannot reach the network, this page, or other apps.
      </p>
    </Card>
  );
}

const LEVELS = ["debug", "info", "warning", "error"];

function LogLines({ lines }: { readonly lines: readonly ShownLine[] }) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (list.current && isAtEnd.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines]);
  return (
    <div
      ref={list}
      class="player-log"
      role="log"
      aria-label="Log of the app"
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard must be able to do
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 4;
      }}
    >
      {lines.length === 0 && <p class="muted">The app has logged nothing yet.</p>}
      {lines.map(({ number, level, text, lost }) => (
        <div key={number} class={`player-line player-${LEVELS[level]}`}>
          {lost > 0 && <span class="muted">{lost} lines lost. </span>}
          {level >= 2 && `${LEVELS[level]}: `}
          {text}
        </div>
      ))}
    </div>
  );
}
