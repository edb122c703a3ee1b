/** Messages within the page: warnings and errors with advice, notes, and placeholders for empty places. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";
import "./messages.css";
import { DeviceError } from "../../device-client/device-error.js";
import { adviceOf, type UserError } from "../advice.js";

/** A warning where it applies; screen readers read it as it appears. */
export function Alert(props: {
  readonly tone?: "bad" | "warning" | "quiet";
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  const { tone = "bad", title, children } = props;
  return (
    <div class={`alert alert-${tone}`} role={tone === "quiet" ? undefined : "alert"}>
      <Icon name={tone === "quiet" ? "connect" : "warning"} />
      <div>
        <p class="alert-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

/** An error of a console, with advice. */
export function Failure({ error }: { readonly error: Error }) {
  const advice = error instanceof DeviceError ? adviceOf(error) : undefined;
  return <Alert title={error.message}>{advice && <p>{advice}</p>}</Alert>;
}

/** Shows an error where it occurred; screen readers read it as it appears. */
export function ErrorNote({ error, children }: { error: UserError; children?: ComponentChildren }) {
  return (
    <Alert title={sentence(error.message)}>
      <div class="stack">
        {error.advice && <p>{error.advice}</p>}
        {error.code && <code class="small muted">{error.code}</code>}
        {children && <div class="row">{children}</div>}
      </div>
    </Alert>
  );
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** One line about a result, beside the item that it belongs to. */
export function Note(props: {
  readonly tone?: "quiet" | "good" | "warning" | "bad";
  readonly children: ComponentChildren;
}) {
  return <p class={`note note-${props.tone ?? "quiet"}`}>{props.children}</p>;
}

/** Placeholder for an empty place: the reason, and what to do about it. */
export function Empty(props: {
  readonly icon?: IconName;
  readonly title: string;
  /** Sentences, buttons. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty notched">
      {props.icon && <Icon name={props.icon} size={48} />}
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}
