// SPDX-License-Identifier: Apache-2.0
//
// Reports the contended locks of Swift's Mutex to the thread sanitizer.
//
// One inlined atomic operation locks or unlocks a Mutex without contention, and the sanitizer sees
// that operation. A contended lock uses a futex of the kernel in functions of
// libswiftSynchronization. That library is compiled without the sanitizer, which would report a
// race for all data behind a contended Mutex. The functions below replace those of the library,
// call them, and report that each unlock happens before the next lock. They suppress no report: the
// sanitizer still checks the uncontended path and all data that no Mutex guards.
//
// Scripts/test-sanitized loads this library before the tests.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Swift's calling convention for a method passes the object, here the word of the lock, in its own
// register.
#define METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Functions of the sanitizer in the tested program.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

METHOD void lockSlow(uint32_t thread, SELF) __asm__(LOCK);
METHOD bool tryLockSlow(SELF) __asm__(TRY_LOCK);
METHOD void unlockSlow(SELF) __asm__(UNLOCK);

static METHOD void (*realLock)(uint32_t thread, SELF);
static METHOD bool (*realTryLock)(SELF);
static METHOD void (*realUnlock)(SELF);

static void *find(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        // Another version of Swift has other names. A run without these functions proves nothing.
        fprintf(stderr, "mutex_annotations: libswiftSynchronization has no function %s\n", name);
        abort();
    }
    return function;
}

__attribute__((constructor)) static void findAll(void) {
    realLock = find(LOCK);
    realTryLock = find(TRY_LOCK);
    realUnlock = find(UNLOCK);
}

METHOD void lockSlow(uint32_t thread, SELF) {
    realLock(thread, self);
    __tsan_acquire(self);
}

METHOD bool tryLockSlow(SELF) {
    bool isLocked = realTryLock(self);
    if (isLocked) __tsan_acquire(self);
    return isLocked;
}

METHOD void unlockSlow(SELF) {
    __tsan_release(self);
    realUnlock(self);
}
