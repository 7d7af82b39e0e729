// SPDX-License-Identifier: Apache-2.0

// What whoever uses a world meets: instants and addresses. With them, `import VirtualRadio` is all it
// needs.
@_exported import BluetoothTypes
