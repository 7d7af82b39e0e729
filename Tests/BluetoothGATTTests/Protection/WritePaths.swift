// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// Every way to change a value (Vol 3, Part F, 3.4.5 and 3.4.6).
enum WritePath: CaseIterable, Sendable {
    case write, command, signed
    case prepared, preparedMiddle, preparedBehindOthers
}

extension GuardedServer {
    /// Tries to write every value as every visitor on this path.
    mutating func tryAll(_ path: WritePath) throws {
        for place in places {
            for visitor in Visitor.all {
                let code = SpecifiedAccess.code(
                    of: place.rule,
                    for: visitor,
                    forbidden: 0x03,
                    isSigned: path == .signed
                )
                try attempt(path, place, visitor, code)
                if !place.isDynamic { try server.setValue(Self.secret, of: place.value) }
            }
        }
    }

    private mutating func attempt(
        _ path: WritePath,
        _ place: Place,
        _ visitor: Visitor,
        _ code: UInt8?
    ) throws {
        let value = Self.written[...]
        switch path {
        case .write: write(place, visitor, code)
        case .command:
            let command = ATT.PDU.writeCommand(.init(handle: place.value, value: value))
            send(command, place, visitor, isPermitted: code == nil)
        case .signed:
            // A signature authenticates the sender, only on a link without encryption.
            let isHeard = !visitor.security.isEncrypted && visitor.security.isBonded
            let command = try signedWrite(place.value)
            send(command, place, visitor, isPermitted: isHeard && code == nil)
        case .prepared: prepare([place.value], offset: 0, place, visitor, code)
        case .preparedMiddle: prepare([place.value], offset: 2, place, visitor, code)
        case .preparedBehindOthers:
            prepare([place.before, place.value, place.after], offset: 0, place, visitor, code)
        }
    }

    private mutating func write(_ place: Place, _ visitor: Visitor, _ code: UInt8?) {
        let request = ATT.WriteRequest(handle: place.value, value: Self.written[...])
        let exchange = exchange(.writeRequest(request), with: visitor)
        if let code {
            expectRefusal(exchange, code, of: .writeRequest, at: place.value, place, visitor)
            return expectUntouched(place, visitor)
        }
        expect(exchange, .writeResponse, place, visitor)
        expectWritten(exchange, Self.written, place, visitor)
    }

    /// Sends a command, which is executed or ignored without a response.
    private mutating func send(
        _ command: ATT.PDU,
        _ place: Place,
        _ visitor: Visitor,
        isPermitted: Bool
    ) {
        let exchange = exchange(command, with: visitor)
        if !exchange.responses.isEmpty { fail("a command is answered", place, visitor) }
        guard isPermitted else {
            expectSilence(exchange, place, visitor)
            return expectUntouched(place, visitor)
        }
        expectWritten(exchange, Self.written, place, visitor)
    }

    /// Prepares a write of each handle, and executes the accepted ones.
    private mutating func prepare(
        _ handles: [AttributeHandle],
        offset: UInt16,
        _ place: Place,
        _ visitor: Visitor,
        _ code: UInt8?
    ) {
        let value = Self.written.dropFirst(Int(offset))
        for handle in handles {
            let request = ATT.PrepareWriteRequest(handle: handle, offset: offset, value: value)
            let exchange = exchange(.prepareWriteRequest(request), with: visitor)
            let isValue = handle == place.value
            if let code = isValue ? code : SpecifiedAccess.neighbourCode(for: visitor) {
                let opcode = ATT.Opcode.prepareWriteRequest
                expectRefusal(exchange, code, of: opcode, at: handle, place, visitor)
            } else {
                let echo = ATT.PrepareWriteResponse(handle: handle, offset: offset, value: value)
                expect(exchange, .prepareWriteResponse(echo), place, visitor)
                expectSilence(exchange, place, visitor)
            }
        }
        expectUntouched(place, visitor)
        let exchange = exchange(.executeWriteRequest(.init(flags: .writeAll)), with: visitor)
        expect(exchange, .executeWriteResponse, place, visitor)
        guard code == nil else {
            if !exchange.questions.isEmpty { fail("the application is asked", place, visitor) }
            return expectUntouched(place, visitor)
        }
        let whole = Self.secret.prefix(Int(offset)) + value
        expectWritten(exchange, Array(whole), place, visitor)
    }

    private mutating func expectUntouched(_ place: Place, _ visitor: Visitor) {
        guard !place.isDynamic, server.value(of: place.value) != Self.secret else { return }
        fail("the value was changed", place, visitor)
    }

    private mutating func expectWritten(
        _ exchange: Exchange,
        _ value: [UInt8],
        _ place: Place,
        _ visitor: Visitor
    ) {
        if place.isDynamic {
            if exchange.questions.count != 1 {
                fail("the application is not asked", place, visitor)
            }
        } else {
            if server.value(of: place.value) != value { fail("nothing is written", place, visitor) }
            if exchange.reports.count != 1 { fail("the application is not told", place, visitor) }
        }
    }
}
