// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothATT

@Suite("Attribute handles and ATT codes")
struct CodeTests {
    @Test("A handle prints in hexadecimal")
    func printsHandles() {
        #expect(AttributeHandle(0x2A).description == "0x002A")
        #expect(AttributeHandle.last.description == "0xFFFF")
    }

    @Test("Handles are ordered, and the last handle has no next one")
    func ordersHandles() {
        #expect(AttributeHandle.first < .last)
        #expect(AttributeHandle.invalid.next == .first)
        #expect(AttributeHandle(0xFFFE).next == .last)
        #expect(AttributeHandle.last.next == nil)
    }

    @Test("An error code prints its name, or its number if it has none")
    func printsErrorCodes() {
        #expect(ATT.ErrorCode.attributeNotFound.description == "Attribute Not Found")
        #expect(ATT.ErrorCode(rawValue: 0x81).description == "0x81")
        #expect(ATT.ErrorCode.applicationCodes.contains(0x81))
    }

    @Test("Opcodes are classified as requests, responses and commands")
    func classifiesOpcodes() {
        let all = ATT.Opcode.names.keys.map(ATT.Opcode.init(rawValue:))
        #expect(all.count { $0.isRequest } == 12)
        #expect(all.count { $0.isResponse } == 13)
        #expect(all.count { $0.isCommand } == 2)
        #expect(!all.contains { $0.isRequest && ($0.isResponse || $0.isCommand) })
        #expect(!ATT.Opcode.handleValueConfirmation.isResponse)
    }

    @Test("Every request has its response")
    func pairsOpcodes() {
        for opcode in ATT.Opcode.names.keys.map(ATT.Opcode.init(rawValue:)) where opcode.isRequest {
            #expect(opcode.answer.isResponse)
            let name = opcode.description.dropLast(3) + "RSP"
            #expect(opcode.answer.description == name)
        }
    }
}
