// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// The time in which the application must answer all questions of one request. It is less than
    /// the 30 seconds after which the client closes the bearer (Vol 3, Part F, 3.3.3).
    package static let questionLimit: Duration = .seconds(25)

    /// Processes the application's answer to a question. Does nothing if the question is no longer
    /// open, because it was answered, has expired, or its bearer was closed. If the answer itself
    /// is late, the request is refused with Unlikely Error.
    ///
    /// - Parameters:
    ///   - id: The question.
    ///   - result: The bytes of the value from the requested offset, empty for an accepted write,
    ///     or the error of a refusal.
    ///   - handle: The attribute among those of a write that caused the refusal, which the Error
    ///     Response contains (Vol 3, Part F, 3.4.6.3). `nil`, or an attribute that is not part of
    ///     the question, means the first one.
    ///   - now: The current time.
    package mutating func answer(
        _ id: RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle? = nil,
        now: Instant
    ) -> [Action] {
        guard let index = pending.firstIndex(where: { $0.value.id == id }) else { return [] }
        let (bearer, request) = pending.remove(at: index)
        guard now < request.deadline else { return end(request, on: bearer, .unlikelyError) }
        switch (request.work, result) {
        case (.read(let reading), _):
            return resume(reading, request, result, on: bearer)
        case (.write(let plan), .success):
            return execute(plan, on: bearer)
        case (.write(let plan), .failure(let code)):
            let named = plan.asked.first { $0.handle == handle }
            return end(request, on: bearer, code, at: named?.handle)
        }
    }

    /// The time at which the next question expires, or `nil` if none is open.
    package var nextDeadline: Instant? {
        var soonest: Instant?
        for request in pending.values { soonest = earliest(soonest, request.deadline) }
        return soonest
    }

    /// Refuses the requests whose questions have expired, with the error Unlikely Error.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        pending.filter { now >= $0.value.deadline }
            .sorted { $0.value.id < $1.value.id }
            .flatMap { end($0.value, on: $0.key, .unlikelyError) }
    }

    mutating func takeRequestID() -> RequestID {
        defer { nextRequestID += 1 }
        return nextRequestID
    }

    private mutating func resume(
        _ reading: some PendingRead,
        _ request: PendingRequest,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        on bearer: BearerID
    ) -> [Action] {
        var reading = reading
        switch result {
        case .success(let value):
            let limit = max(GATT.valueLengthLimit - reading.offset, 0)
            reading.receive(value.prefix(limit), mtu: mtu(of: bearer))
        case .failure(let code):
            do throws(RequestRefusal) {
                try reading.receive(RequestRefusal(code, request.handle))
            } catch {
                return end(request, on: bearer, code)
            }
        }
        return resume(reading, on: bearer, until: request.deadline)
    }

    private mutating func end(
        _ request: PendingRequest,
        on bearer: BearerID,
        _ code: ATT.ErrorCode,
        at handle: AttributeHandle? = nil
    ) -> [Action] {
        pending[bearer] = nil
        let refusal = RequestRefusal(code, handle ?? request.handle)
        return [.respond(bearer, refusal.response(to: request.opcode))]
    }
}
