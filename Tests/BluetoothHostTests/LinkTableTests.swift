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

    private static func link(_ number: UInt16) -> LinkState {
        let event = HCI.LEConnectionComplete(
            status: .success,
            connectionHandle: handle(number),
            role: .central,
            peerAddress: .init(type: .public, value: UInt64(number)),
            interval: .init(rawValue: 24),
            peripheralLatency: 0,
            supervisionTimeout: .init(rawValue: 72)
        )
        return LinkState(
            identifier: LinkIdentifier(rawValue: UInt64(number)),
            report: ConnectionReport(event),
            identity: DeviceAddress(value: UInt64(number), kind: .public),
            localAddress: DeviceAddress(value: 0xC0FF_EE00_0000, kind: .random),
            dial: nil,
            receiveMTULimit: 517
        )
    }

    private static func table(_ numbers: UInt16...) -> LinkTable {
        numbers.reduce(into: LinkTable()) { $0[handle($1)] = link($1) }
    }

    @Test("keeps links in the order in which they came")
    func order() {
        let table = Self.table(3, 1, 2)
        #expect(table.handles == [3, 1, 2].map(Self.handle))
        #expect(table.values.map(\.handle) == table.handles)
        #expect(!table.isEmpty)
    }

    @Test("finds a link by its handle, and nothing by another")
    func lookUp() {
        let table = Self.table(3, 1)
        #expect(table[Self.handle(1)]?.peer.value == 1)
        #expect(table[Self.handle(2)] == nil)
    }

    @Test("changes a link where it is")
    func change() {
        var table = Self.table(3, 1, 2)
        table[Self.handle(1)]?.disconnectDeadline = .zero
        #expect(table[Self.handle(1)]?.isDisconnecting == true)
        #expect(table[Self.handle(2)]?.isDisconnecting == false)
        #expect(table.handles == [3, 1, 2].map(Self.handle))
    }

    @Test("changing a link that is not there adds none")
    func changeOfNone() {
        var table = Self.table(3)
        table[Self.handle(1)]?.disconnectDeadline = .zero
        #expect(table.handles == [Self.handle(3)])
    }

    @Test("replaces a link without moving it")
    func replacement() {
        var table = Self.table(3, 1)
        var newer = Self.link(3)
        newer.disconnectDeadline = .zero
        table[Self.handle(3)] = newer
        #expect(table.handles == [3, 1].map(Self.handle))
        #expect(table[Self.handle(3)]?.isDisconnecting == true)
    }

    @Test("removes a link once")
    func removal() {
        var table = Self.table(3, 1, 2)
        #expect(table.remove(Self.handle(1))?.handle == Self.handle(1))
        #expect(table.remove(Self.handle(1)) == nil)
        table[Self.handle(3)] = nil
        #expect(table.handles == [Self.handle(2)])
        #expect(table.values.count == 1)
    }

    @Test("waits for the first deadline of any link")
    func deadline() {
        var table = Self.table(3, 1)
        #expect(table.nextDeadline == nil)
        table[Self.handle(3)]?.procedures[.phyUpdate] = .init(deadline: Instant(nanoseconds: 9))
        table[Self.handle(1)]?.procedures[.phyUpdate] = .init(deadline: Instant(nanoseconds: 5))
        #expect(table.nextDeadline == Instant(nanoseconds: 5))
    }
}
