// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// A protected value leaks through no path: all paths, by all kinds of link, to values of all
/// permissions, each kept by the server and by the application, under UUIDs of both lengths.
///
/// What has to come out is said by `SpecifiedAccess` alone; every fault names the visitor, the rule,
/// and what happened.
@Suite("A value that is protected")
struct ProtectionTests {
    private func expectNone(_ faults: [String], _ comment: Comment) {
        #expect(faults.isEmpty, comment)
        for fault in faults.prefix(10) { Issue.record("\(fault)") }
    }

    @Test("is read by those only who may read it", arguments: ReadPath.allCases)
    func reading(_ path: ReadPath) throws {
        var server = try GuardedServer(.read)
        server.tryAll(path)
        expectNone(server.faults, "\(path)")
    }

    @Test("is written by those only who may write it", arguments: WritePath.allCases)
    func writing(_ path: WritePath) throws {
        var server = try GuardedServer(.write)
        try server.tryAll(path)
        expectNone(server.faults, "\(path)")
    }

    @Test("is sent to those only who may be sent it", arguments: SendPath.allCases)
    func sending(_ path: SendPath) throws {
        var server = try GuardedServer(.subscribe)
        server.tryAll(path) { $0.rule ?? .open }
        expectNone(server.faults, "\(path)")
    }

    @Test(
        "is sent to those only who may read it, where nothing else is said",
        arguments: SendPath.allCases
    )
    func sendingToReaders(_ path: SendPath) throws {
        var server = try GuardedServer(.read)
        server.tryAll(path) { $0.subscribesAsItReads ? $0.rule ?? .open : .open }
        expectNone(server.faults, "\(path)")
    }
}

extension GuardedServer.Place {
    /// Values with long UUIDs leave their other rules to the defaults.
    fileprivate var subscribesAsItReads: Bool { type.short16 == nil }
}
