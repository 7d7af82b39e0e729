// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A server with a table of attributes, without permissions and without Read Multiple requests.
/// Tests of the client's procedures use it to check results rather than PDUs.
struct TableServer {
    struct Attribute {
        let handle: AttributeHandle
        let type: BluetoothUUID
        var value: [UInt8]
        /// The last handle of the group that the attribute starts.
        var groupEnd: AttributeHandle?
    }

    /// The server's response to a read at the end of a value.
    enum EndOfValue: CaseIterable, Sendable {
        case emptyPart, invalidOffset, attributeNotLong
    }

    var attributes: [Attribute]
    var receiveMTU = 517
    var endOfValue = EndOfValue.emptyPart
    /// The number of the Prepare Write Response in which a bit is flipped, counted from zero.
    var corruptedEcho: Int?
    private(set) var mtu = 23
    private(set) var prepared: [ATT.PrepareWriteRequest] = []
    private var echoes = 0

    init(_ attributes: [Attribute]) {
        self.attributes = attributes
    }

    mutating func answer(_ bytes: [UInt8]) throws -> ATT.PDU? {
        let pdu = try ATT.PDU(parsing: bytes[...])
        switch pdu {
        case .exchangeMTURequest(let request):
            mtu = max(23, min(Int(request.receiveMTU), receiveMTU))
            return .exchangeMTUResponse(.init(receiveMTU: UInt16(receiveMTU)))
        case .readByGroupTypeRequest(let request): return groups(request)
        case .findByTypeValueRequest(let request): return groups(request)
        case .readByTypeRequest(let request): return values(request)
        case .findInformationRequest(let request): return types(request)
        case .readRequest, .readBlobRequest: return read(pdu)
        case .writeRequest, .writeCommand, .prepareWriteRequest, .executeWriteRequest:
            return write(pdu)
        default: return refuse(pdu, .invalid, .requestNotSupported)
        }
    }

    func value(_ handle: AttributeHandle) -> [UInt8]? {
        attributes.first { $0.handle == handle }?.value
    }

    func refuse(
        _ request: ATT.PDU,
        _ handle: AttributeHandle,
        _ code: ATT.ErrorCode
    ) -> ATT.PDU {
        .errorResponse(.init(requestOpcode: request.opcode, handle: handle, code: code))
    }

    private func matching(
        _ start: AttributeHandle,
        _ end: AttributeHandle,
        _ matches: (Attribute) -> Bool
    ) -> [Attribute] {
        attributes.filter { (start...end).contains($0.handle) && matches($0) }
    }

    private func groups(_ request: ATT.ReadByGroupTypeRequest) -> ATT.PDU {
        let found = matching(request.start, request.end) { $0.type == request.type }
        guard let length = found.first?.value.count else {
            return refuse(.readByGroupTypeRequest(request), request.start, .attributeNotFound)
        }
        let entries = found.prefix { $0.value.count == length }.prefix((mtu - 2) / (length + 4))
        return .readByGroupTypeResponse(
            .init(
                entries: entries.map {
                    .init(
                        handle: $0.handle,
                        groupEnd: $0.groupEnd ?? $0.handle,
                        value: $0.value[...]
                    )
                }
            )
        )
    }

    private func groups(_ request: ATT.FindByTypeValueRequest) -> ATT.PDU {
        let found = matching(request.start, request.end) {
            $0.type == BluetoothUUID(request.type) && $0.value == Array(request.value)
        }
        guard !found.isEmpty else {
            return refuse(.findByTypeValueRequest(request), request.start, .attributeNotFound)
        }
        return .findByTypeValueResponse(
            .init(
                entries: found.prefix((mtu - 1) / 4).map {
                    .init(found: $0.handle, groupEnd: $0.groupEnd ?? $0.handle)
                }
            )
        )
    }

    private func values(_ request: ATT.ReadByTypeRequest) -> ATT.PDU {
        let found = matching(request.start, request.end) { $0.type == request.type }
        guard let length = found.first.map({ min($0.value.count, mtu - 4, 253) }) else {
            return refuse(.readByTypeRequest(request), request.start, .attributeNotFound)
        }
        let entries = found.prefix { min($0.value.count, mtu - 4, 253) == length }
            .prefix((mtu - 2) / (length + 2))
        return .readByTypeResponse(
            .init(entries: entries.map { .init(handle: $0.handle, value: $0.value.prefix(length)) })
        )
    }

    private func types(_ request: ATT.FindInformationRequest) -> ATT.PDU {
        let found = matching(request.start, request.end) { _ in true }
        guard let first = found.first else {
            return refuse(.findInformationRequest(request), request.start, .attributeNotFound)
        }
        let isShort = first.type.short16 != nil
        let entries = found.prefix { ($0.type.short16 != nil) == isShort }
            .prefix((mtu - 2) / (isShort ? 4 : 18))
        return .findInformationResponse(
            .init(entries: entries.map { .init(handle: $0.handle, uuid: $0.type) })
        )
    }

    private func read(_ pdu: ATT.PDU) -> ATT.PDU {
        switch pdu {
        case .readRequest(let request):
            guard let value = value(request.handle) else {
                return refuse(pdu, request.handle, .invalidHandle)
            }
            return .readResponse(.init(value: value.prefix(mtu - 1)))
        case .readBlobRequest(let request):
            guard let value = value(request.handle) else {
                return refuse(pdu, request.handle, .invalidHandle)
            }
            guard value.count > Int(request.offset) || endOfValue == .emptyPart else {
                let isOffset = endOfValue == .invalidOffset
                return refuse(pdu, request.handle, isOffset ? .invalidOffset : .attributeNotLong)
            }
            let part = value.dropFirst(Int(request.offset)).prefix(mtu - 1)
            return .readBlobResponse(.init(value: part))
        default: return refuse(pdu, .invalid, .requestNotSupported)
        }
    }

    private mutating func write(_ pdu: ATT.PDU) -> ATT.PDU? {
        switch pdu {
        case .writeRequest(let request):
            return put(Array(request.value), at: 0, of: request.handle, replacing: true)
                ? .writeResponse : refuse(pdu, request.handle, .invalidHandle)
        case .writeCommand(let command):
            _ = put(Array(command.value), at: 0, of: command.handle, replacing: true)
            return nil
        case .prepareWriteRequest(let request):
            guard value(request.handle) != nil else {
                return refuse(pdu, request.handle, .invalidHandle)
            }
            prepared.append(request)
            return echo(request)
        case .executeWriteRequest(let request):
            defer { prepared = [] }
            guard request.flags == .writeAll else { return .executeWriteResponse }
            for part in prepared {
                guard put(Array(part.value), at: Int(part.offset), of: part.handle) else {
                    return refuse(pdu, part.handle, .invalidOffset)
                }
            }
            return .executeWriteResponse
        default: return nil
        }
    }

    private mutating func echo(_ request: ATT.PrepareWriteRequest) -> ATT.PDU {
        defer { echoes += 1 }
        var value = Array(request.value)
        if corruptedEcho == echoes, !value.isEmpty { value[0] ^= 0x01 }
        return .prepareWriteResponse(
            .init(handle: request.handle, offset: request.offset, value: value[...])
        )
    }

    private mutating func put(
        _ bytes: [UInt8],
        at offset: Int,
        of handle: AttributeHandle,
        replacing: Bool = false
    ) -> Bool {
        guard let index = attributes.firstIndex(where: { $0.handle == handle }) else {
            return false
        }
        guard offset <= attributes[index].value.count else { return false }
        if replacing { attributes[index].value = [] }
        attributes[index].value.replaceSubrange(
            offset..<min(offset + bytes.count, attributes[index].value.count),
            with: bytes
        )
        return true
    }
}
