// SPDX-License-Identifier: Apache-2.0

// The API of accessories uses types of these modules, such as UUIDs and properties. A program that
// describes an accessory needs only `import VirtualAccessories`.
@_exported import BluetoothATT
@_exported import BluetoothGAP
@_exported import BluetoothGATT
@_exported import BluetoothSMP
@_exported import BluetoothTypes
