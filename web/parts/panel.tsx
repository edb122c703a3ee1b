/** The frame of every panel: a section with its heading and toolbar; and the cards in it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./panel.css";

/** @param toolbar buttons or fields beside the heading */
export function Panel(props: {
  readonly title: string;
  readonly toolbar?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id} tabIndex={-1}>
          {props.title}
        </h2>
        {props.toolbar && <div class="row">{props.toolbar}</div>}
      </header>
      <div class="stack">{props.children}</div>
    </section>
  );
}

/** One subject of a panel, on its own surface. */
export function Card(props: {
  readonly title: string;
  readonly toolbar?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <h3 id={id} tabIndex={-1}>
          {props.title}
        </h3>
        {props.toolbar && <div class="row">{props.toolbar}</div>}
      </header>
      <div class="stack">{props.children}</div>
    </section>
  );
}
