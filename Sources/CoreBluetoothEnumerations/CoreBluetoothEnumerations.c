// SPDX-License-Identifier: Apache-2.0
//
// All there is stands in the header; the package manager asks for a source.

#include "CoreBluetoothEnumerations.h"
