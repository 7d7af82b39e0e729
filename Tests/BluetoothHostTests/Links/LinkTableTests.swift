// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("The table of links")
struct LinkTableTests {
    private static func handle(_ number: UInt16) -> ConnectionHandle {
        ConnectionHandle(rawValue: number)
    }

    private static func identifier(_ number: UInt16) -> LinkIdentifier {
        LinkIdentifier(rawValue: UInt64(number) + 100)
    }

    private static func link(
        _ number: UInt16,
        _ role: HCI.Role = .central,
        deadline: Int64? = nil
    ) -> LinkCore {
        let event = HCI.LEConnectionComplete(
            status: .success,
            connectionHandle: handle(number),
            role: role,
            peerAddress: .init(type: .public, value: UInt64(number)),
            interval: .init(rawValue: 24),
            peripheralLatency: 0,
            supervisionTimeout: .init(rawValue: 72)
        )
        var link = LinkCore(
            identifier: identifier(number),
            report: ConnectionReport(event),
            identity: DeviceAddress(value: UInt64(number), kind: .public),
            localAddress: DeviceAddress(value: 0xC0FF_EE00_0000, kind: .random),
            connectionRequest: nil,
            receiveMTULimit: 517
        )
        link.disconnectDeadline = deadline.map { Instant(nanoseconds: $0) }
        return link
    }

    private static func table(_ numbers: UInt16...) -> LinkTable {
        numbers.reduce(into: LinkTable()) { $0.append(link($1)) }
    }

    /// Gives a link another deadline, as `HostCore.withLink` does.
    private static func setDeadline(
        _ deadline: Int64?,
        of number: UInt16,
        in table: inout LinkTable
    ) throws {
        let index = try #require(table.index(of: handle(number)))
        table.cores[index].disconnectDeadline = deadline.map { Instant(nanoseconds: $0) }
        table.updateDeadline(at: index)
    }

    @Test("Links keep the order in which they began")
    func order() {
        let table = Self.table(3, 1, 2)
        #expect(table.identifiers == [3, 1, 2].map(Self.identifier))
        #expect(table.count == 3)
        #expect(!table.isEmpty)
    }

    @Test("A link is found by its handle and by its identifier")
    func lookUp() {
        let table = Self.table(3, 1)
        #expect(table.index(of: Self.handle(1)) == 1)
        #expect(table.index(of: Self.identifier(3)) == 0)
        #expect(table.index(of: Self.handle(2)) == nil)
        #expect(table.index(of: Self.identifier(2)) == nil)
    }

    @Test("A link is removed once")
    func removal() {
        var table = Self.table(3, 1, 2)
        #expect(table.remove(Self.handle(1))?.handle == Self.handle(1))
        #expect(table.remove(Self.handle(1)) == nil)
        #expect(table.identifiers == [3, 2].map(Self.identifier))
        #expect(table.index(of: Self.identifier(2)) == 1)
        #expect(table.cores.map(\.identifier) == table.identifiers)
    }

    @Test("The number of links as the peripheral follows additions and removals")
    func peripheralCount() {
        var table = Self.table(1)
        #expect(table.peripheralCount == 0)
        table.append(Self.link(2, .peripheral))
        table.append(Self.link(3, .peripheral))
        #expect(table.peripheralCount == 2)
        _ = table.remove(Self.handle(1))
        _ = table.remove(Self.handle(2))
        _ = table.remove(Self.handle(2))
        #expect(table.peripheralCount == 1)
        _ = table.remove(Self.handle(3))
        #expect(table.peripheralCount == 0)
    }

    @Test("The next deadline is the earliest deadline of all links")
    func firstDeadline() throws {
        var table = Self.table(3, 1, 2)
        #expect(table.nextDeadline == nil)
        try Self.setDeadline(9, of: 3, in: &table)
        #expect(table.nextDeadline == Instant(nanoseconds: 9))
        try Self.setDeadline(5, of: 1, in: &table)
        #expect(table.nextDeadline == Instant(nanoseconds: 5))
        try Self.setDeadline(7, of: 1, in: &table)
        #expect(table.nextDeadline == Instant(nanoseconds: 7))
        try Self.setDeadline(nil, of: 1, in: &table)
        #expect(table.nextDeadline == Instant(nanoseconds: 9))
    }

    @Test("The deadline of a link counts only while the link is in the table")
    func deadlineOfEndedLink() {
        var table = Self.table(3)
        table.append(Self.link(1, deadline: 4))
        #expect(table.nextDeadline == Instant(nanoseconds: 4))
        _ = table.remove(Self.handle(1))
        #expect(table.nextDeadline == nil)
    }

    @Test("Only links that are due are returned, in the order of their deadlines")
    func dueLinks() throws {
        var table = Self.table(1, 2, 3, 4)
        for (number, deadline) in [(1, 6), (2, 5), (3, 8), (4, 5)] as [(UInt16, Int64)] {
            try Self.setDeadline(deadline, of: number, in: &table)
        }
        #expect(table.due(now: Instant(nanoseconds: 4)).isEmpty)
        let due = table.due(now: Instant(nanoseconds: 6))
        #expect(due.count == 3)
        #expect(Set(due.prefix(2)) == [Self.identifier(2), Self.identifier(4)])
        #expect(due.last == Self.identifier(1))
    }

    @Test("Removing the deadline of one link leaves the same deadline of other links")
    func sameDeadline() throws {
        var table = Self.table(1, 2, 3)
        for number: UInt16 in 1...3 { try Self.setDeadline(5, of: number, in: &table) }
        for number: UInt16 in [2, 1, 3] {
            #expect(table.nextDeadline == Instant(nanoseconds: 5))
            try Self.setDeadline(nil, of: number, in: &table)
            #expect(!table.due(now: Instant(nanoseconds: 5)).contains(Self.identifier(number)))
        }
        #expect(table.nextDeadline == nil)
    }
}
