/** `svc/system`: properties of the console, and control over it. */

/** @type {import("../../../../ports/system.js").System & import("../../../../../protocol/ports/runtime.js").Clock} */
const system = {
  get board() {
    return native("xs_system_board").call(this);
  },
  get architecture() {
    return native("xs_system_architecture").call(this);
  },
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
  /** @param {number} byteLength @param {boolean} isToStay */
  hasHeapRoom(byteLength, isToStay) {
    return native("xs_system_has_heap_room").call(this, byteLength, isToStay);
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
  ready({ name, httpPort, wsPort }) {
    native("xs_system_ready").call(this, name, httpPort, wsPort);
  },
  onShutdown(callback) {
    native("xs_system_on_shutdown").call(this, callback);
  },
};

export default Object.freeze(system);
