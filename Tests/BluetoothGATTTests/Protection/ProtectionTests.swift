// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// The ways to access a protected value. None of them may give access to a requester without
/// permission. The tests cover the links of `Requester.all`, the permissions of
/// `SpecifiedAccess.rules`, values of the server and of the application, and UUIDs of both lengths.
///
/// `SpecifiedAccess` alone determines the expected result. Every fault names the requester, the
/// rule and the event.
@Suite("Protected values")
struct ProtectionTests {
    private func expectNone(_ faults: [String], _ comment: Comment) {
        #expect(faults.isEmpty, comment)
        for fault in faults.prefix(10) { Issue.record("\(fault)") }
    }

    @Test("A value is read only with its permission for reading", arguments: ReadPath.allCases)
    func reading(_ path: ReadPath) throws {
        var server = try ProtectedServer(.read)
        server.tryAll(path)
        expectNone(server.faults, "\(path)")
    }

    @Test("A value is written only with its permission for writing", arguments: WritePath.allCases)
    func writing(_ path: WritePath) throws {
        var server = try ProtectedServer(.write)
        try server.tryAll(path)
        expectNone(server.faults, "\(path)")
    }

    @Test("A value is sent only with its permission for subscribing", arguments: SendPath.allCases)
    func sending(_ path: SendPath) throws {
        var server = try ProtectedServer(.subscribe)
        server.tryAll(path) { $0.rule ?? .open }
        expectNone(server.faults, "\(path)")
    }

    @Test(
        "Without a permission for subscribing, a value is sent only with the permission for reading",
        arguments: SendPath.allCases
    )
    func sendingToReaders(_ path: SendPath) throws {
        var server = try ProtectedServer(.read)
        server.tryAll(path) { $0.subscribesAsItReads ? $0.rule ?? .open : .open }
        expectNone(server.faults, "\(path)")
    }
}

extension ProtectedServer.Place {
    /// Whether the subscription follows the rule for reading. Values with long UUIDs have no rule
    /// for subscribing.
    fileprivate var subscribesAsItReads: Bool { type.short16 == nil }
}
