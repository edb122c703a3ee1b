/** What an app with `app.control` may do with the others. */
export interface AppControl {
  isRunning(name: string): boolean;
  /** An ABI result: 0, -2 where there is no such app, -16 where it runs or too many do. */
  startFor(name: string): number;
  /** Settles once the app has ended. */
  stopFor(name: string): Promise<void>;
  summary(): readonly AppSummary[];
}

export type AppSummary = {
  readonly name: string;
  readonly version: string;
  readonly state: "stopped" | "running";
};
