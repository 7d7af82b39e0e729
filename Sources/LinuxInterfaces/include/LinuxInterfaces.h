// SPDX-License-Identifier: Apache-2.0
//
// Linux interfaces that the C library's headers do not declare: Bluetooth sockets, and terminals at
// any speed. The headers here contain declarations of the kernel's interface and no logic.

#pragma once

#include "LinuxBluetooth.h"
#include "LinuxSerial.h"
