/** Limits of uploads that only this service knows; those of the protocol are in `protocol/limits.ts`. */

/**
 * Silence after which an upload is forgotten, and after which its last answer is (docs/spec/uploads.md#upload-silence).
 */
export const SILENCE_LIMIT_MS = 30_000;
