// SPDX-License-Identifier: Apache-2.0

// The interface of accessories uses UUIDs, properties, error codes and advertisements, so
// `import VirtualAccessories` is enough for a program that describes an accessory.
@_exported import BluetoothATT
@_exported import BluetoothGAP
@_exported import BluetoothGATT
@_exported import BluetoothSMP
@_exported import BluetoothTypes
