// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Read Multiple Variable Response")
struct ReadMultipleVariableResponseTests {
    private static let whole: [UInt8] = [0x21, 0x02, 0x00, 0xAA, 0xBB, 0x03, 0x00, 1, 2, 3]

    private func read(_ bytes: some Collection<UInt8>) throws -> ATT.ReadMultipleVariableResponse {
        guard case .readMultipleVariableResponse(let pdu) = try ATT.PDU(parsing: Array(bytes)[...])
        else { throw MalformedBytes.invalid(field: "opcode") }
        return pdu
    }

    @Test("Each value has its length")
    func readsWhole() throws {
        let response = try read(Self.whole)
        #expect(response.values == [[0xAA, 0xBB], [1, 2, 3]])
        #expect(response.encode() == Self.whole)
        #expect(
            response
                == .init(entries: [.init(value: [0xAA, 0xBB]), .init(value: [1, 2, 3])])
        )
    }

    @Test("The MTU may truncate the last value", arguments: 0...2)
    func readsCutValue(kept: Int) throws {
        let response = try read(Self.whole.prefix(7 + kept))
        #expect(response.entries.count == 2)
        #expect(response.entries[1].fullLength == 3)
        #expect(Array(response.values[1]) == Array([1, 2, 3].prefix(kept)))
    }

    @Test("An incomplete length is ignored")
    func readsCutLength() throws {
        #expect(try read(Self.whole.prefix(6)).values == [[0xAA, 0xBB]])
        #expect(try read(Self.whole.prefix(5)).values == [[0xAA, 0xBB]])
    }

    @Test("A response without a complete length is refused", arguments: 1...2)
    func refusesNothing(count: Int) {
        #expect(throws: MalformedBytes.self) { try read(Self.whole.prefix(count)) }
    }
}
