// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// The common part of long and reliable writes. Parts are prepared one by one, the server returns
/// each for comparison, and then all are executed or canceled together (Vol 3, Part F, 3.4.6).
///
/// The server keeps the parts in a queue for the client, not for a procedure. A procedure that ends
/// early must therefore empty that queue, or the next procedure would also write the remaining
/// parts.
struct QueuedWrites: Sendable {
    /// A part of a value to write from an offset, possibly empty.
    private struct Part {
        let handle: AttributeHandle
        var offset: Int
        var value: ArraySlice<UInt8>
    }

    private enum Phase {
        case preparing(ATT.PrepareWriteRequest)
        case executing
        case emptyingQueue(GATT.Failure)
    }

    private var parts: [Part] = []
    private var current = 0
    private var phase = Phase.executing
    private var hasPrepared = false
    private var isAbandoned = false

    /// Adds a value to write. Call this before `begin`.
    mutating func add(
        _ value: [UInt8],
        at offset: Int = 0,
        of handle: AttributeHandle
    ) throws(GATT.Failure) {
        guard (0...GATT.valueLengthLimit).contains(offset) else {
            throw .invalidOperation("the offset \(offset) is out of range")
        }
        let limit = GATT.valueLengthLimit - offset
        guard value.count <= limit else { throw .valueTooLong(limit: limit) }
        parts.append(Part(handle: handle, offset: offset, value: value[...]))
    }

    mutating func begin(mtu: Int) -> ProcedureStep { prepareNext(mtu: mtu) }

    /// Returns the next step. A Prepare Write Request has five bytes before the value.
    private mutating func prepareNext(mtu: Int) -> ProcedureStep {
        guard current < parts.count else {
            phase = .executing
            return .send(.executeWriteRequest(.init(flags: .writeAll)))
        }
        let part = parts[current]
        let chunk = part.value.prefix(mtu - 5)
        parts[current].offset += chunk.count
        parts[current].value = part.value.dropFirst(chunk.count)
        if parts[current].value.isEmpty { current += 1 }
        let request = ATT.PrepareWriteRequest(
            handle: part.handle,
            offset: UInt16(part.offset),
            value: chunk
        )
        phase = .preparing(request)
        return .send(.prepareWriteRequest(request))
    }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        switch (phase, response) {
        case (.preparing(let request), .prepareWriteResponse(let echo)):
            hasPrepared = true
            guard !isAbandoned else { return emptyQueue(because: .cancelled) }
            guard Self.matches(echo, request) else {
                return emptyQueue(because: .echoMismatch(handle: request.handle))
            }
            return prepareNext(mtu: mtu)
        case (.executing, .executeWriteResponse): return .complete(.done)
        case (.emptyingQueue(let failure), .executeWriteResponse): throw failure
        default: throw .unexpected(response)
        }
    }

    /// Processes a failure. A server that refuses a part keeps the parts before it. If its response
    /// is invalid, the server may also have kept that part.
    mutating func receive(_ failure: GATT.Failure) throws(GATT.Failure) -> ProcedureStep {
        switch phase {
        case .executing: throw failure
        case .emptyingQueue(let first): throw first
        case .preparing:
            if case .attribute = failure, !hasPrepared { throw failure }
            return emptyQueue(because: failure)
        }
    }

    /// Cancels the writes. The prepared parts are canceled after the next response. Once they are
    /// being executed, they can no longer be canceled.
    mutating func abandon() {
        isAbandoned = true
    }

    private mutating func emptyQueue(because failure: GATT.Failure) -> ProcedureStep {
        phase = .emptyingQueue(failure)
        return .send(.executeWriteRequest(.init(flags: .cancelAll)))
    }

    private static func matches(
        _ echo: ATT.PrepareWriteResponse,
        _ request: ATT.PrepareWriteRequest
    ) -> Bool {
        echo.handle == request.handle && echo.offset == request.offset
            && echo.value == request.value
    }
}
