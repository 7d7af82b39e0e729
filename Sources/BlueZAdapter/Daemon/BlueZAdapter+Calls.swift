// SPDX-License-Identifier: Apache-2.0

import DBus
import HCITransports

// Calls to this program's objects, which only the daemon may make.
extension BlueZAdapter {
    private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"

    func receiveCall(
        _ call: DBusMessage,
        _ path: DBusObjectPath,
        _ interface: String?,
        _ member: String
    ) {
        guard daemon != nil, call.sender == daemon else {
            return refuse(call, Self.unknownObject)
        }
        if path.description == BlueZ.agentPath {
            answerAgent(call, member)
        } else if advertisements.values.contains(where: { $0.path == path }) {
            answerAdvertisement(call, path, interface, member)
        } else if server.services.contains(where: { $0.root == path || path.isBelow($0.root) }) {
            serve(call, path, interface, member)
        } else {
            refuse(call, Self.unknownObject)
        }
    }

    func reply(
        to call: DBusMessage,
        _ values: [DBusValue] = [],
        _ descriptors: [PassedDescriptor] = []
    ) {
        answer(call, .reply(to: call.serial), values, descriptors)
    }

    func refuse(_ call: DBusMessage, _ name: String, _ text: String = "") {
        answer(call, .error(name: name, to: call.serial), [.string(text)], [])
    }

    private func answer(
        _ call: DBusMessage,
        _ kind: DBusMessage.Kind,
        _ values: [DBusValue],
        _ descriptors: [PassedDescriptor]
    ) {
        guard call.expectsReply, let sender = call.sender else { return }
        let message = DBusMessage(
            kind,
            destination: sender,
            expectsReply: false,
            body: values,
            descriptorCount: descriptors.count
        )
        connection?.send(message, descriptors)
    }
}
