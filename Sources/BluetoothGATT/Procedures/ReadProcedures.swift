// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Read Characteristic Value, and Read Characteristic Descriptors: one request, at most MTU - 1
/// bytes (Vol 3, Part G, 4.8.1 and 4.12.1).
struct ReadCharacteristicValue: GATT.Procedure {
    let handle: AttributeHandle

    func begin(mtu: Int) -> ProcedureStep {
        .send(.readRequest(.init(handle: handle)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .readResponse(let response) = response else { throw .unexpected(response) }
        return .complete(.value(Array(response.value)))
    }
}

/// A procedure that reads a value by its type, in the range of all handles. It is for values that a
/// server has at most once, such as the Database Hash and the Device Name. For the hash, this is
/// the only allowed way (Vol 3, Part G, 7.3).
///
/// Most values need one request. Read Using Characteristic UUID needs a second one to find out that
/// there are no more values. The server truncates a long value to MTU - 4 bytes, or to 253 bytes if
/// that is less. The procedure then reads the rest as a long value.
struct ReadSingleCharacteristicValue: GATT.Procedure {
    let type: BluetoothUUID
    /// The required length of the value in bytes, or `nil` if any length is valid.
    let length: Int?
    /// The length in bytes from which on a value may be truncated, because it fills the response.
    /// It depends on the MTU at the time of the request.
    private var fullLength = 0
    /// The procedure that reads the rest, or `nil` before it starts.
    private var rest: ReadLongCharacteristicValues?

    init(type: BluetoothUUID, length: Int? = nil) {
        self.type = type
        self.length = length
    }

    mutating func begin(mtu: Int) -> ProcedureStep {
        fullLength = Self.fullLength(mtu)
        return .send(.readByTypeRequest(.init(start: .first, end: .last, type: type)))
    }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        if rest != nil { return try readRest(response, mtu: mtu) }
        guard case .readByTypeResponse(let response) = response,
            let entry = response.entries.first
        else { throw .unexpected(response) }
        let value = entry.value
        guard length == nil || length == value.count else {
            throw .protocolViolation("the value of type \(type) has \(value.count) bytes")
        }
        guard length == nil, value.count >= min(fullLength, Self.fullLength(mtu)) else {
            return .complete(.value(Array(value)))
        }
        var rest = ReadLongCharacteristicValues(handle: entry.handle, after: Array(value))
        defer { self.rest = rest }
        return rest.begin(mtu: mtu)
    }

    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard let rest else { throw failure }
        return try rest.receive(failure, mtu: mtu)
    }

    private mutating func readRest(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        guard var rest else { throw .unexpected(response) }
        defer { self.rest = rest }
        return try rest.receive(response, mtu: mtu)
    }

    private static func fullLength(_ mtu: Int) -> Int {
        min(mtu - 4, ATT.ReadByTypeResponse.valueLengthLimit)
    }
}

/// Read Long Characteristic Values, and Read Long Characteristic Descriptors: reads part after part
/// until a part does not fill its PDU or the value has 512 bytes (Vol 3, Part G, 4.8.3 and 4.12.2).
///
/// The first part is read with a Read Request, because a server may refuse to read a short value
/// from an offset, even from zero. Most values are short and need only this request.
///
/// The value may change during the procedure. ATT does not report this, so the result may combine
/// old and new parts. If the value has become shorter, the result ends at the first offset that is
/// no longer valid.
struct ReadLongCharacteristicValues: GATT.Procedure {
    private let handle: AttributeHandle
    private var value: [UInt8] = []
    /// The length of a part that fills its PDU, in bytes, with the MTU at the time of the request.
    ///
    /// The MTU may change before the response arrives, and the server may have used the old or the
    /// new one. The procedure continues after a part that fills the smaller one, so the last
    /// response may be empty.
    private var fullPart = 0

    /// Creates the procedure. `beginning` is the part of the value that is known already.
    init(handle: AttributeHandle, after beginning: [UInt8] = []) {
        self.handle = handle
        value = beginning
    }

    mutating func begin(mtu: Int) -> ProcedureStep {
        fullPart = mtu - 1
        guard value.isEmpty else { return .send(nextPart) }
        return .send(.readRequest(.init(handle: handle)))
    }

    private var nextPart: ATT.PDU {
        .readBlobRequest(.init(handle: handle, offset: UInt16(value.count)))
    }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        let part = try Self.part(in: response)
        guard value.count + part.count <= GATT.valueLengthLimit else {
            throw .protocolViolation(
                "value \(handle) is longer than \(GATT.valueLengthLimit) bytes"
            )
        }
        value.append(contentsOf: part)
        guard part.count >= min(fullPart, mtu - 1), value.count < GATT.valueLengthLimit else {
            return .complete(.value(value))
        }
        fullPart = mtu - 1
        return .send(nextPart)
    }

    /// Processes a failure. If the last part of the value filled its PDU exactly, the procedure
    /// requests one more part, which does not exist. The server then responds with an empty part,
    /// with Invalid Offset, or with Attribute Not Long (Vol 3, Part F, 3.4.4.5).
    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        switch failure {
        case .attribute(.invalidOffset, _) where !value.isEmpty,
            .attribute(.attributeNotLong, _) where !value.isEmpty:
            return .complete(.value(value))
        default: throw failure
        }
    }

    private static func part(in response: ATT.PDU) throws(GATT.Failure) -> ArraySlice<UInt8> {
        switch response {
        case .readResponse(let response): response.value
        case .readBlobResponse(let response): response.value
        default: throw .unexpected(response)
        }
    }
}

/// Read Multiple Characteristic Values: reads several values. The client must know their lengths,
/// because the response does not contain them (Vol 3, Part G, 4.8.4).
struct ReadMultipleCharacteristicValues: GATT.Procedure {
    let handles: [AttributeHandle]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkReadMultiple(handles, mtu: mtu)
        return .send(.readMultipleRequest(.init(handles: handles)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .readMultipleResponse(let response) = response else {
            throw .unexpected(response)
        }
        return .complete(.value(Array(response.values)))
    }
}

extension GATT {
    /// Checks that there are at least two handles, and not more than fit after the opcode (Vol 3,
    /// Part F, 3.4.4.7).
    static func checkReadMultiple(
        _ handles: [AttributeHandle],
        mtu: Int
    ) throws(GATT.Failure) {
        guard handles.count >= 2 else {
            throw .invalidOperation("a Read Multiple Request needs two or more values")
        }
        let limit = (mtu - 1) / 2
        guard handles.count <= limit else {
            throw .invalidOperation("one request can read \(limit) values at most")
        }
    }
}

/// Read Multiple Variable Length Characteristic Values: reads several values with their lengths
/// (Vol 3, Part G, 4.8.5).
///
/// If the values do not fit into one response, the last ones are missing, and the last one in the
/// response may be truncated.
struct ReadMultipleVariableLengthCharacteristicValues: GATT.Procedure {
    let handles: [AttributeHandle]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkReadMultiple(handles, mtu: mtu)
        return .send(.readMultipleVariableRequest(.init(handles: handles)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .readMultipleVariableResponse(let response) = response else {
            throw .unexpected(response)
        }
        guard response.entries.count <= handles.count else {
            throw .protocolViolation(
                "\(response.entries.count) values in response to a request for \(handles.count)"
            )
        }
        let values = zip(handles, response.entries).map { handle, entry in
            GATT.AttributeValue(
                handle: handle,
                value: Array(entry.value),
                isTruncated: entry.value.count < Int(entry.fullLength)
            )
        }
        return .complete(.values(values))
    }
}

/// Read Using Characteristic UUID: reads all values of a type in a range, without discovery (Vol 3,
/// Part G, 4.8.2).
///
/// A response contains values of one length only, so the next request continues after the last one.
/// If there is no value, the procedure fails, as any read of a missing attribute does.
struct ReadUsingCharacteristicUUID: DiscoveryProcedure {
    var sweep: HandleSweep
    private let uuid: BluetoothUUID
    private var values: [GATT.AttributeValue] = []

    init(uuid: BluetoothUUID, sweep: HandleSweep) {
        self.uuid = uuid
        self.sweep = sweep
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        .readByTypeRequest(.init(start: start, end: sweep.last, type: uuid))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .readByTypeResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.handle)
            try values.keep(.init(handle: entry.handle, value: Array(entry.value)))
        }
    }

    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard !values.isEmpty, case .attribute(.attributeNotFound, _) = failure else {
            throw failure
        }
        return .complete(outcome())
    }

    func outcome() -> GATT.Outcome { .values(values) }
}
