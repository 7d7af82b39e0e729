// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes

@testable import BlueZAdapter
@testable import DBus

extension FuzzTarget {
    static let busTargets = [
        FuzzTarget("dbus-messages", fuzzMessages),
        FuzzTarget("dbus-connection", fuzzConnection),
        FuzzTarget("daemon-objects", fuzzDaemonObjects),
    ]
}

/// Reads a message. It must be the same when it is written and read again.
private func fuzzMessages(_ bytes: [UInt8]) {
    guard let message = try? DBusMessage.read(bytes) else { return }
    require(message.descriptorCount <= DBusLimits.descriptorsPerMessage, "too many descriptors")
    guard let again = try? DBusMessage.read(message.bytes) else {
        return require(false, "cannot be read again")
    }
    // The bytes are compared, because a NaN in a value differs from itself.
    require(again.bytes == message.bytes, "changed by writing and reading")
}

/// Gives a connection the bytes of a bus, in pieces whose length the input chooses.
private func fuzzConnection(_ bytes: [UInt8]) {
    var core = DBusConnectionCore()
    _ = core.start()
    let isOpen = bytes.first.map { $0 & 1 == 0 } ?? false
    if isOpen {
        for line in ["OK 0\r\n", "AGREE_UNIX_FD\r\n"] { _ = core.receive(Array(line.utf8)[...]) }
        let hello = DBusMessage(.reply(to: 1), serial: 1, body: [.string(":1.2")])
        _ = core.receive(hello.bytes[...])
    }
    var calls: Set<UInt32> = []
    for _ in 0..<4 {
        let deadline = Instant(nanoseconds: 10)
        if let (serial, _) = try? core.call(.toBus("Ping"), deadline: deadline) {
            calls.insert(serial)
        }
    }
    var rest = bytes.dropFirst()
    var closes = 0
    func check(_ actions: [DBusConnectionCore.Action]) {
        for action in actions {
            switch action {
            case .completed(let serial, _):
                require(calls.remove(serial) != nil, "a call ended twice")
            case .close: closes += 1
            default: break
            }
        }
    }
    while let length = rest.popFirst() {
        let piece = rest.prefix(Int(length))
        check(core.receive(piece, descriptors: Int(length % 3)))
        rest = rest.dropFirst(piece.count)
    }
    check(core.deadlinePassed(now: Instant(nanoseconds: 10)))
    check(core.disconnected())
    require(closes <= 1, "closed twice")
    require(calls.isEmpty, "a call did not end")
    require(core.nextDeadline == nil, "a deadline is left")
}

/// Gives the objects of a daemon to the readers of devices and of tables.
private func fuzzDaemonObjects(_ bytes: [UInt8]) {
    guard let message = try? DBusMessage.read(bytes) else { return }
    var objects = DaemonObjects()
    for value in message.body { _ = objects.replace(with: value) }
    _ = objects.add(message.body.first?.objectPath, message.body.last)
    require(objects.paths.count <= DaemonObjects.objectLimit, "too many objects")
    for path in objects.paths {
        if let properties = objects.properties(path, BlueZ.Interface.device) {
            let advertisement = DaemonDevice(properties: properties).advertisement
            let count = advertisement?.data.bytes.count ?? 0
            require(count <= AdvertisingData.extendedLimit, "too much data")
        }
        guard let table = DaemonTable(of: path, in: objects) else { continue }
        for value in table.database.characteristics {
            require(table.attributes[value.valueHandle] != nil, "a value without an object")
        }
    }
}
