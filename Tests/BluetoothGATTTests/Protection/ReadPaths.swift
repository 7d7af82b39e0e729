// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// Every request that could disclose a value (Vol 3, Part F, 3.4.3 and 3.4.4).
enum ReadPath: CaseIterable, Sendable {
    case read, blob, blobMiddle, blobEnd, blobPastEnd
    case multipleFirst, multipleLast, multipleVariableFirst, multipleVariableLast
    case byType, byTypeBeforeOthers, byTypeBehindOthers, byGroupType
    case findByTypeValue, findByTypeValueAmongOthers, findInformation
}

extension ProtectedServer {
    /// Tries to read every protected value with this request, once as each requester.
    mutating func tryAll(_ path: ReadPath) {
        for place in places {
            for requester in Requester.all {
                let code = SpecifiedAccess.code(of: place.rule, for: requester, forbidden: 0x02)
                attempt(path, place, requester, code)
            }
        }
    }

    private mutating func attempt(
        _ path: ReadPath,
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?
    ) {
        switch path {
        case .read: read(place, requester, code)
        case .blob: readBlob(place, requester, code, offset: 0)
        case .blobMiddle: readBlob(place, requester, code, offset: 3)
        case .blobEnd: readBlob(place, requester, code, offset: Self.secret.count)
        case .blobPastEnd: readBlob(place, requester, code, offset: Self.secret.count + 1)
        case .multipleFirst: readMultiple(place, requester, code, [place.value, place.before])
        case .multipleLast:
            readMultiple(place, requester, code, [place.before, place.after, place.value])
        case .multipleVariableFirst:
            readVariable(place, requester, code, [place.value, place.after])
        case .multipleVariableLast:
            readVariable(place, requester, code, [place.before, place.value])
        case .byType: readByType(place, requester, code, [place.value])
        case .byTypeBeforeOthers: readByType(place, requester, code, [place.value, place.after])
        case .byTypeBehindOthers:
            readByType(place, requester, code, [place.before, place.value, place.after])
        case .byGroupType: readByGroupType(place, requester)
        case .findByTypeValue: find(place, requester, code, place.value...place.value)
        case .findByTypeValueAmongOthers: find(place, requester, code, place.service.handles)
        case .findInformation: findInformation(place, requester)
        }
    }

    private func value(at handle: AttributeHandle, _ place: Place) -> ArraySlice<UInt8> {
        (handle == place.value ? Self.secret : Self.open)[...]
    }

    /// Returns the first of these values that is refused to the requester, and the error code.
    private func firstRefused(
        of handles: [AttributeHandle],
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?
    ) -> (handle: AttributeHandle, code: UInt8)? {
        for handle in handles {
            let code = handle == place.value ? code : SpecifiedAccess.openValueCode(for: requester)
            if let code { return (handle, code) }
        }
        return nil
    }

    private mutating func read(_ place: Place, _ requester: Requester, _ code: UInt8?) {
        let exchange = exchange(.readRequest(.init(handle: place.value)), with: requester)
        if let code {
            return expectRefusal(
                exchange,
                code,
                of: .readRequest,
                at: place.value,
                place,
                requester
            )
        }
        expect(exchange, .readResponse(.init(value: Self.secret[...])), place, requester)
    }

    private mutating func readBlob(
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?,
        offset: Int
    ) {
        let request = ATT.ReadBlobRequest(handle: place.value, offset: UInt16(offset))
        let exchange = exchange(.readBlobRequest(request), with: requester)
        // A requester without permission to read must not learn the length of the value either.
        if let code {
            let opcode = ATT.Opcode.readBlobRequest
            return expectRefusal(exchange, code, of: opcode, at: place.value, place, requester)
        }
        let refusal = ATT.ErrorResponse(
            requestOpcode: .readBlobRequest,
            handle: place.value,
            code: .invalidOffset
        )
        let part = Self.secret.dropFirst(offset)
        let response: ATT.PDU =
            offset > Self.secret.count
            ? .errorResponse(refusal) : .readBlobResponse(.init(value: part))
        expect(exchange, response, place, requester)
    }

    private mutating func readMultiple(
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?,
        _ handles: [AttributeHandle]
    ) {
        let exchange = exchange(.readMultipleRequest(.init(handles: handles)), with: requester)
        if let (handle, code) = firstRefused(of: handles, place, requester, code) {
            let opcode = ATT.Opcode.readMultipleRequest
            return expectRefusal(exchange, code, of: opcode, at: handle, place, requester)
        }
        let values = handles.flatMap { value(at: $0, place) }
        expect(exchange, .readMultipleResponse(.init(values: values[...])), place, requester)
    }

    private mutating func readVariable(
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?,
        _ handles: [AttributeHandle]
    ) {
        let request = ATT.PDU.readMultipleVariableRequest(.init(handles: handles))
        let exchange = exchange(request, with: requester)
        if let (handle, code) = firstRefused(of: handles, place, requester, code) {
            let opcode = ATT.Opcode.readMultipleVariableRequest
            return expectRefusal(exchange, code, of: opcode, at: handle, place, requester)
        }
        let entries = handles.map {
            ATT.ReadMultipleVariableResponse.Entry(value: value(at: $0, place))
        }
        expect(
            exchange,
            .readMultipleVariableResponse(.init(entries: entries)),
            place,
            requester
        )
    }

    /// Reads from the first of these handles to the last. The first value without permission ends
    /// the response, or refuses the request if no value precedes it (Vol 3, Part F, 3.4.4.1).
    private mutating func readByType(
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?,
        _ handles: [AttributeHandle]
    ) {
        let last = handles[handles.count - 1]
        let request = ATT.ReadByTypeRequest(start: handles[0], end: last, type: place.type)
        let exchange = exchange(.readByTypeRequest(request), with: requester)
        let refused = firstRefused(of: handles, place, requester, code)
        if let (handle, code) = refused, handle == handles[0] {
            let opcode = ATT.Opcode.readByTypeRequest
            return expectRefusal(exchange, code, of: opcode, at: handle, place, requester)
        }
        let readable = handles.prefix { $0 != refused?.handle }
        let entries = readable.map {
            ATT.ReadByTypeResponse.Entry(handle: $0, value: value(at: $0, place))
        }
        if code != nil { expectSilence(exchange, place, requester) }
        expect(exchange, .readByTypeResponse(.init(entries: entries)), place, requester)
    }

    /// Checks that values are never read as groups.
    private mutating func readByGroupType(_ place: Place, _ requester: Requester) {
        let handles = place.service.handles
        let request = ATT.ReadByGroupTypeRequest(
            start: handles.lowerBound,
            end: handles.upperBound,
            type: place.type
        )
        let exchange = exchange(.readByGroupTypeRequest(request), with: requester)
        let opcode = ATT.Opcode.readByGroupTypeRequest
        expectRefusal(exchange, 0x10, of: opcode, at: handles.lowerBound, place, requester)
    }

    /// Searches for the attribute with the value: a requester without permission must not learn
    /// whether its guess is right. The request has no form for UUIDs of 128 bits.
    private mutating func find(
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?,
        _ range: ClosedRange<AttributeHandle>
    ) {
        guard let type = place.type.short16 else { return }
        let request = ATT.FindByTypeValueRequest(
            start: range.lowerBound,
            end: range.upperBound,
            type: type,
            value: Self.secret[...]
        )
        let exchange = exchange(.findByTypeValueRequest(request), with: requester)
        guard code == nil else {
            let opcode = ATT.Opcode.findByTypeValueRequest
            return expectRefusal(exchange, 0x0A, of: opcode, at: range.lowerBound, place, requester)
        }
        let entry = ATT.FindByTypeValueResponse.HandlesInformation(
            found: place.value,
            groupEnd: place.value
        )
        expect(exchange, .findByTypeValueResponse(.init(entries: [entry])), place, requester)
    }

    /// Checks that any requester can find only the type of a value.
    private mutating func findInformation(_ place: Place, _ requester: Requester) {
        let request = ATT.FindInformationRequest(start: place.value, end: place.value)
        let exchange = exchange(.findInformationRequest(request), with: requester)
        expectSilence(exchange, place, requester)
        let entry = ATT.FindInformationResponse.Entry(handle: place.value, uuid: place.type)
        expect(exchange, .findInformationResponse(.init(entries: [entry])), place, requester)
    }
}
