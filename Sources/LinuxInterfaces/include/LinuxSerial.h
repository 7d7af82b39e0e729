// SPDX-License-Identifier: Apache-2.0
//
// Terminals at any speed: `struct termios2` and its constants, as the kernel declares them in
// <asm/termbits.h>. That header conflicts with the C library's <termios.h>, which declares other
// structures with the same names. The declarations here therefore have a prefix.

#pragma once

#if defined(__linux__)

#include <stdint.h>

#if defined(__mips__) || defined(__powerpc__) || defined(__sparc__) || defined(__alpha__)
#error "this architecture does not use the generic constants below"
#endif

struct linux_termios2 {
    uint32_t c_iflag;
    uint32_t c_oflag;
    uint32_t c_cflag;
    uint32_t c_lflag;
    uint8_t c_line;
    uint8_t c_cc[19];
    uint32_t c_ispeed;
    uint32_t c_ospeed;
};

// `_IOR('T', 0x2A, struct termios2)` and `_IOW('T', 0x2B, struct termios2)`.
static const unsigned long linux_TCGETS2 = 0x802C542A;
static const unsigned long linux_TCSETS2 = 0x402C542B;
static const unsigned long linux_TCFLSH = 0x540B;
static const unsigned long linux_TIOCEXCL = 0x540C;
static const unsigned long linux_TIOCNXCL = 0x540D;
static const unsigned long linux_TIOCGETD = 0x5424;

// Arguments of TCFLSH.
static const int linux_TCOFLUSH = 1;
static const int linux_TCIOFLUSH = 2;

// Bits of c_cflag.
static const uint32_t linux_CS8 = 0x00000030;
static const uint32_t linux_CREAD = 0x00000080;
static const uint32_t linux_CLOCAL = 0x00000800;
static const uint32_t linux_BOTHER = 0x00001000;
static const uint32_t linux_CBAUD = 0x0000100F;
static const uint32_t linux_CIBAUD = 0x100F0000;
static const uint32_t linux_CRTSCTS = 0x80000000;

// Indices in c_cc.
static const int linux_VMIN = 6;

// Line disciplines.
static const int linux_N_TTY = 0;

#endif
