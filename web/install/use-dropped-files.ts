/** Accepts files dropped anywhere on a panel. Refuses them elsewhere, which the pointer shows. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/**
 * @param place an element of the panel
 * @param onFiles `undefined`: nothing is taken now
 * @returns whether files are held over the panel
 */
export function useDroppedFiles(
  place: RefObject<HTMLElement | null>,
  onFiles: ((files: readonly File[]) => void) | undefined,
): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const listening = new AbortController();
    const isHere = (event: DragEvent) => take.current !== undefined && isOnPanel(event, place.current);
    const show = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // or they would take the place of the page
      const isTaken = isHere(event);
      if (event.dataTransfer) event.dataTransfer.dropEffect = isTaken ? "copy" : "none";
      setOver(isTaken);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (isHere(event)) take.current?.([...(event.dataTransfer?.files ?? [])]);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false); // the window was left
    };
    window.addEventListener("dragover", show, listening);
    window.addEventListener("drop", drop, listening);
    window.addEventListener("dragleave", leave, listening);
    return () => listening.abort();
  }, [place]);
  return isOver;
}

/** A question in front of the panel is none of it. */
function isOnPanel({ target }: DragEvent, place: HTMLElement | null): boolean {
  const panel = place?.closest("main");
  return target instanceof Element && panel?.contains(target) === true && !target.closest("dialog");
}

/** What else can be dragged, such as a text that is selected, is the browser's business. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
