// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

// Requests for the structure of the database, which all clients may read.

extension GATTServer {
    /// Returns the types of the attributes in a range, as many as fit and have UUIDs of one length
    /// (Vol 3, Part F, 3.4.3.1 and 3.4.3.2).
    func findInformation(_ request: ATT.FindInformationRequest, mtu: Int) -> ATT.PDU {
        do throws(RequestRefusal) {
            let attributes = database.attributes(in: try range(request.start, request.end))
            guard let first = attributes.first else {
                throw RequestRefusal(.attributeNotFound, request.start)
            }
            let isShort = first.type.short16 != nil
            let limit = (mtu - 2) / (isShort ? 4 : 18)
            let entries = attributes.prefix(limit).prefix { ($0.type.short16 != nil) == isShort }
                .map { ATT.FindInformationResponse.Entry(handle: $0.handle, uuid: $0.type) }
            return .findInformationResponse(.init(entries: entries))
        } catch {
            return error.response(to: ATT.FindInformationRequest.opcode)
        }
    }

    /// Returns the services in a range, as many as fit and have UUIDs of one length. Services are
    /// the only groups (Vol 3, Part F, 3.4.4.9 and 3.4.4.10; Vol 3, Part G, 2.5.3).
    func readByGroupType(_ request: ATT.ReadByGroupTypeRequest, mtu: Int) -> ATT.PDU {
        do throws(RequestRefusal) {
            let range = try range(request.start, request.end)
            let isPrimary = request.type == GATT.AttributeType.primaryService
            guard isPrimary || request.type == GATT.AttributeType.secondaryService else {
                throw RequestRefusal(.unsupportedGroupType, request.start)
            }
            let services = database.services(in: range).lazy.filter { $0.isPrimary == isPrimary }
            guard let first = services.first else {
                throw RequestRefusal(.attributeNotFound, request.start)
            }
            let length = first.uuid.attBytes.count
            let entries = services.prefix((mtu - 2) / (4 + length))
                .prefix { $0.uuid.attBytes.count == length }
                .map(ATT.ReadByGroupTypeResponse.Entry.init)
            return .readByGroupTypeResponse(.init(entries: Array(entries)))
        } catch {
            return error.response(to: ATT.ReadByGroupTypeRequest.opcode)
        }
    }

    /// Returns the range of a request, which must not start at zero or end before its start (Vol 3,
    /// Part F, 3.4.3.1).
    func range(
        _ start: AttributeHandle,
        _ end: AttributeHandle
    ) throws(RequestRefusal) -> ClosedRange<AttributeHandle> {
        guard start != .invalid, start <= end else { throw RequestRefusal(.invalidHandle, start) }
        return start...end
    }
}

extension ATT.ReadByGroupTypeResponse.Entry {
    fileprivate init(_ service: GATT.Service) {
        self.init(
            handle: service.handle,
            groupEnd: service.endHandle,
            value: service.uuid.attBytes[...]
        )
    }
}
