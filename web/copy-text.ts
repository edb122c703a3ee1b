/** Copies text to the clipboard. Pages on plain HTTP, as consoles serve them, have only the legacy clipboard API. */

/** @returns whether it is there now */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copyBySelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the browser, or who uses it, does not allow it
  }
}

function copyBySelection(text: string): boolean {
  const opener = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  return isCopied;
}
