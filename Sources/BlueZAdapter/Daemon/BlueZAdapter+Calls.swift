// SPDX-License-Identifier: Apache-2.0

import DBus

// Calls of this program's objects, which only the daemon may make.
extension BlueZAdapter {
    private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"

    func receiveCall(_ call: DBusMessage, _ path: DBusObjectPath, _ member: String) {
        guard daemon != nil, call.sender == daemon, path.description == BlueZ.agentPath else {
            return refuse(call, Self.unknownObject)
        }
        answerAgent(call, member)
    }

    func reply(to call: DBusMessage, _ values: [DBusValue] = []) {
        answer(call, .reply(to: call.serial), values)
    }

    func refuse(_ call: DBusMessage, _ name: String) {
        answer(call, .error(name: name, to: call.serial), [])
    }

    private func answer(_ call: DBusMessage, _ kind: DBusMessage.Kind, _ values: [DBusValue]) {
        guard call.expectsReply, let sender = call.sender else { return }
        connection?.send(
            DBusMessage(kind, destination: sender, expectsReply: false, body: values)
        )
    }
}
