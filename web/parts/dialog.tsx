/**
 * Dialogs in front of the page. The browser's own dialog keeps the focus inside and returns it to the element that
 * opened it; Escape closes it. A dialog is open while it is rendered.
 */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Notices, putInFront } from "./notices.js";
import "./dialog.css";
import { Button } from "./button.js";

interface DialogProps {
  readonly title: string;
  /** Called on Escape; stop rendering the dialog. */
  readonly onClose: () => void;
  /** Buttons; the confirming one last. */
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
      <Notices dialog={self} />
      <div class="dialog-actions">{actions}</div>
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

interface ConfirmProps {
  /** A question: "Uninstall bricks?" */
  readonly title: string;
  /** The verb of the title: "Uninstall". */
  readonly action: string;
  readonly kind?: "primary" | "danger";
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  /** Explains the effect. */
  readonly children: ComponentChildren;
}

/** Asks for confirmation of an action that is irreversible or slow. Cancel has the focus. */
export function Confirm({ title, action, kind = "danger", onConfirm, onCancel, children }: ConfirmProps) {
  const actions = (
    <>
      <Button onClick={onCancel} autoFocus>
        Cancel
      </Button>
      <Button kind={kind} onClick={onConfirm}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onCancel} actions={actions}>
      {children}
    </Dialog>
  );
}
