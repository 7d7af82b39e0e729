// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BusTestSupport
import DBus
import Synchronization
import Testing

/// A fake daemon that lets programs serve, and a central that uses what they publish.
struct ServingDaemon: Sendable {
    let daemon: FakeDaemon
    private let roots: AsyncStream<DBusObjectPath>
    private let advertisements: AsyncStream<DBusObjectPath>
    private let replies: AsyncStream<DBusMessage>

    /// Creates a fake daemon.
    ///
    /// - Parameter refused: The method that the daemon refuses.
    init(refusing refused: String? = nil, isRunning: Bool = true) throws {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.adapter]?["org.bluez.GattManager1"] = [:]
        objects[FakeDaemon.adapter]?["org.bluez.LEAdvertisingManager1"] = [:]
        daemon = try FakeDaemon(objects: objects, isRunning: isRunning)
        let (replies, replyFeed) = AsyncStream.makeStream(of: DBusMessage.self)
        self.replies = replies
        daemon.onReply { replyFeed.yield($0) }
        roots = Self.paths(of: "RegisterApplication", daemon, refused)
        advertisements = Self.paths(of: "RegisterAdvertisement", daemon, refused)
    }

    private static func paths(
        of member: String,
        _ daemon: FakeDaemon,
        _ refused: String?
    ) -> AsyncStream<DBusObjectPath> {
        let (paths, feed) = AsyncStream.makeStream(of: DBusObjectPath.self)
        daemon.on(member) { call, daemon in
            guard member != refused else {
                return daemon.bus.refuse(call, "org.bluez.Error.InvalidArguments")
            }
            if let path = call.body.first?.objectPath { feed.yield(path) }
            daemon.bus.reply(to: call)
        }
        return paths
    }

    /// Calls a method of the program, and returns the reply.
    func call(
        _ path: DBusObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue] = []
    ) async throws -> DBusMessage {
        daemon.bus.send(
            DBusMessage(
                .call(path: path, interface: interface, member: member),
                sender: FakeBus.program,
                body: arguments
            )
        )
        return try #require(await replies.first { _ in true })
    }

    /// Returns the properties of the next advertisement that the program registers.
    func advertisement() async throws -> [String: DBusValue] {
        let path = try #require(await advertisements.first { _ in true })
        let interface = DBusValue.string("org.bluez.LEAdvertisement1")
        let reply = try await call(
            path,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [interface]
        )
        return try #require(reply.body.first?.properties)
    }

    /// Returns the path of a characteristic of the next application that the program registers.
    func characteristic(_ uuid: UInt16) async throws -> DBusObjectPath {
        let root = try #require(await roots.first { _ in true })
        let reply = try await call(
            root,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        )
        let found = (reply.body.first?.entries ?? []).first { entry in
            let interfaces = entry.value.entries ?? []
            return interfaces.contains {
                $0.key.string == "org.bluez.GattCharacteristic1"
                    && $0.value.properties?["UUID"]?.string.flatMap { BluetoothUUID($0) }
                        == BluetoothUUID(uuid)
            }
        }
        return try #require(found?.key.objectPath)
    }

    /// Uses a characteristic of the program as the central of `FakeDaemon.device`.
    func use(
        _ path: DBusObjectPath,
        _ member: String,
        _ arguments: [DBusValue] = [],
        _ options: [String: DBusValue] = [:]
    ) async throws -> DBusMessage {
        var options = options
        options["device"] = .objectPath(try #require(DBusObjectPath(FakeDaemon.device)))
        return try await call(
            path,
            "org.bluez.GattCharacteristic1",
            member,
            arguments + [.properties(options)]
        )
    }

    /// Asks the program's agent about the device.
    func ask(_ member: String, _ arguments: [DBusValue] = []) async throws -> DBusMessage {
        let agent = try #require(DBusObjectPath("/org/lanyard/agent"))
        let device = try #require(DBusObjectPath(FakeDaemon.device))
        return try await call(
            agent,
            "org.bluez.Agent1",
            member,
            [.objectPath(device)] + arguments
        )
    }
}
