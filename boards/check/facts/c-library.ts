/** What our C takes from ESP-IDF's C library that the C library of Debian's compilers lacks. */
import { call, constant, header, struct, type, typed } from "./fact.js";

export const C_LIBRARY = Object.freeze([
  header(
    "pthread.h",
    ["sys/_pthreadtypes.h"],
    [
      typed("PTHREAD_MUTEX_INITIALIZER", "pthread_mutex_t", 4294967295),
      call("pthread_cond_broadcast", "int (pthread_cond_t *)"),
      call("pthread_cond_init", "int (pthread_cond_t *, const pthread_condattr_t *)"),
      call("pthread_cond_timedwait", "int (pthread_cond_t *, pthread_mutex_t *, const struct timespec *)"),
      call("pthread_cond_wait", "int (pthread_cond_t *, pthread_mutex_t *)"),
      call("pthread_condattr_destroy", "int (pthread_condattr_t *)"),
      call("pthread_condattr_init", "int (pthread_condattr_t *)"),
      call("pthread_condattr_setclock", "int (pthread_condattr_t *, clockid_t)"),
      call("pthread_create", "int (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)"),
      call("pthread_join", "int (pthread_t, void **)"),
      call("pthread_mutex_init", "int (pthread_mutex_t *, const pthread_mutexattr_t *)"),
      call("pthread_mutex_lock", "int (pthread_mutex_t *)"),
      call("pthread_mutex_unlock", "int (pthread_mutex_t *)"),
      call("pthread_mutexattr_init", "int (pthread_mutexattr_t *)"),
    ],
  ),
  header(
    "sys/_pthreadtypes.h",
    [],
    [
      type("pthread_t", "__uint32_t"),
      type("pthread_mutex_t", "__uint32_t"),
      type("pthread_cond_t", "__uint32_t"),
      struct("pthread_mutexattr_t", 12, { type: "int" }),
      struct("pthread_attr_t", 32),
      struct("pthread_condattr_t", 8, { clock: "clock_t" }),
    ],
  ),
  header(
    "sys/dirent.h",
    [],
    [
      struct("DIR", 4),
      struct("struct dirent", 260, { d_ino: "ino_t", d_type: "uint8_t", d_name: "char[256]" }),
      constant("DT_DIR", 2),
      constant("DT_REG", 1),
    ],
  ),
  header(
    "sys/poll.h",
    [],
    [
      type("nfds_t", "unsigned int"),
      struct("struct pollfd", 8, { fd: "int", events: "short", revents: "short" }),
      constant("POLLERR", 32),
      constant("POLLHUP", 64),
      constant("POLLIN", 1),
      constant("POLLOUT", 8),
      call("poll", "int (struct pollfd *, nfds_t, int)", { option: "CONFIG_VFS_SUPPORT_SELECT" }),
    ],
  ),
  header(
    "sys/random.h",
    ["sys/_pthreadtypes.h"],
    [call("getrandom", "ssize_t (void *, size_t, unsigned int)")],
  ),
]);
