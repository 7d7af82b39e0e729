// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// BlueZ discovers our database, and has a D-Bus object for each service, characteristic and
/// descriptor in it.
@Suite(.machines) struct BeingExploredTests {
    private static let included = GATT.ServiceDefinition(
        BluetoothUUID(0x180F),
        isPrimary: false,
        [.init(BluetoothUUID(0x2A19), [.read, .notify], value: .stored([87]))]
    )

    /// A service with gaps between its handles, as handmade databases have them.
    private static let spread = GATT.ServiceDefinition(
        ServerFixture.uuid(0x400),
        includes: [.uuid(BluetoothUUID(0x180F))],
        [
            .init(
                ServerFixture.uuid(0x401),
                .read,
                value: .stored([1]),
                handle: AttributeHandle(0x120)
            ),
            .init(
                ServerFixture.uuid(0x402),
                [.read, .write, .writeWithoutResponse, .notify, .indicate],
                value: .stored([2]),
                descriptors: [
                    .init(BluetoothUUID(0x2901), value: .stored([0x41])),
                    .init(BluetoothUUID(0x2902), value: .stored([])),
                    .init(ServerFixture.uuid(0x499), value: .stored([3])),
                ],
                handle: AttributeHandle(0x200)
            ),
            .init(ServerFixture.uuid(0x402), .read, value: .stored([4])),
        ],
        handle: AttributeHandle(0x100)
    )

    @Test(
        "BlueZ discovers every service, characteristic and descriptor of the host",
        arguments: Setting.all
    )
    func discovery(_ setting: Setting) async throws {
        let plan = ServerPlan.such {
            $0.services = [ServerFixture.definition, Self.included, Self.spread]
        }
        try await withServingHost(setting, "exploring", plan) { server in
            let (client, _) = try await server.connectClient()
            let tree = try await server.bluez.tree(client.path)
            for service in server.services {
                expect(service, in: BusTree(tree, of: client.path))
            }
            #expect(
                BusTree(tree, of: client.path).included(by: server.services[2]) == [
                    server.services[1].service.handle
                ]
            )
        }
    }

    private func expect(_ service: GATT.DiscoveredService, in tree: BusTree) {
        let handle = service.service.handle
        let found = tree.service(handle)
        #expect(found["UUID"].text == service.service.uuid.bluez)
        #expect(found["Primary"] == .boolean(service.service.isPrimary))
        let characteristics = service.characteristics.map(\.characteristic)
        #expect(tree.characteristics(of: handle) == Set(characteristics.map(\.handle)))
        for characteristic in service.characteristics {
            let place = (handle, characteristic.characteristic.handle)
            let shown = tree.characteristic(place.1, of: place.0)
            #expect(shown["UUID"].text == characteristic.characteristic.uuid.bluez)
            let flags = Set(shown["Flags"].elements.compactMap(\.text))
            #expect(flags == characteristic.characteristic.properties.busFlags)
            #expect(
                tree.descriptors(of: place.1, in: place.0)
                    == Dictionary(
                        uniqueKeysWithValues: characteristic.descriptors.map {
                            ($0.handle, $0.uuid.bluez)
                        }
                    )
            )
        }
    }
}

/// The D-Bus objects of one device. BlueZ names each by its handle:
/// `…/service0100/char0200/desc0202`.
private struct BusTree {
    private let objects: JSON
    private let root: String

    init(_ objects: JSON, of path: String) {
        self.objects = objects
        root = path
    }

    func service(_ handle: AttributeHandle) -> JSON {
        objects[path(handle)]["org.bluez.GattService1"]
    }

    func characteristic(_ handle: AttributeHandle, of service: AttributeHandle) -> JSON {
        objects[path(service, handle)]["org.bluez.GattCharacteristic1"]
    }

    /// Returns the handles of all characteristics of a service.
    func characteristics(of service: AttributeHandle) -> Set<AttributeHandle> {
        Set(children(of: path(service), named: "char").keys)
    }

    /// Returns the handles and UUIDs of all descriptors of a characteristic.
    func descriptors(
        of characteristic: AttributeHandle,
        in service: AttributeHandle
    ) -> [AttributeHandle: String] {
        children(of: path(service, characteristic), named: "desc").compactMapValues {
            $0["org.bluez.GattDescriptor1"]["UUID"].text
        }
    }

    /// Returns the handles of the services that a service includes.
    func included(by service: GATT.DiscoveredService) -> [AttributeHandle] {
        self.service(service.service.handle)["Includes"].elements.compactMap { path in
            path.text.flatMap { Self.handle(at: $0) }
        }
    }

    private func children(of path: String, named kind: String) -> [AttributeHandle: JSON] {
        let prefix = "\(path)/\(kind)"
        let found = objects.members.filter {
            $0.key.hasPrefix(prefix) && !$0.key.dropFirst(prefix.count).contains("/")
        }
        return Dictionary(
            uniqueKeysWithValues: found.compactMap { path, object in
                Self.handle(at: path).map { ($0, object) }
            }
        )
    }

    private func path(_ service: AttributeHandle, _ characteristic: AttributeHandle? = nil)
        -> String
    {
        let name = root + "/service" + Self.digits(service)
        return characteristic.map { name + "/char" + Self.digits($0) } ?? name
    }

    private static func digits(_ handle: AttributeHandle) -> String {
        [UInt8(handle.rawValue >> 8), UInt8(handle.rawValue & 0xFF)].hexadecimal
    }

    private static func handle(at path: String) -> AttributeHandle? {
        UInt16(path.suffix(4), radix: 16).map { AttributeHandle($0) }
    }
}

extension GATT.CharacteristicProperties {
    /// The names of these properties on D-Bus.
    fileprivate var busFlags: Set<String> {
        let names: [(GATT.CharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.write, "write"),
            (.writeWithoutResponse, "write-without-response"), (.notify, "notify"),
            (.indicate, "indicate"), (.authenticatedSignedWrites, "authenticated-signed-writes"),
            (.extendedProperties, "extended-properties"),
            // Each Extended Properties descriptor of the served database has only the bit for
            // reliable writes.
            (.extendedProperties, "reliable-write"),
        ]
        return Set(names.filter { contains($0.0) }.map(\.1))
    }
}
