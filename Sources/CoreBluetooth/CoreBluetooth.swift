// SPDX-License-Identifier: Apache-2.0

// # CoreBluetooth
//
// An implementation of Apple's CoreBluetooth framework for Linux. It runs on the Bluetooth host of
// this package or on the system's Bluetooth daemon (BlueZ). It has the same classes, constants and
// delegates. docs/COREBLUETOOTH.md lists the differences.
//
// The folder `API` holds the public classes. Each object keeps a snapshot of its visible state: a
// value behind a lock that any thread may read. Calls of the app run as commands on the adapter's
// thread, in order, and some change the snapshot first. Results return as plain values, in order,
// to the queue that the manager was made with. On that queue, the snapshots change and the
// delegates are called.
//
// Apple's enumerations are imported from C and are open: they can hold values without a name. Swift
// cannot declare such enumerations. A C module declares them, and this module exports it.

@_exported import CoreBluetoothEnumerations
// Apple's framework exports Foundation, and much code relies on it.
@_exported import Foundation
