// SPDX-License-Identifier: Apache-2.0
//
// The header has all declarations. The package manager requires a source file.

#include "CoreBluetoothEnumerations.h"
