// SPDX-License-Identifier: Apache-2.0
//
// Tells the thread sanitizer what it cannot see of Swift's Mutex.
//
// A Mutex is locked and unlocked by one atomic operation, which the compiler puts where it is used, and
// the sanitizer sees. If another thread holds it, the lock goes through the kernel (a futex with priority
// inheritance), in functions of libswiftSynchronization, which nobody compiled for the sanitizer: it
// would take everything that a contended Mutex guards for a race. These functions stand before those,
// call them, and say that what happened before the unlocking happened before the locking. Nothing is
// suppressed: a Mutex that did not exclude would still be found out by its fast path, and what no Mutex
// guards is reported as ever.
//
// Scripts/test-sanitized loads it before the tests.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Swift's convention for a method: the object, here the word that is the lock, is in a register of its own.
#define METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Of the sanitizer, in the program that is tested.
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
        // Another version of Swift: better no test than one that proves nothing.
        fprintf(stderr, "mutex_annotations: there is no %s\n", name);
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
