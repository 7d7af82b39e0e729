// SPDX-License-Identifier: Apache-2.0

@_exported import BluetoothTypes

// The types of lower modules that the port uses, so that a user of the port imports only the port.
// None of them belongs to HCI, to pairing or to the host.
@_exported import enum BluetoothATT.ATT
@_exported import struct BluetoothATT.AttributeHandle
@_exported import struct BluetoothGAP.Advertisement
@_exported import struct BluetoothGAP.Advertising
@_exported import struct BluetoothGAP.AdvertisingData
@_exported import enum BluetoothGATT.GATT
@_exported import struct BluetoothGATT.GATTServer
@_exported import enum BluetoothL2CAP.L2CAP
@_exported import protocol HCITransports.HostExecutor
@_exported import protocol HCITransports.HostTimer
