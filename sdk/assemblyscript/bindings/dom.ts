/**
 * What AssemblyScript's standard library asks of its host, by the functions of the console (docs/spec/cli.md#assemblyscript-library).
 * It is in place of the library's own `bindings/dom`, whose functions consoles do not have: `console`, `Date`, `performance`,
 * `crypto` and `process` of the library import it.
 */
import { NativeMath } from "math";
import { LogLevel, log as write, raw, uptimeMs } from "svc";

/** The library's `JSMath`. */
export { NativeMath as Math };

export namespace Date {
  /** While the console does not know the time, it is 1970 at its start, so that differences of times are right. */
  export function now(): f64 {
    const time = raw.clock_ms();
    return f64(time < 0 ? uptimeMs() : time);
  }
}

export namespace performance {
  export function now(): f64 {
    return f64(uptimeMs());
  }
}

export namespace crypto {
  export function getRandomValues(array: Uint8Array): void {
    raw.random(array.dataStart, array.byteLength);
  }
}

/** When each timer of `console.time` was started. */
// @ts-ignore: decorator
@lazy const timers = new Map<string, i64>();

export namespace console {
  export function assert(condition: bool, message: string): void {
    if (!condition) error(message.length > 0 ? "Assertion failed: " + message : "Assertion failed");
  }

  export function log(text: string): void {
    print(LogLevel.INFO, text);
  }

  export function debug(text: string): void {
    print(LogLevel.DEBUG, text);
  }

  export function info(text: string): void {
    print(LogLevel.INFO, text);
  }

  export function warn(text: string): void {
    print(LogLevel.WARNING, text);
  }

  export function error(text: string): void {
    print(LogLevel.ERROR, text);
  }

  export function time(label: string): void {
    timers.set(label, uptimeMs());
  }

  export function timeLog(label: string): void {
    if (timers.has(label)) info(label + ": " + (uptimeMs() - timers.get(label)).toString() + " ms");
    else warn("Timer '" + label + "' does not exist");
  }

  export function timeEnd(label: string): void {
    timeLog(label);
    timers.delete(label);
  }
}

/** The log has lines: a text with line feeds is several. */
function print(level: LogLevel, text: string): void {
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i++) write(level, lines[i]);
}
