// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A connected peer, as far as commands need one. Tests put one of their own in its place.
protocol VisitedAccessory: Sendable {
    var address: DeviceAddress { get }
    var mtu: Int { get async throws }

    func discoverServices(uuid: BluetoothUUID?) async throws -> [GATT.Service]
    func discoverSecondaryServices() async throws -> [GATT.Service]
    func discoverIncludedServices(of service: GATT.Service) async throws -> [GATT.IncludedService]
    func discoverCharacteristics(
        of service: GATT.Service,
        uuid: BluetoothUUID?
    ) async throws -> [GATT.Characteristic]
    func discoverDescriptors(of characteristic: GATT.Characteristic) async throws -> [GATT
        .Descriptor]

    func readLong(_ handle: AttributeHandle) async throws -> [UInt8]
    func write(_ bytes: [UInt8], to handle: AttributeHandle) async throws
    func writeWithoutResponse(_ bytes: [UInt8], to handle: AttributeHandle) async throws
    func subscribe(
        to characteristic: GATT.Characteristic,
        kind: GATT.SubscriptionKind?
    ) async throws -> AsyncThrowingStream<[UInt8], any Error>
}
