// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport
import Testing

@Suite("Invalid definitions")
struct DefinitionErrorTests {
    typealias Service = GATT.ServiceDefinition
    typealias Characteristic = GATT.CharacteristicDefinition

    static let uuid = BluetoothUUID(0xFF00)

    /// Returns a database in which handles 0x0010 to 0x0012 are in use.
    static func database() throws -> AttributeDatabase {
        var database = AttributeDatabase()
        _ = try database.publish(
            Service(uuid, [Characteristic(uuid, .read)], handle: AttributeHandle(0x0010))
        )
        return database
    }

    static let wrong: [(Service, GATT.DefinitionError)] = [
        (Service(uuid, [], handle: .invalid), .handleNotFree(.invalid)),
        (
            Service(uuid, [], handle: AttributeHandle(0x0010)),
            .handleNotFree(AttributeHandle(0x0010))
        ),
        (
            Service(uuid, [], handle: AttributeHandle(0x0011)),
            .handleNotFree(AttributeHandle(0x0011))
        ),
        (
            Service(uuid, [Characteristic(uuid, .read)], handle: AttributeHandle(0x000E)),
            .handleNotFree(AttributeHandle(0x0010))
        ),
        (
            Service(
                uuid,
                [Characteristic(uuid, .read, handle: AttributeHandle(0x0020))],
                handle: AttributeHandle(0x0001)
            ),
            .handleNotFree(AttributeHandle(0x0010))
        ),
        (
            Service(
                uuid,
                [Characteristic(uuid, .read, handle: AttributeHandle(0x0030))],
                handle: AttributeHandle(0x0040)
            ),
            .handleNotFree(AttributeHandle(0x0030))
        ),
        (
            Service(
                uuid,
                [
                    Characteristic(
                        uuid,
                        .read,
                        descriptors: [
                            .init(uuid, value: .dynamic, handle: AttributeHandle(0x0041))
                        ]
                    )
                ],
                handle: AttributeHandle(0x0040)
            ),
            .handleNotFree(AttributeHandle(0x0041))
        ),
        (Service(uuid, [Characteristic(uuid, .read)], handle: .last), .tableFull),
        (
            Service(uuid, [Characteristic(uuid, .read, handle: .last)]),
            .tableFull
        ),
        (
            Service(uuid, includes: [.uuid(BluetoothUUID(0x180F))], []),
            .unknownInclude(.uuid(BluetoothUUID(0x180F)))
        ),
        (
            Service(uuid, includes: [.handle(AttributeHandle(0x0011))], []),
            .unknownInclude(.handle(AttributeHandle(0x0011)))
        ),
        (
            Service(
                uuid,
                [Characteristic(uuid, .read, value: .stored([UInt8](repeating: 0, count: 513)))]
            ),
            .valueTooLong(uuid)
        ),
        (
            Service(uuid, [Characteristic(uuid, .read, value: .stored([1, 2], maximumLength: 1))]),
            .valueTooLong(uuid)
        ),
        (
            Service(
                uuid,
                [Characteristic(uuid, .read, value: .stored([1], maximumLength: .min))]
            ),
            .valueTooLong(uuid)
        ),
        (
            Service(
                uuid,
                [
                    Characteristic(
                        uuid,
                        .read,
                        value: .stored([UInt8](repeating: 0, count: 600), maximumLength: .max)
                    )
                ]
            ),
            .valueTooLong(uuid)
        ),
    ]

    @Test(
        "An invalid definition is refused with its reason and leaves the database unchanged",
        arguments: wrong
    )
    func refusals(_ definition: Service, _ error: GATT.DefinitionError) throws {
        var database = try Self.database()
        let (attributes, hash) = (database.attributes, database.hash)
        #expect(throws: error) { try database.publish(definition) }
        #expect(database.attributes == attributes)
        #expect(database.hash == hash)
        #expect(database.services.count == 1)
    }

    @Test(
        "A duplicate of a descriptor that must be unique is refused",
        arguments: [0x2900, 0x2901, 0x2902, 0x2903, 0x2905] as [UInt16]
    )
    func duplicates(_ type: UInt16) throws {
        var database = AttributeDatabase()
        let descriptor = GATT.DescriptorDefinition(BluetoothUUID(type), value: .dynamic)
        let characteristic = Characteristic(
            Self.uuid,
            [.read, .notify],
            descriptors: [descriptor, descriptor]
        )
        #expect(throws: GATT.DefinitionError.duplicateDescriptor(BluetoothUUID(type))) {
            try database.publish(Service(Self.uuid, [characteristic]))
        }
    }

    @Test("A value can have several presentation formats")
    func presentationFormats() throws {
        var database = AttributeDatabase()
        let format = GATT.DescriptorDefinition(BluetoothUUID(0x2904), value: .stored([]))
        let characteristic = Characteristic(Self.uuid, .read, descriptors: [format, format])
        _ = try database.publish(Service(Self.uuid, [characteristic]))
        #expect(database.attributes.count == 5)
    }

    @Test("A database has at most 65,535 attributes")
    func fullTable() throws {
        var database = AttributeDatabase()
        let descriptor = GATT.DescriptorDefinition(Self.uuid, value: .stored([]))
        func characteristic(_ count: Int) -> Characteristic {
            Characteristic(
                Self.uuid,
                .read,
                descriptors: Array(repeating: descriptor, count: count)
            )
        }
        #expect(throws: GATT.DefinitionError.tableFull) {
            try database.publish(Service(Self.uuid, [characteristic(65_533)]))
        }
        let service = try database.publish(Service(Self.uuid, [characteristic(65_532)])).service
        #expect(service.endHandle == .last)
        #expect(database.attributes.count == 65_535)
        #expect(throws: GATT.DefinitionError.tableFull) {
            try database.publish(Service(Self.uuid, []))
        }
    }

    @Test("If the last handle is in use, the first gap that is large enough is used")
    func gaps() throws {
        var database = AttributeDatabase()
        for handle: UInt16 in [0x0001, 0x0003, 0x0008, 0xFFFF] {
            _ = try database.publish(Service(Self.uuid, [], handle: AttributeHandle(handle)))
        }
        let four = Service(Self.uuid, [Characteristic(Self.uuid, .notify)])
        #expect(try database.publish(four).service.handle == AttributeHandle(0x0004))
        #expect(try database.publish(four).service.handle == AttributeHandle(0x0009))
        let one = Service(Self.uuid, [])
        #expect(try database.publish(one).service.handle == AttributeHandle(0x0002))
    }

    @Test("A service that is not published cannot be removed")
    func unpublishing() throws {
        var database = try Self.database()
        #expect(throws: GATT.DefinitionError.notPublished(AttributeHandle(0x0011))) {
            try database.unpublish(AttributeHandle(0x0011))
        }
    }

    @Test(
        "Random definitions are published or refused, and the database stays valid",
        arguments: RunSeed.seeds(1)
    )
    func randomDefinitions(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var database = AttributeDatabase()
        func handle() -> AttributeHandle? {
            guard !generator.happens(oneIn: 3) else { return nil }
            return AttributeHandle(UInt16.random(in: 0...300, using: &generator))
        }
        for _ in 0..<2000 {
            let count = Int.random(in: 0...3, using: &generator)
            let definition = Service(
                Self.uuid,
                includes: generator.happens(oneIn: 4) ? [.uuid(Self.uuid)] : [],
                (0..<count).map { _ in
                    Characteristic(
                        Self.uuid,
                        .init(rawValue: UInt8.random(in: 0...255, using: &generator)),
                        value: .stored(generator.bytes(upTo: 4)),
                        handle: generator.happens(oneIn: 8) ? handle() : nil
                    )
                },
                handle: handle()
            )
            _ = try? database.publish(definition)
            if generator.happens(oneIn: 3),
                let service = database.services.randomElement(using: &generator)
            {
                _ = try? database.unpublish(service.handle)
            }
            let handles = database.attributes.map(\.handle)
            #expect(zip(handles, handles.dropFirst()).allSatisfy { $0 < $1 })
            let services = database.services
            #expect(zip(services, services.dropFirst()).allSatisfy { $0.endHandle < $1.handle })
            #expect(services.allSatisfy { database.attribute($0.handle) != nil })
        }
    }
}
