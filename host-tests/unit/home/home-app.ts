/** The home screen, compiled as the firmware has it, and a way to run it. */
import { compileHomeModule } from "../../../tools/home-app.js";
import { ConsoleModel, icon, type ModelApp, modelApp } from "./console-model.js";
import { HomeHost, type Script } from "./home-host.js";

/** Compiling takes a second or two, and many times that on a machine that is busy. */
export const COMPILE_TIMEOUT_MS = 120_000;

export const compileHome = () => compileHomeModule();

/** Time in which the home screen reads its state and all icons in view. */
const SETTLE_MS = 1500;

export function fourApps(): ModelApp[] {
  return [
    modelApp("bricks", {
      icon: icon("bricks"),
      description: "A game with a paddle, a ball and a wall of bricks",
      capabilities: ["display.write", "gpio.read", "storage.read", "storage.write"],
      last_exit: { reason: "exit", code: 0, at_ms: 1 },
    }),
    modelApp("clock", { icon: icon("clock"), state: "running" }),
    modelApp("counter", { icon: icon("counter") }),
    modelApp("weather-station"),
  ];
}

export function manyApps(count: number): ModelApp[] {
  const name = (index: number) => `app-${String(index).padStart(2, "0")}`;
  return Array.from({ length: count }, (_, index) =>
    modelApp(name(index), index % 2 === 0 ? { icon: icon("clock") } : {}),
  );
}

/** Runs a script once the home screen has settled. */
export function runHome(
  module: Uint8Array,
  script: (host: HomeHost) => Script,
  model = new ConsoleModel(fourApps()),
): HomeHost {
  const host = new HomeHost(model);
  host.run(
    module,
    (function* () {
      yield SETTLE_MS;
      yield* script(host);
    })(),
  );
  return host;
}
