// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HCITransports

@Suite("Messages of the kernel's management interface")
struct ManagementMessageTests {
    /// The answer to Read Controller Index List as btmon shows it: Command Complete with two
    /// controllers.
    private let list: [UInt8] = [
        0x01, 0x00, 0xFF, 0xFF, 0x09, 0x00, 0x03, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00,
    ]

    @Test("A command is written with the least significant byte first") func command() {
        let message = ManagementMessage(command: 0x0003)
        #expect(message.bytes == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
        #expect(ManagementMessage(command: 0x0102, index: 0x0304).bytes == [2, 1, 4, 3, 0, 0])
    }

    @Test("An answer lists the adapters") func answer() throws {
        let message = try #require(ManagementMessage(list[...]))
        #expect(message.bytes == list)
        let answer = try #require(message.answer(to: 0x0003))
        guard case .done(let parameters) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(ManagementMessage.indices(parameters) == [0, 1])
        #expect(message.answer(to: 0x0036) == nil)
    }

    @Test("An answer contains the error of a refused command") func refusal() throws {
        let status = try #require(ManagementMessage([2, 0, 0xFF, 0xFF, 3, 0, 3, 0, 0x14]))
        #expect(status.answer(to: 3) == .refused(0x14))
        let complete = try #require(ManagementMessage([1, 0, 0xFF, 0xFF, 3, 0, 3, 0, 0x11]))
        #expect(complete.answer(to: 3) == .refused(0x11))
    }

    @Test("Added and removed adapters are distinguished") func announcements() {
        let codes: [(UInt16, announces: Bool, changes: Bool)] = [
            (0x0004, true, true), (0x001D, true, true), (0x0005, false, true),
            (0x001E, false, true), (0x0006, false, true), (0x0001, false, false),
            (0x0013, false, false),
        ]
        for (code, announces, changes) in codes {
            let message = ManagementMessage(command: code, index: 0)
            #expect(message.announcesAdapter == announces)
            #expect(message.changesAdapters == changes)
        }
    }

    @Test("A message with a wrong length is refused") func cut() {
        for length in 0..<list.count { #expect(ManagementMessage(list.prefix(length)) == nil) }
        #expect(ManagementMessage((list + [0])[...]) == nil)
    }

    @Test("A list with a wrong length is refused") func cutList() {
        let indices: [UInt8] = [2, 0, 0, 0, 1, 0]
        #expect(ManagementMessage.indices(indices[...]) == [0, 1])
        for length in 0..<indices.count {
            #expect(ManagementMessage.indices(indices.prefix(length)) == nil)
        }
        #expect(ManagementMessage.indices((indices + [0])[...]) == nil)
        #expect(ManagementMessage.indices([0xFF, 0xFF]) == nil)
    }

    @Test("An answer that is too short is refused") func cutAnswer() throws {
        for count in 0..<3 as Range<UInt8> {
            let bytes = [1, 0, 0xFF, 0xFF, count, 0] + [UInt8](repeating: 3, count: Int(count))
            #expect(try #require(ManagementMessage(bytes[...])).answer(to: 0x0303) == nil)
        }
    }

    @Test("Random bytes never trap") func random() {
        var state: UInt64 = 42
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        var count = 0
        for _ in 0..<10_000 {
            var bytes = (0..<Int(next() % 24)).map { _ in next() % 8 }
            if bytes.count >= 6 { bytes[4] = UInt8(bytes.count - 6); bytes[5] = 0 }
            guard let message = ManagementMessage(bytes[...]) else { continue }
            count += 1
            if case .done(let parameters) = message.answer(to: message.index) {
                _ = ManagementMessage.indices(parameters)
            }
            _ = ManagementMessage.indices(message.parameters)
        }
        #expect(count > 1000)
    }
}
