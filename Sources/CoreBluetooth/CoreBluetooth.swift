// SPDX-License-Identifier: Apache-2.0

// # CoreBluetooth
//
// Apple's framework of this name, where there is none: the same classes, constants and delegates,
// behaving the same, on the host of this package. Code that says `import CoreBluetooth` compiles and
// works unchanged.
//
// The folder `API` holds what an application sees, each class with what it shows of itself in a
// mirror that any thread may read. What an application asks for goes, in order, to the thread of the
// adapter; what happens there comes back as plain values, in order, to the queue that the manager was
// given, where the mirrors change and the delegates hear of it.
//
// What Apple's importer makes of C, Swift cannot say: its enumerations are open. They come from a
// module in C, and belong to this one.

@_exported import CoreBluetoothEnumerations
// Apple's framework brings Foundation along, and much code counts on it.
@_exported import Foundation
