/** Bytes that the bundler puts into the player (`tools/player-page.ts`). */
declare module "svc:*" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
