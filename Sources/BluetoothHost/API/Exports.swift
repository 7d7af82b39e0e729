// SPDX-License-Identifier: Apache-2.0

// Re-exports the modules whose types are part of the host's API: addresses and UUIDs,
// advertisements, services, channels, and error codes. An application needs to import
// `BluetoothHost` only.
@_exported import BluetoothATT
@_exported import BluetoothGAP
@_exported import BluetoothGATT
@_exported import BluetoothHCI
@_exported import BluetoothL2CAP
@_exported import BluetoothSMP
@_exported import BluetoothTypes
