// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A small GATT server with one service to read, write and subscribe to.
struct ModelServer: Sendable {
    struct Attribute: Sendable {
        let handle: AttributeHandle
        let type: BluetoothUUID
        var value: [UInt8]
    }

    static let service = BluetoothUUID(0x180F)
    static let readable = BluetoothUUID(0x2A19)
    static let writable = BluetoothUUID(0x2A1A)
    static let serviceHandle = AttributeHandle(1)
    static let readableHandle = AttributeHandle(3)
    static let configurationHandle = AttributeHandle(4)
    static let writableHandle = AttributeHandle(6)
    static let lastHandle = AttributeHandle(6)

    static let characteristic = GATT.Characteristic(
        uuid: readable,
        handle: AttributeHandle(2),
        valueHandle: readableHandle,
        properties: [.read, .notify],
        endHandle: configurationHandle
    )

    var receiveMTU: UInt16 = 247
    var attributes: [Attribute] = [
        Attribute(handle: serviceHandle, type: .init(0x2800), value: [0x0F, 0x18]),
        Attribute(handle: .init(2), type: .init(0x2803), value: [0x12, 3, 0, 0x19, 0x2A]),
        Attribute(handle: readableHandle, type: readable, value: [77]),
        Attribute(handle: configurationHandle, type: .init(0x2902), value: [0, 0]),
        Attribute(handle: .init(5), type: .init(0x2803), value: [0x0E, 6, 0, 0x1A, 0x2A]),
        Attribute(handle: writableHandle, type: writable, value: []),
    ]
    /// The services after the server's own service. They must fit into one response.
    var otherServices: [ATT.ReadByGroupTypeResponse.Entry] = []
    /// Whether the client part confirms indications.
    var confirms = true
    /// Whether the server refuses an MTU exchange.
    var refusesMTU = false
    /// The handles that are refused, with their error codes.
    var refusals: [AttributeHandle: ATT.ErrorCode] = [:]

    /// Every received PDU, oldest first.
    private(set) var received: [ATT.PDU] = []
    private(set) var mtu = 23
    private var prepared: [ATT.PrepareWriteRequest] = []

    /// Whether a client has subscribed to notifications.
    var isSubscribed: Bool { self[Self.configurationHandle]?.value.first == 1 }

    /// The values that were written without a response, oldest first.
    var commandValues: [[UInt8]] {
        received.compactMap { pdu in
            if case .writeCommand(let command) = pdu { Array(command.value) } else { nil }
        }
    }

    subscript(_ handle: AttributeHandle) -> Attribute? {
        attributes.first { $0.handle == handle }
    }

    mutating func set(_ value: some Sequence<UInt8>, at handle: AttributeHandle) {
        guard let index = attributes.firstIndex(where: { $0.handle == handle }) else { return }
        attributes[index].value = Array(value)
    }

    mutating func linkEnded() {
        mtu = 23
        prepared = []
        set([0, 0], at: Self.configurationHandle)
    }

    /// Receives a PDU of a client, and returns the response, or `nil` if there is none.
    mutating func receive(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let pdu = try? ATT.PDU(parsing: bytes) else { return nil }
        received.append(pdu)
        guard pdu.opcode.isRequest else { return receiveUnasked(pdu) }
        switch pdu {
        case .exchangeMTURequest(let request) where !refusesMTU:
            mtu = max(23, Int(min(request.receiveMTU, receiveMTU)))
            return ATT.ExchangeMTUResponse(receiveMTU: receiveMTU).encode()
        default: return answer(to: pdu).encode()
        }
    }

    private mutating func receiveUnasked(_ pdu: ATT.PDU) -> [UInt8]? {
        switch pdu {
        case .writeCommand(let command): set(command.value, at: command.handle)
        case .handleValueIndication where confirms: return ATT.PDU.handleValueConfirmation.encode()
        default: break
        }
        return nil
    }

    private mutating func answer(to pdu: ATT.PDU) -> ATT.PDU {
        switch pdu {
        case .readByGroupTypeRequest(let request): groups(from: request.start, pdu.opcode)
        case .findByTypeValueRequest(let request): services(with: request)
        case .readByTypeRequest(let request): values(of: request)
        case .findInformationRequest(let request): types(from: request.start, to: request.end)
        case .readRequest(let request):
            read(request.handle, pdu.opcode) { .readResponse(.init(value: $0)) }
        case .readBlobRequest(let request):
            read(request.handle, pdu.opcode) {
                .readBlobResponse(.init(value: $0.dropFirst(Int(request.offset))))
            }
        case .writeRequest(let request): write(request)
        case .prepareWriteRequest(let request): prepare(request)
        case .executeWriteRequest(let request): execute(request)
        default: refuse(pdu.opcode, .invalid, .requestNotSupported)
        }
    }

    private func refuse(
        _ opcode: ATT.Opcode,
        _ handle: AttributeHandle,
        _ code: ATT.ErrorCode
    ) -> ATT.PDU {
        .errorResponse(.init(requestOpcode: opcode, handle: handle, code: code))
    }
}

// Discovery.
extension ModelServer {
    private func groups(from start: AttributeHandle, _ opcode: ATT.Opcode) -> ATT.PDU {
        let entry = ATT.ReadByGroupTypeResponse.Entry(
            handle: Self.serviceHandle,
            groupEnd: Self.lastHandle,
            value: Self.service.attBytes[...]
        )
        let entries = ([entry] + otherServices).filter { $0.handle >= start }
        guard !entries.isEmpty else { return refuse(opcode, start, .attributeNotFound) }
        return .readByGroupTypeResponse(.init(entries: entries))
    }

    private func services(with request: ATT.FindByTypeValueRequest) -> ATT.PDU {
        guard request.start <= Self.serviceHandle, Array(request.value) == Self.service.attBytes
        else { return refuse(.findByTypeValueRequest, request.start, .attributeNotFound) }
        let entry = ATT.FindByTypeValueResponse.HandlesInformation(
            found: Self.serviceHandle,
            groupEnd: Self.lastHandle
        )
        return .findByTypeValueResponse(.init(entries: [entry]))
    }

    private func values(of request: ATT.ReadByTypeRequest) -> ATT.PDU {
        let found = attributes.first {
            $0.type == request.type && $0.handle >= request.start && $0.handle <= request.end
        }
        guard let found else {
            return refuse(.readByTypeRequest, request.start, .attributeNotFound)
        }
        if let code = refusals[found.handle] {
            return refuse(.readByTypeRequest, found.handle, code)
        }
        return .readByTypeResponse(
            .init(entries: [.init(handle: found.handle, value: found.value[...])])
        )
    }

    private func types(from start: AttributeHandle, to end: AttributeHandle) -> ATT.PDU {
        let found = attributes.filter { $0.handle >= start && $0.handle <= end }
        guard !found.isEmpty else {
            return refuse(.findInformationRequest, start, .attributeNotFound)
        }
        let entries = found.prefix((mtu - 2) / 4).map {
            ATT.FindInformationResponse.Entry(handle: $0.handle, uuid: $0.type)
        }
        return .findInformationResponse(.init(entries: entries))
    }
}

// Values.
extension ModelServer {
    private func read(
        _ handle: AttributeHandle,
        _ opcode: ATT.Opcode,
        _ response: (ArraySlice<UInt8>) -> ATT.PDU
    ) -> ATT.PDU {
        if let code = refusals[handle] { return refuse(opcode, handle, code) }
        guard let value = self[handle]?.value else {
            return refuse(opcode, handle, .invalidHandle)
        }
        let whole = response(value[...])
        guard whole.encode().count > mtu else { return whole }
        return (try? ATT.PDU(parsing: whole.encode().prefix(mtu))) ?? whole
    }

    private mutating func write(_ request: ATT.WriteRequest) -> ATT.PDU {
        if let code = refusals[request.handle] {
            return refuse(.writeRequest, request.handle, code)
        }
        set(request.value, at: request.handle)
        return .writeResponse
    }

    private mutating func prepare(_ request: ATT.PrepareWriteRequest) -> ATT.PDU {
        prepared.append(request)
        return .prepareWriteResponse(
            .init(handle: request.handle, offset: request.offset, value: request.value)
        )
    }

    private mutating func execute(_ request: ATT.ExecuteWriteRequest) -> ATT.PDU {
        defer { prepared = [] }
        if request.flags == .writeAll {
            for part in prepared {
                let before = self[part.handle]?.value.prefix(Int(part.offset)) ?? []
                set(before + part.value, at: part.handle)
            }
        }
        return .executeWriteResponse
    }
}
