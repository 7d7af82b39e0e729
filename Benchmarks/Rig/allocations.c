// SPDX-License-Identifier: Apache-2.0
//
// A library for the host under test. It counts the allocations of the process in the first eight
// bytes of the file $RIG_ALLOCATIONS, which compare.py reads before and after each measurement.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t before;            // until the file is open
static _Atomic uint64_t *counter = &before;

__attribute__((constructor)) static void openCounter(void) {
    const char *path = getenv("RIG_ALLOCATIONS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof before, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) counter = shared;
    close(file);
}

static void count(void) { atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); }

void *malloc(size_t size) { return count(), __libc_malloc(size); }

void *calloc(size_t elements, size_t size) { return count(), __libc_calloc(elements, size); }

void *realloc(void *memory, size_t size) { return count(), __libc_realloc(memory, size); }

void *memalign(size_t alignment, size_t size) { return count(), __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
