/*
 * embedded:storage/key-value: strings in NVS, one namespace for each domain. NVS writes a new value beside the old one and
 * then removes that, so that a power cut leaves one of the two.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "nvs.h"
#include "utf8.h"

enum { MAXIMUM_VALUE_BYTES = 3999 };		/* of a string in NVS, without its NUL */

static const char *name_of(xsMachine *the, int argument)
{
	const char *name = xsmcToString(xsArg(argument));
	const size_t length = strlen(name);
	if (length == 0 || length >= NVS_KEY_NAME_MAX_SIZE)
		xsRangeError("key and path have 1 to %d characters each", NVS_KEY_NAME_MAX_SIZE - 1);
	return name;
}

static void check(xsMachine *the, esp_err_t error)
{
	if (error != ESP_OK)
		xsUnknownError("the settings' memory fails: %s", esp_err_to_name(error));
}

/* @returns false if there is no such domain, which a write would make */
static bool open_domain(xsMachine *the, nvs_open_mode_t mode, nvs_handle_t *handle)
{
	esp_err_t error = nvs_open(name_of(the, 0), mode, handle);
	if (error == ESP_ERR_NVS_NOT_FOUND && mode == NVS_READONLY)
		return false;
	check(the, error);
	return true;
}

/* check(name): throws unless it is a valid name of a domain or a key. */
void xs_key_value_check(xsMachine *the)
{
	(void)name_of(the, 0);
}

/* read(path, key) */
void xs_key_value_read(xsMachine *the)
{
	nvs_handle_t handle;
	size_t size = 0;
	const char *key = name_of(the, 1);
	if (!open_domain(the, NVS_READONLY, &handle))
		return;
	esp_err_t error = nvs_get_str(handle, key, NULL, &size);
	char *value = error == ESP_OK ? malloc(size) : NULL;
	if (value)
		error = nvs_get_str(handle, key, value, &size);
	nvs_close(handle);
	// The engine reads past the end of a text that is not UTF-8: such a value is damaged.
	const uint8_t *bytes = (const uint8_t *)value;
	const size_t length = value && error == ESP_OK ? strlen(value) : 0;
	if (value && error == ESP_OK && utf8_well_formed_run(bytes, bytes + length) == length)
		xsmcSetString(xsResult, value);
	free(value);
	if (error != ESP_ERR_NVS_NOT_FOUND)
		check(the, value || error != ESP_OK ? error : ESP_ERR_NO_MEM);
}

/* write(path, key, value) */
void xs_key_value_write(xsMachine *the)
{
	nvs_handle_t handle;
	if (xsmcTypeOf(xsArg(2)) != xsStringType && xsmcTypeOf(xsArg(2)) != xsStringXType)
		xsTypeError("a value is a string");
	const char *key = name_of(the, 1), *value = xsmcToString(xsArg(2));
	if (strlen(value) > MAXIMUM_VALUE_BYTES)
		xsRangeError("a value has at most %d bytes", MAXIMUM_VALUE_BYTES);
	(void)open_domain(the, NVS_READWRITE, &handle);
	esp_err_t error = nvs_set_str(handle, key, value);
	if (error == ESP_OK)
		error = nvs_commit(handle);
	nvs_close(handle);
	check(the, error);
}

/* delete(path, key) */
void xs_key_value_delete(xsMachine *the)
{
	nvs_handle_t handle;
	const char *key = name_of(the, 1);
	if (!open_domain(the, NVS_READWRITE, &handle))
		return;
	esp_err_t error = nvs_erase_key(handle, key);
	if (error == ESP_OK)
		error = nvs_commit(handle);
	nvs_close(handle);
	if (error != ESP_ERR_NVS_NOT_FOUND)
		check(the, error);
}
