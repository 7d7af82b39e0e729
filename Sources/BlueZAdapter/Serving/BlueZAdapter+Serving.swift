// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothPort
import DBus
import HCITransports

// Publishing services, and the calls with which the daemon uses their objects.
extension BlueZAdapter {
    package nonisolated func publish(
        _ definition: GATT.ServiceDefinition
    ) throws -> GATT.DiscoveredService {
        try onThread { adapter in
            // A service that is published before the daemon's adapter is known is registered later
            // (`registerServices`).
            guard adapter.adapterPath == nil || adapter.capabilities.contains(.server) else {
                throw PortError.unsupported(.server)
            }
            let service = try adapter.server.publish(definition, number: adapter.nextNumber())
            adapter.thread.perform { [weak adapter] in adapter?.onThread { $0.register(service) } }
            return service.published
        }
    }

    package nonisolated func unpublish(_ service: GATT.DiscoveredService) throws {
        try onThread { adapter in
            let root = try adapter.server.unpublish(service)
            for characteristic in service.characteristics {
                adapter.endServing(characteristic.valueHandle)
            }
            guard let path = adapter.adapterPath else { return }
            let arguments: [DBusValue] = [.objectPath(root)]
            adapter.send(
                BlueZ.call(path, BlueZ.Interface.gattManager, "UnregisterApplication", arguments)
            )
        }
    }

    /// Registers the services with a daemon that does not know them.
    func registerServices() {
        for service in server.services { register(service) }
    }

    private func register(_ service: DaemonServer.Service) {
        guard state == .ready, let adapterPath,
            server.services.contains(where: { $0.root == service.root })
        else { return }
        let arguments: [DBusValue] = [.objectPath(service.root), .properties([:])]
        let message = BlueZ.call(
            adapterPath,
            BlueZ.Interface.gattManager,
            "RegisterApplication",
            arguments
        )
        call(message) { adapter, result in
            guard case .failure(let error) = result, case .failed = error,
                !DaemonError.isNamed("AlreadyExists", error),
                adapter.server.services.contains(where: { $0.root == service.root })
            else { return }
            // If the daemon or its adapter is gone, `registerServices` registers the service later.
            let failure = DaemonError.port(error)
            guard failure != .unavailable, adapter.adapterPath == adapterPath else { return }
            _ = try? adapter.server.unpublish(service.published)
            adapter.report(.publishingFailed(service.published, failure))
        }
    }

    // MARK: Calls

    func serve(
        _ call: DBusMessage,
        _ path: DBusObjectPath,
        _ interface: String?,
        _ member: String
    ) {
        guard let attribute = server.attribute(at: path) else {
            return answerProperties(call, path, interface, member)
        }
        switch member {
        case "ReadValue": read(attribute, call)
        case "WriteValue": write(attribute, call)
        case "AcquireNotify": acquireNotify(attribute, call)
        // The daemon makes this call when the client has confirmed an indication.
        case "Confirm": reply(to: call)
        // The daemon subscribes through AcquireNotify, which names the client.
        case "StartNotify", "StopNotify": refuse(call, Self.notSupported)
        default: answerProperties(call, path, interface, member)
        }
    }

    private static let notSupported = "org.bluez.Error.NotSupported"

    /// Answers the calls to the object manager and to properties.
    private func answerProperties(
        _ call: DBusMessage,
        _ path: DBusObjectPath,
        _ interface: String?,
        _ member: String
    ) {
        switch (interface, member) {
        case (BlueZ.Interface.objectManager, "GetManagedObjects"):
            guard let service = server.services.first(where: { $0.root == path }) else { break }
            return reply(to: call, [service.objects.value])
        case (BlueZ.Interface.properties, "GetAll"):
            guard let name = call.body.first?.string,
                let properties = server.service(with: path)?.objects.objects[path]?[name]
            else { break }
            return reply(to: call, [.properties(properties)])
        default: break
        }
        refuse(call, "org.freedesktop.DBus.Error.UnknownMethod")
    }

    private func read(_ attribute: Attribute, _ call: DBusMessage) {
        let options = call.body.first?.properties ?? [:]
        guard attribute.permissions.read != nil else { return refuse(call, .readNotPermitted) }
        guard let offset = Self.offset(in: options) else { return refuse(call, .invalidOffset) }
        switch attribute.value {
        case .fixed(let bytes), .stored(let bytes, _):
            guard offset <= bytes.count else { return refuse(call, .invalidOffset) }
            reply(to: call, [.bytes(Array(bytes[offset...]))])
        default:
            ask(call, options, isRead: true) {
                .read($0, attribute.handle, offset: offset)
            }
        }
    }

    private func write(_ attribute: Attribute, _ call: DBusMessage) {
        let options = call.body.dropFirst().first?.properties ?? [:]
        guard let value = call.body.first?.bytes, attribute.permissions.write != nil else {
            return refuse(call, .writeNotPermitted)
        }
        guard let offset = Self.offset(in: options) else { return refuse(call, .invalidOffset) }
        // The daemon asks for authorization before it sends the parts of a long value.
        if options["prepare-authorize"]?.boolean == true { return reply(to: call) }
        if case .stored(let old, let limit) = attribute.value {
            guard offset <= old.count else { return refuse(call, .invalidOffset) }
            guard offset + value.count <= limit else {
                return refuse(call, .invalidAttributeValueLength)
            }
            server.database.store(Array(old[..<offset]) + value, at: attribute.handle)
            return reply(to: call)
        }
        let entry = GATT.WriteEntry(handle: attribute.handle, offset: offset, value: value)
        // The daemon expects no reply to a command. BlueZ up to 5.87 does not report the type,
        // which its documentation lists.
        guard options["type"]?.string == "command" || !call.expectsReply else {
            return ask(call, options, isRead: false) { .write($0, [entry], needsAnswer: true) }
        }
        // The application does not answer a command.
        guard let link = client(in: options) else { return refuse(call, .unlikelyError) }
        reply(to: call)
        let client = GATTServer.ClientID(rawValue: link.rawValue)
        report(.asked(link, nextNumber(), .write(client, [entry], needsAnswer: false)))
    }

    /// Returns the offset in the options of a call, or 0 if there is none; `nil` if the offset
    /// exceeds the maximum length of a value.
    private static func offset(in options: DaemonObjects.Properties) -> Int? {
        guard let option = options["offset"] else { return 0 }
        guard let offset = option.integer, (0...GATT.valueLengthLimit).contains(offset) else {
            return nil
        }
        return offset
    }

    /// Asks the application on behalf of the client that the options name.
    private func ask(
        _ call: DBusMessage,
        _ options: DaemonObjects.Properties,
        isRead: Bool,
        _ question: (GATTServer.ClientID) -> GATTServer.Question
    ) {
        guard let link = client(in: options),
            server.questions.count < DaemonServer.questionLimit
        else { return refuse(call, .insufficientResources) }
        let id = nextNumber()
        server.questions[id] = DaemonServer.Question(call: call, link: link, isRead: isRead)
        report(.asked(link, id, question(GATTServer.ClientID(rawValue: link.rawValue))))
    }

    package nonisolated func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle?
    ) {
        onThread { adapter in
            guard let question = adapter.server.questions.removeValue(forKey: request) else {
                return
            }
            switch result {
            case .success(let bytes):
                adapter.reply(to: question.call, question.isRead ? [.bytes(bytes)] : [])
            case .failure(let code): adapter.refuse(question.call, code)
            }
        }
    }

    func refuse(_ call: DBusMessage, _ code: ATT.ErrorCode) {
        let (name, text) = DaemonError.refusal(code)
        refuse(call, name, text)
    }
}
