// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    mutating func read(_ request: ATT.PDU, on bearer: BearerID, now: Instant) -> [Action] {
        do throws(RequestRefusal) {
            switch request {
            case .readRequest(let request):
                return resume(SingleRead(request), on: bearer, since: now)
            case .readBlobRequest(let request):
                return resume(SingleRead(request), on: bearer, since: now)
            case .readMultipleRequest(let request):
                let reading = MultipleRead(request)
                try checkAll(reading.handles, for: bearer.client)
                return resume(reading, on: bearer, since: now)
            case .readMultipleVariableRequest(let request):
                let reading = MultipleRead(request)
                try checkAll(reading.handles, for: bearer.client)
                return resume(reading, on: bearer, since: now)
            case .readByTypeRequest(let request):
                let handles = try handles(of: request.type, request.start, request.end)
                return resume(ReadByType(request, handles), on: bearer, since: now)
            case .findByTypeValueRequest(let request):
                return resume(try findByTypeValue(request), on: bearer, since: now)
            default: return []
            }
        } catch {
            return [.respond(bearer, error.response(to: request.opcode))]
        }
    }

    private func findByTypeValue(
        _ request: ATT.FindByTypeValueRequest
    ) throws(RequestRefusal) -> FindByTypeValue {
        let handles = try handles(of: BluetoothUUID(request.type), request.start, request.end)
        let groups = handles.map { (handle: $0, groupEnd: database.groupEnd(of: $0)) }
        return FindByTypeValue(request, groups)
    }

    /// Returns the attributes of a type in a range.
    private func handles(
        of type: BluetoothUUID,
        _ start: AttributeHandle,
        _ end: AttributeHandle
    ) throws(RequestRefusal) -> [AttributeHandle] {
        let attributes = database.attributes(in: try range(start, end))
        let handles = attributes.lazy.filter { $0.type == type }.map(\.handle)
        return Array(handles)
    }

    /// Checks that all attributes exist and are readable, before the application is asked for any
    /// value. The error names the first attribute that is missing or not readable (Vol 3, Part F,
    /// 3.4.4.7 and 3.4.4.11).
    private func checkAll(
        _ handles: [AttributeHandle],
        for client: ClientID
    ) throws(RequestRefusal) {
        for handle in handles { _ = try readable(handle, for: client) }
    }

    private func readable(
        _ handle: AttributeHandle,
        for client: ClientID
    ) throws(RequestRefusal) -> Attribute {
        guard let attribute = database.attribute(handle) else {
            throw RequestRefusal(.invalidHandle, handle)
        }
        if let code = refusal(of: .read, to: attribute, by: client) {
            throw RequestRefusal(code, handle)
        }
        return attribute
    }
}

extension GATTServer {
    private mutating func resume(
        _ reading: some PendingRead,
        on bearer: BearerID,
        since start: Instant
    ) -> [Action] {
        resume(reading, on: bearer, until: start + Self.questionLimit)
    }

    /// Continues a read until the response is complete or a value must come from the application.
    mutating func resume(
        _ reading: some PendingRead,
        on bearer: BearerID,
        until deadline: Instant
    ) -> [Action] {
        var reading = reading
        let mtu = mtu(of: bearer)
        do throws(RequestRefusal) {
            while let handle = reading.next(mtu: mtu) {
                do throws(RequestRefusal) {
                    guard let value = try part(of: handle, from: reading.offset, for: bearer.client)
                    else { return ask(reading, handle, on: bearer, until: deadline) }
                    reading.receive(value, mtu: mtu)
                } catch {
                    try reading.receive(error)
                }
            }
            return [.respond(bearer, try reading.response(mtu: mtu))]
        } catch {
            return [.respond(bearer, error.response(to: reading.opcode))]
        }
    }

    /// Returns the part of a value that the client may read, or `nil` if the application provides
    /// the value.
    ///
    /// An offset after the end of the value is an error. An offset at its end results in an empty
    /// part (Vol 3, Part F, 3.4.4.5).
    private func part(
        of handle: AttributeHandle,
        from offset: Int,
        for client: ClientID
    ) throws(RequestRefusal) -> ArraySlice<UInt8>? {
        let attribute = try readable(handle, for: client)
        guard let value = value(of: attribute, for: client) else { return nil }
        guard offset <= value.count else { throw RequestRefusal(.invalidOffset, handle) }
        return value[offset...]
    }

    private mutating func ask(
        _ reading: some PendingRead,
        _ handle: AttributeHandle,
        on bearer: BearerID,
        until deadline: Instant
    ) -> [Action] {
        let question = Question.read(bearer.client, handle, offset: reading.offset)
        let waiting = PendingRequest(
            id: takeRequestID(),
            handle: handle,
            deadline: deadline,
            work: .read(reading)
        )
        pending[bearer] = waiting
        return [.ask(waiting.id, question)]
    }
}
