// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// How long the application has to answer all that one request asks of it: less than the thirty
    /// seconds after which the client gives the bearer up (Vol 3, Part F, 3.3.3).
    package static let questionLimit: Duration = .seconds(25)

    /// The application answers a question: with the octets from the offset on that it was asked for,
    /// or nothing for a write that it accepts; or with the reason why not. Does nothing if the
    /// question is not open any more: answered, too late, or the bearer gone.
    package mutating func answer(
        _ id: RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        now: Instant
    ) -> [Action] {
        guard let (bearer, request) = pending.first(where: { $0.value.id == id }) else {
            return []
        }
        guard now < request.deadline else { return end(request, on: bearer, .unlikelyError) }
        pending[bearer] = nil
        switch (request.work, result) {
        case (.read(let reading), _):
            return carryOn(reading, request, result, on: bearer)
        case (.write(let plan), .success):
            return carryOut(plan, on: bearer)
        case (.write, .failure(let code)):
            return end(request, on: bearer, code)
        }
    }

    /// When a question will have been open too long; nil if none is.
    package var nextDeadline: Instant? {
        pending.isEmpty ? nil : pending.values.map(\.deadline).min()
    }

    /// Tells that it is `now`. Requests that the application has left open too long are answered
    /// with Unlikely Error.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        pending.filter { now >= $0.value.deadline }
            .sorted { $0.value.id < $1.value.id }
            .flatMap { end($0.value, on: $0.key, .unlikelyError) }
    }

    /// The bearer is gone, and with it its open request and its prepared writes
    /// (Vol 3, Part F, 3.3.2 and 3.4.6.3).
    mutating func forgetRequests(of bearer: BearerID) {
        pending[bearer] = nil
        prepared[bearer] = nil
    }

    mutating func takeRequestID() -> RequestID {
        defer { nextRequestID += 1 }
        return nextRequestID
    }

    private mutating func carryOn(
        _ reading: some Reading,
        _ request: PendingRequest,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        on bearer: BearerID
    ) -> [Action] {
        var reading = reading
        switch result {
        case .success(let value):
            let room = max(GATT.valueLengthLimit - reading.offset, 0)
            reading.receive(value.prefix(room), mtu: mtu(of: bearer))
        case .failure(let code):
            do throws(Refusal) {
                try reading.receive(Refusal(code, request.handle))
            } catch {
                return end(request, on: bearer, code)
            }
        }
        return carryOn(reading, on: bearer, until: request.deadline)
    }

    private mutating func end(
        _ request: PendingRequest,
        on bearer: BearerID,
        _ code: ATT.ErrorCode
    ) -> [Action] {
        pending[bearer] = nil
        let refusal = Refusal(code, request.handle)
        return [.respond(bearer, refusal.response(to: request.opcode))]
    }
}
