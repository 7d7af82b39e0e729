// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// GATT/CL/GAD: discovery of services, characteristics and descriptors. Cases 07 and 08 discover
/// over BR/EDR with SDP and do not apply.
@Suite struct DiscoveryTests {
    private static let long = "EFCDAB8967452301 0000000085600000"
    private static let longUUID = BluetoothUUID("00006085-0000-0000-0123-456789ABCDEF")

    @Test("GATT/CL/GAD/BV-01-C: Discover All Primary Services")
    func discoverAllPrimaryServices() throws {
        let longUUID = try #require(Self.longUUID)
        Dialogue {
            application(asks: .discoverPrimaryServices(uuid: nil))
            client(sends: "10 0100 FFFF 0028")
            server(sends: "11 06 1000 1300 0018 2000 2900 B068 3000 3200 1918")
            client(sends: "10 3300 FFFF 0028")
            server(sends: "11 14 9000 9600 \(Self.long)")
            client(sends: "10 9700 FFFF 0028")
            server(sends: "01 10 9700 0A")
            operation(
                endsWith: .success(
                    .services([
                        .init(uuid: 0x1800, isPrimary: true, handle: 0x10, endHandle: 0x13),
                        .init(uuid: 0x68B0, isPrimary: true, handle: 0x20, endHandle: 0x29),
                        .init(uuid: 0x1819, isPrimary: true, handle: 0x30, endHandle: 0x32),
                        .init(uuid: longUUID, isPrimary: true, handle: 0x90, endHandle: 0x96),
                    ])
                )
            )
        }.play()
    }

    @Test("Discovery of all primary services ends with the last possible handle")
    func discoverToLastHandle() {
        Dialogue {
            application(asks: .discoverPrimaryServices(uuid: nil))
            client(sends: "10 0100 FFFF 0028")
            server(sends: "11 06 1000 FFFF 0018")
            operation(
                endsWith: .success(
                    .services([
                        .init(uuid: 0x1800, isPrimary: true, handle: 0x10, endHandle: 0xFFFF)
                    ])
                )
            )
        }.play()
    }

    @Test("GATT/CL/GAD/BV-02-C: Discover Primary Service by Service UUID of 16 bits")
    func discoverPrimaryServiceByUUID16() {
        Dialogue {
            application(asks: .discoverPrimaryServices(uuid: 0x1800))
            client(sends: "06 0100 FFFF 0028 0018")
            server(sends: "07 0100 0700 1000 1700")
            client(sends: "06 1800 FFFF 0028 0018")
            server(sends: "01 06 1800 0A")
            operation(
                endsWith: .success(
                    .services([
                        .init(uuid: 0x1800, isPrimary: true, handle: 0x01, endHandle: 0x07),
                        .init(uuid: 0x1800, isPrimary: true, handle: 0x10, endHandle: 0x17),
                    ])
                )
            )
        }.play()
    }

    @Test("GATT/CL/GAD/BV-02-C: Discover Primary Service by Service UUID of 128 bits")
    func discoverPrimaryServiceByUUID128() throws {
        let uuid = try #require(Self.longUUID)
        Dialogue {
            application(asks: .discoverPrimaryServices(uuid: uuid))
            client(sends: "06 0100 FFFF 0028 \(Self.long)")
            server(sends: "07 1000 1700")
            client(sends: "06 1800 FFFF 0028 \(Self.long)")
            server(sends: "01 06 1800 0A")
            operation(
                endsWith: .success(
                    .services([
                        .init(uuid: uuid, isPrimary: true, handle: 0x10, endHandle: 0x17)
                    ])
                )
            )
        }.play()
    }

    @Test("GATT/CL/GAD/BV-03-C: Find Included Services")
    func findIncludedServices() throws {
        let uuid = try #require(Self.longUUID)
        Dialogue {
            application(asks: .findIncludedServices(first: 0x0001, last: 0x000F))
            client(sends: "08 0100 0F00 0228")
            server(sends: "09 08 0200 1000 1F00 0F18")
            client(sends: "08 0300 0F00 0228")
            server(sends: "09 06 0300 2000 2F00 0400 3000 3F00")
            client(sends: "0A 2000")
            server(sends: "0B \(Self.long)")
            client(sends: "0A 3000")
            server(sends: "0B \(Self.long)")
            client(sends: "08 0500 0F00 0228")
            server(sends: "09 08 0500 4000 4F00 0A18")
            client(sends: "08 0600 0F00 0228")
            server(sends: "01 08 0600 0A")
            operation(
                endsWith: .success(
                    .includedServices([
                        included(0x02, .init(0x180F), 0x10...0x1F),
                        included(0x03, uuid, 0x20...0x2F),
                        included(0x04, uuid, 0x30...0x3F),
                        included(0x05, .init(0x180A), 0x40...0x4F),
                    ])
                )
            )
        }.play()
    }

    private func included(
        _ handle: AttributeHandle,
        _ uuid: BluetoothUUID,
        _ handles: ClosedRange<AttributeHandle>
    ) -> GATT.IncludedService {
        let service = GATT.Service(
            uuid: uuid,
            isPrimary: false,
            handle: handles.lowerBound,
            endHandle: handles.upperBound
        )
        return GATT.IncludedService(handle: handle, service: service)
    }

    @Test("GATT/CL/GAD/BV-04-C: Discover All Characteristics of a Service")
    func discoverAllCharacteristics() throws {
        let uuid = try #require(Self.longUUID)
        Dialogue {
            application(asks: .discoverCharacteristics(first: 0x10, last: 0x20, uuid: nil))
            characteristicsFrom0x10To0x20
            operation(
                endsWith: .success(
                    .characteristics([
                        .init(
                            uuid: 0x2A25,
                            handle: 0x11,
                            valueHandle: 0x12,
                            properties: .read,
                            endHandle: 0x12
                        ),
                        .init(
                            uuid: uuid,
                            handle: 0x13,
                            valueHandle: 0x14,
                            properties: [.read, .notify, .extendedProperties],
                            endHandle: 0x20
                        ),
                    ])
                )
            )
        }.play()
    }

    @Test("GATT/CL/GAD/BV-05-C: Discover Characteristics by UUID")
    func discoverCharacteristicsByUUID() {
        Dialogue {
            application(asks: .discoverCharacteristics(first: 0x10, last: 0x20, uuid: 0x2A25))
            characteristicsFrom0x10To0x20
            operation(
                endsWith: .success(
                    .characteristics([
                        .init(
                            uuid: 0x2A25,
                            handle: 0x11,
                            valueHandle: 0x12,
                            properties: .read,
                            endHandle: 0x12
                        )
                    ])
                )
            )
        }.play()
    }

    @DialogueBuilder private var characteristicsFrom0x10To0x20: [Line] {
        client(sends: "08 1000 2000 0328")
        server(sends: "09 07 1100 02 1200 252A")
        client(sends: "08 1200 2000 0328")
        server(sends: "09 15 1300 92 1400 \(Self.long)")
        client(sends: "08 1400 2000 0328")
        server(sends: "01 08 1400 0A")
    }

    @Test("GATT/CL/GAD/BV-06-C: Discover All Characteristic Descriptors")
    func discoverAllCharacteristicDescriptors() throws {
        let uuid = try #require(Self.longUUID)
        Dialogue {
            application(asks: .discoverDescriptors(first: 0x13, last: 0x16))
            client(sends: "04 1300 1600")
            server(sends: "05 01 1300 0229 1400 0329")
            client(sends: "04 1500 1600")
            server(sends: "05 02 1500 \(Self.long)")
            client(sends: "04 1600 1600")
            server(sends: "05 01 1600 0529")
            operation(
                endsWith: .success(
                    .descriptors([
                        .init(uuid: 0x2902, handle: 0x13), .init(uuid: 0x2903, handle: 0x14),
                        .init(uuid: uuid, handle: 0x15), .init(uuid: 0x2905, handle: 0x16),
                    ])
                )
            )
        }.play()
    }
}
