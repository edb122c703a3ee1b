/** What our C takes from components of Espressif's registry: esp_tinyusb 2, TinyUSB, and the driver of the W5500 in its version 1. */
import { call, choice, constant, header, initializer, struct, type } from "./fact.js";

export const REGISTRY = Object.freeze([
  header(
    "class/cdc/cdc_device.h",
    [],
    [
      call("tud_cdc_n_connected", "bool (uint8_t)"),
      call("tud_cdc_n_read_flush", "void (uint8_t)"),
      call("tud_cdc_n_write_clear", "bool (uint8_t)"),
      call("tud_cdc_tx_complete_cb", "void (uint8_t)"),
    ],
    { chip: "esp32s3" },
  ),
  header(
    "device/usbd.h",
    ["tusb_option.h"],
    [
      call("tud_disconnect", "bool (void)"),
      call("tud_resume_cb", "void (void)"),
      call("tud_suspend_cb", "void (bool)"),
    ],
    { chip: "esp32s3" },
  ),
  header(
    "esp_eth_mac_w5500.h",
    ["driver/spi_master.h", "esp_eth_mac.h"],
    [
      struct("eth_w5500_config_t", 36, {
        int_gpio_num: "int",
        spi_host_id: "spi_host_device_t",
        spi_devcfg: "spi_device_interface_config_t *",
      }),
      initializer("ETH_W5500_DEFAULT_CONFIG(host, device)", "eth_w5500_config_t", {
        int_gpio_num: 4,
        spi_host_id: "host",
        spi_devcfg: "device",
      }),
      call("esp_eth_mac_new_w5500", "esp_eth_mac_t *(const eth_w5500_config_t *, const eth_mac_config_t *)"),
    ],
    { chip: "esp32s3" },
  ),
  header(
    "esp_eth_phy_ip101.h",
    ["esp_eth_phy.h"],
    [call("esp_eth_phy_new_ip101", "esp_eth_phy_t *(const eth_phy_config_t *)")],
  ),
  header(
    "esp_eth_phy_ksz80xx.h",
    ["esp_eth_phy.h"],
    [call("esp_eth_phy_new_ksz80xx", "esp_eth_phy_t *(const eth_phy_config_t *)")],
  ),
  header(
    "esp_eth_phy_lan87xx.h",
    ["esp_eth_phy.h"],
    [call("esp_eth_phy_new_lan87xx", "esp_eth_phy_t *(const eth_phy_config_t *)")],
  ),
  header(
    "esp_eth_phy_rtl8201.h",
    ["esp_eth_phy.h"],
    [call("esp_eth_phy_new_rtl8201", "esp_eth_phy_t *(const eth_phy_config_t *)")],
  ),
  header(
    "esp_eth_phy_w5500.h",
    ["esp_eth_phy.h"],
    [call("esp_eth_phy_new_w5500", "esp_eth_phy_t *(const eth_phy_config_t *)")],
    { chip: "esp32s3" },
  ),
  header(
    "tinyusb.h",
    ["tusb.h"],
    [
      choice("tinyusb_port_t", { TINYUSB_PORT_FULL_SPEED_0: 0 }),
      struct("tinyusb_event_t", 8, {}),
      type("tinyusb_event_cb_t", "void (*)(tinyusb_event_t *, void *)"),
      struct("tinyusb_task_config_t", 12, { size: "size_t", priority: "uint8_t" }),
      struct("tinyusb_phy_config_t", 8, {}),
      struct("tinyusb_config_t", 56, {
        port: "tinyusb_port_t",
        phy: "tinyusb_phy_config_t",
        task: "tinyusb_task_config_t",
        event_cb: "tinyusb_event_cb_t",
      }),
      call("tinyusb_driver_install", "esp_err_t (const tinyusb_config_t *)"),
    ],
    { chip: "esp32s3" },
  ),
  header(
    "tinyusb_cdc_acm.h",
    ["esp_err.h"],
    [
      choice("cdcacm_event_type_t", { CDC_EVENT_RX: 0 }),
      choice("tinyusb_cdcacm_itf_t", { TINYUSB_CDC_ACM_0: 0 }),
      struct("cdcacm_event_line_state_changed_data_t", 2, { dtr: "bool" }),
      struct("cdcacm_event_t", 8, {
        type: "cdcacm_event_type_t",
        line_state_changed_data: "cdcacm_event_line_state_changed_data_t",
      }),
      type("tusb_cdcacm_callback_t", "void (*)(int, cdcacm_event_t *)"),
      struct("tinyusb_config_cdcacm_t", 20, {
        cdc_port: "tinyusb_cdcacm_itf_t",
        callback_rx: "tusb_cdcacm_callback_t",
        callback_line_state_changed: "tusb_cdcacm_callback_t",
      }),
      call("tinyusb_cdcacm_init", "esp_err_t (const tinyusb_config_cdcacm_t *)"),
      call("tinyusb_cdcacm_read", "esp_err_t (tinyusb_cdcacm_itf_t, uint8_t *, size_t, size_t *)"),
      call("tinyusb_cdcacm_write_flush", "esp_err_t (tinyusb_cdcacm_itf_t, uint32_t)"),
      call("tinyusb_cdcacm_write_queue", "size_t (tinyusb_cdcacm_itf_t, const uint8_t *, size_t)"),
    ],
    { chip: "esp32s3" },
  ),
  header(
    "tinyusb_default_config.h",
    ["tinyusb.h"],
    [initializer("TINYUSB_DEFAULT_CONFIG(callback)", "tinyusb_config_t", { event_cb: "callback" })],
    { chip: "esp32s3" },
  ),
  header("tusb.h", ["class/cdc/cdc_device.h", "device/usbd.h", "freertos/idf_additions.h"], [], {
    chip: "esp32s3",
  }),
  header("tusb_option.h", [], [constant("OPT_MCU_ESP32S3", 901)], { chip: "esp32s3" }),
]);
