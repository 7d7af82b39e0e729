// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The server's side of the Attribute Protocol, for one client at a time (Vol 3, Part F, 3.4).
///
/// The table outlives the client; all else is forgotten with `clientLeft`.
struct AttributeServer: Sendable {
    /// What came of a PDU.
    enum Result: Sendable {
        /// Send this PDU.
        case respond([UInt8])
        /// The client subscribes to the value, or no longer does.
        case subscriptionChanged(AttributeHandle, ClientConfiguration)
        /// The client has confirmed an indication.
        case confirmed
        /// Do this, after what was to be sent.
        case act(AccessoryDeed)
    }

    /// Why a request is refused, and because of which attribute.
    struct Refusal: Error {
        let code: ATT.ErrorCode
        let handle: AttributeHandle
    }

    /// The longest PDU that the server receives.
    let receiveMTU: UInt16
    var values: AccessoryValues
    /// What the client has agreed on, subscribed to and begun to write.
    var client = Client()

    struct Client: Sendable {
        /// The longest PDU that either side may send.
        var mtu = ATT.defaultMTU
        var configurations: [AttributeHandle: ClientConfiguration] = [:]
        var prepared: [ATT.PrepareWriteRequest] = []
    }

    init(_ profile: AccessoryProfile) {
        receiveMTU = profile.mtu
        values = AccessoryValues(table: AttributeTable(profile))
    }

    var table: AttributeTable { values.table }

    /// What the client wants to be sent of a value.
    func configuration(of valueHandle: AttributeHandle) -> ClientConfiguration {
        client.configurations[valueHandle] ?? []
    }

    /// The link has ended.
    mutating func clientLeft() {
        client = Client()
    }

    /// Takes a PDU of the client.
    mutating func receive(_ bytes: ArraySlice<UInt8>) -> [Result] {
        guard let first = bytes.first else { return [] }
        let opcode = ATT.Opcode(rawValue: first)
        guard let pdu = try? ATT.PDU(parsing: bytes) else {
            return opcode.isRequest ? [refuse(opcode, .init(code: .invalidPDU))] : []
        }
        do throws(Refusal) {
            return try answer(pdu)
        } catch {
            return [refuse(opcode, error)]
        }
    }

    private mutating func answer(_ pdu: ATT.PDU) throws(Refusal) -> [Result] {
        switch pdu {
        case .exchangeMTURequest(let request): return exchangeMTU(request)
        case .findInformationRequest(let request): return [.respond(try find(request))]
        case .findByTypeValueRequest(let request): return [.respond(try find(request))]
        case .readByTypeRequest(let request): return [.respond(try read(request))]
        case .readByGroupTypeRequest(let request): return [.respond(try read(request))]
        case .readRequest(let request): return [.respond(try read(request))]
        case .readBlobRequest(let request): return [.respond(try read(request))]
        case .readMultipleRequest(let request): return [.respond(try read(request))]
        case .readMultipleVariableRequest(let request): return [.respond(try read(request))]
        case .writeRequest(let request): return try write(request)
        case .writeCommand(let command): return write(command)
        case .prepareWriteRequest(let request): return [.respond(try prepare(request))]
        case .executeWriteRequest(let request): return try execute(request)
        case .handleValueConfirmation: return [.confirmed]
        case .unknown(let opcode, _) where !opcode.isCommand:
            throw Refusal(code: .requestNotSupported)
        default: return []  // Commands that are not served, and answers to nothing.
        }
    }

    private mutating func exchangeMTU(_ request: ATT.ExchangeMTURequest) -> [Result] {
        client.mtu = max(ATT.defaultMTU, Int(min(request.receiveMTU, receiveMTU)))
        return [.respond(ATT.ExchangeMTUResponse(receiveMTU: receiveMTU).encode())]
    }

    private func refuse(_ opcode: ATT.Opcode, _ refusal: Refusal) -> Result {
        .respond(
            ATT.ErrorResponse(requestOpcode: opcode, handle: refusal.handle, code: refusal.code)
                .encode()
        )
    }
}

extension AttributeServer.Refusal {
    /// A refusal for which no attribute is to blame.
    init(code: ATT.ErrorCode) {
        self.init(code: code, handle: .invalid)
    }
}
