# The module `svc` of scripts, and what runs `main.py`. The runtime executes this text before the script.
#
# Functions that draw, and the simple ones, are the console's own: they return its numbers, and below 0 is an error.
# Functions with bytes, and those whose failure a script should not miss, raise OSError with the error's number.
import gc
import js
import sys
from uctypes import addressof


class svc:
    __name__ = "svc"
    DEBUG, INFO, WARNING, ERROR = range(4)
    UP, DOWN, LEFT, RIGHT, A, B, X, Y, START, SELECT = (1 << bit for bit in range(10))
    SQUARE, TRIANGLE, SAWTOOTH, NOISE = range(4)

    @staticmethod
    def display_blit(x, y, w, h, pixels):
        _require(len(pixels) >= 2 * w * h)
        return js.display_blit(x, y, w, h, addressof(pixels))

    @staticmethod
    def display_sprite(x, y, sheet, sheet_w, sheet_h, w, h, number, transparent=-1, flip=0):
        _require(len(sheet) >= 2 * sheet_w * sheet_h)
        return js.display_sprite(x, y, addressof(sheet), sheet_w, sheet_h, w, h, number, transparent, flip)

    @staticmethod
    def random(size):
        buffer = bytearray(size)
        _checked(js.random(addressof(buffer), size))
        return bytes(buffer)

    @staticmethod
    def i2c_read(address, register, size):
        buffer = bytearray(size)
        _checked(js.i2c_read(address, register, addressof(buffer), size))
        return bytes(buffer)

    @staticmethod
    def i2c_write(address, data):
        _checked(js.i2c_write(address, addressof(data), len(data)))

    @staticmethod
    def storage_read(key):
        size = js.storage_size(key)
        if size == -2:
            return None
        return _filled(_checked(size), lambda to: js.storage_read(key, 0, to, size))

    @staticmethod
    def storage_write(key, value):
        if isinstance(value, str):
            value = value.encode()
        _checked(js.storage_write(key, addressof(value), len(value)))

    @staticmethod
    def storage_write_at(key, offset, value):
        if isinstance(value, str):
            value = value.encode()
        _checked(js.storage_write_at(key, offset, addressof(value), len(value)))

    @staticmethod
    def storage_list():
        size = _checked(js.storage_list(0, 0))
        return _filled(size, lambda to: min(js.storage_list(to, size), size)).decode().split()

    @staticmethod
    def storage_delete(key):
        result = js.storage_delete(key)
        return result != -2 and _checked(result) == 0

    @staticmethod
    def card_read(path, offset=0, size=None):
        if size is None:
            size = max(0, _checked(js.card_size(path)) - offset)
        return _filled(size, lambda to: _card_read(path, offset, to, size))

    @staticmethod
    def card_list(path=""):
        size = _checked(js.card_list(path, 0, 0))
        return _filled(size, lambda to: min(_checked(js.card_list(path, to, size)), size)).decode().split("\n")[:-1]

    @staticmethod
    def card_write(path, offset, value):
        if isinstance(value, str):
            value = value.encode()
        written = 0
        while True:
            at = offset if offset < 0 else offset + written
            written += _checked(js.card_write(path, at, addressof(value) + written, len(value) - written))
            if written == len(value):
                return

    @staticmethod
    def card_delete(path):
        result = js.card_delete(path)
        return result != -2 and _checked(result) == 0

    @staticmethod
    def net_connect(host, port):
        return _checked(js.net_connect(host, port))

    @staticmethod
    def net_send(handle, data):
        return _checked(js.net_send(handle, addressof(data), len(data)))

    @staticmethod
    def net_receive(handle, size, timeout_ms):
        return _filled(size, lambda to: js.net_receive(handle, to, size, timeout_ms))

    @staticmethod
    def app_list():
        size = _checked(js.app_list(0, 0))
        return _filled(size, lambda to: min(js.app_list(to, size), size)).decode()


def _require(holds):
    if not holds:
        raise ValueError("fewer pixels than width and height say")


def _checked(result):
    if result < 0:
        raise OSError(-result)
    return result


def _card_read(path, offset, to, size):
    read = 0
    while True:
        part = js.card_read(path, offset + read, to + read, size - read)
        if part < 0:
            return part
        read += part
        if part == 0 or read == size:
            return read


def _filled(size, fill):
    buffer = bytearray(size)
    length = _checked(fill(addressof(buffer)))
    return bytes(buffer if length == size or size == 0 else memoryview(buffer)[:length])


for name in js.names.split():
    if not hasattr(svc, name):
        setattr(svc, name, getattr(js, name))
sys.modules["svc"] = svc

# Not at each 16 KiB: a collection takes as long as the heap is large.
gc.threshold(-1)

# Freed where a script has used up its memory, so that there is some to say so.
spare = bytearray(2048)


# Filled in place, since a copy would take the room that the script's own code needs.
def _script():
    source = bytes(js.script_size())
    js.script_read(addressof(source))
    return source


def _run():
    global spare
    try:
        exec(compile(_script(), "main.py", "exec"), {"__name__": "__main__"})
        return 0
    except SystemExit as error:
        code = error.args[0] if error.args else 0
        return code if isinstance(code, int) else 0 if code is None else 1
    except BaseException as error:
        spare = None
        js.log_errors()
        sys.print_exception(error)
        return 1


js.end(_run())
