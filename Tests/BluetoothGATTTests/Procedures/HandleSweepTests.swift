// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import Testing

@testable import BluetoothGATT

/// A *sweep* is the progress of a discovery through a range of handles; see ``HandleSweep``.
@Suite("Handles in server responses")
struct HandleSweepTests {
    private func sweep(_ first: UInt16, _ last: UInt16) -> HandleSweep {
        HandleSweep(from: .init(first), through: .init(last))
    }

    @Test("A sweep continues after the last attribute")
    func passes() throws {
        var sweep = sweep(10, 20)
        #expect(sweep.next == .init(10))
        try sweep.pass(.init(12))
        #expect(sweep.next == .init(13))
        try sweep.pass(.init(13), groupEnd: .init(19))
        #expect(sweep.next == .init(20))
    }

    @Test("A sweep ends after its last handle, even if that is handle 0xFFFF")
    func ends() throws {
        var short = sweep(10, 20)
        try short.pass(.init(20))
        #expect(short.next == nil)
        var whole = HandleSweep()
        try whole.pass(.init(1), groupEnd: .last)
        #expect(whole.next == nil)
    }

    @Test("A sweep of an empty range has no handles")
    func empty() {
        #expect(sweep(20, 10).next == nil)
        #expect(sweep(20, 20).next == .init(20))
    }

    @Test(
        "A sweep refuses handles that do not ascend or lie outside of its range",
        arguments: [(9, 9), (0, 5), (12, 11), (15, 21), (21, 21), (0xFFFF, 0xFFFF)]
    )
    func refuses(handle: UInt16, groupEnd: UInt16) {
        var sweep = sweep(10, 20)
        #expect(throws: GATT.Failure.self) {
            try sweep.pass(.init(handle), groupEnd: .init(groupEnd))
        }
        #expect(sweep.next == .init(10))
    }

    @Test("A sweep refuses a repeated handle, and any handle after its end")
    func once() throws {
        var sweep = sweep(10, 20)
        try sweep.pass(.init(10))
        #expect(throws: GATT.Failure.self) { try sweep.pass(.init(10)) }
        try sweep.pass(.init(20))
        #expect(throws: GATT.Failure.self) { try sweep.pass(.init(20)) }
    }
}
