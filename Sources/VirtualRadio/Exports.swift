// SPDX-License-Identifier: Apache-2.0

// The interface of a world uses instants and addresses, so `import VirtualRadio` is enough for a
// program that uses a world.
@_exported import BluetoothTypes
