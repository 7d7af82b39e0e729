// SPDX-License-Identifier: Apache-2.0
//
// What Linux offers and the C library's headers do not declare: Bluetooth sockets, and terminals at any
// speed. Declared here from the kernel's own interface, and nothing more: no logic.

#pragma once

#include "LinuxBluetooth.h"
#include "LinuxSerial.h"
