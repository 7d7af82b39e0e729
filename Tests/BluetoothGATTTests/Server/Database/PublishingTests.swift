// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Publishing services")
struct PublishingTests {
    typealias Service = GATT.ServiceDefinition
    typealias Characteristic = GATT.CharacteristicDefinition
    typealias Descriptor = GATT.DescriptorDefinition

    static let uuid = BluetoothUUID(0xFF00)

    @Test("A definition becomes declarations, values and descriptors with ascending handles")
    func rows() throws {
        var database = AttributeDatabase()
        let published = try database.publish(
            Service(
                BluetoothUUID(0x180D),
                [
                    Characteristic(BluetoothUUID(0x2A37), .notify),
                    Characteristic(BluetoothUUID(0x2A38), .read, value: .stored([1])),
                ]
            )
        )
        #expect(database.attributes.map(\.handle.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(
            database.attributes.map(\.type)
                == [0x2800, 0x2803, 0x2A37, 0x2902, 0x2803, 0x2A38].map { BluetoothUUID($0) }
        )
        #expect(database.attributes[0].value == .fixed([0x0D, 0x18]))
        #expect(database.attributes[1].value == .fixed([0x10, 0x03, 0x00, 0x37, 0x2A]))
        #expect(database.attributes[3].value == .clientConfiguration(AttributeHandle(3)))
        #expect(published.service.handles == AttributeHandle(1)...AttributeHandle(6))
        let first = try #require(published.characteristics.first)
        #expect(first.characteristic.endHandle == AttributeHandle(4))
        #expect(first.descriptors.map(\.handle) == [AttributeHandle(4)])
        #expect(published.characteristics[1].characteristic.endHandle == AttributeHandle(6))
    }

    @Test("Declarations contain long UUIDs completely")
    func longUUIDs() throws {
        let long = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        var database = AttributeDatabase()
        _ = try database.publish(Service(long, [Characteristic(long, .read)]))
        #expect(database.attributes[0].value == .fixed(long.bytes128))
        #expect(database.attributes[1].value == .fixed([0x02, 0x03, 0x00] + long.bytes128))
    }

    @Test("Explicit handles are used, with gaps between them")
    func explicitHandles() throws {
        var database = AttributeDatabase()
        let published = try database.publish(
            Service(
                Self.uuid,
                [
                    Characteristic(
                        Self.uuid,
                        [.read, .notify],
                        descriptors: [
                            .init(
                                BluetoothUUID(0x2901),
                                value: .stored([0x41]),
                                handle: AttributeHandle(0x0030)
                            ),
                            .init(
                                BluetoothUUID(0x2902),
                                value: .dynamic,
                                handle: AttributeHandle(0x0040)
                            ),
                        ],
                        handle: AttributeHandle(0x0020)
                    ),
                    Characteristic(Self.uuid, .read),
                ],
                handle: AttributeHandle(0x0010)
            )
        )
        #expect(
            database.attributes.map(\.handle.rawValue) == [
                0x10, 0x20, 0x21, 0x30, 0x40, 0x41, 0x42,
            ]
        )
        #expect(published.service.endHandle == AttributeHandle(0x42))
        #expect(
            published.characteristics[0].descriptors.map(\.uuid) == [
                BluetoothUUID(0x2901), BluetoothUUID(0x2902),
            ]
        )
        #expect(published.characteristics[0].characteristic.endHandle == AttributeHandle(0x40))
        #expect(database.groupEnd(of: AttributeHandle(0x10)) == AttributeHandle(0x42))
        let declarations = database.attributes.filter { $0.type == BluetoothUUID(0x2803) }
        #expect(
            declarations.map { database.groupEnd(of: $0.handle) }
                == published.characteristics.indices.map { index in
                    let found = published.characteristics[index]
                    return found.descriptors.last?.handle ?? found.valueHandle
                }
        )
        #expect(database.groupEnd(of: AttributeHandle(0x42)) == AttributeHandle(0x42))
        #expect(database.attribute(AttributeHandle(0x11)) == nil)
        #expect(database.attribute(AttributeHandle(0x41))?.type == BluetoothUUID(0x2803))
    }

    @Test("Attributes are found by handle and by range in a database with gaps")
    func lookup() throws {
        var database = AttributeDatabase()
        for handle: UInt16 in [0x0100, 0x0001, 0xFFFF, 0x0050] {
            _ = try database.publish(Service(Self.uuid, [], handle: AttributeHandle(handle)))
        }
        #expect(database.attributes.map(\.handle.rawValue) == [0x0001, 0x0050, 0x0100, 0xFFFF])
        #expect(database.services.map(\.handle.rawValue) == [0x0001, 0x0050, 0x0100, 0xFFFF])
        let middle = AttributeHandle(0x0002)...AttributeHandle(0x0100)
        #expect(database.attributes(in: middle).map(\.handle.rawValue) == [0x0050, 0x0100])
        #expect(database.services(in: middle).map(\.handle.rawValue) == [0x0050, 0x0100])
        let whole = AttributeHandle.first...AttributeHandle.last
        #expect(database.attributes(in: whole).count == 4)
        #expect(database.service(at: AttributeHandle(0x0051)) == nil)
        #expect(database.attribute(.invalid) == nil)
    }

    @Test("A service can be included by UUID and by handle")
    func includes() throws {
        var database = AttributeDatabase()
        let long = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        _ = try database.publish(Service(BluetoothUUID(0x180F), isPrimary: false, []))
        _ = try database.publish(Service(long, []))
        let includer = Service(
            Self.uuid,
            includes: [.uuid(BluetoothUUID(0x180F)), .handle(AttributeHandle(2))],
            []
        )
        _ = try database.publish(includer)
        #expect(database.attributes[0].type == BluetoothUUID(0x2801))
        #expect(database.attributes[3].type == BluetoothUUID(0x2802))
        #expect(database.attributes[3].value == .fixed([1, 0, 1, 0, 0x0F, 0x18]))
        #expect(database.attributes[4].value == .fixed([2, 0, 2, 0]))
    }

    @Test("An included service cannot be removed before the service that includes it")
    func includedServiceStays() throws {
        var database = AttributeDatabase()
        _ = try database.publish(Service(BluetoothUUID(0x180F), []))
        let includer = Service(Self.uuid, includes: [.handle(.first)], [])
        _ = try database.publish(includer)
        #expect(throws: GATT.DefinitionError.stillIncluded(by: AttributeHandle(3))) {
            try database.unpublish(.first)
        }
        _ = try database.unpublish(AttributeHandle(2))
        _ = try database.unpublish(.first)
        #expect(database.attributes.isEmpty)
        #expect(database.services.isEmpty)
    }

    @Test("Descriptors that properties require are added once")
    func impliedDescriptors() throws {
        var database = AttributeDatabase()
        _ = try database.publish(
            Service(
                Self.uuid,
                [
                    Characteristic(
                        Self.uuid,
                        [.read, .write, .notify, .indicate, .broadcast, .extendedProperties],
                        descriptors: [
                            .init(
                                BluetoothUUID(0x2901),
                                permissions: .init(read: .open, write: .open),
                                value: .stored([])
                            )
                        ]
                    )
                ]
            )
        )
        #expect(
            database.attributes.dropFirst(3).map(\.type)
                == [0x2901, 0x2900, 0x2902, 0x2903].map { BluetoothUUID($0) }
        )
        #expect(database.attributes[4].value == .fixed([0x03, 0x00]))
        #expect(database.attributes[4].permissions == .readable)
        #expect(database.attributes[5].permissions.write == .open)
    }

    @Test(
        "A configuration is always readable, and an explicit permission for writing applies"
    )
    func configurationPermissions() throws {
        var database = AttributeDatabase()
        let silent = Descriptor(BluetoothUUID(0x2902), value: .dynamic)
        let protected = Descriptor(
            BluetoothUUID(0x2902),
            permissions: .init(read: nil, write: .encrypted),
            value: .dynamic
        )
        let characteristics = [silent, protected].map {
            Characteristic(Self.uuid, .notify, descriptors: [$0])
        }
        _ = try database.publish(Service(Self.uuid, characteristics))
        let configurations = database.attributes.filter { $0.type == BluetoothUUID(0x2902) }
        #expect(configurations[0].permissions == .init(read: .open, write: .open))
        #expect(configurations[1].permissions == .init(read: .open, write: .encrypted))
    }
}
