// SPDX-License-Identifier: Apache-2.0

// What an application meets when it uses a host: addresses and UUIDs, advertisements, services,
// channels, and error codes. With them, `import BluetoothHost` is all it needs.
@_exported import BluetoothATT
@_exported import BluetoothGAP
@_exported import BluetoothGATT
@_exported import BluetoothHCI
@_exported import BluetoothL2CAP
@_exported import BluetoothSMP
@_exported import BluetoothTypes
