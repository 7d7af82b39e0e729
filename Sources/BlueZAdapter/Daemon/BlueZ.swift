// SPDX-License-Identifier: Apache-2.0

import DBus

/// The names of BlueZ on the bus (doc/org.bluez.*.rst of BlueZ 5.83), and the path of this
/// program's agent.
enum BlueZ {
    static let service = "org.bluez"
    static let agentPath = "/org/lanyard/agent"

    enum Interface {
        static let adapter = "org.bluez.Adapter1"
        static let device = "org.bluez.Device1"
        static let agent = "org.bluez.Agent1"
        static let agentManager = "org.bluez.AgentManager1"
        static let gattManager = "org.bluez.GattManager1"
        static let advertisingManager = "org.bluez.LEAdvertisingManager1"
        static let advertisement = "org.bluez.LEAdvertisement1"
        static let gattService = "org.bluez.GattService1"
        static let gattCharacteristic = "org.bluez.GattCharacteristic1"
        static let gattDescriptor = "org.bluez.GattDescriptor1"
        static let objectManager = "org.freedesktop.DBus.ObjectManager"
        static let properties = "org.freedesktop.DBus.Properties"
    }

    /// The signals that the adapter needs, as match rules.
    static let rules = [
        DBusMatchRule(sender: service, interface: Interface.objectManager),
        DBusMatchRule(sender: service, interface: Interface.properties),
        DBusMatchRule(sender: service, interface: Interface.device, member: "Disconnected"),
    ]

    /// The match rule for the signal that reports the start or the end of the daemon.
    static let ownerRule = DBusMatchRule(
        sender: DBusMessage.busName,
        member: "NameOwnerChanged",
        firstArgument: service
    )

    /// Returns a call to the daemon.
    static func call(
        _ path: DBusObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue] = []
    ) -> DBusMessage {
        DBusMessage(
            .call(path: path, interface: interface, member: member),
            destination: service,
            body: arguments
        )
    }
}
