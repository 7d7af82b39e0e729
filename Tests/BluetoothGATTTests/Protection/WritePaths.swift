// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// Every way to change a value (Vol 3, Part F, 3.4.5 and 3.4.6).
enum WritePath: CaseIterable, Sendable {
    case write, command, signed
    case prepared, preparedMiddle, preparedBehindOthers
}

extension ProtectedServer {
    /// Tries to write every protected value in this way, once as each requester.
    mutating func tryAll(_ path: WritePath) throws {
        for place in places {
            for requester in Requester.all {
                let code = SpecifiedAccess.code(
                    of: place.rule,
                    for: requester,
                    forbidden: 0x03,
                    isSigned: path == .signed
                )
                try attempt(path, place, requester, code)
                if !place.isDynamic { try server.setValue(Self.secret, of: place.value) }
            }
        }
    }

    private mutating func attempt(
        _ path: WritePath,
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?
    ) throws {
        let value = Self.written[...]
        switch path {
        case .write: write(place, requester, code)
        case .command:
            let command = ATT.PDU.writeCommand(.init(handle: place.value, value: value))
            send(command, place, requester, isPermitted: code == nil)
        case .signed:
            // A signature authenticates the sender only on a link without encryption.
            let isAccepted = !requester.security.isEncrypted && requester.security.isBonded
            let command = try signedWrite(place.value)
            send(command, place, requester, isPermitted: isAccepted && code == nil)
        case .prepared: prepare([place.value], offset: 0, place, requester, code)
        case .preparedMiddle: prepare([place.value], offset: 2, place, requester, code)
        case .preparedBehindOthers:
            prepare([place.before, place.value, place.after], offset: 0, place, requester, code)
        }
    }

    private mutating func write(_ place: Place, _ requester: Requester, _ code: UInt8?) {
        let request = ATT.WriteRequest(handle: place.value, value: Self.written[...])
        let exchange = exchange(.writeRequest(request), with: requester)
        if let code {
            expectRefusal(exchange, code, of: .writeRequest, at: place.value, place, requester)
            return expectUntouched(place, requester)
        }
        expect(exchange, .writeResponse, place, requester)
        expectWritten(exchange, Self.written, place, requester)
    }

    /// Sends a command, which is executed or ignored without a response.
    private mutating func send(
        _ command: ATT.PDU,
        _ place: Place,
        _ requester: Requester,
        isPermitted: Bool
    ) {
        let exchange = exchange(command, with: requester)
        if !exchange.responses.isEmpty { fail("a command gets a response", place, requester) }
        guard isPermitted else {
            expectSilence(exchange, place, requester)
            return expectUntouched(place, requester)
        }
        expectWritten(exchange, Self.written, place, requester)
    }

    /// Prepares a write of each handle, and executes the accepted writes.
    private mutating func prepare(
        _ handles: [AttributeHandle],
        offset: UInt16,
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?
    ) {
        let value = Self.written.dropFirst(Int(offset))
        for handle in handles {
            let request = ATT.PrepareWriteRequest(handle: handle, offset: offset, value: value)
            let exchange = exchange(.prepareWriteRequest(request), with: requester)
            let isValue = handle == place.value
            if let code = isValue ? code : SpecifiedAccess.openValueCode(for: requester) {
                let opcode = ATT.Opcode.prepareWriteRequest
                expectRefusal(exchange, code, of: opcode, at: handle, place, requester)
            } else {
                let echo = ATT.PrepareWriteResponse(handle: handle, offset: offset, value: value)
                expect(exchange, .prepareWriteResponse(echo), place, requester)
                expectSilence(exchange, place, requester)
            }
        }
        expectUntouched(place, requester)
        let exchange = exchange(.executeWriteRequest(.init(flags: .writeAll)), with: requester)
        expect(exchange, .executeWriteResponse, place, requester)
        guard code == nil else {
            if !exchange.questions.isEmpty {
                fail("the application gets a question", place, requester)
            }
            return expectUntouched(place, requester)
        }
        let whole = Self.secret.prefix(Int(offset)) + value
        expectWritten(exchange, Array(whole), place, requester)
    }

    private mutating func expectUntouched(_ place: Place, _ requester: Requester) {
        guard !place.isDynamic, server.value(of: place.value) != Self.secret else { return }
        fail("the value was changed", place, requester)
    }

    private mutating func expectWritten(
        _ exchange: Exchange,
        _ value: [UInt8],
        _ place: Place,
        _ requester: Requester
    ) {
        if place.isDynamic {
            if exchange.questions.count != 1 {
                fail("the application gets no question", place, requester)
            }
        } else {
            if server.value(of: place.value) != value {
                fail("nothing is written", place, requester)
            }
            if exchange.reports.count != 1 {
                fail("the application gets no report", place, requester)
            }
        }
    }
}
