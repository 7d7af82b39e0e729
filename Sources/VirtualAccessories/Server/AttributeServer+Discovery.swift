// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// What is there: the requests about ranges of handles.
extension AttributeServer {
    private typealias Attribute = AttributeTable.Attribute

    /// The attributes in a range. A range must not start at zero, nor end before it starts
    /// (Vol 3, Part F, 3.4.3.1).
    private func attributes(
        _ start: AttributeHandle,
        _ end: AttributeHandle
    ) throws(Refusal) -> ArraySlice<Attribute> {
        guard start != .invalid, start <= end else {
            throw Refusal(code: .invalidHandle, handle: start)
        }
        return table.attributes(from: start, through: end)
    }

    /// Handles and types, as many of one width as fit (Vol 3, Part F, 3.4.3.2).
    func find(_ request: ATT.FindInformationRequest) throws(Refusal) -> [UInt8] {
        let found = try attributes(request.start, request.end)
        guard let first = found.first else {
            throw Refusal(code: .attributeNotFound, handle: request.start)
        }
        let width = first.type.attBytes.count
        let entries = found.prefix { $0.type.attBytes.count == width }
            .prefix((client.mtu - 2) / (2 + width))
            .map { ATT.FindInformationResponse.Entry(handle: $0.handle, uuid: $0.type) }
        return ATT.FindInformationResponse(entries: entries).encode()
    }

    /// Groups by the value of their first attribute (Vol 3, Part F, 3.4.3.4). Values that only
    /// some may read are not compared.
    func find(_ request: ATT.FindByTypeValueRequest) throws(Refusal) -> [UInt8] {
        let type = BluetoothUUID(request.type)
        let found = try attributes(request.start, request.end).filter {
            $0.type == type && $0.isReadable && value(of: $0)[...] == request.value
        }
        guard !found.isEmpty else {
            throw Refusal(code: .attributeNotFound, handle: request.start)
        }
        let entries = found.prefix((client.mtu - 1) / 4).map {
            ATT.FindByTypeValueResponse.HandlesInformation(
                found: $0.handle,
                groupEnd: table.groupEnd(of: $0)
            )
        }
        return ATT.FindByTypeValueResponse(entries: entries).encode()
    }

    /// Values of a type, as many of one length as fit (Vol 3, Part F, 3.4.4.2).
    func read(_ request: ATT.ReadByTypeRequest) throws(Refusal) -> [UInt8] {
        let found = try attributes(request.start, request.end).filter { $0.type == request.type }
        guard let first = found.first else {
            throw Refusal(code: .attributeNotFound, handle: request.start)
        }
        guard first.isReadable else {
            throw Refusal(code: .readNotPermitted, handle: first.handle)
        }
        let room = min(client.mtu - 4, ATT.ReadByTypeResponse.valueLengthLimit)
        let length = min(value(of: first).count, room)
        let entries =
            found
            .prefix { $0.isReadable && min(value(of: $0).count, room) == length }
            .prefix((client.mtu - 2) / (2 + length))
            .map {
                ATT.ReadByTypeResponse.Entry(
                    handle: $0.handle,
                    value: value(of: $0).prefix(length)
                )
            }
        return ATT.ReadByTypeResponse(entries: entries).encode()
    }

    /// Services, as many with UUIDs of one length as fit (Vol 3, Part F, 3.4.4.10). Nothing else
    /// groups attributes (Vol 3, Part G, 2.5.3).
    func read(_ request: ATT.ReadByGroupTypeRequest) throws(Refusal) -> [UInt8] {
        let all = try attributes(request.start, request.end)
        guard Self.groupTypes.contains(request.type) else {
            throw Refusal(code: .unsupportedGroupType, handle: request.start)
        }
        let found = all.filter { $0.type == request.type }
        guard let length = found.first?.value.count else {
            throw Refusal(code: .attributeNotFound, handle: request.start)
        }
        let entries = found.prefix { $0.value.count == length }
            .prefix((client.mtu - 2) / (4 + length))
            .map {
                ATT.ReadByGroupTypeResponse.Entry(
                    handle: $0.handle,
                    groupEnd: table.groupEnd(of: $0),
                    value: $0.value[...]
                )
            }
        return ATT.ReadByGroupTypeResponse(entries: entries).encode()
    }

    private static let groupTypes = [
        GATT.AttributeType.primaryService, GATT.AttributeType.secondaryService,
    ]
}
