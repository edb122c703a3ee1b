/** Reads the media type of a response from its `content-type` field (RFC 9110 §8.3.1). */

/** @returns without parameters, in lower case; `""` where there is none */
export function mediaTypeOf(field: string | null): string {
  return (field ?? "").split(";", 1).join("").trim().toLowerCase();
}
