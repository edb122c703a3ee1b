/** `svc/system`: properties of the console, and control over it. */

/** @type {import("../../../../ports/system.js").System & import("../../../../../protocol/ports/runtime.js").Clock} */
const system = {
  get board() {
    return native("xs_system_board").call(this);
  },
  architecture: "xtensa",
  get mac() {
    return native("xs_system_mac").call(this);
  },
  get resetReason() {
    return native("xs_system_reset_reason").call(this);
  },
  cpu() {
    return native("xs_system_cpu").call(this);
  },
  heap() {
    return native("xs_system_heap").call(this);
  },
  psram() {
    return native("xs_system_psram").call(this);
  },
  /** @param {number} byteLength */
  hasHeapRoom(byteLength) {
    return native("xs_system_has_heap_room").call(this, byteLength);
  },
  usedHeapBytes() {
    return native("xs_system_used_heap_bytes").call(this);
  },
  liveHeapBytes() {
    return native("xs_system_live_heap_bytes").call(this);
  },
  storage() {
    return native("xs_storage_capacity").call(this);
  },
  uptimeMs() {
    return native("xs_system_uptime_ms").call(this);
  },
  restart() {
    native("xs_system_restart").call(this);
  },
  selectLoader() {
    return native("xs_system_select_loader").call(this);
  },
  /** No-op: the watchdog has been running since the start. */
  ready() {},
  /** No-op: a board never shuts down; it loses power. */
  onShutdown() {},
};

export default Object.freeze(system);
