/** Modules that hosts import from each other. */
declare module "svc/directory" {
  export const Directory: typeof import("./svc/directory.js").Directory;
  export const Status: typeof import("./svc/directory.js").Status;
}
