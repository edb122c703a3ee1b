/**
 * Copies text to the clipboard, and saves files as downloads. Pages on plain HTTP, as consoles serve them, have only
 * the legacy clipboard API.
 */

/** @returns whether the text was copied */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copyBySelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // denied by the browser or the user
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

/** @param name such as `Console-1A2B log 2026-01-31 14.05.09.txt` */
export function saveFile(name: string, parts: BlobPart[], mediaType: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: mediaType }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a browser that asks where to save reads the URL later
}

/** Console, kind and local time: files of one console stay together, in their order. */
export function fileName(consoleName: string, kind: string, extension: string, at = new Date()): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}.${two(at.getMinutes())}.${two(at.getSeconds())}`;
  return `${consoleName.replace(/[^\w.() -]/g, "_")} ${kind} ${day} ${time}.${extension}`;
}
