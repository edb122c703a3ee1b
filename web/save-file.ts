/** Saves a file for the user, as a download. */

/** @param name such as `Console-1A2B log 2026-01-31 14.05.09.txt` */
export function saveFile(name: string, parts: BlobPart[], mediaType: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: mediaType }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a download that asks where to goes on reading
}

/** Console, kind and local time: files of one console stay together, in their order. */
export function fileName(consoleName: string, kind: string, extension: string, at = new Date()): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}.${two(at.getMinutes())}.${two(at.getSeconds())}`;
  return `${consoleName.replace(/[^\w.() -]/g, "_")} ${kind} ${day} ${time}.${extension}`;
}
