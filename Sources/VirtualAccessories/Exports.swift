// SPDX-License-Identifier: Apache-2.0

// What whoever describes an accessory meets: UUIDs, properties, error codes and advertisements. With
// them, `import VirtualAccessories` is all it needs.
@_exported import BluetoothATT
@_exported import BluetoothGAP
@_exported import BluetoothGATT
@_exported import BluetoothSMP
@_exported import BluetoothTypes
