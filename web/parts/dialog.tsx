/**
 * A question or a task in front of the page. The browser's own dialog keeps the focus inside and gives it back to what
 * opened it; Escape closes it. It is open as long as it is drawn.
 */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { putInFront } from "./front-dialog.js";
import { Notices } from "./notices.js";
import "./dialog.css";

export interface DialogProps {
  readonly title: string;
  /** Escape was pressed; draw it no more. */
  readonly onClose: () => void;
  /** Buttons, the one that goes ahead last. */
  readonly actions: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, actions, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  const self = useMemo(() => Symbol(title), []);
  useLayoutEffect(() => openUntilGone(element.current), []);
  useLayoutEffect(() => putInFront(self), [self]);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault(); // the parent decides
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      <div class="dialog-body stack">{children}</div>
      <div class="dialog-actions">{actions}</div>
      <Notices dialog={self} />
    </dialog>
  );
}

function openUntilGone(dialog: HTMLDialogElement | null) {
  const opener = document.activeElement;
  dialog?.showModal();
  return () => {
    dialog?.close();
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  };
}
