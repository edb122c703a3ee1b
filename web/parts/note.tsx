/** A line of text at the side of what it is about: how something has ended. */
import type { ComponentChildren } from "preact";
import "./note.css";

export function Note(props: {
  readonly tone?: "quiet" | "good" | "warning" | "bad";
  readonly children: ComponentChildren;
}) {
  return <p class={`note note-${props.tone ?? "quiet"}`}>{props.children}</p>;
}
