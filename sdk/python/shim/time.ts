/** Time and chance, from the console's. */
import { raw } from "svc";
import { scratch } from "./functions";

export function mp_js_ticks_ms(): i32 {
  return i32(raw.uptime_ms());
}

export function mp_js_time_ms(): f64 {
  return f64(raw.uptime_ms());
}

export function delay_ms(ms: i32): void {
  raw.sleep_ms(max(ms, 0));
}

/** The console sleeps whole milliseconds. */
export function delay_us(us: i32): void {
  raw.sleep_ms((max(us, 0) + 999) / 1000);
}

export function mp_js_random_u32(): i32 {
  raw.random(scratch(), 4);
  return load<i32>(scratch());
}
